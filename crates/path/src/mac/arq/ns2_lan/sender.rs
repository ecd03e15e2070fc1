//! One direction of a link on ns-2's LAN: each packet is sent once, with a header, and the link's delay applies at both
//! ends. Rules and settings are in [`crate::mac::arq::ns2_lan`].

use engine::{Order, Slot, Span, Time};
use wire::Packet;

use super::Lan;
use crate::channel::{ChannelFrame, FrameFate};
use crate::context::LinkCx;
use crate::hop_state::HopState;
use crate::ids::HopId;
use crate::link::due::{Due, DueQueue, peek_due};
use crate::link::{HopCounters, Link, LinkParts, TransmissionLine, report_delivery};
use crate::outcome::Outcomes;
use crate::queue::backlog::Offer;
use crate::queue::{Backlog, RouterBuffer};

/// The event of the next wake-up.
#[derive(Clone, Copy)]
enum LanEvent {
    /// A packet joins the queue.
    Queue,
    /// The line is free for a waiting packet.
    LineFree,
    /// A packet arrives at the far end.
    Arrival,
}

/// A sender of frames without acknowledgments.
pub(super) struct LanSender {
    hop: HopId,
    line: TransmissionLine,
    lan: Lan,
    /// Part of the far end's delay before the packet is delivered.
    far_delay: Span,
    slot: Slot,
    /// Packets between the node and the queue, and whether each is expedited.
    entering: DueQueue<(Packet, bool)>,
    backlog: Backlog,
    /// Time at which the line becomes free, and its order among simultaneous events.
    free: (Time, Order),
    flying: DueQueue<(Packet, FrameFate)>,
    counters: HopCounters,
}

impl LanSender {
    /// Creates a sender without packets. An agent at the far end is part of the link layer of that end: it receives
    /// packets before the delay of that end, which applies afterwards [ns-2 tcp/snoop.cc, `Snoop::handle`].
    pub fn new(LinkParts { hop, line, queue, slot, agent_at_far_end, .. }: LinkParts, lan: Lan) -> Self {
        LanSender {
            hop,
            far_delay: if agent_at_far_end { Span::ZERO } else { line.delay },
            line,
            lan,
            slot,
            entering: DueQueue::new(),
            backlog: queue,
            free: (Time::ZERO, Order::default()),
            flying: DueQueue::new(),
            counters: HopCounters::default(),
        }
    }

    /// Returns the next event. Among simultaneous events arrivals are first, and the line is free before a packet joins
    /// the queue.
    fn next(&mut self, now: Time) -> Option<(Time, Order, LanEvent)> {
        let queue = peek_due(&self.entering).map(|(at, order)| (at, order, LanEvent::Queue));
        let waits = self.backlog.next_request(Some(self.free.0), now);
        let free = waits.then_some((self.free.0, self.free.1, LanEvent::LineFree));
        let arrival = peek_due(&self.flying).map(|(at, order)| (at, order, LanEvent::Arrival));
        [arrival, free, queue].into_iter().flatten().min_by_key(|(at, ..)| *at)
    }

    fn rearm(&mut self, cx: &mut LinkCx<'_>) {
        match self.next(cx.now) {
            Some((at, order, _)) => cx.schedule.arm_as(self.slot, at.max(cx.now), order),
            None => cx.schedule.disarm(self.slot),
        }
    }

    fn queue(&mut self, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) {
        let Some(Due { what: (packet, expedited), .. }) = self.entering.pop_front() else { return };
        // No limit applies to a packet that can be sent at once.
        let at_once = self.backlog.is_empty() && self.free.0 <= cx.now;
        let offer = Offer { at_once, expedited, ..Offer::default() };
        if !self.backlog.offer(&packet, offer, self.hop, &mut self.counters, cx) {
            buffer.release(packet.size());
            return;
        }
        if at_once {
            self.send_next(buffer, cx);
        }
    }

    /// Sends the next packet. The line is busy for header and packet [ns-2 Mac::txtime]. The far end has the frame one
    /// propagation delay after the *start* of its transmission [ns-2 Mac::sendDown, Channel::sendUp], and delivers it
    /// after its own delay [ns-2 LL::sendUp].
    fn send_next(&mut self, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) {
        let popped = self.backlog.pop(self.hop, &mut self.counters, cx, |queued| queued.packet);
        let Some(packet) = popped else { return };
        let (hop, now, size) = (self.hop, cx.now, packet.size() + self.lan.header);
        let duration = self.line.transmit(size, now);
        let number = Some(self.counters.frames_sent);
        let fate = cx.channels[hop.link].fate(&ChannelFrame {
            now,
            start: now,
            duration,
            size,
            direction: hop.direction,
            number,
        });
        self.counters.frames_sent += 1;
        self.counters.busy = self.counters.busy + duration;
        self.free = (now + duration, cx.schedule.order());
        buffer.leaves_at(self.free.0, packet.size());
        let at = now + self.lan.propagation + self.far_delay;
        self.flying.push_back(Due { at, order: cx.schedule.order(), what: (packet, fate) });
    }

    fn arrive(&mut self, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let Some(Due { what: (packet, fate), .. }) = self.flying.pop_front() else { return };
        if report_delivery(fate == FrameFate::Corrupted, &packet, self.hop, &mut self.counters, cx) {
            outcomes.deliver(self.hop, &packet);
        }
    }
}

impl Link for LanSender {
    /// Accepts a packet, which joins the queue or is dropped there after the delay of this end [ns-2 LL::sendDown].
    fn accept(&mut self, packet: &Packet, expedited: bool, _: &mut RouterBuffer, cx: &mut LinkCx<'_>) -> bool {
        let (at, order) = (cx.now + self.line.delay, cx.schedule.order());
        self.entering.push_back(Due { at, order, what: (*packet, expedited) });
        self.rearm(cx);
        true
    }

    fn wake(&mut self, buffer: &mut RouterBuffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        match self.next(cx.now).filter(|(at, ..)| *at <= cx.now) {
            Some((.., LanEvent::Queue)) => self.queue(buffer, cx),
            Some((.., LanEvent::LineFree)) => self.send_next(buffer, cx),
            Some((.., LanEvent::Arrival)) => self.arrive(outcomes, cx),
            None => {}
        }
        self.rearm(cx);
        buffer.release(self.backlog.take_dropped().bytes);
    }

    fn counters(&self, now: Time) -> HopCounters {
        let mut counters = self.counters;
        counters.busy = counters.busy - self.free.0.since(now);
        counters.backlog.end(now);
        counters
    }

    /// Returns the packets at this end. A packet that has not joined the queue counts as in transit.
    fn state(&self, _: Time) -> HopState {
        let (waiting, waiting_bytes) = (self.backlog.len(), self.backlog.bytes());
        HopState { waiting, waiting_bytes, outstanding: self.entering.len() + self.flying.len(), link_layer: None }
    }
}
