//! A sender of blocks with parity; rules and settings are in [`crate::mac::arq::fec`].
//!
//! Frames keep their order, so the far end processes one block at a time. The outcome of a block is determined when its
//! last parity frame arrives, or would have arrived: this replaces the far end's own timer, or the next block's first
//! frame.

use std::collections::VecDeque;

use engine::{Order, Slot, Time};
use wire::Packet;

use super::Fec;
use crate::channel::{ChannelFrame, FrameFate};
use crate::context::LinkCx;
use crate::event::LinkEvent;
use crate::hop_state::HopState;
use crate::ids::HopId;
use crate::link::due::{Due, DueQueue, peek_due};
use crate::link::{HopCounters, Link, LinkParts, TransmissionLine};
use crate::outcome::Outcomes;
use crate::queue::backlog::Offer;
use crate::queue::{Backlog, RouterBuffer};

/// A frame in transit.
struct FecFrame {
    fate: FrameFate,
    load: FecLoad,
}

enum FecLoad {
    Data(Packet),
    Parity {
        /// True for the last frame of its block.
        last: bool,
    },
}

/// The block in transmission.
#[derive(Default)]
struct FecBlock {
    /// Data frames sent.
    data: u32,
    /// Size of the longest packet.
    longest: u32,
    /// Parity frames still to be sent; once there are any, no data frame is added.
    parity: u32,
}

/// The current block at the far end.
#[derive(Default)]
struct FarBlock {
    /// Packets not delivered yet, and whether each has arrived.
    open: VecDeque<(Packet, bool)>,
    /// Number of missing frames of the block.
    missing: u32,
    /// Parity frames that have arrived.
    parity: u32,
}

/// The event of the next wake-up.
#[derive(Clone, Copy)]
enum FecEvent {
    Frame,
    LineFree,
    Flush,
}

/// A sender of blocks with parity, together with its receiver.
pub(super) struct FecSender {
    hop: HopId,
    line: TransmissionLine,
    fec: Fec,
    slot: Slot,
    backlog: Backlog,
    block: FecBlock,
    /// Time at which the line becomes free, and its order among simultaneous events.
    free: (Time, Order),
    flying: DueQueue<FecFrame>,
    far: FarBlock,
    counters: HopCounters,
}

impl FecSender {
    /// Creates a sender without packets.
    pub fn new(LinkParts { hop, line, queue, slot, .. }: LinkParts, fec: Fec) -> Self {
        FecSender {
            hop,
            line,
            fec,
            slot,
            backlog: queue,
            block: FecBlock::default(),
            free: (Time::ZERO, Order::default()),
            flying: DueQueue::new(),
            far: FarBlock::default(),
            counters: HopCounters::default(),
        }
    }

    /// Returns the next event.
    fn next(&mut self, now: Time) -> Option<(Time, Order, FecEvent)> {
        let (at, order) = self.free;
        let has_parity = self.block.parity > 0;
        let has_data = self.backlog.next_request((!has_parity).then_some(at), now);
        let free = if has_parity || has_data {
            Some((at, order, FecEvent::LineFree))
        } else {
            // Traffic pauses.
            (self.block.data > 0).then(|| (at + self.fec.flush, order, FecEvent::Flush))
        };
        let frame = peek_due(&self.flying).map(|(at, order)| (at, order, FecEvent::Frame));
        [frame, free].into_iter().flatten().min_by_key(|(at, ..)| *at)
    }

    fn rearm(&mut self, cx: &mut LinkCx<'_>) {
        match self.next(cx.now) {
            Some((at, order, _)) => cx.schedule.arm_as(self.slot, at.max(cx.now), order),
            None => cx.schedule.disarm(self.slot),
        }
    }

    /// Sends as much as possible: the parity of a closed block, then data.
    fn send(&mut self, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) {
        while self.free.0 <= cx.now {
            if self.block.parity > 0 {
                self.block.parity -= 1;
                let last = self.block.parity == 0;
                self.transmit(self.block.longest, FecLoad::Parity { last }, cx);
                if last {
                    self.block = FecBlock::default();
                }
            } else if let Some(packet) = self.backlog.pop(self.hop, &mut self.counters, cx, |queued| queued.packet) {
                let size = packet.size();
                self.block.data += 1;
                self.block.longest = self.block.longest.max(size);
                if self.block.data == self.fec.data {
                    self.block.parity = self.fec.parity;
                }
                self.transmit(size, FecLoad::Data(packet), cx);
                buffer.leaves_at(self.free.0, size);
            } else {
                return;
            }
        }
    }

    fn transmit(&mut self, size: u32, load: FecLoad, cx: &mut LinkCx<'_>) {
        let (hop, now, number) = (self.hop, cx.now, self.counters.frames_sent);
        let duration = self.line.transmit(size, now);
        let frame = ChannelFrame { now, start: now, duration, size, direction: hop.direction, number: Some(number) };
        let fate = cx.channels[hop.link].fate(&frame);
        self.counters.frames_sent += 1;
        self.counters.frames_corrupted += u64::from(fate == FrameFate::Corrupted);
        self.counters.busy = self.counters.busy + duration;
        match load {
            FecLoad::Data(packet) => cx.emit(hop, || LinkEvent::FrameSent { number, attempt: 1, packet }),
            FecLoad::Parity { .. } => cx.emit(hop, || LinkEvent::ParitySent { number, size }),
        }
        if fate == FrameFate::Corrupted {
            match load {
                FecLoad::Data(packet) => cx.emit(hop, || LinkEvent::FrameCorrupted { number, attempt: 1, packet }),
                FecLoad::Parity { .. } => cx.emit(hop, || LinkEvent::ParityCorrupted { number }),
            }
        }
        let leaves = now + duration;
        let (at, order) = (leaves + self.line.delay, cx.schedule.order());
        self.free = (leaves, cx.schedule.order());
        self.flying.push_back(Due { at, order, what: FecFrame { fate, load } });
    }

    /// Handles the arrival of a frame at the far end, also of a lost frame at the time at which it would have arrived.
    fn frame_arrives(&mut self, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let Some(Due { what: FecFrame { fate, load }, .. }) = self.flying.pop_front() else { return };
        let came = fate == FrameFate::Arrives;
        match load {
            FecLoad::Data(packet) if came && (self.far.open.is_empty() || !self.fec.in_order) => {
                self.hand_up(packet, outcomes, cx);
            }
            FecLoad::Data(packet) => {
                self.far.open.push_back((packet, came));
                self.far.missing += u32::from(!came);
            }
            FecLoad::Parity { last } => {
                self.far.parity += u32::from(came);
                self.counters.discarded += u64::from(came);
                // The parity frames that have arrived suffice to restore the missing packets.
                if self.far.parity >= self.far.missing {
                    self.recover(outcomes, cx);
                }
                if last {
                    self.end_block(outcomes, cx);
                }
            }
        }
    }

    /// Restores all missing packets.
    fn recover(&mut self, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        self.far.missing = 0;
        while let Some((packet, came)) = self.far.open.pop_front() {
            if !came {
                self.counters.recovered += 1;
                cx.emit(self.hop, || LinkEvent::Recovered { packet });
            }
            self.hand_up(packet, outcomes, cx);
        }
    }

    /// Ends the block: packets still missing are lost.
    fn end_block(&mut self, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let FarBlock { open, .. } = std::mem::take(&mut self.far);
        for (packet, came) in open {
            if came {
                self.hand_up(packet, outcomes, cx);
            } else {
                self.counters.packets_dropped += 1;
                cx.emit_timing(self.hop, || LinkEvent::Lost { packet });
            }
        }
    }

    fn hand_up(&mut self, packet: Packet, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        self.counters.packets_delivered += 1;
        cx.emit_timing(self.hop, || LinkEvent::Arrived { packet });
        outcomes.deliver(self.hop, &packet);
    }
}

impl Link for FecSender {
    fn accept(&mut self, packet: &Packet, expedited: bool, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) -> bool {
        // No limit applies to a packet that can be sent at once.
        let at_once = self.free.0 <= cx.now && self.block.parity == 0 && self.backlog.is_empty();
        let offer = Offer { at_once, expedited, ..Offer::default() };
        let accepted = self.backlog.offer(packet, offer, self.hop, &mut self.counters, cx);
        if accepted {
            self.send(buffer, cx);
            self.rearm(cx);
        } else {
            buffer.release(packet.size());
        }
        buffer.release(self.backlog.take_dropped().bytes);
        accepted
    }

    fn wake(&mut self, buffer: &mut RouterBuffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        match self.next(cx.now).filter(|(at, ..)| *at <= cx.now) {
            Some((_, _, FecEvent::Frame)) => self.frame_arrives(outcomes, cx),
            Some((_, _, FecEvent::Flush)) => self.block.parity = self.fec.parity,
            Some((_, _, FecEvent::LineFree)) | None => {}
        }
        self.send(buffer, cx);
        self.rearm(cx);
        buffer.release(self.backlog.take_dropped().bytes);
    }

    fn counters(&self, now: Time) -> HopCounters {
        let mut counters = self.counters;
        counters.busy = counters.busy - self.free.0.since(now);
        counters.backlog.end(now);
        counters
    }

    /// Returns the packets at this end: frames in transit include parity.
    fn state(&self, _: Time) -> HopState {
        let (waiting, waiting_bytes) = (self.backlog.len(), self.backlog.bytes());
        HopState { waiting, waiting_bytes, outstanding: self.flying.len(), link_layer: None }
    }
}
