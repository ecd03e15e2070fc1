//! Checks the times of counted slots, which the picture of a medium derives, against the behaviour of the medium's
//! stations: no station counts while it senses a frame, all slots are counted before the station's next transmission,
//! and the transmission starts at the end of the last slot.

use crate::common;

use std::collections::BTreeMap;

use common::{cell, cell_of};
use engine::{Length, Span, Time};
use path::channel::{ChannelConfig, uniform};
use path::mac::dcf::Config;
use path::place::NodePath;
use path::{LinkDirection, LinkEvent, MediumEvent, MediumId, MediumStationId, Reach, Reception};
use plot::{AirRecorder, MediumDescription};
use sim::{Event, NodeEvent, Sink};

type Cell = (MediumDescription, Vec<(Time, Event)>);

/// Numbers of recorded events.
#[derive(Default, Debug)]
struct Seen {
    turns: u32,
    /// Turns of stations that had packets to send without interruption.
    exact: u32,
    collided: u32,
    corrupted: u32,
}

/// An interval of a back-off: station, begin and end in seconds.
type Part = (MediumStationId, f64, f64);

const NEARLY: f64 = 2e-9;

fn counted((description, events): &Cell) -> Vec<(MediumStationId, f64, u64)> {
    let mut recorder = AirRecorder::new([(MediumId::new(0), description)], None, None);
    events.iter().for_each(|(at, event)| recorder.event(*at, event));
    recorder.finish().list_counted_slots(MediumId::new(0))
}

/// Checks all turns of a cell in which stations have the numbers of their nodes and link n joins station 0 with station
/// n + 1.
fn every_slot_is_counted_before_the_next_turn(cell: &Cell) -> Seen {
    let counted = counted(cell);
    let mut parts = counted.iter().peekable();
    let mut seen = Seen::default();
    // By station: the number of slots left to count, and whether the station had packets when it drew them.
    let mut left: BTreeMap<MediumStationId, (i64, bool)> = BTreeMap::new();
    let mut ends: BTreeMap<MediumStationId, f64> = BTreeMap::new();
    let mut backlog: BTreeMap<MediumStationId, i64> = BTreeMap::new();
    for (time, event) in &cell.1 {
        match event {
            Event::Node { node, event: NodeEvent::Sent { .. }, .. } => {
                *backlog.entry(MediumStationId::from_index(node.index())).or_default() += 1;
            }
            Event::Link {
                hop, event: LinkEvent::Arrived { .. } | LinkEvent::GivenUp { arrived: false, .. }, ..
            } => {
                let from = if hop.direction == LinkDirection::Forward { 0 } else { hop.link.number() + 1 };
                *backlog.entry(MediumStationId::new(from)).or_default() -= 1;
            }
            Event::Medium { event: MediumEvent::Sent { from, frame, .. }, .. } if !frame.kind.is_answer() => {
                let start = frame.start.as_secs_f64();
                while let Some((station, end, slots)) = parts.next_if(|(_, end, _)| *end <= start + NEARLY) {
                    left.entry(*station).or_default().0 -= *slots as i64;
                    ends.insert(*station, *end);
                }
                let Some((slots, busy)) = left.remove(from) else { continue };
                assert_eq!(slots, 0, "{from:?} at {time:?}");
                seen.turns += 1;
                if let Some(end) = ends.remove(from).filter(|_| busy) {
                    assert!((end - start).abs() < NEARLY, "{from:?} at {time:?} has counted until {end}");
                    seen.exact += 1;
                }
            }
            Event::Medium { event: MediumEvent::BackOff { station, slots, .. }, .. } => {
                left.insert(*station, (i64::from(*slots), backlog.get(station).is_some_and(|packets| *packets > 0)));
                ends.remove(station);
            }
            Event::Medium { event: MediumEvent::Ended { reception, .. }, .. } => match reception {
                Reception::Collided => seen.collided += 1,
                Reception::Corrupted => seen.corrupted += 1,
                _ => {}
            },
            _ => {}
        }
    }
    no_station_counts_while_it_senses_a_frame(cell, &counted);
    seen
}

fn no_station_counts_while_it_senses_a_frame((description, events): &Cell, counted: &[(MediumStationId, f64, u64)]) {
    let (slot, delay) = (description.phy.slot.as_secs_f64(), description.phy.delay.as_secs_f64());
    let mut parts: Vec<Part> =
        counted.iter().map(|(station, end, slots)| (*station, end - slot * *slots as f64, *end)).collect();
    parts.sort_by(|a, b| a.2.total_cmp(&b.2));
    let stations = description.stations.next_id();
    let mut deaf: BTreeMap<[MediumStationId; 2], Reach> =
        description.apart.iter().map(|(a, b, reach)| ([*a, *b], *reach)).collect();
    let mut parts_from = 0;
    for (_, event) in events {
        match event {
            Event::Medium { event: MediumEvent::Reaches { a, b, reach }, .. } => {
                deaf.insert([*a.min(b), *a.max(b)], *reach);
            }
            Event::Medium { event: MediumEvent::Sent { from, frame, .. }, .. } => {
                let begin = frame.start.as_secs_f64() + delay;
                let end = (frame.start + frame.duration).as_secs_f64() + delay;
                // An earlier interval may still overlap a frame that is reported early.
                while parts.get(parts_from).is_some_and(|part| part.2 < begin - 0.01) {
                    parts_from += 1;
                }
                let meets = |part: &&Part| part.1 < end - NEARLY && part.2 > begin + NEARLY;
                for (station, from_time, to) in
                    parts[parts_from..].iter().take_while(|part| part.2 < end + 0.1).filter(meets)
                {
                    let pair = [*station.min(from), *station.max(from)];
                    let senses = station == from || deaf.get(&pair).is_none_or(|reach| *reach >= Reach::Senses);
                    assert!(
                        !senses,
                        "{station:?} counts from {from_time} to {to}, {from:?} sends from {begin} to {end}"
                    );
                }
            }
            _ => {}
        }
    }
    assert!(parts.iter().all(|part| part.0 < stations));
}

fn metres(meters: u64) -> Length {
    Length(1000 * meters)
}

fn at(x: i128, y: i128) -> Option<NodePath> {
    Some(NodePath::still([1000 * x, 1000 * y]))
}

/// Returns a configuration with which frames are read up to 250 m and sensed up to 300 m, as in
/// examples/hidden-terminals.toml.
fn ranged() -> Config {
    Config { range: Some(metres(250)), carrier_sense_range: Some(metres(300)), ..Config::default() }
}

fn requests() -> Config {
    Config { rts_threshold: Some(engine::Bytes(0)), ..ranged() }
}

#[test]
fn back_off_slots_are_all_counted_if_all_stations_decode_each_other() {
    let seen = every_slot_is_counted_before_the_next_turn(&cell(6, "1 s"));
    assert!(seen.turns > 300 && seen.exact > 200 && seen.collided > 20, "{seen:?}");
}

#[test]
fn back_off_slots_on_a_lossy_channel_are_all_counted() {
    let lossy = Some(ChannelConfig::Uniform(uniform::Config { loss: 0.1 }));
    let seen = every_slot_is_counted_before_the_next_turn(&cell_of(Config::default(), &vec![None; 4], "2 s", lossy));
    assert!(seen.exact > 200 && seen.corrupted > 50, "{seen:?}");
}

/// Two stations both sense the base station, but not each other.
#[test]
fn back_off_slots_of_hidden_terminals_are_all_counted() {
    let places = [at(0, 0), at(-200, 0), at(200, 0)];
    let cell = cell_of(ranged(), &places, "5 s", None);
    assert_eq!(cell.0.apart, [(MediumStationId::new(1), MediumStationId::new(2), Reach::Nothing)]);
    let seen = every_slot_is_counted_before_the_next_turn(&cell);
    assert!(seen.exact > 300 && seen.collided > 100, "{seen:?}");
    let seen = every_slot_is_counted_before_the_next_turn(&cell_of(requests(), &places, "5 s", None));
    assert!(seen.exact > 300 && seen.collided > 20, "{seen:?}");
}

/// Stations in the middle sense all others; those at the ends sense only each other's neighbours.
#[test]
fn back_off_slots_of_stations_in_a_row_are_all_counted() {
    let places = [at(0, 0), at(-240, 0), at(-120, 60), at(40, 100), at(240, 0)];
    for config in [ranged(), requests()] {
        let lossy = Some(ChannelConfig::Uniform(uniform::Config { loss: 0.03 }));
        let cell = cell_of(config, &places, "5 s", lossy);
        assert!(cell.0.apart.iter().any(|pair| pair.2 == Reach::Senses), "{:?}", cell.0.apart);
        let seen = every_slot_is_counted_before_the_next_turn(&cell);
        assert!(seen.exact > 300 && seen.collided > 50 && seen.corrupted > 20, "{seen:?}");
    }
}

/// Stations move into range of each other while frames are in transmission and back-offs are counted.
#[test]
fn back_off_slots_of_moving_stations_are_all_counted() {
    let walk = |x: i128, y: i128, speed: i128| {
        Some(NodePath::straight([1000 * x, 1000 * y], [3_600_000 * speed, 0], Time::ZERO))
    };
    let places = [at(0, 0), walk(-240, 10, 40), walk(240, 0, -40), at(0, 200)];
    for config in [ranged(), Config { beacon_interval: Some(Span::from_millis(20)), ..requests() }] {
        let cell = cell_of(config, &places, "10 s", None);
        let moved =
            |event: &&(Time, Event)| matches!(event.1, Event::Medium { event: MediumEvent::Reaches { .. }, .. });
        assert!(cell.1.iter().filter(moved).count() >= 6);
        let seen = every_slot_is_counted_before_the_next_turn(&cell);
        assert!(seen.exact > 300 && seen.collided > 50, "{seen:?}");
    }
}

/// A station continues to count during a frame that it does not sense.
#[test]
fn counting_continues_during_a_frame_that_is_not_sensed() {
    let cell = cell_of(ranged(), &[at(0, 0), at(-200, 0), at(200, 0)], "5 s", None);
    let frame = |(_, event): &(Time, Event)| match event {
        Event::Medium { event: MediumEvent::Sent { from, frame, .. }, .. } if from.number() == 1 => {
            Some([frame.start, frame.start + frame.duration].map(Time::as_secs_f64))
        }
        _ => None,
    };
    let frames: Vec<[f64; 2]> = cell.1.iter().filter_map(frame).collect();
    let slot = cell.0.phy.slot.as_secs_f64();
    let beside = |(station, end, slots): &&(MediumStationId, f64, u64)| {
        let begin = end - slot * *slots as f64;
        station.number() == 2 && frames.iter().any(|[from, to]| begin < *to - slot && *end > from + slot)
    };
    let beside = counted(&cell).iter().filter(beside).count();
    assert!(beside > 10, "{beside}");
}
