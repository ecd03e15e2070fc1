//! Rate controls that never fall back.
//!
//! The rate control of the medium is created, and receives the result of each attempt for the duration of the run:
//! every attempt at its highest rate fails, and every other attempt succeeds. A control that still chooses the highest
//! rate never falls back, whatever the channel does.

use engine::{Span, Stream, Time};
use path::mac::dcf::rate::{Rates, USUAL_FRAME};
use sim::network::MediumSpec;

use super::Context;
use crate::problem::Problem;

/// Maximum number of attempts that are tried, about a minute of frames.
const MAX_ATTEMPTS: u32 = 100_000;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let duration = context.network.duration;
    context.network.media.iter().filter_map(|medium| never_falls_back(medium, duration)).collect()
}

fn never_falls_back(MediumSpec { name, config }: &MediumSpec, duration: Span) -> Option<Problem> {
    let control = config.rate_control();
    let modes: Vec<_> = config.modes().iter().map(|mode| mode.rate).collect();
    let preferred = modes.iter().position(|rate| *rate == config.data_rate())?;
    if control.traits().fixed || preferred == 0 {
        return None;
    }
    let times: Vec<Span> = modes.iter().map(|rate| rate.transmission_time(USUAL_FRAME)).collect();
    let frame = times[preferred];
    let mut built =
        control.build(Rates { rates: modes, times, preferred, stream: Stream::named(0, 0, "rate-control-stuck") });
    let (limit, mut now) = (config.retries().limit(true, 0).max(1), Time::ZERO);
    for number in 0..MAX_ATTEMPTS {
        let attempt = number % limit + 1;
        if built.rate(attempt, now) < preferred {
            return None;
        }
        now += frame;
        built.on_attempt(preferred, false, now);
        if attempt == limit {
            built.on_given_up();
        }
        if now > Time::ZERO + duration {
            break;
        }
    }
    let text = format!(
        "a rate control that falls back: with these settings {} stays at {} though every frame at this rate fails",
        control.name(),
        config.data_rate(),
    );
    let problem = Problem::new(text).key(format!("media.{name}.rate_control"));
    Some(problem.hint("leave out its settings for the defaults"))
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, cell_network};

    fn cell(control: &str) -> String {
        cell_network(&format!("rate_control = {{ {control} }}"), "", "", "")
    }

    pub fn examples() -> [String; 2] {
        ["1", "0.99"].map(|share| cell(&format!("kind = \"stepping\", min_share = {share}")))
    }

    /// At 11 Mbps a frame of 1200 B takes 0.87 ms: a run of 10 s has 11,459 of them.
    #[test]
    fn rate_control_that_stays_at_its_highest_rate_is_reported() {
        for control in ["kind = \"stepping\", min_share = 1", "kind = \"arf\", failures = 20000"] {
            assert_only_warning(&cell(control), &["media.cell.rate_control", "stays at 11 Mbps"]);
        }
        for control in
            ["kind = \"arf\", failures = 11000", "kind = \"arf\"", "kind = \"minstrel\"", "kind = \"stepping\""]
        {
            assert_no_warnings(&cell(control));
        }
    }
}
