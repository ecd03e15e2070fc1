//! What the sender of a flow knows, as its events tell it.

use std::collections::VecDeque;

use engine::{Span, Time};
use tcp::{Blocked, Event, Reason, State};

/// The state of a sender.
#[derive(Clone, Debug, Default)]
pub struct SenderState {
    /// First unacknowledged byte. The number of a FIN is not one.
    pub una: u64,
    /// First byte never sent.
    pub max: u64,
    /// cwnd, including the inflation during recovery.
    pub cwnd: f64,
    /// Slow start threshold in bytes.
    pub ssthresh: f64,
    /// When it last sent or received something; expiries of its timer do not count.
    pub acted: Time,
    /// Why it last sent nothing.
    pub blocked: Option<Blocked>,
    /// Whether the connection is being opened.
    pub opening: bool,
    /// The least round trip.
    pub least_rtt: Option<Span>,
    /// The receive window in the last acknowledgment that arrived.
    pub peer_window: Option<u64>,
    /// The first transmission time of each outstanding segment, oldest first.
    first_sent: VecDeque<(u64, Time)>,
    /// The reason for the last transmission, with its first byte.
    reason: Option<(u64, Reason)>,
}

impl SenderState {
    /// The state of a flow that starts at `start`.
    pub fn new(start: Time) -> Self {
        SenderState { acted: start, ..SenderState::default() }
    }

    /// Whether it is in slow start.
    pub fn is_in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// The reason for the last transmission of the segment that begins at `seq`.
    pub fn reason_for(&self, seq: u64) -> Reason {
        self.reason.filter(|(last, _)| *last == seq).map_or(Reason::New, |(_, reason)| reason)
    }

    /// When the first outstanding segment was first sent.
    pub fn oldest_sent(&self) -> Option<Time> {
        self.first_sent.front().map(|(_, at)| *at)
    }

    /// Handles an event of the sender. Returns the number of bytes that are acknowledged for the first time.
    pub fn apply(&mut self, at: Time, event: &Event) -> u64 {
        match *event {
            Event::State { state } => {
                self.opening = matches!(state, State::Listen | State::SynSent | State::SynReceived);
            }
            Event::SegmentSent { seq, len, reason } => {
                self.reason = Some((seq, reason));
                self.acted = at;
                let end = seq + u64::from(len);
                if end > self.max {
                    self.first_sent.push_back((self.max, at));
                    self.max = end;
                }
            }
            Event::AckReceived { ack, .. } => {
                self.acted = at;
                return self.acknowledge(ack);
            }
            Event::NoticeReceived { .. } => self.acted = at,
            Event::Blocked { reason } => self.blocked = Some(reason),
            Event::Window { cwnd, ssthresh } => (self.cwnd, self.ssthresh) = (cwnd, ssthresh),
            Event::RttSample { rtt, .. } => {
                self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
            }
            _ => {}
        }
        0
    }

    fn acknowledge(&mut self, ack: u64) -> u64 {
        let news = ack.min(self.max).saturating_sub(self.una);
        self.una += news;
        // A segment counts until its last byte is acknowledged.
        while self.first_sent.get(1).map_or(self.max, |(seq, _)| *seq) <= self.una
            && self.first_sent.pop_front().is_some()
        {}
        news
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
        let news = events.map(|event| sender.apply(Time::ZERO, &event));
        assert_eq!((news, sender.una, sender.oldest_sent()), ([0, 0, 1000, 0, 1000], 2000, None));
    }
}
