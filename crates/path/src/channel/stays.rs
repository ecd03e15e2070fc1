//! A two-state Markov chain with exponential sojourn times, generated as far ahead as queries need.
//!
//! The chain is initially GOOD. Sojourn times are truncated to nanoseconds, with a minimum of one. With a mean of zero
//! the BAD state is never entered.

use engine::registry::Fault;
use engine::{Draws, Span, Time};

use super::ChannelState;
use super::timeline::{FrameStates, Timeline};

/// A two-state chain with its generated timeline.
pub(super) struct Stays {
    mean_good: Span,
    mean_bad: Span,
    draws: Draws,
    timeline: Timeline,
    in_good: bool,
}

/// Minimum mean sojourn time: shorter ones have no effect on frames but cost computing time.
const MIN_STAY: Span = Span::from_nanos(1_000);

/// Returns the errors of the settings `mean_good` and `mean_bad`.
pub(super) fn check_sojourn_times(mean_good: Span, mean_bad: Span) -> Vec<Fault> {
    let mut faults = Vec::new();
    if mean_good == Span::ZERO {
        let fault = Fault::new("mean_good", mean_good, "more than 0");
        faults.push(fault.hint("for a channel that is always BAD use kind = \"uniform\", loss = 1"));
    }
    let means = [("mean_good", mean_good, ""), ("mean_bad", mean_bad, ", or no BAD state at all (\"0 s\")")];
    for (key, mean, instead) in means {
        if mean != Span::ZERO && mean < MIN_STAY {
            faults.push(Fault::new(key, mean, format!("at least {MIN_STAY}{instead}")));
        }
    }
    faults
}

impl Stays {
    /// Creates a chain with these mean sojourn times, drawn in sequence from `draws`.
    pub fn new(mean_good: Span, mean_bad: Span, draws: Draws) -> Self {
        Stays { mean_good, mean_bad, draws, timeline: Timeline::default(), in_good: true }
    }

    /// Generates the timeline beyond `until`.
    fn extend(&mut self, until: Time) {
        if self.mean_bad == Span::ZERO {
            return;
        }
        while self.timeline.last() <= until {
            let mean = if self.in_good { self.mean_good } else { self.mean_bad };
            let stay = self.draws.exponential(mean.as_nanos() as f64).max(1.0) as u64;
            self.timeline.push(self.timeline.last() + Span::from_nanos(stay));
            self.in_good = !self.in_good;
        }
    }

    /// Returns the states between `start` and `start + duration`. Discards the timeline before `now`, which must not
    /// decrease.
    pub fn states_during(&mut self, now: Time, start: Time, duration: Span) -> FrameStates {
        self.timeline.forget_before(now);
        self.extend(start + duration);
        self.timeline.states_during(start, duration)
    }

    /// Returns the first switch after `after`.
    pub fn next_change(&mut self, after: Time) -> Option<(Time, ChannelState)> {
        self.extend(after);
        self.timeline.next_change(after)
    }
}
