//! Metrics as columns of a table: heads from their declarations, values in their units.

use engine::Quantity;
use engine::quantity::format_percent;
use observe::metric::Metric;
use observe::summary::Summary;

/// The text for a missing value.
pub const NONE: &str = "–";

/// The heads of columns.
pub fn render_column_heads(metrics: &[&Metric]) -> Vec<String> {
    metrics.iter().map(|metric| metric.head.to_owned()).collect()
}

/// Renders a line of cells for each subject of these metrics, which must have the same scope.
pub fn render_column_lines(metrics: &[&Metric], summary: &Summary) -> Vec<Vec<String>> {
    let mut lines: Vec<Vec<String>> = Vec::new();
    for metric in metrics {
        let readings = metric.of_all(summary);
        lines.resize(readings.len(), Vec::new());
        for (line, (_, value)) in lines.iter_mut().zip(readings) {
            line.push(render_metric_cell(metric, value));
        }
    }
    lines
}

/// Renders a value with its unit. Counts have no unit.
pub fn render_metric_cell(metric: &Metric, value: Option<f64>) -> String {
    let Some(value) = value else { return NONE.to_owned() };
    match (Quantity::with_base(metric.unit), metric.unit) {
        (Some(quantity), _) => quantity.format_brief(value),
        (None, "share") => format_percent(value),
        (None, "1 to 4.5" | "1 and more") => format!("{value:.2}"),
        (None, _) => format!("{value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use observe::summary::{direction, flow};

    #[test]
    fn values_have_their_unit() {
        assert_eq!(render_metric_cell(&flow::completion_time_s, Some(1.5)), "1.5 s");
        assert_eq!(render_metric_cell(&flow::goodput_bps, Some(605_107.07)), "605.1 kbps");
        assert_eq!(render_metric_cell(&flow::timeouts, Some(1_234_567.0)), "1234567");
        assert_eq!(render_metric_cell(&direction::utilization, Some(0.25)), "25.0 %");
        assert_eq!(render_metric_cell(&flow::goodput_bps, None), "–");
    }
}
