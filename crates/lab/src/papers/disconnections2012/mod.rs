//! P. Dalal, N. Kothari and K. S. Dasgupta, "Improving TCP Performance over Wireless Network with Frequent Disconnections", 2012:
//! figures 1 and 7 to 11, table 1, equations 1 and 2.

#[cfg(test)]
mod equation;
mod times;

use engine::Time;
use serde_json::{Value, json};
use stats::{Moments, Sample};

use super::{Chart, Number, Panel, Paper, Picture, Reading, Source};
use crate::metric::{self, Metric};
use crate::sweep::analysis::{Analysis, CellRuns};
use times::Times;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "disconnections2012",
    reference: "P. Dalal, N. Kothari and K. S. Dasgupta, Improving TCP Performance over Wireless Network with Frequent \
                Disconnections, 2012",
    replications: 50,
    sweeps: &[
        SINGLE,
        Source { name: TWELVE, text: include_str!("../../../../../examples/disconnections2012-twelve.toml") },
    ],
    readings: &[&WHEN_IT_SENDS, &AT_ONCE, &SHORTER, &AT_ONCE_SHORTER, &SINGLY, &AT_ONCE_SINGLY],
    numbers,
    charts: CHARTS,
    pictures: PICTURES,
    words: include_str!("../../../../../docs/papers/disconnections2012.md"),
};

/// The primary reading.
static WHEN_IT_SENDS: Reading = Reading {
    name: "hears when it sends",
    what: "a mobile that comes back stays deaf until it transmits; twelve disconnections in 250 s",
    source: "ns-2's channel finds receivers where they were when they last sent",
};
static AT_ONCE: Reading = Reading {
    name: "hears at once",
    what: "a mobile that comes back is heard and hears at once",
    source: "a true on/off disconnection",
};
static SHORTER: Reading = Reading {
    name: "25 s",
    what: "the twelve disconnections come in 25 s",
    source: "the text's \"250 ms of the simulation period\" is not possible",
};
static AT_ONCE_SHORTER: Reading = Reading {
    name: "hears at once, 25 s",
    what: "a mobile that comes back hears at once, and the twelve disconnections come in 25 s",
    source: "both",
};
static SINGLY: Reading = Reading {
    name: "one disconnection",
    what: "one disconnection in 10 s",
    source: "the text does not say where the gain is taken over",
};
static AT_ONCE_SINGLY: Reading = Reading {
    name: "hears at once, one disconnection",
    what: "one disconnection in 10 s, after which the mobile hears at once",
    source: "both",
};

const SINGLE: Source =
    Source { name: "disconnections2012", text: include_str!("../../../../../examples/disconnections2012.toml") };
const TWELVE: &str = "disconnections2012-twelve";

const AWAY: &str = "links.air.channel.away";
const HEARS: &str = "links.air.channel.hears";
const EVERY: &str = "links.air.channel.every";

/// How the mobile comes back. Mobility in ns-2 is the first.
const KINDS: [&str; 2] = ["when-it-sends", "at-once"];

/// Milliseconds of the round trip.
const RTT: f64 = 210.0;
/// Milliseconds of the timeout (section 3).
const RTO: f64 = 240.0;
/// When the mobile leaves, in milliseconds.
const LEAVES: f64 = 10_200.0;

/// Table 1, by round trips: normal MAC, and modified.
const TABLE_1: [(f64, f64, f64); 7] = [
    (0.5, 22.0, 12.0),
    (1.0, 37.0, 17.0),
    (1.5, 54.0, 24.0),
    (2.5, 141.0, 40.0),
    (4.0, 179.0, 82.0),
    (5.0, 176.0, 91.0),
    (6.0, 173.0, 102.0),
];

/// Round trips of the points up to one, and beyond.
const SHORT: [f64; 6] = [0.2, 0.4, 0.5, 0.6, 0.8, 1.0];
const LONG: [f64; 5] = [1.5, 2.5, 4.0, 5.0, 6.0];

fn numbers(sweeps: &[Analysis]) -> Vec<Number> {
    let [single, twelve] = sweeps else { panic!("{} sweeps, and the paper has two", sweeps.len()) };
    let [deaf, at_once] = KINDS.map(|kind| {
        let mut numbers = pauses(kind);
        numbers.extend(table_1(twelve, kind));
        numbers.extend(gains(&Runs { sweep: twelve, every: Some("20 s"), kind }));
        numbers
    });
    let mut numbers = Number::beside(deaf, &AT_ONCE, at_once);
    for (kind, shorter, singly) in [(KINDS[0], &SHORTER, &SINGLY), (KINDS[1], &AT_ONCE_SHORTER, &AT_ONCE_SINGLY)] {
        let twelve = gains(&Runs { sweep: twelve, every: Some("2 s"), kind });
        numbers = Number::beside(numbers, shorter, twelve);
        numbers = Number::beside(numbers, singly, gains(&Runs { sweep: single, every: None, kind }));
    }
    numbers
}

/// What the times of single runs are compared with: figure 1, equation 1 as figure 7 has it, and T_RES of section 5.3.
fn pauses(kind: &str) -> Vec<Number> {
    let mut numbers = Vec::new();
    let mut add = |place, what: &str, case: &str, loss: f64, paper, pick: fn(&Times) -> Option<f64>| {
        let times = runs(kind, case, loss);
        let ours = Moments::of(times.iter().filter_map(pick)).unwrap_or_default();
        let what = json!({ "figure": what, "implementation": case, "T_LOSS_ms": loss });
        numbers.push(Number::new(place, what, "ms", paper, ours));
    };
    add("figure 1", "T_PAUSE", "normal", 190.0, 18.5, |times| times.pause);
    add("figure 1", "T_RES", "normal", 190.0, 1980.0, |times| times.restored);
    for round_trips in SHORT {
        let loss = round_trips * RTT;
        add("equation 1, figure 7", "T_PAUSE", "normal", loss, RTO - loss, |times| times.pause);
    }
    add("section 5.3, figure 10", "T_RES", "a", 0.5 * RTT, 1890.0, |times| times.restored);
    add("section 5.3, figure 10", "T_RES", "a", 1.5 * RTT, 1890.0, |times| times.restored);
    numbers
}

/// Seeds of the runs whose times are taken.
const SEEDS: u64 = 30;

/// The times of runs with one disconnection of so many milliseconds.
fn runs(kind: &str, case: &str, loss: f64) -> Vec<Times> {
    let away = [LEAVES, LEAVES + loss].map(|ms| Time::from_nanos((ms * 1e6).round() as u64));
    let [from, to] = away.map(|at| format!("\"{} ms\"", at.as_nanos() as f64 / 1e6));
    let run = |seed: u64| {
        let most = if case == "normal" { 7 } else { 25 };
        let rates = if case == "normal" { "fixed" } else { "stepping" };
        let changes = [
            format!("{AWAY}=[[{from}, {to}]]"),
            format!("{HEARS}=\"{kind}\""),
            format!("media.cell.retry_growth.most={most}"),
            format!("media.cell.rate_control=\"{rates}\""),
            format!("replication={seed}"),
        ];
        let scheme = if case == "ab" { "link-loss" } else { "unmodified" };
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        Times::of(&SINGLE.events(Some(scheme), &changes), away)
    };
    (0..SEEDS).map(run).collect()
}

/// A sweep's runs of one kind of return.
struct Runs<'a> {
    sweep: &'a Analysis,
    every: Option<&'a str>,
    kind: &'a str,
}

impl<'a> Runs<'a> {
    fn cell(&self, case: &str, round_trips: f64) -> Option<&'a CellRuns> {
        let end = format!("{} s", (LEAVES + round_trips * RTT) / 1e3);
        let away = json!([["10.2 s", end]]);
        let every = self.every.map(Value::from);
        self.sweep.cells.iter().find(|cell| {
            let is =
                |key: &str, value: &Value| cell.cell.changes.iter().any(|(changed, to)| changed == key && to == value);
            cell.cell.case_name == case
                && is(AWAY, &away)
                && is(HEARS, &Value::from(self.kind))
                && every.as_ref().is_none_or(|every| is(EVERY, every))
        })
    }

    fn figure(&self, case: &str, round_trips: f64, metric: &Metric, subject: &str) -> Sample {
        let cell = self.cell(case, round_trips);
        cell.map(|cell| cell.sample(metric, |name| name == subject)).unwrap_or_default()
    }

    /// By how many percent goodput is higher than in another case.
    fn gain(&self, base: &str, case: &str, round_trips: f64) -> Sample {
        let goodput = |case| self.figure(case, round_trips, &metric::GOODPUT, "ftp");
        goodput(base).zip_with(&goodput(case), |base, case| 100.0 * (case - base) / base)
    }

    /// The greatest of several gains, in each replication.
    fn greatest(&self, base: &str, case: &str, round_trips: &[f64]) -> Moments {
        let all = round_trips.iter().map(|loss| self.gain(base, case, *loss));
        all.reduce(|all, next| all.zip_with(&next, f64::max)).unwrap_or_default().moments()
    }
}

/// Packets given up at both ends of the air: data of the mobile, and acknowledgments of the station.
fn table_1(sweep: &Analysis, kind: &str) -> Vec<Number> {
    let runs = Runs { sweep, every: Some("20 s"), kind };
    let given_up = metric::find("packets_given_up");
    let mut numbers = Vec::new();
    for (round_trips, normal, modified) in TABLE_1 {
        for (case, paper) in [("normal", normal), ("a", modified)] {
            let way =
                |subject| given_up.map(|metric| runs.figure(case, round_trips, metric, subject)).unwrap_or_default();
            let ours = way("air forward").zip_with(&way("air backward"), |data, acks| data + acks).moments();
            let what = json!({ "round_trips": round_trips, "implementation": case });
            numbers.push(Number::new("table 1", what, "packets", paper, ours));
        }
    }
    numbers
}

/// What the text says of goodput: figures 8, 9 and 11, and the conclusions.
fn gains(runs: &Runs<'_>) -> Vec<Number> {
    let gain =
        |place, what: &str, paper, ours: Moments| Number::new(place, json!({ "figure": what }), "%", paper, ours);
    vec![
        gain(
            "section 6, figure 8",
            "greatest gain of A and B, T_LOSS at most RTT",
            45.0,
            runs.greatest("normal", "ab", &SHORT),
        ),
        gain(
            "section 6, figure 9",
            "greatest gain of A and B, T_LOSS beyond RTO",
            70.0,
            runs.greatest("normal", "ab", &LONG),
        ),
        gain("section 5.3, figure 11", "gain of B above A, T_LOSS of RTT", 23.0, runs.gain("a", "ab", 1.0).moments()),
    ]
}

const CASES: &[&str] = &["normal", "a", "ab"];

/// Figures 8, 9 and 11: goodput itself, of which the paper draws the gain.
const CHARTS: &[Chart] = &[
    Chart {
        place: "figures 8, 9 and 11",
        title: "Twelve disconnections in 250 s, by their length; the mobile hears again when it sends",
        sweep: TWELVE,
        metric: "goodput_bps",
        along: AWAY,
        only: &[(HEARS, "when-it-sends"), (EVERY, "20 s")],
        cases: CASES,
    },
    Chart {
        place: "beside figures 8, 9 and 11",
        title: "The same, and it hears again at once",
        sweep: TWELVE,
        metric: "goodput_bps",
        along: AWAY,
        only: &[(HEARS, "at-once"), (EVERY, "20 s")],
        cases: CASES,
    },
    Chart {
        place: "table 1",
        title: "Packets that the mobile's MAC gives up; it hears again when it sends",
        sweep: TWELVE,
        metric: "packets_given_up",
        along: AWAY,
        only: &[(HEARS, "when-it-sends"), (EVERY, "20 s")],
        cases: CASES,
    },
];

const PART: Option<(&str, &str)> = Some(("9.5 s", "14.5 s"));
const A: &[&str] = &[
    "links.air.channel.away=[[\"10.2 s\", \"10.305 s\"]]",
    "media.cell.retry_growth.most=25",
    "media.cell.rate_control=\"stepping\"",
];
const NORMAL: &[&str] = &["links.air.channel.away=[[\"10.2 s\", \"10.305 s\"]]"];

/// Figure 10, where three duplicates begin recovery. There the paper's disconnection is longer than the timeout.
const PICTURES: &[Picture] = &[
    Picture::new("figure 10", "cwnd, half a round trip away: normal", SINGLE, Some("unmodified"), Panel::Window, PART)
        .with(NORMAL),
    Picture::new(
        "figure 10",
        "cwnd, half a round trip away: approach A",
        SINGLE,
        Some("unmodified"),
        Panel::Window,
        PART,
    )
    .with(A),
    Picture::new(
        "figure 10",
        "cwnd, half a round trip away: approaches A and B",
        SINGLE,
        Some("link-loss"),
        Panel::Window,
        PART,
    )
    .with(A),
];

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use path::mac::dcf::Phy;
    use stats::{Interval, Level};

    use super::equation::Unanswered;
    use super::*;
    use crate::papers::reproduce::reproduce;
    use crate::store::Store;

    /// A case or a key that the scenarios have under another name would have no values.
    #[test]
    fn every_number_has_values() {
        let dir = std::env::temp_dir().join(format!("lasthop-disconnections2012-{}", std::process::id()));
        let mut store = Store::create(&dir.join("s.sqlite")).unwrap();
        let reproduction = reproduce(&PAPER, 2, &mut store, 1, &mut |_| ControlFlow::Continue(())).unwrap();
        std::fs::remove_dir_all(dir).unwrap();
        let numbers = reproduction.numbers;
        for number in numbers.iter().filter(|number| number.unit != "ms") {
            assert_eq!(number.ours.n(), 2, "{} {}", number.place, number.label());
        }
        // Under the kind of return that has no cut there is nothing to restore.
        let pauses = numbers.iter().filter(|number| number.unit == "ms" && number.label().starts_with("T_PAUSE"));
        assert!(pauses.clone().all(|number| number.ours.n() == SEEDS), "{numbers:?}");
        assert_eq!(pauses.count(), 7);
        assert_eq!(numbers.iter().filter(|number| number.place == "table 1").count(), 14);
    }

    /// Figure 7 is a straight line only if the mobile stays deaf until its timer expires. It was started when the last
    /// acknowledgment came, before the disconnection: so the line lies that much lower than equation 1, and falls by what T_LOSS grows.
    // covers [disconnections2012 equation 1]
    #[test]
    fn who_hears_when_it_sends_pauses_until_the_timeout() {
        let pause =
            |kind: &str, loss| -> Vec<f64> { runs(kind, "normal", loss).iter().filter_map(|run| run.pause).collect() };
        let [short, long] = [84.0, 168.0].map(|loss| pause(KINDS[0], loss));
        // In some seeds the MAC still tries something when the mobile comes back: these transmit at once.
        let timed_out: Vec<(f64, f64)> = short
            .iter()
            .copied()
            .zip(long.iter().copied())
            .filter(|(short, long)| *long > 30.0 && *short > 30.0)
            .collect();
        assert!(timed_out.len() > 15, "{short:?} {long:?}");
        for (short, long) in timed_out {
            assert!(short + 84.0 <= RTO && (short - long - 84.0).abs() < 0.001, "{short} {long}");
        }
        let at_once = pause("at-once", 84.0);
        let [at_once, short] = [at_once, short].map(|all| all.iter().sum::<f64>() / all.len() as f64);
        assert!(at_once < 0.3 * short, "{at_once} {short}: a true on/off disconnection is over sooner");
    }

    /// Twelve packets that wait in a silence nobody breaks: the mean of T_CRD over seeds is equation 2's.
    // covers [disconnections2012 equation 2]
    #[test]
    fn the_mac_goes_on_trying_for_as_long_as_equation_2_says() {
        let loaded = SINGLE.load(None, &[]).unwrap();
        let phy = Phy::new(&loaded.network.media[0].config);
        // 2 Mbps; 78, 55 and 33 % of that are less, and 1 Mbps is the least there is.
        let stepped = |drops: u32| usize::from(drops == 0);
        let fastest = |_: u32| 1;
        for (packets, growth, rates) in [
            (1, 7, &fastest as &dyn Fn(u32) -> usize),
            (3, 7, &fastest),
            (12, 7, &fastest),
            (1, 25, &stepped),
            (4, 25, &stepped),
        ] {
            let control = if growth == 7 { "fixed" } else { "stepping" };
            let set = [
                format!("media.cell.retry_growth.most={growth}"),
                format!("media.cell.rate_control=\"{control}\""),
                format!("{AWAY}=[[\"1 s\", \"15 s\"]]"),
                format!("flows.ftp.tcp.initial_window={packets}"),
                "flows.ftp.tcp.initial_rto=\"6 s\"".to_owned(),
                "flows.ftp.tcp.min_rto=\"6 s\"".to_owned(),
                "duration=\"10 s\"".to_owned(),
            ];
            let tries = (0..200).filter_map(|seed| {
                let seed = format!("replication={seed}");
                let set: Vec<&str> = set.iter().map(String::as_str).chain([seed.as_str()]).collect();
                Times::of(&SINGLE.events(None, &set), [Time::from_millis(1000), Time::from_millis(15_000)]).tries
            });
            let measured = Moments::of(tries).unwrap();
            let config = &SINGLE.load(None, &set.iter().map(String::as_str).collect::<Vec<_>>()).unwrap().network.media
                [0]
            .config;
            let formula = Unanswered { phy: &phy, retries: config.retries(), rates, packet: 1040 }.tries(packets);
            let Some(ci) = Interval::of_mean(&measured, Level::new(0.999).unwrap()) else { panic!("no runs") };
            assert!(ci.contains(formula), "{packets} packets, up to {growth} attempts: {formula} ms, and {ci:?}");
        }
    }
}
