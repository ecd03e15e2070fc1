//! Cells of 802.11b in whole runs: how uploads share the medium, and the effect of one slow station on all.
//!
//! Times in microseconds, by hand (docs/models/dcf.md). A segment of 1460 bytes is a frame of 1536: 192 + 1118 at 11
//! Mbps, 192 + 12288 at 1 Mbps; its TCP acknowledgment a frame of 76: 192 + 56 and 192 + 608. Link acknowledgments take
//! 192 + 56 at 2 Mbps and 192 + 112 at 1 Mbps; SIFS, DIFS and two propagation delays add 62.
//!
//! TCP's windows let the hosts send about as fast as the base station acknowledges, so usually two stations contend:
//! the base station and a host. For two stations, 32 slots and five doublings, [Bianchi2000] gives tau = p = 0.0570:
//! per success 8.27 idle slots, and 0.0302 collisions, which last as long as the longer frame, 1 and EIFS, 364.

#![allow(clippy::disallowed_macros, reason = "the figures of the model's page are printed, for --nocapture")]

use stats::fairness::jain;
use testkit::{build_network, run_network};

const IDLE_SLOTS: f64 = 8.27;
const COLLISIONS: f64 = 0.0302;
const SEGMENT_BITS: f64 = 8.0 * 1460.0;
const SECONDS: f64 = 100.0;

/// Returns a cell with `count` hosts that all send to a server behind the base station. If `slow`, the first host sends
/// at 1 Mbps.
fn uploads(count: usize, slow: bool) -> String {
    let mut text = format!(
        r#"
        duration = "{SECONDS} s"
        [media.cell]
        standard = "802.11b"
        [nodes]
        server = {{ kind = "host" }}
        ap = {{ kind = "base-station" }}
        [links.wire]
        kind = "wired"
        between = ["ap", "server"]
        rate = "1 Gbps"
        delay = "1 ms"
        "#
    );
    for host in 0..count {
        let rate = if slow && host == 0 { "1 Mbps" } else { "11 Mbps" };
        text += &format!(
            r#"
            [nodes.host{host}]
            kind = "host"
            [links.air{host}]
            kind = "wireless"
            between = ["host{host}", "ap"]
            medium = "cell"
            rate = "{rate}"
            [flows.upload{host}]
            from = "host{host}"
            to = "server"
            mss = "1460 B"
            receive_window = "64 kB"
            "#
        );
    }
    text
}

/// Goodputs in bits per second.
fn goodputs(count: usize, slow: bool) -> Vec<f64> {
    let results = run_network(&build_network(&uploads(count, slow)));
    results.flows.iter().map(|flow| 8.0 * flow.bytes_delivered as f64 / SECONDS).collect()
}

/// Goodput of each host: alternating segments and acknowledgments, with the cost of contention.
fn each(count: usize, slow: bool) -> f64 {
    let fast_pair = (1310.0 + 248.0 + 62.0) + (248.0 + 248.0 + 62.0);
    let slow_pair = (12480.0 + 304.0 + 62.0) + (800.0 + 304.0 + 62.0);
    let slows = f64::from(u8::from(slow));
    let count = count as f64;
    let pairs = slows * slow_pair + (count - slows) * fast_pair;
    // A segment is the longer frame of a collision, at any of the stations.
    let longer = (slows * 12480.0 + (count - slows) * 1310.0) / count;
    let contention = 20.0 * IDLE_SLOTS + COLLISIONS * (longer + 1.0 + 364.0);
    SEGMENT_BITS / (pairs + 2.0 * count * contention) * 1e6
}

#[test]
fn uploads_share_a_cell_evenly() {
    for count in [2, 5, 10] {
        let goodputs = goodputs(count, false);
        let (mean, expected) = (goodputs.iter().sum::<f64>() / count as f64, each(count, false));
        println!("{count} hosts: {mean:.0} bit/s each, by hand {expected:.0}");
        assert!((mean / expected - 1.0).abs() < 0.03, "{count} hosts: {mean} beside {expected}");
        assert!(jain(&goodputs).unwrap().unwrap() > 0.99, "{goodputs:?}");
    }
}

// covers [Heusse2003]: all hosts get the goodput of the slow host, which is less than each would get with an equal
// share of the time.
#[test]
fn host_with_a_low_rate_slows_all_uploads() {
    for count in [2, 5, 10] {
        let goodputs = goodputs(count, true);
        let (mean, expected) = (goodputs.iter().sum::<f64>() / count as f64, each(count, true));
        println!("{count} hosts: {mean:.0} bit/s each, the slow one {:.0}, by hand {expected:.0}", goodputs[0]);
        assert!((mean / expected - 1.0).abs() < 0.04, "{count} hosts: {mean} beside {expected}");
        assert!((goodputs[0] / mean - 1.0).abs() < 0.03, "{goodputs:?}");
        assert!(mean < 0.7 * each(count, false), "{goodputs:?}");
    }
}
