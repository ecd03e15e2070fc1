//! Times in which a connection is busy, and what limits it then, as Linux's `tcp_chrono_start` counts them.

use engine::{Span, Time};

/// Why a connection is busy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum BusyState {
    /// Nothing is written that is not acknowledged.
    #[default]
    Idle,
    /// Data is being sent.
    Busy,
    /// Data waits for the receive window of the other end.
    WindowLimited,
    /// The application has more data than the send buffer takes.
    BufferLimited,
}

/// Sums of the times in each state.
#[derive(Default)]
pub(super) struct BusyTimes {
    state: BusyState,
    since: Time,
    busy: Span,
    window_limited: Span,
    buffer_limited: Span,
}

impl BusyTimes {
    /// Changes the state.
    pub fn enter(&mut self, now: Time, state: BusyState) {
        self.busy = self.busy(now);
        self.window_limited = self.window_limited(now);
        self.buffer_limited = self.buffer_limited(now);
        (self.state, self.since) = (state, now);
    }

    /// Returns true if data waits for the window of the other end now.
    pub fn is_window_limited(&self) -> bool {
        self.state == BusyState::WindowLimited
    }

    /// Returns the time that was spent busy for any reason.
    pub fn busy(&self, now: Time) -> Span {
        if self.state == BusyState::Idle { self.busy } else { self.busy + now.since(self.since) }
    }

    /// Returns the time that was limited by the receive window of the other end.
    pub fn window_limited(&self, now: Time) -> Span {
        self.window_limited + self.time_in(BusyState::WindowLimited, now)
    }

    /// Returns the time that was limited by the send buffer.
    pub fn buffer_limited(&self, now: Time) -> Span {
        self.buffer_limited + self.time_in(BusyState::BufferLimited, now)
    }

    fn time_in(&self, state: BusyState, now: Time) -> Span {
        if self.state == state { now.since(self.since) } else { Span::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_limited_by_the_window_is_busy_too() {
        let at = Time::from_millis;
        let mut times = BusyTimes::default();
        for (ms, state) in [
            (10, BusyState::WindowLimited),
            (30, BusyState::Busy),
            (35, BusyState::Idle),
            (50, BusyState::Busy),
            (50, BusyState::Busy),
        ] {
            times.enter(at(ms), state);
        }
        assert_eq!((times.busy(at(60)), times.window_limited(at(60))), (Span::from_millis(35), Span::from_millis(20)));
    }
}
