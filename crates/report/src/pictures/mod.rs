//! Pictures of scenarios: the choice of flows, media and panels, and the headings and file names.
//!
//! [`Single`] draws one run, [`ComparedPictures`] one flow of several runs on the same axes, [`draw_topology`] the network, [`draw_explained_flow`] a flow
//! with its findings marked, and [`draw_captured_connection`] a connection of a capture. A [`PictureView`] is the choice. The defaults are
//! chosen here, so that all programs draw equal pictures.

mod captured;
mod compared;
mod error;
mod explained;
mod shares;
mod single;
mod view;

pub use captured::draw_captured_connection;
pub use compared::{ComparedPictures, ComparedRun, MAX_RUNS, RecordedComparison, combine_files_and_schemes};
pub use error::{PictureError, SingleRunChoice};
pub use explained::draw_explained_flow;
pub use single::{RecordedRun, Single};
pub use view::{Drawn, MAX_FLOWS, PictureView, draw_topology};

pub(crate) use shares::{compute_captured_shares, compute_cause_shares};
