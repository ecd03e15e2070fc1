//! Whether the settings of a channel make sense.

use engine::Span;
use path::channel::ChannelConfig;

use crate::problem::Problem;

/// Every switch is kept: a state that lasts less costs more memory than any frame could notice.
const SHORTEST_STAY: Span = Span::from_nanos(1_000);

/// What is wrong with the channel of the link at `key`.
pub(super) fn check_channel(key: &str, channel: &ChannelConfig) -> Vec<Problem> {
    let key = format!("{key}.channel");
    let probability = |name: &str, value: f64| {
        let problem = Problem::new("a probability, 0 to 1").key(format!("{key}.{name}")).found(value.to_string());
        (!(0.0..=1.0).contains(&value)).then_some(problem)
    };
    match channel {
        ChannelConfig::Perfect(_) => Vec::new(),
        ChannelConfig::Uniform(config) => probability("loss", config.loss).into_iter().collect(),
        ChannelConfig::TwoState(config) => {
            let mut problems: Vec<Problem> = probability("loss_good", config.loss_good).into_iter().collect();
            problems.extend(probability("loss_bad", config.loss_bad));
            if config.mean_good == Span::ZERO {
                let problem = Problem::new("more than nothing").key(format!("{key}.mean_good")).found("0 s");
                problems.push(problem.hint("for a channel that is always BAD use kind = \"uniform\", loss = 1"));
            }
            for (name, mean) in [("mean_good", config.mean_good), ("mean_bad", config.mean_bad)] {
                if mean != Span::ZERO && mean < SHORTEST_STAY {
                    let problem = Problem::new(format!("at least {SHORTEST_STAY}, or no BAD state at all (\"0 s\")"));
                    problems.push(problem.key(format!("{key}.{name}")).found(mean.to_string()));
                }
            }
            problems
        }
        ChannelConfig::Recorded(config) => {
            let none = config.file.is_none() && config.switches.is_none();
            let missing = none.then(|| Problem::new("`file` or `switches` is missing").key(key.clone()));
            let switches = config.switches.as_deref().unwrap_or_default();
            missing.into_iter().chain(rising(&format!("{key}.switches"), switches)).collect()
        }
        ChannelConfig::Scripted(config) => {
            let ends: Vec<Span> = config.bad.iter().flatten().copied().collect();
            rising(&format!("{key}.bad"), &ends).into_iter().collect()
        }
    }
}

fn rising(key: &str, times: &[Span]) -> Option<Problem> {
    let pair = times.windows(2).find(|pair| pair[0] > pair[1])?;
    Some(Problem::new("times that rise").key(key).found(format!("{} after {}", pair[1], pair[0])))
}
