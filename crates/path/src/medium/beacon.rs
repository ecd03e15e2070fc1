//! Beacons: frames for all that hear them, without an answer [802.11-2007 s11.1.2.1].
//!
//! A base station has one to send at each target time, which chance spreads over the interval. It waits for its turn as
//! any frame, goes before data, is sent at a rate that all can receive, once, and is lost if it is damaged [802.11-2007
//! s9.7].

use engine::{Slot, Span, Stream, Time};

use super::Medium;
use super::phase::Phase;
use crate::context::{Cx, Observer};
use crate::event::AirFrame;
use crate::mac::dcf::frame::BEACON_SIZE;
use crate::mac::dcf::{Config, FrameKind};
use crate::numbers::Numbers;

/// The beacons of a station.
pub(super) struct Beacons {
    slot: Slot,
    interval: Span,
    /// The next target time.
    next: Time,
    /// The next one's number.
    number: u64,
}

impl Beacons {
    /// Those of a station that has a wake-up for them, in a medium that has an interval.
    pub fn new(config: &Config, slot: Option<Slot>, stream: &Stream) -> Option<Self> {
        let (slot, interval) = slot.zip(config.beacon_interval)?;
        let wait = stream.sub("beacons").draws().next_u64() % interval.as_nanos().max(1);
        Some(Beacons { slot, interval, next: Time::from_nanos(wait), number: 0 })
    }
}

impl Medium {
    /// Asks for the wake-ups of the first beacons. To be called once, before anything else.
    pub fn announce_first(&mut self, schedule: &mut engine::Schedule) {
        for beacons in self.stations.iter().filter_map(|station| station.beacons.as_ref()) {
            schedule.arm(beacons.slot, beacons.next);
        }
    }

    /// A target time: a station has a beacon to send, unless it still has the last one.
    pub fn on_beacon<O: Observer>(&mut self, number: u32, cx: &mut Cx<'_, O>) {
        let station = &mut self.stations[number as usize];
        let Some(beacons) = &mut station.beacons else { return };
        beacons.next += beacons.interval;
        cx.schedule.arm(beacons.slot, beacons.next);
        station.announces = true;
        if let Phase::Resting { .. } = station.phase {
            self.contend(number, cx);
        }
    }

    /// A station's turn has come, and it has a beacon.
    pub(super) fn announce<O: Observer>(&mut self, number: u32, cx: &mut Cx<'_, O>) {
        let station = &mut self.stations[number as usize];
        station.announces = false;
        let Some(beacons) = &mut station.beacons else { return };
        let place = beacons.number;
        beacons.number += 1;
        let rate = self.phy.answer_rate(0);
        let frame = AirFrame {
            kind: FrameKind::Beacon,
            start: cx.now,
            duration: self.phy.duration(rate, BEACON_SIZE),
            size: BEACON_SIZE,
            rate: self.phy.rate(rate),
            reserves: Span::ZERO,
            packets: Numbers::one(place),
            again: false,
            packet: None,
        };
        let until = self.launch_to_all(number, frame, cx);
        self.waits(number, Phase::Announcing, until, cx);
    }

    /// A beacon has ended. A broadcast is not acknowledged, so it counts as a success [802.11-2007 s9.2.4].
    pub(super) fn announced<O: Observer>(&mut self, number: u32, cx: &mut Cx<'_, O>) {
        let (flying, _) = self.landed(number, cx);
        self.is_over(&flying, cx);
        self.stations[number as usize].window = self.phy.cw_min;
        self.back_off(number, None, cx);
    }
}
