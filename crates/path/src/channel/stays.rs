//! A chain of two states with exponential stays, drawn as far ahead as queries need.
//!
//! The air is GOOD at the beginning. A stay is cut to whole nanoseconds, at least one. A mean of zero in BAD means that
//! it is never entered.

use engine::registry::Fault;
use engine::{Draws, Span, Time};

use super::State;
use super::timeline::{Timeline, Touched};

/// The chain.
pub(super) struct Stays {
    mean_good: Span,
    mean_bad: Span,
    draws: Draws,
    timeline: Timeline,
    in_good: bool,
}

/// A state that lasts less is made of switches faster than any frame could notice, each of which costs time.
const SHORTEST_STAY: Span = Span::from_nanos(1_000);

/// The errors of the settings `mean_good` and `mean_bad`.
pub(super) fn faults(mean_good: Span, mean_bad: Span) -> Vec<Fault> {
    let mut faults = Vec::new();
    if mean_good == Span::ZERO {
        let fault = Fault::new("mean_good", mean_good, "more than nothing");
        faults.push(fault.hint("for a channel that is always BAD use kind = \"uniform\", loss = 1"));
    }
    let means = [("mean_good", mean_good, ""), ("mean_bad", mean_bad, ", or no BAD state at all (\"0 s\")")];
    for (key, mean, instead) in means {
        if mean != Span::ZERO && mean < SHORTEST_STAY {
            faults.push(Fault::new(key, mean, format!("at least {SHORTEST_STAY}{instead}")));
        }
    }
    faults
}

impl Stays {
    /// Stays with these means, read in sequence from `draws`.
    pub fn new(mean_good: Span, mean_bad: Span, draws: Draws) -> Self {
        Stays { mean_good, mean_bad, draws, timeline: Timeline::default(), in_good: true }
    }

    /// Makes the future known beyond `until`.
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

    /// The states between `start` and `start + duration`. Discards what lies before `now`: later calls have a later
    /// `now`.
    pub fn met(&mut self, now: Time, start: Time, duration: Span) -> Touched {
        self.timeline.forget_before(now);
        self.extend(start + duration);
        self.timeline.touched(start, duration)
    }

    /// The first switch after `after`.
    pub fn next_change(&mut self, after: Time) -> Option<(Time, State)> {
        self.extend(after);
        self.timeline.next_change(after)
    }
}
