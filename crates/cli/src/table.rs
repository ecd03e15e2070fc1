//! Tables for people.

use serde_json::Value;

/// A run's summary: one line a flow, one line a direction of a link.
pub fn summary(summary: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let seconds = |value: &Value| value.as_f64().map_or("not done".to_owned(), |seconds| format!("{seconds:.3} s"));
    let mut out = format!("{} (seed {})\n\n", text(&summary["title"]), summary["seed"]);
    let mut flows = vec![row(&[
        "flow",
        "from",
        "to",
        "completed in",
        "goodput",
        "segments",
        "resent",
        "fast rtx",
        "timeouts",
        "DEFER",
        "RETRANSMIT",
    ])];
    for flow in list(&summary["flows"]) {
        flows.push(vec![
            text(&flow["name"]),
            text(&flow["from"]),
            text(&flow["to"]),
            seconds(&flow["completion_time_s"]),
            bits_per_second(flow["goodput_bps"].as_f64().unwrap_or(0.0)),
            flow["segments_sent"].to_string(),
            flow["segments_retransmitted"].to_string(),
            flow["fast_retransmits"].to_string(),
            flow["timeouts"].to_string(),
            flow["icmp_defer"].to_string(),
            flow["icmp_retransmit"].to_string(),
        ]);
    }
    out.push_str(&aligned(&flows, 3));
    out.push('\n');
    let mut links = vec![row(&["link", "from", "to", "frames", "corrupted", "dropped", "delivered", "busy"])];
    for link in list(&summary["links"]) {
        let [a, b] = [0, 1].map(|end| text(&link["between"][end]));
        for (way, from, to) in [("forward", &a, &b), ("backward", &b, &a)] {
            let way = &link[way];
            links.push(vec![
                text(&link["name"]),
                from.clone(),
                to.clone(),
                way["frames_sent"].to_string(),
                way["frames_corrupted"].to_string(),
                way["packets_dropped"].to_string(),
                way["packets_delivered"].to_string(),
                format!("{:.1} %", 100.0 * way["utilization"].as_f64().unwrap_or(0.0)),
            ]);
        }
    }
    out.push_str(&aligned(&links, 3));
    let simulated = summary["simulated_s"].as_f64().unwrap_or(0.0);
    out.push_str(&format!("\n{simulated:.3} s simulated, {} events\n", summary["events"]));
    out
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn bits_per_second(rate: f64) -> String {
    let (scale, unit) = match rate {
        rate if rate >= 1e9 => (1e9, "Gbps"),
        rate if rate >= 1e6 => (1e6, "Mbps"),
        rate if rate >= 1e3 => (1e3, "kbps"),
        _ => (1.0, "bps"),
    };
    format!("{:.1} {unit}", rate / scale)
}

/// The first `left` columns to the left, numbers to the right.
pub fn aligned(rows: &[Vec<String>], left: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column < left { format!("{cell:width$}") } else { format!("{cell:>width$}") }
        });
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}
