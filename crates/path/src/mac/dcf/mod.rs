//! IEEE 802.11's distributed coordination function: what the standards fix, what a cell can set, how long frames take.
//! The stations that follow it share a [medium](crate::medium).

mod check;
pub mod config;
pub mod frame;
pub mod rate;
pub mod reach;
pub mod sensitivity;
pub mod standard;
pub mod timing;

pub use crate::event::FrameKind;
pub use config::Config;
pub use standard::{RateIndex, Standard};
pub use timing::Phy;
