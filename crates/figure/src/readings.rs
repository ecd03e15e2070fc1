//! All metrics of one run, as names and a column of values.

use observe::metric::METRICS;
use observe::run::{Interrupted, Titled, Watch, summarize_run};
use serde::Serialize;

use crate::columns::{Column, Columns, Figure};

/// The head of all metrics of one run.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Readings"))]
pub(crate) struct ReadingsHead {
    /// Metric and subject of each value.
    names: Vec<(&'static str, String)>,
    /// The values, NaN where the run gave none.
    values: Column,
}

/// Runs a scenario; returns the value of each metric for each subject, NaN for those that the run did not give. Only with
/// `delays` are delays measured. The head's `names` are pairs of metric and subject, its `values` the column.
///
/// # Errors
/// The callback cancels.
pub fn collect_readings(titled: Titled<'_>, delays: bool, watch: Watch<'_>) -> Result<Figure, Interrupted> {
    let summary = summarize_run(titled, delays, watch)?;
    let readings = METRICS.iter().flat_map(|metric| {
        let of_metric = metric.read(&summary).into_iter();
        of_metric.map(|(subject, value)| ((metric.name, subject), value.unwrap_or(f64::NAN)))
    });
    let (names, values): (Vec<_>, Vec<_>) = readings.unzip();
    let mut columns = Columns::default();
    let values = columns.add(values.into_iter().map(|value| [value]));
    Ok(columns.finish(ReadingsHead { names, values }))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use scenario::from_toml;
    use serde_json::json;

    use super::*;

    /// 1040 bytes and an acknowledgment of 40 bytes are sent at 8 Mbps over 50 ms each way. The second flow never ends.
    #[test]
    fn each_metric_has_a_value_for_each_subject_or_nan() {
        let text = r#"
            duration = "10 s"
            nodes = { a = { kind = "host" }, b = { kind = "host" } }
            links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms" }
            flows.one = { from = "a", to = "b", bytes = "1000 B" }
            flows.two = { from = "b", to = "a", bytes = "1000 B", start = "9.99 s" }
        "#;
        let loaded = from_toml("a.toml", text).unwrap();
        let titled = Titled { title: loaded.title(), scenario: &loaded.scenario, network: &loaded.network };
        let figure = collect_readings(titled, false, &mut |_| ControlFlow::Continue(())).unwrap();
        let names = figure.head["names"].as_array().unwrap();
        assert_eq!(names.len(), figure.columns[0].len());
        let value = |metric: &str, subject: &str| {
            let at = names.iter().position(|name| *name == json!([metric, subject])).expect("it is there");
            figure.columns[0][at]
        };
        assert_eq!(value("completion_time_s", "one"), 0.10108);
        assert!(value("completion_time_s", "two").is_nan());
        assert_eq!(value("simulated_s", ""), 10.0);
    }
}
