//! One direction of a link without a link layer: transmission, propagation, possibly loss.
//!
//! On a fixed-rate first-in first-out line a packet's departure and arrival are known when it is queued, so the end of
//! a transmission needs no event: a packet costs one wake-up, at its arrival.

use std::collections::VecDeque;

use engine::{Order, Slot, Time};
use wire::{CompactPacket, Ecn, Options, Packet};

use super::{HopCounters, TransmissionLine, report_delivery};
use crate::channel::{ChannelFrame, FrameFate};
use crate::context::{Cx, Observer};
use crate::event::LinkEvent;
use crate::hop_state::HopState;
use crate::ids::HopId;
use crate::queue::{Tie, drop_tail};

/// A packet that waits, is being sent, or is propagating.
struct FifoPacket {
    starts: Time,
    arrives: Time,
    order: Order,
    fate: FrameFate,
    packet: CompactPacket,
    /// Size of the packet's options, which are stored in a separate queue.
    options: u8,
}

impl FifoPacket {
    #[inline]
    fn size(&self) -> u64 {
        u64::from(self.packet.size() + u32::from(self.options))
    }
}

/// A packet that arrives at the far end of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FifoArrival {
    /// No packet arrives: it was lost.
    Nothing,
    /// A packet without options, written to the buffer for compact packets.
    Compact,
    /// A packet written to the buffer for packets that may have options.
    Whole,
}

/// A one-way line with a drop-tail queue.
pub struct FifoLink {
    hop: HopId,
    line: TransmissionLine,
    queue: drop_tail::Config,
    tie: Tie,
    /// True if the channel can lose packets.
    lossy: bool,
    slot: Slot,
    free_at: Time,
    passing: VecDeque<FifoPacket>,
    /// The options of the packets in `passing` that have any.
    options: VecDeque<Options>,
    /// Number of packets in `passing` whose transmission had begun at the last update.
    started: usize,
    waiting_bytes: u64,
    counters: HopCounters,
}

impl FifoLink {
    /// Creates a link that wakes at `slot`. `lossy` is true if the link's channel can lose packets.
    pub fn new(
        hop: HopId,
        line: TransmissionLine,
        (queue, tie): (impl Into<drop_tail::Config>, Tie),
        lossy: bool,
        slot: Slot,
    ) -> Self {
        FifoLink {
            hop,
            line,
            queue: queue.into(),
            tie,
            lossy,
            slot,
            free_at: Time::ZERO,
            passing: VecDeque::new(),
            options: VecDeque::new(),
            started: 0,
            waiting_bytes: 0,
            counters: HopCounters::default(),
        }
    }

    /// Returns the counters at `now`: waiting packets do not count as sent, and a packet in transmission counts with
    /// its elapsed part.
    pub fn counters(&self, now: Time) -> HopCounters {
        let mut counters = self.counters;
        for waiting in self.passing.iter().rev().take_while(|waiting| waiting.starts > now) {
            counters.frames_sent -= 1;
            counters.backlog.remove_wait(waiting.starts.since(now));
        }
        counters.backlog.end(now);
        // The line is busy until `free_at` while a packet waits.
        counters.busy = counters.busy - self.free_at.since(now);
        counters
    }

    /// Returns the packets in the link at `now`.
    pub fn state(&self, now: Time) -> HopState {
        let waiting = self.passing.iter().rev().take_while(|in_transit| in_transit.starts > now);
        let (count, bytes) = waiting.fold((0, 0), |(count, bytes), in_transit| (count + 1, bytes + in_transit.size()));
        let outstanding = self.passing.len() - count;
        HopState { waiting: count, waiting_bytes: bytes, outstanding, link_layer: None }
    }

    /// Queues a packet. Returns the time of its departure from the node, or `None` if the queue was full.
    #[inline(never)]
    pub fn on_packet<O: Observer>(&mut self, packet: &Packet, cx: &mut Cx<'_, O>) -> Option<Time> {
        let options = packet.options().map(|options| (options, options.size())).filter(|(_, size)| *size > 0);
        self.enqueue(&CompactPacket::of(packet), options, cx)
    }

    /// Queues a packet without options as [`on_packet`](Self::on_packet) queues one.
    #[inline]
    pub fn on_compact<O: Observer>(&mut self, packet: &CompactPacket, cx: &mut Cx<'_, O>) -> Option<Time> {
        self.enqueue(packet, None, cx)
    }

    /// Queues a packet with `options`, which are given with their size.
    #[inline(always)]
    fn enqueue<O: Observer>(
        &mut self,
        packet: &CompactPacket,
        options: Option<(&Options, u32)>,
        cx: &mut Cx<'_, O>,
    ) -> Option<Time> {
        let options_size = options.map_or(0, |(_, size)| size);
        let size = packet.size() + options_size;
        let whole = |packet: &CompactPacket| packet.with_options(options.map(|(options, _)| options));
        if !self.admits(cx.now, size) {
            self.counters.packets_dropped += 1;
            self.counters.queue_full += 1;
            let arrived = cx.now;
            cx.emit_timing(self.hop, || LinkEvent::QueueFull { packet: whole(packet), arrived });
            return None;
        }
        let mut packet = *packet;
        if self.marks(packet.ecn(), size) {
            packet = packet.with_ecn(Ecn::Ce);
            self.counters.marked += 1;
            cx.emit(self.hop, || LinkEvent::Marked { packet: whole(&packet) });
        }
        let starts = self.free_at.max(cx.now);
        let duration = self.line.transmit(size, starts);
        let leaves = starts + duration;
        let arrives = leaves + self.line.delay;
        let fate = if self.lossy {
            let frame = ChannelFrame {
                now: cx.now,
                start: starts,
                duration,
                size,
                direction: self.hop.direction,
                number: Some(self.counters.frames_sent),
            };
            cx.channels[self.hop.link].fate(&frame)
        } else {
            FrameFate::Arrives
        };
        self.free_at = leaves;
        self.counters.frames_sent += 1;
        self.counters.busy = self.counters.busy + duration;
        self.counters.backlog.add_wait(starts.since(cx.now));
        let order = cx.schedule.order();
        if self.passing.is_empty() {
            cx.schedule.arm_as(self.slot, arrives, order);
        }
        if let Some((options, _)) = options {
            self.options.push_back(*options);
        }
        let arrived = cx.now;
        cx.emit_departure(self.hop, starts.since(arrived), || LinkEvent::Dequeued {
            packet: whole(&packet),
            arrived,
            starts,
            leaves: Some(leaves),
        });
        self.passing.push_back(FifoPacket { starts, arrives, order, fate, packet, options: options_size as u8 });
        Some(leaves)
    }

    /// Handles the arrival of the first packet at the far end. Packets with options, and packets whose arrival the
    /// observer watches, are written to `whole`; others are written to `compact`.
    #[inline]
    pub fn on_wake<O: Observer>(
        &mut self,
        cx: &mut Cx<'_, O>,
        compact: &mut CompactPacket,
        whole: &mut Packet,
    ) -> FifoArrival {
        let Some(in_transit) = self.passing.front() else { return FifoArrival::Nothing };
        let (damaged, has_options) = (in_transit.fate == FrameFate::Corrupted, in_transit.options > 0);
        *compact = in_transit.packet;
        if self.started > 0 {
            self.started -= 1;
        } else {
            self.waiting_bytes -= in_transit.size();
        }
        self.passing.pop_front();
        match self.passing.front() {
            Some(next) => cx.schedule.rearm(self.slot, next.arrives, next.order),
            None => cx.schedule.disarm(self.slot),
        }
        // The arrival is not reported for timing, because it follows from the departure.
        if !has_options && !damaged && !cx.observer.watches() {
            self.counters.packets_delivered += 1;
            return FifoArrival::Compact;
        }
        compact.write_to(whole);
        if has_options && let Some(options) = self.options.pop_front() {
            whole.put_options(options);
        }
        if report_delivery(damaged, whole, self.hop, &mut self.counters, cx) {
            FifoArrival::Whole
        } else {
            FifoArrival::Nothing
        }
    }

    /// Returns true if a packet that was just admitted is to be marked.
    #[inline(always)]
    fn marks(&self, ecn: Ecn, size: u32) -> bool {
        ecn.is_capable() && self.marks_capable(ecn, size)
    }

    fn marks_capable(&self, ecn: Ecn, size: u32) -> bool {
        // A packet that is sent immediately has no waiting packets before it.
        let ahead = self.passing.len().checked_sub(self.started);
        ahead.is_some_and(|packets| self.queue.marks(ecn, packets, self.waiting_bytes - u64::from(size)))
    }

    /// Returns true if a packet may be queued, and counts the backlog.
    #[inline(always)]
    fn admits(&mut self, now: Time, size: u32) -> bool {
        let tie = self.tie;
        // An idle line sends the packet immediately, so no limit applies.
        if tie.has_departed(self.free_at, now) || self.passing.is_empty() {
            self.started = self.passing.len() + 1;
            self.waiting_bytes = 0;
            return true;
        }
        while let Some(in_transit) = self.passing.get(self.started).filter(|next| tie.has_departed(next.starts, now)) {
            self.waiting_bytes -= in_transit.size();
            self.started += 1;
        }
        let waiting = self.passing.len() - self.started;
        let fits = self.queue.admits(waiting, self.waiting_bytes, size);
        if fits {
            self.waiting_bytes += u64::from(size);
            self.counters.backlog.record(waiting as u64 + 1);
        }
        fits
    }
}
