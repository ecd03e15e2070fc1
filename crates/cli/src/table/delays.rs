//! The delays of a run.

use observe::metric::Metric;
use observe::summary::{Summary, direction, flow};

use super::columns::NONE;
use super::{aligned, row};

/// The mean, three quantiles and the maximum of a delay.
type Figures = [&'static Metric; 5];

fn of_flows() -> [(&'static str, Figures); 2] {
    [
        ("round trip", [&flow::rtt_mean_s, &flow::rtt_p50_s, &flow::rtt_p95_s, &flow::rtt_p99_s, &flow::rtt_max_s]),
        (
            "one way",
            [&flow::delay_mean_s, &flow::delay_p50_s, &flow::delay_p95_s, &flow::delay_p99_s, &flow::delay_max_s],
        ),
    ]
}

fn of_directions() -> [(&'static str, Figures); 2] {
    [
        (
            "queue",
            [
                &direction::queue_wait_mean_s,
                &direction::queue_wait_p50_s,
                &direction::queue_wait_p95_s,
                &direction::queue_wait_p99_s,
                &direction::queue_wait_max_s,
            ],
        ),
        (
            "link layer",
            [
                &direction::link_layer_mean_s,
                &direction::link_layer_p50_s,
                &direction::link_layer_p95_s,
                &direction::link_layer_p99_s,
                &direction::link_layer_max_s,
            ],
        ),
    ]
}

/// A line for each delay of each flow and link direction that has one above zero.
pub fn table(summary: &Summary) -> String {
    let mut rows = vec![row(&["delay", "of", "mean ms", "p50", "p95", "p99", "max"])];
    let flows: Vec<String> = summary.flows.iter().map(|flow| flow.name.clone()).collect();
    let directions: Vec<String> = summary
        .links
        .iter()
        .flat_map(|link| {
            let [a, b] = &link.between;
            [format!("{} {a} to {b}", link.name), format!("{} {b} to {a}", link.name)]
        })
        .collect();
    add(&mut rows, summary, &of_flows(), &flows);
    add(&mut rows, summary, &of_directions(), &directions);
    if rows.len() == 1 { String::new() } else { format!("\n{}", aligned(&rows, 2)) }
}

fn add(rows: &mut Vec<Vec<String>>, summary: &Summary, delays: &[(&'static str, Figures); 2], names: &[String]) {
    let values: Vec<[Vec<Option<f64>>; 5]> = delays
        .iter()
        .map(|(_, figures)| figures.map(|metric| metric.of_all(summary).into_iter().map(|(_, value)| value).collect()))
        .collect();
    for (number, name) in names.iter().enumerate() {
        for ((kind, _), values) in delays.iter().zip(&values) {
            let figures = values.iter().map(|values| values.get(number).copied().flatten());
            if figures.clone().any(|value| value > Some(0.0)) {
                rows.push([row(&[kind, name]), figures.map(millis).collect()].concat());
            }
        }
    }
}

/// Milliseconds: three decimals below 10 ms, otherwise one.
fn millis(seconds: Option<f64>) -> String {
    match seconds.map(|seconds| 1e3 * seconds) {
        None => NONE.to_owned(),
        Some(millis) if millis < 10.0 => format!("{millis:.3}"),
        Some(millis) => format!("{millis:.1}"),
    }
}
