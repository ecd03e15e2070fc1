//! Sorts what happened in media out of the events of a run, as they come, and keeps of it what shows.

use std::collections::BTreeMap;

use engine::Time;
use path::mac::dcf::{FrameKind, Phy};
use path::{MediumEvent, Numbers, Reach, Reception};
use sim::{Event, Network, Sink};

use super::countdown::{Countdown, Part};

/// What a picture of a medium says about it.
#[derive(Clone, Debug)]
pub struct MediumDescription {
    /// Its name.
    pub name: String,
    /// The names of its stations, by their numbers in it.
    pub stations: Vec<String>,
    /// Its physical layer.
    pub phy: Phy,
    /// Stations that do not read each other when the run begins.
    pub apart: Vec<(u32, u32, Reach)>,
}

impl MediumDescription {
    /// The media of a network, by number.
    pub fn of(network: &Network) -> Vec<Self> {
        let medium = |(number, spec): (usize, &sim::network::MediumSpec)| {
            let stations = network.stations(number);
            MediumDescription {
                name: spec.name.clone(),
                stations: stations.iter().map(|node| network.nodes[*node].name.clone()).collect(),
                phy: Phy::new(&spec.config),
                apart: network.apart(number),
            }
        };
        network.media.iter().enumerate().map(medium).collect()
    }
}

/// A frame that was in the air. Times are seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Frame {
    pub from: u32,
    pub to: u32,
    pub kind: FrameKind,
    pub start: f64,
    pub end: f64,
    /// How long it reserved the air behind its end.
    pub reserves: f64,
    /// The packets that it carries, acknowledges or is about.
    pub packets: Numbers,
    pub again: bool,
    /// How it came; not known of what was in the air when the run ended.
    pub reception: Option<Reception>,
    /// Of an aggregate, the packets that came damaged.
    pub damaged: Numbers,
}

impl Frame {
    /// Whether it came damaged, an aggregate with all its packets.
    pub fn is_damaged(&self) -> bool {
        matches!(self.reception, Some(Reception::Collided | Reception::Corrupted))
    }

    /// Whether it is an aggregate of which the air damaged some packets.
    pub fn is_damaged_in_part(&self) -> bool {
        self.reception == Some(Reception::Received) && self.damaged.count() > 0
    }

    /// Whether a mark stands above it.
    pub fn is_marked(&self) -> bool {
        self.reception.is_some_and(|reception| reception != Reception::Received) || self.is_damaged_in_part()
    }

    /// Whether the mark of what came so stands above it.
    pub fn has_mark(&self, reception: Reception) -> bool {
        self.reception == Some(reception) || (reception == Reception::Corrupted && self.is_damaged_in_part())
    }
}

/// A part of a back-off; it stood still if no slot was counted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct BackOff {
    pub station: u32,
    pub from: f64,
    pub to: f64,
    pub slots: u64,
}

/// A back-off that was drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Draw {
    pub station: u32,
    pub at: f64,
    pub slots: u32,
    pub window: u32,
}

/// What happened in a medium.
#[derive(Default, Debug)]
pub(super) struct Timeline {
    pub frames: Vec<Frame>,
    pub back_offs: Vec<BackOff>,
    pub draws: Vec<Draw>,
    /// From when on which stations hear each other how, where that is not that they can read each other from the beginning.
    pub reaches: Vec<(f64, [u32; 2], Reach)>,
    /// When the run ended.
    pub ended: f64,
}

/// One medium while it is recorded.
struct Track {
    timeline: Timeline,
    countdown: Countdown,
    /// Frames in the air.
    flying: Vec<Frame>,
}

/// A sink that keeps what pictures of some media need.
pub struct AirRecorder {
    from: f64,
    to: f64,
    tracks: BTreeMap<u32, Track>,
    last: Time,
    kept: usize,
}

impl AirRecorder {
    /// How many things are kept at most, all media together. One takes at most 72 bytes: 360 MB, and twice as much while the
    /// memory of a list grows.
    pub const MOST: usize = 5_000_000;

    /// Keeps what pictures of these media need whose time axes lie between `from` and `to`; without edges, everything.
    pub fn new<'a>(
        media: impl IntoIterator<Item = (u32, &'a MediumDescription)>,
        from: Option<Time>,
        to: Option<Time>,
    ) -> Self {
        let track = |medium: &MediumDescription| Track {
            timeline: Timeline {
                reaches: medium.apart.iter().map(|(a, b, reach)| (0.0, [*a, *b], *reach)).collect(),
                ..Timeline::default()
            },
            countdown: Countdown::new(&medium.phy, medium.stations.len(), &medium.apart),
            flying: Vec::new(),
        };
        AirRecorder {
            from: from.map_or(0.0, Time::as_secs_f64),
            to: to.map_or(f64::INFINITY, Time::as_secs_f64),
            tracks: media.into_iter().map(|(number, medium)| (number, track(medium))).collect(),
            last: Time::ZERO,
            kept: 0,
        }
    }

    /// Whether there was more to keep than [`MOST`](Self::MOST): there will be no picture.
    pub fn overflowed(&self) -> bool {
        self.kept > Self::MOST
    }

    /// Whether no later event can change a picture: frames that began before the right edge have ended.
    pub fn is_complete(&self) -> bool {
        let open = |track: &Track| track.flying.iter().any(|frame| frame.start <= self.to);
        self.last.as_secs_f64() > self.to && !self.tracks.values().any(open)
    }

    /// The recording, when the run is over.
    pub fn finish(mut self) -> AirRecording {
        for track in self.tracks.values_mut() {
            track.countdown.finish(self.last);
            let parts = track.countdown.parts();
            let (from, to) = (self.from, self.to);
            track.timeline.back_offs.extend(parts.map(seconds).filter(|part| part.to >= from && part.from <= to));
            let flying = track.flying.drain(..);
            track.timeline.frames.extend(flying.filter(|frame| frame.end >= from && frame.start <= to));
            track.timeline.ended = self.last.as_secs_f64();
        }
        AirRecording { timelines: self.tracks.into_iter().map(|(number, track)| (number, track.timeline)).collect() }
    }

    fn medium(&mut self, now: Time, medium: u32, event: &MediumEvent) {
        let (from, to) = (self.from, self.to);
        let full = self.kept > Self::MOST;
        let Some(track) = self.tracks.get_mut(&medium) else { return };
        let shows = |begin: f64, end: f64| end >= from && begin <= to && !full;
        let before = track.timeline.len();
        match *event {
            MediumEvent::Sent { from, to, frame } => {
                track.countdown.begins(now, from, &frame);
                let kept = Frame {
                    from,
                    to,
                    kind: frame.kind,
                    start: frame.start.as_secs_f64(),
                    end: (frame.start + frame.duration).as_secs_f64(),
                    reserves: frame.reserves.as_secs_f64(),
                    packets: frame.packets,
                    damaged: Numbers::none(frame.packets.first()),
                    again: frame.again,
                    reception: None,
                };
                track.flying.push(kept);
            }
            MediumEvent::Ended { from, to, kind, reception, damaged } => {
                // A station has one frame in the air.
                if let Some(place) = track.flying.iter().position(|frame| frame.from == from) {
                    let frame = track.flying.remove(place);
                    track.countdown.ends(now, [from, to], kind, reception);
                    if shows(frame.start, frame.end) {
                        track.timeline.frames.push(Frame { reception: Some(reception), damaged, ..frame });
                    }
                }
            }
            MediumEvent::BackOff { station, slots, window } => {
                track.countdown.draws(now, station, u64::from(slots));
                let at = now.as_secs_f64();
                if shows(at, at) {
                    track.timeline.draws.push(Draw { station, at, slots, window });
                }
            }
            MediumEvent::Reaches { a, b, reach } => {
                track.countdown.reaches(a, b, reach);
                track.timeline.reaches.push((now.as_secs_f64(), [a.min(b), a.max(b)], reach));
            }
        }
        let parts = track.countdown.parts().map(seconds);
        track.timeline.back_offs.extend(parts.filter(|part| shows(part.from, part.to)));
        self.kept += track.timeline.len() - before;
    }
}

impl Timeline {
    fn len(&self) -> usize {
        self.frames.len() + self.back_offs.len() + self.draws.len()
    }
}

fn seconds(part: Part) -> BackOff {
    let Part { station, from, to, slots } = part;
    BackOff { station, from: from.as_secs_f64(), to: to.as_secs_f64(), slots }
}

impl Sink for AirRecorder {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        self.last = at;
        if let Event::Medium { medium, event } = event {
            self.medium(at, *medium, event);
        }
    }
}

/// What an [`AirRecorder`] has kept.
pub struct AirRecording {
    pub(super) timelines: BTreeMap<u32, Timeline>,
}

impl AirRecording {
    /// When slots of back-offs were counted in a medium, in order: the station, the end in seconds, how many.
    pub fn counted(&self, medium: u32) -> Vec<(u32, f64, u64)> {
        let parts = self.timelines.get(&medium).into_iter().flat_map(|timeline| &timeline.back_offs);
        let mut counted: Vec<(u32, f64, u64)> =
            parts.filter(|part| part.slots > 0).map(|part| (part.station, part.to, part.slots)).collect();
        counted.sort_by(|a, b| a.1.total_cmp(&b.1));
        counted
    }
}
