//! Measures the disconnection of a run: the three times of disconnections2012, and the packets given up.

use engine::Time;
use path::channel::ChannelState;
use path::{HopId, LinkDirection, LinkEvent, MediumEvent, Reception};
use sim::{Event, NodeEvent};

/// The mobile, which sends, is the link's first node; it is the first host and the link is the first link.
const MOBILE: u32 = 0;
const AIR: u32 = 0;
const UP: HopId = HopId { link: AIR, direction: LinkDirection::Forward };

/// The cause of the mobile's first transmission after the disconnection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// Its MAC is still retrying a packet from before the disconnection.
    Mac,
    /// An acknowledgment arrives.
    Acknowledgment,
    /// The retransmission timer expires for the first time.
    Timer,
    /// The retransmission timer expires with a doubled RTO: it had expired during the disconnection.
    LaterTimer,
}

/// Times in milliseconds; `None` for events that did not occur.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Times {
    /// From the last acknowledgment before the disconnection to its start.
    pub since_ack: Option<f64>,
    /// Packets in the mobile's MAC when the disconnection starts.
    pub queued: u64,
    /// T_CRD: from the start of the first attempt that fails in the disconnection until the mobile's MAC has no packet
    /// left, or an attempt succeeds.
    pub tries: Option<f64>,
    /// T_PAUSE: from the end of the disconnection until the mobile next starts a frame with data, and the cause of this
    /// transmission.
    pub pause: Option<(Cause, f64)>,
    /// T_RES: from when cwnd first falls below its value before the disconnection until it has this value again and no
    /// recovery, in which duplicate acknowledgments count, is in progress.
    pub restored: Option<f64>,
    /// Timeouts until cwnd is restored, or until the end of the run.
    pub timeouts: u32,
    /// Packets given up by the MACs of both ends of the radio link.
    pub given_up: u32,
}

impl Times {
    /// Measures a run with one disconnection.
    pub fn of(events: &[(Time, Event)]) -> Self {
        let mut observer = Observer::default();
        for (at, event) in events {
            observer.take(*at, event);
        }
        observer.times
    }
}

#[derive(Default)]
struct Observer {
    left: Option<Time>,
    returned: Option<Time>,
    times: Times,
    /// The number of packets in the mobile's MAC.
    waiting: u64,
    /// The start of the mobile's latest attempt.
    attempt: Time,
    tries_since: Option<Time>,
    acknowledged: Option<Time>,
    /// Whether the MAC held a packet at the end of the disconnection, and whether the timer has expired since.
    trying: bool,
    expired: bool,
    /// Whether the timer expired during the disconnection.
    expired_away: bool,
    /// cwnd before the disconnection.
    before: f64,
    cut: Option<Time>,
    recovering: bool,
}

fn ms(from: Time, to: Time) -> f64 {
    to.since(from).as_secs_f64() * 1e3
}

impl Observer {
    fn take(&mut self, at: Time, event: &Event) {
        match event {
            Event::Air { link: AIR, state: ChannelState::Bad } if self.left.is_none() => {
                self.left = Some(at);
                self.times.queued = self.waiting;
                self.times.since_ack = self.acknowledged.map(|last| ms(last, at));
            }
            Event::Air { link: AIR, state: ChannelState::Good } if self.left.is_some() => {
                self.trying |= self.returned.is_none() && self.waiting > 0;
                self.returned.get_or_insert(at);
            }
            Event::Node { node: MOBILE, event: NodeEvent::Sent { .. }, .. } => self.waiting += 1,
            Event::Link { hop: UP, event, .. } => self.link(at, event),
            Event::Link { event: LinkEvent::GivenUp { .. }, .. } => self.times.given_up += 1,
            Event::Medium {
                event:
                    MediumEvent::Ended {
                        to: MOBILE,
                        kind: path::mac::dcf::FrameKind::Ack,
                        reception: Reception::Received,
                        ..
                    },
                ..
            } => self.gone(at, true),
            Event::Sender { event, .. } => self.sender(at, event),
            _ => {}
        }
    }

    fn link(&mut self, at: Time, event: &LinkEvent) {
        match event {
            LinkEvent::FrameSent { .. } => {
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
            LinkEvent::FrameCorrupted { .. } if self.left.is_some() => {
                self.tries_since.get_or_insert(self.attempt);
            }
            LinkEvent::GivenUp { .. } => {
                self.times.given_up += 1;
                self.gone(at, false);
            }
            LinkEvent::QueueFull { .. } | LinkEvent::DroppedEarly { .. } => {
                self.waiting = self.waiting.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// A packet has left the MAC.
    fn gone(&mut self, at: Time, acknowledged: bool) {
        self.waiting = self.waiting.saturating_sub(1);
        // The last attempt at the last packet may have started before the end of the disconnection.
        self.trying &= self.waiting > 0 || self.times.pause.is_some();
        if let Some(since) = self.tries_since
            && (acknowledged || self.waiting == 0)
        {
            self.times.tries.get_or_insert(ms(since, at));
        }
    }

    fn sender(&mut self, at: Time, event: &tcp::Event) {
        match event {
            tcp::Event::AckReceived { .. } => self.acknowledged = Some(at),
            tcp::Event::FastRetransmit { .. } | tcp::Event::NotifiedRecovery { .. } => self.recovering = true,
            tcp::Event::RecoveryEnd => self.recovering = false,
            tcp::Event::Timeout { .. } => {
                self.recovering = false;
                self.expired |= self.returned.is_some();
                self.expired_away |= self.left.is_some() && self.returned.is_none();
                if self.left.is_some() && self.times.restored.is_none() {
                    self.times.timeouts += 1;
                }
            }
            tcp::Event::Window { cwnd, .. } if self.left.is_none() => self.before = *cwnd,
            // A sender that has reduced cwnd has a finite ssthresh; this event is the initial window of the other end.
            tcp::Event::Window { ssthresh, .. } if self.cut.is_some() && ssthresh.is_infinite() => {}
            tcp::Event::Window { cwnd, .. } => match self.cut {
                None => self.cut = (*cwnd < self.before).then_some(at),
                Some(cut) if *cwnd >= self.before && !self.recovering => {
                    self.times.restored.get_or_insert(ms(cut, at));
                }
                Some(_) => {}
            },
            _ => {}
        }
    }
}
