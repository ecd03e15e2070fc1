//! The stations of shared media, with their frames and their back-offs slot by slot.

use std::collections::BTreeMap;

use engine::{IdVec, Time};
use path::mac::dcf::FrameKind;
use path::{MediumEvent, MediumId, MediumStationId, Reception};
use plot::{AirRecorder, BackOffDraw, BackOffInterval, MediumDescription, TransmittedFrame};
use serde::Serialize;
use sim::{Event, Network, Sink};

use crate::columns::{Column, Columns};
use crate::packet::PacketIdentity;

/// Time in seconds before an interval from which on back-offs are recorded, so that the slots left are known in the
/// interval.
const BEFORE: f64 = 1.0;

/// Names of the kinds of frames, by their number in columns.
const KINDS: [FrameKind; 7] = [
    FrameKind::Data,
    FrameKind::Aggregate,
    FrameKind::Ack,
    FrameKind::BlockAck,
    FrameKind::Rts,
    FrameKind::Cts,
    FrameKind::Beacon,
];

/// Receptions, by their number in columns.
const RECEPTIONS: [Reception; 4] = [Reception::Received, Reception::Collided, Reception::Corrupted, Reception::Unheard];

/// The actions of a medium's stations, in the head of a figure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Cell {
    name: String,
    /// Numbers of the nodes that are its stations.
    stations: Vec<usize>,
    /// Rows of sending node, receiving node, kind, begin, end, reception, 1 for a retransmission, packets, damaged packets,
    /// and flow, kind and offset of the first packet. The reception is -1 if the run ended before.
    frames: Column,
    /// Rows of node, begin, end, slots counted (0 while the back-off is frozen), slots left at the begin (NaN if unknown),
    /// and contention window.
    back_offs: Column,
}

/// Names of the numbers in columns.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "CellNames"))]
pub(crate) struct CellNames {
    frames: Vec<&'static str>,
    receptions: Vec<&'static str>,
}

pub(crate) fn list_cell_names() -> CellNames {
    CellNames {
        frames: KINDS.iter().map(|kind| kind.name()).collect(),
        receptions: RECEPTIONS.iter().map(|reception| reception.name()).collect(),
    }
}

/// Records the media of a network.
pub(crate) struct CellRecorder {
    recorder: AirRecorder,
    /// The nodes of the stations of each medium.
    stations: IdVec<MediumId, IdVec<MediumStationId, usize>>,
    names: Vec<String>,
    /// The first packet of a frame with packets, by medium, sending station and start of the frame.
    carried: BTreeMap<(MediumId, MediumStationId, u64), PacketIdentity>,
    from: f64,
}

impl CellRecorder {
    pub fn new(network: &Network, from: f64, to: f64) -> Self {
        let media = MediumDescription::of(network);
        let numbered = media.iter().enumerate().map(|(number, medium)| (MediumId::from_index(number), medium));
        let time = |seconds: f64| Time::from_nanos((seconds * 1e9) as u64);
        CellRecorder {
            recorder: AirRecorder::new(numbered, Some(time((from - BEFORE).max(0.0))), Some(time(to))),
            stations: (0..media.len()).map(|medium| network.stations(medium).into()).collect(),
            names: media.iter().map(|medium| medium.name.clone()).collect(),
            carried: BTreeMap::new(),
            from,
        }
    }

    /// The nodes of two stations.
    fn nodes(&self, medium: MediumId, [from, to]: [MediumStationId; 2]) -> Option<[usize; 2]> {
        let stations = self.stations.get(medium)?;
        Some([*stations.get(from)?, *stations.get(to)?])
    }

    /// Records an event. `carried` returns the packet of the last frame from one node to another.
    pub fn event(&mut self, at: Time, event: &Event, carried: impl FnOnce([usize; 2]) -> PacketIdentity) {
        if let Event::Medium { medium, event: MediumEvent::Sent { from, to, frame, .. } } = event
            && frame.kind.carries_packets()
            && (frame.start + frame.duration).as_secs_f64() >= self.from
            && let Some(nodes) = self.nodes(*medium, [*from, *to])
        {
            self.carried.insert((*medium, *from, frame.start.as_nanos()), carried(nodes));
        }
        self.recorder.event(at, event);
    }

    /// Number of entries kept so far.
    pub fn count_entries(&self) -> usize {
        self.recorder.count_entries()
    }

    /// Ends the interval at `to`.
    pub fn close(&mut self, to: Time) {
        self.recorder.end_at(to);
    }

    /// True if frames that began in the interval have ended.
    pub fn is_complete(&self) -> bool {
        self.stations.is_empty() || self.recorder.is_complete()
    }

    /// The cells' columns, of frames and back-offs that began by `to`.
    pub fn finish(self, to: f64, columns: &mut Columns) -> Vec<Cell> {
        let CellRecorder { recorder, stations, names, carried, from } = self;
        let recording = recorder.finish();
        let mut cells = Vec::new();
        for (number, (stations, name)) in stations.into_iter().zip(names).enumerate() {
            let medium = MediumId::from_index(number);
            let node = |station: MediumStationId| stations.get(station).map_or(-1.0, |node| *node as f64);
            let row = |frame: &TransmittedFrame| {
                let begin = (frame.start * 1e9).round() as u64;
                let packet = carried.get(&(medium, frame.from, begin)).copied().unwrap_or(PacketIdentity::NOTHING);
                [
                    node(frame.from),
                    node(frame.to),
                    find_number(&KINDS, &frame.kind),
                    frame.start,
                    frame.end,
                    frame.reception.map_or(-1.0, |reception| find_number(&RECEPTIONS, &reception)),
                    f64::from(u8::from(frame.again)),
                    f64::from(frame.packets.count()),
                    f64::from(frame.damaged.count()),
                    packet.flow,
                    f64::from(packet.kind as u8),
                    packet.offset,
                ]
            };
            let shown = |frame: &&TransmittedFrame| frame.end >= from && frame.start <= to;
            let mut frames: Vec<[f64; 12]> = recording.frames(medium).iter().filter(shown).map(row).collect();
            frames.sort_by(|a, b| a[3].total_cmp(&b[3]));
            let back_offs = count_slots_left(recording.back_offs(medium), recording.draws(medium));
            let mut back_offs: Vec<[f64; 6]> =
                back_offs.into_iter().filter(|row| row[2] >= from && row[1] <= to).collect();
            back_offs.iter_mut().for_each(|row| row[0] = node(MediumStationId::new(row[0] as u32)));
            back_offs.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
            let (frames, back_offs) = (columns.add(frames), columns.add(back_offs));
            cells.push(Cell { name, stations: stations.into_iter().collect(), frames, back_offs });
        }
        cells
    }
}

fn find_number<T: PartialEq>(list: &[T], item: &T) -> f64 {
    list.iter().position(|other| other == item).map_or(-1.0, |place| place as f64)
}

/// Returns parts of back-offs with the slots left at their start, in rows as in [`Cell::back_offs`], with the station's
/// number.
fn count_slots_left(parts: &[BackOffInterval], draws: &[BackOffDraw]) -> Vec<[f64; 6]> {
    let mut of_stations: BTreeMap<MediumStationId, (Vec<&BackOffDraw>, f64, f64)> = BTreeMap::new();
    for draw in draws {
        of_stations.entry(draw.station).or_insert_with(|| (Vec::new(), f64::NAN, f64::NAN)).0.push(draw);
    }
    of_stations.values_mut().for_each(|(draws, ..)| draws.reverse());
    let mut rows = Vec::new();
    for part in parts {
        let (draws, left, window) = of_stations.entry(part.station).or_insert_with(|| (Vec::new(), f64::NAN, f64::NAN));
        while let Some(draw) = draws.pop_if(|draw| draw.at <= part.from) {
            (*left, *window) = (f64::from(draw.slots), f64::from(draw.window));
        }
        rows.push([f64::from(part.station.number()), part.from, part.to, part.slots as f64, *left, *window]);
        *left -= part.slots as f64;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_left_equal_drawn_slots_minus_counted_slots() {
        let station = MediumStationId::new(1);
        let draw = |at, slots| BackOffDraw { station, at, slots, window: 15 };
        let part = |from, to, slots| BackOffInterval { station, from, to, slots };
        let parts = [part(0.0, 1.0, 2), part(1.0, 2.0, 0), part(2.0, 3.0, 3), part(3.0, 4.0, 1)];
        let rows = count_slots_left(&parts, &[draw(0.0, 5), draw(3.0, 9)]);
        assert_eq!(rows.iter().map(|row| row[4]).collect::<Vec<_>>(), [5.0, 3.0, 3.0, 9.0]);
        assert!(count_slots_left(&parts, &[])[0][4].is_nan());
    }
}
