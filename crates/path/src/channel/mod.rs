//! Loss models of a link.
//!
//! A channel determines the fate of each frame when its transmission begins. Its randomness does not depend on traffic:
//! states change with time, and the random number of a frame is a function of its start and direction, so that two
//! schemes with the same seed see the same channel. The exception is `gilbert-elliott`, whose states change with frames
//! as in netem. Only frames of one direction that begin in the same nanosecond, as frames of zero duration can, are
//! distinguished by their order.

pub mod absence;
pub mod bit_errors;
pub mod directed;
pub mod gilbert_elliott;
mod level;
pub mod perfect;
pub mod recorded;
pub mod scripted;
pub mod sensitivity;
pub mod signal;
mod stays;
pub mod timeline;
mod traits;
pub mod two_state;
pub mod two_state_gaps;
pub mod uniform;

use engine::{Rate, Span, Stream, Time};

use crate::ids::LinkDirection;
pub use traits::{ChannelTraits, Keyed, SteadyLoss};

engine::registry! {
    /// The channels of a link.
    pub enum ChannelConfig: "channel" => build(stream: Stream) -> Box<dyn Channel>, with traits: ChannelTraits {
        Perfect => perfect, "perfect", "No frame is lost", no settings;
        Uniform => uniform, "uniform", "Each frame is lost independently with the same probability", with traits;
        BitErrors => bit_errors, "bit-errors", "Each bit is wrong independently with the same probability: longer frames are lost more often", with traits;
        TwoState => two_state, "two-state", "GOOD and BAD states with exponential sojourn times and a loss probability in each (Markov)";
        TwoStateGaps => two_state_gaps, "two-state-gaps", "GOOD and BAD states with exponential sojourn times, and a mean gap between losses in packets in each";
        GilbertElliott => gilbert_elliott, "gilbert-elliott", "GOOD and BAD states that change with frames, not with time, and a loss probability in each, as in netem";
        Recorded => recorded, "recorded", "GOOD and BAD states from a recording of their switch times", with traits;
        Scripted => scripted, "scripted", "Given intervals in BAD, and given frames that are lost";
        Signal => signal, "signal", "A received signal power over time, of which faster rates need more; for links of a medium", with traits;
        Absence => absence, "absence", "All frames are lost while a mobile is away; it receives again at once, or after it has sent a frame", with traits;
    }
}

impl Default for ChannelConfig {
    fn default() -> Self {
        ChannelConfig::Perfect(perfect::Config::default())
    }
}

/// Properties of a frame that determine its fate.
#[derive(Clone, Copy, Debug)]
pub struct ChannelFrame {
    /// Current time: later calls concern frames that begin at this time or later, in either direction.
    pub now: Time,
    /// Start of the transmission.
    pub start: Time,
    /// Duration of the transmission.
    pub duration: Span,
    /// Size in bytes.
    pub size: u32,
    /// Direction of the frame.
    pub direction: LinkDirection,
    /// Number of earlier data frames in this direction; `None` for a link acknowledgment.
    pub number: Option<u64>,
}

/// The fate of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameFate {
    /// The frame arrives intact.
    Arrives,
    /// The frame arrives damaged and is discarded.
    Corrupted,
}

/// State of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelState {
    /// No or few frames are lost.
    Good,
    /// All or most frames are lost.
    Bad,
}

impl ChannelState {
    /// Returns the name in traces.
    pub const fn name(self) -> &'static str {
        match self {
            ChannelState::Good => "GOOD",
            ChannelState::Bad => "BAD",
        }
    }
}

/// Loss model of a link, for both directions.
pub trait Channel: Send {
    /// Returns the fate of `frame`. Called once per frame, in the order of starts within a direction; calls for the two
    /// directions may interleave.
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate;

    /// Returns the fate of a frame in a medium, at a rate of the standard. Called instead of [`fate`](Channel::fate).
    fn fate_at(&mut self, frame: &ChannelFrame, rate: Rate) -> FrameFate {
        let _ = rate;
        self.fate(frame)
    }

    /// Returns true if the channel can lose frames; otherwise `fate` need not be called.
    fn loses(&self) -> bool {
        true
    }

    /// Returns true if the channel has states to plot.
    fn has_states(&self) -> bool {
        false
    }

    /// Returns the first change of state after `after`, for plots.
    fn next_change(&mut self, after: Time) -> Option<(Time, ChannelState)> {
        let _ = after;
        None
    }
}

/// One random number per frame, as a function of the frame's start and independent of earlier traffic.
#[derive(Debug)]
pub struct FrameDraws {
    stream: Stream,
    /// For each direction, the last start, and the number of earlier frames with the same start, which frames of zero
    /// duration can have.
    last: [(Time, u32); 2],
}

impl FrameDraws {
    /// Creates the source of numbers from `stream`.
    pub fn new(stream: Stream) -> Self {
        FrameDraws { stream, last: [(Time::NEVER, 0); 2] }
    }

    /// Returns a number in [0, 1) for `frame`.
    pub fn unit(&mut self, frame: &ChannelFrame) -> f64 {
        let last = &mut self.last[frame.direction.index()];
        *last = if last.0 == frame.start { (frame.start, last.1 + 1) } else { (frame.start, 0) };
        self.stream.unit(frame.start.as_nanos(), last.1 << 1 | frame.direction.index() as u32)
    }
}
