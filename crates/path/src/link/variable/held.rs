//! A queue discipline in front of a variable link: it chooses a packet each time that a transmission can begin.

use std::cmp::Reverse;

use engine::{Order, Time};
use wire::Packet;

use super::{VariableLink, Waiting};
use crate::context::LinkCx;
use crate::queue::backlog::Offer;
use crate::queue::{Backlog, Buffer};

/// The waiting packets.
pub(super) struct Held {
    pub backlog: Backlog,
    /// Since when packets have waited without interruption.
    since: Time,
    /// When the next transmission can begin, and the order of that among simultaneous events; `None` if nothing waits.
    begins: Option<(Time, Order)>,
}

impl Held {
    pub fn new(backlog: Backlog) -> Self {
        Held { backlog, since: Time::ZERO, begins: None }
    }
}

impl VariableLink {
    /// Queues a packet; its transmission begins at once if the line can begin. Returns whether it was accepted.
    pub(super) fn hold(&mut self, packet: &Packet, expedited: bool, buffer: &mut Buffer, cx: &mut LinkCx<'_>) -> bool {
        let Waiting::Held(held) = &mut self.waiting else { return false };
        let idle = held.backlog.is_empty();
        if idle {
            held.since = cx.now;
        }
        let at_once = idle && self.can_begin_at() <= cx.now;
        let Waiting::Held(held) = &mut self.waiting else { return false };
        let offer = Offer { expedited, at_once, ..Offer::default() };
        let accepted = held.backlog.offer(packet, offer, self.hop, &mut self.counters, cx);
        if !accepted {
            buffer.left(packet.size());
        }
        self.begin_held(buffer, cx);
        self.rearm_held(cx);
        accepted
    }

    /// When the line can begin the next transmission. The start does not depend on the size of the packet.
    fn can_begin_at(&mut self) -> Time {
        let Waiting::Held(held) = &self.waiting else { return Time::NEVER };
        let mut server = self.server;
        self.service.serve(&mut server, &mut self.line, &self.outages, held.since, 1).0
    }

    /// Begins the transmissions that can begin, and determines when the next can.
    pub(super) fn begin_held(&mut self, buffer: &mut Buffer, cx: &mut LinkCx<'_>) {
        loop {
            let at = self.can_begin_at();
            let Waiting::Held(held) = &mut self.waiting else { return };
            if held.backlog.is_empty() {
                held.begins = None;
                break;
            }
            if at > cx.now {
                if held.begins.is_none_or(|(begins, _)| begins != at) {
                    held.begins = Some((at, cx.schedule.order()));
                }
                break;
            }
            let ready = self.server.free_at.max(held.since);
            let (service, server, line, outages) = (&self.service, &mut self.server, &mut self.line, &self.outages);
            let since = held.since;
            let popped = held.backlog.pop_reporting(self.hop, &mut self.counters, cx, |queued| {
                let times = service.serve(server, line, outages, since, queued.packet.size());
                ((queued.packet, times), Some(times.1))
            });
            if let Some((packet, times)) = popped {
                self.transmit(packet, ready, times, cx);
                buffer.leaves_at(times.1, packet.size());
            }
        }
        let Waiting::Held(held) = &mut self.waiting else { return };
        buffer.left(held.backlog.take_dropped().bytes);
    }

    /// Sets the wake-up to the next arrival, or to the next start of a transmission if that is earlier.
    pub(super) fn rearm_held(&mut self, cx: &mut LinkCx<'_>) {
        let Waiting::Held(Held { begins, .. }) = self.waiting else { return };
        let flight = |Reverse((at, _, place)): &Reverse<(Time, u64, u32)>| (*at, self.packets[*place as usize].order);
        let first = self.flights.peek().map(flight);
        let next = match (first, begins) {
            (Some(first), Some(begins)) if begins.0 < first.0 => Some(begins),
            (first, begins) => first.or(begins),
        };
        match next {
            Some((at, order)) => cx.schedule.arm_as(self.slot, at, order),
            None => cx.schedule.disarm(self.slot),
        }
    }
}
