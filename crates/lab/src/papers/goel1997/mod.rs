//! S. Goel, "Improving the Performance of TCP over Wireless Links", IIT Kanpur, 1997: chapters 2 and 5, appendix B.

mod clock;
mod tables;

use serde_json::{Value, json};
use stats::Sample;

use super::{Chart, Number, Paper, PaperScenario, Picture, PicturePanel, Reading};
use crate::sweep::analysis::{Analysis, CellRuns};
use observe::metric::{self, Metric};
use tables::{TABLES, WINDOWS};

/// The paper.
pub static PAPER: Paper = Paper {
    name: "goel1997",
    reference: "S. Goel, Improving the Performance of TCP over Wireless Links, M.Tech. thesis, IIT Kanpur, 1997",
    replications: 100,
    sweeps: &[
        PaperScenario { name: TABLES_SWEEP, text: include_str!("../examples/goel1997-tables.toml") },
        PaperScenario { name: SATELLITE, text: include_str!("../examples/goel1997-satellite.toml") },
        PaperScenario { name: RECOVERIES, text: include_str!("../examples/goel1997-recoveries.toml") },
    ],
    readings: &[&STATED],
    numbers: compute_goel1997_numbers,
    charts: CHARTS,
    pictures: PICTURES,
    words: include_str!("../docs/goel1997.md"),
};

/// The only reading.
static STATED: Reading = Reading {
    name: "as stated",
    what: "the profile goel1997, a mean sojourn time in GOOD of 5 s",
    source: "chapters 4 and 5, appendix B",
};

const TABLES_SWEEP: &str = "goel1997-tables";
const SATELLITE: &str = "goel1997-satellite";
const RECOVERIES: &str = "goel1997-recoveries";

const UNMODIFIED: &str = "unmodified";
const SIMPLE: &str = "simple-icmp";
const REFINED: &str = "refined-icmp";
const NO_LOSS: &str = "no-loss";

const WINDOW: &str = "flows.download.receive_window";
const DELAY: &str = "links.wire.delay";
const MEAN_BAD: &str = "links.air.channel.mean_bad";

fn compute_goel1997_numbers(sweeps: &[Analysis]) -> Vec<Number> {
    let [tables, satellite, recoveries] = sweeps else { return Vec::new() };
    let mut numbers = Vec::new();
    for table in &TABLES {
        for (kilobytes, (simple, refined)) in WINDOWS.iter().zip(table.rows) {
            let window = format!("{kilobytes} KiB");
            let cells = PointCells {
                sweep: tables,
                at: vec![(DELAY, table.delay), (MEAN_BAD, table.mean_bad), (WINDOW, &window)],
            };
            for (scheme, paper) in [(SIMPLE, simple), (REFINED, refined)] {
                let what = json!({ "window_kb": kilobytes, "scheme": scheme });
                numbers.push(Number::new(table.place, what, "%", paper, cells.improvement(scheme).moments()));
            }
        }
    }
    numbers.extend(compute_extremes(tables, satellite));
    numbers.extend(compute_recoveries(recoveries));
    numbers.extend(clock::numbers());
    numbers
}

/// Numbers that the text gives as the minimum or maximum of several runs. Simulated numbers are the minimum or maximum
/// over the same cells, per replication.
fn compute_extremes(tables: &Analysis, satellite: &Analysis) -> Vec<Number> {
    let number = |place, what: Value, unit, paper, ours: Sample| Number::new(place, what, unit, paper, ours.moments());
    let best = |place, scheme, paper| {
        let ours = maximum_by_replication(PointCells::every(satellite, &[]).map(|cells| cells.improvement(scheme)));
        number(place, json!({ "greatest": "improvement", "scheme": scheme }), "%", paper, ours)
    };
    let degradations = |only: &'static [(&'static str, &'static str)]| {
        PointCells::every(tables, only).map(|cells| cells.degradation(REFINED))
    };
    let degraded = |end: &str| json!({ end: "degradation relative to no loss", "scheme": REFINED });
    let messages = || {
        let cells = PointCells::every(tables, &[]);
        let kind = |cells: &PointCells<'_>, name: &str| cells.figure(REFINED, name);
        cells.map(move |cells| kind(&cells, "icmp_defer").zip_with(&kind(&cells, "icmp_retransmit"), |a, b| a + b))
    };
    let first: &[_] = &[(DELAY, "100 ms"), (MEAN_BAD, "100 ms")];
    let count = |end: &str| json!({ end: "ICMP messages of a transfer", "scheme": REFINED });
    vec![
        best("section 5.4.2, figure 5.2", SIMPLE, 24.39),
        best("section 5.5.3, figure 5.7", REFINED, 28.96),
        number("section 5.5.3, figure 5.8", degraded("least"), "%", 2.45, minimum_by_replication(degradations(first))),
        number(
            "section 5.5.3, figure 5.8",
            degraded("greatest"),
            "%",
            6.35,
            maximum_by_replication(degradations(first)),
        ),
        number(
            "section 5.5.3, figures 5.8 to 5.16",
            degraded("least"),
            "%",
            2.45,
            minimum_by_replication(degradations(&[])),
        ),
        number(
            "section 5.5.3, figures 5.8 to 5.16",
            degraded("greatest"),
            "%",
            24.88,
            maximum_by_replication(degradations(&[])),
        ),
        number("section 5.5.4", count("least"), "messages", 19.0, minimum_by_replication(messages())),
        number("section 5.5.4", count("greatest"), "messages", 552.0, maximum_by_replication(messages())),
    ]
}

/// Returns the numbers about the transfer of section 5.4.3, for which the thesis counts the losses and their
/// recoveries.
fn compute_recoveries(sweep: &Analysis) -> Vec<Number> {
    const PLACE: &str = "section 5.4.3";
    const PRINTED: [(&str, f64, f64, f64, f64); 2] =
        [(UNMODIFIED, 929_824.0, 74.0, 26.0, 19.0), (SIMPLE, 945_579.0, 67.0, 23.0, 42.0)];
    let cells = PointCells { sweep, at: Vec::new() };
    let mut numbers = Vec::new();
    for (scheme, time, lost, fast, timeouts) in PRINTED {
        let mut add = |what: &str, unit, paper, ours: Sample| {
            let what = json!({ "figure": what, "scheme": scheme });
            numbers.push(Number::new(PLACE, what, unit, paper, ours.moments()));
        };
        add("completion time", "ms", time, cells.figure(scheme, "completion_time_s").map(|seconds| 1000.0 * seconds));
        add("packets lost on the channel", "packets", lost, cells.figure(scheme, "packets_dropped"));
        add("fast retransmits", "count", fast, cells.figure(scheme, "fast_retransmits"));
        add("timeouts", "count", timeouts, cells.figure(scheme, "timeouts"));
    }
    // The paper's two runs are compared with each other. Segments that are lost repeatedly affect both.
    let slower = cells.improvement(SIMPLE).map(|faster| -faster);
    let paper = 100.0 * (945_579.0 - 929_824.0) / 929_824.0;
    let what = json!({ "figure": "completion time against unmodified", "scheme": SIMPLE });
    numbers.push(Number::new(PLACE, what, "%", paper, slower.moments()));
    numbers
}

/// The cells of a point.
struct PointCells<'a> {
    sweep: &'a Analysis,
    at: Vec<(&'a str, &'a str)>,
}

impl<'a> PointCells<'a> {
    /// All points at which the keys of `only` have these values.
    fn every(sweep: &'a Analysis, only: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = PointCells<'a>> {
        let firsts = sweep.cells.iter().filter(|cell| cell.cell.case == 0 && is_at(cell, only));
        firsts.map(move |cell| {
            let at = cell.cell.changes.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)));
            PointCells { sweep, at: at.collect() }
        })
    }

    fn cell(&self, case: &str) -> Option<&'a CellRuns> {
        self.sweep.cells.iter().find(|cell| cell.cell.case_name == case && is_at(cell, &self.at))
    }

    /// A metric by replication: of the flow, or of the radio link's direction to the mobile.
    fn figure(&self, case: &str, name: &str) -> Sample {
        let metric: Option<&Metric> = metric::find_metric(name);
        let subject = |name: &str| name == "download" || name == "air forward";
        self.cell(case).zip(metric).map(|(cell, metric)| cell.sample(metric, subject)).unwrap_or_default()
    }

    /// Returns the reduction of the completion time by a scheme, in percent of the time without a scheme.
    fn improvement(&self, case: &str) -> Sample {
        let (base, other) = (self.figure(UNMODIFIED, "completion_time_s"), self.figure(case, "completion_time_s"));
        stats::paired::Pairs::of(&base, &other).changes().percent.map(|change| -change)
    }

    /// Increase of the completion time of a scheme, in percent of the lossless time.
    fn degradation(&self, case: &str) -> Sample {
        let (base, other) = (self.figure(NO_LOSS, "completion_time_s"), self.figure(case, "completion_time_s"));
        stats::paired::Pairs::of(&base, &other).changes().percent
    }
}

fn is_at(cell: &CellRuns, at: &[(&str, &str)]) -> bool {
    at.iter().all(|(key, value)| cell.cell.changes.iter().any(|(changed, to)| changed == key && to == value))
}

/// The minimum of several samples, per replication.
fn minimum_by_replication(samples: impl Iterator<Item = Sample>) -> Sample {
    fold_samples(samples, f64::min)
}

/// The maximum of several samples, per replication.
fn maximum_by_replication(samples: impl Iterator<Item = Sample>) -> Sample {
    fold_samples(samples, f64::max)
}

fn fold_samples(samples: impl Iterator<Item = Sample>, pick: fn(f64, f64) -> f64) -> Sample {
    samples.reduce(|all, next| all.zip_with(&next, pick)).unwrap_or_default()
}

macro_rules! bars {
    ($($place:literal $delay:literal $bad:literal)*) => { [$(Chart {
        place: $place,
        title: concat!("Latency ", $delay, ", mean sojourn time in BAD ", $bad),
        sweep: TABLES_SWEEP,
        metric: "completion_time_s",
        along: WINDOW,
        only: &[(DELAY, $delay), (MEAN_BAD, $bad)],
        cases: &[NO_LOSS, UNMODIFIED, SIMPLE, REFINED],
    }),*] };
}

/// Figures 5.2 and 5.7 to 5.16. The thesis prints no values for the bars of its figures.
const CHARTS: &[Chart] = &{
    let [a, b, c, d, e, f, g, h, i] = bars! {
        "figure 5.8" "100 ms" "100 ms"
        "figure 5.9" "100 ms" "300 ms"
        "figure 5.10" "100 ms" "500 ms"
        "figure 5.11" "75 ms" "100 ms"
        "figure 5.12" "75 ms" "300 ms"
        "figure 5.13" "75 ms" "500 ms"
        "figure 5.14" "50 ms" "100 ms"
        "figure 5.15" "50 ms" "300 ms"
        "figure 5.16" "50 ms" "500 ms"
    };
    [
        Chart {
            place: "figure 5.2",
            title: "Latency 492 ms, mean sojourn time in BAD 100 ms, Simple ICMP scheme",
            sweep: SATELLITE,
            metric: "completion_time_s",
            along: WINDOW,
            only: &[],
            cases: &[NO_LOSS, UNMODIFIED, SIMPLE],
        },
        Chart {
            place: "figure 5.7",
            title: "Latency 492 ms, mean sojourn time in BAD 100 ms, both schemes",
            sweep: SATELLITE,
            metric: "completion_time_s",
            along: WINDOW,
            only: &[],
            cases: &[NO_LOSS, UNMODIFIED, SIMPLE, REFINED],
        },
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h,
        i,
    ]
};

const TIMEOUT: PaperScenario = PaperScenario { name: "timeout", text: include_str!("../examples/timeout.toml") };
const FAST: PaperScenario =
    PaperScenario { name: "fast-retransmit", text: include_str!("../examples/fast-retransmit.toml") };
const LARGE: PaperScenario =
    PaperScenario { name: "large-window", text: include_str!("../examples/large-window.toml") };

/// The plots of single runs.
const PICTURES: &[Picture] = &[
    Picture::new("figure 2.1", "A timeout: sequence numbers", TIMEOUT, None, PicturePanel::Sequence, None),
    Picture::new("figure 2.2", "A timeout: cwnd and ssthresh", TIMEOUT, None, PicturePanel::Window, None),
    Picture::new(
        "figure 2.3",
        "Three duplicate acknowledgments: sequence numbers",
        FAST,
        None,
        PicturePanel::Sequence,
        Some(("1.7 s", "2.8 s")),
    ),
    Picture::new(
        "figure 2.4",
        "Three duplicate acknowledgments: cwnd and ssthresh",
        FAST,
        None,
        PicturePanel::Window,
        Some(("1.7 s", "2.8 s")),
    ),
    Picture::new(
        "figure 5.3",
        "Two losses in a window under the Simple scheme: two timeouts",
        clock::TWO_LOSSES,
        Some(SIMPLE),
        PicturePanel::Sequence,
        Some(("1.2 s", "5 s")),
    ),
    Picture::new(
        "figure 5.4",
        "The same losses under unmodified TCP: one timeout",
        clock::TWO_LOSSES,
        Some(UNMODIFIED),
        PicturePanel::Sequence,
        Some(("1.2 s", "5 s")),
    ),
    Picture::new(
        "figure 5.5",
        "The same losses under unmodified TCP: cwnd and ssthresh",
        clock::TWO_LOSSES,
        Some(UNMODIFIED),
        PicturePanel::Window,
        Some(("1.2 s", "5 s")),
    ),
    Picture::new(
        "figure 5.6",
        "Three losses in a window of 96 KB under the Simple scheme",
        LARGE,
        Some(SIMPLE),
        PicturePanel::Sequence,
        Some(("5.5 s", "10 s")),
    ),
];
