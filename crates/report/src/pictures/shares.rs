//! The time budget of a flow as a bar.

use engine::Span;
use observe::explain::Cause;
use plot::Share;

/// Returns the causes of a flow's time as shares of it, each with the colour that it has in all pictures.
pub(crate) fn shares(causes: &[(Cause, Span)], took: Span) -> Vec<Share> {
    let took = took.as_secs_f64();
    let share = |(cause, time): &(Cause, Span)| Share {
        name: cause.name().to_owned(),
        share: time.as_secs_f64() / took,
        color: *cause as usize,
    };
    causes.iter().filter(|_| took > 0.0).map(share).collect()
}
