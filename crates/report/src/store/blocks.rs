//! The blocks of a page for one metric of a sweep: its charts and its table.

use super::figure::Figure;
use super::{numbers, pictures, plain, verdict};
use crate::capital;
use crate::page::Block;

impl Figure<'_> {
    /// Returns heading, charts and table.
    pub fn blocks(&self) -> Vec<Block> {
        let mut about = format!("# {}\n\n{}.", plain(self.metric.name), plain(&capital(self.metric.definition)));
        // A single number gets no chart.
        let charts = if self.entries.len() > 1 { pictures::of(self) } else { Vec::new() };
        about.push_str(&match charts.first() {
            Some(Block::Bars(_)) => self.key_to_bars(),
            Some(Block::Curves(_)) => format!(" Bands are the {} % confidence interval of the mean.", self.level()),
            _ => String::new(),
        });
        let changes = pictures::changes_of(self);
        if !changes.is_empty() {
            about.push_str(&self.key_to_changes());
        }
        if !self.idle.is_empty() {
            about.push_str(&format!(" 0 in every run: {}.", plain(&self.idle.join(", "))));
        }
        about.extend(verdict::words(self).map(|words| format!("\n\n{words}")));
        let mut blocks = vec![Block::Words(about)];
        if self.entries.is_empty() {
            return blocks;
        }
        blocks.extend(charts);
        blocks.extend(changes);
        blocks.push(Block::Table(numbers::table(self)));
        blocks
    }

    /// Returns the explanation of the charts of changes.
    fn key_to_changes(&self) -> String {
        format!(
            " Dots are changes in percent with their {} % confidence interval, paired by replication. Hollow: the \
             interval includes 0 or is missing.",
            self.level()
        )
    }

    /// Returns the explanation of a bar's parts, for the parts that are drawn.
    fn key_to_bars(&self) -> String {
        let level = self.level();
        let mut out = String::new();
        if self.entries.iter().filter_map(|entry| entry.row.as_ref()).any(|row| row.ci.is_some()) {
            out.push_str(&format!(
                " Whiskers with caps are the {level} % confidence interval of the mean, thin lines the prediction interval of one run."
            ));
        }
        if let [first, _, ..] = &self.analysis.cases()[..] {
            out.push_str(&format!(" Labels above the bars are changes from {}.", plain(first)));
        }
        out
    }
}
