//! Reasons of retransmissions: the sender's timer, duplicate acknowledgments, a probe, or a message of the network.
//!
//! A retransmission is a *timeout* if it is the first unacknowledged one, no acknowledgment arrived just before, and at
//! least 0.8 (SRTT + 4 RTTVAR) [RFC6298] have passed since the timer was started: when data was last acknowledged, or
//! repeated by the timer, or sent while nothing was in flight. Without SACK, SRTT suffices if the times of the sender
//! are exact. If an acknowledgment arrived just before, the segment must have been retransmitted that long before, and
//! not by the third duplicate now; or more than three duplicates have arrived for two round trips [RFC8985 s6.2].
//! Further retransmissions belong to that timeout until everything sent before the timeout is acknowledged.
//!
//! It is a *probe* [RFC8985 s7] if it is the last segment, and the timer of a common sender, 200 ms at least, would not
//! have expired. Otherwise acknowledgments caused it; without SACK and after less than three duplicates, a message of
//! the network did. If the capture was not taken at the sender, its times are estimates, and a timeout is 200 ms at
//! least.

use engine::{Span, Time};
use observation::{Evidence, Rule, Unseen};
use tcp::Reason;

use super::survey::Survey;

/// The min RTO of Linux, by which timeouts are distinguished from probes.
const COMMON_TIMER: Span = Span::from_millis(200);

/// The longest timeout.
const MAX_TIMEOUT: Span = Span::from_secs(1_000_000);

/// The state of a sender's retransmission timer and of its recovery.
pub struct RetransmissionState {
    /// Time after an acknowledgment in which the segments that it caused are sent.
    reaction: Span,
    /// Whether the times of the sender are known, and not estimated.
    exact: bool,
    /// Whether the receiver reports blocks, so that a recovery ends when all data that was sent before is acknowledged.
    sack: bool,
    srtt: Option<(f64, f64)>,
    /// The min RTT in nanoseconds.
    least: f64,
    /// Time of the timer's last start.
    timer: Time,
    /// Arrival time of the last acknowledgment.
    acked: Option<Time>,
    duplicates: u32,
    /// Time of the last retransmission of the first unacknowledged segment.
    repeated: Option<Time>,
    /// Recovery points: the first unsent byte when the recovery after a timeout, or the fast recovery, began.
    after_timeout: Option<u64>,
    recovery: Option<u64>,
    /// Consecutive timeouts.
    timeouts: u32,
}

/// The cause of a retransmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetransmissionCause {
    pub reason: Reason,
    /// Whether the retransmission is the first one of an expiry or of a recovery.
    pub begins: bool,
}

/// Position of retransmitted data in the flight.
#[derive(Clone, Copy)]
pub struct RetransmittedRange {
    /// Whether the range is the first unacknowledged data.
    pub first: bool,
    /// Whether the range is the last data that was sent.
    pub last: bool,
    /// The first byte never sent.
    pub max: u64,
}

impl RetransmissionState {
    /// The state before the first segment of a surveyed connection.
    pub fn new(survey: &Survey) -> Self {
        let state = RetransmissionState::at_sender(survey.round_trip_threshold());
        RetransmissionState { exact: survey.is_at_sender(), sack: survey.sack, ..state }
    }

    /// Returns the state of a sender without SACK whose times are known.
    fn at_sender(round_trip: Span) -> Self {
        RetransmissionState {
            reaction: Span::from_millis(1).max(Span::from_nanos(round_trip.as_nanos() / 32)),
            exact: true,
            sack: false,
            srtt: None,
            least: f64::INFINITY,
            timer: Time::ZERO,
            acked: None,
            duplicates: 0,
            repeated: None,
            after_timeout: None,
            recovery: None,
            timeouts: 0,
        }
    }

    /// Returns the timeout computed from the samples so far, without a minimum; `None` before the first sample.
    pub fn timeout(&self) -> Option<Span> {
        self.srtt.map(|(srtt, variation)| Span::from_nanos((srtt + 4.0 * variation) as u64))
    }

    /// The timeout with its bounds, after `expiries` consecutive expiries. The timeout is longer than the min RTT.
    /// Senders that measure fewer round trips have a larger variation: the timeout is twice that of all round trips at
    /// most, or the minimum of a second [RFC6298 s2.4].
    pub fn infer_timeout(&self, expiries: u32) -> Evidence<Span> {
        let Some((srtt, variation)) = self.srtt else { return Evidence::Unknown(Unseen::NoRoundTrip) };
        let backoff = f64::from(1 << expiries.min(6));
        let timeout = |nanos: f64| Span::from_nanos((nanos * backoff) as u64).min(MAX_TIMEOUT);
        Evidence::Inferred {
            value: timeout(srtt + 4.0 * variation),
            low: timeout(self.least),
            high: timeout((2.0 * (srtt + 4.0 * variation)).max(1e9)),
            rule: Rule::Rfc6298,
        }
    }

    /// The SRTT.
    pub fn smoothed_round_trip(&self) -> Option<Span> {
        self.srtt.map(|(srtt, _)| Span::from_nanos(srtt as u64))
    }

    /// Returns the time after an acknowledgment in which the segments that it caused are sent.
    pub fn reaction(&self) -> Span {
        self.reaction
    }

    /// Whether the segments sent at `at` are caused by an acknowledgment.
    pub fn is_ack_clocked(&self, at: Time) -> bool {
        self.acked.is_some_and(|acked| at.since(acked.min(at)) <= self.reaction)
    }

    /// Returns the upper bound of the present timeout. Before the first sample it is a second [RFC6298 s2.1].
    pub fn longest_timeout(&self) -> Span {
        self.infer_timeout(self.timeouts).bounds().map_or(Span::from_secs(1), |(_, longest)| longest)
    }

    /// Whether lost data is being retransmitted.
    pub fn in_loss_recovery(&self) -> bool {
        self.after_timeout.is_some() || self.recovery.is_some()
    }

    /// Consecutive timeouts.
    pub fn timeouts(&self) -> u32 {
        self.timeouts
    }

    /// Adds a measured round trip [RFC6298 s2].
    pub fn add_round_trip(&mut self, round_trip: Span) {
        let sample = round_trip.as_nanos() as f64;
        self.least = self.least.min(sample);
        self.srtt = Some(match self.srtt {
            None => (sample, sample / 2.0),
            Some((srtt, variation)) => (0.875 * srtt + 0.125 * sample, 0.75 * variation + 0.25 * (srtt - sample).abs()),
        });
    }

    /// Processes the sending of new data. `idle` is true if nothing was in flight.
    pub fn on_new_data(&mut self, at: Time, idle: bool) {
        if idle {
            self.timer = at;
        }
    }

    /// Data is retransmitted.
    pub fn classify_retransmission(
        &mut self,
        at: Time,
        RetransmittedRange { first, last, max }: RetransmittedRange,
    ) -> RetransmissionCause {
        let waited = at.since(self.timer.min(at));
        let reacts = self.is_ack_clocked(at);
        let least = self.timeout().unwrap_or(COMMON_TIMER);
        let least = if self.exact { least } else { least.max(COMMON_TIMER) };
        // Without SACK only the timer retransmits the first segment while no acknowledgment arrives.
        let mean = self.smoothed_round_trip().filter(|_| !self.sack && self.exact);
        let lasts = |waited: Span| mean.map_or(waited.times(5) >= least.times(4), |mean| waited >= mean);
        let repeated = if first { self.repeated.replace(at) } else { self.repeated };
        // The third duplicate causes a retransmission at once; RACK waits for a reordering window of a round trip at most.
        let lasts_among_acks = || match repeated {
            Some(before) => self.duplicates != 3 && lasts(at.since(before.min(at))),
            None => {
                let mean = self.smoothed_round_trip().unwrap_or(COMMON_TIMER);
                self.duplicates > 3 && waited >= mean.times(2) && lasts(waited)
            }
        };
        let expired = first && if reacts { lasts_among_acks() } else { lasts(waited) };
        let probed = last
            && !self.in_loss_recovery()
            && self.smoothed_round_trip().is_some_and(|srtt| {
                let common =
                    srtt + COMMON_TIMER.max(Span::from_nanos(least.as_nanos() - srtt.as_nanos().min(least.as_nanos())));
                waited.times(5) < common.times(4)
            });
        // While earlier segments are outstanding, only a tail loss probe retransmits the last segment without an
        // acknowledgment.
        let probes = last && !first && !reacts && !self.in_loss_recovery();
        if expired && probed || probes {
            return RetransmissionCause { reason: Reason::Probe, begins: true };
        }
        if expired {
            self.timeouts += 1;
            self.timer = at;
            self.after_timeout = Some(max);
            self.recovery = None;
            self.duplicates = 0;
            return RetransmissionCause { reason: Reason::Timeout, begins: true };
        }
        // Without SACK, a recovery may end at the first acknowledgment of new data, and another one may begin.
        let is_renewed = first && !self.sack && self.duplicates >= 3;
        if self.after_timeout.is_some() && !is_renewed {
            return RetransmissionCause { reason: Reason::Timeout, begins: false };
        }
        let begins = is_renewed || self.recovery.is_none();
        // Two duplicates do not begin a recovery; a message of the network does.
        if begins && !self.sack && self.duplicates < 3 && self.exact {
            return RetransmissionCause { reason: Reason::Notice, begins };
        }
        // Data sent before a timeout is repaired after the timeout.
        if begins && self.after_timeout.is_none() {
            self.recovery = Some(max);
        }
        RetransmissionCause { reason: Reason::FastRetransmit, begins }
    }

    /// An acknowledgment arrived. Returns whether it ends a recovery.
    pub fn on_ack(&mut self, at: Time, ack: u64, advances: bool) -> bool {
        self.acked = Some(at);
        if !advances {
            self.duplicates += 1;
            return false;
        }
        (self.timer, self.duplicates, self.repeated, self.timeouts) = (at, 0, None, 0);
        let covered = |end: &mut u64| ack >= *end;
        let ended = self.recovery.take_if(covered).is_some();
        self.after_timeout.take_if(covered).is_some() || ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sender's own capture of a path with a round trip of 100 ms, which is measured at 100 ms.
    fn state_at_sender(sack: bool) -> RetransmissionState {
        let round_trip = Span::from_millis(100);
        let mut state = RetransmissionState { sack, ..RetransmissionState::at_sender(round_trip) };
        state.on_new_data(Time::ZERO, true);
        state.add_round_trip(round_trip);
        state.on_ack(Time::from_millis(100), 1000, true);
        state
    }

    fn repeat_first(state: &mut RetransmissionState, at: u64) -> (Reason, bool) {
        let range = RetransmittedRange { first: true, last: false, max: 20_000 };
        let cause = state.classify_retransmission(Time::from_millis(at), range);
        (cause.reason, cause.begins)
    }

    fn receive_duplicates(state: &mut RetransmissionState, times: [u64; 3]) {
        for at in times {
            state.on_ack(Time::from_millis(at), 1000, false);
        }
    }

    #[test]
    fn three_duplicates_begin_another_recovery_without_sack_alone() {
        for (sack, begins) in [(false, true), (true, false)] {
            let mut state = state_at_sender(sack);
            receive_duplicates(&mut state, [110, 120, 130]);
            assert_eq!(repeat_first(&mut state, 130), (Reason::FastRetransmit, true));
            // The acknowledgment covers a part of the data sent before the recovery.
            state.on_ack(Time::from_millis(230), 5000, true);
            receive_duplicates(&mut state, [240, 250, 260]);
            assert_eq!(repeat_first(&mut state, 260), (Reason::FastRetransmit, begins), "SACK: {sack}");
        }
    }

    #[test]
    fn retransmission_after_two_duplicates_is_a_notice_without_sack_alone() {
        for (sack, reason) in [(false, Reason::Notice), (true, Reason::FastRetransmit)] {
            let mut state = state_at_sender(sack);
            state.on_ack(Time::from_millis(110), 1000, false);
            state.on_ack(Time::from_millis(120), 1000, false);
            assert_eq!(repeat_first(&mut state, 121), (reason, true), "SACK: {sack}");
        }
    }

    /// Duplicates arrive until 1.129 s. The timer started at 100 ms; the segment was repeated at 130 ms.
    #[test]
    fn second_repetition_among_duplicates_is_a_timeout() {
        let mut state = state_at_sender(false);
        receive_duplicates(&mut state, [110, 120, 130]);
        assert_eq!(repeat_first(&mut state, 130), (Reason::FastRetransmit, true));
        receive_duplicates(&mut state, [1109, 1119, 1129]);
        assert_eq!(repeat_first(&mut state, 1130), (Reason::Timeout, true));
    }

    #[test]
    fn repetition_by_the_third_duplicate_after_a_timeout_is_a_fast_retransmit() {
        let mut state = state_at_sender(false);
        assert_eq!(repeat_first(&mut state, 1100), (Reason::Timeout, true));
        receive_duplicates(&mut state, [1300, 1310, 1320]);
        assert_eq!(repeat_first(&mut state, 1320), (Reason::FastRetransmit, true));
    }

    /// Duplicates have arrived since 110 ms, and nothing was repeated.
    #[test]
    fn first_repetition_among_many_duplicates_is_a_timeout_after_two_round_trips() {
        for (at, reason) in [(290, Reason::FastRetransmit), (500, Reason::Timeout)] {
            let mut state = state_at_sender(true);
            receive_duplicates(&mut state, [110, 120, 130]);
            receive_duplicates(&mut state, [at - 20, at - 10, at]);
            assert_eq!(repeat_first(&mut state, at), (reason, true), "{at} ms");
        }
    }

    /// The first sample of 100 ms gives SRTT 100 ms and RTTVAR 50 ms [RFC6298 s2.2].
    #[test]
    fn timeout_is_between_the_min_rtt_and_the_minimum_of_a_second() {
        let state = state_at_sender(false);
        let [low, value, high] = [100, 300, 1000].map(Span::from_millis);
        assert_eq!(state.infer_timeout(0), Evidence::Inferred { value, low, high, rule: Rule::Rfc6298 });
        let twice = |span: Span| span.times(2);
        let expected =
            Evidence::Inferred { value: twice(value), low: twice(low), high: twice(high), rule: Rule::Rfc6298 };
        assert_eq!(state.infer_timeout(1), expected);
        assert_eq!(state.longest_timeout(), Span::from_secs(1));
    }
}
