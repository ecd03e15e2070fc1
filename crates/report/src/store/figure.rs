//! One figure of a sweep: pictures of it and its table.

use std::collections::BTreeMap;

use lab::export::shown;
use lab::metric::{Metric, Scope};
use lab::store::KeptCell;
use lab::sweep::analysis::{Analysis, Row};

use super::{numbers, pictures, plain};
use crate::number::scale;
use crate::page::Block;

/// A figure.
pub(super) struct Figure<'a> {
    pub analysis: &'a Analysis,
    pub metric: &'static Metric,
    /// Every case at every point, about every subject.
    pub entries: Vec<Entry<'a>>,
    /// What it is about: flows, ways of links, or the whole run, which has no name.
    pub subjects: Vec<String>,
    /// What its values are divided by.
    pub scale: f64,
    /// Their unit then.
    pub unit: &'static str,
}

/// One case at one point, about one subject.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub cell: &'a KeptCell,
    pub subject: String,
    /// None where runs gave no value.
    pub row: Option<Row>,
    /// Runs that gave none.
    pub without: u64,
}

impl Entry<'_> {
    /// The value of a key that differs between points, as the scenario writes it.
    pub fn value(&self, key: &str) -> Option<String> {
        self.cell.changes.iter().find(|(changed, _)| changed == key).map(|(_, value)| shown(value))
    }
}

impl<'a> Figure<'a> {
    pub fn of(analysis: &'a Analysis, metric: &'static Metric) -> Self {
        let rows = analysis.rows(metric);
        let (scale, unit) = scale(metric, rows.iter().map(|row| row.mean));
        let mut rows: BTreeMap<_, Row> =
            rows.into_iter().map(|row| ((row.point, row.case, row.subject.clone()), row)).collect();
        let mut subjects: Vec<String> = Vec::new();
        let mut entries = Vec::new();
        for runs in &analysis.cells {
            // What a cell is about is the same in all of its runs.
            let Some((_, summary)) = runs.runs.first() else { continue };
            for (subject, _) in metric.read(summary) {
                if !subjects.contains(&subject) {
                    subjects.push(subject.clone());
                }
                let row = rows.remove(&(runs.cell.point, runs.cell.case, subject.clone()));
                let without = row.as_ref().map_or(runs.runs.len() as u64, |row| row.without);
                entries.push(Entry { cell: &runs.cell, subject, row, without });
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
        let mut about = format!("# {}\n\n{}.", plain(self.metric.name), plain(&capital(self.metric.definition)));
        // One number is no picture.
        let charts = if self.entries.len() > 1 { pictures::of(self) } else { Vec::new() };
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

    /// What the parts of a bar mean, of those that are drawn.
    fn key_to_bars(&self) -> String {
        let level = self.level();
        let mut out = String::new();
        if self.entries.iter().filter_map(|entry| entry.row.as_ref()).any(|row| row.ci.is_some()) {
            out.push_str(&format!(
                " Whiskers with caps are the {level} % interval of the mean, thin lines that of one more run."
            ));
        }
        if let [first, _, ..] = &self.analysis.cases()[..] {
            out.push_str(&format!(" Over the bars stands the change to {}.", plain(first)));
        }
        out
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
