//! The delays of a run.

use observe::metric::Metric;
use observe::summary::{Summary, direction, flow};

use super::columns::NONE;
use super::{align_rows, text_cells};

/// The mean, three quantiles and the maximum of a delay.
type Figures = [&'static Metric; 5];

fn list_flow_delays() -> [(&'static str, Figures); 2] {
    [
        ("round trip", [&flow::rtt_mean_s, &flow::rtt_p50_s, &flow::rtt_p95_s, &flow::rtt_p99_s, &flow::rtt_max_s]),
        (
            "one way",
            [&flow::delay_mean_s, &flow::delay_p50_s, &flow::delay_p95_s, &flow::delay_p99_s, &flow::delay_max_s],
        ),
    ]
}

fn list_direction_delays() -> [(&'static str, Figures); 2] {
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
pub fn render_delays(summary: &Summary) -> String {
    let mut rows = vec![text_cells(&["delay", "of", "mean ms", "p50", "p95", "p99", "max"])];
    let flows: Vec<String> = summary.flows.iter().map(|flow| flow.name.clone()).collect();
    let directions: Vec<String> = summary
        .links
        .iter()
        .flat_map(|link| {
            let [a, b] = &link.between;
            [format!("{} {a} to {b}", link.name), format!("{} {b} to {a}", link.name)]
        })
        .collect();
    add_delay_rows(&mut rows, summary, &list_flow_delays(), &flows);
    add_delay_rows(&mut rows, summary, &list_direction_delays(), &directions);
    if rows.len() == 1 { String::new() } else { format!("\n{}", align_rows(&rows, 2)) }
}

fn add_delay_rows(
    rows: &mut Vec<Vec<String>>,
    summary: &Summary,
    delays: &[(&'static str, Figures); 2],
    names: &[String],
) {
    let values: Vec<[Vec<Option<f64>>; 5]> = delays
        .iter()
        .map(|(_, figures)| figures.map(|metric| metric.of_all(summary).into_iter().map(|(_, value)| value).collect()))
        .collect();
    for (number, name) in names.iter().enumerate() {
        for ((kind, _), values) in delays.iter().zip(&values) {
            let figures = values.iter().map(|values| values.get(number).copied().flatten());
            if figures.clone().any(|value| value > Some(0.0)) {
                rows.push([text_cells(&[kind, name]), figures.map(render_milliseconds).collect()].concat());
            }
        }
    }
}

/// Renders milliseconds with three decimals below 10 ms, otherwise with one decimal. The heads of the columns have the
/// unit.
fn render_milliseconds(seconds: Option<f64>) -> String {
    match seconds.map(|seconds| 1e3 * seconds) {
        None => NONE.to_owned(),
        Some(millis) if millis < 10.0 => format!("{millis:.3}"),
        Some(millis) => format!("{millis:.1}"),
    }
}
