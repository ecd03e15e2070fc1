//! The tables of `lasthop compare`.

use lab::compare::{self, ComparedScheme, Comparison};
use lab::figures::number::{choose_decimals, choose_scale, format_decimals, plain_percent};
use observe::metric::Metric;

use crate::table::{align_rows, text_cells};

/// The meaning of the columns.
pub const LEGEND: &str = "\
goodput: sum of all flows, +- half of its 95 % confidence interval; change: from the baseline (the first scheme), +- likewise;
  - if each of its runs equals the baseline's: the scheme has no effect
memory: peak memory of the scheme in the nodes that run it, in bytes per flow
packets: received and sent by the base station; airtime: seconds of transmission per MB delivered, over all runs
end-to-end: whether an acknowledgment still means that the receiver has the data; changes: the nodes that run the scheme
";

/// Explanation of the additional columns of a table with real ends.
pub const REAL_LEGEND: &str = "\
real: the command's data, without repetitions, from its first packet to its last new byte, - for schemes with a part in the
  sender, which Linux does not have; simulated: the scenario's flows; memory, packets and airtime are those with real ends
";

fn missing_cell() -> String {
    "-".to_owned()
}

/// Mean and change of the goodput in units of `scale`, each with the half-width of its confidence interval.
fn render_goodput_cells(it: &ComparedScheme, scale: f64) -> [String; 4] {
    let Some(goodput) = &it.goodput else { return [(); 4].map(|()| missing_cell()) };
    let half = goodput.half.map(|half| half / scale);
    let mean = goodput.mean / scale;
    let places = choose_decimals(half.unwrap_or(0.0), mean);
    let against = goodput.against.as_ref().filter(|_| !it.same_as_first);
    let change = against.and_then(|against| against.percent_ci);
    [
        format_decimals(mean, places),
        half.map_or_else(missing_cell, |half| format_decimals(half, places)),
        against.and_then(|against| against.percent).map_or_else(missing_cell, plain_percent),
        change.map_or_else(missing_cell, |ci| format_decimals(ci.half_width(), 1)),
    ]
}

/// Memory, packets and airtime.
fn render_cost_cells(it: &ComparedScheme) -> [String; 3] {
    let Some(cost) = &it.cost else { return [(); 3].map(|()| missing_cell()) };
    [
        format_decimals(cost.state_bytes_per_flow, 0),
        format_decimals(cost.packets, 0),
        cost.airtime_s_per_mb().map_or_else(missing_cell, |seconds| format_decimals(seconds, 3)),
    ]
}

/// The table of one path. The results of real ends come first, and the costs are measured with them.
pub fn render_comparison_table(simulated: &Comparison, real: Option<&Comparison>) -> String {
    let metric: &Metric = compare::goodput_metric();
    let rows = || simulated.rows.iter().chain(real.into_iter().flat_map(|real| &real.rows));
    let (scale, unit) = choose_scale(metric, rows().filter_map(|row| row.goodput.as_ref()).map(|goodput| goodput.mean));
    let mut head = text_cells(&["scheme", "changes", "end-to-end"]);
    let names: &[&str] = if real.is_some() { &["real", "simulated"] } else { &["goodput"] };
    for name in names {
        head.extend(text_cells(&[&format!("{name} {unit}"), "+-", "change", "+-"]));
    }
    head.extend(text_cells(&["memory B/flow", "packets", "airtime s/MB"]));
    let mut lines = vec![head];
    for (number, it) in simulated.rows.iter().enumerate() {
        let real_row = real.and_then(|real| real.rows.get(number));
        let mut line = vec![it.scheme.clone(), it.changes(), it.traits.semantics.name().to_owned()];
        line.extend(real_row.into_iter().flat_map(|row| render_goodput_cells(row, scale)));
        line.extend(render_goodput_cells(it, scale));
        line.extend(render_cost_cells(real_row.unwrap_or(it)));
        lines.push(line);
    }
    let title = if simulated.title.is_empty() { &simulated.name } else { &simulated.title };
    format!("{title}\n{}", align_rows(&lines, 3))
}
