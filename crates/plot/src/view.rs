//! The interval of a flow's history that a picture shows.

use crate::history::{FlowHistory, Spot};
use crate::mark::Mark;
use crate::unit::AxisUnit;

/// An interval of a flow's history.
pub(crate) struct FlowView<'a> {
    pub history: &'a FlowHistory,
    /// Ends of the time axis in seconds.
    pub from: f64,
    pub to: f64,
    pub segment: u32,
    pub unit: AxisUnit,
    /// Width in seconds of the bins of rates, if other pictures have the same.
    pub bin_width: Option<f64>,
}

impl<'a> FlowView<'a> {
    /// Returns the items of a list whose times lie in the view.
    pub fn within<T>(&self, list: &'a [T], at: impl Fn(&T) -> f64) -> &'a [T] {
        let first = list.partition_point(|item| at(item) < self.from);
        let last = list.partition_point(|item| at(item) <= self.to);
        &list[first..last.max(first)]
    }

    /// Returns the marked events of one kind in the view.
    pub fn list_spots(&self, mark: Mark) -> &'a [Spot] {
        self.within(self.history.find_spots(mark), |spot| spot.at)
    }

    /// True if the view lies before the flow's first segment or after its end.
    pub fn is_empty(&self) -> bool {
        self.history.first_sent.unwrap_or(f64::INFINITY) > self.to || self.history.ended < self.from
    }

    /// Returns begin and end, in seconds, of the overlap of the view and the flow's life. The result is meaningful only
    /// if the view is not empty.
    pub fn life(&self) -> (f64, f64) {
        (self.from.max(self.history.began), self.to.min(self.history.ended))
    }

    /// Returns the BAD intervals in the view.
    pub fn bad(&self) -> &'a [(f64, f64)] {
        let bad = &self.history.bad;
        let first = bad.partition_point(|(_, end)| *end < self.from);
        let last = bad.partition_point(|(begin, _)| *begin < self.to);
        &bad[first..last.max(first)]
    }
}
