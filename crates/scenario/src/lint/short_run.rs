//! Runs that spend more than a tenth in slow start.

use engine::Span;
use engine::quantity::format_span;

use super::Context;
use super::paths::{FlowPath, by_bottleneck, collect_flow_paths};
use crate::problem::Problem;

/// Minimum length of a run in slow starts. With this length slow start reduces the goodput by at most a tenth.
const MIN_SLOW_STARTS: u64 = 10;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    longest_slow_start(context).into_iter().collect()
}

/// The unlimited flow whose slow start takes the largest share of a run, if that is more than a tenth.
fn longest_slow_start(context: &Context<'_>) -> Option<Problem> {
    let (network, paths) = (context.network, collect_flow_paths(context));
    let sharing = by_bottleneck(&paths);
    let slow_starts = paths.iter().filter(|path| path.flow.traffic.total().is_none()).map(|path| {
        let rounds = slow_start(path, sharing.get(&path.hop).map_or(1, Vec::len));
        let start = Span::from_nanos(path.flow.start.as_nanos());
        (start + path.round_trip.times(rounds * MIN_SLOW_STARTS), rounds, path)
    });
    let (needed, rounds, path) = slow_starts.max_by_key(|(needed, ..)| *needed)?;
    if network.duration >= needed {
        return None;
    }
    let text = format!(
        "at least {:.1} s: slow start of flows.{} takes {} ({rounds} round trips of {}) to fill its path, and a \
         run should be ten times as long",
        (needed.as_secs_f64() * 10.0).ceil() / 10.0,
        path.flow.name,
        format_span(path.round_trip.times(rounds)),
        format_span(path.round_trip),
    );
    let problem = Problem::new(text).key("duration").found(network.duration.to_string());
    Some(problem.hint("`lasthop steady FILE` measures how long the goodput takes to become steady"))
}

/// Returns the number of round trips in which a doubling window reaches its share of the path, or its maximum; at least
/// one.
fn slow_start(path: &FlowPath<'_>, sharing: usize) -> u64 {
    let tcp = &path.flow.tcp;
    let threshold = tcp.initial_ssthresh.map_or(f64::INFINITY, |threshold| threshold.0 as f64);
    let target = (path.product() / sharing as f64).min(path.flow.receiver_tcp().window.max() as f64).min(threshold);
    let mut window = f64::from(tcp.initial_window) * f64::from(tcp.segment);
    let mut rounds = 0;
    while window < target {
        window *= 2.0;
        rounds += 1;
    }
    rounds.max(1)
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, modify_network};

    /// A run of `duration`, with further settings of the flow.
    fn lasts(duration: &str, flow: &str) -> String {
        modify_network(&[("\"100 s\"", &format!("\"{duration}\""))]) + flow
    }

    pub fn examples() -> [String; 2] {
        [lasts("10.5 s", ""), lasts("10.6 s", "")]
    }

    /// A window that doubles as 1, 2, 4, ... 32 segments reaches 26,465 B in five round trips of 211.72 ms, together
    /// 1058.6 ms. Ten times this is 10.586 s.
    #[test]
    fn run_of_less_than_ten_slow_starts_is_reported() {
        let found = "duration: found 10.5 s, expected at least 10.6 s";
        assert_only_warning(&lasts("10.5 s", ""), &[found, "1.059 s (5 round trips of 211.7 ms)", "lasthop steady"]);
        assert_no_warnings(&lasts("10.6 s", ""));
        // A flow with a limited amount of data.
        assert_no_warnings(&lasts("10.5 s", "bytes = \"1 MB\"\n"));
        // Two doublings from ten segments on; a window and a threshold of 4 kB.
        assert_no_warnings(&lasts("5 s", "tcp.initial_window = 10\n"));
        assert_only_warning(&lasts("4 s", "tcp.initial_window = 10\n"), &["duration"]);
        assert_no_warnings(&lasts("5 s", "receive_window = \"4 kB\"\n"));
        assert_no_warnings(&lasts("5 s", "tcp.initial_ssthresh = \"4 kB\"\n"));
        // The time before the start of the flow does not count.
        assert_only_warning(&lasts("10.6 s", "start = \"1 s\"\n"), &["duration"]);
    }

    /// Each of four flows gets a quarter, 6616 B, which takes three doublings. There is one warning for all flows.
    #[test]
    fn flows_that_share_a_link_need_a_shorter_run() {
        let window = "receive_window = \"20 kB\"";
        let flow = |number| format!("[flows.more{number}]\nfrom = \"a\"\nto = \"b\"\nmss = \"1000 B\"\n{window}\n");
        let more: String = (0..3).map(flow).collect();
        assert_no_warnings(&lasts("6.4 s", &more));
        assert_only_warning(&lasts("6.3 s", &more), &["duration"]);
    }
}
