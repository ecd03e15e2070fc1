//! The time budget of a flow as a bar.

use engine::Span;
use observe::explain::{CaptureReport, CapturedCause, Cause};
use plot::TimeShare;

/// Returns the causes of a flow's time as shares of it, each with the colour that it has in all pictures.
pub(crate) fn compute_cause_shares(causes: &[(Cause, Span)], took: Span) -> Vec<TimeShare> {
    let took = took.as_secs_f64();
    let share = |(cause, time): &(Cause, Span)| TimeShare {
        name: cause.name().to_owned(),
        share: time.as_secs_f64() / took,
        colors: cause.colors(),
    };
    causes.iter().filter(|_| took > 0.0).map(share).collect()
}

/// Returns the causes of the time of a connection of a capture as shares of it.
pub(crate) fn compute_captured_shares(report: &CaptureReport) -> Vec<TimeShare> {
    let took = report.took.as_secs_f64();
    let share = |cause: &CapturedCause| TimeShare {
        name: cause.name.to_owned(),
        share: cause.time.as_secs_f64() / took,
        colors: cause.first.colors(),
    };
    report.causes.iter().filter(|_| took > 0.0).map(share).collect()
}
