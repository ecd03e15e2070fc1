//! Means and changes as a script for gnuplot 5.0 and later, which contains its data.
//!
//! There is a chart for each combination of values of all dimensions but the last. The last dimension is the horizontal
//! axis. Lines join the means if its values are at least three numbers; otherwise the means are marks side by side.
//! Whiskers are confidence intervals. With several cases a second chart shows the changes from the first case.

use std::collections::BTreeSet;

use engine::text::escape_controls;

use crate::figures::MetricFigure;
use crate::figures::facet::{Facet, split_into_facets};
use crate::figures::grid::{Dimension, is_logarithmic};
use crate::figures::number::shorten_value;
use crate::figures::slug::Slugs;
use crate::sweep::analysis::AnalysisEntry;

/// Minimum number of values of a numeric axis with lines; fewer are drawn as marks side by side.
const MIN_LINE: usize = 3;
/// Maximum number of labels below an axis of numbers; with more values, gnuplot chooses the labels.
const MAX_LABELS: usize = 12;
/// Horizontal space of all marks of one value, as a share of the distance to the next value.
const SPREAD: f64 = 0.6;

/// gnuplot's numbers of the filled shapes by which cases differ: circle, square, triangle, diamond, ...
const SHAPES: [usize; 6] = [7, 5, 9, 13, 11, 15];

const HEAD: &str = "\
# Each figure becomes an SVG file:  gnuplot summary.gnuplot
# or a PDF file:                    gnuplot -e \"form='pdf'\" summary.gnuplot
# Columns of the data: place, mean, ends of its confidence interval, change in percent, ends of its interval.
if (!exists(\"form\")) form = 'svg'
if (form eq 'pdf') {
  set terminal pdfcairo noenhanced size 12cm,9cm
} else {
  set terminal svg noenhanced size 640,480 dynamic background 'white'
}
set border 3
set grid ytics
set xtics nomirror
set ytics nomirror
set key outside above left horizontal
";

/// Returns the script.
pub(super) fn render_gnuplot(figures: &[MetricFigure<'_>]) -> String {
    let mut out = format!("# Written by lasthop {}.\n{HEAD}", env!("CARGO_PKG_VERSION"));
    let mut names = Slugs::default();
    for figure in figures {
        let (along, facets) = split_into_facets(figure);
        let along = along.unwrap_or_else(|| Dimension::of(Vec::new(), vec![vec![String::new()]]));
        // gnuplot ends with an error at a chart without a value.
        for facet in facets.iter().filter(|facet| facet.entries.values().any(|entry| entry.row.is_some())) {
            let name = names.next(&format!("{} {}", figure.analysis.sweep.name, figure.metric.name));
            out.push_str(&Chart::of(figure, facet, &along).script(&name));
        }
    }
    out
}

/// A chart and its horizontal axis.
struct Chart<'a> {
    figure: &'a MetricFigure<'a>,
    facet: &'a Facet<'a>,
    along: &'a Dimension,
    cases: Vec<&'a str>,
    /// The positions of the values, if the axis is one of numbers.
    numbers: Option<&'a [f64]>,
}

impl<'a> Chart<'a> {
    fn of(figure: &'a MetricFigure<'a>, facet: &'a Facet<'a>, along: &'a Dimension) -> Self {
        let numbers = along.numbers.as_deref().filter(|numbers| numbers.len() >= MIN_LINE);
        Chart { figure, facet, along, cases: figure.analysis.cases(), numbers }
    }

    fn script(&self, name: &str) -> String {
        let sweep = &self.figure.analysis.sweep;
        let title = if sweep.title.is_empty() { &sweep.name } else { &sweep.title };
        let facet = if self.facet.title.is_empty() { String::new() } else { format!(" ({})", self.facet.title) };
        let mut out = format!("\n{}\n", gnuplot_comment(&format!("{title}: {}{facet}", self.figure.measure())));
        let data = format!("$data_{}", name.replace('-', "_"));
        out.push_str(&format!("{data} << EOD\n{}EOD\n", self.data()));
        out.push_str(&format!("set title {}\n", quote_for_gnuplot(&format!("{title}{facet}"))));
        out.push_str(&self.axis());
        // A range of values that are all positive or all negative is extended to 0.
        out.push_str(&format!("set ylabel {}\nset yrange [*<0:0<*]\n", quote_for_gnuplot(&self.figure.measure())));
        out.push_str(&format!("set output '{name}.'.form\n{}", self.plot(&data, "2:3:4", |entry| entry.row.is_some())));
        if self.facet.entries.values().any(|entry| percent_change(entry).is_some()) {
            let first = self.cases.first().copied().unwrap_or_default();
            let label = format!("change of {} from {first}, %", self.figure.name());
            out.push_str(&format!("set ylabel {}\nset xzeroaxis linetype -1\n", quote_for_gnuplot(&label)));
            out.push_str(&format!(
                "set output '{name}-change.'.form\n{}",
                self.plot(&data, "5:6:7", |entry| percent_change(entry).is_some())
            ));
            out.push_str("unset xzeroaxis\n");
        }
        out.push_str("unset output\n");
        out
    }

    /// Returns the commands for the horizontal axis, which has the values of the first key.
    fn axis(&self) -> String {
        let mut out = format!("set xlabel {}\nunset logscale\n", quote_for_gnuplot(&self.along.title()));
        let places: Vec<f64> = (0..self.along.labels().len()).map(|at| self.place(at)).collect();
        match self.numbers {
            Some(numbers) => {
                let mut ascending = numbers.to_vec();
                ascending.sort_by(f64::total_cmp);
                ascending.dedup();
                if is_logarithmic(&ascending) {
                    out.push_str("set logscale x\n");
                }
                out.push_str("set xrange [*:*]\nset offsets graph 0.03, graph 0.03, 0, 0\n");
            }
            None => {
                let end = self.along.labels().len() as f64 - 0.5;
                out.push_str(&format!("set xrange [-0.5:{end}]\nunset offsets\n"));
            }
        }
        if self.numbers.is_some() && places.len() > MAX_LABELS {
            out.push_str("set xtics autofreq\n");
        } else {
            let label =
                |(label, place): (&String, f64)| format!("{} {place}", quote_for_gnuplot(&shorten_value(label)));
            let labels: Vec<String> = self.along.labels().iter().zip(places).map(label).collect();
            out.push_str(&format!("set xtics ({})\n", labels.join(", ")));
        }
        out
    }

    /// Returns the position of the value number `at`.
    fn place(&self, at: usize) -> f64 {
        self.numbers.and_then(|numbers| numbers.get(at).copied()).unwrap_or(at as f64)
    }

    /// Returns the data of all cases, separated by two empty lines.
    fn data(&self) -> String {
        let mut order: Vec<usize> = (0..self.along.labels().len()).collect();
        order.sort_by(|a, b| self.place(*a).total_cmp(&self.place(*b)));
        let of_case = |(number, name): (usize, &&str)| {
            let mut out = gnuplot_comment(if name.is_empty() { "results" } else { name }) + "\n";
            for at in &order {
                out.push_str(&self.line(*at, number));
            }
            out
        };
        self.cases.iter().enumerate().map(of_case).collect::<Vec<_>>().join("\n\n")
    }

    fn line(&self, at: usize, case: usize) -> String {
        let entry = self.facet.entries.get(&(at, case)).copied();
        let scale = self.figure.scale;
        let mean = entry.and_then(|entry| entry.row.as_ref()).map(|row| {
            let ci = row.ci.map_or((row.mean, row.mean), |ci| (ci.low, ci.high));
            (row.mean / scale, ci.0 / scale, ci.1 / scale)
        });
        // Without [sweep.compare] cases have no offset.
        let cases = self.cases.len().max(1) as f64;
        let beside = match self.numbers {
            Some(_) => 0.0,
            None => SPREAD * ((case as f64 + 0.5) / cases - 0.5),
        };
        let mut numbers = vec![Some(self.place(at) + beside)];
        for part in [mean, entry.and_then(percent_change)] {
            numbers.extend(part.map_or([None; 3], |(value, low, high)| [Some(value), Some(low), Some(high)]));
        }
        let text = |number: Option<f64>| number.map_or_else(|| "NaN".to_owned(), |number| number.to_string());
        numbers.into_iter().map(text).collect::<Vec<_>>().join(" ") + "\n"
    }

    /// Returns the command that draws these columns for each case for which `has` is true.
    fn plot(&self, data: &str, columns: &str, has: impl Fn(&AnalysisEntry<'_>) -> bool) -> String {
        let style = if self.numbers.is_some() { "yerrorlines" } else { "yerrorbars" };
        let with_value = self.facet.entries.iter().filter(|(_, entry)| has(entry));
        let drawn: BTreeSet<usize> = with_value.map(|((_, case), _)| *case).collect();
        let one = |case: &usize| {
            let name = self.cases.get(*case).copied().unwrap_or_default();
            let title =
                if name.is_empty() { "notitle".to_owned() } else { format!("title {}", quote_for_gnuplot(name)) };
            let (number, shape) = (case + 1, SHAPES[case % SHAPES.len()]);
            format!("  {data} index {case} using 1:{columns} with {style} linetype {number} pointtype {shape} {title}")
        };
        let parts: Vec<String> = drawn.iter().map(one).collect();
        format!("plot \\\n{}\n", parts.join(", \\\n"))
    }
}

/// Returns the change of an entry from the first case in percent, with the limits of its interval.
fn percent_change(entry: &AnalysisEntry<'_>) -> Option<(f64, f64, f64)> {
    let against = entry.row.as_ref()?.against.as_ref()?;
    let percent = against.percent?;
    Some(against.percent_ci.map_or((percent, percent, percent), |ci| (percent, ci.low, ci.high)))
}

/// Returns a text as a string of gnuplot. In single quotes only the quote itself has a meaning, written twice.
fn quote_for_gnuplot(text: &str) -> String {
    format!("'{}'", escape_controls(text).replace(['\n', '\t'], " ").replace('\'', "''"))
}

/// Returns a text as a comment. A backslash at the end would continue the comment on the next line.
fn gnuplot_comment(text: &str) -> String {
    format!("# {}", escape_controls(text).replace(['\n', '\t'], " ").replace('\\', "/"))
}
