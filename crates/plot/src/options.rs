//! What to draw and how.

use engine::Time;

/// Which panels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Panel {
    /// Sequence numbers over time.
    Sequence,
    /// cwnd and ssthresh over time.
    Window,
    /// Both, above each other on one time axis.
    #[default]
    Both,
}

/// Colours for which background.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// White, for paper.
    #[default]
    Light,
    /// Nearly black, for screens.
    Dark,
}

/// What sequence numbers and windows are counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unit {
    /// Bytes; shown as B, kB, MB or GB, whichever makes the shortest labels. 1 kB is 1000 bytes.
    #[default]
    Bytes,
    /// Full segments.
    Segments,
}

/// What to draw and how. The default is the whole run of the first flow.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// The flow's number.
    pub flow: u32,
    /// Which panels.
    pub panel: Panel,
    /// The left edge of the time axis; the flow's start if not given.
    pub from: Option<Time>,
    /// The right edge of the time axis; the flow's completion, or the last event, if not given.
    pub to: Option<Time>,
    /// Width in pixels, at least 320.
    pub width: u32,
    /// Height in pixels, at least 240.
    pub height: u32,
    /// Colours.
    pub theme: Theme,
    /// What the vertical axes count.
    pub unit: Unit,
    /// Whether the receiver's window is drawn beside cwnd.
    pub receiver_window: bool,
    /// The heading; names of the flow and its ends if not given.
    pub title: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            flow: 0,
            panel: Panel::default(),
            from: None,
            to: None,
            width: 1000,
            height: 680,
            theme: Theme::default(),
            unit: Unit::default(),
            receiver_window: true,
            title: None,
        }
    }
}
