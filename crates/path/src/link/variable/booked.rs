//! A drop-tail queue of packets whose transmission times are computed on arrival.

use std::collections::VecDeque;

use engine::Time;
use wire::{Ecn, Packet};

use super::transmitter::{PlannedTransmission, Transmitter};
use crate::context::LinkCx;
use crate::event::LinkEvent;
use crate::queue::{Tie, drop_tail};

/// The queue.
pub(super) struct Booked {
    queue: drop_tail::Config,
    tie: Tie,
    /// Starts and sizes of the packets whose transmission had not begun at the last update.
    waiting: VecDeque<(Time, u32)>,
    bytes: u64,
}

impl Booked {
    pub fn new(queue: drop_tail::Config, tie: Tie) -> Self {
        Booked { queue, tie, waiting: VecDeque::new(), bytes: 0 }
    }

    /// Queues a packet and determines its fate. Returns the time of its departure from the node, or `None` if the queue
    /// was full.
    pub fn accept(&mut self, packet: &Packet, line: &mut Transmitter, cx: &mut LinkCx<'_>) -> Option<Time> {
        let size = packet.size();
        let transmission = line.timing.plan(cx.now, size);
        let PlannedTransmission { starts, leaves, .. } = transmission;
        self.remove_started(cx.now);
        let is_free = line.in_flight() == 0 || self.tie.has_departed(line.timing.free_at(), cx.now);
        let at_once = starts == cx.now && is_free;
        if !at_once && !self.queue.admits(self.waiting.len(), self.bytes, size) {
            line.counters.packets_dropped += 1;
            line.counters.queue_full += 1;
            let arrived = cx.now;
            cx.emit_timing(line.hop, || LinkEvent::QueueFull { packet: *packet, arrived });
            return None;
        }
        let mut ecn = packet.ecn;
        if self.queue.marks(ecn, self.waiting.len(), self.bytes) {
            ecn = Ecn::Ce;
            line.counters.marked += 1;
            cx.emit(line.hop, || LinkEvent::Marked { packet: Packet { ecn, ..*packet } });
        }
        if !at_once {
            self.waiting.push_back((starts, size));
            self.bytes += u64::from(size);
            line.counters.backlog.record(self.waiting.len() as u64);
        }
        line.counters.backlog.add_wait(starts.since(cx.now));
        let (packet, arrived) = (Packet { ecn, ..*packet }, cx.now);
        cx.emit_timing(line.hop, || LinkEvent::Dequeued { packet, arrived, starts, leaves: Some(leaves) });
        line.transmit(packet, transmission, cx);
        Some(leaves)
    }

    /// Returns the starts of the transmissions that have not begun at `now`.
    pub fn starts_after(&self, now: Time) -> impl Iterator<Item = Time> + '_ {
        self.waiting.iter().rev().map(|(starts, _)| *starts).take_while(move |starts| *starts > now)
    }

    /// Returns the number and bytes of the packets whose transmission has not begun at `now`.
    pub fn waiting(&self, now: Time) -> (usize, u64) {
        let not_begun = self.waiting.iter().rev().take_while(|(starts, _)| *starts > now);
        not_begun.fold((0, 0), |(count, bytes), (_, size)| (count + 1, bytes + u64::from(*size)))
    }

    /// Removes packets from the backlog whose transmission has begun.
    fn remove_started(&mut self, now: Time) {
        let tie = self.tie;
        while let Some((_, size)) = self.waiting.front().copied().filter(|(starts, _)| tie.has_departed(*starts, now)) {
            self.waiting.pop_front();
            self.bytes -= u64::from(size);
        }
    }
}
