//! Beacons: periodic broadcast frames without acknowledgment [802.11-2007 s11.1.2.1].
//!
//! A base station queues a beacon at each target time; the first target time is random within the interval. The beacon
//! contends for the medium as any frame, precedes data, and is sent once at a basic rate; a damaged beacon is lost
//! [802.11-2007 s9.7].

use engine::{Slot, Span, Stream, Time};

use super::Medium;
use super::phase::MediumPhase;
use crate::context::{Cx, Observer};
use crate::event::AirFrame;
use crate::ids::MediumStationId;
use crate::mac::dcf::frame::BEACON_SIZE;
use crate::mac::dcf::{Config, FrameKind};
use crate::numbers::SeqBitmap;

/// State of a station's beacons.
pub(super) struct Beacons {
    slot: Slot,
    interval: Span,
    /// Next target time.
    next: Time,
    /// Number of the next beacon.
    number: u64,
}

impl Beacons {
    /// Returns the beacons of a station with a wake-up slot for them, in a medium with a beacon interval; `None`
    /// otherwise.
    pub fn new(config: &Config, slot: Option<Slot>, stream: &Stream) -> Option<Self> {
        let (slot, interval) = slot.zip(config.beacon_interval)?;
        let wait = stream.sub("beacons").draws().next_u64() % interval.as_nanos().max(1);
        Some(Beacons { slot, interval, next: Time::from_nanos(wait), number: 0 })
    }
}

impl Medium {
    /// Schedules the first beacons. Must be called once, before any other method.
    pub fn announce_first(&mut self, schedule: &mut engine::Schedule) {
        for beacons in self.stations.iter().filter_map(|station| station.beacons.as_ref()) {
            schedule.arm(beacons.slot, beacons.next);
        }
    }

    /// Handles the target time of a beacon: the station queues a beacon, unless the previous one is still queued.
    pub fn on_beacon<O: Observer>(&mut self, number: MediumStationId, cx: &mut Cx<'_, O>) {
        let station = &mut self.stations[number];
        let Some(beacons) = &mut station.beacons else { return };
        beacons.next += beacons.interval;
        cx.schedule.arm(beacons.slot, beacons.next);
        station.announces = true;
        if let MediumPhase::Resting { .. } = station.phase {
            self.contend(number, cx);
        }
    }

    /// Transmits the queued beacon of a station whose turn has come.
    pub(super) fn send_beacon<O: Observer>(&mut self, number: MediumStationId, cx: &mut Cx<'_, O>) {
        let station = &mut self.stations[number];
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
            packets: SeqBitmap::single(place),
            again: false,
        };
        let until = self.launch_to_all(number, frame, cx);
        self.wait_until(number, MediumPhase::Announcing, until, cx);
    }

    /// Handles the end of a beacon. A broadcast is not acknowledged and counts as a success [802.11-2007 s9.2.4].
    pub(super) fn on_beacon_end<O: Observer>(&mut self, number: MediumStationId, cx: &mut Cx<'_, O>) {
        let (flying, _) = self.land_frame(number, cx);
        self.end_sensing(&flying, cx);
        self.stations[number].window = self.phy.cw_min;
        self.back_off(number, None, cx);
    }
}
