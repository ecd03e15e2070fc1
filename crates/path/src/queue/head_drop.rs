//! First in, first out; for a packet that exceeds the limit, packets at the head are dropped.
//!
//! The sender detects the loss earlier than with drop-tail, by the queueing delay (Lakshman1996).

use engine::Stream;
use engine::registry::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::packet_fifo::{PacketFifo, holds};
use super::{DEFAULT_LIMIT, DropCause, Limit, QueueCx, QueueDiscipline, QueueTraits, Queued};

/// Settings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The maximum backlog.
    pub limit: Limit,
}

impl Default for Config {
    fn default() -> Self {
        Config { limit: DEFAULT_LIMIT }
    }
}

impl Settings for Config {}

impl Config {
    /// Returns the properties of the queue.
    pub fn traits(&self) -> QueueTraits {
        QueueTraits { fills: true, ..QueueTraits::default() }
    }

    /// Creates the queue.
    pub fn build(&self, _: Stream) -> Box<dyn QueueDiscipline> {
        Box::new(HeadDrop { limit: self.limit, packets: PacketFifo::default() })
    }
}

struct HeadDrop {
    limit: Limit,
    packets: PacketFifo,
}

impl QueueDiscipline for HeadDrop {
    fn enqueue(&mut self, queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause> {
        // A packet that exceeds the limit of an empty queue displaces no packet.
        if !cx.admits(self.limit, (0, 0), &queued) {
            return Err(DropCause::Full);
        }
        while !cx.admits(self.limit, (self.len(), self.bytes()), &queued)
            && let Some(first) = self.packets.pop()
        {
            cx.drop(first, DropCause::Full);
        }
        self.packets.push(queued);
        Ok(())
    }

    fn dequeue(&mut self, _: &mut QueueCx<'_>) -> Option<Queued> {
        self.packets.pop()
    }

    holds!(packets);

    fn limit(&self) -> Limit {
        self.limit
    }

    fn marks(&self) -> bool {
        false
    }
}
