//! P. Dalal, N. Kothari and K. S. Dasgupta, "Improving TCP Performance over Wireless Network with Frequent Disconnections", 2012:
//! figures 1 and 7 to 11, table 1, equations 1 and 2.

#[cfg(test)]
mod equation;
mod readings;
mod single;
#[cfg(test)]
mod tests;
mod times;
mod twelve;

use super::{Chart, Number, Paper, PaperScenario, Picture, PicturePanel, Reading};
use crate::sweep::analysis::Analysis;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "disconnections2012",
    reference: "P. Dalal, N. Kothari and K. S. Dasgupta, Improving TCP Performance over Wireless Network with Frequent \
                Disconnections, 2012",
    replications: 30,
    sweeps: &[
        single::SCENARIO,
        PaperScenario { name: TWELVE, text: include_str!("../examples/disconnections2012-twelve.toml") },
    ],
    readings: readings::ALL,
    numbers,
    charts: CHARTS,
    pictures: PICTURES,
    words: include_str!("../docs/disconnections2012.md"),
};

const TWELVE: &str = "disconnections2012-twelve";

const DISCONNECTIONS: &str = "links.air.channel.disconnections";
const RECEPTION: &str = "links.air.channel.reception";
const PERIOD: &str = "links.air.channel.period";
const RATE: &str = "media.cell.rate";

/// The round trip time in milliseconds.
const RTT: f64 = 210.0;
/// The RTO in milliseconds (section 3).
const RTO: f64 = 240.0;
/// The earliest start of the disconnection, in milliseconds.
const LEAVES: f64 = 10_200.0;

/// Table 1 by disconnection length in round trips: normal MAC, and modified.
const TABLE_1: [(f64, f64, f64); 7] = [
    (0.5, 22.0, 12.0),
    (1.0, 37.0, 17.0),
    (1.5, 54.0, 24.0),
    (2.5, 141.0, 40.0),
    (4.0, 179.0, 82.0),
    (5.0, 176.0, 91.0),
    (6.0, 173.0, 102.0),
];

/// Lengths of the disconnections of at most one round trip, in round trips.
const SHORT: [f64; 6] = [0.2, 0.4, 0.5, 0.6, 0.8, 1.0];
/// Lengths of the longer disconnections, in round trips.
const LONG: [f64; 5] = [1.5, 2.5, 4.0, 5.0, 6.0];

fn numbers(sweeps: &[Analysis]) -> Vec<Number> {
    let [single, twelve] = sweeps else { panic!("{} sweeps, and the paper has two", sweeps.len()) };
    let mut numbers = single::compare_pauses();
    numbers.extend(twelve::compute_sweep_numbers(single, twelve));
    single::beside_waiting(numbers)
}

const CASES: &[&str] = &["normal", "a", "ab", "patient"];

/// Figures 8, 9 and 11, drawn as goodput; the paper draws the gain.
const CHARTS: &[Chart] = &[
    Chart {
        place: "figures 8, 9 and 11",
        title: "Twelve disconnections in 250 s, by their length; the mobile receives again when it sends",
        sweep: TWELVE,
        metric: "goodput_bps",
        along: DISCONNECTIONS,
        only: &[(RECEPTION, "when-it-sends"), (PERIOD, "20 s"), (RATE, "11 Mbps")],
        cases: CASES,
    },
    Chart {
        place: "supplement to figures 8, 9 and 11",
        title: "Twelve disconnections in 250 s, by their length; the mobile receives again at once",
        sweep: TWELVE,
        metric: "goodput_bps",
        along: DISCONNECTIONS,
        only: &[(RECEPTION, "at-once"), (PERIOD, "20 s"), (RATE, "11 Mbps")],
        cases: CASES,
    },
    Chart {
        place: "table 1",
        title: "Packets that the mobile's MAC gives up; it receives again when it sends",
        sweep: TWELVE,
        metric: "packets_given_up",
        along: DISCONNECTIONS,
        only: &[(RECEPTION, "when-it-sends"), (PERIOD, "20 s"), (RATE, "11 Mbps")],
        cases: CASES,
    },
];

const PART: Option<(&str, &str)> = Some(("9.5 s", "14.5 s"));
const A: &[&str] =
    &[DISCONNECTED_WITH_A_FLIGHT, NOT_LATER, "media.cell.retry_growth.max=25", "media.cell.rate_control=\"stepping\""];
const NORMAL: &[&str] = &[DISCONNECTED_WITH_A_FLIGHT, NOT_LATER];
/// Half a round trip after the mobile's MAC received a packet.
const DISCONNECTED_WITH_A_FLIGHT: &str = "links.air.channel.disconnections=[[\"10.284 s\", \"10.389 s\"]]";
const NOT_LATER: &str = "links.air.channel.random_offset=\"0 s\"";

/// Figure 10, in which three duplicate acknowledgments start recovery. The paper's disconnection in that figure is
/// longer than the timeout.
const PICTURES: &[Picture] = &[
    Picture::new(
        "figure 10",
        "cwnd, half a round trip away: normal",
        single::SCENARIO,
        Some("unmodified"),
        PicturePanel::Window,
        PART,
    )
    .with(NORMAL),
    Picture::new(
        "figure 10",
        "cwnd, half a round trip away: approach A",
        single::SCENARIO,
        Some("unmodified"),
        PicturePanel::Window,
        PART,
    )
    .with(A),
    Picture::new(
        "figure 10",
        "cwnd, half a round trip away: approaches A and B",
        single::SCENARIO,
        Some("link-loss"),
        PicturePanel::Window,
        PART,
    )
    .with(A),
];
