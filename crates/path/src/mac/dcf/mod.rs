//! IEEE 802.11's distributed coordination function: constants of the standards, settings of a cell, and durations of
//! frames. Its stations share a [medium](crate::medium).

mod check;
pub mod config;
pub mod frame;
pub mod rate;
pub mod reach;
pub mod standard;
pub mod timing;

pub use crate::event::FrameKind;
pub use config::Config;
pub use standard::{RateIndex, Standard};
pub use timing::Phy;
