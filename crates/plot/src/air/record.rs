//! Records the events of media for their pictures, during the run.

use std::collections::BTreeMap;

use engine::{IdVec, Time};
use path::mac::dcf::{FrameKind, Phy};
use path::{MediumEvent, MediumId, MediumStationId, Reach, Reception, SeqBitmap};
use sim::{Event, Network, Sink};

use super::countdown::{Countdown, CountdownPart};

/// Names and settings of a medium that its picture needs.
#[derive(Clone, Debug)]
pub struct MediumDescription {
    /// The medium's name.
    pub name: String,
    /// Names of the stations.
    pub stations: IdVec<MediumStationId, String>,
    /// Settings of the physical layer.
    pub phy: Phy,
    /// Pairs of stations that cannot read each other at the start of the run.
    pub apart: Vec<(MediumStationId, MediumStationId, Reach)>,
}

impl MediumDescription {
    /// Returns the descriptions of a network's media; the index is the medium's number.
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

/// A transmitted frame. Times are in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TransmittedFrame {
    /// The sending station.
    pub from: MediumStationId,
    /// The receiving station.
    pub to: MediumStationId,
    /// Purpose of the frame.
    pub kind: FrameKind,
    /// Start of the transmission.
    pub start: f64,
    /// End of the transmission.
    pub end: f64,
    /// Time for which the frame reserves the medium after its end, in seconds.
    pub reserves: f64,
    /// The packets that the frame carries or acknowledges, or that it reserves the medium for.
    pub packets: SeqBitmap,
    /// True for a retransmission.
    pub again: bool,
    /// Outcome at the receiver; `None` if the frame was in transmission at the end of the run.
    pub reception: Option<Reception>,
    /// The damaged packets of an aggregate.
    pub damaged: SeqBitmap,
}

impl TransmittedFrame {
    /// True if the frame was damaged; for an aggregate, if all of its packets were.
    pub fn is_damaged(&self) -> bool {
        matches!(self.reception, Some(Reception::Collided | Reception::Corrupted))
    }

    /// True for an aggregate some of whose packets were corrupted by the channel.
    pub fn is_damaged_in_part(&self) -> bool {
        self.reception == Some(Reception::Received) && self.damaged.count() > 0
    }

    /// True if the frame has a mark.
    pub fn is_marked(&self) -> bool {
        self.reception.is_some_and(|reception| reception != Reception::Received) || self.is_damaged_in_part()
    }

    /// True if the frame has the mark of this outcome.
    pub fn has_mark(&self, reception: Reception) -> bool {
        self.reception == Some(reception) || (reception == Reception::Corrupted && self.is_damaged_in_part())
    }
}

/// An interval of a back-off, in seconds; the back-off was frozen if `slots` is 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BackOffInterval {
    /// The station.
    pub station: MediumStationId,
    /// Start of the interval.
    pub from: f64,
    /// End of the interval.
    pub to: f64,
    /// Slots counted in the interval.
    pub slots: u64,
}

/// The draw of a back-off from the contention window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BackOffDraw {
    /// The station.
    pub station: MediumStationId,
    /// Time of the draw in seconds.
    pub at: f64,
    /// Slots drawn.
    pub slots: u32,
    /// The contention window.
    pub window: u32,
}

/// The recorded events of one medium.
#[derive(Default, Debug)]
pub(super) struct MediumTimeline {
    pub frames: Vec<TransmittedFrame>,
    pub back_offs: Vec<BackOffInterval>,
    pub draws: Vec<BackOffDraw>,
    /// Changes of audibility: time in seconds, pair of stations, and audibility from then on. Pairs without an entry
    /// read each other.
    pub reaches: Vec<(f64, [MediumStationId; 2], Reach)>,
    /// End of the run in seconds.
    pub ended: f64,
}

/// A medium during recording.
struct MediumTrack {
    timeline: MediumTimeline,
    countdown: Countdown,
    /// Frames in transmission.
    flying: Vec<TransmittedFrame>,
}

/// A sink that records the data for pictures of some media.
pub struct AirRecorder {
    from: f64,
    to: f64,
    tracks: BTreeMap<MediumId, MediumTrack>,
    last: Time,
    kept: usize,
}

impl AirRecorder {
    /// Limit of kept entries, summed over all media. An entry takes at most 72 bytes: 360 MB, and twice as much while a
    /// list is reallocated.
    pub const MAX_ENTRIES: usize = 5_000_000;

    /// Returns a recorder for pictures of `media` with time axes within `from` and `to`; `None` means no limit.
    pub fn new<'a>(
        media: impl IntoIterator<Item = (MediumId, &'a MediumDescription)>,
        from: Option<Time>,
        to: Option<Time>,
    ) -> Self {
        let track = |medium: &MediumDescription| MediumTrack {
            timeline: MediumTimeline {
                reaches: medium.apart.iter().map(|(a, b, reach)| (0.0, [*a, *b], *reach)).collect(),
                ..MediumTimeline::default()
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

    /// Returns true if more than [`MAX_ENTRIES`](Self::MAX_ENTRIES) entries were needed, so that the recording is
    /// incomplete.
    pub fn has_overflowed(&self) -> bool {
        self.kept > Self::MAX_ENTRIES
    }

    /// Moves the right edge of the time axis to `to`.
    pub fn end_at(&mut self, to: Time) {
        self.to = to.as_secs_f64();
    }

    /// Number of entries kept so far.
    pub fn count_entries(&self) -> usize {
        self.kept
    }

    /// True if no later event can change a picture: all frames that began before the right edge have ended.
    pub fn is_complete(&self) -> bool {
        let open = |track: &MediumTrack| track.flying.iter().any(|frame| frame.start <= self.to);
        self.last.as_secs_f64() > self.to && !self.tracks.values().any(open)
    }

    /// Ends the recording, after the end of the run.
    pub fn finish(mut self) -> AirRecording {
        for track in self.tracks.values_mut() {
            track.countdown.finish(self.last);
            let parts = track.countdown.take_parts();
            let (from, to) = (self.from, self.to);
            track
                .timeline
                .back_offs
                .extend(parts.map(convert_to_back_off).filter(|part| part.to >= from && part.from <= to));
            let flying = track.flying.drain(..);
            track.timeline.frames.extend(flying.filter(|frame| frame.end >= from && frame.start <= to));
            track.timeline.ended = self.last.as_secs_f64();
        }
        AirRecording { timelines: self.tracks.into_iter().map(|(number, track)| (number, track.timeline)).collect() }
    }

    fn on_medium_event(&mut self, now: Time, medium: MediumId, event: &MediumEvent) {
        let (from, to) = (self.from, self.to);
        let full = self.kept > Self::MAX_ENTRIES;
        let Some(track) = self.tracks.get_mut(&medium) else { return };
        let shows = |begin: f64, end: f64| end >= from && begin <= to && !full;
        let before = track.timeline.len();
        match *event {
            MediumEvent::Sent { from, to, frame, .. } => {
                track.countdown.begin_frame(now, from, &frame);
                let kept = TransmittedFrame {
                    from,
                    to,
                    kind: frame.kind,
                    start: frame.start.as_secs_f64(),
                    end: (frame.start + frame.duration).as_secs_f64(),
                    reserves: frame.reserves.as_secs_f64(),
                    packets: frame.packets,
                    damaged: SeqBitmap::empty_from(frame.packets.first()),
                    again: frame.again,
                    reception: None,
                };
                track.flying.push(kept);
            }
            MediumEvent::Ended { from, to, kind, reception, damaged } => {
                // A station has at most one frame in transmission.
                if let Some(place) = track.flying.iter().position(|frame| frame.from == from) {
                    let frame = track.flying.remove(place);
                    track.countdown.end_frame(now, [from, to], kind, reception);
                    if shows(frame.start, frame.end) {
                        track.timeline.frames.push(TransmittedFrame { reception: Some(reception), damaged, ..frame });
                    }
                }
            }
            MediumEvent::BackOff { station, slots, window } => {
                track.countdown.record_draw(now, station, u64::from(slots));
                let at = now.as_secs_f64();
                if shows(at, at) {
                    track.timeline.draws.push(BackOffDraw { station, at, slots, window });
                }
            }
            MediumEvent::Reaches { a, b, reach } => {
                track.countdown.set_reach(a, b, reach);
                track.timeline.reaches.push((now.as_secs_f64(), [a.min(b), a.max(b)], reach));
            }
        }
        let parts = track.countdown.take_parts().map(convert_to_back_off);
        track.timeline.back_offs.extend(parts.filter(|part| shows(part.from, part.to)));
        self.kept += track.timeline.len() - before;
    }
}

impl MediumTimeline {
    fn len(&self) -> usize {
        self.frames.len() + self.back_offs.len() + self.draws.len()
    }
}

fn convert_to_back_off(part: CountdownPart) -> BackOffInterval {
    let CountdownPart { station, from, to, slots } = part;
    BackOffInterval { station, from: from.as_secs_f64(), to: to.as_secs_f64(), slots }
}

impl Sink for AirRecorder {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        self.last = at;
        if let Event::Medium { medium, event } = event {
            self.on_medium_event(at, *medium, event);
        }
    }
}

/// The data recorded by an [`AirRecorder`].
pub struct AirRecording {
    pub(super) timelines: BTreeMap<MediumId, MediumTimeline>,
}

impl AirRecording {
    /// Returns the frames of a medium, ordered by their ends.
    pub fn frames(&self, medium: MediumId) -> &[TransmittedFrame] {
        self.timelines.get(&medium).map_or(&[], |timeline| &timeline.frames)
    }

    /// Returns the intervals of back-offs of a medium; the intervals of each station are ordered by time.
    pub fn back_offs(&self, medium: MediumId) -> &[BackOffInterval] {
        self.timelines.get(&medium).map_or(&[], |timeline| &timeline.back_offs)
    }

    /// Returns the draws of back-offs of a medium, in order.
    pub fn draws(&self, medium: MediumId) -> &[BackOffDraw] {
        self.timelines.get(&medium).map_or(&[], |timeline| &timeline.draws)
    }

    /// Returns the intervals in which slots of back-offs were counted in a medium, ordered by their ends: station, end
    /// in seconds, number of slots.
    pub fn list_counted_slots(&self, medium: MediumId) -> Vec<(MediumStationId, f64, u64)> {
        let parts = self.timelines.get(&medium).into_iter().flat_map(|timeline| &timeline.back_offs);
        let mut counted: Vec<(MediumStationId, f64, u64)> =
            parts.filter(|part| part.slots > 0).map(|part| (part.station, part.to, part.slots)).collect();
        counted.sort_by(|a, b| a.1.total_cmp(&b.1));
        counted
    }
}
