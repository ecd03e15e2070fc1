//! The part of a run's table that is about mobiles that change their base station.

use serde_json::Value;

use crate::table::{aligned, row};

/// A line for each node that associates, and for each at which packets found no way on; nothing where nobody associates.
pub fn nodes(nodes: &[Value]) -> String {
    let count = |value: &Value| value.as_u64().map_or("–".to_owned(), |count| count.to_string());
    let mut rows = vec![row(&["node", "handovers", "without base station", "dropped, no way on"])];
    for node in nodes {
        let lost = &node["packets_dropped_no_route"];
        if node["handovers"].is_u64() || lost.as_u64().is_some_and(|lost| lost > 0) {
            let alone = node["unassociated_s"].as_f64().map_or("–".to_owned(), |alone| format!("{alone:.3} s"));
            rows.push(vec![
                node["name"].as_str().unwrap_or_default().to_owned(),
                count(&node["handovers"]),
                alone,
                count(lost),
            ]);
        }
    }
    if rows.len() > 1 { format!("\n{}", aligned(&rows, 1)) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn mobiles_and_who_lost_packets_for_them_are_shown() {
        let all = [
            json!({ "name": "server", "packets_dropped_no_route": 0 }),
            json!({ "name": "core", "packets_dropped_no_route": 12 }),
            json!({ "name": "walker", "packets_dropped_no_route": 3, "handovers": 1, "unassociated_s": 0.25 }),
        ];
        let shown = "\nnode    handovers  without base station  dropped, no way on\n\
                     core            –                     –                  12\n\
                     walker          1               0.250 s                   3\n";
        assert_eq!(nodes(&all), shown);
        assert_eq!(nodes(&[json!({ "name": "server" })]), "");
    }
}
