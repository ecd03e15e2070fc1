//! Settings of a picture.

use engine::Time;
use sim::FlowId;

use crate::palette::Theme;
use crate::panel::Panel;
use crate::spans::MarkedInterval;
use crate::unit::AxisUnit;

/// Width and height of a picture of one or two panels, if no size is chosen.
pub const DEFAULT_SIZE: (u32, u32) = (1000, 680);
/// Height of each further panel in a picture whose size is not chosen.
const PANEL_HEIGHT: u32 = 110;
/// Largest width and height of a picture.
pub const MAX_SIDE: u32 = 8000;

/// Returns the height of a picture with these panels, if no size is chosen.
pub fn choose_default_height(panels: &[Panel]) -> u32 {
    let distinct = Panel::ALL.iter().filter(|panel| panels.contains(panel)).count() as u32;
    DEFAULT_SIZE.1 + PANEL_HEIGHT * distinct.saturating_sub(2)
}

/// Minimum width and height of a picture of two panels in pixels: legends still leave space for the panels. Each
/// further panel needs [`MIN_PANEL`] more.
pub const MIN_SIZE: (u32, u32) = (500, 400);

/// Minimum height in pixels of each panel beyond two, with its legend. A picture of less height is enlarged.
pub const MIN_PANEL: u32 = 90;

/// Settings of a picture. The default shows the first flow over its whole life.
#[derive(Clone, PartialEq, Debug)]
pub struct PictureOptions {
    /// The flow.
    pub flow: FlowId,
    /// The panels to draw. Each is drawn at most once, in the order of [`Panel`], regardless of the order of the list.
    pub panels: Vec<Panel>,
    /// Left edge of the time axis; `None` for the start of the flow.
    pub from: Option<Time>,
    /// Right edge of the time axis; `None` for the flow's completion, or the last event if the flow did not complete.
    pub to: Option<Time>,
    /// Width in pixels; at least the width of [`MIN_SIZE`].
    pub width: u32,
    /// Height in pixels; at least the height of [`MIN_SIZE`].
    pub height: u32,
    /// Colour scheme.
    pub theme: Theme,
    /// Unit of the vertical axes.
    pub unit: AxisUnit,
    /// True to draw the receive window in the panel of cwnd.
    pub receiver_window: bool,
    /// True to draw rows below the panels with the reasons why nothing was sent.
    pub blocked: bool,
    /// The heading; `None` for the names of the flow and its end nodes.
    pub title: Option<String>,
    /// Description of the run, such as its scheme and seed, which is shown below the heading, before the counts of
    /// events.
    pub ran: Vec<String>,
    /// Marked intervals of the time axis, which are numbered and shaded in the sequence panel, and explained in its
    /// legend.
    pub spans: Vec<MarkedInterval>,
    /// The shares of the flow's time by cause, the largest first: drawn as a bar below the heading.
    pub budget: Vec<TimeShare>,
}

/// A share of a flow's time.
#[derive(Clone, PartialEq, Debug)]
pub struct TimeShare {
    /// Name of the cause.
    pub name: String,
    /// The share, 0 to 1.
    pub share: f64,
    /// Colours of the share as 0xRRGGBB in the light and in the dark theme, the same in all pictures.
    pub colors: [u32; 2],
}

impl Default for PictureOptions {
    fn default() -> Self {
        PictureOptions {
            flow: FlowId::new(0),
            panels: vec![Panel::Sequence, Panel::Window],
            from: None,
            to: None,
            width: 1000,
            height: 680,
            theme: Theme::default(),
            unit: AxisUnit::default(),
            receiver_window: true,
            blocked: false,
            title: None,
            ran: Vec::new(),
            spans: Vec::new(),
            budget: Vec::new(),
        }
    }
}
