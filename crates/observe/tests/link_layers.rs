//! Summary and explanation of transfers over each link layer.

use engine::{Span, Time};
use observe::explain::{Explain, FlowReport};
use observe::summary::summarize_results;
use path::{LinkDirection, LinkEvent, LinkId};
use sim::{Event, Network};
use testkit::{LINK_LAYERS, build_network, read_scenario, record_events, run_with_sink, thesis_text};

const FADES: &str = r#"{ kind = "two-state", mean_good = "1 s", mean_bad = "100 ms", loss_good = 0.02 }"#;

/// The thesis's network with another link layer.
fn over(arq: &str, head: &str, channel: &str, flow: &str) -> Network {
    build_network(&thesis_text(head, 20, channel, flow).replace("arq = \"stop-and-wait\"", &format!("arq = {arq}")))
}

/// The summary counts frames that delivered no packet, and packets without a frame, as often as they are in the event
/// stream. Without losses every parity frame counts. Eight segments sent at once are two blocks of four, with two
/// parity frames each.
#[test]
fn discarded_and_restored_packets_are_in_the_summary() {
    let counted = |arq: &str, channel: &str, flow: &str| {
        let text = thesis_text("", 20, channel, flow).replace("arq = \"stop-and-wait\"", &format!("arq = {arq}"));
        let network = build_network(&text);
        let (results, events) = record_events(&network);
        let of = |is: fn(&LinkEvent) -> bool| {
            let happened = |event: &&(Time, Event)| match &event.1 {
                Event::Link { hop, event, .. } => {
                    hop.link == LinkId::new(1) && hop.direction == LinkDirection::Forward && is(event)
                }
                _ => false,
            };
            events.iter().filter(happened).count() as u64
        };
        let discarded = of(|event| matches!(event, LinkEvent::FrameDiscarded { .. }));
        let recovered = of(|event| matches!(event, LinkEvent::Recovered { .. }));
        let direction = &summarize_results("", &read_scenario(&text), &network, &results).links[1].forward;
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
    let results = run_with_sink(network, &mut explain);
    explain.finish(results.ended).remove(0)
}

fn bad_air(report: &FlowReport) -> Span {
    let costs = report.findings.iter().filter(|finding| finding.kind == "bad-air").map(|finding| finding.cost);
    costs.fold(Span::ZERO, |sum, cost| sum + cost)
}

/// Three frames are lost, each of which occupied the link for 8.512 ms. They did not occupy it longer, because other
/// frames are sent during the wait for an acknowledgment.
#[test]
fn lost_frame_in_a_window_costs_its_transmission_time() {
    for arq in &LINK_LAYERS[..5] {
        let channel = "{ kind = \"scripted\", drop = [5, 9, 14] }";
        let flow = "bytes = \"100 KiB\"\nreceive_window = \"16 KiB\"";
        let report = explained(&over(arq, "", channel, flow));
        assert_eq!(bad_air(&report), Span::from_nanos(3 * 8_512_000), "{arq}: {:?}", report.findings);
    }
}

/// Frames and acknowledgments are lost. Needless transmissions, after a loss of only the acknowledgment, count as well.
#[test]
fn failed_attempt_costs_its_transmission_time() {
    let channel = "{ kind = \"uniform\", loss = 0.1 }";
    let flow = "bytes = \"200 KiB\"\nreceive_window = \"16 KiB\"";
    let network = over("{ kind = \"selective-repeat\", in_order = false }", "", channel, flow);
    let (results, events) = record_events(&network);
    let [there, back] = results.links[1].directions.map(|direction| direction.frames_corrupted + direction.duplicates);
    assert!(there > 30 && back > 30, "{there} {back}");
    assert!(events.iter().any(|(_, event)| matches!(event, Event::Link { event: LinkEvent::AckCorrupted { .. }, .. })));
    // 1064 and 40 bytes.
    let expected = Span::from_nanos(there * 8_512_000 + back * 320_000);
    assert_eq!(bad_air(&explained(&network)), expected);
}
