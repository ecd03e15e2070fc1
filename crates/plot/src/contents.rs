//! The contents of a panel, as the layout needs them.

use crate::frame::{PanelArea, Sheet};
use crate::legend::LegendEntry;
use crate::palette::Palette;
use crate::scale::AxisScale;

/// The contents of a panel below the others.
pub(crate) trait PanelContents {
    /// Returns the legend entries of the visible elements.
    fn legend(&self, palette: &Palette) -> Vec<LegendEntry>;
    /// Describes the contents in a few words, for screen readers.
    fn about(&self) -> String;
    /// Draws the panel into `area`, along the time axis `x`.
    fn draw(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale);
}
