//! The loop over wake-ups.
//!
//! Generic functions are compiled in the crate that calls them. The loops of runs with all events, with the events of
//! ends, with delays only, and with none of these are compiled here instead, once each, where all event handling is in
//! one codegen unit, optimized as this crate is.

use engine::Time;
use wire::{Addr, CompactPacket, Packet};

use super::World;
use crate::event::{Event, NullSink, Sink};
use crate::ids::NodeId;

/// Where a call stops.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    /// Stop after the wake-ups of this time.
    pub(super) at: Time,
    /// Continue after the end of the last flow.
    pub(super) when_over: bool,
}

/// Buffers for the packet that a link delivers: one for the compact form, one for the whole packet.
pub(super) struct Arriving {
    pub(super) compact: CompactPacket,
    pub(super) whole: Packet,
}

/// The sink of all watched runs: calls a function for each event, or only for those that concern no packet at a node, on
/// a link or in a medium.
pub(super) struct Forward<'a, const PACKETS: bool>(&'a mut dyn FnMut(Time, &Event));

impl<const PACKETS: bool> Sink for Forward<'_, PACKETS> {
    const ACTIVE: bool = true;
    const NEEDS_PACKETS: bool = PACKETS;
    #[inline]
    fn event(&mut self, at: Time, event: &Event) {
        (self.0)(at, event);
    }
}

/// The observation for which an event loop is compiled.
pub(super) trait LoopSink: Sink {
    /// Whether the loop records delays if the world measures them.
    const TIMES: bool;
}

impl<const PACKETS: bool> LoopSink for Forward<'_, PACKETS> {
    const TIMES: bool = true;
}

impl LoopSink for NullSink {
    const TIMES: bool = false;
}

/// Discards every event, in a run that measures delays.
struct DelaysOnlySink;

impl Sink for DelaysOnlySink {
    const ACTIVE: bool = false;
    fn event(&mut self, _: Time, _: &Event) {}
}

impl LoopSink for DelaysOnlySink {
    const TIMES: bool = true;
}

/// Whether runs that observe less have separate loops: not where a module is loaded over the network.
const SEPARATE_LOOPS: bool = !cfg!(target_family = "wasm");

impl World {
    /// Runs to the end.
    pub fn run<S: Sink>(&mut self, sink: &mut S) {
        while self.advance(u64::MAX, sink) {}
    }

    /// Handles at most `wakeups` wake-ups; returns false if the run ended before that.
    pub fn advance<S: Sink>(&mut self, wakeups: u64, sink: &mut S) -> bool {
        self.advance_until(self.agenda.until(), wakeups, sink)
    }

    /// Advances as `advance` does, by wake-ups up to `at`. Returns false when no wake-up is left before `at`. The
    /// current time is then `at`, or the end of the last flow.
    pub fn advance_until<S: Sink>(&mut self, at: Time, wakeups: u64, sink: &mut S) -> bool {
        self.handle(Stop { at: at.min(self.agenda.until()), when_over: true }, wakeups, sink)
    }

    /// Handles at most `wakeups` wake-ups; returns false if it stopped before that.
    pub(super) fn handle<S: Sink>(&mut self, stop: Stop, wakeups: u64, sink: &mut S) -> bool {
        let delays = self.probes.measures_delays();
        if !S::ACTIVE && !delays && SEPARATE_LOOPS {
            return self.handle_unwatched(stop, wakeups);
        }
        if !S::ACTIVE {
            return self.handle_timed(stop, wakeups);
        }
        let call = &mut |at, event: &Event| sink.event(at, event);
        if S::NEEDS_PACKETS || !SEPARATE_LOOPS {
            self.handle_watched(stop, wakeups, &mut Forward(call))
        } else {
            self.handle_ends(stop, wakeups, &mut Forward(call))
        }
    }

    #[inline(never)]
    fn handle_watched(&mut self, stop: Stop, wakeups: u64, sink: &mut Forward<'_, true>) -> bool {
        self.handle_with(stop, wakeups, sink)
    }

    #[inline(never)]
    fn handle_ends(&mut self, stop: Stop, wakeups: u64, sink: &mut Forward<'_, false>) -> bool {
        self.handle_with(stop, wakeups, sink)
    }

    #[inline(never)]
    fn handle_timed(&mut self, stop: Stop, wakeups: u64) -> bool {
        self.handle_with(stop, wakeups, &mut DelaysOnlySink)
    }

    #[inline(never)]
    fn handle_unwatched(&mut self, stop: Stop, wakeups: u64) -> bool {
        self.handle_with(stop, wakeups, &mut NullSink)
    }

    #[inline(always)]
    fn handle_with<S: LoopSink>(&mut self, stop: Stop, wakeups: u64, sink: &mut S) -> bool {
        let unset = Addr::of_node(0);
        let whole = Packet::blank(unset, unset);
        let mut arriving = Arriving { compact: CompactPacket::of(&whole), whole };
        for _ in 0..wakeups {
            if (stop.when_over && self.traffic.is_over()) || !self.step(stop.at, &mut arriving, sink) {
                return false;
            }
        }
        true
    }

    /// Handles the next wake-up if it is at or before `until`; otherwise advances the time to `until`.
    #[inline(always)]
    fn step<S: LoopSink>(&mut self, until: Time, arriving: &mut Arriving, sink: &mut S) -> bool {
        let wakeup = self.agenda.take_next(until);
        if S::ACTIVE {
            self.probes.emit_air(&mut self.transmitters, &self.agenda, sink);
        }
        match wakeup {
            Some(wakeup) => self.wake(wakeup, arriving, sink),
            None => return false,
        }
        true
    }

    /// Sends a packet that `node` creates now.
    pub(super) fn create<S: Sink>(&mut self, node: NodeId, packet: &mut Packet, sink: &mut S) {
        if S::ACTIVE {
            self.create_watched(node, packet, &mut Forward(&mut |at, event| sink.event(at, event)));
        } else {
            self.create_timed(node, packet);
        }
    }

    #[inline(never)]
    fn create_watched(&mut self, node: NodeId, packet: &mut Packet, sink: &mut Forward<'_, true>) {
        self.originate(node, packet, sink);
    }

    #[inline(never)]
    fn create_timed(&mut self, node: NodeId, packet: &mut Packet) {
        self.originate(node, packet, &mut DelaysOnlySink);
    }
}
