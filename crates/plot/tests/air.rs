//! Pictures of media: frames by station, and counted back-offs.

use crate::common;

use common::{cell, marks, span};
use engine::{Span, Time};
use path::mac::dcf::{Config, FrameKind, Phy};
use path::{AirFrame, MediumEvent, MediumId, MediumStationId, Reach, Reception, SeqBitmap};
use plot::{AirRecorder, MediumDescription, PictureOptions, Theme};
use sim::{Event, Sink};

type Events = Vec<(Time, Event)>;

fn draw(description: &MediumDescription, events: &Events, options: &PictureOptions) -> plot::Picture {
    let mut recorder = AirRecorder::new([(MediumId::new(0), description)], options.from, options.to);
    events.iter().for_each(|(at, event)| recorder.event(*at, event));
    recorder.finish().draw(MediumId::new(0), description, options)
}

fn at(micros: u64) -> Time {
    Time::from_nanos(1000 * micros)
}

fn us(micros: u64) -> Span {
    Span::from_nanos(1000 * micros)
}

fn stations(names: &[&str]) -> MediumDescription {
    let stations = names.iter().map(|name| (*name).to_owned()).collect();
    MediumDescription { name: "cell".into(), stations, phy: Phy::new(&Config::default()), apart: Vec::new() }
}

fn sent(from: u32, to: u32, kind: FrameKind, [start, duration, reserves]: [u64; 3], again: bool) -> (Time, Event) {
    let [from, to] = [from, to].map(MediumStationId::new);
    let frame = AirFrame {
        kind,
        start: at(start),
        duration: us(duration),
        size: 100,
        rate: "1 Mbps".parse().unwrap(),
        reserves: us(reserves),
        packets: SeqBitmap::single(3),
        again,
    };
    (at(start), Event::Medium { medium: MediumId::new(0), event: MediumEvent::Sent { from, to, frame, packet: None } })
}

/// An aggregate that carries these packets, or its block acknowledgment.
fn aggregate(from: u32, to: u32, kind: FrameKind, [start, duration]: [u64; 2], packets: &[u64]) -> (Time, Event) {
    let (time, mut event) = sent(from, to, kind, [start, duration, 0], false);
    if let Event::Medium { event: MediumEvent::Sent { frame, .. }, .. } = &mut event {
        frame.packets = packets.iter().copied().collect();
    }
    (time, event)
}

fn ended(end: u64, from: u32, to: u32, kind: FrameKind, reception: Reception) -> (Time, Event) {
    let [from, to] = [from, to].map(MediumStationId::new);
    (
        at(end + 1),
        Event::Medium {
            medium: MediumId::new(0),
            event: MediumEvent::Ended { from, to, kind, reception, damaged: SeqBitmap::empty_from(3) },
        },
    )
}

fn back_off(time: u64, station: u32, slots: u32) -> (Time, Event) {
    let station = MediumStationId::new(station);
    (at(time), Event::Medium { medium: MediumId::new(0), event: MediumEvent::BackOff { station, slots, window: 31 } })
}

/// Each kind of frame has its own CSS class and a legend entry.
#[test]
fn every_kind_of_frame_is_drawn_and_explained() {
    use FrameKind::*;
    let words = ["rts", "cts", "data", "aggregate", "ack", "block-ack", "beacon"];
    for (kind, word) in [Rts, Cts, Data, Aggregate, Ack, BlockAck, Beacon].into_iter().zip(words) {
        let events = vec![sent(0, 1, kind, [100, 300, 0], false), ended(400, 0, 1, kind, Reception::Received)];
        let svg = draw(&stations(&["a", "b"]), &events, &PictureOptions::default()).svg();
        assert_eq!(marks(&svg, &format!("{word}-frame")), 1, "{word}");
        assert!(svg.contains(&format!(">{}</text>", kind.name())), "{word}");
    }
}

/// The label of an aggregate shows the number of its packets and of damaged ones.
#[test]
fn aggregate_label_counts_packets_and_damaged_ones() {
    use FrameKind::{Aggregate, BlockAck};
    let (first, second): (Vec<u64>, Vec<u64>) = ((12..28).collect(), (26..40).filter(|number| *number != 30).collect());
    let mut damaged = ended(2500, 0, 1, Aggregate, Reception::Received);
    if let Event::Medium { event: MediumEvent::Ended { damaged, .. }, .. } = &mut damaged.1 {
        *damaged = [27, 39].into_iter().collect();
    }
    let came: Vec<u64> = second.iter().copied().filter(|number| ![27, 39].contains(number)).collect();
    let events = vec![
        aggregate(0, 1, Aggregate, [0, 1000], &first),
        ended(1000, 0, 1, Aggregate, Reception::Received),
        aggregate(1, 0, BlockAck, [1011, 300], &first),
        ended(1311, 1, 0, BlockAck, Reception::Received),
        aggregate(0, 1, Aggregate, [1500, 1000], &second),
        damaged,
        aggregate(1, 0, BlockAck, [2511, 5], &came),
        ended(2516, 1, 0, BlockAck, Reception::Received),
        aggregate(0, 1, Aggregate, [2600, 10], &[40]),
        ended(2610, 0, 1, Aggregate, Reception::Collided),
    ];
    let options = PictureOptions { to: Some(at(3200)), ..PictureOptions::default() };
    let svg = draw(&stations(&["ap", "laptop"]), &events, &options).svg();
    for words in [
        ">A-MPDU to laptop: 16 packets, 12 to 27<",
        ">A-MPDU to laptop: 13 packets of 26 to 39, 2 damaged<",
        "30 packets in 3 aggregates, 2 damaged",
        ">some of its packets corrupted by the channel<",
        ">BLOCK-ACK: 11 packets<",
    ] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
    assert_eq!((marks(&svg, "frame-corrupted"), marks(&svg, "collided"), marks(&svg, "damaged")), (1, 1, 1));
    assert_eq!((marks(&svg, "aggregate-frame"), marks(&svg, "block-ack-frame")), (2, 2));
    assert!(!svg.contains(">corrupted by the air</text>"), "no frame is corrupted as a whole");
}

/// The label above a narrow frame stands beside the frame's mark, for each kind of mark.
#[test]
fn label_of_a_frame_is_next_to_its_mark() {
    use FrameKind::Data;
    let place = |reception: Reception| -> f64 {
        let events = vec![
            sent(0, 1, Data, [1000, 20, 0], false),
            ended(1020, 0, 1, Data, reception),
            sent(1, 0, Data, [3000, 20, 0], false),
        ];
        let options = PictureOptions { to: Some(at(4000)), ..PictureOptions::default() };
        let svg = draw(&stations(&["ap", "laptop"]), &events, &options).svg();
        let line =
            svg.lines().find(|line| line.ends_with(">DATA 3 to laptop</text>") || line.ends_with(">DATA 3</text>"));
        let x = line.expect("words").split("x=\"").nth(1).expect("a place");
        x.split('"').next().unwrap().parse().unwrap()
    };
    let plain = place(Reception::Received);
    for marked in [Reception::Collided, Reception::Corrupted, Reception::Unheard] {
        assert!(place(marked) > plain + 8.0, "{marked:?}: {} and {plain}", place(marked));
    }
}

/// The heading names the pairs of stations that do not sense each other. Otherwise overlapping frames and back-offs
/// would look wrong.
#[test]
fn heading_names_pairs_that_do_not_sense_each_other() {
    let [west, east, south] = [1, 2, 3].map(MediumStationId::new);
    let reaches = |micros: u64, a: MediumStationId, b: MediumStationId, reach: Reach| {
        (at(micros), Event::Medium { medium: MediumId::new(0), event: MediumEvent::Reaches { a, b, reach } })
    };
    let mut description = stations(&["ap", "west", "east", "south"]);
    description.apart = vec![(west, east, Reach::Nothing), (west, south, Reach::Senses)];
    let svg_of = |events: &Events, [from, to]: [u64; 2]| {
        let options = PictureOptions { from: Some(at(from)), to: Some(at(to)), ..PictureOptions::default() };
        draw(&description, events, &options).svg()
    };
    let mut events = vec![sent(0, 1, FrameKind::Data, [100, 300, 0], false)];
    assert!(svg_of(&events, [0, 1000]).contains("west and east do not sense each other"));
    events.push(reaches(500, east, west, Reach::Senses));
    events.push(reaches(2000, south, east, Reach::Nothing));
    assert!(svg_of(&events, [0, 1000]).contains("west and east do not always sense each other"));
    assert!(
        !svg_of(&events, [600, 1000]).contains("sense each other"),
        "the stations sense each other, though they cannot read frames"
    );
    assert!(svg_of(&events, [400, 3000]).contains("2 pairs do not always sense each other"));
    assert!(svg_of(&events, [2500, 3000]).contains("east and south do not sense each other"));
}

/// A slot is 20 us and DIFS is 50 us.
#[test]
fn back_off_freezes_while_the_medium_is_busy() {
    use FrameKind::{Ack, Data};
    let events = vec![
        sent(0, 1, Data, [1000, 500, 314], false),
        back_off(1200, 1, 10),
        ended(1500, 0, 1, Data, Reception::Received),
        sent(1, 0, Ack, [1511, 304, 0], false),
        ended(1815, 1, 0, Ack, Reception::Received),
        back_off(1816, 0, 4),
        // The medium is idle from 1816 on. Both stations have counted 4 slots at 1816 + 50 + 80.
        sent(0, 1, Data, [1946, 500, 314], false),
        ended(2446, 0, 1, Data, Reception::Received),
        // The response is lost. Both stations wait for the end of the reservation: 2447 + 314 + 50 + 6 slots.
        sent(1, 0, Data, [2931, 500, 314], true),
        ended(3431, 1, 0, Data, Reception::Corrupted),
    ];
    let options = PictureOptions { from: Some(at(900)), to: Some(at(3500)), ..PictureOptions::default() };
    let svg = draw(&stations(&["ap", "mobile"]), &events, &options).svg();
    // 2,600 us are drawn on some 900 pixels. A slot is 7 pixels wide and has its own bar.
    assert_eq!(marks(&svg, "counted"), 4 + 4 + 6, "{svg}");
    assert_eq!(marks(&svg, "standing"), 3);
    assert_eq!((marks(&svg, "data-frame"), marks(&svg, "ack-frame"), marks(&svg, "again")), (2, 1, 1));
    assert_eq!((marks(&svg, "damaged"), marks(&svg, "frame-corrupted"), marks(&svg, "collided")), (1, 1, 0));
    for words in ["DATA 3 to mobile", "10 of 31", "4 of 31", "corrupted by the channel", "sent again"] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(!svg.contains("RTS") && !svg.contains(">collided<"), "the legend explains only visible elements");
}

#[test]
fn long_interval_shows_shares_in_a_small_file() {
    let (description, events) = cell(20, "2 s");
    let svg = draw(&description, &events, &PictureOptions::default()).svg();
    assert!(marks(&svg, "data-share") > 300 && marks(&svg, "damaged-share") > 30);
    assert_eq!(marks(&svg, "data-frame") + marks(&svg, "counted"), 0);
    assert!(svg.contains("zoom in for frames") && svg.len() < 400_000, "{} bytes", svg.len());
    for name in &description.stations {
        assert!(svg.contains(&format!(">{name}<")), "{name}");
    }
    assert!(svg.contains(">DATA<") && svg.contains(">ACK<"), "no other kind of frame was sent");
    // A part short enough to show single frames.
    let options = PictureOptions { from: Some(at(1_000_000)), to: Some(at(1_006_000)), ..PictureOptions::default() };
    let svg = draw(&description, &events, &options).svg();
    assert!(marks(&svg, "data-frame") > 3 && marks(&svg, "data-share") == 0);
}

/// The legend names every kind of frame that takes a share, beacons included.
#[test]
fn legend_of_shares_names_kinds_of_frames() {
    use FrameKind::{Ack, Aggregate, Beacon, BlockAck, Cts, Data, Rts};
    let events = |kinds: &[FrameKind]| -> Events {
        let mut events = Vec::new();
        for number in 0..400 {
            let (kind, from) = (kinds[number % kinds.len()], 100 * number as u64);
            events.push(sent(0, 1, kind, [from, 80, 0], false));
            events.push(ended(from + 80, 0, 1, kind, Reception::Received));
        }
        events
    };
    let svg = |kinds: &[FrameKind]| draw(&stations(&["a", "b"]), &events(kinds), &PictureOptions::default()).svg();
    let all = svg(&[Rts, Cts, Data, Aggregate, Ack, BlockAck, Beacon]);
    assert!(all.contains(">DATA, A-MPDU<") && all.contains(">RTS, CTS, ACK, BLOCK-ACK, BEACON<"), "{all}");
    let few = svg(&[Data, Beacon]);
    assert!(few.contains(">DATA<") && few.contains(">BEACON<") && !few.contains("ACK"), "{few}");
    assert!(marks(&few, "data-share") > 10 && marks(&few, "other-share") > 10);
}

/// Events outside of the recorded interval do not change the picture.
#[test]
fn partial_recording_draws_like_the_full_recording() {
    let (description, events) = cell(4, "1 s");
    let mut recorder = AirRecorder::new([(MediumId::new(0), &description)], None, None);
    events.iter().for_each(|(at, event)| recorder.event(*at, event));
    let full = recorder.finish();
    for (from, to) in [("0 s", "5 ms"), ("100 ms", "108 ms"), ("500 ms", "900 ms"), ("2 s", "3 s")] {
        let [from, to] = [from, to].map(|text| Some(Time::ZERO + span(text)));
        let options = PictureOptions { from, to, ..PictureOptions::default() };
        let part = draw(&description, &events, &options).svg();
        assert!(part == full.draw(MediumId::new(0), &description, &options).svg(), "{from:?} to {to:?}");
    }
}

#[test]
fn any_size_and_empty_input_give_a_picture() {
    let (description, events) = cell(3, "200 ms");
    let none = stations(&[]);
    for (width, height) in [(0, 0), plot::MIN_SIZE, (4000, 300), (400, 3000)] {
        for (description, events) in [(&description, &events), (&description, &Vec::new()), (&none, &events)] {
            let options = PictureOptions { width, height, theme: Theme::Dark, ..PictureOptions::default() };
            let picture = draw(description, events, &options);
            let svg = picture.svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.ends_with("</svg>\n"));
            assert!(picture.png(1.0).is_ok());
        }
    }
    let nothing = draw(&description, &Vec::new(), &PictureOptions::default()).svg();
    assert!(nothing.contains("no events of this medium here"));
}

/// Each of 1000 stations has a row.
#[test]
fn picture_grows_to_one_row_per_station() {
    let names: Vec<String> = (0..1000).map(|number| format!("station-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let events = vec![sent(999, 0, FrameKind::Data, [1000, 500, 314], false)];
    let picture = draw(&stations(&names), &events, &PictureOptions::default());
    assert!(picture.size().1 > 14_000 && picture.svg().contains(">station-999<"));
}
