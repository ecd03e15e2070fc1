//! Nguyễn Đình Việt, "Simulation-based Evaluation of Performance of a Snoop TCP Scheme over Network with Wireless Links",
//! 2002: tables 1 and 2, figures 6 and 7.

use engine::Span;
use serde_json::{Value, json};
use stats::Sample;

use super::{Chart, Contradiction, Number, Paper, PaperScenario, Picture, PicturePanel, Reading};
use crate::sweep::analysis::Analysis;
use observe::summary::flow;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "snoop2002",
    reference: "Nguyễn Đình Việt, Simulation-based Evaluation of Performance of a Snoop TCP Scheme over Network with Wireless Links, 2002",
    replications: 100,
    sweeps: &[LOSSES, TIME, NS2_LOSSES, NS2_TIME],
    readings: &[&TEXT, &NS2],
    numbers: compute_snoop2002_numbers,
    charts: CHARTS,
    pictures: PICTURES,
    words: include_str!("docs/snoop2002.md"),
};

/// The primary reading.
static TEXT: Reading = Reading {
    name: "the text",
    what: "Snoop as the text describes it, over links without headers",
    source: "sections 2 and 3",
};

/// The alternative reading.
static NS2: Reading = Reading {
    name: "ns-2",
    what: "ns-2's LAN, sender and own agent, which differs from the text",
    source: "section 3: \"ns-2 simulator, version 2.1b9 with integrated Snoop Agent\"; ns-2's tcp/snoop.cc, tcp/tcp.cc, mac/mac.h, mac/ll.cc, tcl/ex/snoop/snoop.tcl",
};

/// The paper gives two throughputs for the same set-up.
const TWO_THROUGHPUTS: Contradiction = Contradiction {
    pages: "table 1, section 4.1, and table 2, section 4.2",
    values: ["0.68 after 140 and 160 s", "0.64 after 150 s"],
    why: "both are Snoop over the long wire with the bad state as measured (gap 2.6)",
};
const TWO_THROUGHPUTS_BACK: Contradiction =
    Contradiction { values: ["0.64 after 150 s", "0.68 after 140 and 160 s"], ..TWO_THROUGHPUTS };

const LOSSES: PaperScenario = PaperScenario { name: "snoop2002", text: include_str!("examples/snoop2002.toml") };
const TIME: PaperScenario =
    PaperScenario { name: "snoop2002-time", text: include_str!("examples/snoop2002-time.toml") };

const NS2_LOSSES: PaperScenario =
    PaperScenario { name: "snoop2002-ns2", text: include_str!("examples/snoop2002-ns2.toml") };
const NS2_TIME: PaperScenario =
    PaperScenario { name: "snoop2002-ns2-time", text: include_str!("examples/snoop2002-ns2-time.toml") };

const GAP: &str = "links.air.channel.gap_bad";
const DURATION: &str = "duration";

/// Packets between losses in the bad state, the columns of table 2. The last value was measured on a real radio link.
const GAPS: [f64; 9] = [128.0, 64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 2.6];
const MEASURED: f64 = 2.6;

/// Table 2, in percent: network, our case, normalized throughput.
const TABLE_2: [(&str, &str, [f64; 9]); 4] = [
    ("WAN, Snoop", "wan-snoop", [83.0, 84.0, 83.0, 77.0, 78.0, 74.0, 67.0, 64.0, 64.0]),
    ("WAN", "wan", [26.0, 25.0, 25.0, 20.0, 18.0, 18.0, 18.0, 14.0, 15.0]),
    ("LAN, Snoop", "lan-snoop", [93.0, 93.0, 92.0, 92.0, 92.0, 90.0, 89.0, 85.0, 89.0]),
    ("LAN", "lan", [82.0, 82.0, 82.0, 81.0, 79.0, 74.0, 64.0, 70.0, 65.0]),
];

/// Section 4.2: throughput with Snoop in percent of the throughput without Snoop, and the mean time in BAD as measured.
const GAINS: [(&str, &str, &str, f64); 2] = [("WAN", "wan", "wan-snoop", 427.0), ("LAN", "lan", "lan-snoop", 137.0)];

/// Table 1, in percent, after 20, 40, ..., 400 s.
const TABLE_1: [f64; 20] = [
    75.0, 77.0, 77.0, 74.0, 69.0, 69.0, 68.0, 68.0, 66.0, 67.0, 68.0, 67.0, 69.0, 68.0, 69.0, 69.0, 69.0, 70.0, 69.0,
    69.0,
];

/// Section 4.1: the value around which the numbers of table 1 "go up and down" from 140 to 400 s, in percent.
const STEADY: f64 = 68.4;

/// Factor from goodput to percent of 2 Mbps. The paper's simulator counts all 1000 bytes of a packet as data, of which
/// 960 are data here.
const PERCENT_FOR_GOODPUT: f64 = 1000.0 / 960.0 * 100.0 / 2e6;

fn compute_snoop2002_numbers(sweeps: &[Analysis]) -> Vec<Number> {
    let [losses, time, ns2_losses, ns2_time] = sweeps else { panic!("{} sweeps instead of four", sweeps.len()) };
    Number::with_reading(of_reading(losses, time), &NS2, of_reading(ns2_losses, ns2_time))
}

/// All numbers, under one reading.
fn of_reading(losses: &Analysis, time: &Analysis) -> Vec<Number> {
    let mut numbers = Vec::new();
    for (seconds, paper) in (1..).map(|step| 20 * step).zip(TABLE_1) {
        let what = json!({ "simulated_s": seconds });
        let number = Number::new("table 1", what, "%", paper, throughput_after(time, seconds).moments());
        // Table 2 is of 150 s.
        numbers.push(if [140, 160].contains(&seconds) { number.with_contradiction(TWO_THROUGHPUTS) } else { number });
    }
    let steady =
        (7..=20).map(|step| throughput_after(time, 20 * step)).reduce(|sum, one| sum.zip_with(&one, |a, b| a + b));
    let steady = steady.unwrap_or_default().map(|sum| sum / 14.0);
    let what = json!({ "figure": "mean of the numbers from 140 to 400 s" });
    numbers.push(Number::new("section 4.1", what, "%", STEADY, steady.moments()));
    for (network, case, row) in TABLE_2 {
        for (gap, paper) in GAPS.into_iter().zip(row) {
            let what = json!({ "network": network, "gap": gap });
            let number = Number::new("table 2", what, "%", paper, throughput_at_gap(losses, gap, case).moments());
            let twice = case == "wan-snoop" && gap == MEASURED;
            numbers.push(if twice { number.with_contradiction(TWO_THROUGHPUTS_BACK) } else { number });
        }
    }
    for (network, without, with, paper) in GAINS {
        let gain = throughput_at_gap(losses, MEASURED, without)
            .zip_with(&throughput_at_gap(losses, MEASURED, with), |none, with| 100.0 * with / none);
        let what = json!({ "figure": "throughput with Snoop relative to that without Snoop", "network": network });
        numbers.push(Number::new("section 4.2", what, "%", paper, gain.moments()));
    }
    numbers
}

fn throughput_at_gap(sweep: &Analysis, gap: f64, case: &str) -> Sample {
    sample_throughput(sweep, case, GAP, |value| value.as_f64() == Some(gap))
}

fn throughput_after(sweep: &Analysis, seconds: u64) -> Sample {
    let is_it = |value: &Value| value.as_str().and_then(|text| text.parse().ok()) == Some(Span::from_secs(seconds));
    sample_throughput(sweep, "snoop", DURATION, is_it)
}

/// Normalized throughput in percent, at the point where `key` has this value.
fn sample_throughput(sweep: &Analysis, case: &str, key: &str, is_it: impl Fn(&Value) -> bool) -> Sample {
    let changed = |changes: &[(String, Value)]| changes.iter().any(|(name, value)| name == key && is_it(value));
    let cell = sweep.cells.iter().find(|cell| cell.cell.case_name == case && changed(&cell.cell.changes));
    let goodput = cell.map(|cell| cell.sample(&flow::goodput_bps, |_| true)).unwrap_or_default();
    goodput.map(|bps| PERCENT_FOR_GOODPUT * bps)
}

/// Figures 6 and 7.
const CHARTS: &[Chart] = &[
    Chart {
        place: "figure 6",
        title: "Snoop over the long wire, by the time simulated",
        sweep: TIME.name,
        metric: "goodput_bps",
        along: DURATION,
        only: &[],
        cases: &["snoop"],
    },
    Chart {
        place: "figure 7",
        title: "Both wires with and without Snoop, by packets from one loss to the next in a bad state",
        sweep: LOSSES.name,
        metric: "goodput_bps",
        along: GAP,
        only: &[],
        cases: &["wan-snoop", "wan", "lan-snoop", "lan"],
    },
    Chart {
        place: "figure 6, ns-2",
        title: "ns-2's Snoop over the long wire, by the time simulated",
        sweep: NS2_TIME.name,
        metric: "goodput_bps",
        along: DURATION,
        only: &[],
        cases: &["snoop"],
    },
    Chart {
        place: "figure 7, ns-2",
        title: "Both wires with and without ns-2's Snoop, by packets from one loss to the next in a bad state",
        sweep: NS2_LOSSES.name,
        metric: "goodput_bps",
        along: GAP,
        only: &[],
        cases: &["wan-snoop", "wan", "lan-snoop", "lan"],
    },
];

/// The paper plots no run; these plots show why the two cases differ.
const PICTURES: &[Picture] = &[
    Picture::new(
        "beside figure 7",
        "Congestion window over the long wire",
        LOSSES,
        Some("unmodified"),
        PicturePanel::Window,
        EARLY,
    ),
    Picture::new("beside figure 7", "The same with Snoop", LOSSES, None, PicturePanel::Window, EARLY),
];

const EARLY: Option<(&str, &str)> = Some(("0 s", "30 s"));

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::papers::reproduce::reproduce_paper;
    use crate::store::Store;

    /// Detects cases and keys that the scenario names differently, which would give no values. Section 4.2: throughput
    /// falls with the loss rate in all four networks, and falls more over the long wire.
    #[test]
    fn every_number_has_values_and_trends_match_the_paper() {
        let (_dir, mut store) = Store::scratch();
        let reproduction = reproduce_paper(&PAPER, 2, &mut store, 1, &mut |_| ControlFlow::Continue(())).unwrap();
        let numbers = &reproduction.numbers;
        assert!(numbers.iter().all(|number| number.ours.n() == 2), "{numbers:?}");
        assert_eq!(numbers.len(), TABLE_1.len() + 1 + TABLE_2.len() * GAPS.len() + GAINS.len());
        // By hand: the mean of the means equals the mean of the replications' means.
        let means: Vec<f64> = numbers[6..20].iter().filter_map(|number| number.ours.mean()).collect();
        let steady = numbers[20].ours.mean().unwrap();
        assert!((means.iter().sum::<f64>() / 14.0 - steady).abs() < 1e-9, "{steady} of {means:?}");

        let mean = |gap, case| throughput_at_gap(&reproduction.sweeps[0], gap, case).moments().mean().unwrap();
        for (_, case, _) in TABLE_2 {
            let by_gap = [128.0, 8.0, 1.0].map(|gap| mean(gap, case));
            assert!(by_gap.is_sorted_by(|a, b| a > b), "{case}: {by_gap:?}");
        }
        let of_rare = |case| mean(1.0, case) / mean(128.0, case);
        assert!(of_rare("wan") < of_rare("lan"));
        assert!(of_rare("wan-snoop") < of_rare("lan-snoop"));
    }
}
