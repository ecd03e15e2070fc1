//! Everything between the two ends. The modules stand in the order a packet meets them.

pub mod agent;
pub mod channel;
pub mod link;
pub mod mac;
pub mod queue;
pub mod station;

pub mod context;
pub mod event;

pub use context::{Cx, Observer};
pub use event::{HopId, LinkEvent, Way};
