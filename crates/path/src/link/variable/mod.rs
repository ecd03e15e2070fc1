//! One direction of a link that varies with time: extra delays, delay spikes, outages, a varying rate, transmission at
//! recorded opportunities.
//!
//! The effects in the order in which they apply to a packet:
//! 1. *Service* ([`service`]): start and end of the transmission. First in, first out; nothing is sent in an outage in
//!    which packets wait.
//! 2. *Delay*: the delay in the table's row at the packet's departure, or else the delay of the link, plus jitter drawn
//!    for the packet's start.
//! 3. *Spikes*: an arrival within a spike is delayed by the extra delay of the spike.
//! 4. *Outages*: an arrival within an outage is moved to its end, or lost, according to the outage. A packet in
//!    transmission during an outage with loss is lost.
//! 5. *Order*: without reordering, no packet arrives before one that was sent earlier; simultaneous arrivals keep the
//!    order of transmission.
//!
//! With a drop-tail queue all effects are computed when a packet is queued, because no later packet can change them. So
//! a packet costs one wake-up, at its arrival, as on a FIFO link. Any other discipline chooses the packet when its
//! transmission can begin (`held`), which costs a second wake-up for a packet that waits. The next arrival is the top of
//! a heap.

mod booked;
mod held;
pub mod plan;
pub mod recorded;
pub mod service;
mod transmitter;

use engine::{Slot, Stream, Time};
use wire::Packet;

use super::{HopCounters, Link, TransmissionLine};
use crate::context::LinkCx;
use crate::hop_state::HopState;
use crate::ids::HopId;
use crate::outcome::Outcomes;
use crate::queue::{Backlog, RouterBuffer, Tie, drop_tail};
use booked::Booked;
use held::Held;
use plan::Changes;
use transmitter::Transmitter;

/// The queue in front of the service.
enum Waiting {
    Booked(Booked),
    Held(Held),
}

/// A variable link in one direction.
pub struct VariableLink {
    transmitter: Transmitter,
    waiting: Waiting,
    tie: Tie,
}

impl VariableLink {
    /// Creates a link that varies according to `changes`, with random numbers from `stream`, and wakes at `slot`.
    /// `lossy` is true if the link's channel can lose packets.
    pub fn new(
        hop: HopId,
        line: TransmissionLine,
        changes: &Changes,
        stream: Stream,
        (queue, tie): (impl Into<drop_tail::Config>, Tie),
        lossy: bool,
        slot: Slot,
    ) -> Self {
        VariableLink {
            transmitter: Transmitter::new(hop, line, changes, stream, lossy, slot),
            waiting: Waiting::Booked(Booked::new(queue.into(), tie)),
            tie,
        }
    }

    /// Uses `backlog` instead of the drop-tail queue.
    pub fn with_backlog(self, backlog: Backlog) -> Self {
        VariableLink { waiting: Waiting::Held(Held::new(backlog, self.tie)), ..self }
    }
}

impl Link for VariableLink {
    fn accept(&mut self, packet: &Packet, expedited: bool, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) -> bool {
        match &mut self.waiting {
            Waiting::Booked(booked) => {
                let leaves = booked.accept(packet, &mut self.transmitter, cx);
                buffer.release_at(leaves, packet.size());
                leaves.is_some()
            }
            Waiting::Held(held) => held.accept(packet, expedited, &mut self.transmitter, buffer, cx),
        }
    }

    fn wake(&mut self, buffer: &mut RouterBuffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let transmitter = &mut self.transmitter;
        let arrives = transmitter.next_arrival().is_some_and(|(at, _)| at <= cx.now);
        if arrives {
            outcomes.deliver_with(transmitter.hop, |packet| transmitter.arrive(cx, packet));
        }
        if let Waiting::Held(held) = &mut self.waiting {
            if !arrives {
                held.begin(transmitter, buffer, cx);
            }
            held.rearm(transmitter, cx);
        }
    }

    /// Returns the counters at `now`. The line counts as busy while it has a packet to send, even in an outage.
    fn counters(&self, now: Time) -> HopCounters {
        let mut counters = self.transmitter.counters;
        if let Waiting::Booked(booked) = &self.waiting {
            counters.frames_sent -= booked.waiting(now).0 as u64;
            booked.starts_after(now).for_each(|starts| counters.backlog.remove_wait(starts.since(now)));
        }
        counters.backlog.end(now);
        counters.busy = counters.busy - self.transmitter.timing.free_at().since(now);
        counters
    }

    fn state(&self, now: Time) -> HopState {
        let (waiting, waiting_bytes, booked) = match &self.waiting {
            Waiting::Held(held) => (held.backlog.len(), held.backlog.bytes(), 0),
            Waiting::Booked(booked) => {
                let (count, bytes) = booked.waiting(now);
                (count, bytes, count)
            }
        };
        let outstanding = self.transmitter.in_flight() - booked;
        HopState { waiting, waiting_bytes, outstanding, link_layer: None }
    }
}
