//! Means and changes as LaTeX tables, for the package booktabs; tables of many rows also need longtable.

use std::fmt::Write;

use engine::text::visible;

use crate::figures::number::{decimals, plain, signed};
use crate::figures::slug::Slugs;
use crate::figures::{Figure, key, value, words};
use crate::sweep::analysis::{Entry, Row};

/// Maximum number of rows of a `table`, which LaTeX does not break; one with more rows is a `longtable`.
const MAX_ROWS: usize = 40;
/// A cell without a value in two columns.
const NONE: &str = r"\multicolumn{2}{c}{--}";

/// Returns a table for each figure.
pub(super) fn write(figures: &[Figure<'_>]) -> String {
    let mut out =
        format!("% Written by lasthop {}. The preamble needs \\usepackage{{booktabs}}", env!("CARGO_PKG_VERSION"));
    let long = figures.iter().any(|figure| figure.entries.len() > MAX_ROWS);
    out.push_str(if long { " and \\usepackage{longtable}.\n" } else { ".\n" });
    let mut labels = Slugs::default();
    for figure in figures {
        let label = labels.next(&format!("{} {}", figure.analysis.sweep.name, figure.metric.name));
        out.push_str(&table(figure, &label));
    }
    out
}

/// The optional columns of a table.
struct Columns<'a> {
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

impl<'a> Columns<'a> {
    fn of(figure: &'a Figure<'_>) -> Self {
        let mut cases = figure.analysis.cases();
        if cases.iter().all(|case| case.is_empty()) {
            cases.clear();
        }
        let rows = || figure.entries.iter().map(|entry| entry.row.as_ref());
        Columns {
            keys: figure.analysis.keys(),
            cases,
            subjects: figure.subjects.len() > 1,
            counted: figure.entries.windows(2).any(|pair| count(&pair[0]) != count(&pair[1])),
            compared: rows().flatten().any(|row| row.against.is_some()),
        }
    }

    /// Returns the column specification and the cells of the heading.
    fn heading(&self, figure: &Figure<'_>) -> (String, String) {
        let mut cells: Vec<String> =
            self.keys.iter().map(|key| escaped(&words::key(key::short(key, &self.keys)))).collect();
        if !self.cases.is_empty() {
            cells.push("case".into());
        }
        if self.subjects {
            cells.push(escaped(figure.kind()));
        }
        let mut spec = "l".repeat(cells.len());
        if self.counted {
            spec.push('r');
            cells.push("$n$".into());
        }
        let unit = if figure.unit.is_empty() { String::new() } else { format!(", {}", figure.unit) };
        let mut pair = |head: &str| {
            spec.push_str("r@{${}\\pm{}$}l");
            cells.push(format!("\\multicolumn{{2}}{{c}}{{{}}}", escaped(head)));
        };
        pair(&format!("mean{unit}"));
        if self.compared {
            pair("change, %");
        }
        (spec, cells.join(" & "))
    }

    /// Returns a row. The values of the keys are left out if the row above has the same.
    fn row(&self, figure: &Figure<'_>, entry: &Entry<'_>, above: Option<&Entry<'_>>) -> String {
        let same_point = above.is_some_and(|above| above.cell.point == entry.cell.point);
        let shown = |key: &&str| if same_point { String::new() } else { value(entry, key).unwrap_or_default() };
        let mut cells: Vec<String> = self.keys.iter().map(|key| escaped(&shown(key))).collect();
        if !self.cases.is_empty() {
            cells.push(escaped(&entry.cell.case_name));
        }
        if self.subjects {
            cells.push(escaped(&entry.subject));
        }
        if self.counted {
            cells.push(count(entry).to_string());
        }
        let row = entry.row.as_ref();
        cells.push(row.map_or_else(|| NONE.into(), |row| mean(row, figure.scale)));
        if self.compared {
            cells.push(row.and_then(change).unwrap_or_else(|| NONE.into()));
        }
        let space = above.is_some() && !same_point && figure.entries.len() > 1 && self.rows_per_point(figure) > 1;
        format!("{}    {} \\\\\n", if space { "    \\addlinespace\n" } else { "" }, cells.join(" & "))
    }

    fn rows_per_point(&self, figure: &Figure<'_>) -> usize {
        self.cases.len().max(1) * figure.subjects.len().max(1)
    }
}

fn table(figure: &Figure<'_>, label: &str) -> String {
    let columns = Columns::of(figure);
    let (spec, heading) = columns.heading(figure);
    let caption = caption(figure, &columns);
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

fn caption(figure: &Figure<'_>, columns: &Columns<'_>) -> String {
    let sweep = &figure.analysis.sweep;
    let title = if sweep.title.is_empty() { &sweep.name } else { &sweep.title };
    let mut out = format!("{}: {}", escaped(title.trim_end_matches('.')), escaped(&figure.name()));
    if let [only] = &figure.subjects[..]
        && !only.is_empty()
    {
        out.push_str(&format!(" of {} {}", escaped(figure.kind()), escaped(only)));
    }
    let level = figure.level();
    let intervals = figure.entries.iter().filter_map(|entry| entry.row.as_ref()).any(|row| row.half.is_some());
    out.push_str(&match intervals {
        true => format!(". Means $\\pm$ half width of the {level}\\,\\% confidence interval"),
        false => ". Means".to_owned(),
    });
    if let (false, Some(first)) = (columns.counted, figure.entries.first()) {
        out.push_str(&format!(", $n = {}$", count(first)));
    }
    if let (true, Some(first)) = (columns.compared, columns.cases.first()) {
        out.push_str(&format!("; change from {}, paired by replication", escaped(first)));
    }
    out.push('.');
    out
}

/// The number of replications with a value.
fn count(entry: &Entry<'_>) -> u64 {
    entry.row.as_ref().map_or(0, |row| row.n)
}

fn mean(row: &Row, scale: f64) -> String {
    let (mean, half) = (row.mean / scale, row.half.map(|half| half / scale));
    let places = decimals(half.unwrap_or(0.0), mean);
    two(&plain(mean, places), half.map(|half| plain(half, places)))
}

fn change(row: &Row) -> Option<String> {
    let against = row.against.as_ref()?;
    let half = against.percent_ci.map(|ci| ci.half_width());
    let half = half.map(|half| plain(half, if half < 99.95 { 1 } else { 0 }));
    Some(two(&signed(against.percent?, plain), half))
}

/// Returns the cells of a number and of its half width, in mathematics mode, for the minus sign.
fn two(number: &str, half: Option<String>) -> String {
    match half {
        Some(half) => format!("${number}$ & ${half}$"),
        None => format!("\\multicolumn{{2}}{{c}}{{${number}$}}"),
    }
}

/// Escapes a text for LaTeX; control characters are replaced by their numbers.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedblright{}"),
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => out.extend(['\\', c]),
            // After the end of a row these begin an argument.
            '[' | '*' => out.extend(['{', c, '}']),
            // Two of them are a ligature.
            '-' | '`' | '\'' if out.ends_with(c) => out.extend(['{', '}', c]),
            '\n' | '\t' => out.push(' '),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn characters_with_a_meaning_in_latex_are_escaped() {
        assert_eq!(escaped("50 % & a_b #1 $x$ {y}"), "50 \\% \\& a\\_b \\#1 \\$x\\$ \\{y\\}");
        assert_eq!(escaped("\\input{/etc/passwd}"), "\\textbackslash{}input\\{/etc/passwd\\}");
        assert_eq!(escaped("[1]* --"), "{[}1]{*} -{}-");
        assert_eq!(
            escaped("a^b~c<d>|"),
            "a\\textasciicircum{}b\\textasciitilde{}c\\textless{}d\\textgreater{}\\textbar{}"
        );
        assert_eq!(escaped("\u{1b}]"), "\\textbackslash{}u001b]");
    }
}
