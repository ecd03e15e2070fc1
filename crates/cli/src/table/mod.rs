//! Tables for people.

mod media;
mod roaming;

use engine::Bytes;
use scenario::ran::{grouped, in_words};
use serde_json::Value;

/// A run's summary: one line a flow, one line a direction of a link, one line a node whose buffer has a limit, one line for
/// each thing a scheme counted.
pub fn summary(summary: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let seconds = |value: &Value| value.as_f64().map_or("not done".to_owned(), |seconds| format!("{seconds:.3} s"));
    let mut out = text(&summary["title"]);
    let [scheme, profile] = [scheme(&summary["scheme"]), text(&summary["profile"])];
    out.push_str(&format!("\nscheme {scheme}, profile {profile}, seed {}\n\n", summary["seed"]));
    let mut flows = vec![row(&[
        "flow",
        "from",
        "to",
        "completed in",
        "goodput",
        "segments",
        "resent",
        "duplicates",
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
            flow["goodput_bps"].as_f64().map_or("–".to_owned(), bits_per_second),
            flow["segments_sent"].to_string(),
            flow["segments_retransmitted"].to_string(),
            flow["segments_duplicate"].to_string(),
            flow["fast_retransmits"].to_string(),
            flow["timeouts"].to_string(),
            flow["icmp_defer"].to_string(),
            flow["icmp_retransmit"].to_string(),
        ]);
    }
    out.push_str(&aligned(&flows, 3));
    for flow in list(&summary["flows"]).iter().filter(|flow| flow["failure"].is_string()) {
        let failure = text(&flow["failure"]).replace('-', " ");
        out.push_str(&format!("{}: the connection failed ({failure})\n", text(&flow["name"])));
    }
    if let Some(index) = summary["fairness"].as_f64() {
        out.push_str(&format!("fairness {index:.3} (Jain's index over the flows' goodput)\n"));
    }
    out.push('\n');
    let mut links = vec![row(&["link", "from", "to", "frames", "corrupted", "dropped", "delivered", "busy"])];
    // Few scenarios have ECN.
    let mark = |way: &Value| way["packets_marked"].as_u64().unwrap_or(0);
    let marks = list(&summary["links"]).iter().any(|link| mark(&link["forward"]) + mark(&link["backward"]) > 0);
    if marks {
        links[0].push("marked".to_owned());
    }
    // Links of a medium alone have collisions.
    let media = !list(&summary["media"]).is_empty();
    if media {
        links[0].push("collided".to_owned());
    }
    for link in list(&summary["links"]) {
        let [a, b] = [0, 1].map(|end| text(&link["between"][end]));
        for (way, from, to) in [("forward", &a, &b), ("backward", &b, &a)] {
            let way = &link[way];
            let mut cells = vec![
                text(&link["name"]),
                from.clone(),
                to.clone(),
                way["frames_sent"].to_string(),
                way["frames_corrupted"].to_string(),
                way["packets_dropped"].to_string(),
                way["packets_delivered"].to_string(),
                format!("{:.1} %", 100.0 * way["utilization"].as_f64().unwrap_or(0.0)),
            ];
            if marks {
                cells.push(mark(way).to_string());
            }
            if media {
                cells.push(way["frames_collided"].as_u64().map_or("–".to_owned(), |count| count.to_string()));
            }
            links.push(cells);
        }
    }
    out.push_str(&aligned(&links, 3));
    if media {
        out.push_str(&media::stations(list(&summary["media"])));
    }
    let mut nodes = vec![row(&["node", "buffer", "dropped"])];
    for node in list(&summary["nodes"]) {
        if let Some(bytes) = node["buffer_bytes"].as_u64() {
            let dropped = node["packets_dropped_buffer_full"].to_string();
            nodes.push(vec![text(&node["name"]), Bytes(bytes).to_string(), dropped]);
        }
    }
    if nodes.len() > 1 {
        out.push('\n');
        out.push_str(&aligned(&nodes, 1));
    }
    out.push_str(&roaming::nodes(list(&summary["nodes"])));
    let mut counts = vec![row(&["node", "its scheme counted", ""])];
    for node in list(&summary["nodes"]) {
        let counted = node["scheme_counts"].as_object().into_iter().flatten();
        counts.extend(
            counted
                .filter(|(_, count)| count.as_u64() != Some(0))
                .map(|(name, count)| vec![text(&node["name"]), name.replace('_', " "), count.to_string()]),
        );
    }
    if counts.len() > 1 {
        out.push('\n');
        out.push_str(&aligned(&counts, 2));
    }
    let simulated = summary["simulated_s"].as_f64().unwrap_or(0.0);
    out.push_str(&format!("\n{simulated:.3} s simulated, {} events\n", summary["events"]));
    out
}

/// One name for all, or each scheme with its nodes.
fn scheme(value: &Value) -> String {
    let Some(each) = value.as_object() else { return value.as_str().unwrap_or_default().to_owned() };
    let each = each.iter().map(|(node, scheme)| (scheme.as_str().unwrap_or_default(), node.as_str()));
    in_words(&grouped(each))
}

/// Cells of text.
pub fn row(cells: &[&str]) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_known_is_not_shown_as_a_number() {
        let flow = json!({ "name": "f", "from": "a", "to": "b", "completion_time_s": null, "goodput_bps": null });
        let table = summary(&json!({ "title": "t", "flows": [flow], "links": [], "nodes": [] }));
        let cells: Vec<&str> =
            table.lines().nth(4).unwrap().split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells[3..5], ["not done", "–"], "{table}");
    }

    #[test]
    fn a_full_buffer_is_shown_with_its_node() {
        let node = |name: &str, buffer: Value, dropped: u64| json!({ "name": name, "buffer_bytes": buffer, "packets_dropped_buffer_full": dropped });
        let nodes = [node("a", Value::Null, 0), node("core", json!(4500), 6), node("x", json!(512_000), 0)];
        let table = summary(&json!({ "title": "t", "flows": [], "links": [], "nodes": nodes }));
        let shown = "node  buffer  dropped\ncore  4.5 kB        6\nx     512 kB        0\n";
        assert!(table.contains(shown), "{table}");
    }

    #[test]
    fn what_a_scheme_counted_is_shown_with_its_node() {
        let counts = json!({ "flows": 1, "local_retransmissions": 12, "acks_spurious": 0 });
        let nodes = json!([{ "name": "a" }, { "name": "station", "scheme_counts": counts }]);
        let table = summary(&json!({ "title": "t", "flows": [], "links": [], "nodes": nodes }));
        let shown =
            "node     its scheme counted\nstation  flows                   1\nstation  local retransmissions  12\n\n";
        assert!(table.contains(shown), "{table}");
    }

    #[test]
    fn marks_and_failures_are_shown_where_there_are_some() {
        let way = |marked: u64| json!({ "frames_sent": 9, "packets_marked": marked });
        let shown = |marked: u64, failure: Value| {
            let flow = json!({ "name": "f", "from": "a", "to": "b", "failure": failure });
            let link = json!({ "name": "l", "between": ["a", "b"], "forward": way(marked), "backward": way(0) });
            summary(&json!({ "title": "t", "flows": [flow], "links": [link], "nodes": [] }))
        };
        let with = shown(7, json!("timed-out"));
        assert!(with.contains("\nf: the connection failed (timed out)\n"), "{with}");
        let link: Vec<&str> = with.lines().filter(|line| line.starts_with('l')).collect();
        assert!(link[0].ends_with(" busy  marked") && link[1].ends_with(" 7") && link[2].ends_with(" 0"), "{with}");
        let without = shown(0, Value::Null);
        assert!(!without.contains("marked") && !without.contains("failed"), "{without}");
    }

    #[test]
    fn the_head_names_the_scheme_of_each_if_they_differ() {
        let head = |scheme: Value| {
            let table = summary(&json!({ "title": "t", "scheme": scheme, "profile": "exact", "seed": 7 }));
            table.lines().take(2).collect::<Vec<_>>().join("|")
        };
        assert_eq!(head(json!("refined-icmp")), "t|scheme refined-icmp, profile exact, seed 7");
        let mixed = json!({ "server": "unmodified", "mobile": "unmodified", "station": "refined-icmp" });
        assert_eq!(head(mixed), "t|scheme unmodified (server, mobile), refined-icmp (station), profile exact, seed 7");
    }
}
