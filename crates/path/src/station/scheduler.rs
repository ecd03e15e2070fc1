//! The orders in which a transmitter serves its neighbours; [`turns`](crate) keeps to them.

use engine::Span;
use engine::registry::{Fault, Registry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The orders of service.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Scheduler {
    /// Each lane in turn, one attempt each: a mobile in a fade costs the others one attempt a round [goel1997 4.2 (8)].
    #[default]
    RoundRobin,
    /// The packet that came first, until it is delivered or given up: one mobile in a fade blocks all
    /// (head-of-line blocking).
    Fifo,
    /// Round robin among the lanes whose last attempt did not fail lately: a mobile in a fade costs the others one attempt in
    /// each `rest` (BBKT96).
    ChannelState(ChannelState),
}

/// When a channel is believed good.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChannelState {
    /// How long a lane is left out behind a failed attempt, while others have something to send.
    pub rest: Span,
}

impl Default for ChannelState {
    /// The thesis's mean stay in BAD (goel1997 B.3.9). Such a stay has no memory, so that is also what is left of it on average
    /// behind a failed attempt.
    fn default() -> Self {
        ChannelState { rest: Span::from_millis(100) }
    }
}

impl Scheduler {
    /// Every order of service: its name in scenarios, and one line about it.
    pub const MEMBERS: &'static [(&'static str, &'static str)] = &[
        ("round-robin", "Each mobile's queue in turn, one attempt each"),
        ("fifo", "One queue for all: first come, first served, until delivered or given up"),
        ("channel-state", "Each mobile's queue in turn, but not for a while behind an attempt that failed (BBKT96)"),
    ];

    /// What is wrong with the settings.
    pub fn check(&self) -> Vec<Fault> {
        match self {
            Scheduler::ChannelState(ChannelState { rest: Span::ZERO }) => {
                vec![Fault::new("rest", Span::ZERO, "more than nothing").hint("write kind = \"round-robin\"")]
            }
            _ => Vec::new(),
        }
    }
}

impl Registry for Scheduler {
    fn members() -> &'static [(&'static str, &'static str)] {
        Scheduler::MEMBERS
    }
}
