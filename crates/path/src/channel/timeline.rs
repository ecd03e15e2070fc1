//! Switch times between the states GOOD and BAD.

use std::collections::VecDeque;

use engine::registry::Fault;
use engine::{Span, Time};

use super::ChannelState;

/// Times at which the state switches; the state is GOOD before the first. At a switch time the new state holds.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    switches: VecDeque<Time>,
    /// Number of discarded switches before these.
    forgotten: usize,
}

/// The states during a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameStates {
    /// True if the state was GOOD during a part of the frame.
    pub good: bool,
    /// True if the state was BAD during a part of the frame.
    pub bad: bool,
}

impl Timeline {
    /// Creates a timeline from ascending switch times.
    pub fn new(switches: Vec<Time>) -> Self {
        debug_assert!(switches.is_sorted());
        Timeline { switches: switches.into(), forgotten: 0 }
    }

    /// Appends a switch.
    pub fn push(&mut self, at: Time) {
        debug_assert!(self.last() <= at);
        self.switches.push_back(at);
    }

    /// Discards switches before `time`; later queries must not concern earlier times.
    pub fn forget_before(&mut self, time: Time) {
        // The last known switch is kept, because the next one is computed from it.
        while self.switches.len() > 1 && self.switches[0] < time {
            self.switches.pop_front();
            self.forgotten += 1;
        }
    }

    /// Returns the last known switch, or zero if there is none.
    pub fn last(&self) -> Time {
        self.switches.back().copied().unwrap_or(Time::ZERO)
    }

    /// Returns the state after switch number `index`.
    pub fn state_after(index: usize) -> ChannelState {
        if index.is_multiple_of(2) { ChannelState::Bad } else { ChannelState::Good }
    }

    /// Returns the states during a frame: the state at `start`, and those entered before its end. A frame of zero
    /// duration has only the state at its start.
    pub fn states_during(&self, start: Time, duration: Span) -> FrameStates {
        let before = self.switches.partition_point(|at| *at <= start);
        let within = self.switches.range(before..).take_while(|at| **at < start + duration).count();
        let bad_at_start = (self.forgotten + before) % 2 == 1;
        FrameStates { good: !bad_at_start || within > 0, bad: bad_at_start || within > 0 }
    }

    /// Returns the first switch after `after`.
    pub fn next_change(&self, after: Time) -> Option<(Time, ChannelState)> {
        let index = self.switches.partition_point(|at| *at <= after);
        self.switches.get(index).map(|at| (*at, Self::state_after(self.forgotten + index)))
    }
}

/// Returns the error for times that are not in ascending order.
pub(super) fn check_ascending(key: &'static str, times: &[Span]) -> Option<Fault> {
    let pair = times.windows(2).find(|pair| pair[0] >= pair[1])?;
    Some(Fault::new(key, format!("{} after {}", pair[1], pair[0]), "ascending times"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_has_the_states_that_it_overlaps() {
        let ms = Time::from_millis;
        let line = Timeline::new(vec![ms(10), ms(20)]);
        let met = |start, duration| {
            let touched = line.states_during(ms(start), Span::from_millis(duration));
            (touched.good, touched.bad)
        };
        assert_eq!(met(0, 10), (true, false), "ends as BAD begins");
        assert_eq!(met(3, 8), (true, true), "BAD begins within");
        assert_eq!(met(10, 0), (false, true), "a switch holds from its time on");
        assert_eq!(met(10, 10), (false, true), "ends as GOOD begins");
        assert_eq!(met(19, 2), (true, true));
        assert_eq!(met(20, 0), (true, false));
        assert_eq!(line.next_change(ms(0)), Some((ms(10), ChannelState::Bad)));
        assert_eq!(line.next_change(ms(10)), Some((ms(20), ChannelState::Good)));
        assert_eq!(line.next_change(ms(20)), None);

        let mut line = Timeline::new(vec![ms(10), ms(20), ms(30)]);
        line.forget_before(ms(25));
        let touched = line.states_during(ms(25), Span::from_millis(1));
        assert_eq!((touched.good, touched.bad), (true, false));
        assert_eq!(line.next_change(ms(25)), Some((ms(30), ChannelState::Bad)));
    }
}
