//! Why the sender of a flow sends nothing while the slowest hop has nothing of it to transmit.

use std::collections::BTreeMap;

use tcp::{Blocked, Event, Reason, State};

use super::Cause;

/// Where a packet was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Loss {
    Air,
    Collision,
    Queue,
    Outage,
}

impl Loss {
    fn cause(self) -> Cause {
        match self {
            Loss::Air => Cause::AirLoss,
            Loss::Collision => Cause::Collision,
            Loss::Queue => Cause::QueueDrop,
            Loss::Outage => Cause::Outage,
        }
    }
}

/// The state of a sender as its events and the fates of its packets tell it.
#[derive(Default)]
pub(super) struct Sender {
    opening: bool,
    blocked: Option<Blocked>,
    slow_start: bool,
    una: u64,
    max: u64,
    /// Unacknowledged segments that were lost and that the receiver does not have, by their first byte.
    lost: BTreeMap<u64, Loss>,
    /// The last loss of an acknowledgment since new data was acknowledged.
    lost_ack: Option<Loss>,
    /// The end of the present recovery in the stream, and the loss that caused it, if there was one.
    recovery: Option<(u64, Option<Loss>)>,
    /// The size of a full segment.
    segment: u64,
    /// The receive window in the last acknowledgment that arrived.
    window: Option<u64>,
}

/// What a moment is to be charged to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Charge {
    To(Cause),
    /// To the application if it writes more, otherwise to the propagation of the last packets.
    Tail,
    /// To be decided by the exchanges of a medium.
    InMedium,
}

impl Sender {
    pub fn new(segment: u32) -> Self {
        Sender { segment: segment.into(), ..Sender::default() }
    }

    /// An acknowledgment with this receive window arrived from the network.
    pub fn acknowledged(&mut self, window: u64) {
        self.window = Some(window);
    }

    /// Whether a scheme closed the receive window: no acknowledgment of the receiver itself explains that the sender has
    /// to wait. The receivers of this simulator read at once, so they never close it.
    fn window_was_closed(&self) -> bool {
        self.window.is_some_and(|window| window == 0 || self.max - self.una + self.segment <= window)
    }

    /// Handles an event. Returns true if data was sent for the first time.
    pub fn on_event(&mut self, event: &Event) -> bool {
        match *event {
            Event::State { state } => {
                self.opening = matches!(state, State::Listen | State::SynSent | State::SynReceived);
            }
            Event::SegmentSent { seq, len, reason } => {
                self.max = self.max.max(seq + u64::from(len));
                return reason == Reason::New;
            }
            Event::Blocked { reason } => self.blocked = Some(reason),
            Event::AckReceived { ack, .. } if ack > self.una => {
                self.una = ack;
                self.lost = self.lost.split_off(&ack);
                self.lost_ack = None;
                self.recovery = self.recovery.filter(|(end, _)| ack < *end);
            }
            Event::Window { cwnd, ssthresh } => self.slow_start = cwnd < ssthresh,
            Event::FastRetransmit { seq } | Event::NotifiedRecovery { seq } | Event::Timeout { seq, .. } => {
                self.recovery = Some((self.max, self.lost.get(&seq).copied().or(self.lost_ack)));
            }
            Event::RecoveryEnd | Event::Undone => self.recovery = None,
            _ => {}
        }
        false
    }

    /// A segment was lost, or with `None` an acknowledgment.
    pub fn lost(&mut self, seq: Option<u64>, loss: Loss) {
        match seq {
            Some(seq) if seq >= self.una => {
                self.lost.insert(seq, loss);
            }
            Some(_) => {}
            None => self.lost_ack = Some(loss),
        }
    }

    pub fn is_opening(&self) -> bool {
        self.opening
    }

    pub fn charge(&self) -> Charge {
        if self.opening {
            return Charge::To(Cause::Handshake);
        }
        if let Some((_, loss)) = self.lost.first_key_value() {
            return Charge::To(loss.cause());
        }
        if let Some((_, loss)) = self.recovery {
            return Charge::To(loss.map_or(Cause::SpuriousRecovery, Loss::cause));
        }
        Charge::To(match self.blocked {
            Some(Blocked::Data) | None if self.una < self.max => return Charge::Tail,
            Some(Blocked::Data) | None => Cause::Application,
            Some(Blocked::PeerWindow) if self.window_was_closed() => Cause::Scheme,
            Some(Blocked::PeerWindow) => Cause::ReceiverWindow,
            Some(Blocked::Nagle) => Cause::Nagle,
            Some(Blocked::Cwnd) if self.slow_start => Cause::SlowStart,
            Some(Blocked::Cwnd) => Cause::CongestionAvoidance,
            Some(Blocked::Pacing) => Cause::Pacing,
        })
    }
}
