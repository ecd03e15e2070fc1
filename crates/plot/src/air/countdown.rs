//! When stations counted down their back-offs, and when they stood still: derived from what was in the air, as all stations
//! hear each other [802.11-2007 s9.2.5.2].

use engine::{Span, Time};
use path::Reception;
use path::mac::dcf::{FrameKind, Phy};

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
    /// When it alone begins to count, if the air stays idle.
    alone: Option<Time>,
}

/// Who backs off in a medium.
pub(super) struct Countdown {
    slot: Span,
    difs: Span,
    eifs: Span,
    delay: Span,
    waiting: Vec<Option<Waiting>>,
    /// Who has just received a frame that the air had damaged.
    puzzled: Vec<bool>,
    /// The end of what is or was in the air, where it is received.
    until: Time,
    /// Whether frames overlapped since the air was last idle.
    overlapped: bool,
    /// Until when the air is reserved.
    nav: Time,
    /// Who has begun an exchange since the air was last idle.
    asking: Vec<bool>,
    parts: Vec<Part>,
}

impl Countdown {
    pub fn new(phy: &Phy, stations: usize) -> Self {
        Countdown {
            slot: phy.slot,
            difs: phy.difs,
            eifs: phy.eifs,
            delay: phy.delay,
            waiting: vec![None; stations],
            puzzled: vec![false; stations],
            until: Time::ZERO,
            overlapped: false,
            nav: Time::ZERO,
            asking: vec![false; stations],
            parts: Vec::new(),
        }
    }

    /// The parts that are over and have not been asked for.
    pub fn parts(&mut self) -> impl Iterator<Item = Part> + use<> {
        std::mem::take(&mut self.parts).into_iter()
    }

    /// A station draws a back-off.
    pub fn draws(&mut self, at: Time, station: u32, slots: u64) {
        // It has waited in vain for an answer: its silence began with its own frame, whatever others believe reserved.
        let failed = at > self.until && self.asking.get(station as usize) == Some(&true);
        let alone = failed.then(|| at.max(self.until + self.difs));
        if let Some(waiting) = self.waiting.get_mut(station as usize) {
            *waiting = Some(Waiting { left: slots, since: at, alone });
        }
    }

    /// A frame begins.
    pub fn begins(&mut self, station: u32, kind: FrameKind, start: Time, duration: Span) {
        let end = start + duration + self.delay;
        if start + self.delay > self.until {
            self.count(start, Some(station).filter(|_| !kind.is_answer()));
            self.overlapped = false;
            self.puzzled.fill(false);
            self.asking.fill(false);
        } else {
            self.overlapped = true;
        }
        let places = (self.asking.get_mut(station as usize), self.waiting.get_mut(station as usize));
        if let (false, (Some(asking), Some(waiting))) = (kind.is_answer(), places) {
            (*asking, *waiting) = (true, None);
        }
        self.until = self.until.max(end);
    }

    /// The air was idle until `start`, when `sender` had counted to its end.
    fn count(&mut self, start: Time, sender: Option<u32>) {
        let sensed = start + self.delay;
        for (station, place) in self.waiting.iter_mut().enumerate() {
            let Some(waiting) = place else { continue };
            let station = station as u32;
            let puzzled = self.overlapped || self.puzzled.get(station as usize) == Some(&true);
            let quiet = match puzzled {
                true => (self.until + self.eifs).max(self.nav + self.difs),
                false => self.until.max(self.nav) + self.difs,
            };
            let begin = waiting.alone.take().unwrap_or(quiet).max(waiting.since);
            let counted = match sender == Some(station) {
                true => waiting.left,
                false => (sensed.since(begin).as_nanos() / self.slot.as_nanos().max(1)).min(waiting.left),
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

    /// A frame has ended.
    pub fn ends(&mut self, to: u32, reserves: Span, reception: Reception) {
        if !self.overlapped {
            self.nav = self.nav.max(self.until + reserves);
        }
        if reception == Reception::Corrupted
            && let Some(puzzled) = self.puzzled.get_mut(to as usize)
        {
            *puzzled = true;
        }
    }

    /// Nothing more happens until `last`.
    pub fn finish(&mut self, last: Time) {
        if last > self.until {
            self.count(last, None);
        }
        let standing = |(station, waiting): (usize, &Option<Waiting>)| {
            let since = waiting.as_ref()?.since;
            (last > since).then_some(Part { station: station as u32, from: since, to: last, slots: 0 })
        };
        let standing: Vec<Part> = self.waiting.iter().enumerate().filter_map(standing).collect();
        self.parts.extend(standing);
    }
}
