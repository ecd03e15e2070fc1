//! Measures the disconnection of a run: the three times of disconnections2012, and the packets given up.

use engine::Time;
use observe::observation::media::ObservedExchange;
use observe::observation::transmitters::{Before, OnHop};
use observe::observation::{Fact, FlowObservation, PathObservation, SenderFact, Subscriber};
use path::channel::ChannelState;
use path::{HopId, LinkDirection, LinkEvent, LinkId};
use sim::FlowId;

/// The radio link.
const AIR: LinkId = LinkId::new(0);
/// Hop from the mobile, the sender, which is the first node of the radio link.
const UP: HopId = AIR.hop(LinkDirection::Forward);

/// The cause of the mobile's first transmission after the disconnection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// The MAC of the mobile is still retrying a packet from before the disconnection.
    Mac,
    /// An acknowledgment arrives.
    Acknowledgment,
    /// The retransmission timer expires for the first time.
    Timer,
    /// The retransmission timer expires with a doubled RTO: an earlier expiry occurred during the disconnection.
    LaterTimer,
}

/// Times in milliseconds; `None` for events that did not occur.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Times {
    /// Time from the last acknowledgment before the disconnection to its start.
    pub since_ack: Option<f64>,
    /// T_CRD: from the start of the first attempt that fails in the disconnection until the mobile's MAC has no packet
    /// left, or an attempt succeeds.
    pub tries: Option<f64>,
    /// T_PAUSE: the time from the end of the disconnection until the mobile starts its next frame with data, and the
    /// cause of this transmission.
    pub pause: Option<(Cause, f64)>,
    /// T_RES: from when cwnd first falls below its value before the disconnection until it has this value again and no
    /// recovery, in which duplicate acknowledgments count, is in progress.
    pub restored: Option<f64>,
    /// Timeouts until cwnd is restored, or until the end of the run.
    pub timeouts: u32,
    /// Packets given up by the MACs of both ends of the radio link.
    pub given_up: u32,
}

/// Measures a run with one flow and one disconnection.
#[derive(Default)]
pub(super) struct DisconnectionMeter {
    left: Option<Time>,
    returned: Option<Time>,
    times: Times,
    /// The number of packets in the mobile's MAC.
    waiting: u64,
    /// The start of the mobile's latest attempt.
    attempt: Time,
    tries_since: Option<Time>,
    acknowledged: Option<Time>,
    /// Whether the MAC held a packet at the end of the disconnection.
    trying: bool,
    /// Whether the timer has expired since the end of the disconnection.
    expired: bool,
    /// Whether the timer expired during the disconnection.
    expired_away: bool,
    /// cwnd before the disconnection.
    before: f64,
    cut: Option<Time>,
}

fn ms(from: Time, to: Time) -> f64 {
    to.since(from).as_secs_f64() * 1e3
}

impl DisconnectionMeter {
    /// The times that were measured.
    pub fn times(self) -> Times {
        self.times
    }

    /// Handles the start of the transmission of a data frame by the mobile.
    fn on_frame_sent(&mut self, at: Time) {
        self.attempt = at;
        if let (Some(returned), None) = (self.returned, self.times.pause) {
            let cause = match (self.trying, self.expired) {
                (true, _) => Cause::Mac,
                (false, true) if self.expired_away => Cause::LaterTimer,
                (false, true) => Cause::Timer,
                (false, false) => Cause::Acknowledgment,
            };
            self.times.pause = Some((cause, ms(returned, at)));
        }
    }

    /// Handles the departure of a packet from the mobile's MAC.
    fn on_departure(&mut self, at: Time, acknowledged: bool) {
        self.waiting = self.waiting.saturating_sub(1);
        // The last attempt at the last packet may have started before the end of the disconnection.
        self.trying &= self.waiting > 0 || self.times.pause.is_some();
        if let Some(since) = self.tries_since
            && (acknowledged || self.waiting == 0)
        {
            self.times.tries.get_or_insert(ms(since, at));
        }
    }

    fn on_timeout(&mut self) {
        self.expired |= self.returned.is_some();
        self.expired_away |= self.left.is_some() && self.returned.is_none();
        if self.left.is_some() && self.times.restored.is_none() {
            self.times.timeouts += 1;
        }
    }

    /// cwnd has changed.
    fn on_window(&mut self, at: Time, flow: &FlowObservation) {
        let Some(cwnd) = flow.sender.cwnd.known() else { return };
        if self.left.is_none() {
            self.before = cwnd;
            return;
        }
        match self.cut {
            None => self.cut = (cwnd < self.before).then_some(at),
            Some(cut) if cwnd >= self.before && flow.sender.in_fast_recovery.known() == Some(false) => {
                self.times.restored.get_or_insert(ms(cut, at));
            }
            Some(_) => {}
        }
    }
}

impl Subscriber for DisconnectionMeter {
    fn on_channel(&mut self, at: Time, link: LinkId, path: &PathObservation) {
        if link != AIR {
            return;
        }
        match path.channel(link) {
            Some(ChannelState::Bad) if self.left.is_none() => {
                self.left = Some(at);
                self.times.since_ack = self.acknowledged.map(|last| ms(last, at));
            }
            Some(ChannelState::Good) if self.left.is_some() => {
                self.trying |= self.returned.is_none() && self.waiting > 0;
                self.returned.get_or_insert(at);
            }
            _ => {}
        }
    }

    fn on_hop(
        &mut self,
        on: &OnHop<'_>,
        event: &LinkEvent,
        _: FlowId,
        _: (&FlowObservation, &PathObservation),
        _: Before,
    ) {
        let is_up = on.number == UP.into();
        match event {
            LinkEvent::FrameSent { .. } if is_up => self.on_frame_sent(on.at),
            LinkEvent::FrameCorrupted { .. } if is_up && self.left.is_some() => {
                self.tries_since.get_or_insert(self.attempt);
            }
            LinkEvent::GivenUp { .. } => {
                self.times.given_up += 1;
                if is_up {
                    self.on_departure(on.at, false);
                }
            }
            LinkEvent::QueueFull { .. } | LinkEvent::DroppedEarly { .. } if is_up => {
                self.waiting = self.waiting.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn on_exchange(&mut self, exchange: &ObservedExchange, number: FlowId, _: &FlowObservation, _: &PathObservation) {
        let own = exchange.carried.iter().any(|carried| carried.flow == Some(number));
        if own && exchange.hop == Some(UP) && exchange.spoilt.is_none() {
            self.on_departure(exchange.silent, true);
        }
    }

    fn on_facts(&mut self, at: Time, _: FlowId, facts: &[Fact], flow: &FlowObservation, _: &PathObservation) {
        for fact in facts {
            match fact {
                Fact::Sent(_) => self.waiting += 1,
                Fact::Sender(SenderFact::Acked { .. }) => self.acknowledged = Some(at),
                Fact::Sender(SenderFact::TimerExpired { .. }) => self.on_timeout(),
                Fact::Sender(SenderFact::WindowChanged) => self.on_window(at, flow),
                _ => {}
            }
        }
    }
}
