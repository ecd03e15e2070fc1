//! The part of a run's table about mobiles that change their base station.

use observe::summary::{Summary, node};

use super::columns::{render_column_heads, render_column_lines};
use crate::table::{align_rows, text_cells};

/// Renders a line for each node that associates, and for each node that dropped packets without a route; empty if there
/// are none.
pub fn render_roaming(summary: &Summary) -> String {
    let columns = [&node::handovers, &node::unassociated_s, &node::packets_dropped_no_route];
    let mut rows = vec![[text_cells(&["node"]), render_column_heads(&columns)].concat()];
    for (node, cells) in summary.nodes.iter().zip(render_column_lines(&columns, summary)) {
        if node.handovers.is_some() || node.packets_dropped_no_route > 0 {
            rows.push([text_cells(&[&node.name]), cells].concat());
        }
    }
    if rows.len() > 1 { format!("\n{}", align_rows(&rows, 1)) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use observe::summary::RecordedSummary;
    use serde_json::{Value, json};

    fn shown(nodes: &Value) -> String {
        super::render_roaming(&RecordedSummary::parse(&json!({ "nodes": nodes }).to_string()).expect("a summary"))
    }

    #[test]
    fn mobiles_and_nodes_that_dropped_packets_have_a_line() {
        let all = json!([
            { "name": "server", "packets_dropped_no_route": 0 },
            { "name": "core", "packets_dropped_no_route": 12 },
            { "name": "walker", "packets_dropped_no_route": 3, "handovers": 1, "unassociated_s": 0.25 },
        ]);
        let table = "\nnode    handovers  without base station  dropped, no route\n\
                     core            –                     –                 12\n\
                     walker          1                250 ms                  3\n";
        assert_eq!(shown(&all), table);
        assert_eq!(shown(&json!([{ "name": "server" }])), "");
    }
}
