//! Physical and virtual carrier sense of a station: when the medium is busy, how long it is reserved, and when slots
//! count [802.11-2007 s9.2.5.2, s9.2.5.4]. The implementation is independent of the one in `path`, so that each of them
//! tests the other.

use engine::{Span, Time};
use path::MediumStationId;

/// Idle times before slots count, which are DIFS after a frame that could be read, and EIFS after any other frame.
#[derive(Clone, Copy)]
pub(super) struct IdleTimes {
    pub difs: Span,
    pub eifs: Span,
}

/// The time that a frame reserves after its end: the network allocation vector (NAV).
#[derive(Clone, Copy)]
pub(super) struct NavReservation {
    pub until: Time,
    /// The sender and the receiver of the frame.
    pub between: [MediumStationId; 2],
}

/// The start of a frame at a station.
#[derive(Clone, Copy)]
pub(super) struct FrameStart {
    pub at: Time,
    /// True if the station can read the frame.
    pub is_readable: bool,
    /// True for a response, which follows its request without an idle time.
    pub is_response: bool,
}

/// Carrier sense of one station, or of all stations as long as all of them read each other.
#[derive(Clone)]
pub(super) struct CarrierSense {
    /// Number of detected frames in transmission.
    detected: u32,
    /// True if only one frame was detected since the medium was last idle, and that frame is readable.
    clear: bool,
    busy_since: Time,
    idle_since: Time,
    reserved: Vec<NavReservation>,
}

impl CarrierSense {
    /// Returns a carrier sense that has detected no frame yet.
    pub fn new() -> Self {
        let (busy_since, idle_since) = (Time::ZERO, Time::ZERO);
        CarrierSense { detected: 0, clear: true, busy_since, idle_since, reserved: Vec::new() }
    }

    pub fn is_idle(&self) -> bool {
        self.detected == 0
    }

    /// Start of the current busy time, or of the last one if the medium is idle.
    pub fn busy_since(&self) -> Time {
        self.busy_since
    }

    /// Start of the current idle time, or of the last one if the medium is busy.
    pub fn idle_since(&self) -> Time {
        self.idle_since
    }

    /// Records the start of a frame.
    pub fn begin_frame(&mut self, frame: FrameStart) {
        self.clear = frame.is_readable && self.detected == 0;
        if self.detected == 0 && !frame.is_response {
            self.busy_since = frame.at;
        }
        self.detected += 1;
    }

    /// Records the end of a frame. Only a frame that could be read reserves the medium.
    pub fn end_frame(&mut self, now: Time, reservation: NavReservation) {
        self.detected = self.detected.saturating_sub(1);
        if self.detected > 0 {
            return;
        }
        self.idle_since = now;
        self.reserved.retain(|reservation| reservation.until > now);
        if self.clear && reservation.until > now {
            self.reserved.push(reservation);
        }
    }

    /// Returns the time at which a station begins to count slots if the medium stays idle; `unread` is true if this
    /// station alone could not read the last frame.
    pub fn find_count_start(&self, station: MediumStationId, unread: bool, spaces: IdleTimes) -> Time {
        let idle_time = if self.clear && !unread { spaces.difs } else { spaces.eifs };
        self.find_count_start_after(station, idle_time, spaces)
    }

    /// Returns the time at which a station begins to count slots after an idle time of `silence` and the reservations
    /// of other stations.
    pub fn find_count_start_after(&self, station: MediumStationId, idle_time: Span, spaces: IdleTimes) -> Time {
        let others = self.reserved.iter().filter(|reservation| !reservation.between.contains(&station));
        let reserved = others.map(|reservation| reservation.until).max();
        (self.idle_since + idle_time).max(reserved.map_or(Time::ZERO, |until| until + spaces.difs))
    }
}
