//! Media with positions: interference between cells, relays, handovers, and errors in such scenarios.

use engine::{Span, Time};
use path::MediumEvent;
use path::mac::dcf::FrameKind;
use sim::{Event, NodeEvent};
use testkit::{build_network, read_scenario, record_events, run_network};

/// Returns the goodput of two cells in these media. Each cell is an access point that sends to a mobile 10 m east of
/// it, and the cells are `apart` metres from each other.
fn two_cells(apart: u32, media: [&str; 2]) -> [f64; 2] {
    let text = format!(
        r#"
        duration = "5 s"
        [nodes]
        server = {{ kind = "host" }}
        left = {{ kind = "base-station", position = ["0 m", "0 m"] }}
        right = {{ kind = "base-station", position = ["{apart} m", "0 m"] }}
        a = {{ kind = "host", position = ["10 m", "0 m"] }}
        b = {{ kind = "host", position = ["{} m", "0 m"] }}
        [media]
        channel1 = {{ range = "100 m" }}
        CHANNEL6
        [links]
        left = {{ kind = "wired", between = ["server", "left"], rate = "100 Mbps", delay = "2 ms" }}
        right = {{ kind = "wired", between = ["server", "right"], rate = "100 Mbps", delay = "2 ms" }}
        a = {{ kind = "wireless", between = ["left", "a"], medium = "{}" }}
        b = {{ kind = "wireless", between = ["right", "b"], medium = "{}" }}
        [flows]
        a = {{ from = "server", to = "a" }}
        b = {{ from = "server", to = "b" }}
        "#,
        apart + 10,
        media[0],
        media[1],
    );
    let other = if media[0] == media[1] { "" } else { "channel6 = { range = \"100 m\" }" };
    let results = run_network(&build_network(&text.replace("CHANNEL6", other)));
    [0, 1].map(|flow| results.flows[flow].goodput_bps().unwrap())
}

#[test]
fn cells_share_capacity_if_near_and_in_one_medium() {
    let sum = |goodput: [f64; 2]| goodput[0] + goodput[1];
    let near = two_cells(50, ["channel1", "channel1"]);
    let channels = two_cells(50, ["channel1", "channel6"]);
    // The carrier-sense range is 220 m. At a distance of 300 m the cells are independent.
    let far = two_cells(300, ["channel1", "channel1"]);
    // A single cell has its full capacity; two cells in one medium share about the capacity of one: more senders have
    // less idle time and more collisions.
    assert!((0.85..1.15).contains(&(sum(near) / channels[0])), "{near:?} {channels:?}");
    for cell in 0..2 {
        assert!((0.97..1.03).contains(&(far[cell] / channels[cell])), "{far:?} {channels:?}");
    }
    assert!(near.iter().all(|goodput| *goodput > 0.3 * sum(near)), "{near:?}");
}

/// Two mobiles of one base station that do not sense each other.
#[test]
fn base_station_relays_between_its_mobiles() {
    let text = r#"
        duration = "20 s"
        [nodes]
        ap = { kind = "base-station", position = ["0 m", "0 m"] }
        a = { kind = "host", position = ["-80 m", "0 m"] }
        b = { kind = "host", position = ["80 m", "0 m"] }
        [media.cell]
        range = "100 m"
        [links]
        a = { kind = "wireless", between = ["ap", "a"], medium = "cell" }
        b = { kind = "wireless", between = ["ap", "b"], medium = "cell" }
        [flows.call]
        from = "a"
        to = "b"
        bytes = "1 MB"
    "#;
    let results = run_network(&build_network(text));
    assert_eq!(results.flows[0].bytes_delivered, 1_000_000);
    // Every packet is transmitted twice over the radio.
    let delivered = |link: usize| results.links[link].directions.map(|direction| direction.packets_delivered);
    assert_eq!(delivered(0)[1], delivered(1)[0]);
    assert!(delivered(0)[1] >= 685, "1,000,000 bytes are 685 segments of 1,460");
}

/// Returns a scenario in which a mobile walks from one access point to another, with further settings of the mobile,
/// the media and the flow.
fn walk(association: &str, media: [&str; 2], flow: &str) -> String {
    let two = if media[0] == media[1] { "" } else { "channel6 = { range = \"150 m\" }" };
    format!(
        r#"
        duration = "60 s"
        [nodes]
        server = {{ kind = "host" }}
        core = {{ kind = "router" }}
        west = {{ kind = "base-station", position = ["0 m", "0 m"] }}
        east = {{ kind = "base-station", position = ["200 m", "0 m"] }}
        [nodes.walker]
        kind = "host"
        position = ["-50 m", "0 m"]
        motion.velocity = ["5 m/s", "0 m/s"]
        {association}
        [media]
        channel1 = {{ range = "150 m" }}
        {two}
        [links]
        wire = {{ kind = "wired", between = ["server", "core"], rate = "100 Mbps", delay = "20 ms" }}
        to-west = {{ kind = "wired", between = ["core", "west"], rate = "100 Mbps", delay = "1 ms" }}
        to-east = {{ kind = "wired", between = ["core", "east"], rate = "100 Mbps", delay = "1 ms" }}
        air-west = {{ kind = "wireless", between = ["west", "walker"], medium = "{}" }}
        air-east = {{ kind = "wireless", between = ["east", "walker"], medium = "{}" }}
        [flows.download]
        from = "server"
        to = "walker"
        {flow}
        "#,
        media[0], media[1],
    )
}

/// Returns whole milliseconds, because the mobile leaves a cell one nanosecond after it was last in range.
fn millis(at: Time) -> u64 {
    at.as_nanos() / 1_000_000
}

/// The times in milliseconds at which the walker joined (true) or left a link, with the link.
fn moves(events: &[(Time, Event)]) -> Vec<(u64, bool, u32)> {
    let one = |(at, event): &(Time, Event)| match event {
        Event::Node { event: NodeEvent::Associated { link }, .. } => Some((millis(*at), true, link.number())),
        Event::Node { event: NodeEvent::Left { link }, .. } => Some((millis(*at), false, link.number())),
        _ => None,
    };
    events.iter().filter_map(one).collect()
}

#[test]
fn mobile_hands_over_to_the_nearer_base_station_after_a_gap() {
    for media in [["channel1", "channel6"], ["channel1", "channel1"]] {
        // Both are equally near at 100 m, after 30 s.
        let text = walk("association = { handover_gap = \"250 ms\" }", media, "bytes = \"20 MB\"");
        let (results, events) = record_events(&build_network(&text));
        assert_eq!(moves(&events), [(0, true, 3), (30_000, false, 3), (30_250, true, 4)], "{media:?}");
        assert!(results.flows[0].completed.is_some(), "{media:?}");
        assert_eq!(results.flows[0].bytes_delivered, 20_000_000);
        let fared = results.roaming[4].unwrap();
        assert_eq!((fared.handovers, fared.alone), (1, Span::from_millis(250)));
        // Lost packets are counted: at the old base station by its retries, or as unroutable.
        assert!(results.links[3].directions[0].given_up > 0, "{media:?}");
        let (from, to) = (Time::from_millis(30_010), Time::from_millis(30_250));
        let delivered = |hop: u32, from: Time, to: Time| {
            let on = |at: &Time, event: &Event| match event {
                Event::Link { hop: on, event: path::LinkEvent::Arrived { .. }, .. } => {
                    on.link.number() == hop && *at > from && *at < to
                }
                _ => false,
            };
            events.iter().filter(|(at, event)| on(at, event)).count()
        };
        assert_eq!(delivered(3, from, to) + delivered(4, from, to), 0, "{media:?}: no station listens in the gap");
        assert_eq!(delivered(3, to, Time::from_millis(60_000)), 0, "{media:?}");
        assert!(delivered(4, to, Time::from_millis(60_000)) > 100, "{media:?}");
    }
}

#[test]
fn hysteresis_is_a_ratio_of_signal_strengths() {
    // 6 dB at the fourth power are a factor of 10^(6/40) = 1.4125 in distance: x = 1.4125 (200 - x), x = 117.0998,
    // after 33.41995 s.
    let text =
        walk("association = { hysteresis = \"6 dB\" }", ["channel1", "channel6"], "bytes = \"1 MB\"\nstart = \"50 s\"");
    let (_, events) = record_events(&build_network(&text));
    assert_eq!(moves(&events), [(0, true, 3), (33_419, false, 3), (33_519, true, 4)]);
}

#[test]
fn mobile_leaves_a_base_station_out_of_range() {
    // Of two cells of 80 m, 200 m apart, the first ends after 26 s and the second begins after 34 s and ends after 66
    // s.
    let text = walk("association = {}", ["channel1", "channel6"], "bytes = \"1 MB\"\nstart = \"50 s\"");
    let text = text.replace("150 m", "80 m");
    let (results, events) = record_events(&build_network(&text));
    assert_eq!(moves(&events), [(0, true, 3), (26_000, false, 3), (34_000, true, 4)]);
    assert_eq!(results.roaming[4].unwrap().alone, Span::from_nanos(8_000_000_000 - 1));
    assert!(results.flows[0].completed.is_some());
}

#[test]
fn packets_without_a_base_station_are_counted_as_unroutable() {
    let text = walk("association = { handover_gap = \"2 s\" }", ["channel1", "channel6"], "");
    let results = run_network(&build_network(&text));
    let lost: u64 = results.no_route.iter().sum();
    assert!(results.no_route[1] > 0 && lost > 0, "{:?}", results.no_route);
}

#[test]
fn beacons_are_broadcast_and_not_acknowledged() {
    let text = walk("association = {}", ["channel1", "channel6"], "bytes = \"1 MB\"")
        .replace("range = \"150 m\"", "range = \"150 m\", beacon_interval = \"102.4 ms\"")
        .replace("\"60 s\"", "\"20 s\"")
        .replace("bytes = \"1 MB\"", "");
    let (_, events) = record_events(&build_network(&text));
    for medium in 0..2 {
        let beacons: Vec<_> = events
            .iter()
            .filter_map(|(at, event)| match event {
                Event::Medium { medium: on, event: MediumEvent::Sent { from, frame, .. } }
                    if on.index() == medium && frame.kind == FrameKind::Beacon =>
                {
                    Some((*at, from.number(), *frame))
                }
                _ => None,
            })
            .collect();
        // In 20 s there are 20 s / 102.4 ms = 195.3 target times. Only base stations send beacons, of 64 bytes at 1
        // Mbps: 192 + 512 us.
        assert!((195..=196).contains(&beacons.len()), "{}", beacons.len());
        assert!(beacons.iter().all(|(_, from, frame)| *from == 0 && frame.duration == Span::from_nanos(704_000)));
        // Beacons keep to their target times, and defer to frames in flight.
        let first = beacons[0].0.as_nanos() as i64;
        let late = beacons.iter().zip(0i64..).map(|((at, ..), n)| at.as_nanos() as i64 - first - n * 102_400_000);
        let (least, most) = late.fold((0, 0), |(least, most), late| (late.min(least), late.max(most)));
        assert!(most - least < 10_000_000, "{least} {most}");
    }
}

#[test]
fn scenario_with_positions_is_written_and_read_back() {
    let scenario = read_scenario(&walk("association = { hysteresis = \"2.5 dB\" }", ["channel1", "channel6"], ""));
    let written = toml::to_string(&scenario).unwrap();
    assert_eq!(testkit::read_scenario(&written), scenario);
    assert!(written.contains("\"-50 m\"") && written.contains("2.5 dB"), "{written}");
}
