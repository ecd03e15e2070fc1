//! Findings of `observe::explain` in shared media.
//!
//! Cells of 802.11b at 11 Mbps. Times in microseconds, by hand (docs/models/dcf.md): a segment of 1460 bytes is a frame
//! of 1536, 192 + 1118; its TCP acknowledgment a frame of 76, 192 + 56; a link acknowledgment 192 + 56; an RTS of 20
//! bytes at 2 Mbps 192 + 80. SIFS 10, DIFS 50, EIFS 364, a slot 20, the propagation delay 1, the acknowledgment timeout
//! 222. A first back-off is 0 to 31 slots, 15.5 on average.

use engine::Time;
use observe::explain::{Explain, Finding, FlowReport};
use path::mac::dcf::FrameKind;
use path::{LinkEvent, MediumEvent, MediumStationId};
use scenario::Overrides;
use sim::{Event, Network};
use testkit::{build_network, load_example, run_with_sink};

const DATA: f64 = 1310.0;
const TCP_ACK: f64 = 248.0;
const ACK: f64 = 248.0;
const RTS: f64 = 272.0;
const SIFS: f64 = 10.0;
const DIFS: f64 = 50.0;
const EIFS: f64 = 364.0;
const SLOT: f64 = 20.0;
const WAY: f64 = 1.0;
const WAIT: f64 = 222.0;
const MEAN_BACK_OFF: f64 = 15.5 * SLOT;
/// The mean first back-off.
const DEVIATION: f64 = 20.0 * 9.233;

/// The airtime of a frame and its acknowledgment, including the time until the next back-off starts.
fn exchange(frame: f64) -> f64 {
    DIFS + MEAN_BACK_OFF + frame + WAY + SIFS + ACK + WAY
}

/// A server, a wire of 100 Mbps, a base station, and hosts in its cell. `links` and `flows` are further settings of the
/// hosts' links and flows.
fn cell(head: &str, delay_ms: u32, hosts: &[&str], medium: &str, links: &str, flows: &str) -> String {
    let mut text = format!(
        r#"
        {head}
        [media.cell]
        standard = "802.11b"
        {medium}
        [nodes]
        server = {{ kind = "host" }}
        ap = {{ kind = "base-station", position = ["0 m", "0 m"] }}
        [links.wire]
        kind = "wired"
        between = ["server", "ap"]
        rate = "100 Mbps"
        delay = "{delay_ms} ms"
        "#
    );
    for (number, host) in hosts.iter().enumerate() {
        let x = if number % 2 == 0 { 200 } else { -200 };
        text += &format!(
            r#"
            [nodes.{host}]
            kind = "host"
            position = ["{x} m", "0 m"]
            [links.{host}]
            kind = "wireless"
            between = ["ap", "{host}"]
            medium = "cell"
            queue = "1000 packets"
            {links}
            "#
        );
    }
    text + flows
}

/// A download by one host of a cell, with a window of `segments` segments.
fn download(delay_ms: u32, segments: u64, bytes: u64, links: &str) -> String {
    let window = 1460 * segments;
    let flows = format!(
        "[flows.a]\nfrom = \"server\"\nto = \"a\"\nmss = \"1460 B\"\nbytes = \"{bytes} B\"\nreceive_window = \"{window} B\""
    );
    cell("duration = \"1000 s\"", delay_ms, &["a"], "", links, &flows)
}

/// An upload that starts at `at` microseconds.
fn upload(host: &str, at: u32, bytes: u64) -> String {
    format!(
        "[flows.{host}]\nfrom = \"{host}\"\nto = \"server\"\nstart = \"{at} us\"\nmss = \"1460 B\"\nbytes = \"{bytes} B\"\n"
    )
}

/// Runs the scenario and explains all flows; also returns all events.
fn watched(network: &Network) -> (Vec<FlowReport>, Vec<(Time, Event)>) {
    let mut sink = (Explain::new(network), Vec::new());
    let results = run_with_sink(network, &mut sink);
    (sink.0.finish(results.ended), sink.1)
}

fn explained(text: &str) -> Vec<FlowReport> {
    watched(&build_network(text)).0
}

fn of_kind<'a>(report: &'a FlowReport, kind: &'a str) -> impl Iterator<Item = &'a Finding> {
    report.findings.iter().filter(move |finding| finding.kind == kind)
}

/// The total cost of the findings of a kind.
fn cost(report: &FlowReport, kind: &str) -> f64 {
    of_kind(report, kind).map(|finding| finding.cost.as_secs_f64() * 1e6).sum()
}

fn micros(at: Time) -> f64 {
    at.as_secs_f64() * 1e6
}

fn took(report: &FlowReport) -> f64 {
    report.took.as_secs_f64() * 1e6
}

fn assert_micros(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.01, "{found} and not {expected}");
}

/// The slots of the first back-off drawn at `at` or later, and its time.
fn first_draw(events: &[(Time, Event)], at: f64) -> (f64, f64) {
    let draw = |(time, event): &(Time, Event)| match event {
        Event::Medium { event: MediumEvent::BackOff { slots, .. }, .. } if micros(*time) >= at => {
            Some((micros(*time), f64::from(*slots)))
        }
        _ => None,
    };
    events.iter().find_map(draw).expect("a back-off")
}

/// The start times of data frames on a link, given by its index.
fn frames(events: &[(Time, Event)], link: u32) -> Vec<f64> {
    let sent = events.iter().filter(
        |(_, event)| matches!(event, Event::Link { hop, event: LinkEvent::FrameSent { packet, .. }, .. } if hop.link.number() == link && packet.data().is_some()),
    );
    sent.map(|(at, _)| micros(*at)).collect()
}

/// One segment is sent per round trip R. The wire takes W = 2 x 100 ms plus the time of 8 x (1500 + 40) bits at 100
/// Mbps. R = W + data + SIFS + ACK + DIFS + back-off + acknowledgment, with three propagation delays; both exchanges
/// take c of R, with one back-off each.
#[test]
fn window_of_one_segment_costs_the_round_trip_less_two_exchanges() {
    let rounds = 400.0;
    let report = explained(&download(100, 1, 1460 * 400, "")).remove(0);
    let wire = 200_000.0 + 123.2;
    let trip = wire + DATA + WAY + SIFS + ACK + WAY + DIFS + MEAN_BACK_OFF + TCP_ACK + WAY;
    let expected = trip - exchange(DATA) - exchange(TCP_ACK);
    // The last round does not wait for data, and until the first segment is at the base station the slowest hop is
    // unknown; the first exchange is then attributed to the wire.
    let found = cost(&report, "receiver-window");
    let expected = (rounds - 1.0) * expected - wire / 2.0;
    let error = 3.0 * DEVIATION * rounds.sqrt() + exchange(DATA);
    assert!((found - expected).abs() < error, "{found} and not {expected}");
    assert!((took(&report) / rounds - trip).abs() < 3.0 * DEVIATION / rounds.sqrt(), "{report:?}");
    assert_eq!(report.lost_avoidably, report.lost);
}

/// With R and c of the test above, the cost for n segments is R - n c if the two stations count their back-offs in
/// turn. If they count them simultaneously, the cost is less by at most n times DIFS and a back-off.
#[test]
fn window_too_small_for_a_long_wire_costs_the_round_trip_less_its_exchanges() {
    let (segments, rounds) = (4.0, 300.0);
    let report = explained(&download(100, 4, 1460 * 4 * 300, "")).remove(0);
    let trip = took(&report) / rounds;
    let least = trip - segments * (exchange(DATA) + exchange(TCP_ACK));
    let found = cost(&report, "receiver-window") / rounds;
    // Slow start, three round trips of 300, is not attributed to the window.
    let bounds = 0.98 * least..least + segments * (DIFS + MEAN_BACK_OFF);
    assert!(bounds.contains(&found), "{found} in {bounds:?}");
}

/// A round trip of 20 ms and the exchanges of eleven segments.
#[test]
fn window_that_keeps_the_cell_busy_is_no_finding() {
    let report = explained(&download(10, 16, 1460 * 2000, "")).remove(0);
    assert!(cost(&report, "receiver-window") < 0.005 * took(&report), "{report:?}");
    assert!(cost(&report, "bad-air") == 0.0 && cost(&report, "contention") == 0.0, "{report:?}");
}

/// The cost of the window equals the gain of a larger window, with which the same bytes take the remaining time. With a
/// larger window the stations count their back-offs simultaneously more often, which saves at most DIFS and two
/// back-offs per additional exchange.
#[test]
fn larger_window_saves_the_reported_cost() {
    for segments in [2, 4, 6] {
        let small = explained(&download(20, segments, 1460 * 2000, "")).remove(0);
        let large = explained(&download(20, 64, 1460 * 2000, "")).remove(0);
        let left = took(&small) - cost(&small, "receiver-window");
        assert!(cost(&small, "receiver-window") > 0.2 * took(&small), "{segments}: {small:?}");
        let together = (DIFS + MEAN_BACK_OFF) / (exchange(DATA) + exchange(TCP_ACK));
        let bounds = left * (1.0 - together - 0.02)..left * 1.03;
        assert!(bounds.contains(&took(&large)), "{segments}: {} in {bounds:?}", took(&large));
    }
}

/// Ten hosts saturate the cell: a window of eight segments is large enough for each, and larger windows for all gain
/// nothing.
#[test]
fn window_is_no_finding_in_a_saturated_cell() {
    let hosts: Vec<String> = (0..10).map(|host| format!("h{host}")).collect();
    let names: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let run = |segments: u64| {
        let flow = |host: &String| {
            let window = 1460 * segments;
            format!(
                "[flows.{host}]\nfrom = \"{host}\"\nto = \"server\"\nmss = \"1460 B\"\nreceive_window = \"{window} B\"\n"
            )
        };
        let flows: String = hosts.iter().map(flow).collect();
        let network = build_network(&cell("duration = \"20 s\"", 10, &names, "", "", &flows));
        let bytes: u64 = testkit::run_network(&network).flows.iter().map(|flow| flow.bytes_delivered).sum();
        (watched(&network).0, bytes as f64)
    };
    let ((small, few), (_, many)) = (run(8), run(32));
    for report in &small {
        assert!(cost(report, "receiver-window") < 0.01 * took(report), "{report:?}");
        assert!(cost(report, "contention") > 0.5 * took(report), "{report:?}");
        assert!(report.lost_avoidably.as_secs_f64() < 0.05 * report.took.as_secs_f64(), "{report:?}");
    }
    assert!((many / few - 1.0).abs() < 0.03, "{many} and {few}");
}

/// The first segment is at the base station at 10.12 ms, when the channel is BAD: its first frame is lost, and
/// retransmitted after the acknowledgment timeout and a back-off.
#[test]
fn frame_lost_on_the_channel_costs_its_exchange() {
    let channel = "channel = { kind = \"scripted\", bad = [[\"10 ms\", \"11 ms\"]] }";
    let (reports, events) = watched(&build_network(&download(10, 1, 1460, channel)));
    let sent = frames(&events, 1);
    let (drawn, slots) = first_draw(&events, sent[0]);
    assert_micros(drawn - sent[0], DATA + WAIT);
    let found: Vec<&Finding> = of_kind(&reports[0], "bad-air").collect();
    assert_eq!(found.len(), 1, "{:?}", reports[0]);
    assert_micros(cost(&reports[0], "bad-air"), DATA + WAIT + slots * SLOT);
    assert_eq!([micros(found[0].from), micros(found[0].to)], [sent[0], sent[1]]);
    assert!(!found[0].avoidable && found[0].text.contains("1 attempt at segments failed on the channel of link a"));
}

/// Only the link acknowledgment is lost, and the station then defers for EIFS.
#[test]
fn link_acknowledgment_lost_on_the_channel_costs_the_exchange() {
    let channel = "channel = { kind = \"scripted\", bad = [[\"11.44 ms\", \"11.6 ms\"]] }";
    let (reports, events) = watched(&build_network(&download(10, 1, 1460, channel)));
    let sent = frames(&events, 1);
    let ended = sent[0] + DATA + WAY + SIFS + ACK + WAY;
    let slots = events.iter().find_map(|(time, event)| match event {
        Event::Medium { event: MediumEvent::BackOff { slots, window: 63, .. }, .. } => Some((micros(*time), *slots)),
        _ => None,
    });
    let (drawn, slots) = slots.expect("the back-off of the failure");
    assert_micros(drawn, ended);
    let expected = DATA + WAY + SIFS + ACK + WAY + EIFS + f64::from(slots) * SLOT;
    assert_micros(cost(&reports[0], "bad-air"), expected);
}

/// Two hosts start at the same moment. That an RTS was for a packet of the flow is known from the packet's first data
/// frame.
#[test]
fn frames_with_equal_start_times_collide() {
    for (medium, frame) in [("", DATA), ("rts_threshold = \"0 B\"", RTS)] {
        let flows = upload("a", 0, 1460) + &upload("b", 0, 1460);
        let text = cell("duration = \"5 s\"", 10, &["a", "b"], medium, "", &flows);
        let (reports, events) = watched(&build_network(&text));
        for (station, report) in [(1, &reports[0]), (2, &reports[1])] {
            let slots = events.iter().find_map(|(time, event)| match *event {
                Event::Medium { event: MediumEvent::BackOff { station: of, slots, .. }, .. }
                    if of.number() == station =>
                {
                    assert_micros(micros(*time), frame + WAIT);
                    Some(f64::from(slots))
                }
                _ => None,
            });
            let found: Vec<&Finding> = of_kind(report, "collision").collect();
            assert!(found[0].from == Time::ZERO && !found[0].avoidable, "{report:?}");
            assert_micros(found[0].cost.as_secs_f64() * 1e6, frame + WAIT + slots.unwrap() * SLOT);
            assert_eq!(cost(report, "hidden-terminal"), 0.0);
            assert_eq!(cost(report, "bad-air"), 0.0);
        }
    }
}

/// Two hosts 400 m apart, each 200 m from the base station; the second transmits during the frame of the first.
#[test]
fn frame_started_during_another_is_from_a_hidden_terminal() {
    let medium = "range = \"250 m\"\ncarrier_sense_range = \"300 m\"";
    let flows = upload("a", 0, 1460) + &upload("b", 500, 1460);
    let text = cell("duration = \"5 s\"", 10, &["a", "b"], medium, "", &flows);
    let (reports, events) = watched(&build_network(&text));
    for (station, begins, report) in [(1, 0.0, &reports[0]), (2, 500.0, &reports[1])] {
        let slots = events.iter().find_map(|(time, event)| match *event {
            Event::Medium { event: MediumEvent::BackOff { station: of, slots, .. }, .. } if of.number() == station => {
                assert_micros(micros(*time), begins + DATA + WAIT);
                Some(f64::from(slots))
            }
            _ => None,
        });
        let found: Vec<&Finding> = of_kind(report, "hidden-terminal").collect();
        assert_micros(micros(found[0].from), begins);
        assert!(found[0].avoidable, "{report:?}");
        let first = DATA + WAIT + slots.unwrap() * SLOT;
        assert!(found.iter().map(|found| found.cost.as_secs_f64() * 1e6).sum::<f64>() >= first - 0.01, "{report:?}");
        assert_eq!(cost(report, "collision"), 0.0, "{report:?}");
    }
}

/// The second host has data to send from 1 ms on, and the exchange of the first lasts until 1.57 ms.
#[test]
fn station_defers_to_transmissions_that_it_senses() {
    let flows = upload("a", 0, 1460) + &upload("b", 1000, 1460);
    let text = cell("duration = \"5 s\"", 10, &["a", "b"], "", "", &flows);
    let reports = explained(&text);
    let found: Vec<&Finding> = of_kind(&reports[1], "contention").collect();
    assert!(micros(found[0].from) == 1000.0 && !found[0].avoidable, "{:?}", reports[1]);
    assert_micros(cost(&reports[1], "contention"), DATA + WAY + SIFS + ACK + WAY - 1000.0);
    assert_eq!(cost(&reports[0], "contention"), 0.0, "{:?}", reports[0]);
}

/// Two hidden terminals wait for transmissions of the base station, and for the exchanges that it started.
#[test]
fn station_does_not_defer_to_hidden_terminals() {
    let medium = "range = \"250 m\"\ncarrier_sense_range = \"300 m\"";
    let flows = upload("a", 0, 146_000) + &upload("b", 500, 146_000);
    let text = cell("duration = \"60 s\"", 10, &["a", "b"], medium, "", &flows);
    let (reports, events) = watched(&build_network(&text));
    const BASE_STATION: MediumStationId = MediumStationId::new(0);
    let heard = |event: &Event| match event {
        Event::Medium { event: MediumEvent::Sent { from: BASE_STATION, frame, .. }, .. } if frame.kind.is_answer() => {
            ACK + WAY
        }
        // The airtime includes the acknowledgment timeout, which is as long as an acknowledgment.
        Event::Medium { event: MediumEvent::Sent { from: BASE_STATION, .. }, .. } => TCP_ACK + WAY + SIFS + ACK + WAY,
        _ => 0.0,
    };
    let most: f64 = events.iter().map(|(_, event)| heard(event)).sum();
    for report in &reports {
        let found = cost(report, "contention");
        assert!(found > 0.0 && found < most, "{found} of {most}");
    }
    let others = |from: u32| frames(&events, from - 1).len() as f64 * DATA;
    assert!(most < others(2).min(others(3)), "the bound is too weak: {most}");
}

/// The example's transfer saturates either cell. If the first cell is slower, it is not the slowest link any more after
/// the mobile has left it and it is idle. A wire is not the slowest link during failing attempts at the old base
/// station, either.
#[test]
fn cell_that_the_mobile_has_left_is_not_the_slowest_link() {
    for rate in ["11 Mbps", "5.5 Mbps"] {
        let set = vec![format!("links.air-west.rate=\"{rate}\"")];
        let loaded = load_example("handover.toml", &Overrides { set, ..Overrides::default() });
        let report = watched(&loaded.network).0.remove(0);
        assert!(cost(&report, "receiver-window") < 0.01 * took(&report), "{rate}: {:?}", report.kinds());
        // The mobile leaves the range before the handover: frames in flight are not received.
        assert!(cost(&report, "bad-air") > 0.0, "{rate}: {:?}", report.kinds());
    }
}

/// If one fragment is lost, only this fragment is retransmitted, and only the transmission after the last
/// acknowledgment was needless. Here the second fragment is lost. 512 bytes take 192 + 8 x 512 / 11 = 565.
#[test]
fn only_the_lost_fragment_has_a_cost() {
    let fragment = 565.0;
    let second = 10_120.0 + fragment + WAY + SIFS + ACK + WAY + SIFS;
    let bad = [second + 100.0, second + 200.0].map(|micros| micros as u64);
    let channel = format!("channel = {{ kind = \"scripted\", bad = [[\"{} us\", \"{} us\"]] }}", bad[0], bad[1]);
    let medium = "[media.cell]\nfragmentation_threshold = \"512 B\"";
    let text = download(10, 1, 1460, &channel).replace("[media.cell]", medium);
    let (reports, events) = watched(&build_network(&text));
    let (drawn, slots) = first_draw(&events, second);
    assert_micros(drawn - second, fragment + WAIT);
    assert_micros(cost(&reports[0], "bad-air"), fragment + WAIT + slots * SLOT);
}

/// The channel is BAD for ten microseconds in the middle of an aggregate, and damages one of its packets. The cost is
/// the part of the frame with that packet.
#[test]
fn damaged_packet_of_an_aggregate_costs_its_part_of_the_frame() {
    let run = |channel: &str| {
        let flow = "[flows.a]\nfrom = \"server\"\nto = \"a\"\nmss = \"1460 B\"\nreceive_window = \"256 KiB\"\n";
        let text = cell("duration = \"1.2 s\"", 5, &["a"], "", channel, flow);
        watched(&build_network(&text.replace("802.11b\"", "802.11n\"\naggregation = {}")))
    };
    // The first aggregate of more than two packets after 1 s, with its number of packets.
    let (reports, events) = run("");
    assert_eq!(cost(&reports[0], "bad-air"), 0.0);
    let sent = events.iter().enumerate().find_map(|(place, (at, event))| match event {
        Event::Medium { event: MediumEvent::Sent { frame, .. }, .. }
            if frame.kind == FrameKind::Aggregate && micros(*at) > 1e6 && frame.duration.as_secs_f64() > 1e-3 =>
        {
            Some((place, micros(*at), frame.duration.as_secs_f64() * 1e6))
        }
        _ => None,
    });
    let (place, start, duration) = sent.expect("an aggregate");
    let is_packet = |event: &Event| matches!(event, Event::Link { event: LinkEvent::FrameSent { .. }, .. });
    let packets = events[..place].iter().rev().take_while(|(_, event)| is_packet(event)).count() as f64;
    assert!(packets > 2.0);
    // The BAD time lies in the middle of the second packet.
    let bad = (start + 36.0 + (duration - 36.0) * 1.5 / packets) as u64;
    let channel = format!("channel = {{ kind = \"scripted\", bad = [[\"{bad} us\", \"{} us\"]] }}", bad + 10);
    let (reports, _) = run(&channel);
    assert_micros(cost(&reports[0], "bad-air"), duration / packets);
}
