//! Runs with one disconnection whose times are measured: figures 1, 7 and 10, and table 1 with packets waiting at the
//! mobile.

use serde_json::json;
use stats::Moments;

use super::super::{Contradiction, ModalQuantity, Number, PaperScenario};
use super::readings::{AT_ONCE, FLIGHT, PATIENT, SLOW, THREE_WAIT, WINDOW_WAITS, WINDOW_WAITS_SLOW};
use super::times::{Cause, DisconnectionMeter, Times};
use super::{DISCONNECTIONS, RECEPTION, RTO, RTT, SHORT, TABLE_1};

pub(super) const SCENARIO: PaperScenario =
    PaperScenario { name: "disconnections2012", text: include_str!("../examples/disconnections2012.toml") };

/// Seeds of the runs whose times are measured.
pub(super) const SEEDS: u64 = 30;

/// Differences of a reading's runs from the scenario, in which the mobile receives immediately after a disconnection.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// The earliest start of the disconnection and the range of its random delay, in milliseconds.
    leaves: (f64, f64),
    set: &'static [&'static str],
}

const DEAF: &str = "links.air.channel.reception=\"when-it-sends\"";
const SLOW_AIR: &str = "media.cell.rate=\"2 Mbps\"";

/// The disconnection starts at any time of a round trip.
const ANYWHERE: (f64, f64) = (10_200.0, RTT);
/// The disconnection starts while the acknowledgments of a flight arrive.
const WITH_A_FLIGHT: (f64, f64) = (10_270.0, 30.0);

pub(super) const PRIMARY_RUNS: Setting = Setting { leaves: ANYWHERE, set: &[DEAF] };
pub(super) const FLIGHT_RUNS: Setting = Setting { leaves: WITH_A_FLIGHT, set: &[DEAF] };
const AT_ONCE_RUNS: Setting = Setting { leaves: ANYWHERE, set: &[] };
const SLOW_RUNS: Setting = Setting { leaves: ANYWHERE, set: &[DEAF, SLOW_AIR] };

/// The interpretation of approach A: the retry limit grows with each packet given up, or during each packet.
const GROWING: &[&str] = &["media.cell.retry_growth.max=25", "media.cell.rate_control=\"stepping\""];
const GROWING_WITHIN: &[&str] = &[
    "media.cell.short_retry_limit=25",
    "media.cell.retry_growth.max=25",
    "media.cell.rate_control={ kind = \"stepping\", failures = 6 }",
];

impl Setting {
    /// The times of one run with a disconnection of `loss` milliseconds.
    fn run_once(&self, case: &[&str], loss: f64, replication: u64) -> Times {
        let (from, shift) = self.leaves;
        let mut set = vec![
            format!("{DISCONNECTIONS}=[[\"{from} ms\", \"{} ms\"]]", from + loss),
            format!("links.air.channel.random_offset=\"{shift} ms\""),
            format!("{RECEPTION}=\"at-once\""),
        ];
        set.extend(self.set.iter().chain(case).map(|change| (*change).to_owned()));
        set.push(format!("replication={replication}"));
        let set: Vec<&str> = set.iter().map(String::as_str).collect();
        SCENARIO.observe(Some("unmodified"), &set, DisconnectionMeter::default()).times()
    }

    /// The times of the runs of all seeds.
    pub(super) fn runs(&self, case: &[&str], loss: f64) -> Vec<Times> {
        (0..SEEDS).map(|seed| self.run_once(case, loss, seed)).collect()
    }
}

fn collect_moments(values: impl Iterator<Item = f64>) -> Moments {
    Moments::of(values).unwrap_or_default()
}

/// Returns T_PAUSE, grouped by the cause of the next transmission.
pub(super) fn measure_pause(runs: &[Times]) -> ModalQuantity {
    let of = |cause: Cause| {
        collect_moments(runs.iter().filter_map(|run| run.pause).filter(|(why, _)| *why == cause).map(|(_, ms)| ms))
    };
    ModalQuantity::of_modes([
        ("the timer expires", of(Cause::Timer)),
        ("a doubled timer expires", of(Cause::LaterTimer)),
        ("the MAC still tries", of(Cause::Mac)),
        ("an acknowledgment comes", of(Cause::Acknowledgment)),
    ])
}

/// Returns T_RES, grouped by the number of timeouts before cwnd was restored. Runs without a reduction are omitted.
fn measure_restoration(runs: &[Times]) -> ModalQuantity {
    let of = |timeouts: std::ops::RangeInclusive<u32>| {
        collect_moments(runs.iter().filter(|run| timeouts.contains(&run.timeouts)).filter_map(|run| run.restored))
    };
    ModalQuantity::of_modes([
        ("there is no timeout", of(0..=0)),
        ("one timeout", of(1..=1)),
        ("several timeouts", of(2..=u32::MAX)),
    ])
}

/// Figure 1 does not show the network of figure 6. In figure 1 packet 10119 leaves at 27.719 s, so that the upload
/// carries at least 10119 / 27.719 = 365 packets per second. The network of figure 6 carries 12 packets per round trip
/// of 210 ms, or 57 per second: 1584 packets in 27.719 s.
const FIGURE_1: Contradiction = Contradiction {
    pages: "sections 3 and 5.2",
    values: ["packet 10119 leaves at 27.719 s", "12 packets are unacknowledged, and the RTT is 210 ms"],
    why: "365 packets/s at least, against 57: figure 1 is of another network than figure 6, and no run of figure 6 is compared with it. \
          By its own times the timer began when packet 10119 was sent: 27.719 + 0.240 - 27.94 s = 19 ms.",
};

/// Compares equation 1 as figure 7 plots it, figure 1, and T_RES of section 5.3.
pub(super) fn compare_pauses() -> Vec<Number> {
    let what = |what: &str, case: &str, loss: f64| json!({ "figure": what, "implementation": case, "T_LOSS_ms": loss });
    let mut numbers = Vec::new();
    for (time, paper) in [("T_PAUSE", 18.5), ("T_RES", 1980.0)] {
        numbers
            .push(Number::new("figure 1", what(time, "normal", 190.0), "ms", paper, None).with_contradiction(FIGURE_1));
    }
    for loss in SHORT.map(|round_trips| round_trips * RTT) {
        let ours = |setting: &Setting| measure_pause(&setting.runs(&[], loss));
        let what = what("T_PAUSE", "normal", loss);
        let number = Number::new("equation 1, figure 7", what, "ms", RTO - loss, ours(&PRIMARY_RUNS));
        numbers
            .push(number.or(&FLIGHT, ours(&FLIGHT_RUNS)).or(&AT_ONCE, ours(&AT_ONCE_RUNS)).or(&SLOW, ours(&SLOW_RUNS)));
    }
    for loss in [0.5, 1.5].map(|round_trips| round_trips * RTT) {
        let ours = |setting: &Setting, case| measure_restoration(&setting.runs(case, loss));
        let number =
            Number::new("section 5.3, figure 10", what("T_RES", "a", loss), "ms", 1890.0, ours(&PRIMARY_RUNS, GROWING));
        numbers.push(
            number
                .or(&FLIGHT, ours(&FLIGHT_RUNS, GROWING))
                .or(&AT_ONCE, ours(&AT_ONCE_RUNS, GROWING))
                .or(&SLOW, ours(&SLOW_RUNS, GROWING))
                .or(&PATIENT, ours(&PRIMARY_RUNS, GROWING_WITHIN))
                .or(&WINDOW_WAITS, measure_restoration(&waiting_runs(12, None, GROWING, loss)))
                .or(&WINDOW_WAITS_SLOW, measure_restoration(&waiting_runs(12, Some(SLOW_AIR), GROWING, loss))),
        );
    }
    numbers
}

/// Changes that start an upload of this many packets when the disconnection starts; all packets then wait at the
/// mobile's MAC.
fn waiting_upload(packets: u32, air: Option<&str>) -> Vec<String> {
    let mut set = vec![
        "flows.ftp.start=\"10.2 s\"".to_owned(),
        format!("flows.ftp.receive_window=\"{packets} kB\""),
        format!("flows.ftp.tcp.initial_window={packets}"),
        "flows.ftp.tcp.initial_rto=\"240 ms\"".to_owned(),
    ];
    set.extend(air.map(str::to_owned));
    set
}

/// The start of the disconnection, during the transmission of the first packet.
const AS_IT_BEGINS: Setting = Setting { leaves: (10_200.1, 0.0), ..PRIMARY_RUNS };

fn waiting_runs(packets: u32, air: Option<&str>, case: &[&str], loss: f64) -> Vec<Times> {
    let waiting = waiting_upload(packets, air);
    let set: Vec<&str> = waiting.iter().map(String::as_str).chain(case.iter().copied()).collect();
    AS_IT_BEGINS.runs(&set, loss)
}

/// Sums of table 1 under a reading, of twelve disconnections each.
const SUMS: u64 = 10;
const TWELVE: u64 = 12;

/// Table 1 with packets waiting at the mobile. Packets given up are counted until one round trip after the
/// disconnection.
fn table_1_waiting(packets: u32, air: Option<&str>) -> Vec<Number> {
    let mut numbers = Vec::new();
    for (round_trips, normal, modified) in TABLE_1 {
        let loss = round_trips * RTT;
        for (case, set, paper) in [("normal", &[][..], normal), ("a", GROWING, modified)] {
            let end = format!("duration=\"{} ms\"", 10_200.0 + loss + RTT);
            let waiting = waiting_upload(packets, air);
            let changes = waiting.iter().map(String::as_str).chain([end.as_str()]);
            let set: Vec<&str> = changes.chain(set.iter().copied()).collect();
            let given_up = |seed| u64::from(AS_IT_BEGINS.run_once(&set, loss, seed).given_up);
            let sum = |sum: u64| (0..TWELVE).map(|time| given_up(sum * TWELVE + time)).sum::<u64>() as f64;
            let ours = collect_moments((0..SUMS).map(sum));
            let what = json!({ "round_trips": round_trips, "implementation": case });
            numbers.push(Number::new("table 1", what, "packets", paper, ours));
        }
    }
    numbers
}

/// Adds to table 1 the same numbers under the readings in which packets wait at the mobile.
pub(super) fn beside_waiting(numbers: Vec<Number>) -> Vec<Number> {
    let numbers = Number::with_reading(numbers, &WINDOW_WAITS, table_1_waiting(12, None));
    let numbers = Number::with_reading(numbers, &WINDOW_WAITS_SLOW, table_1_waiting(12, Some(SLOW_AIR)));
    Number::with_reading(numbers, &THREE_WAIT, table_1_waiting(3, None))
}
