//! A congestion control, an agent, a channel and a queue discipline that lasthop does not have.
//!
//! Each is one file: settings that serde reads, and an implementation of [`engine::Member`] that checks them and builds the
//! member. [`members`] lists them in the table that the loader takes; scenarios then name them like lasthop's own.

pub mod every_nth;
pub mod lifo;
pub mod mark_at_air;
pub mod scalable;

use engine::members::NameError;
use engine::{Kind, Members};
use path::agent::AgentConfig;
use path::channel::ChannelConfig;
use path::queue::QueueConfig;
use tcp::cc::ControlConfig;

/// The members of this crate. Each has a version, under which stores keep its results.
///
/// # Errors
/// A name that a registry already has.
pub fn members() -> Result<Members, NameError> {
    let mut members = Members::default();
    members
        .add::<ControlConfig>(Kind::<scalable::Config>::new("scalable", "Scalable TCP (Kelly 2003)").version("1"))?
        .add::<AgentConfig>(Kind::<mark_at_air::Config>::new("mark-at-air", "ECN marks by backlog").version("1"))?
        .add::<ChannelConfig>(
            Kind::<every_nth::Config>::new("every-nth", "Every n-th data frame is lost").version("1"),
        )?
        .add::<QueueConfig>(Kind::<lifo::Config>::new("lifo", "Last in, first out").version("1"))?;
    Ok(members)
}
