//! The contents of a panel, as the layout needs them.

use crate::describe::Description;
use crate::frame::{PanelArea, Sheet};
use crate::legend::LegendEntry;
use crate::palette::Palette;
use crate::queues::Stays;
use crate::scale::AxisScale;
use crate::spans::VisibleIntervals;
use crate::view::FlowView;

/// The part of a flow that a panel shows, and how.
#[derive(Clone, Copy)]
pub(crate) struct PanelContext<'a> {
    pub view: &'a FlowView<'a>,
    pub stays: &'a Stays,
    pub description: &'a Description,
    /// The receive window in bytes, if it is drawn.
    pub receiver_window: Option<u64>,
    /// Marked intervals of the time axis.
    pub intervals: &'a VisibleIntervals<'a>,
    /// True if the picture has the panel of sequence numbers, which explains the marks.
    pub has_sequence: bool,
    /// Estimated width and height in pixels of the panel of sequence numbers.
    pub size: (f64, f64),
    /// Lowest and highest value on the panel's vertical axis, if other pictures have the same.
    pub axis: Option<(f64, f64)>,
}

/// The contents of a panel.
pub(crate) trait PanelContents {
    /// Returns the legend entries of the visible elements.
    fn legend(&self, palette: &Palette) -> Vec<LegendEntry>;
    /// Returns the lowest and the highest value on the vertical axis.
    fn axis(&self) -> (f64, f64);
    /// Draws the panel into `area`, along the time axis `x`.
    fn draw(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale);
    /// Describes the contents in a few words, for screen readers.
    fn about(&self) -> Option<String> {
        None
    }
    /// Returns counts that the line below the heading lacks, for screen readers.
    fn list_counts(&self) -> Vec<String> {
        Vec::new()
    }
    /// Width in pixels of the labels of the vertical axis, if they may be wide.
    fn label_width(&self) -> f64 {
        0.0
    }
}
