//! Table I compared with simulated round trips of single small packets, as sent by "ping". No packet is lost or queued,
//! and the links are so fast that only their delays count: a round trip crosses the wire and the radio link in both
//! directions.

use observe::observation::{Fact, SenderFact};
use serde_json::json;
use stats::Moments;

use super::{ONCE, VARIATION};
use crate::papers::{Contradiction, ModalQuantity, Number};

/// A row of table I.
struct RoundTripRow {
    /// "RTT (%)".
    share: f64,
    /// "Total RTT": bounds in milliseconds.
    total: [f64; 2],
    /// "Wireless link delay": bounds in milliseconds.
    link: [u32; 2],
}

const TABLE_I: [RoundTripRow; 4] = [
    RoundTripRow { share: 80.0, total: [316.0, 400.0], link: [153, 195] },
    RoundTripRow { share: 10.0, total: [400.0, 460.0], link: [195, 225] },
    RoundTripRow { share: 8.0, total: [460.0, 605.0], link: [225, 297] },
    RoundTripRow { share: 2.0, total: [605.0, 1252.0], link: [297, 621] },
];

/// Twice 297 ms and 10 ms of wire are 604 ms.
const ROUNDED: Contradiction = Contradiction {
    pages: "table I, rows 3 and 4",
    values: ["a total of 605 ms", "297 ms of radio delay in each direction"],
    why: "with 10 ms of wire that makes 604 ms; 595 ms of radio delay are 297.5 in each direction.",
};

const LEAST: Contradiction = Contradiction {
    pages: "section 5.D and table I",
    values: ["delays of at least 179 ms", "no round trip below 316 ms, and no one-way delay below 153"],
    why: "179 ms is too short for a round trip, and not the minimum one-way delay.",
};

const AVERAGE: Contradiction = Contradiction {
    pages: "section 5.D and table I",
    values: ["300 ms average RTT", "no round trip below 316 ms"],
    why: "no average is below the minimum.",
};

pub(super) fn compute_ping_numbers() -> Vec<Number> {
    let mut numbers = Vec::new();
    let own = Pings::of(&[]);
    let once = Pings::of(&[ROUND_TRIP]);
    for RoundTripRow { share, total: [low, high], .. } in &TABLE_I {
        let of = |pings: &Pings| pings.each(|all| 100.0 * share_of(all, *low..*high));
        let what = json!({ "figure": format!("round trips of {low} to {high} ms") });
        numbers.push(Number::new("table I", what, "%", *share, of(&own)).or(&ONCE, of(&once)));
    }
    // Each row begins where the previous row ends.
    let first = (TABLE_I[0].total[0], TABLE_I[0].link[0]);
    for (total, link) in [first].into_iter().chain(TABLE_I.iter().map(|row| (row.total[1], row.link[1]))) {
        let what = json!({ "figure": format!("round trip with {link} ms of radio delay in each direction") });
        let number = Number::new("table I", what, "ms", total, measure_constant_delay(link));
        numbers.push(if total == 605.0 { number.with_contradiction(ROUNDED) } else { number });
    }
    let mut of_text = |what: &str, paper: f64, against, pick: fn(&[f64]) -> f64| {
        let number = Number::new("section 5.D", json!({ "figure": what }), "ms", paper, own.each(pick));
        numbers.push(Number { contradiction: against, ..number.or(&ONCE, once.each(pick)) });
    };
    let least = |all: &[f64]| all.iter().take(RUN).copied().fold(f64::INFINITY, f64::min);
    let greatest = |all: &[f64]| all.iter().take(RUN).copied().fold(0.0, f64::max);
    of_text("least delay of 50", 179.0, Some(LEAST), least);
    of_text("greatest delay of 50", 1000.0, None, greatest);
    of_text("average round trip", 300.0, Some(AVERAGE), |all| all.iter().sum::<f64>() / all.len() as f64);
    numbers
}

/// Changes that turn scenario I into 1000 pings of 56 bytes and a header.
const PING: &[&str] = &[
    "flows.download.mss=\"56 B\"",
    "flows.download.receive_window=\"56 B\"",
    "links.wire.rate=\"1 Gbps\"",
    "links.air.rate=\"1 Gbps\"",
    "links.air.jitter.from=\"0 s\"",
    "flows.download.bytes=\"56 kB\"",
    // A ping is not retransmitted.
    "flows.download.tcp.initial_rto=\"5 s\"",
    "flows.download.tcp.min_rto=\"5 s\"",
    "duration=\"2000 s\"",
];

/// The number of pings in a run of the paper, about 20 s.
const RUN: usize = 50;

/// The delays of table I, drawn once for both directions.
const ROUND_TRIP: &str = r#"links.air.jitter={ reordering = true, directions = "forward", delay = { kind = "mixture", parts = [
    { probability = 0.80, delay = { kind = "uniform", high = "84 ms" } },
    { probability = 0.10, delay = { kind = "uniform", low = "84 ms", high = "144 ms" } },
    { probability = 0.08, delay = { kind = "uniform", low = "144 ms", high = "288 ms" } },
    { probability = 0.02, delay = { kind = "uniform", low = "288 ms", high = "936 ms" } } ] } }"#;

/// Seeds of the runs of pings.
const SEEDS: u64 = 100;

/// Round trips in milliseconds, by run.
struct Pings(Vec<Vec<f64>>);

impl Pings {
    fn of(changes: &[&str]) -> Self {
        let run = |seed: u64| {
            let seed = format!("replication={seed}");
            round_trips(&[PING, changes, &[seed.as_str()]].concat())
        };
        Pings((0..SEEDS).map(run).collect())
    }

    fn each(&self, pick: impl Fn(&[f64]) -> f64) -> ModalQuantity {
        Moments::of(self.0.iter().map(|all| pick(all))).unwrap_or_default().into()
    }
}

fn round_trips(changes: &[&str]) -> Vec<f64> {
    let facts = VARIATION.facts(Some("unmodified"), changes);
    let rtt = |fact: &Fact| match fact {
        Fact::Sender(SenderFact::RoundTrip { rtt }) => Some(1e3 * rtt.as_secs_f64()),
        _ => None,
    };
    facts.iter().filter_map(|fact| rtt(&fact.fact)).collect()
}

fn share_of(all: &[f64], range: std::ops::Range<f64>) -> f64 {
    all.iter().filter(|rtt| range.contains(rtt)).count() as f64 / all.len().max(1) as f64
}

/// The round trip with a constant delay, in whole milliseconds as in the table.
fn measure_constant_delay(link: u32) -> Option<f64> {
    let delay = format!("links.air.delay=\"{link} ms\"");
    let all =
        round_trips(&[PING, &["links.air.jitter={ delay = { kind = \"uniform\", high = \"0 s\" } }", &delay]].concat());
    all.first().map(|rtt| rtt.round())
}

#[cfg(test)]
mod tests {
    use stats::Level;

    use super::*;
    use crate::papers::Mark;

    /// By hand: with separate delays for both directions, 0.64 + 0.16 x 27/42 + 0.128 x (12^2 / 2) / (42 x 72) = 74.6 %
    /// of the round trips take less than 400 ms; with one delay for both directions, 80 %. The average is 10 ms plus
    /// twice 190.26 ms.
    #[test]
    fn round_trip_shares_follow_from_the_delay_distribution() {
        let mean = |pings: &Pings, pick: fn(&[f64]) -> f64| pings.each(pick).mean().unwrap();
        let (own, once) = (Pings::of(&[]), Pings::of(&[ROUND_TRIP]));
        let short = |all: &[f64]| 100.0 * share_of(all, 316.0..400.0);
        let average = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        // 100 runs of 1000: a standard error of 0.14 %, and of 0.35 ms.
        assert!((mean(&own, short) - 74.6).abs() < 0.5, "{}", mean(&own, short));
        assert!((mean(&once, short) - 80.0).abs() < 0.5, "{}", mean(&once, short));
        assert!((mean(&own, average) - 390.5).abs() < 1.0, "{}", mean(&own, average));
        assert!((mean(&once, average) - 390.5).abs() < 1.3, "{}", mean(&once, average));
        assert!(own.0.iter().chain(&once.0).all(|all| all.len() == 1000));
    }

    #[test]
    fn table_bounds_are_round_trip_times_of_which_one_is_rounded() {
        assert_eq!(
            [153, 195, 225, 297, 621].map(measure_constant_delay),
            [316.0, 400.0, 460.0, 604.0, 1252.0].map(Some)
        );
        let numbers = compute_ping_numbers();
        let marks: Vec<Mark> = numbers[4..9].iter().map(|number| number.mark(Level::default())).collect();
        let rounded = Mark::Contradicts(ROUNDED);
        assert_eq!(marks, [Mark::Reproduced, Mark::Reproduced, Mark::Reproduced, rounded, Mark::Reproduced]);
    }
}
