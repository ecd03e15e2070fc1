//! Sonia and R. Malhotra, "A Literature Survey on Packet control for wireless network", 2014: scenarios I to III,
//! figures 5 to 10.

mod pings;

use serde_json::{Value, json};
use stats::Sample;

use super::{Chart, Number, Paper, PaperScenario, Picture, PicturePanel, PrintedValue, Reading};
use crate::sweep::analysis::Analysis;
use observe::metric::Metric;
use observe::summary::flow;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "packetcontrol2014",
    reference: "Sonia and R. Malhotra, A Literature Survey on Packet control for wireless network, IJCSIT Research 2 (3), 2014",
    replications: 200,
    sweeps: &[VARIATION, SPIKE],
    readings: &[&EACH, &ONCE, &LATE],
    numbers: compute_packetcontrol2014_numbers,
    charts: CHARTS,
    pictures: PICTURES,
    words: include_str!("../docs/packetcontrol2014.md"),
};

/// The primary reading.
static EACH: Reading = Reading {
    name: "each packet by itself",
    what: "each packet's delay is drawn independently, and packets are reordered; the 6 s at 5 s delay one packet and all behind it",
    source: "section 3.B: \"a high number of re-ordered segments\"; section 5.C: \"a delay of 6 s is introduced at 5 s\"",
};

/// Another reading of table I.
static ONCE: Reading = Reading {
    name: "once a round trip",
    what: "a delay of table I is drawn once for both directions",
    source: "table I has shares of round trips, and link delays that are half of them",
};

/// Another reading of scenario III.
static LATE: Reading = Reading {
    name: "each packet late",
    what: "every packet of the 6 s from 5 s on is delayed by 6 s independently",
    source: "section 5.D: \"the sudden increase of delay was simulated for 6 s\"",
};

const VARIATION: PaperScenario =
    PaperScenario { name: "packet-control", text: include_str!("../examples/packet-control.toml") };
const SPIKE: PaperScenario =
    PaperScenario { name: "packetcontrol2014-spike", text: include_str!("../examples/packetcontrol2014-spike.toml") };

const LOSS: &str = "links.air.channel.loss";
const SPIKES: &str = "links.air.delay_spikes";

/// Gains of goodput that the paper's text states: place in the paper, loss rate, case, threshold, filters, and the gain
/// over no filters in percent.
const PRINTED: [(&str, f64, &str, u32, &str, f64); 4] = [
    ("section 5.A, figure 7", 0.0, "both-12", 12, "both", 100.0),
    ("section 5.A, figure 7", 0.0, "both-3", 3, "both", 0.0),
    ("section 5.A, figure 7", 0.0, "acks-3", 3, "of acknowledgments", 0.0),
    ("section 5.B, figure 8", 0.01, "both-9", 9, "both", 30.0),
];

fn compute_packetcontrol2014_numbers(sweeps: &[Analysis]) -> Vec<Number> {
    let [variation, spike] = sweeps else { panic!("{} sweeps, and the paper has two", sweeps.len()) };
    let gained = |(place, loss, case, threshold, filters, paper): (&str, f64, &str, u32, &str, f64)| {
        let what = json!({ "figure": "goodput gained", "threshold": threshold, "filters": filters });
        Number::new(place, what, "%", paper, sample_gain(variation, loss, case))
    };
    let mut numbers: Vec<Number> = PRINTED.map(gained).into();
    numbers.extend(pings::compute_ping_numbers());
    // "A regular TCP timeout with at least one exponential back-off."
    let back_offs = |lasts| back_offs(spike, lasts);
    let what = json!({ "figure": "timeouts of a timer backed off, scenario III, no filters" });
    numbers.push(
        Number::new("section 5.D", what, "count", PrintedValue::AtLeast(1.0), back_offs("1 ms"))
            .or(&LATE, back_offs("6 s")),
    );
    numbers
}

/// Timeouts beyond the first, for a spike of length `lasts`.
fn back_offs(sweep: &Analysis, lasts: &str) -> Sample {
    let lasts_so = |value: &Value| value[0]["duration"].as_str() == Some(lasts);
    sample_metric(sweep, &flow::timeouts, SPIKES, lasts_so, "none").map(|timeouts| (timeouts - 1.0).max(0.0))
}

/// Returns the gain in goodput over the case without filters, in percent, with the same channel states.
fn sample_gain(sweep: &Analysis, loss: f64, case: &str) -> Sample {
    let goodput = |case| sample_metric(sweep, &flow::goodput_bps, LOSS, |value| value.as_f64() == Some(loss), case);
    goodput("none").zip_with(&goodput(case), |none, with| 100.0 * (with - none) / none)
}

/// A metric of a case at the point where `key` has this value.
fn sample_metric(sweep: &Analysis, metric: &Metric, key: &str, is_it: impl Fn(&Value) -> bool, case: &str) -> Sample {
    let changed = |changes: &[(String, Value)]| changes.iter().any(|(name, value)| name == key && is_it(value));
    let cell = sweep.cells.iter().find(|cell| cell.cell.case_name == case && changed(&cell.cell.changes));
    cell.map(|cell| cell.sample(metric, |_| true)).unwrap_or_default()
}

const THRESHOLDS: &[&str] = &["none", "both-3", "both-6", "both-9", "both-12"];

/// Figures 5, 7, 8 and 10.
const CHARTS: &[Chart] = &[
    Chart {
        place: "figure 5",
        title: "Reductions of the window by fast retransmits, by the share of packets lost",
        sweep: VARIATION.name,
        metric: "fast_retransmits",
        along: LOSS,
        only: &[],
        cases: THRESHOLDS,
    },
    Chart {
        place: "figures 7 and 8",
        title: "Goodput where delays vary, by the share of packets lost",
        sweep: VARIATION.name,
        metric: "goodput_bps",
        along: LOSS,
        only: &[],
        cases: THRESHOLDS,
    },
    Chart {
        place: "figure 10",
        title: "Goodput with six seconds of extra delay, by the delayed packets",
        sweep: SPIKE.name,
        metric: "goodput_bps",
        along: SPIKES,
        only: &[],
        cases: &["none", "acks-3", "both-3", "both-6", "both-9", "both-12", "data"],
    },
];

/// The packet at 5 s is late by 6 s, and all packets after it are as well.
const PAUSE: &[&str] = &[r#"links.air.delay_spikes=[{ at = "5 s", extra_delay = "6 s", duration = "1 ms" }]"#];

/// Figures 6 and 9.
const PICTURES: &[Picture] = &[
    Picture::new(
        "figure 6",
        "Congestion window without packet control",
        VARIATION,
        Some("unmodified"),
        PicturePanel::Window,
        None,
    ),
    Picture::new("figure 6", "Congestion window with a threshold of 3", VARIATION, None, PicturePanel::Window, None)
        .with(&["scheme.threshold=3"]),
    Picture::new("figure 6", "Congestion window with a threshold of 6", VARIATION, None, PicturePanel::Window, None)
        .with(&["scheme.threshold=6"]),
    Picture::new("figure 6", "Congestion window with a threshold of 9", VARIATION, None, PicturePanel::Window, None)
        .with(&["scheme.threshold=9"]),
    Picture::new("figure 6", "Congestion window with a threshold of 12", VARIATION, None, PicturePanel::Window, None),
    Picture::new(
        "figure 3",
        "A spurious timeout",
        SPIKE,
        Some("unmodified"),
        PicturePanel::Sequence,
        Some(("4 s", "14 s")),
    )
    .with(PAUSE),
    Picture::new(
        "figure 9",
        "The delay spike with packet control",
        SPIKE,
        None,
        PicturePanel::Sequence,
        Some(("4 s", "14 s")),
    )
    .with(PAUSE),
];

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use stats::Level;

    use observe::metric;

    use super::*;
    use crate::papers::reproduce::{Reproduction, reproduce_paper};
    use crate::store::Store;

    fn reproduced(replications: u64) -> Reproduction {
        let (_dir, mut store) = Store::scratch();
        reproduce_paper(&PAPER, replications, &mut store, 1, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    fn mean(sweep: &Analysis, name: &str, case: &str) -> f64 {
        let metric = metric::find_metric(name).unwrap();
        sample_metric(sweep, metric, LOSS, |value| value.as_f64() == Some(0.0), case).moments().mean().unwrap()
    }

    /// Detects cases and keys that the scenario names differently, which would give no values. "The larger the
    /// duplicate ACK threshold, ... fewer fast retransmits will be performed", and the opposite for goodput.
    #[test]
    fn goodput_gain_is_reproduced_and_thresholds_rank_as_in_the_paper() {
        let Reproduction { numbers, sweeps, .. } = reproduced(20);
        assert!(numbers.iter().all(|number| number.ours.n() > 0), "{numbers:?}");
        let marked = |place: &str, mark| {
            let there = numbers.iter().filter(|number| number.place.starts_with(place));
            there.filter(|number| number.mark(Level::default()).name() == mark).count()
        };
        assert_eq!((marked("section 5.A", "reproduced"), marked("section 5.B", "reproduced")), (3, 1));
        // One number is that of "at least one back-off". The two others are 179 and 300 ms, which table I excludes.
        assert_eq!((marked("section 5.D", "reproduced"), marked("section 5.D", "contradicts its own paper")), (1, 2));
        let by_threshold = |name| ["none", "both-6", "both-9", "both-12"].map(|case| mean(&sweeps[0], name, case));
        let (cuts, goodput) = (by_threshold("fast_retransmits"), by_threshold("goodput_bps"));
        assert!(cuts.is_sorted_by(|a, b| a > b), "{cuts:?}");
        assert!(goodput.is_sorted_by(|a, b| a < b), "{goodput:?}");
    }
}
