//! Sweeps with twelve disconnections, and sweeps with one disconnection: table 1, figures 8, 9 and 11.

use serde_json::{Value, json};
use stats::{Moments, Sample};

use super::super::{Contradiction, Number};
use super::readings::{AT_ONCE, PATIENT, SHORTER, SHORTER_AT_ONCE, SINGLY, SINGLY_AT_ONCE, SLOW, SLOW_AT_ONCE};
use super::{DISCONNECTIONS, LEAVES, LONG, PERIOD, RATE, RECEPTION, RTT, SHORT, TABLE_1};
use crate::sweep::analysis::{Analysis, CellRuns};
use observe::metric::Metric;
use observe::summary::{direction, flow};

/// A sweep's runs under one reading.
#[derive(Clone, Copy)]
struct ReadingRuns<'a> {
    sweep: &'a Analysis,
    /// Keys that are varied in addition to the length of the disconnection.
    at: &'a [(&'static str, &'static str)],
    /// The cases of approach A and of both approaches.
    approach: [&'static str; 2],
}

const FIGURE_11: &str = "section 5.3, figure 11";

const DEAF: (&str, &str) = (RECEPTION, "when-it-sends");
const HEARING: (&str, &str) = (RECEPTION, "at-once");
const LONG_RUN: (&str, &str) = (PERIOD, "20 s");
const SHORT_RUN: (&str, &str) = (PERIOD, "2 s");
const FAST: (&str, &str) = (RATE, "11 Mbps");
const SLOW_AIR: (&str, &str) = (RATE, "2 Mbps");

/// The cases in which approach A raises the retry limit with each packet given up.
const GROWING: [&str; 2] = ["a", "ab"];
/// The cases in which approach A raises the retry limit during each packet; without approach B.
const GROWING_WITHIN: [&str; 2] = ["patient", "patient"];

impl<'a> ReadingRuns<'a> {
    fn cell(&self, case: &str, round_trips: f64) -> Option<&'a CellRuns> {
        let end = format!("{} s", (LEAVES + round_trips * RTT) / 1e3);
        let away = json!([["10.2 s", end]]);
        self.sweep.cells.iter().find(|cell| {
            let is =
                |key: &str, value: &Value| cell.cell.changes.iter().any(|(changed, to)| changed == key && to == value);
            cell.cell.case_name == case
                && is(DISCONNECTIONS, &away)
                && self.at.iter().all(|(key, value)| is(key, &Value::from(*value)))
        })
    }

    fn figure(&self, case: &str, round_trips: f64, metric: &Metric, subject: &str) -> Sample {
        let cell = self.cell(case, round_trips);
        cell.map(|cell| cell.sample(metric, |name| name == subject)).unwrap_or_default()
    }

    /// The gain in goodput over another case, in percent.
    fn gain(&self, base: &str, case: &str, round_trips: f64) -> Sample {
        let goodput = |case| self.figure(case, round_trips, &flow::goodput_bps, "ftp");
        goodput(base).zip_with(&goodput(case), |base, case| 100.0 * (case - base) / base)
    }

    /// The maximum of several gains, per replication.
    fn greatest(&self, base: &str, case: &str, round_trips: &[f64]) -> Moments {
        let all = round_trips.iter().map(|loss| self.gain(base, case, *loss));
        all.reduce(|all, next| all.zip_with(&next, f64::max)).unwrap_or_default().moments()
    }

    /// Returns the packets given up at both ends of the radio link, which are data of the mobile and acknowledgments of
    /// the station.
    fn table_1(&self) -> Vec<Number> {
        let mut numbers = Vec::new();
        for (round_trips, normal, modified) in TABLE_1 {
            for (name, case, paper) in [("normal", "normal", normal), ("a", self.approach[0], modified)] {
                let direction = |subject| self.figure(case, round_trips, &direction::packets_given_up, subject);
                let ours =
                    direction("air forward").zip_with(&direction("air backward"), |data, acks| data + acks).moments();
                let what = json!({ "round_trips": round_trips, "implementation": name });
                numbers.push(Number::new("table 1", what, "packets", paper, ours));
            }
        }
        numbers
    }

    /// The statements about goodput in the text: figures 8, 9 and 11, and the conclusions.
    fn gains(&self) -> Vec<Number> {
        let gain =
            |place, what: &str, paper, ours: Moments| Number::new(place, json!({ "figure": what }), "%", paper, ours);
        let [a, both] = self.approach;
        vec![
            gain(
                "section 6, figure 8",
                "greatest gain of A and B, T_LOSS at most RTT",
                45.0,
                self.greatest("normal", both, &SHORT),
            ),
            gain(
                "section 6, figure 9",
                "greatest gain of A and B, T_LOSS beyond RTO",
                70.0,
                self.greatest("normal", both, &LONG),
            ),
            gain(FIGURE_11, "gain of B above A, T_LOSS of RTT", 23.0, self.gain(a, both, 1.0).moments()),
        ]
    }
}

/// Maximum number of packets that normal TCP can lose to one disconnection shorter than the timeout in an upload of 10
/// s: 240 ms of silence (14 packets at 12 per round trip of 210 ms), 12 retransmitted packets, and 11 + 10 + 8 + 6 + 5
/// + 4 + 3 + 2 + 1 while cwnd grows from 1 by way of ssthresh = 6 to 12: 76 of 571.
const FIGURE_8: Contradiction = Contradiction {
    pages: "sections 5.2 and 6",
    values: ["more than 45 %", "FTP from 5 to 15 s, one disconnection at 10.2 s"],
    why: "A timeout of 240 ms and the growth of the window from 1 to 12 cost 76 of 571 packets: even without any disconnection goodput \
          would be 15 % higher, not 45.",
};

/// Twelve disconnections longer than 240 ms.
const FIGURE_9: Contradiction = Contradiction {
    pages: "section 5.3, text and caption of figure 9",
    values: ["12 disconnections longer than the RTO of 240 ms", "250 ms of the simulation period"],
    why: "The disconnections alone take 2.9 s at least. In 250 s a normal TCP stands still for at most 1.7 s and lacks another 1.4 s \
          while its window grows, twelve times: even without any disconnection goodput would be 17 % higher, not 70.",
};

fn add_contradiction(number: Number) -> Number {
    match number.place.as_str() {
        "section 6, figure 8" => number.with_contradiction(FIGURE_8),
        "section 6, figure 9" => number.with_contradiction(FIGURE_9),
        _ => number,
    }
}

/// Table 1, then the gains.
pub(super) fn compute_sweep_numbers(single: &Analysis, twelve: &Analysis) -> Vec<Number> {
    let runs = |at| ReadingRuns { sweep: twelve, at, approach: GROWING };
    let primary = runs(&[DEAF, LONG_RUN, FAST]);
    let at_once = runs(&[HEARING, LONG_RUN, FAST]);
    let patient = ReadingRuns { approach: GROWING_WITHIN, ..primary };
    let mut table = primary.table_1();
    for (reading, runs) in [
        (&AT_ONCE, at_once),
        (&SLOW, runs(&[DEAF, LONG_RUN, SLOW_AIR])),
        (&SLOW_AT_ONCE, runs(&[HEARING, LONG_RUN, SLOW_AIR])),
        (&PATIENT, patient),
    ] {
        table = Number::with_reading(table, reading, runs.table_1());
    }
    let mut gains = primary.gains();
    for (reading, runs) in [
        (&AT_ONCE, at_once),
        (&PATIENT, patient),
        (&SHORTER, runs(&[DEAF, SHORT_RUN, FAST])),
        (&SHORTER_AT_ONCE, runs(&[HEARING, SHORT_RUN, FAST])),
        (&SINGLY, ReadingRuns { sweep: single, at: &[DEAF], approach: GROWING }),
        (&SINGLY_AT_ONCE, ReadingRuns { sweep: single, at: &[HEARING], approach: GROWING }),
    ] {
        let mut others = runs.gains();
        // The paper states no value above approach A in this place.
        others.retain(|other| runs.approach[0] != runs.approach[1] || other.place != FIGURE_11);
        gains = Number::with_reading(gains, reading, others);
    }
    table.into_iter().chain(gains.into_iter().map(add_contradiction)).collect()
}
