//! Whole transfers over each link layer: the effect on TCP, the schemes, the node's buffer and `observe::explain`.

use std::ops::ControlFlow;

use engine::{Span, Time};
use lab::run::record;
use observe::explain::{Explain, FlowReport};
use observe::summary::summary;
use path::{LinkDirection, LinkEvent};
use sim::{Event, Network, Results};
use testkit::{build_network, read_scenario, record_events, run_network, thesis_text};

const FADES: &str = r#"{ kind = "two-state", mean_good = "1 s", mean_bad = "100 ms", loss_good = 0.02 }"#;
const LINK_LAYERS: [&str; 6] = [
    "{ kind = \"go-back-n\" }",
    "{ kind = \"go-back-n\", window = 3, max_transmissions = 4 }",
    "{ kind = \"selective-repeat\" }",
    "{ kind = \"selective-repeat\", window = 3, max_transmissions = 4 }",
    "{ kind = \"selective-repeat\", in_order = false }",
    "{ kind = \"fec\", data = 4, parity = 2 }",
];

/// The thesis's network with another link layer.
fn over(arq: &str, head: &str, channel: &str, flow: &str) -> Network {
    build_network(&thesis_text(head, 20, channel, flow).replace("arq = \"stop-and-wait\"", &format!("arq = {arq}")))
}

fn air(results: &Results) -> [path::link::Counters; 2] {
    results.links[1].directions
}

/// Every byte arrives, and a base station whose buffer holds four packets works to the end: packets that leave, are
/// acknowledged or given up release their buffer space exactly once.
#[test]
fn transfers_complete_and_buffer_space_is_released() {
    for arq in LINK_LAYERS {
        for buffer in ["", ", buffer = \"4256 B\""] {
            let text = thesis_text("", 20, FADES, "bytes = \"500 KiB\"\nreceive_window = \"16 KiB\"")
                .replace("arq = \"stop-and-wait\"", &format!("arq = {arq}"))
                .replace("kind = \"base-station\"", &format!("kind = \"base-station\"{buffer}"));
            let results = run_network(&build_network(&text));
            assert_eq!(results.flows[0].bytes_delivered, 500 << 10, "{arq}{buffer}");
            assert!(results.flows[0].completed.is_some(), "{arq}{buffer}");
            assert!(air(&results)[0].frames_corrupted > 10, "{arq}: the air did nothing");
            assert_eq!(results.buffer_full[1] > 0, !buffer.is_empty(), "{arq}{buffer}");
        }
    }
}

/// The base station's scheme is notified of each failed attempt, and the sender of the first and the last.
#[test]
fn icmp_schemes_get_the_same_notifications_from_window_arqs_as_from_stop_and_wait() {
    for arq in &LINK_LAYERS[..5] {
        for scheme in ["simple-icmp", "refined-icmp"] {
            let flow = "bytes = \"2 MiB\"\nreceive_window = \"16 KiB\"";
            let results = run_network(&over(arq, &format!("scheme = \"{scheme}\""), FADES, flow));
            let sender = results.flows[0].sender;
            assert!(sender.notices_defer > 10, "{arq}, {scheme}: {sender:?}");
            let given_up = air(&results)[0].given_up;
            assert!(given_up > 0, "{arq}, {scheme}: nothing was given up");
            let retransmit = if scheme == "refined-icmp" { given_up } else { 0 };
            // The message about a packet given up at the very end may still be in flight.
            assert!(
                sender.notices_retransmit <= retransmit && sender.notices_retransmit + 1 >= retransmit,
                "{arq}, {scheme}"
            );
        }
    }
    let silent = run_network(&over("{ kind = \"fec\" }", "scheme = \"refined-icmp\"", FADES, "bytes = \"200 KiB\""));
    assert_eq!(silent.flows[0].sender.notices_defer, 0, "parity has no feedback, so it learns of no failure");
}

/// Frames that delivered no packet and packets without a frame are counted in the summary, as many as in the event
/// stream; without losses every parity frame is counted. Eight segments at once are two blocks of four, with two parity
/// frames each.
#[test]
fn discarded_and_restored_packets_are_in_the_summary() {
    let counted = |arq: &str, channel: &str, flow: &str| {
        let text = thesis_text("", 20, channel, flow).replace("arq = \"stop-and-wait\"", &format!("arq = {arq}"));
        let network = build_network(&text);
        let (results, events) = record_events(&network);
        let of = |is: fn(&LinkEvent) -> bool| {
            let happened = |event: &&(Time, Event)| match &event.1 {
                Event::Link { hop, event, .. } => hop.link == 1 && hop.direction == LinkDirection::Forward && is(event),
                _ => false,
            };
            events.iter().filter(happened).count() as u64
        };
        let discarded = of(|event| matches!(event, LinkEvent::FrameDiscarded { .. }));
        let recovered = of(|event| matches!(event, LinkEvent::Recovered { .. }));
        let direction = &summary("", &read_scenario(&text), &network, &results).links[1].forward;
        let counters = [direction.frames_discarded, direction.packets_recovered];
        (counters, [discarded, recovered])
    };
    let flow = "bytes = \"500 KiB\"\nreceive_window = \"16 KiB\"";
    let (counters, events) = counted("{ kind = \"go-back-n\" }", FADES, flow);
    assert_eq!(counters, events);
    assert!(counters[0] > 0 && counters[1] == 0, "{counters:?}");
    let (counters, events) = counted(LINK_LAYERS[5], FADES, flow);
    assert!(counters[1] > 0 && counters[1] == events[1], "{counters:?} {events:?}");
    let at_once = "bytes = \"8 KiB\"\nreceive_window = \"16 KiB\"\ntcp.initial_window = 8";
    assert_eq!(counted(LINK_LAYERS[5], "\"perfect\"", at_once).0, [4, 0]);
}

fn explained(network: &Network) -> FlowReport {
    let mut explain = Explain::new(network);
    let results =
        record(network, &mut explain, |_| false, &mut |_| ControlFlow::Continue(())).expect("the run is not stopped");
    explain.finish(results.ended).remove(0)
}

fn bad_air(report: &FlowReport) -> Span {
    let costs = report.findings.iter().filter(|finding| finding.kind == "bad-air").map(|finding| finding.cost);
    costs.fold(Span::ZERO, |sum, cost| sum + cost)
}

/// Three frames are lost, and each occupied the link for 8.512 ms: not longer, since other frames are sent while its
/// acknowledgment is awaited.
#[test]
fn lost_frame_in_a_window_costs_its_transmission_time() {
    for arq in &LINK_LAYERS[..5] {
        let channel = "{ kind = \"scripted\", drop = [5, 9, 14] }";
        let flow = "bytes = \"100 KiB\"\nreceive_window = \"16 KiB\"";
        let report = explained(&over(arq, "", channel, flow));
        assert_eq!(bad_air(&report), Span::from_nanos(3 * 8_512_000), "{arq}: {:?}", report.findings);
    }
}

/// Frames and acknowledgments are lost; transmissions in vain, because only the acknowledgment was lost, count as well.
#[test]
fn failed_attempt_costs_its_transmission_time() {
    let channel = "{ kind = \"uniform\", loss = 0.1 }";
    let flow = "bytes = \"200 KiB\"\nreceive_window = \"16 KiB\"";
    let network = over("{ kind = \"selective-repeat\", in_order = false }", "", channel, flow);
    let (results, events) = record_events(&network);
    let [there, back] = air(&results).map(|direction| direction.frames_corrupted + direction.duplicates);
    assert!(there > 30 && back > 30, "{there} {back}");
    assert!(events.iter().any(|(_, event)| matches!(event, Event::Link { event: LinkEvent::AckCorrupted { .. }, .. })));
    // 1064 and 40 bytes.
    let expected = Span::from_nanos(there * 8_512_000 + back * 320_000);
    assert_eq!(bad_air(&explained(&network)), expected);
}

/// The radio link carries one segment per 8.512 ms; a window of one waits 2.112 ms for each, a window of 64 does not.
/// For 100 segments, the exchange of the last one, the 20 ms of wire in each direction, and the idle time of slow start
/// are the same.
#[test]
fn window_arq_keeps_the_link_busy() {
    let flow = "bytes = \"100 KiB\"\nreceive_window = \"64 KiB\"\ntcp.initial_window = 64";
    let took = |arq: &str| {
        let results = run_network(&over(arq, "", "\"perfect\"", flow));
        results.flows[0].elapsed.as_nanos()
    };
    let window = took("\"selective-repeat\"");
    assert_eq!(took("\"go-back-n\""), window);
    assert_eq!(took("\"stop-and-wait\"") - window, 99 * 2_112_000);
    assert_eq!(took("{ kind = \"selective-repeat\", window = 1 }") - window, 99 * 2_112_000);
}
