//! The interval of a timeline that a picture shows.

use super::record::{BackOffInterval, MediumTimeline, TransmittedFrame};

/// An interval of a medium's timeline.
pub(super) struct MediumView<'a> {
    pub timeline: &'a MediumTimeline,
    pub from: f64,
    pub to: f64,
}

impl<'a> MediumView<'a> {
    /// True if no frame and no back-off lies in the view.
    pub fn is_empty(&self) -> bool {
        self.frames().next().is_none() && self.back_offs().next().is_none()
    }

    /// Returns the intervals of back-offs that overlap the view.
    pub fn back_offs(&self) -> impl Iterator<Item = &'a BackOffInterval> {
        let (from, to) = (self.from, self.to);
        self.timeline.back_offs.iter().filter(move |part| part.to >= from && part.from <= to)
    }

    /// Returns the frames that overlap the view.
    pub fn frames(&self) -> impl Iterator<Item = &'a TransmittedFrame> {
        let (from, to) = (self.from, self.to);
        self.timeline.frames.iter().filter(move |frame| frame.end >= from && frame.start <= to)
    }
}
