//! Results as text tables.

mod columns;
mod delays;
mod media;
mod roaming;

use engine::Bytes;
use observe::summary::{Schemes, Summary, arrivals_of, direction, flow};
use scenario::ran::{describe_schemes, group_by_scheme};
use sim::Transport;

use columns::{render_column_heads, render_column_lines, render_metric_cell};

/// Renders a run's summary, with a line for each flow, link direction, node with a limited buffer, and scheme counter.
pub fn render_summary(summary: &Summary) -> String {
    let mut out = render_heading(summary);
    out.push_str(&render_flows(summary));
    out.push_str(&render_arrivals(summary));
    out.push_str(&delays::render_delays(summary));
    out.push('\n');
    out.push_str(&render_links(summary));
    out.push_str(&media::render_stations(summary));
    out.push_str(&render_buffers(summary));
    out.push_str(&roaming::render_roaming(summary));
    out.push_str(&render_scheme_counts(summary));
    out.push_str(&format!("\n{:.3} s simulated, {} events\n", summary.simulated_s, summary.events));
    out
}

/// Renders title, scheme, profile and seed.
fn render_heading(summary: &Summary) -> String {
    let scheme = match &summary.scheme {
        None => String::new(),
        Some(Schemes::One(scheme)) => scheme.clone(),
        Some(Schemes::Each(each)) => {
            describe_schemes(&group_by_scheme(each.iter().map(|(node, scheme)| (scheme.as_str(), node.as_str()))))
        }
    };
    let profile = summary.profile.name();
    format!("{}\nscheme {scheme}, profile {profile}, seed {}\n\n", summary.title, summary.seed)
}

/// A table of the flows over TCP and another one of flows of datagrams; a line for each flow that failed, for the results of each
/// application that has any, and for the fairness.
fn render_flows(summary: &Summary) -> String {
    let tcp = [
        &flow::completion_time_s,
        &flow::goodput_bps,
        &flow::segments_sent,
        &flow::segments_retransmitted,
        &flow::segments_duplicate,
        &flow::fast_retransmits,
        &flow::timeouts,
        &flow::icmp_defer,
        &flow::icmp_retransmit,
    ];
    let datagrams =
        [&flow::completion_time_s, &flow::goodput_bps, &flow::datagrams_sent, &flow::datagrams_lost, &flow::jitter_s];
    let mut out = String::new();
    for (columns, over_tcp) in [(&tcp[..], true), (&datagrams[..], false)] {
        let mut rows = vec![[text_cells(&["flow", "from", "to"]), render_column_heads(columns)].concat()];
        for (flow, mut cells) in summary.flows.iter().zip(render_column_lines(columns, summary)) {
            if (flow.transport == Transport::Tcp) != over_tcp {
                continue;
            }
            if flow.completion_time_s.is_none() {
                cells[0] = "not done".to_owned();
            }
            rows.push([text_cells(&[&flow.name, &flow.from, &flow.to]), cells].concat());
        }
        if rows.len() > 1 {
            out.push_str(if out.is_empty() { "" } else { "\n" });
            out.push_str(&align_rows(&rows, 3));
        }
    }
    out.push_str(&render_applications(summary));
    for flow in &summary.flows {
        if let Some(failure) = &flow.failure {
            out.push_str(&format!("{}: the connection failed ({})\n", flow.name, failure.replace('-', " ")));
        }
    }
    if let Some(index) = summary.fairness {
        out.push_str(&format!("fairness {index:.3} (Jain's index over the flows' goodput)\n"));
    }
    out
}

/// A line for each flow whose application has results.
fn render_applications(summary: &Summary) -> String {
    let all = [
        &flow::mos,
        &flow::speech_lost,
        &flow::late,
        &flow::mouth_to_ear_s,
        &flow::pages,
        &flow::page_time_mean_s,
        &flow::page_time_p50_s,
        &flow::page_time_p95_s,
        &flow::video_bit_rate_bps,
        &flow::video_startup_s,
        &flow::stalls,
        &flow::stalled_s,
    ];
    let mut lines: Vec<Vec<String>> = vec![Vec::new(); summary.flows.len()];
    for metric in all {
        let name = metric.head.replace('_', " ");
        let name = name.trim_end_matches(" s");
        for (line, (_, value)) in lines.iter_mut().zip(metric.of_all(summary)) {
            line.extend(value.map(|value| format!("{name} {}", render_metric_cell(metric, Some(value)))));
        }
    }
    let mut out = String::new();
    for (flow, values) in summary.flows.iter().zip(lines).filter(|(_, values)| !values.is_empty()) {
        out.push_str(&format!("{}: {}\n", flow.name, values.join(", ")));
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

/// A line for all flows of each arrival process, and for the flows of each class of sizes.
fn render_arrivals(summary: &Summary) -> String {
    let columns = [
        &arrivals_of::flows_arrived,
        &arrivals_of::flows_completed,
        &arrivals_of::fct_mean_s,
        &arrivals_of::fct_p50_s,
        &arrivals_of::fct_p95_s,
        &arrivals_of::fct_p99_s,
        &arrivals_of::slowdown_mean,
        &arrivals_of::slowdown_p99,
    ];
    let mut rows = vec![[text_cells(&["arrivals", "sizes"]), render_column_heads(&columns)].concat()];
    let processes = summary.arrivals.iter().zip(render_column_lines(&columns, summary));
    rows.extend(processes.map(|(process, cells)| [text_cells(&[&process.name, &process.sizes]), cells].concat()));
    if rows.len() == 1 {
        return String::new();
    }
    format!("{}{}", if summary.flows.is_empty() { "" } else { "\n" }, align_rows(&rows, 2))
}

/// A line for each direction of each link.
pub fn render_links(summary: &Summary) -> String {
    let mut columns = vec![
        &direction::frames_sent,
        &direction::frames_corrupted,
        &direction::packets_dropped,
        &direction::packets_delivered,
        &direction::utilization,
    ];
    // Few scenarios have ECN.
    if direction::packets_marked.read(summary).iter().any(|(_, marked)| *marked > Some(0.0)) {
        columns.push(&direction::packets_marked);
    }
    // Only links in a medium can have collisions.
    if !summary.media.is_empty() {
        columns.push(&direction::frames_collided);
    }
    let mut rows = vec![[text_cells(&["link", "from", "to"]), render_column_heads(&columns)].concat()];
    let directions = summary.links.iter().flat_map(|link| {
        let [a, b] = &link.between;
        [text_cells(&[&link.name, a, b]), text_cells(&[&link.name, b, a])]
    });
    rows.extend(directions.zip(render_column_lines(&columns, summary)).map(|(ends, cells)| [ends, cells].concat()));
    align_rows(&rows, 3)
}

/// A line for each node whose buffer has a limit.
fn render_buffers(summary: &Summary) -> String {
    let mut rows = vec![text_cells(&["node", "buffer", "dropped"])];
    for node in &summary.nodes {
        if let Some(bytes) = node.buffer_bytes {
            let dropped = node.packets_dropped_buffer_full.to_string();
            rows.push(vec![node.name.clone(), Bytes(bytes).to_string(), dropped]);
        }
    }
    if rows.len() > 1 { format!("\n{}", align_rows(&rows, 1)) } else { String::new() }
}

/// A line for each count of a scheme that is not 0.
fn render_scheme_counts(summary: &Summary) -> String {
    let mut rows = vec![text_cells(&["node", "its scheme counted", ""])];
    for node in &summary.nodes {
        let counts = node.scheme_counts.iter().filter(|(_, count)| **count != 0);
        rows.extend(counts.map(|(name, count)| vec![node.name.clone(), name.replace('_', " "), count.to_string()]));
    }
    if rows.len() > 1 { format!("\n{}", align_rows(&rows, 2)) } else { String::new() }
}

/// Cells of text.
pub fn text_cells(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

/// Aligns the first `left` columns to the left, numbers to the right.
pub fn align_rows(rows: &[Vec<String>], left: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use observe::summary::RecordedSummary;
    use serde_json::{Value, json};

    fn table(of: &Value) -> String {
        render_summary(&RecordedSummary::parse(&of.to_string()).expect("a summary"))
    }

    #[test]
    fn missing_values_are_not_shown_as_numbers() {
        let flow = json!({ "name": "f", "from": "a", "to": "b", "completion_time_s": null, "goodput_bps": null });
        let table = table(&json!({ "title": "t", "flows": [flow], "links": [], "nodes": [] }));
        let cells: Vec<&str> =
            table.lines().nth(4).unwrap().split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells[3..5], ["not done", "–"], "{table}");
    }

    #[test]
    fn drops_of_a_full_buffer_are_shown_with_the_node() {
        let node = |name: &str, buffer: Value, dropped: u64| json!({ "name": name, "buffer_bytes": buffer, "packets_dropped_buffer_full": dropped });
        let nodes = [node("a", Value::Null, 0), node("core", json!(4500), 6), node("x", json!(512_000), 0)];
        let table = table(&json!({ "title": "t", "flows": [], "links": [], "nodes": nodes }));
        let shown = "node  buffer  dropped\ncore  4.5 kB        6\nx     512 kB        0\n";
        assert!(table.contains(shown), "{table}");
    }

    #[test]
    fn counters_of_a_scheme_are_shown_with_the_node() {
        let counts = json!({ "flows": 1, "local_retransmissions": 12, "acks_spurious": 0 });
        let nodes = json!([{ "name": "a" }, { "name": "station", "scheme_counts": counts }]);
        let table = table(&json!({ "title": "t", "flows": [], "links": [], "nodes": nodes }));
        let shown =
            "node     its scheme counted\nstation  flows                   1\nstation  local retransmissions  12\n\n";
        assert!(table.contains(shown), "{table}");
    }

    #[test]
    fn marks_and_failures_are_shown_if_there_are_any() {
        let direction = |marked: u64| json!({ "frames_sent": 9, "packets_marked": marked });
        let shown = |marked: u64, failure: Value| {
            let flow = json!({ "name": "f", "from": "a", "to": "b", "failure": failure });
            let link =
                json!({ "name": "l", "between": ["a", "b"], "forward": direction(marked), "backward": direction(0) });
            table(&json!({ "title": "t", "flows": [flow], "links": [link], "nodes": [] }))
        };
        let with = shown(7, json!("timed-out"));
        assert!(with.contains("\nf: the connection failed (timed out)\n"), "{with}");
        let link: Vec<&str> = with.lines().filter(|line| line.starts_with('l')).collect();
        assert!(link[0].ends_with(" busy  marked") && link[1].ends_with(" 7") && link[2].ends_with(" 0"), "{with}");
        let without = shown(0, Value::Null);
        assert!(!without.contains("marked") && !without.contains("failed"), "{without}");
    }

    #[test]
    fn heading_names_each_scheme_if_they_differ() {
        let head = |scheme: Value| {
            let table = table(&json!({ "title": "t", "scheme": scheme, "profile": "exact", "seed": 7 }));
            table.lines().take(2).collect::<Vec<_>>().join("|")
        };
        assert_eq!(head(json!("refined-icmp")), "t|scheme refined-icmp, profile exact, seed 7");
        let mixed = json!({ "server": "unmodified", "mobile": "unmodified", "station": "refined-icmp" });
        assert_eq!(head(mixed), "t|scheme unmodified (server, mobile), refined-icmp (station), profile exact, seed 7");
    }
}
