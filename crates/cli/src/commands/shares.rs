//! The time budget of a flow as a bar in its picture.

use engine::Span;
use observe::explain::{Cause, FlowReport};
use plot::Share;

/// The causes of a flow's time as shares of it, each with the colour that it has in all pictures.
pub fn shares(report: &FlowReport) -> Vec<Share> {
    let took = report.took.as_secs_f64();
    let share = |(cause, time): (Cause, Span)| Share {
        name: cause.name().to_owned(),
        share: time.as_secs_f64() / took,
        color: cause as usize,
    };
    report.causes().into_iter().filter(|_| took > 0.0).map(share).collect()
}
