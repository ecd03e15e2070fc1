//! Whole runs of the schemes that filter acknowledgments and data, and of the schemes that freeze senders.

use sim::{FlowResult, Results};
use testkit::{TO_MOBILE, build_network, last_hop_text, run_network};

const BYTES: u64 = 1_000_000;

/// A download over a channel that is BAD at the given times; `head` and `flow` are TOML.
fn download(head: &str, channel: &str, flow: &str) -> Results {
    let head = format!("{head}\nduration = \"600 s\"");
    let to_mobile = format!("{TO_MOBILE}\nbytes = \"{BYTES} B\"\nmss = \"1000 B\"\nreceive_window = \"40 kB\"\n{flow}");
    let text = last_hop_text(&head, ("8 Mbps", "100 ms"), &format!("channel = {channel}"), &to_mobile);
    let results = run_network(&build_network(&text));
    assert_eq!(results.flows[0].bytes_delivered, BYTES, "{head} {flow}: {results:?}");
    assert!(results.flows[0].completed.is_some(), "{head} {flow}");
    results
}

fn flow(head: &str, channel: &str, flow: &str) -> FlowResult {
    download(head, channel, flow).flows.remove(0)
}

/// Three seconds without reception.
const GONE: &str = r#"{ kind = "scripted", bad = [["3 s", "6 s"]] }"#;
const FREEZE: &str = r#"scheme = { kind = "freeze-tcp", warning = "300 ms" }"#;
const VARIANTS: [&str; 5] = ["tahoe", "reno", "newreno", "sack", "rack"];

/// The warning time is longer than the round trip: everything in flight arrives, and the sender pauses for slightly
/// more than three seconds.
#[test]
fn freeze_tcp_loses_no_packet() {
    for variant in VARIANTS {
        let tcp = format!("tcp.variant = \"{variant}\"");
        let still = flow(r#"scheme = "freeze-tcp""#, "\"perfect\"", &tcp);
        let frozen = flow(FREEZE, GONE, &tcp);
        assert_eq!((frozen.sender.segments_retransmitted, frozen.sender.timeouts), (0, 0), "{variant}");
        // The disconnection, the warning time, and a round trip of 202 ms until the first segment arrives, less the
        // queuing delay.
        let lost = frozen.elapsed.as_secs_f64() - still.elapsed.as_secs_f64();
        assert!((3.1..3.6).contains(&lost), "{variant}: {lost} s");
        let unmodified = flow("", GONE, &tcp);
        assert!(unmodified.sender.timeouts > 0 && unmodified.elapsed > frozen.elapsed, "{variant}");
    }
}

/// M-TCP reacts after the disconnection has begun: data in flight is retransmitted, without a timeout.
#[test]
fn m_tcp_does_not_reduce_cwnd_for_a_disconnection() {
    for variant in VARIANTS {
        let tcp = format!("tcp.variant = \"{variant}\"");
        let frozen = flow(r#"scheme = "m-tcp""#, GONE, &tcp);
        assert_eq!(frozen.sender.timeouts, 0, "{variant}");
        assert!(frozen.sender.segments_retransmitted > 0, "{variant}");
        let unmodified = flow("", GONE, &tcp);
        assert!(unmodified.elapsed > frozen.elapsed, "{variant}: {:?} {:?}", unmodified.elapsed, frozen.elapsed);
        let linux = flow(r#"scheme = "m-tcp""#, GONE, &format!("{tcp}\ntcp.zero_window = \"retransmit\""));
        assert!(linux.sender.timeouts > 0, "{variant}: a sender that does not wait is not frozen");
    }
}

/// A channel without losses: the withheld byte takes some time, but no packet is lost or retransmitted.
#[test]
fn withheld_acknowledgment_is_sent_in_the_end() {
    for tcp in [
        "",
        "tcp = { handshake = true, close = true }",
        "tcp = { variant = \"linux\", handshake = true, close = true }",
    ] {
        let kept = flow(r#"scheme = "m-tcp""#, "\"perfect\"", tcp);
        assert_eq!((kept.sender.segments_retransmitted, kept.sender.timeouts), (0, 0), "{tcp}");
    }
}

/// The withheld byte belongs to a segment that the mobile has received. A lost segment after it is still found by
/// duplicates, and retransmissions do not exceed those without the scheme.
#[test]
fn withheld_acknowledgment_hides_no_loss() {
    for variant in ["reno", "newreno", "sack", "rack"] {
        let tcp = format!("tcp.variant = \"{variant}\"");
        let [kept, whole] = [r#"scheme = "m-tcp""#, ""].map(|head| {
            let sender = flow(head, r#"{ kind = "scripted", drop = [200] }"#, &tcp).sender;
            (sender.timeouts, sender.segments_retransmitted)
        });
        assert_eq!(kept, whole, "{variant}");
        assert_eq!(kept.0, 0, "{variant}");
    }
}

/// The link layer gives up long before the silence timer expires.
#[test]
fn m_tcp_reacts_to_the_link_layer() {
    let air = format!("{GONE}\narq = \"stop-and-wait\"");
    let timeouts = |link_failures: bool| {
        let head = format!(r#"scheme = {{ kind = "m-tcp", ack_timeout = "5 s", link_failures = {link_failures} }}"#);
        flow(&head, &air, "").sender.timeouts
    };
    assert_eq!(timeouts(true), 0);
    assert!(timeouts(false) > 0);
}

const LOSSES: &str = r#"{ kind = "uniform", loss = 0.02 }"#;

/// [packetcontrol2014 5 A]: "threshold of three" and "no packet control" overlap.
#[test]
fn duplicate_threshold_of_three_has_no_effect() {
    for variant in ["tahoe", "reno", "newreno"] {
        let tcp = format!("tcp.variant = \"{variant}\"");
        let filtered =
            download(r#"scheme = { kind = "packet-control", threshold = 3, data_filter = false }"#, LOSSES, &tcp);
        let plain = download("", LOSSES, &tcp);
        assert_eq!(
            (filtered.flows, filtered.links, filtered.events),
            (plain.flows, plain.links, plain.events),
            "{variant}"
        );
    }
}

/// If duplicates do indicate losses, a high threshold makes the sender wait for its timer.
#[test]
fn high_duplicate_threshold_hides_losses() {
    let timeouts = |threshold| {
        let head = format!(r#"scheme = {{ kind = "packet-control", threshold = {threshold} }}"#);
        flow(&head, LOSSES, "").sender.timeouts
    };
    assert!(timeouts(12) > timeouts(3), "{} {}", timeouts(12), timeouts(3));
}

/// Acknowledgments sent by the mobile over the radio link.
fn acks(head: &str, tcp: &str) -> u64 {
    download(head, "\"perfect\"", tcp).links[1].directions[1].frames_sent
}

#[test]
fn thinned_acknowledgments_carry_the_same_goodput() {
    let all = acks("", "");
    assert_eq!(all, BYTES / 1000);
    // Every fourth acknowledgment, and some at the beginning whose successors are late.
    let decimated = acks(r#"scheme = { kind = "ack-decimation", every = 4, max_delay = "50 ms" }"#, "");
    assert!((all / 4..all * 2 / 5).contains(&decimated), "{decimated} of {all}");
    // Four per round trip of 202 ms plus queuing delay: fewer than 20 per second.
    let tack = download(r#"scheme = { kind = "tack", rtt = "202 ms" }"#, "\"perfect\"", "");
    let (sent, seconds) = (tack.links[1].directions[1].frames_sent as f64, tack.flows[0].elapsed.as_secs_f64());
    assert!(sent <= seconds * 4.0 / 0.202 + 1.0, "{sent} in {seconds} s");
}

/// Thinning hides no loss: duplicate acknowledgments are forwarded unchanged.
#[test]
fn acknowledgment_thinning_forwards_all_duplicates() {
    for head in [r#"scheme = "ack-decimation""#, r#"scheme = "tack""#] {
        for variant in VARIANTS {
            let tcp = format!("tcp.variant = \"{variant}\"");
            let sender = flow(head, r#"{ kind = "scripted", drop = [200] }"#, &tcp).sender;
            assert_eq!(sender.timeouts, 0, "{head} {variant}");
            assert!(sender.fast_retransmits > 0, "{head} {variant}");
        }
    }
}
