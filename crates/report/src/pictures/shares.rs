//! The time budget of a flow as a bar.

use engine::Span;
use observe::explain::{Cause, FlowReport, captured_causes};
use plot::Share;

/// Returns the causes of a flow's time as shares of it, each with the colour that it has in all pictures.
pub(crate) fn compute_cause_shares(causes: &[(Cause, Span)], took: Span) -> Vec<Share> {
    let took = took.as_secs_f64();
    let share = |(cause, time): &(Cause, Span)| Share {
        name: cause.name().to_owned(),
        share: time.as_secs_f64() / took,
        colors: cause.colors(),
    };
    causes.iter().filter(|_| took > 0.0).map(share).collect()
}

/// Returns the causes of the time of a connection of a capture as shares of it.
pub(crate) fn compute_captured_shares(report: &FlowReport, window_known: bool) -> Vec<Share> {
    let took = report.took.as_secs_f64();
    let causes = captured_causes(&report.budget, window_known).into_iter().filter(|_| took > 0.0);
    let share = |cause: observe::explain::CapturedCause| Share {
        name: cause.name.to_owned(),
        share: cause.time.as_secs_f64() / took,
        colors: cause.first.colors(),
    };
    causes.map(share).collect()
}
