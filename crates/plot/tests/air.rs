//! Media: what was in the air, station by station, and how back-offs were counted down.

mod common;

use std::collections::BTreeMap;

use common::{cell, marks, span};
use engine::{Span, Time};
use path::mac::dcf::{Config, FrameKind, Phy};
use path::{AirFrame, MediumEvent, Reception};
use plot::{AirRecorder, MediumDescription, Options, Theme};
use sim::{Event, Sink};

type Events = Vec<(Time, Event)>;

fn draw(description: &MediumDescription, events: &Events, options: &Options) -> plot::Picture {
    let mut recorder = AirRecorder::new([(0, description)], options.from, options.to);
    events.iter().for_each(|(at, event)| recorder.event(*at, event));
    recorder.finish().draw(0, description, options)
}

fn at(micros: u64) -> Time {
    Time::from_nanos(1000 * micros)
}

fn us(micros: u64) -> Span {
    Span::from_nanos(1000 * micros)
}

fn stations(names: &[&str]) -> MediumDescription {
    let stations = names.iter().map(|name| (*name).to_owned()).collect();
    MediumDescription { name: "cell".into(), stations, phy: Phy::new(&Config::default()) }
}

fn sent(from: u32, to: u32, kind: FrameKind, [start, duration, reserves]: [u64; 3], again: bool) -> (Time, Event) {
    let frame = AirFrame {
        kind,
        start: at(start),
        duration: us(duration),
        size: 100,
        rate: "1 Mbps".parse().unwrap(),
        reserves: us(reserves),
        number: 3,
        again,
        packet: None,
    };
    (at(start), Event::Medium { medium: 0, event: MediumEvent::Sent { from, to, frame } })
}

fn ended(end: u64, from: u32, to: u32, kind: FrameKind, reception: Reception) -> (Time, Event) {
    (at(end + 1), Event::Medium { medium: 0, event: MediumEvent::Ended { from, to, kind, reception } })
}

fn back_off(time: u64, station: u32, slots: u32) -> (Time, Event) {
    (at(time), Event::Medium { medium: 0, event: MediumEvent::BackOff { station, slots, window: 31 } })
}

/// Whatever is in the air is drawn as what it is, and the legend tells which is which.
#[test]
fn every_kind_of_frame_is_drawn_and_explained() {
    use FrameKind::*;
    let words = ["rts", "cts", "data", "aggregate", "ack", "block-ack", "beacon"];
    for (kind, word) in [Rts, Cts, Data, Aggregate, Ack, BlockAck, Beacon].into_iter().zip(words) {
        let events = vec![sent(0, 1, kind, [100, 300, 0], false), ended(400, 0, 1, kind, Reception::Received)];
        let svg = draw(&stations(&["a", "b"]), &events, &Options::default()).svg();
        assert_eq!(marks(&svg, &format!("{word}-frame")), 1, "{word}");
        assert!(svg.contains(&format!(">{}</text>", kind.name())), "{word}");
    }
}

/// A slot is 20 us and DIFS is 50 us.
#[test]
fn a_countdown_stands_still_while_the_air_is_busy() {
    use FrameKind::{Ack, Data};
    let events = vec![
        sent(0, 1, Data, [1000, 500, 314], false),
        back_off(1200, 1, 10),
        ended(1500, 0, 1, Data, Reception::Received),
        sent(1, 0, Ack, [1511, 304, 0], false),
        ended(1815, 1, 0, Ack, Reception::Received),
        back_off(1816, 0, 4),
        // Idle from 1816 on: station 0 has counted 4 slots at 1816 + 50 + 80, and station 1 as many.
        sent(0, 1, Data, [1946, 500, 314], false),
        ended(2446, 0, 1, Data, Reception::Received),
        // Its answer is lost; both wait until what was reserved is over: 2447 + 314 + 50 + 6 slots.
        sent(1, 0, Data, [2931, 500, 314], true),
        ended(3431, 1, 0, Data, Reception::Corrupted),
    ];
    let options = Options { from: Some(at(900)), to: Some(at(3500)), ..Options::default() };
    let svg = draw(&stations(&["ap", "mobile"]), &events, &options).svg();
    // 2,600 us on some 900 pixels: a slot is 7 pixels, each has a bar of its own.
    assert_eq!(marks(&svg, "counted"), 4 + 4 + 6, "{svg}");
    assert_eq!(marks(&svg, "standing"), 3);
    assert_eq!((marks(&svg, "data-frame"), marks(&svg, "ack-frame"), marks(&svg, "again")), (2, 1, 1));
    assert_eq!((marks(&svg, "damaged"), marks(&svg, "frame-corrupted"), marks(&svg, "collided")), (1, 1, 0));
    for words in ["DATA 3 to mobile", "10 of 31", "4 of 31", "corrupted by the air", "sent again"] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(!svg.contains("RTS") && !svg.contains(">collided<"), "nothing is explained that is not there");
}

/// In a cell with collisions every slot that a station drew is counted before it sends again.
#[test]
fn every_slot_is_counted_before_the_next_turn() {
    let (description, events) = cell(6, "1 s");
    let mut recorder = AirRecorder::new([(0, &description)], None, None);
    events.iter().for_each(|(at, event)| recorder.event(*at, event));
    let mut left: BTreeMap<u32, i64> = BTreeMap::new();
    let counted = recorder.finish().counted(0);
    let mut parts = counted.iter().peekable();
    let (mut turns, mut collided) = (0, 0);
    for (time, event) in &events {
        let Event::Medium { event, .. } = event else { continue };
        match event {
            MediumEvent::Sent { from, frame, .. } if frame.kind == FrameKind::Data => {
                while let Some((station, _, slots)) =
                    parts.next_if(|(_, end, _)| *end <= frame.start.as_secs_f64() + 1e-9)
                {
                    *left.entry(*station).or_default() -= *slots as i64;
                }
                if let Some(left) = left.remove(from) {
                    assert_eq!(left, 0, "station {from} at {time:?}");
                    turns += 1;
                }
            }
            MediumEvent::BackOff { station, slots, .. } => {
                left.insert(*station, i64::from(*slots));
            }
            MediumEvent::Ended { reception: Reception::Collided, .. } => collided += 1,
            _ => {}
        }
    }
    assert!(turns > 300 && collided > 20, "{turns} turns, {collided} collisions");
}

#[test]
fn long_times_show_shares_and_stay_small() {
    let (description, events) = cell(20, "2 s");
    let svg = draw(&description, &events, &Options::default()).svg();
    assert!(marks(&svg, "data-share") > 300 && marks(&svg, "damaged-share") > 30);
    assert_eq!(marks(&svg, "data-frame") + marks(&svg, "counted"), 0);
    assert!(svg.contains("zoom in for frames") && svg.len() < 400_000, "{} bytes", svg.len());
    for name in &description.stations {
        assert!(svg.contains(&format!(">{name}<")), "{name}");
    }
    // A part of it in which each frame shows.
    let options = Options { from: Some(at(1_000_000)), to: Some(at(1_006_000)), ..Options::default() };
    let svg = draw(&description, &events, &options).svg();
    assert!(marks(&svg, "data-frame") > 3 && marks(&svg, "data-share") == 0);
}

/// What is left out while a part is recorded would not have shown.
#[test]
fn a_recorded_part_looks_like_that_part_of_the_whole() {
    let (description, events) = cell(4, "1 s");
    let mut recorder = AirRecorder::new([(0, &description)], None, None);
    events.iter().for_each(|(at, event)| recorder.event(*at, event));
    let whole = recorder.finish();
    for (from, to) in [("0 s", "5 ms"), ("100 ms", "108 ms"), ("500 ms", "900 ms"), ("2 s", "3 s")] {
        let [from, to] = [from, to].map(|text| Some(Time::ZERO + span(text)));
        let options = Options { from, to, ..Options::default() };
        let part = draw(&description, &events, &options).svg();
        assert!(part == whole.draw(0, &description, &options).svg(), "{from:?} to {to:?}");
    }
}

#[test]
fn anything_gives_a_picture() {
    let (description, events) = cell(3, "200 ms");
    let none = stations(&[]);
    for (width, height) in [(0, 0), plot::SMALLEST, (4000, 300), (400, 3000)] {
        for (description, events) in [(&description, &events), (&description, &Vec::new()), (&none, &events)] {
            let options = Options { width, height, theme: Theme::Dark, ..Options::default() };
            let picture = draw(description, events, &options);
            let svg = picture.svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.ends_with("</svg>\n"));
            assert!(picture.png(1.0).is_ok());
        }
    }
    let nothing = draw(&description, &Vec::new(), &Options::default()).svg();
    assert!(nothing.contains("nothing happened in this medium here"));
}

/// A thousand stations have a row each.
#[test]
fn many_stations_make_a_higher_picture() {
    let names: Vec<String> = (0..1000).map(|number| format!("station-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let events = vec![sent(999, 0, FrameKind::Data, [1000, 500, 314], false)];
    let picture = draw(&stations(&names), &events, &Options::default());
    assert!(picture.size().1 > 14_000 && picture.svg().contains(">station-999<"));
}
