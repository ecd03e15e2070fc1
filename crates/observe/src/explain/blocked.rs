//! The time for which each reason blocked a sender, whether or not the blocking was a problem.
//!
//! A reason holds from the event that reports it until the next such event or the end of the flow. A transmitted
//! segment does not end it.

use engine::{Span, Time};
use tcp::Blocked;

/// Time of each reason, summed over the flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockedTimes {
    /// In the order of [`Blocked::ALL`].
    totals: [Span; Blocked::ALL.len()],
    /// The current reason, and its start.
    now: Option<(Blocked, Time)>,
}

impl BlockedTimes {
    /// Handles a reason that the sender reports.
    pub fn on_event(&mut self, at: Time, reason: Blocked) {
        self.close(at);
        self.now = Some((reason, at));
    }

    /// Ends the flow and returns the time of each reason.
    pub fn finish(mut self, at: Time) -> [(Blocked, Span); Blocked::ALL.len()] {
        self.close(at);
        let mut times = self.totals.into_iter();
        Blocked::ALL.map(|reason| (reason, times.next().unwrap_or(Span::ZERO)))
    }

    fn close(&mut self, at: Time) {
        let Some((reason, since)) = self.now.take() else { return };
        for (known, total) in Blocked::ALL.into_iter().zip(&mut self.totals) {
            if known == reason {
                *total = *total + at.since(since);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocking_reason_applies_until_the_next_one_or_the_end_of_the_flow() {
        let mut times = BlockedTimes::default();
        let told = [(5, Blocked::Cwnd), (20, Blocked::Nagle), (21, Blocked::Cwnd), (40, Blocked::Data)];
        told.iter().for_each(|(at, reason)| times.on_event(Time::from_millis(*at), *reason));
        let held = times.finish(Time::from_millis(50)).map(|(reason, held)| (reason, held.as_nanos() / 1_000_000));
        let expected = [
            (Blocked::Data, 10),
            (Blocked::SendBuffer, 0),
            (Blocked::PeerWindow, 0),
            (Blocked::Nagle, 1),
            (Blocked::Cwnd, 34),
            (Blocked::Pacing, 0),
        ];
        assert_eq!(held, expected);
    }
}
