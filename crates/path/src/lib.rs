//! Everything between the two ends. In the order a packet meets them: [`queue`], [`link`]; where there is a link layer
//! [`station`] or [`transmitter`], or a shared [`medium`], and [`mac`]; [`channel`]; and [`agent`], which hears how it went. [`place`] says where nodes are. [`context`] and
//! [`event`] are what all of them are lent, and say.

pub mod agent;
mod backlog;
pub mod channel;
mod hop_state;
pub mod link;
pub mod mac;
pub mod medium;
pub mod numbers;
pub mod place;
pub mod queue;
pub mod station;
pub mod transmitter;

pub mod context;
pub mod event;

pub use context::{Cx, Observer};
pub use event::{AirFrame, HopId, LinkEvent, MediumEvent, Reach, Reception, Way, Ways};
pub use hop_state::{HopState, LinkLayerState};
pub use numbers::Numbers;
