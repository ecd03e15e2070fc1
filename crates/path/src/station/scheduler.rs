//! Which lane a station serves next.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lane::Lane;

/// The orders of service.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// Each lane in turn, one attempt each: a mobile in a fade costs the others one attempt a round [goel1997 4.2 (8)].
    #[default]
    RoundRobin,
    /// The packet that came first, until it is delivered or given up: one mobile in a fade blocks all
    /// (head-of-line blocking).
    Fifo,
}

impl Scheduler {
    /// Every order of service: its name in scenarios, and one line about it.
    pub const MEMBERS: &'static [(&'static str, &'static str)] = &[
        ("round-robin", "Each mobile's queue in turn, one attempt each"),
        ("fifo", "One queue for all: first come, first served, until delivered or given up"),
    ];

    /// The lane to serve after `last`, if any has something to send.
    pub fn next(self, lanes: &[Lane], last: usize) -> Option<usize> {
        match self {
            Scheduler::RoundRobin => {
                let n = lanes.len();
                (1..=n).map(|step| (last + step) % n).find(|lane| !lanes[*lane].is_empty())
            }
            Scheduler::Fifo => {
                let heads = lanes.iter().enumerate().filter_map(|(i, lane)| Some((lane.head_place()?, i)));
                heads.min().map(|(_, lane)| lane)
            }
        }
    }
}
