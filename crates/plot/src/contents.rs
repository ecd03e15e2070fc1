//! What a panel shows, by which the layout places it.

use crate::frame::{Area, Sheet};
use crate::legend::Entry;
use crate::palette::Palette;
use crate::scale::Scale;

/// The contents of a panel below the others.
pub(crate) trait Contents {
    /// Returns the legend entries of the visible elements.
    fn legend(&self, palette: &Palette) -> Vec<Entry>;
    /// Describes the contents in a few words, for screen readers.
    fn about(&self) -> String;
    /// Draws the panel into `area`, along the time axis `x`.
    fn draw(&self, sheet: &mut Sheet, area: &Area, x: &Scale);
}
