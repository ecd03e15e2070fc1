//! First in, first out; for a packet that exceeds the limit, packets at the head are dropped.
//!
//! A sender learns of the loss earlier than with drop-tail, by the time that the queue stands (Lakshman1996).

use engine::Stream;
use engine::registry::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::packet_fifo::PacketFifo;
use super::{Cause, DEFAULT_LIMIT, Limit, QueueCx, QueueDiscipline, Queued};

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
    /// Creates the queue.
    pub fn build(&self, _: Stream) -> Box<dyn QueueDiscipline> {
        Box::new(HeadDrop { limit: self.limit, packets: PacketFifo::default() })
    }
}

struct HeadDrop {
    limit: Limit,
    packets: PacketFifo,
}

impl HeadDrop {
    fn admits(&self, size: u32, cx: &QueueCx<'_>) -> bool {
        self.limit.admits(self.packets.len() + cx.others.0, self.packets.bytes() + cx.others.1, size)
    }
}

impl QueueDiscipline for HeadDrop {
    fn enqueue(&mut self, queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), Cause> {
        if !queued.at_once {
            let size = queued.packet.size();
            // A packet that never fits must not empty the queue.
            if !self.limit.admits(cx.others.0, cx.others.1, size) {
                return Err(Cause::Full);
            }
            while !self.admits(size, cx)
                && let Some(first) = self.packets.pop()
            {
                cx.drop(first.packet, Cause::Full);
            }
        }
        self.packets.push(queued);
        Ok(())
    }

    fn dequeue(&mut self, _: &mut QueueCx<'_>) -> Option<Queued> {
        self.packets.pop()
    }

    fn packets(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.packets.iter())
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn bytes(&self) -> u64 {
        self.packets.bytes()
    }

    fn limit(&self) -> Limit {
        self.limit
    }

    fn marks(&self) -> bool {
        false
    }
}
