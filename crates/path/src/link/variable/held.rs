//! A queue discipline in front of a variable link: it chooses a packet each time that a transmission can begin.

use engine::{Order, Time};
use wire::Packet;

use super::transmitter::Transmitter;
use crate::context::LinkCx;
use crate::link::BegunPackets;
use crate::queue::backlog::Offer;
use crate::queue::{Backlog, RouterBuffer, Tie};

/// The waiting packets.
pub(super) struct Held {
    pub backlog: Backlog,
    tie: Tie,
    /// Time since which packets have waited without interruption.
    since: Time,
    /// Time at which the next transmission can begin, and its order among simultaneous events; `None` if no packet
    /// waits.
    begins: Option<(Time, Order)>,
    begun: BegunPackets,
}

impl Held {
    pub fn new(backlog: Backlog, tie: Tie) -> Self {
        let backlog = backlog.with_tie(tie);
        Held { backlog, tie, since: Time::ZERO, begins: None, begun: BegunPackets::default() }
    }

    /// Queues a packet, whose transmission begins at once if the line is free. Returns whether the packet was accepted.
    pub fn accept(
        &mut self,
        packet: &Packet,
        expedited: bool,
        line: &mut Transmitter,
        buffer: &mut RouterBuffer,
        cx: &mut LinkCx<'_>,
    ) -> bool {
        // A recorded opportunity keeps its place among the events of its time.
        let begins_first = self.tie == Tie::DepartureFirst && !line.timing.sends_at_opportunities();
        if begins_first && !self.backlog.is_empty() {
            self.begin(line, buffer, cx);
        }
        let is_first = self.backlog.is_empty();
        if is_first {
            self.since = cx.now;
        }
        // An idle line sends the packet at once, so that no limit applies.
        let is_free = line.in_flight() == 0 || self.tie.has_departed(line.timing.free_at(), cx.now);
        let at_once = is_first && is_free && line.timing.can_begin_at(self.since) <= cx.now;
        let offer = Offer { expedited, at_once, others: self.begun.waiting_at(cx.now, self.tie), ..Offer::default() };
        let accepted = self.backlog.offer(packet, offer, line.hop, &mut line.counters, cx);
        if !accepted {
            buffer.release(packet.size());
        }
        if is_first {
            self.begin(line, buffer, cx);
        } else {
            buffer.release(self.backlog.take_dropped().bytes);
        }
        self.rearm(line, cx);
        accepted
    }

    /// Begins the transmissions that can begin, and determines when the next can.
    pub fn begin(&mut self, line: &mut Transmitter, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) {
        self.begins = loop {
            let at = line.timing.can_begin_at(self.since);
            if !self.backlog.next_request(Some(at), cx.now) {
                break None;
            }
            if at > cx.now {
                let known = self.begins.filter(|(begins, _)| *begins == at);
                break Some(known.unwrap_or_else(|| (at, cx.schedule.order())));
            }
            let (timing, since) = (&mut line.timing, self.since);
            let popped = self.backlog.pop_reporting(line.hop, &mut line.counters, cx, |queued| {
                let transmission = timing.plan(since, queued.packet.size());
                ((queued.packet, queued.at_once, transmission), Some(transmission.leaves))
            });
            if let Some((packet, at_once, transmission)) = popped {
                if !at_once {
                    self.begun.add(packet.size(), cx.now);
                }
                buffer.leaves_at(transmission.leaves, packet.size());
                line.transmit(packet, transmission, cx);
            }
        };
        buffer.release(self.backlog.take_dropped().bytes);
    }

    /// Sets the wake-up to the next arrival, or to the next start of a transmission if that is earlier.
    pub fn rearm(&self, line: &Transmitter, cx: &mut LinkCx<'_>) {
        let next = match (line.next_arrival(), self.begins) {
            (Some(first), Some(begins)) if begins.0 < first.0 => Some(begins),
            (first, begins) => first.or(begins),
        };
        line.wake_at(next, cx.schedule);
    }
}
