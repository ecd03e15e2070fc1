//! When stations counted down their back-offs, and when these were frozen: derived from the frames on the medium and
//! from audibility [802.11-2007 s9.2.5.2].

use engine::{Span, Time};
use path::mac::dcf::{FrameKind, Phy};
use path::{AirFrame, Reach, Reception};

use super::carrier_sense::{CarrierSense, Reservation, Spaces};

/// A part of a back-off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Part {
    pub station: u32,
    pub from: Time,
    pub to: Time,
    /// Slots that were counted; it stood still if none.
    pub slots: u64,
}

/// A station that backs off.
#[derive(Clone, Copy)]
struct Waiting {
    left: u64,
    /// From when on its parts have not been told.
    since: Time,
    /// When it begins to count, if that differs from the stations that hear the same, and the air stays silent.
    apart: Option<Time>,
}

/// An exchange that a station has begun and that has not been answered.
#[derive(Clone, Copy)]
enum Asked {
    /// Its frame's end.
    Until(Time),
    /// The answer came damaged: from when on the station counts.
    InVain(Time),
}

/// A frame in the air.
struct Flying {
    from: u32,
    reserves: Span,
    /// The ears that hear it, whatever moves meanwhile.
    heard_by: Vec<u32>,
}

/// The back-offs in a medium.
pub(super) struct Countdown {
    slot: Span,
    spaces: Spaces,
    delay: Span,
    waiting: Vec<Option<Waiting>>,
    asked: Vec<Option<Asked>>,
    /// By station, when the last frame ended that it alone could not read.
    unread: Vec<Option<Time>>,
    /// One for each station; a single one while all hear each other.
    ears: Vec<CarrierSense>,
    /// By station and station, once there is an ear for each.
    reach: Vec<Vec<Reach>>,
    flying: Vec<Flying>,
    parts: Vec<Part>,
}

impl Countdown {
    /// The countdown of a medium with `stations` stations, of which the pairs in `apart` do not read each other.
    pub fn new(phy: &Phy, stations: usize, apart: &[(u32, u32, Reach)]) -> Self {
        let mut countdown = Countdown {
            slot: phy.slot,
            spaces: Spaces { difs: phy.difs, eifs: phy.eifs },
            delay: phy.delay,
            waiting: vec![None; stations],
            asked: vec![None; stations],
            unread: vec![None; stations],
            ears: vec![CarrierSense::new()],
            reach: Vec::new(),
            flying: Vec::new(),
            parts: Vec::new(),
        };
        apart.iter().for_each(|(a, b, reach)| countdown.reaches(*a, *b, *reach));
        countdown
    }

    /// The parts that are over and have not been asked for.
    pub fn parts(&mut self) -> impl Iterator<Item = Part> + use<> {
        std::mem::take(&mut self.parts).into_iter()
    }

    /// Two stations hear each other so from now on.
    pub fn reaches(&mut self, a: u32, b: u32, reach: Reach) {
        let count = self.waiting.len() as u32;
        if a >= count || b >= count {
            return;
        }
        if self.reach.is_empty() {
            self.reach = vec![vec![Reach::Reads; count as usize]; count as usize];
            self.ears = vec![self.ears[0].clone(); count as usize];
            self.flying.iter_mut().for_each(|flying| flying.heard_by = (0..count).collect());
        }
        self.reach[a as usize][b as usize] = reach;
        self.reach[b as usize][a as usize] = reach;
    }

    /// The number of a station's ear.
    fn ear(&self, station: u32) -> usize {
        if self.reach.is_empty() { 0 } else { station as usize }
    }

    /// The ears that hear a station, and whether they can read it.
    fn audience(&self, from: u32) -> Vec<(u32, bool)> {
        match self.reach.get(from as usize) {
            Some(reach) => {
                let hears = |(station, reach): (usize, &Reach)| {
                    (*reach >= Reach::Senses).then_some((station as u32, *reach == Reach::Reads))
                };
                reach.iter().enumerate().filter_map(hears).collect()
            }
            None => vec![(0, true)],
        }
    }

    /// A station draws a back-off.
    pub fn draws(&mut self, at: Time, station: u32, slots: u64) {
        let ear = self.ear(station);
        let common = self.counts_from(station);
        let (Some(waiting), Some(ear)) = (self.waiting.get_mut(station as usize), self.ears.get(ear)) else { return };
        let asked = self.asked[station as usize].take().filter(|_| ear.is_silent());
        let apart = asked.map(|asked| match asked {
            Asked::InVain(from) => from,
            // Of what began behind its own frame it knows as much as others. Else its silence began with that frame, or
            // with what overlapped it, whatever others believe reserved or took for a collision.
            Asked::Until(sent) if ear.busy_since() > sent => common,
            Asked::Until(_) => ear.counts_behind(station, self.spaces.difs, self.spaces),
        });
        *waiting = Some(Waiting { left: slots, since: at, apart });
    }

    /// A frame begins; an acknowledgment may be reported when it is scheduled.
    pub fn begins(&mut self, now: Time, from: u32, frame: &AirFrame) {
        let AirFrame { kind, start, duration, reserves, .. } = *frame;
        let (audience, follows) = (self.audience(from), start > now);
        let sender = Some(from).filter(|_| !kind.is_answer());
        for (ear, read) in &audience {
            if self.ears[*ear as usize].is_silent() && !follows {
                self.count(*ear, start, sender);
            }
            self.ears[*ear as usize].begins(start, *read, follows);
        }
        let places = (self.waiting.get_mut(from as usize), self.asked.get_mut(from as usize));
        if let (false, (Some(waiting), Some(asked))) = (kind.is_answer(), places) {
            *waiting = None;
            *asked = (kind != FrameKind::Beacon).then_some(Asked::Until(start + duration));
        }
        let heard_by = audience.into_iter().map(|(ear, _)| ear).collect();
        self.flying.push(Flying { from, reserves, heard_by });
    }

    /// An ear heard nothing until `start`, when `sender` had counted to its end.
    fn count(&mut self, ear: u32, start: Time, sender: Option<u32>) {
        let stations = match self.reach.is_empty() {
            true => 0..self.waiting.len() as u32,
            false => ear..ear + 1,
        };
        for station in stations {
            let common = self.counts_from(station);
            let place = &mut self.waiting[station as usize];
            let Some(waiting) = place else { continue };
            let begin = waiting.apart.take().unwrap_or(common).max(waiting.since);
            let heard = start + self.delay;
            let counted = match sender == Some(station) {
                true => waiting.left,
                false => (heard.since(begin).as_nanos() / self.slot.as_nanos().max(1)).min(waiting.left),
            };
            if counted > 0 {
                let end = begin + self.slot.times(counted);
                if begin > waiting.since {
                    self.parts.push(Part { station, from: waiting.since, to: begin, slots: 0 });
                }
                self.parts.push(Part { station, from: begin, to: end, slots: counted });
                (waiting.left, waiting.since) = (waiting.left - counted, end);
            }
            if waiting.left == 0 {
                *place = None;
            }
        }
    }

    /// A station's frame has ended.
    pub fn ends(&mut self, now: Time, [from, to]: [u32; 2], kind: FrameKind, reception: Reception) {
        let Some(place) = self.flying.iter().position(|flying| flying.from == from) else { return };
        let Flying { reserves, heard_by, .. } = self.flying.swap_remove(place);
        for ear in heard_by {
            self.ears[ear as usize].ends(now, Reservation { until: now + reserves, between: [from, to] });
        }
        let came = reception == Reception::Received;
        match kind.is_answer() {
            // The requesting station only knows that it could not read a frame.
            true if !came => {
                self.cannot_read(to, now);
                let from = self.counts_from(to).max(now);
                if let Some(asked) = self.asked.get_mut(to as usize) {
                    *asked = Some(Asked::InVain(from));
                }
            }
            true => {
                if let Some(asked) = self.asked.get_mut(to as usize) {
                    *asked = None;
                }
            }
            // Only its receiver could not read it.
            false if reception == Reception::Corrupted => self.cannot_read(to, now),
            false => {}
        }
    }

    fn cannot_read(&mut self, station: u32, now: Time) {
        if let Some(unread) = self.unread.get_mut(station as usize) {
            *unread = Some(now);
        }
    }

    /// From when on a station counts while nothing is heard, if it has not asked in vain.
    fn counts_from(&self, station: u32) -> Time {
        let unread = self.unread.get(station as usize).copied().flatten();
        self.ears
            .get(self.ear(station))
            .map_or(Time::ZERO, |ear| ear.counts_from(station, unread == Some(ear.silent_since()), self.spaces))
    }

    /// Nothing more happens until `last`.
    pub fn finish(&mut self, last: Time) {
        for ear in 0..self.ears.len() as u32 {
            if self.ears[ear as usize].is_silent() {
                self.count(ear, last, None);
            }
        }
        let standing = |(station, waiting): (usize, &Option<Waiting>)| {
            let since = waiting.as_ref()?.since;
            (last > since).then_some(Part { station: station as u32, from: since, to: last, slots: 0 })
        };
        let standing: Vec<Part> = self.waiting.iter().enumerate().filter_map(standing).collect();
        self.parts.extend(standing);
    }
}
