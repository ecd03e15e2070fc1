//! The part of a history that a picture shows.

use crate::history::History;
use crate::options::Unit;

/// A part of a flow's history.
pub(crate) struct View<'a> {
    pub history: &'a History,
    /// The ends of the time axis in seconds.
    pub from: f64,
    pub to: f64,
    pub segment: u32,
    pub unit: Unit,
}

impl<'a> View<'a> {
    /// The items of a list that lie in the view.
    pub fn within<T>(&self, list: &'a [T], at: impl Fn(&T) -> f64) -> &'a [T] {
        let first = list.partition_point(|item| at(item) < self.from);
        let last = list.partition_point(|item| at(item) <= self.to);
        &list[first..last.max(first)]
    }

    /// Whether nothing of the flow lies in the view: it has sent nothing yet, or is over.
    pub fn is_empty(&self) -> bool {
        self.history.first_sent.unwrap_or(f64::INFINITY) > self.to || self.history.ended < self.from
    }

    /// The part of the view that belongs to the flow, if it is not empty.
    pub fn life(&self) -> (f64, f64) {
        (self.from.max(self.history.began), self.to.min(self.history.ended))
    }

    /// Intervals of BAD air in the view.
    pub fn bad(&self) -> &'a [(f64, f64)] {
        let bad = &self.history.bad;
        let first = bad.partition_point(|(_, end)| *end < self.from);
        let last = bad.partition_point(|(begin, _)| *begin < self.to);
        &bad[first..last.max(first)]
    }
}
