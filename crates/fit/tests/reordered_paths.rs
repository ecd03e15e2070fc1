//! Reordering fitted from captures of runs in which a known share of packets is delayed.

use crate::common;

use capture::transfer::Vantage;
use common::{Covered, KnownPath};
use engine::Span;

const CONSTANT: &str = "kind = \"constant\", value = \"12 ms\"";
const UNIFORM: &str = "kind = \"uniform\", low = \"5 ms\", high = \"30 ms\"";

/// A path on which this share of packets has an extra delay.
fn path_with_jitter(share: f64, law: &str, variant: &'static str, seed: u64) -> KnownPath {
    let rest = 1.0 - share;
    let channel = format!(
        "jitter = {{ reordering = true, directions = \"forward\", delay = {{ kind = \"mixture\", parts = [\
         {{ probability = {rest}, delay = {{ kind = \"constant\", value = \"0 ms\" }} }}, \
         {{ probability = {share}, delay = {{ {law} }} }}] }} }}"
    );
    KnownPath { mbps: 8.0, delay_ms: 20.0, queue: 200, channel, variant, seconds: 60, seed }
}

/// Checks that intervals of the share contain the true share, at both ends, for a window that fills the queue and for
/// one that reordering keeps small.
fn coverage(runs: u64, least: u32) {
    for law in [CONSTANT, UNIFORM] {
        let mut found = [Covered::default(), Covered::default()];
        for seed in 0..runs {
            let known = path_with_jitter(0.01, law, ["linux", "cubic"][seed as usize % 2], 500 + seed);
            for (covered, at) in found.iter_mut().zip([Vantage::Sender, Vantage::Receiver]) {
                let reordering = known.fit_at(at).1.reordering.expect("there is SACK");
                covered.add(reordering.share.interval, 0.01);
            }
        }
        for covered in found {
            assert!(covered.inside * 100 >= least * covered.all, "{law}: {covered:?}");
        }
    }
}

#[test]
fn intervals_of_reordering_contain_the_true_share() {
    coverage(4, 75);
}

/// 100 runs of each.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn intervals_of_reordering_contain_the_true_share_in_90_of_100() {
    coverage(100, 90);
}

/// Extra delays are found to the transmission time of a packet, 1.5 ms, and leave no trace in rate, delay, queue and
/// losses. The queue holds the whole receive window, so that it does not overflow.
#[test]
fn delays_of_reordered_packets_are_found() {
    let ms = |span: Span| 1e3 * span.as_secs_f64();
    for at in [Vantage::Sender, Vantage::Receiver] {
        let (_, fitted) = KnownPath { queue: 3000, ..path_with_jitter(0.01, CONSTANT, "linux", 1) }.fit_at(at);
        let late = fitted.reordering.and_then(|reordering| reordering.late).expect("some are late");
        assert!(late.delays.iter().all(|delay| (10.4..13.6).contains(&ms(*delay))), "{at:?}: {late:?}");
        // Eight packets of 1.5 ms arrive in 12 ms.
        assert_eq!(late.extents, [7, 8], "{at:?}");
        assert_eq!(fitted.channel.iter().filter(|lost| **lost).count(), 0, "{at:?}");
        assert_eq!(fitted.rate.expect("packets waited").bits_per_sec(), 8_000_000, "{at:?}");
        assert!((ms(fitted.delay.expect("a round trip")) - 21.0).abs() < 0.1, "{at:?}: {:?}", fitted.delay);
        let (_, fitted) = path_with_jitter(0.01, UNIFORM, "linux", 2).fit_at(at);
        let late = fitted.reordering.and_then(|reordering| reordering.late).expect("some are late");
        for (found, expected) in late.delays.into_iter().zip([5.0, 11.25, 17.5, 23.75, 30.0]) {
            assert!((ms(found) - expected).abs() < 1.5, "{at:?}: {late:?}");
        }
    }
}

/// Losses and their repair are no reordering.
#[test]
fn path_that_keeps_the_order_has_no_reordering() {
    for channel in ["{ kind = \"uniform\", loss = 0.02 }", "{ kind = \"gilbert-elliott\", p = 0.01, r = 0.3 }"] {
        for variant in ["linux", "cubic", "bbr", "sack"] {
            let channel = format!("channel = {{ forward = {channel}, backward = {channel} }}");
            let known = KnownPath { mbps: 8.0, delay_ms: 20.0, queue: 60, channel, variant, seconds: 60, seed: 3 };
            for at in [Vantage::Sender, Vantage::Receiver] {
                let reordering = known.fit_at(at).1.reordering.expect("there is SACK");
                assert_eq!(
                    (reordering.share.value, reordering.late),
                    (0.0, None),
                    "{variant} {at:?} {}",
                    known.channel
                );
            }
        }
    }
}

/// Without SACK an acknowledgment does not show the packets that arrived behind a gap.
#[test]
fn reordering_is_not_seen_without_sack() {
    let (_, fitted) = path_with_jitter(0.01, CONSTANT, "newreno", 1).fit_at(Vantage::Sender);
    assert_eq!(fitted.reordering, None);
}
