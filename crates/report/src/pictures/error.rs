//! Errors of pictures.

use engine::Span;
use lab::run::RunError;
use scenario::problem::Problem;

/// A choice that requires a picture of one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SingleRunChoice {
    /// All flows in one picture.
    Together,
    /// A medium.
    Medium,
}

/// The reason why a picture cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The scenario has no such flow over TCP. The problem names no option.
    #[error("{0}")]
    Flow(Problem),
    /// The scenario has no such medium. The problem names no option.
    #[error("{0}")]
    Medium(Problem),
    /// No flow is named, and the scenario has more flows than the maximum.
    #[error("there are {0} flows: one must be named")]
    ManyFlows(usize),
    /// No name of a flow occurs in all runs.
    #[error("the runs have no flow of the same name")]
    NoCommonFlow,
    /// More than [`MAX_RUNS`](super::MAX_RUNS) runs.
    #[error("{0} runs are too many for one picture")]
    ManyRuns(usize),
    /// Several runs for a picture of a single run.
    #[error("{1} runs cannot be drawn in a picture of one run")]
    OneRun(SingleRunChoice, usize),
    /// The view ends before it starts.
    #[error("the view ends at {to}, before its start at {from}")]
    Backwards {
        /// Start of the view.
        from: Span,
        /// End of the view.
        to: Span,
    },
    /// The view starts after the end of the run.
    #[error("the view starts at {from}, after the end of the run at {end}")]
    AfterEnd {
        /// Start of the view.
        from: Span,
        /// End of the run.
        end: Span,
    },
    /// The run has more events than a picture can show.
    #[error("by {until} the run has more than {max} events to draw")]
    TooManyEvents {
        /// Simulated time at which the recorder was full.
        until: Span,
        /// Maximum number of events in a picture.
        max: usize,
        /// Number of recorded flows.
        flows: usize,
        /// Number of recorded media.
        media: usize,
    },
    /// The run failed, or was cancelled.
    #[error(transparent)]
    Run(#[from] RunError),
}
