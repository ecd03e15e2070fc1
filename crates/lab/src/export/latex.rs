//! Means and changes as LaTeX tables, which need the package booktabs. Tables of many rows also need longtable.

use std::fmt::Write;

use engine::text::escape_controls;

use crate::figures::number::{choose_decimals, format_decimals, format_signed_percent};
use crate::figures::slug::Slugs;
use crate::figures::{MetricFigure, axis_value, key, words};
use crate::sweep::analysis::{AnalysisEntry, ReplicationStatistics};

/// Maximum number of rows of a `table`, which LaTeX does not break. A table with more rows is a `longtable`.
const MAX_ROWS: usize = 40;
/// A cell without a value in two columns.
const NONE: &str = r"\multicolumn{2}{c}{--}";

/// Returns a table for each figure.
pub(super) fn render_latex(figures: &[MetricFigure<'_>]) -> String {
    let mut out =
        format!("% Written by lasthop {}. The preamble needs \\usepackage{{booktabs}}", env!("CARGO_PKG_VERSION"));
    let long = figures.iter().any(|figure| figure.entries.len() > MAX_ROWS);
    out.push_str(if long { " and \\usepackage{longtable}.\n" } else { ".\n" });
    let mut labels = Slugs::default();
    for figure in figures {
        let label = labels.next(&format!("{} {}", figure.analysis.sweep.name, figure.metric.name));
        out.push_str(&render_latex_table(figure, &label));
    }
    out
}

/// The optional columns of a table.
struct LatexColumns<'a> {
    keys: Vec<&'a str>,
    /// Names of the cases; empty without [sweep.compare].
    cases: Vec<&'a str>,
    /// True for more than one subject.
    subjects: bool,
    /// True if the number of values differs between rows.
    counted: bool,
    /// True if a row has a change.
    compared: bool,
}

impl<'a> LatexColumns<'a> {
    fn of(figure: &'a MetricFigure<'_>) -> Self {
        let mut cases = figure.analysis.cases();
        if cases.iter().all(|case| case.is_empty()) {
            cases.clear();
        }
        let rows = || figure.entries.iter().map(|entry| entry.row.as_ref());
        LatexColumns {
            keys: figure.analysis.keys(),
            cases,
            subjects: figure.subjects.len() > 1,
            counted: figure.entries.windows(2).any(|pair| count_values(&pair[0]) != count_values(&pair[1])),
            compared: rows().flatten().any(|row| row.against.is_some()),
        }
    }

    /// Returns the column specification and the cells of the heading.
    fn heading(&self, figure: &MetricFigure<'_>) -> (String, String) {
        let mut cells: Vec<String> =
            self.keys.iter().map(|key| escape_latex(&words::name_key(key::shorten_key(key, &self.keys)))).collect();
        if !self.cases.is_empty() {
            cells.push("case".into());
        }
        if self.subjects {
            cells.push(escape_latex(figure.kind()));
        }
        let mut spec = "l".repeat(cells.len());
        if self.counted {
            spec.push('r');
            cells.push("$n$".into());
        }
        let unit = if figure.unit.is_empty() { String::new() } else { format!(", {}", figure.unit) };
        let mut pair = |head: &str| {
            spec.push_str("r@{${}\\pm{}$}l");
            cells.push(format!("\\multicolumn{{2}}{{c}}{{{}}}", escape_latex(head)));
        };
        pair(&format!("mean{unit}"));
        if self.compared {
            pair("change, %");
        }
        (spec, cells.join(" & "))
    }

    /// Returns a row. Values of keys that equal those in the row above are omitted.
    fn row(&self, figure: &MetricFigure<'_>, entry: &AnalysisEntry<'_>, above: Option<&AnalysisEntry<'_>>) -> String {
        let same_point = above.is_some_and(|above| above.cell.point == entry.cell.point);
        let shown = |key: &&str| if same_point { String::new() } else { axis_value(entry, key).unwrap_or_default() };
        let mut cells: Vec<String> = self.keys.iter().map(|key| escape_latex(&shown(key))).collect();
        if !self.cases.is_empty() {
            cells.push(escape_latex(&entry.cell.case_name));
        }
        if self.subjects {
            cells.push(escape_latex(&entry.subject));
        }
        if self.counted {
            cells.push(count_values(entry).to_string());
        }
        let row = entry.row.as_ref();
        cells.push(row.map_or_else(|| NONE.into(), |row| render_mean(row, figure.scale)));
        if self.compared {
            cells.push(row.and_then(render_change).unwrap_or_else(|| NONE.into()));
        }
        let space = above.is_some() && !same_point && figure.entries.len() > 1 && self.rows_per_point(figure) > 1;
        format!("{}    {} \\\\\n", if space { "    \\addlinespace\n" } else { "" }, cells.join(" & "))
    }

    fn rows_per_point(&self, figure: &MetricFigure<'_>) -> usize {
        self.cases.len().max(1) * figure.subjects.len().max(1)
    }
}

fn render_latex_table(figure: &MetricFigure<'_>, label: &str) -> String {
    let columns = LatexColumns::of(figure);
    let (spec, heading) = columns.heading(figure);
    let caption = render_caption(figure, &columns);
    let mut rows = String::new();
    let mut above = None;
    for entry in &figure.entries {
        rows.push_str(&columns.row(figure, entry, above));
        above = Some(entry);
    }
    let mut out = String::new();
    let heading = format!("    \\toprule\n    {heading} \\\\\n    \\midrule\n");
    // Writing to a string cannot fail.
    let _ = if figure.entries.len() > MAX_ROWS {
        write!(
            out,
            "\n\\begin{{longtable}}{{{spec}}}\n  \\caption{{{caption}}}\n  \\label{{tab:{label}}} \\\\\n{heading}    \
             \\endfirsthead\n{heading}    \\endhead\n    \\bottomrule\n    \\endfoot\n{rows}\\end{{longtable}}\n"
        )
    } else {
        write!(
            out,
            "\n\\begin{{table}}\n  \\centering\n  \\caption{{{caption}}}\n  \\label{{tab:{label}}}\n  \
             \\begin{{tabular}}{{{spec}}}\n{heading}{rows}    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n"
        )
    };
    out
}

fn render_caption(figure: &MetricFigure<'_>, columns: &LatexColumns<'_>) -> String {
    let sweep = &figure.analysis.sweep;
    let title = if sweep.title.is_empty() { &sweep.name } else { &sweep.title };
    let mut out = format!("{}: {}", escape_latex(title.trim_end_matches('.')), escape_latex(&figure.name()));
    if let [only] = &figure.subjects[..]
        && !only.is_empty()
    {
        out.push_str(&format!(" of {} {}", escape_latex(figure.kind()), escape_latex(only)));
    }
    let level = figure.level();
    let intervals = figure.entries.iter().filter_map(|entry| entry.row.as_ref()).any(|row| row.half.is_some());
    out.push_str(&if intervals {
        format!(". Means $\\pm$ half width of the {level}\\,\\% confidence interval")
    } else {
        ". Means".to_owned()
    });
    if let (false, Some(first)) = (columns.counted, figure.entries.first()) {
        out.push_str(&format!(", $n = {}$", count_values(first)));
    }
    if let (true, Some(first)) = (columns.compared, columns.cases.first()) {
        out.push_str(&format!("; change from {}, paired by replication", escape_latex(first)));
    }
    out.push('.');
    out
}

/// The number of replications with a value.
fn count_values(entry: &AnalysisEntry<'_>) -> u64 {
    entry.row.as_ref().map_or(0, |row| row.n)
}

fn render_mean(row: &ReplicationStatistics, scale: f64) -> String {
    let (mean, half) = (row.mean / scale, row.half.map(|half| half / scale));
    let places = choose_decimals(half.unwrap_or(0.0), mean);
    render_with_half_width(&format_decimals(mean, places), half.map(|half| format_decimals(half, places)))
}

fn render_change(row: &ReplicationStatistics) -> Option<String> {
    let against = row.against.as_ref()?;
    let half = against.percent_ci.map(|ci| ci.half_width());
    let half = half.map(|half| format_decimals(half, if half < 99.95 { 1 } else { 0 }));
    Some(render_with_half_width(&format_signed_percent(against.percent?, format_decimals), half))
}

/// Returns the cells of a number and of its half width, in mathematics mode, for the minus sign.
fn render_with_half_width(number: &str, half: Option<String>) -> String {
    match half {
        Some(half) => format!("${number}$ & ${half}$"),
        None => format!("\\multicolumn{{2}}{{c}}{{${number}$}}"),
    }
}

/// Escapes a text for LaTeX. Control characters are replaced by their numbers.
fn escape_latex(text: &str) -> String {
    let mut out = String::new();
    for c in escape_controls(text).chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedblright{}"),
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => out.extend(['\\', c]),
            // These characters begin an argument after the end of a row.
            '[' | '*' => out.extend(['{', c, '}']),
            // Two hyphens are a ligature.
            '-' | '`' | '\'' if out.ends_with(c) => out.extend(['{', '}', c]),
            '\n' | '\t' => out.push(' '),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape_latex;

    #[test]
    fn characters_with_a_meaning_in_latex_are_escaped() {
        assert_eq!(escape_latex("50 % & a_b #1 $x$ {y}"), "50 \\% \\& a\\_b \\#1 \\$x\\$ \\{y\\}");
        assert_eq!(escape_latex("\\input{/etc/passwd}"), "\\textbackslash{}input\\{/etc/passwd\\}");
        assert_eq!(escape_latex("[1]* --"), "{[}1]{*} -{}-");
        assert_eq!(
            escape_latex("a^b~c<d>|"),
            "a\\textasciicircum{}b\\textasciitilde{}c\\textless{}d\\textgreater{}\\textbar{}"
        );
        assert_eq!(escape_latex("\u{1b}]"), "\\textbackslash{}u001b]");
    }
}
