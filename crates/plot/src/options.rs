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

/// Width and height in pixels of the smallest picture in which legends leave the panels room.
pub const SMALLEST: (u32, u32) = (500, 400);

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
    /// Width in pixels, at least [`SMALLEST`]'s.
    pub width: u32,
    /// Height in pixels, at least [`SMALLEST`]'s.
    pub height: u32,
    /// Colours.
    pub theme: Theme,
    /// What the vertical axes count.
    pub unit: Unit,
    /// Whether the receiver's window is drawn beside cwnd.
    pub receiver_window: bool,
    /// Whether rows below the panels show why nothing was sent.
    pub blocked: bool,
    /// The heading; names of the flow and its ends if not given.
    pub title: Option<String>,
    /// What ran, such as its scheme and its seed: stands below the heading, before what happened in numbers.
    pub ran: Vec<String>,
    /// Parts of the time axis to number and to shade in the sequence panel, with what the legend says about them.
    pub spans: Vec<Marked>,
}

/// A part of the time axis that is marked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marked {
    /// Where it begins.
    pub from: Time,
    /// Where it ends.
    pub to: Time,
    /// What it is, in a few words. Parts of equal labels share an entry of the legend.
    pub label: String,
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
            blocked: false,
            title: None,
            ran: Vec::new(),
            spans: Vec::new(),
        }
    }
}
