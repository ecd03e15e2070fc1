//! Models of loss on a link.
//!
//! A channel is asked once for each frame, when its sending begins. Its randomness never depends on traffic:
//! states live in time, and a draw for a frame belongs to the frame's start and direction, so two schemes
//! compared at one seed meet the same air. `gilbert-elliott`, whose states move with frames as netem's do, is the one
//! exception, and says so. Only frames that begin in the same nanosecond, as frames without length can,
//! are told apart by their order.

pub mod absence;
pub mod bit_errors;
pub mod gilbert_elliott;
pub mod perfect;
pub mod recorded;
pub mod scripted;
pub mod signal;
mod stays;
pub mod timeline;
pub mod two_state;
pub mod two_state_gaps;
pub mod uniform;

use engine::{Rate, Span, Stream, Time};

use crate::event::LinkDirection;

engine::registry! {
    /// The kinds of channel a link can have.
    pub enum ChannelConfig: "channel" => build(stream: Stream) -> Box<dyn Channel> {
        Perfect => perfect, "perfect", "Nothing is ever lost", no settings;
        Uniform => uniform, "uniform", "Each frame is lost with one probability, independently";
        BitErrors => bit_errors, "bit-errors", "Each bit is wrong with one probability, independently: longer frames are lost more often";
        TwoState => two_state, "two-state", "GOOD and BAD states with exponential stays and a loss probability in each (Markov)";
        TwoStateGaps => two_state_gaps, "two-state-gaps", "GOOD and BAD states with exponential stays, packets lost with a given mean gap in packets in each";
        GilbertElliott => gilbert_elliott, "gilbert-elliott", "As netem's: GOOD and BAD states that change with frames, not with time, and a loss probability in each";
        Recorded => recorded, "recorded", "GOOD and BAD states read from a trace of switch times";
        Scripted => scripted, "scripted", "Chosen bad intervals and chosen frames to drop";
        Signal => signal, "signal", "A signal that becomes stronger and weaker, of which fast rates need more; for links of a medium";
        Absence => absence, "absence", "Nothing passes while a mobile is away; it hears again at once, or when it has sent something";
    }
}

/// A frame as the channel sees it.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Now: no frame that begins earlier will be asked about, here or the other way.
    pub now: Time,
    /// When its sending begins.
    pub start: Time,
    /// How long the sending takes.
    pub duration: Span,
    /// How many bytes it has.
    pub size: u32,
    /// Which way it goes.
    pub way: LinkDirection,
    /// How many frames went this way before, link acknowledgments not counted; `None` for a link acknowledgment.
    pub number: Option<u64>,
}

/// The fate of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It arrives.
    Arrives,
    /// It arrives damaged and is thrown away.
    Corrupted,
}

/// The state of the air.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Frames get through, or most do.
    Good,
    /// Frames are lost, or most are.
    Bad,
}

impl State {
    /// The word that traces use.
    pub const fn name(self) -> &'static str {
        match self {
            State::Good => "GOOD",
            State::Bad => "BAD",
        }
    }
}

/// A model of the air on one link, in both directions.
pub trait Channel: Send {
    /// The fate of `frame`. Called once for each frame, in order of start within one direction; the two
    /// directions may interleave in any way.
    fn fate(&mut self, frame: &Frame) -> Fate;

    /// The same of a frame in a medium, whose rate is one of a standard. Asked instead of [`fate`](Channel::fate).
    fn fate_at(&mut self, frame: &Frame, rate: Rate) -> Fate {
        let _ = rate;
        self.fate(frame)
    }

    /// Whether it can lose anything; one that cannot is not asked.
    fn loses(&self) -> bool {
        true
    }

    /// Whether there are states to draw.
    fn has_states(&self) -> bool {
        false
    }

    /// The first change of state after `after`, for plots of the channel's state.
    fn next_change(&mut self, after: Time) -> Option<(Time, State)> {
        let _ = after;
        None
    }
}

/// One draw for each frame, tied to its start: the same whatever was sent before.
#[derive(Debug)]
pub struct FrameDraws {
    stream: Stream,
    /// For each direction the last start, and how many frames began then: frames that take no time may share it.
    last: [(Time, u32); 2],
}

impl FrameDraws {
    /// Draws from `stream`.
    pub fn new(stream: Stream) -> Self {
        FrameDraws { stream, last: [(Time::NEVER, 0); 2] }
    }

    /// A number in [0, 1) for `frame`.
    pub fn unit(&mut self, frame: &Frame) -> f64 {
        let last = &mut self.last[frame.way.index()];
        *last = if last.0 == frame.start { (frame.start, last.1 + 1) } else { (frame.start, 0) };
        self.stream.unit(frame.start.as_nanos(), last.1 << 1 | frame.way.index() as u32)
    }
}
