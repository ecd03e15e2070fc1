//! One figure of a sweep: pictures of it and its table.

use std::collections::BTreeMap;

use lab::metric::{Metric, Scope};
use lab::sweep::analysis::{Analysis, Row};

use super::grid::{Dimension, Grid};
use super::{numbers, plain};
use crate::number::{brief, scale};
use crate::page::Block;
use crate::{BarChart, CurveChart, Estimate, Group, Line, Point};

/// Pictures of one figure at most.
pub(super) const MOST_CHARTS: usize = 12;
/// Groups of bars that can be told apart; numbers along more of them are curves.
const MOST_GROUPS: usize = 8;
/// Groups of bars in one picture at most, where values are no numbers.
const MOST_NAMES: usize = 24;

/// A figure.
pub(super) struct Figure<'a> {
    pub analysis: &'a Analysis,
    pub metric: &'static Metric,
    /// Every case at every point, about every subject.
    pub entries: Vec<Entry>,
    /// What it is about: flows, ways of links, or the whole run, which has no name.
    pub subjects: Vec<String>,
    /// What its values are divided by.
    pub scale: f64,
    /// Their unit then.
    pub unit: &'static str,
}

/// One case at one point, about one subject.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub point: usize,
    pub case: usize,
    pub subject: String,
    /// None where runs gave no value.
    pub row: Option<Row>,
    /// Runs that gave none.
    pub without: u64,
}

impl<'a> Figure<'a> {
    pub fn of(analysis: &'a Analysis, metric: &'static Metric) -> Self {
        let rows = analysis.rows(metric);
        let most = rows.iter().map(|row| row.mean.abs()).fold(0.0, f64::max);
        let (scale, unit) = scale(metric, most);
        let mut rows: BTreeMap<_, Row> =
            rows.into_iter().map(|row| ((row.point, row.case, row.subject.clone()), row)).collect();
        let mut subjects: Vec<String> = Vec::new();
        let mut entries = Vec::new();
        for runs in &analysis.cells {
            let (point, case) = (runs.cell.point, runs.cell.case);
            // What a cell is about is the same in all of its runs.
            let Some((_, summary)) = runs.runs.first() else { continue };
            for (subject, _) in metric.read(summary) {
                if !subjects.contains(&subject) {
                    subjects.push(subject.clone());
                }
                let row = rows.remove(&(point, case, subject.clone()));
                let without = row.as_ref().map_or(runs.runs.len() as u64, |row| row.without);
                entries.push(Entry { point, case, subject, row, without });
            }
        }
        Figure { analysis, metric, entries, subjects, scale, unit }
    }

    /// The figure's name with its unit.
    pub fn measure(&self) -> String {
        if self.unit.is_empty() { self.metric.name.to_owned() } else { format!("{}, {}", self.metric.name, self.unit) }
    }

    /// What its subjects are.
    pub fn kind(&self) -> &'static str {
        match self.metric.scope {
            Scope::Run => "",
            Scope::Flow => "flow",
            Scope::Way => "link and way",
        }
    }

    /// Heading, pictures, table.
    pub fn blocks(&self) -> Vec<Block> {
        let mut about = format!("# {}\n\n{}.", plain(self.metric.name), capital(self.metric.definition));
        // One number is no picture.
        let charts = if self.entries.len() > 1 { self.charts() } else { Vec::new() };
        about.push_str(&match charts.first() {
            Some(Block::Bars(_)) => self.key_to_bars(),
            Some(Block::Curves(_)) => format!(" Bands are the {} % interval of the mean.", self.level()),
            _ => String::new(),
        });
        let mut blocks = vec![Block::Words(about)];
        if self.entries.is_empty() {
            return blocks;
        }
        blocks.extend(charts);
        blocks.push(Block::Table(numbers::table(self)));
        blocks
    }

    /// Of the intervals, in percent.
    pub fn level(&self) -> f64 {
        100.0 * self.analysis.level.get()
    }

    /// What the parts of a bar mean.
    fn key_to_bars(&self) -> String {
        let level = self.level();
        let mut out =
            format!(" Whiskers with caps are the {level} % interval of the mean, thin lines that of one more run");
        if let [first, _, ..] = &self.cases()[..] {
            out.push_str(&format!("; over the bars stands the change to {}", plain(first)));
        }
        out + "."
    }

    /// A picture for each combination of all dimensions but the last, which runs along each of them.
    fn charts(&self) -> Vec<Block> {
        let grid = Grid::of(self.analysis);
        let mut places: Vec<Vec<usize>> = self.entries.iter().map(|entry| grid.place(entry.point).to_vec()).collect();
        let mut dimensions = grid.dimensions;
        if self.subjects.len() > 1 {
            dimensions.insert(0, Dimension::of(vec![self.kind().to_owned()], self.subjects.clone()));
            for (place, entry) in places.iter_mut().zip(&self.entries) {
                place.insert(0, self.subjects.iter().position(|subject| *subject == entry.subject).unwrap_or(0));
            }
        }
        let along = dimensions.pop();
        let mut facets: Vec<(Vec<usize>, Vec<(usize, &Entry)>)> = Vec::new();
        for (mut place, entry) in places.into_iter().zip(&self.entries) {
            let at = place.pop().unwrap_or(0);
            match facets.iter_mut().find(|(known, _)| *known == place) {
                Some((_, entries)) => entries.push((at, entry)),
                None => facets.push((place, vec![(at, entry)])),
            }
        }
        facets.sort_by(|(a, _), (b, _)| a.cmp(b));
        let left_out = facets.len().saturating_sub(MOST_CHARTS);
        facets.truncate(MOST_CHARTS);
        let title = |place: &[usize]| {
            let at = place.iter().zip(&dimensions);
            let at: Vec<String> = at.map(|(at, of)| format!("{} = {}", of.name(), brief(&of.places[*at]))).collect();
            at.join(", ")
        };
        let facets = facets.into_iter().map(|(place, entries)| (title(&place), entries));
        let mut blocks = match along {
            Some(Dimension { keys, places, numbers: Some(numbers) }) if places.len() > MOST_GROUPS => {
                let along = keys.join(" / ");
                curves(facets.map(|(title, entries)| self.curves(title, &along, &places, &numbers, &entries)).collect())
            }
            Some(along) if along.places.len() > MOST_NAMES => {
                let (name, count) = (along.name(), along.places.len());
                vec![Block::Warnings(vec![format!(
                    "{name} has {count} values that are no numbers: too many for a picture."
                )])]
            }
            along => {
                let (name, places) =
                    along.map_or((String::new(), vec![String::new()]), |along| (along.name(), along.places));
                bars(facets.map(|(title, entries)| self.bars(title, &name, &places, &entries)).collect())
            }
        };
        if left_out > 0 {
            let note = format!("{left_out} more combinations of values have no picture; the table has them all.");
            blocks.push(Block::Words(note));
        }
        blocks
    }

    fn cases(&self) -> Vec<String> {
        self.analysis.cases().into_iter().map(str::to_owned).collect()
    }

    fn estimate(&self, entries: &[(usize, &Entry)], at: usize, case: usize) -> Option<Estimate> {
        let entry = entries.iter().find(|(place, entry)| *place == at && entry.case == case);
        entry.and_then(|(_, entry)| entry.row.as_ref()).map(|row| Estimate::of(row, self.scale))
    }

    fn bars(&self, title: String, along: &str, places: &[String], entries: &[(usize, &Entry)]) -> BarChart {
        let cases = self.cases();
        let group = |(at, label): (usize, &String)| Group {
            label: brief(label),
            bars: (0..cases.len()).map(|case| self.estimate(entries, at, case)).collect(),
        };
        let groups: Vec<Group> = places.iter().enumerate().map(group).collect();
        let (caption, measure) = (String::new(), self.measure());
        BarChart { title, caption, measure, along: along.to_owned(), cases, groups, reach: None }
    }

    fn curves(
        &self,
        title: String,
        along: &str,
        places: &[String],
        numbers: &[f64],
        entries: &[(usize, &Entry)],
    ) -> CurveChart {
        // A line goes from left to right, whatever the order of the values.
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
        let line = |(case, name): (usize, String)| {
            let point = |at: &usize| Point {
                x: numbers[*at],
                label: brief(&places[*at]),
                y: self.estimate(entries, *at, case),
            };
            Line { name, points: order.iter().map(point).collect() }
        };
        let lines = self.cases().into_iter().enumerate().map(line).collect();
        let (caption, measure) = (String::new(), self.measure());
        CurveChart { title, caption, measure, along: along.to_owned(), lines, reach: None }
    }
}

/// On one scale, so that they can be compared.
fn bars(mut charts: Vec<BarChart>) -> Vec<Block> {
    let reach = charts.iter().map(BarChart::highest).fold(0.0, f64::max);
    charts.iter_mut().for_each(|chart| chart.reach = Some(reach));
    charts.into_iter().map(Block::Bars).collect()
}

fn curves(mut charts: Vec<CurveChart>) -> Vec<Block> {
    let ranges = charts.iter().filter_map(CurveChart::range);
    let reach = ranges.reduce(|(lo, hi), (low, high)| (lo.min(low), hi.max(high)));
    charts.iter_mut().for_each(|chart| chart.reach = reach);
    charts.into_iter().map(Block::Curves).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
