//! The half of a connection that sends data.
//!
//! It keeps three offsets: `una` (first unacknowledged byte), `nxt` (next byte to send, which goes back after a
//! timeout) and `max` (first byte never sent), and one retransmission timer [RFC6298 s5].

mod rtt;

use std::collections::VecDeque;

use engine::{Span, Time};
use wire::NoticeKind;

use crate::cc::{Acked, Congestion, CongestionControl, Flight, Start};
use crate::config::Config;
use crate::event::{Event, Reason};
use crate::recovery::{Advance, Duplicate, LossRecovery, View};
use crate::response::NoticeResponse;
use rtt::RttEstimator;

/// What a sender counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Segments with data sent, resent ones included.
    pub segments_sent: u64,
    /// Segments sent again.
    pub segments_retransmitted: u64,
    /// Segments resent because of duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// ICMP-DEFER messages received about this connection.
    pub notices_defer: u64,
    /// ICMP-RETRANSMIT messages received about this connection.
    pub notices_retransmit: u64,
}

/// A piece of data to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub seq: u64,
    pub len: u32,
}

pub(crate) struct Sender {
    segment: u32,
    una: u64,
    nxt: u64,
    max: u64,
    /// End of what the application has handed over.
    offered: u64,
    peer_window: u64,
    /// First byte beyond both windows: what `poll` may send ends here. Kept, because it is asked for once a segment
    /// and changes once an acknowledgment.
    edge: u64,
    rtt: RttEstimator,
    /// The byte whose acknowledgment ends the measurement going on, and when it began. One segment at a time.
    timed: Option<(u64, Time)>,
    /// When the retransmission timer expires; NEVER while it does not run.
    deadline: Time,
    /// Expiries in a row, and those of them that were taken for congestion.
    consecutive_timeouts: u32,
    congestion_timeouts: u32,
    duplicates: u32,
    /// Segments to send again before anything else, whatever the window.
    resend: VecDeque<(u64, Reason)>,
    recovery: Box<dyn LossRecovery>,
    control: Box<dyn CongestionControl>,
    response: Box<dyn NoticeResponse>,
    counters: Counters,
    observed: bool,
    events: VecDeque<Event>,
    /// The window last told to the observer.
    told: (f64, f64, u64),
}

impl Sender {
    pub fn new(config: &Config, peer_window: u64) -> Self {
        let segment = f64::from(config.segment);
        let start = Start {
            segment,
            cwnd: segment * f64::from(config.initial_window.max(1)),
            ssthresh: config.initial_ssthresh.map_or(f64::INFINITY, |bytes| bytes.0 as f64),
            stream: config.stream,
        };
        let mut sender = Sender {
            segment: config.segment,
            una: 0,
            nxt: 0,
            max: 0,
            offered: 0,
            peer_window,
            edge: 0,
            rtt: RttEstimator::new(config.rto),
            timed: None,
            deadline: Time::NEVER,
            consecutive_timeouts: 0,
            congestion_timeouts: 0,
            duplicates: 0,
            resend: VecDeque::new(),
            recovery: config.recovery.build(),
            control: config.control.build(start),
            response: config.response.build(),
            counters: Counters::default(),
            observed: false,
            events: VecDeque::new(),
            told: (0.0, 0.0, 0),
        };
        sender.move_edge();
        sender
    }

    pub fn observe(&mut self) {
        self.observed = true;
        self.tell_window();
    }

    pub fn offer(&mut self, bytes: u64) {
        self.offered = self.offered.saturating_add(bytes);
    }

    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    pub fn una(&self) -> u64 {
        self.una
    }

    pub fn counters(&self) -> Counters {
        self.counters
    }

    pub fn deadline(&self) -> Time {
        self.deadline
    }

    pub fn pop_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Whether everything the application handed over has been acknowledged.
    pub fn done(&self) -> bool {
        self.una == self.offered
    }

    /// cwnd as it stands, with what recovery adds for now.
    pub fn effective_cwnd(&self) -> f64 {
        self.control.cwnd() + self.recovery.allowance()
    }

    pub fn ssthresh(&self) -> f64 {
        self.control.ssthresh()
    }

    pub fn srtt(&self) -> Span {
        self.rtt.srtt()
    }

    /// Takes an acknowledgment. `bare` if its segment carried no data, as a duplicate must [RFC5681 s2].
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: u64, window: u64, bare: bool) {
        if ack > self.max {
            // [RFC9293 s3.10.7.4]: something not yet sent cannot be acknowledged.
            return;
        }
        let same_window = window == self.peer_window;
        if ack >= self.una {
            self.peer_window = window;
        }
        if ack > self.una {
            self.say(|| Event::AckReceived { ack, duplicate: false });
            self.advance(now, ack);
        } else if ack == self.una && self.max > self.una && bare && same_window {
            self.say(|| Event::AckReceived { ack, duplicate: true });
            self.duplicate(now);
        }
        self.move_edge();
        self.tell_window();
    }

    #[inline]
    fn advance(&mut self, now: Time, ack: u64) {
        let bytes = ack - self.una;
        self.una = ack;
        // After going back, an acknowledgment may pass what has been sent again.
        self.nxt = self.nxt.max(ack);
        if let Some((end, began)) = self.timed
            && ack >= end
        {
            self.timed = None;
            let rtt = now.since(began);
            self.rtt.sample(rtt);
            let (srtt, rto) = (self.rtt.srtt(), self.rtt.rto());
            self.say(|| Event::RttSample { rtt, srtt, rto });
        }
        self.duplicates = 0;
        self.consecutive_timeouts = 0;
        self.congestion_timeouts = 0;
        self.rtt.on_advance();
        self.response.on_advance(ack);
        if !self.resend.is_empty() {
            self.resend.retain(|(seq, _)| *seq >= ack);
        }
        match self.recovery.on_advance(&self.view()) {
            Advance::Recovered => self.say(|| Event::RecoveryEnd),
            Advance::Ordinary => {
                // What the receiver does not take is no evidence of room in the network.
                if self.control.cwnd() < self.peer_window as f64 {
                    let (una, nxt, srtt) = (self.una, self.max, self.rtt.srtt());
                    self.control.on_ack(&Acked { now, bytes, una, nxt, rtt: None, srtt });
                }
            }
        }
        // [RFC6298 s5.2, s5.3]
        self.deadline = if self.una == self.max { Time::NEVER } else { now + self.rtt.rto() };
    }

    fn duplicate(&mut self, now: Time) {
        self.duplicates += 1;
        let notified = if self.recovery.recovering() { None } else { self.response.on_duplicate(self.una) };
        let flight = self.flight(now);
        let Duplicate::Lost { resend } = self.recovery.on_duplicate(self.duplicates, notified, &self.view()) else {
            return;
        };
        let una = self.una;
        self.response.on_recovery(una);
        if notified.is_some() {
            self.control.on_congestion(Congestion::Notified, &flight);
            self.say(|| Event::NotifiedRecovery { seq: una });
        } else {
            self.control.on_congestion(Congestion::FastRetransmit, &flight);
        }
        if resend {
            self.counters.fast_retransmits += 1;
            self.say(|| Event::FastRetransmit { seq: una });
            self.resend.push_back((una, Reason::FastRetransmit));
        }
    }

    /// A message about the segment that begins at `seq`.
    pub fn on_notice(&mut self, now: Time, kind: NoticeKind, seq: u64) {
        match kind {
            NoticeKind::Defer => self.counters.notices_defer += 1,
            NoticeKind::Retransmit => self.counters.notices_retransmit += 1,
        }
        self.say(|| Event::NoticeReceived { kind, seq });
        if seq < self.una || seq >= self.max {
            return;
        }
        let reaction = self.response.on_notice(kind, seq);
        // The timer runs for the first unacknowledged segment.
        if reaction.postpone && seq == self.una && self.deadline != Time::NEVER {
            self.deadline = now + self.rtt.rto();
        }
        if reaction.resend {
            self.resend.push_back((seq, Reason::Notice));
        }
        self.move_edge();
        self.tell_window();
    }

    /// The retransmission timer has expired [RFC6298 s5.4 to s5.6].
    pub fn on_timeout(&mut self, now: Time) {
        if now < self.deadline {
            return;
        }
        self.counters.timeouts += 1;
        self.consecutive_timeouts += 1;
        self.rtt.back_off();
        let (una, nth, rto) = (self.una, self.consecutive_timeouts, self.rtt.rto());
        self.deadline = now + rto;
        self.say(|| Event::Timeout { seq: una, nth, rto });
        let flight = self.flight(now);
        self.recovery.on_timeout();
        self.duplicates = 0;
        self.resend.clear();
        if self.response.on_timeout(una) {
            self.control.on_congestion(Congestion::Notified, &flight);
            self.resend.push_back((una, Reason::Timeout));
        } else {
            self.congestion_timeouts += 1;
            self.control.on_congestion(Congestion::Timeout { nth: self.congestion_timeouts }, &flight);
            self.nxt = una;
        }
        self.move_edge();
        self.tell_window();
    }

    /// The next piece of data to send, if any may go now.
    #[inline]
    pub fn poll(&mut self, now: Time) -> Option<Piece> {
        if let Some((seq, reason)) = self.resend.pop_front() {
            let len = u64::from(self.segment).min(self.max - seq) as u32;
            return Some(self.sent(now, Piece { seq, len }, reason));
        }
        let len = u64::from(self.segment).min(self.offered - self.nxt);
        if len == 0 || self.nxt + len > self.edge {
            return None;
        }
        let reason = if self.nxt < self.max { Reason::Timeout } else { Reason::New };
        let piece = Piece { seq: self.nxt, len: len as u32 };
        self.nxt += len;
        Some(self.sent(now, piece, reason))
    }

    #[inline]
    fn sent(&mut self, now: Time, piece: Piece, reason: Reason) -> Piece {
        let end = piece.seq + u64::from(piece.len);
        self.counters.segments_sent += 1;
        // A segment that begins with bytes sent before may end with new ones.
        self.max = self.max.max(end);
        if reason == Reason::New {
            if self.timed.is_none() {
                self.timed = Some((end, now));
            }
        } else {
            self.counters.segments_retransmitted += 1;
            self.response.on_resent(piece.seq);
            // Karn: a segment sent twice is not timed [RFC6298 s3]. Nor is one behind it, as in 4.3BSD [WS96]:
            // its acknowledgment waits for the hole to be filled, so the time it takes is not the path's.
            self.timed = None;
        }
        // [RFC6298 s5.1]
        if self.deadline == Time::NEVER {
            self.deadline = now + self.rtt.rto();
        }
        self.say(|| Event::SegmentSent { seq: piece.seq, len: piece.len, reason });
        self.tell_window();
        piece
    }

    /// Notes how far the least of both windows reaches. To be called whenever either, or `una`, may have changed.
    #[inline]
    fn move_edge(&mut self) {
        let window = (self.effective_cwnd().max(0.0) as u64).min(self.peer_window);
        self.edge = self.una + window;
    }

    fn view(&self) -> View {
        View {
            una: self.una,
            segment: f64::from(self.segment),
            cwnd: self.control.cwnd(),
            ssthresh: self.control.ssthresh(),
        }
    }

    fn flight(&self, now: Time) -> Flight {
        let window = self.effective_cwnd().min(self.peer_window as f64);
        Flight { now, bytes: (self.nxt - self.una) as f64, window }
    }

    #[inline]
    fn say(&mut self, event: impl FnOnce() -> Event) {
        if self.observed {
            self.events.push_back(event());
        }
    }

    /// Tells the observer what has changed in the window and in flight.
    #[inline]
    fn tell_window(&mut self) {
        if self.observed {
            let (cwnd, ssthresh, bytes) = (self.effective_cwnd(), self.ssthresh(), self.max - self.una);
            if (cwnd, ssthresh) != (self.told.0, self.told.1) {
                self.events.push_back(Event::Window { cwnd, ssthresh });
            }
            if bytes != self.told.2 {
                self.events.push_back(Event::Flight { bytes });
            }
            self.told = (cwnd, ssthresh, bytes);
        }
    }
}
