//! M. Frikha and F. Krichen, "Simulation based Evaluation of TCP in Wireless LAN Environment": figures 2 to 11, table
//! 1.

mod first_loss;

use serde_json::json;
use stats::Sample;

use super::{Chart, Number, Paper, PaperScenario, Picture, PicturePanel, Reading};
use crate::sweep::analysis::Analysis;
use observe::summary::flow;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "wlan-iw",
    reference: "M. Frikha and F. Krichen, Simulation based Evaluation of TCP in Wireless LAN Environment",
    replications: 200,
    sweeps: &[WINDOW, PaperScenario { name: SENDERS, text: include_str!("../examples/wlan-iw-senders.toml") }],
    readings: &[&DATA, &BYTES],
    numbers: compute_wlan_iw_numbers,
    charts: CHARTS,
    pictures: PICTURES,
    words: include_str!("../docs/wlan-iw.md"),
};

/// The primary reading.
static DATA: Reading = Reading {
    name: "data",
    what: "\"efficient bandwidth\" counts the data alone, 960 of the 1000 bytes of a packet",
    source: "table 1 has \"efficient bandwidth\", and section 5 \"efficient throughput\"",
};

/// The alternative reading.
static BYTES: Reading = Reading {
    name: "every byte",
    what: "all 1000 bytes of a packet count",
    source: "ns-2 without headers (useHeaders_ false) counts every byte of a packet as data",
};

const WINDOW: PaperScenario =
    PaperScenario { name: "wlan-iw-window", text: include_str!("../examples/wlan-iw-window.toml") };
const SENDERS: &str = "wlan-iw-senders";

const FIRST_WINDOW: &str = "flows.transfer.tcp.initial_window";
const LOSS: &str = "links.air.channel.loss";

/// Table 1, by initial window. The paper's unit, "Kb/s", cannot be right: the slowest link has 650 kbps.
const TABLE_1: [f64; 9] = [
    499_522.796,
    506_383.035,
    523_916.677,
    516_087.86,
    505_335.698,
    505_666.587,
    499_840.782,
    511_328.302,
    504_941.833,
];

/// Bytes of data in a packet.
const SEGMENT: u64 = 960;

/// Simulated segments for each packet of 1000 bytes, all of which ns-2 counts as data.
const PACKET_FOR_DATA: f64 = 1000.0 / SEGMENT as f64;

fn compute_wlan_iw_numbers(sweeps: &[Analysis]) -> Vec<Number> {
    let [windows, _] = sweeps else { panic!("{} sweeps, and the paper has two", sweeps.len()) };
    let mut numbers = first_loss::numbers();
    for (window, paper) in (1u64..).zip(TABLE_1) {
        let data = sample_goodput(windows, "packets", window);
        let bytes = data.map(|bps| PACKET_FOR_DATA * bps);
        let what = json!({ "first_window": window });
        numbers.push(Number::new("table 1", what, "bit/s", paper, data).or(&BYTES, bytes));
    }
    numbers
}

fn sample_goodput(sweep: &Analysis, case: &str, window: u64) -> Sample {
    let is_it = |(key, value): &(String, serde_json::Value)| key == FIRST_WINDOW && value.as_u64() == Some(window);
    let cell = sweep.cells.iter().find(|cell| cell.cell.case_name == case && cell.cell.changes.iter().any(is_it));
    cell.map(|cell| cell.sample(&flow::goodput_bps, |_| true)).unwrap_or_default()
}

/// Figure 2, and table 1 as bars.
const CHARTS: &[Chart] = &[
    Chart {
        place: "figure 2",
        title: "The paper's senders, by the share of packets lost",
        sweep: SENDERS,
        metric: "goodput_bps",
        along: LOSS,
        only: &[],
        cases: &["sack", "reno", "newreno", "vegas"],
    },
    Chart {
        place: "beside figure 2",
        title: "Senders that the paper does not have",
        sweep: SENDERS,
        metric: "goodput_bps",
        along: LOSS,
        only: &[],
        cases: &["sack", "tahoe", "fack", "rack", "westwood", "veno", "cubic", "bbr", "bbr3"],
    },
    Chart {
        place: "table 1",
        title: "SACK by its first window, one packet in 1000 lost, and none",
        sweep: "wlan-iw-window",
        metric: "goodput_bps",
        along: FIRST_WINDOW,
        only: &[],
        cases: &["packets", "none"],
    },
];

macro_rules! pictures {
    ($($place:literal $window:literal)*) => { &[$(Picture::new(
        $place,
        concat!("SACK, first window of ", $window, ": sequence numbers"),
        WINDOW,
        None,
        PicturePanel::Sequence,
        Some(("0 s", "2 s")),
    )
    .with(&["links.air.channel=perfect", concat!("flows.transfer.tcp.initial_window=", $window)])),*] };
}

/// Figures 3 to 11.
const PICTURES: &[Picture] = pictures! {
    "figure 3" "1"
    "figure 4" "2"
    "figure 5" "3"
    "figure 6" "4"
    "figure 7" "5"
    "figure 8" "6"
    "figure 9" "7"
    "figure 10" "8"
    "figure 11" "9"
};

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use engine::Bytes;
    use stats::Level;

    use super::*;
    use crate::papers::{Score, reproduce::reproduce_paper};
    use crate::store::Store;

    #[test]
    fn scenarios_use_the_packet_sizes_of_the_paper() {
        for source in PAPER.sweeps {
            let scenario = source.load(None, &[]).unwrap().scenario;
            assert!(scenario.flows.values().all(|flow| flow.mss == Bytes(SEGMENT)), "{}", source.name);
        }
    }

    /// The number has no values if the paper's table names a case or key that the scenario lacks.
    #[test]
    fn every_number_of_table_1_has_a_value_for_each_replication() {
        let (_dir, mut store) = Store::scratch();
        let reproduction = reproduce_paper(&PAPER, 2, &mut store, 1, &mut |_| ControlFlow::Continue(())).unwrap();
        let table = reproduction.numbers.iter().filter(|number| number.place == "table 1");
        assert!(table.clone().all(|number| number.ours.n() == 2), "{:?}", reproduction.numbers);
        assert_eq!((table.count(), Score::of(&reproduction.numbers, Level::default()).all()), (9, 23));
    }
}
