//! The state of a flow's sender, derived from its events.

use std::collections::VecDeque;

use engine::{Span, Time};
use tcp::{Blocked, Event, Reason, State};

use crate::captured::CapturedFact;
use crate::evidence::{Evidence, Rule, Unseen};

/// An event's effect on the unacknowledged data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Acknowledged {
    /// The bytes that are acknowledged for the first time.
    pub bytes: u64,
    /// The round trip that a capture at the sender shows. It is that of the last covered segment, if that segment was
    /// sent once and nothing before it was missing.
    pub round_trip: Option<Span>,
}

/// A segment that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct OutstandingSegment {
    /// The byte after the segment's last one.
    end: u64,
    /// When it was first sent.
    sent: Time,
    /// Whether the segment was retransmitted.
    retransmitted: bool,
}

/// The state of a sender.
#[derive(Clone, Debug)]
pub struct SenderState {
    /// First unacknowledged byte. The sequence number of a FIN does not count as a byte.
    pub una: u64,
    /// First byte never sent.
    pub max: u64,
    /// cwnd, including the inflation during recovery.
    pub cwnd: Evidence<f64>,
    /// Slow start threshold in bytes; infinite before the first loss.
    pub ssthresh: Evidence<f64>,
    /// Time at which the sender last sent or received something; expiries of its timer do not count.
    pub acted: Time,
    /// The reason why the sender last sent nothing.
    pub blocked: Evidence<Blocked>,
    /// Whether the connection is being opened.
    pub opening: bool,
    /// Whether the sender is in a recovery that duplicate acknowledgments began.
    pub in_fast_recovery: Evidence<bool>,
    /// The first byte never sent when that recovery began: it ends when all before is acknowledged. Tahoe has no event for
    /// that.
    recovery_end: u64,
    /// The min RTT measured so far.
    pub least_rtt: Evidence<Span>,
    /// The retransmission timeout after the last round trip or expiry.
    pub rto: Evidence<Span>,
    /// The receive window in the last acknowledgment that arrived. Before the first one this is the window of the
    /// connection.
    pub receive_window: Evidence<u64>,
    /// The outstanding segments, oldest first. A segment counts until its last byte is acknowledged.
    outstanding: VecDeque<OutstandingSegment>,
    /// Number of duplicate acknowledgments since the last acknowledgment of another kind.
    duplicates: u64,
    /// The reason for the last transmission, with its first byte.
    reason: Option<(u64, Reason)>,
}

impl Default for SenderState {
    fn default() -> Self {
        SenderState::new(Time::ZERO)
    }
}

impl SenderState {
    /// The state of a flow that starts at `start`.
    pub fn new(start: Time) -> Self {
        SenderState {
            una: 0,
            max: 0,
            cwnd: Evidence::Unknown(Unseen::NotYet),
            ssthresh: Evidence::Unknown(Unseen::NotYet),
            acted: start,
            blocked: Evidence::Unknown(Unseen::NotYet),
            opening: false,
            in_fast_recovery: Evidence::Known(false),
            recovery_end: 0,
            least_rtt: Evidence::Unknown(Unseen::NotYet),
            rto: Evidence::Unknown(Unseen::NotYet),
            receive_window: Evidence::Unknown(Unseen::NotYet),
            outstanding: VecDeque::new(),
            duplicates: 0,
            reason: None,
        }
    }

    /// The state of a captured flow, whose recoveries the capture does not show if it begins in one.
    pub(crate) fn of_capture(start: Time) -> Self {
        SenderState { in_fast_recovery: Evidence::infer(false, Rule::RetransmissionCause), ..SenderState::new(start) }
    }

    /// Returns the state with the receive window of the connection.
    #[must_use]
    pub fn with_receive_window(self, receive_window: Evidence<u64>) -> Self {
        SenderState { receive_window, ..self }
    }

    /// Whether the sender is in slow start.
    pub fn is_in_slow_start(&self) -> bool {
        self.cwnd.value().zip(self.ssthresh.value()).is_some_and(|(cwnd, ssthresh)| cwnd < ssthresh)
    }

    /// The reason for the last transmission of the segment that begins at `seq`.
    pub fn reason_for(&self, seq: u64) -> Reason {
        self.reason.filter(|(last, _)| *last == seq).map_or(Reason::New, |(_, reason)| reason)
    }

    /// Returns the time at which the first outstanding segment was first sent.
    pub fn oldest_sent(&self) -> Option<Time> {
        self.outstanding.front().map(|segment| segment.sent)
    }

    /// Handles an event of the sender. Returns its acknowledgment.
    pub fn apply(&mut self, at: Time, event: &Event) -> Acknowledged {
        match *event {
            Event::State { state } => {
                self.opening = matches!(state, State::Listen | State::SynSent | State::SynReceived);
            }
            Event::SegmentSent { seq, len, reason } => {
                self.reason = Some((seq, reason));
                self.acted = at;
                self.send(at, seq, seq + u64::from(len));
            }
            Event::AckReceived { ack, duplicate } => {
                self.acted = at;
                return self.acknowledge(at, ack, duplicate);
            }
            Event::NoticeReceived { .. } => self.acted = at,
            Event::Blocked { reason } => self.blocked = Evidence::Known(reason),
            Event::Window { cwnd, ssthresh } => {
                (self.cwnd, self.ssthresh) = (Evidence::Known(cwnd), Evidence::Known(ssthresh));
            }
            Event::RttSample { rtt, rto, .. } => {
                let least = self.least_rtt.known().map_or(rtt, |least| least.min(rtt));
                (self.least_rtt, self.rto) = (Evidence::Known(least), Evidence::Known(rto));
            }
            Event::Timeout { rto, .. } => {
                (self.in_fast_recovery, self.rto) = (Evidence::Known(false), Evidence::Known(rto));
            }
            Event::FastRetransmit { .. } | Event::NotifiedRecovery { .. } => {
                (self.in_fast_recovery, self.recovery_end) = (Evidence::Known(true), self.max);
            }
            Event::RecoveryEnd | Event::Undone => self.in_fast_recovery = Evidence::Known(false),
            _ => {}
        }
        Acknowledged::default()
    }

    /// Handles a fact of a capture. Returns its acknowledgment.
    pub fn apply_captured(&mut self, at: Time, fact: &CapturedFact) -> Acknowledged {
        match *fact {
            CapturedFact::HandshakeBegan => self.opening = true,
            CapturedFact::HandshakeEnded => self.opening = false,
            CapturedFact::Sent(sent) => {
                self.reason = sent.reason.value().map(|reason| (sent.seq, reason));
                self.acted = at;
                self.send(at, sent.seq, sent.seq + u64::from(sent.len));
            }
            CapturedFact::Acked { ack, duplicate } => {
                self.acted = at;
                return self.acknowledge(at, ack, duplicate);
            }
            CapturedFact::Blocked(reason) => self.blocked = reason,
            CapturedFact::Window { cwnd, ssthresh } => (self.cwnd, self.ssthresh) = (cwnd, ssthresh),
            // The sender may measure fewer round trips, with the same mean.
            CapturedFact::RoundTrip { rtt, smoothed, timeout, .. } => {
                let (least, most) = self.least_rtt.bounds().unwrap_or((rtt, smoothed));
                let (value, high) = (least.min(rtt), most.min(smoothed).max(least.min(rtt)));
                self.least_rtt = Evidence::Inferred { value, low: value, high, rule: Rule::LeastRoundTrip };
                self.rto = timeout;
            }
            CapturedFact::TimerExpired { cause, next, .. } => {
                (self.in_fast_recovery, self.rto) = (cause.map(|_| false), next);
            }
            // Tahoe has no fast recovery [RFC2001].
            CapturedFact::FastRetransmit { cause, .. } => {
                self.in_fast_recovery = match cause {
                    Evidence::Unknown(unseen) => Evidence::Unknown(unseen),
                    Evidence::Known(_) | Evidence::Inferred { .. } => {
                        let rule = Rule::RetransmissionCause;
                        Evidence::Inferred { value: true, low: false, high: true, rule }
                    }
                };
            }
            CapturedFact::RecoveryEnd => {
                self.in_fast_recovery = Evidence::infer(false, Rule::RetransmissionCause);
            }
            _ => {}
        }
        Acknowledged::default()
    }

    fn send(&mut self, at: Time, seq: u64, end: u64) {
        if end > self.max {
            self.outstanding.push_back(OutstandingSegment { end, sent: at, retransmitted: false });
            self.max = end;
            return;
        }
        let index = self.outstanding.partition_point(|segment| segment.end <= seq);
        if let Some(segment) = self.outstanding.get_mut(index) {
            segment.retransmitted = true;
        }
    }

    fn acknowledge(&mut self, at: Time, ack: u64, duplicate: bool) -> Acknowledged {
        if duplicate {
            self.duplicates += 1;
        }
        let in_order = self.duplicates == 0 && self.outstanding.front().is_some_and(|first| !first.retransmitted);
        self.duplicates = if duplicate { self.duplicates } else { 0 };
        let bytes = ack.min(self.max).saturating_sub(self.una);
        self.una += bytes;
        if self.una >= self.recovery_end && self.in_fast_recovery == Evidence::Known(true) {
            self.in_fast_recovery = Evidence::Known(false);
        }
        let mut last = None;
        while let Some(segment) = self.outstanding.front().filter(|segment| segment.end <= self.una) {
            last = Some(*segment);
            self.outstanding.pop_front();
        }
        let measured = last.filter(|last| in_order && last.end == ack && !last.retransmitted);
        Acknowledged { bytes, round_trip: measured.map(|last| at.since(last.sent)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledgment_of_a_fin_adds_no_byte() {
        let mut sender = SenderState::new(Time::ZERO);
        let sent = |seq| Event::SegmentSent { seq, len: 1000, reason: Reason::New };
        let acked = |ack| Event::AckReceived { ack, duplicate: false };
        let events = [sent(0), sent(1000), acked(1000), acked(1000), acked(2001)];
        let news = events.map(|event| sender.apply(Time::ZERO, &event).bytes);
        assert_eq!((news, sender.una, sender.oldest_sent()), ([0, 0, 1000, 0, 1000], 2000, None));
    }

    #[test]
    fn recovery_without_an_end_event_ends_when_all_data_sent_before_it_is_acknowledged() {
        let mut sender = SenderState::new(Time::ZERO);
        for seq in [0, 1000, 2000] {
            sender.apply(Time::ZERO, &Event::SegmentSent { seq, len: 1000, reason: Reason::New });
        }
        sender.apply(Time::ZERO, &Event::FastRetransmit { seq: 0 });
        let states = [2000, 3000].map(|ack| {
            sender.apply(Time::ZERO, &Event::AckReceived { ack, duplicate: false });
            sender.in_fast_recovery
        });
        assert_eq!(states, [Evidence::Known(true), Evidence::Known(false)]);
    }

    /// Segments of 1000 bytes, sent at 0, 1, 2 and 3 ms. An acknowledgment of two at 20 ms measures the second; after a
    /// duplicate, or of a segment that was retransmitted, none does.
    #[test]
    fn round_trip_is_measured_by_the_last_segment_sent_once_and_acknowledged_in_order() {
        let mut sender = SenderState::new(Time::ZERO);
        let ms = Time::from_millis;
        for number in 0..4 {
            sender.apply(ms(number), &Event::SegmentSent { seq: 1000 * number, len: 1000, reason: Reason::New });
        }
        let mut acked = |at, ack, duplicate| sender.apply(ms(at), &Event::AckReceived { ack, duplicate }).round_trip;
        assert_eq!(acked(20, 2000, false), Some(Span::from_millis(19)));
        assert_eq!([acked(22, 2000, true), acked(23, 3000, false)], [None, None]);
        sender.apply(ms(24), &Event::SegmentSent { seq: 3000, len: 1000, reason: Reason::Timeout });
        let acked = sender.apply(ms(40), &Event::AckReceived { ack: 4000, duplicate: false });
        assert_eq!(acked, Acknowledged { bytes: 1000, round_trip: None });
    }
}
