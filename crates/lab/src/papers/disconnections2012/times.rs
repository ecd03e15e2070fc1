//! The three times of disconnections2012, from what happens in a run with one disconnection.

use engine::Time;
use path::{HopId, LinkEvent, MediumEvent, Reception, Way};
use sim::{Event, NodeEvent};

/// The mobile, which sends, is the link's first node, and both are the first of their kind.
const MOBILE: u32 = 0;
const UP: HopId = HopId { link: 0, way: Way::Forward };

/// Milliseconds of each; nothing where it did not happen.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Times {
    /// T_CRD: from the beginning of the first attempt that fails in the disconnection until the MAC of the mobile has nothing left
    /// to try, or an attempt succeeds.
    pub tries: Option<f64>,
    /// T_PAUSE: from the end of the disconnection until the mobile next begins to send a frame with data.
    pub pause: Option<f64>,
    /// T_RES: from when cwnd first falls below what it was before the disconnection until it is there again and no recovery is going
    /// on, whose duplicates would count.
    pub restored: Option<f64>,
}

impl Times {
    /// Of a run whose disconnection lasts from the first time to the second.
    pub fn of(events: &[(Time, Event)], away: [Time; 2]) -> Self {
        let mut watch = Watch { away, ..Watch::default() };
        for (at, event) in events {
            watch.take(*at, event);
        }
        watch.times
    }
}

#[derive(Default)]
struct Watch {
    away: [Time; 2],
    times: Times,
    /// Packets that the mobile's MAC has.
    waiting: u64,
    /// When the last attempt of the mobile began.
    attempt: Time,
    tries_since: Option<Time>,
    /// cwnd before the disconnection.
    before: f64,
    cut: Option<Time>,
    recovering: bool,
}

fn ms(from: Time, to: Time) -> f64 {
    to.since(from).as_secs_f64() * 1e3
}

impl Watch {
    fn take(&mut self, at: Time, event: &Event) {
        match event {
            Event::Node { node: MOBILE, event: NodeEvent::Sent { .. } } => self.waiting += 1,
            Event::Link { hop: UP, event } => self.link(at, event),
            Event::Medium {
                event:
                    MediumEvent::Ended {
                        to: MOBILE,
                        kind: path::mac::dcf::FrameKind::Ack,
                        reception: Reception::Received,
                        ..
                    },
                ..
            } => self.left(at, true),
            Event::Sender { event, .. } => self.sender(at, event),
            _ => {}
        }
    }

    fn link(&mut self, at: Time, event: &LinkEvent) {
        match event {
            LinkEvent::FrameSent { .. } => {
                self.attempt = at;
                if at >= self.away[1] {
                    self.times.pause.get_or_insert(ms(self.away[1], at));
                }
            }
            LinkEvent::FrameCorrupted { .. } => {
                self.tries_since.get_or_insert(self.attempt);
            }
            LinkEvent::GivenUp { .. } => self.left(at, false),
            LinkEvent::QueueFull { .. } => self.waiting = self.waiting.saturating_sub(1),
            _ => {}
        }
    }

    /// A packet has left the MAC.
    fn left(&mut self, at: Time, acknowledged: bool) {
        self.waiting = self.waiting.saturating_sub(1);
        if let Some(since) = self.tries_since
            && (acknowledged || self.waiting == 0)
        {
            self.times.tries.get_or_insert(ms(since, at));
        }
    }

    fn sender(&mut self, at: Time, event: &tcp::Event) {
        match event {
            tcp::Event::FastRetransmit { .. } | tcp::Event::NotifiedRecovery { .. } => self.recovering = true,
            tcp::Event::RecoveryEnd | tcp::Event::Timeout { .. } => self.recovering = false,
            tcp::Event::Window { cwnd, .. } if at <= self.away[0] => self.before = *cwnd,
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
