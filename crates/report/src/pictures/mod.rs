//! Pictures of scenarios: the choice of flows, media and panels, and the headings and file names.
//!
//! [`Single`] draws one run, [`Compared`] one flow of several runs on the same axes, [`topology`] the network, [`explained`] a flow
//! with its findings marked, and [`captured`] a connection of a capture. A [`View`] is the choice. The defaults are
//! chosen here, so that all programs draw equal pictures.

mod captured;
mod compared;
mod error;
mod explained;
mod shares;
mod single;
mod view;

pub use captured::captured;
pub use compared::{Compared, MAX_RUNS, Named, Recorded, named};
pub use error::{Choice, PictureError};
pub use explained::explained;
pub use single::{RecordedRun, Single};
pub use view::{Drawn, MAX_FLOWS, View, topology};

pub(crate) use shares::{captured_shares, shares};
