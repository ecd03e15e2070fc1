//! Whole transfers over each link layer: the effect on TCP, the schemes and the node's buffer.

use sim::{Network, Results};
use testkit::{LINK_LAYERS, build_network, run_network, thesis_text};

const FADES: &str = r#"{ kind = "two-state", mean_good = "1 s", mean_bad = "100 ms", loss_good = 0.02 }"#;

/// The thesis's network with another link layer.
fn over(arq: &str, head: &str, channel: &str, flow: &str) -> Network {
    build_network(&thesis_text(head, 20, channel, flow).replace("arq = \"stop-and-wait\"", &format!("arq = {arq}")))
}

fn air(results: &Results) -> [path::link::HopCounters; 2] {
    results.links[1].directions
}

/// Every byte arrives, and a base station whose buffer holds four packets operates until the end: packets that leave,
/// are acknowledged or given up release their buffer space exactly once.
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

/// The radio link carries one segment per 8.512 ms. With a window of one the link waits 2.112 ms for each segment, with
/// a window of 64 it does not. The exchange of the last of 100 segments, the 20 ms of wire in each direction, and the
/// idle time of slow start are the same.
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
