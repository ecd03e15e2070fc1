//! What a station hears: when the air is busy to it, for how long others have reserved it, and from when on it counts slots
//! [802.11-2007 s9.2.5.2, s9.2.5.4]: physical and virtual carrier sense. It repeats what the medium does and shares nothing with
//! it, so that each tests the other.

use engine::{Span, Time};

/// How long the air must be silent: behind a frame that could be read, and behind anything else.
#[derive(Clone, Copy)]
pub(super) struct Spaces {
    pub difs: Span,
    pub eifs: Span,
}

/// What a frame reserves behind its end: the network allocation vector (NAV).
#[derive(Clone, Copy)]
pub(super) struct Reservation {
    pub until: Time,
    /// The stations of its exchange.
    pub between: [u32; 2],
}

/// What a station hears, or all of them where they hear the same.
#[derive(Clone)]
pub(super) struct CarrierSense {
    /// Frames in the air that are heard here.
    heard: u32,
    /// Whether only one has been heard since the air was last silent, and it can be read.
    clear: bool,
    busy_since: Time,
    silent_since: Time,
    reserved: Vec<Reservation>,
}

impl CarrierSense {
    /// One that has heard nothing yet.
    pub fn new() -> Self {
        let (busy_since, silent_since) = (Time::ZERO, Time::ZERO);
        CarrierSense { heard: 0, clear: true, busy_since, silent_since, reserved: Vec::new() }
    }

    pub fn is_silent(&self) -> bool {
        self.heard == 0
    }

    /// Since when something is heard, or was last.
    pub fn busy_since(&self) -> Time {
        self.busy_since
    }

    /// Since when nothing is heard.
    pub fn silent_since(&self) -> Time {
        self.silent_since
    }

    /// A frame begins; it `follows` if it answers the one before, too soon for silence between them.
    pub fn begins(&mut self, start: Time, read: bool, follows: bool) {
        self.clear = read && self.heard == 0;
        if self.heard == 0 && !follows {
            self.busy_since = start;
        }
        self.heard += 1;
    }

    /// A frame has ended. Only one that could be read reserves anything.
    pub fn ends(&mut self, now: Time, reservation: Reservation) {
        self.heard = self.heard.saturating_sub(1);
        if self.heard > 0 {
            return;
        }
        self.silent_since = now;
        self.reserved.retain(|reservation| reservation.until > now);
        if self.clear && reservation.until > now {
            self.reserved.push(reservation);
        }
    }

    /// From when on slots count for a station that hears this, while nothing is heard; whether it could not read the last frame,
    /// though others could.
    pub fn counts_from(&self, station: u32, unread: bool, spaces: Spaces) -> Time {
        let silence = if self.clear && !unread { spaces.difs } else { spaces.eifs };
        self.counts_behind(station, silence, spaces)
    }

    /// From when on a station counts that must wait for `silence`, and for what others have reserved.
    pub fn counts_behind(&self, station: u32, silence: Span, spaces: Spaces) -> Time {
        let others = self.reserved.iter().filter(|reservation| !reservation.between.contains(&station));
        let reserved = others.map(|reservation| reservation.until).max();
        (self.silent_since + silence).max(reserved.map_or(Time::ZERO, |until| until + spaces.difs))
    }
}
