//! Schemes of the base station in whole runs. One frame is lost on the radio link, and the tests check which node
//! retransmits it.

use sim::{FlowResult, Results};
use testkit::{TO_MOBILE, build_network, last_hop_text, run_network};

const WIRE: (&str, &str) = ("10 Mbps", "50 ms");

/// 200 segments.
const SMALL: &str = "bytes = \"200 kB\"\nmss = \"1000 B\"\nreceive_window = \"32 kB\"";

/// 200 segments over a wire of 50 ms and a radio link of 1 ms without a link layer; the 101st frame from the flow's
/// sender is lost.
fn one_loss(scheme: &str, ends: [&str; 2]) -> Results {
    one_loss_under([scheme; 2], ends)
}

/// The same transfer with the schemes of the base station and of the mobile.
fn one_loss_under([scheme, mobile]: [&str; 2], [from, to]: [&str; 2]) -> Results {
    let drop = if from == "mobile" { "drop_backward" } else { "drop" };
    let flow = format!("from = \"{from}\"\nto = \"{to}\"\n{SMALL}");
    let air = format!("channel = {{ kind = \"scripted\", {drop} = [100] }}");
    let text = last_hop_text(&format!("duration = \"100 s\"\nscheme = \"{scheme}\""), WIRE, &air, &flow);
    let own = format!("mobile = {{ kind = \"host\", scheme = \"{mobile}\" }}");
    let network = build_network(&text.replace("mobile = { kind = \"host\" }", &own));
    let results = run_network(&network);
    let lost: u64 = results.links[1].directions.iter().map(|direction| direction.frames_corrupted).sum();
    assert_eq!((lost, results.flows[0].bytes_delivered), (1, 200_000), "{scheme}");
    results
}

fn counted(results: &Results, name: &str) -> u64 {
    let counts = results.agents[1].iter().find(|(counter, _)| *counter == name);
    counts.unwrap_or_else(|| panic!("no {name} in {:?}", results.agents[1])).1
}

// covers [balakrishnan1995 3]: the sender is not notified of the loss and does not reduce cwnd.
#[test]
fn snoop_recovers_the_loss_without_the_sender() {
    let [without, with] = ["unmodified", "snoop"].map(|scheme| one_loss(scheme, ["server", "mobile"]));
    let sender = &with.flows[0].sender;
    assert_eq!((sender.segments_retransmitted, sender.fast_retransmits, sender.timeouts), (0, 0, 0));
    assert_eq!(counted(&with, "local_retransmissions"), 1);
    assert_eq!(counted(&with, "duplicates_passed"), 0);
    assert_eq!(without.flows[0].sender.fast_retransmits, 1);
    assert!(with.flows[0].elapsed < without.flows[0].elapsed);
}

/// The link layer retries through a fade, so that no packet is lost. One local timeout is premature, and the copy that
/// it sends is the only duplicate.
#[test]
fn premature_copy_of_snoop_causes_no_further_copies() {
    let air = "arq = { kind = \"stop-and-wait\", max_transmissions = 10000 }\n\
               channel = { kind = \"scripted\", bad = [[\"5 s\", \"5.5 s\"]] }";
    let network = build_network(&last_hop_text("duration = \"20 s\"\nscheme = \"snoop\"", WIRE, air, TO_MOBILE));
    let results = run_network(&network);
    let needless = ["local_timeouts", "local_retransmissions"].map(|name| counted(&results, name));
    assert_eq!((needless, results.flows[0].sender.segments_retransmitted), ([1, 0], 0));
}

/// Snoop ignores data from the mobile: the sender retransmits.
#[test]
fn snoop_ignores_data_from_the_mobile() {
    let [without, with] = ["unmodified", "snoop"].map(|scheme| one_loss(scheme, ["mobile", "server"]));
    assert_eq!(with.flows, without.flows);
    assert_eq!((counted(&with, "flows"), counted(&with, "packets_cached")), (0, 0));
}

// covers [balakrishnan1998]: the sender retransmits at the first marked duplicate without reducing cwnd.
#[test]
fn eln_makes_the_sender_retransmit_without_reducing_cwnd() {
    let [without, with] = ["unmodified", "eln"].map(|scheme| one_loss(scheme, ["mobile", "server"]));
    assert_eq!(without.flows[0].sender.fast_retransmits, 1);
    let sender = &with.flows[0].sender;
    assert_eq!((sender.segments_retransmitted, sender.fast_retransmits, sender.timeouts), (1, 0, 0));
    assert!(counted(&with, "acks_marked") > 3);
    assert!(with.flows[0].elapsed < without.flows[0].elapsed);
}

/// A sender without ELN ignores the mark.
#[test]
fn eln_mark_is_ignored_by_a_sender_without_eln() {
    let with = one_loss_under(["eln", "unmodified"], ["mobile", "server"]);
    assert!(counted(&with, "acks_marked") > 3);
    assert_eq!(with.flows, one_loss("unmodified", ["mobile", "server"]).flows);
}

/// A packet dropped by a full queue is congestion: the sender detects it and reduces cwnd, with and without Snoop.
#[test]
fn snoop_does_not_hide_congestion() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/snoop.toml")).unwrap();
    let text = text.replace("50 packets", "5 packets").replace("loss = 0.02", "loss = 0.0").replace("10 MB", "1 MB");
    let results = run_network(&build_network(&text));
    let dropped = results.links[1].directions[0].queue_full;
    assert!(dropped > 0);
    assert_eq!((counted(&results, "packets_lost_in_queue"), counted(&results, "local_retransmissions")), (dropped, 0));
    assert!(results.flows[0].sender.fast_retransmits > 0);
}

/// Four consecutive segments are lost, and the node's link layer reports each. The first is found by duplicates. Each
/// of the others waits for the timer, 1 s, or the doubled RTO where it is kept until the next RTT sample:
/// retransmissions give none. covers [goel1997 5.4.3], [RFC6298 s5.5]
#[test]
fn simple_icmp_waits_for_one_timeout_per_hole() {
    let waited = |back_off: &str| {
        let air = "arq = { kind = \"stop-and-wait\", max_transmissions = 1 }\n\
                   channel = { kind = \"scripted\", drop = [100, 101, 102, 103] }";
        let flow = format!("{TO_MOBILE}\n{SMALL}\ntcp.rto_back_off = \"{back_off}\"");
        let head = "duration = \"100 s\"\nscheme = \"simple-icmp\"";
        let results = run_network(&build_network(&last_hop_text(head, WIRE, air, &flow)));
        let FlowResult { sender, elapsed, .. } = &results.flows[0];
        assert_eq!((sender.fast_retransmits, sender.timeouts), (1, 3), "{back_off}");
        elapsed.as_nanos()
    };
    let [measured, acknowledged] = ["until-measured", "until-acknowledged"].map(waited);
    // 1 + 2 + 4 s, and 1 + 1 + 1 s.
    assert_eq!(measured - acknowledged, 4_000_000_000);
}
