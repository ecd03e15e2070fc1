//! Fits as scenarios: a run has the written values.

use engine::{Rate, Span};

use super::{FittedHost, FittedPath};
use crate::loss::{Estimate, Loss};
use crate::reordering::{ExtraDelays, Reordering};

fn estimate_near(value: f64) -> Estimate {
    Estimate { value, interval: [0.9 * value, 1.1 * value] }
}

/// A download over 8 Mbit/s.
pub fn download_fit() -> FittedPath {
    FittedPath {
        source: "path.pcap".into(),
        sender: FittedHost::Server,
        rate: Rate::from_bits_per_sec(8_000_000).expect("a rate"),
        rate_given: false,
        rates: None,
        delay: Span::from_millis(25),
        queue: Some(60),
        queue_was_full: true,
        loss: Loss::Gilbert { p: estimate_near(0.005), r: estimate_near(0.4) },
        reordering: None,
        mss: 1448,
        receive_window: 1_000_000,
        initial_window: 10,
        timestamps: true,
        sack: Some(true),
        variant: "cubic".into(),
        bytes: None,
        duration: Span::from_secs(5),
    }
}

/// Links, flows and the text of a fit's scenario.
fn load_fit(fitted: &FittedPath) -> (sim::Network, String) {
    let text = fitted.to_toml();
    let loaded =
        scenario::load::from_toml("fitted.toml", &text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    (loaded.network, text)
}

/// A probability near 1 and its complement sum to 1 as decimals.
#[test]
fn reordering_is_a_jitter_with_the_share_and_the_quartiles() {
    let late = |millis: [u64; 5]| {
        let delays = millis.map(Span::from_millis);
        Some(ExtraDelays { delays, extents: [3, 8], precision: Span::from_nanos(1_500_000) })
    };
    for share in [1e-7, 0.000_123, 0.009_5, 0.333_333_333, 1.0] {
        let reordering = Some(Reordering { share: estimate_near(share), late: late([5, 11, 17, 24, 30]) });
        let (network, text) = load_fit(&FittedPath { reordering, ..download_fit() });
        assert!(text.contains("low = \"11 ms\", high = \"17 ms\""), "{text}");
        let changes = network.links[1].changes.as_ref().expect("it has a jitter");
        assert!(changes.jitter.as_ref().is_some_and(|jitter| jitter.reordering), "{text}");
    }
    let reordering = Some(Reordering { share: estimate_near(0.01), late: late([11, 12, 12, 12, 12]) });
    let (_, text) = load_fit(&FittedPath { reordering, ..download_fit() });
    assert!(text.contains("probability = 0.01, delay = { kind = \"constant\", value = \"12 ms\" }"), "{text}");
    let reordering = Some(Reordering { share: estimate_near(0.0), late: None });
    let (network, _) = load_fit(&FittedPath { reordering, ..download_fit() });
    assert_eq!(network.links[1].changes, None);
}

/// The flow and the losses go from the sender to the other host.
#[test]
fn upload_goes_from_the_mobile_to_the_server() {
    for (sender, from, to) in [(FittedHost::Server, "server", "mobile"), (FittedHost::Mobile, "mobile", "server")] {
        let (network, text) = load_fit(&FittedPath { sender, ..download_fit() });
        let name = |node: usize| network.nodes[node].name.as_str();
        let flow = &network.flows[0];
        assert_eq!((name(flow.from), name(flow.to)), (from, to));
        let air = &network.links[1];
        let forward = if sender == FittedHost::Server { ["station", "mobile"] } else { ["mobile", "station"] };
        assert_eq!(air.between.map(name), forward);
        assert!(text.contains("channel = { forward = { kind = \"gilbert-elliott\""), "{text}");
    }
}
