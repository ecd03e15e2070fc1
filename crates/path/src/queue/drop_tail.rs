//! First in, first out; an arriving packet that exceeds the limit is dropped. Expedited packets precede the others, in
//! the order of their arrival.
//!
//! With a threshold, an ECN-capable packet that finds a larger backlog is marked [RFC8257 s3.1].

use engine::Stream;
use engine::registry::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Ecn, Packet};

use super::packet_fifo::{PacketFifo, holds};
use super::{DEFAULT_LIMIT, DropCause, Limit, QueueCx, QueueDiscipline, QueueTraits, Queued};

/// Settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The maximum backlog, as "50 packets", "64 kB" or "unlimited"; 1000 packets by default, as for other disciplines.
    pub limit: Limit,
    /// Backlog above which ECN-capable packets are marked; without a value no packet is marked.
    pub ecn_threshold: Limit,
}

impl Settings for Config {}

impl Default for Config {
    fn default() -> Self {
        DEFAULT_LIMIT.into()
    }
}

impl From<Limit> for Config {
    fn from(limit: Limit) -> Self {
        Config { limit, ecn_threshold: Limit::None }
    }
}

impl Config {
    /// Returns the properties of the queue.
    pub fn traits(&self) -> QueueTraits {
        let ecn_threshold = self.ecn_threshold;
        let marks_by = (ecn_threshold != Limit::None).then_some("its threshold");
        QueueTraits { marks_by, ecn_threshold, fills: true }
    }

    /// Creates the queue.
    pub fn build(&self, _: Stream) -> Box<dyn QueueDiscipline> {
        Box::new(DropTail::new(*self))
    }

    /// Returns true if a packet of `size` bytes may join a backlog of `packets` packets and `bytes` bytes.
    #[inline]
    pub fn admits(&self, packets: usize, bytes: u64, size: u32) -> bool {
        self.limit.admits(packets, bytes, size)
    }

    /// Returns true if a packet with this ECN field is marked at a backlog of `packets` packets and `bytes` bytes.
    #[inline]
    pub fn marks(&self, ecn: Ecn, packets: usize, bytes: u64) -> bool {
        ecn.is_capable() && self.ecn_threshold.is_exceeded(packets, bytes)
    }
}

/// A drop-tail queue.
pub(super) struct DropTail {
    pub(super) config: Config,
    packets: PacketFifo,
}

impl DropTail {
    pub(super) fn new(config: Config) -> Self {
        DropTail { config, packets: PacketFifo::default() }
    }

    /// Adds a packet after all others, or before those that are not expedited.
    #[inline]
    pub(super) fn push(&mut self, packet: Queued) {
        self.packets.push(packet);
    }

    /// Takes the first packet with `take`, without copying it.
    #[inline]
    pub(super) fn pop_with<T>(&mut self, take: impl FnOnce(&Queued) -> T) -> Option<T> {
        self.packets.pop_with(take)
    }

    pub(super) fn front(&self) -> Option<&Packet> {
        self.packets.front()
    }
}

impl QueueDiscipline for DropTail {
    fn enqueue(&mut self, mut queued: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause> {
        let (packets, bytes) = (self.packets.len() + cx.others.0, self.packets.bytes() + cx.others.1);
        if !queued.at_once && !self.config.admits(packets, bytes, queued.packet.size()) {
            return Err(DropCause::Full);
        }
        if !queued.at_once && self.config.marks(queued.packet.ecn, packets, bytes) {
            cx.mark(&mut queued.packet);
        }
        self.push(queued);
        Ok(())
    }

    fn dequeue(&mut self, _: &mut QueueCx<'_>) -> Option<Queued> {
        self.packets.pop()
    }

    holds!(packets);

    fn limit(&self) -> Limit {
        self.config.limit
    }

    fn marks(&self) -> bool {
        self.config.ecn_threshold != Limit::None
    }
}
