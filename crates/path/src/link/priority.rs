//! A link without a link layer whose node sends expedited packets: each packet is sent once, and an expedited one
//! before all waiting packets.
//!
//! Without expedited packets the results equal the results of a [FIFO link](crate::link::fifo), which cannot expedite
//! packets because it fixes each departure when the packet is queued. Here a packet that has waited costs a second
//! wake-up, at the start of its transmission. (If transmission and propagation both take no time, events of that
//! nanosecond may have another order.)

use std::collections::VecDeque;

use engine::{Order, Slot, Time};
use wire::{CompactPacket, Options, Packet};

use super::due::{Due, DueQueue, peek_due};
use super::{BegunPackets, HopCounters, Link, TransmissionLine, report_delivery};
use crate::channel::{ChannelFrame, FrameFate};
use crate::context::LinkCx;
use crate::hop_state::HopState;
use crate::ids::HopId;
use crate::outcome::Outcomes;
use crate::queue::backlog::Offer;
use crate::queue::{Backlog, RouterBuffer, Tie};

/// A packet in transit.
struct FlyingPacket {
    fate: FrameFate,
    packet: CompactPacket,
    /// True if the packet has options, which are stored in a separate queue.
    options: bool,
}

/// One direction of a link, with a queue whose order can change.
pub struct PriorityLink {
    hop: HopId,
    line: TransmissionLine,
    tie: Tie,
    /// True if the channel can lose packets.
    lossy: bool,
    slot: Slot,
    backlog: Backlog,
    flying: DueQueue<FlyingPacket>,
    /// The options of the packets in flight that have any.
    options: VecDeque<Options>,
    /// Time at which the line becomes free, and its order among simultaneous events.
    free: (Time, Order),
    /// The last that began. If arrivals come first, packets that begin now still count as waiting.
    begun: BegunPackets,
    counters: HopCounters,
    /// The time and order for which the slot is armed.
    armed: Option<(Time, Order)>,
}

impl PriorityLink {
    /// Creates a transmitter that wakes at `slot`. `lossy` is true if the link's channel can lose packets.
    pub fn new(
        hop: HopId,
        line: TransmissionLine,
        (queue, tie): (impl Into<Backlog>, Tie),
        lossy: bool,
        slot: Slot,
    ) -> Self {
        PriorityLink {
            hop,
            line,
            tie,
            lossy,
            slot,
            backlog: queue.into().with_tie(tie),
            flying: DueQueue::new(),
            options: VecDeque::new(),
            free: (Time::ZERO, Order::default()),
            begun: BegunPackets::default(),
            counters: HopCounters::default(),
            armed: None,
        }
    }

    fn arrive(&mut self, in_transit: &FlyingPacket, cx: &mut LinkCx<'_>, packet: &mut Packet) -> bool {
        in_transit.packet.write_to(packet);
        if in_transit.options
            && let Some(options) = self.options.pop_front()
        {
            packet.put_options(options);
        }
        report_delivery(in_transit.fate == FrameFate::Corrupted, packet, self.hop, &mut self.counters, cx)
    }

    fn pop(&mut self, cx: &mut LinkCx<'_>) -> Option<(Packet, Order)> {
        self.backlog.pop(self.hop, &mut self.counters, cx, |queued| (queued.packet, queued.order))
    }

    fn send_waiting(&mut self, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) {
        while self.free.0 <= cx.now
            && let Some((packet, order)) = self.pop(cx)
        {
            self.send(&packet, order, true, buffer, cx);
        }
        buffer.release(self.backlog.take_dropped().bytes);
    }

    /// Begins the transmission of a packet. `order` is the order of the packet's arrival at this link, which its
    /// arrival at the far end also has.
    fn send(&mut self, packet: &Packet, order: Order, waited: bool, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) {
        let (size, now) = (packet.size(), cx.now);
        let duration = self.line.transmit(size, now);
        let fate = if self.lossy {
            let number = Some(self.counters.frames_sent);
            let frame = ChannelFrame { now, start: now, duration, size, direction: self.hop.direction, number };
            cx.channels[self.hop.link].fate(&frame)
        } else {
            FrameFate::Arrives
        };
        if waited {
            self.begun.add(size, now);
        }
        let leaves = now + duration;
        self.counters.frames_sent += 1;
        self.counters.busy = self.counters.busy + duration;
        self.free = (leaves, cx.schedule.order());
        buffer.leaves_at(leaves, size);
        let options = packet.options().filter(|options| options.size() > 0);
        self.options.extend(options);
        let in_transit = FlyingPacket { fate, packet: CompactPacket::of(packet), options: options.is_some() };
        self.flying.push_back(Due { at: leaves + self.line.delay, order, what: in_transit });
    }

    /// Sets the wake-up to the next arrival, or to the time at which the line is free for a waiting packet. The wake-up
    /// remains the same for most packets.
    #[inline]
    fn rearm(&mut self, cx: &mut LinkCx<'_>) {
        let free = self.backlog.next_request(Some(self.free.0), cx.now).then_some(self.free);
        let next = match (peek_due(&self.flying), free) {
            (Some(arrives), Some(free)) if free.0 < arrives.0 => Some(free),
            (arrives, free) => arrives.or(free),
        };
        if next == self.armed {
            return;
        }
        self.armed = next;
        match next {
            Some((at, order)) => cx.schedule.arm_as(self.slot, at, order),
            None => cx.schedule.disarm(self.slot),
        }
    }
}

impl Link for PriorityLink {
    fn accept(&mut self, packet: &Packet, expedited: bool, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) -> bool {
        if self.tie == Tie::DepartureFirst {
            self.send_waiting(buffer, cx);
        }
        let is_free = self.tie.has_departed(self.free.0, cx.now) || self.flying.is_empty();
        // An idle line sends the packet at once, so that no limit applies.
        let waits = !(self.backlog.is_empty() && is_free);
        let others = self.begun.waiting_at(cx.now, self.tie);
        let sends = self.backlog.is_empty() && self.free.0 <= cx.now;
        let order = cx.schedule.order();
        if sends && !waits && self.backlog.can_be_bypassed() {
            Backlog::report_bypass(packet, self.hop, cx);
            self.send(packet, order, false, buffer, cx);
            self.rearm(cx);
            return true;
        }
        let offer = Offer { order, expedited, at_once: !waits, others };
        let accepted = self.backlog.offer(packet, offer, self.hop, &mut self.counters, cx);
        if !accepted {
            buffer.release(packet.size());
        } else if sends && let Some((packet, order)) = self.pop(cx) {
            self.send(&packet, order, waits, buffer, cx);
        }
        buffer.release(self.backlog.take_dropped().bytes);
        self.rearm(cx);
        accepted
    }

    /// Handles the arrival of a packet at the far end, or the beginning of the next transmission.
    fn wake(&mut self, buffer: &mut RouterBuffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let arriving =
            if peek_due(&self.flying).is_some_and(|(at, _)| at <= cx.now) { self.flying.pop_front() } else { None };
        match arriving {
            Some(Due { what: in_transit, .. }) => {
                outcomes.deliver_with(self.hop, |packet| self.arrive(&in_transit, cx, packet));
            }
            None => self.send_waiting(buffer, cx),
        }
        self.rearm(cx);
    }

    /// Returns the counters at `now`, with the elapsed part of a packet in transmission.
    fn counters(&self, now: Time) -> HopCounters {
        let mut counters = self.counters;
        counters.busy = counters.busy - self.free.0.since(now);
        counters.backlog.end(now);
        // A transmission that begins at this time counts as begun.
        let (mut line, mut starts) = (self.line.clone(), self.free.0);
        for packet in self.backlog.packets() {
            if starts > now {
                break;
            }
            counters.frames_sent += 1;
            starts += line.transmit(packet.size(), starts);
        }
        counters
    }

    fn state(&self, _: Time) -> HopState {
        let (waiting, waiting_bytes) = (self.backlog.len(), self.backlog.bytes());
        HopState { waiting, waiting_bytes, outstanding: self.flying.len(), link_layer: None }
    }
}
