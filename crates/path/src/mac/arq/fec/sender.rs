//! Parity behind blocks at work: rules and settings stand in [`crate::mac::arq::fec`].
//!
//! Frames keep their order, so the far end has one block at a time before it. What becomes of a block is known when its
//! last parity frame has come, or would have: that stands for the far end's own timer, or for the next block's first frame.

use std::collections::VecDeque;

use engine::{Order, Slot, Time};
use wire::Packet;

use super::Fec;
use crate::channel::{Fate, Frame};
use crate::context::LinkCx;
use crate::event::{HopId, LinkEvent};
use crate::hop_state::HopState;
use crate::link::due::{Due, Line as Flying, first};
use crate::link::{Counters, Line, Link, Parts};
use crate::outcome::Outcomes;
use crate::queue::backlog::Offer;
use crate::queue::{Backlog, Buffer};

/// A frame on its way.
struct InTransit {
    fate: Fate,
    load: Load,
}

enum Load {
    Data(Packet),
    Parity {
        /// Whether it is the last of its block.
        last: bool,
    },
}

/// The block being sent.
#[derive(Default)]
struct Block {
    /// Data frames sent.
    data: u32,
    /// The size of the longest.
    longest: u32,
    /// Parity frames still to be sent; no data frame is added once there are any.
    parity: u32,
}

/// The block that the far end has before it.
#[derive(Default)]
struct FarBlock {
    /// Packets that are not handed up, and whether each has come.
    open: VecDeque<(Packet, bool)>,
    /// How many of them have not.
    missing: u32,
    /// Parity frames that have come.
    parity: u32,
}

/// What it waits for.
#[derive(Clone, Copy)]
enum Next {
    Frame,
    LineFree,
    Flush,
}

/// A sender of blocks with parity, and the far end's part.
pub(super) struct FecSender {
    hop: HopId,
    line: Line,
    fec: Fec,
    slot: Slot,
    backlog: Backlog,
    block: Block,
    /// When the line is free, and the place of that among what happens then.
    free: (Time, Order),
    flying: Flying<InTransit>,
    far: FarBlock,
    counters: Counters,
}

impl FecSender {
    /// A sender without any packets.
    pub fn new(Parts { hop, line, queue, slot, .. }: Parts, fec: Fec) -> Self {
        FecSender {
            hop,
            line,
            fec,
            slot,
            backlog: queue,
            block: Block::default(),
            free: (Time::ZERO, Order::default()),
            flying: Flying::new(),
            far: FarBlock::default(),
            counters: Counters::default(),
        }
    }

    /// The earliest of what it waits for.
    fn next(&self) -> Option<(Time, Order, Next)> {
        let (at, order) = self.free;
        let free = if self.block.parity > 0 || !self.backlog.is_empty() {
            Some((at, order, Next::LineFree))
        } else {
            // Traffic pauses.
            (self.block.data > 0).then(|| (at + self.fec.flush, order, Next::Flush))
        };
        let frame = first(&self.flying).map(|(at, order)| (at, order, Next::Frame));
        [frame, free].into_iter().flatten().min_by_key(|(at, ..)| *at)
    }

    fn rearm(&mut self, cx: &mut LinkCx<'_>) {
        match self.next() {
            Some((at, order, _)) => cx.schedule.arm_as(self.slot, at.max(cx.now), order),
            None => cx.schedule.disarm(self.slot),
        }
    }

    /// Sends what can be sent: the parity of a block that is closed, then data.
    fn send(&mut self, buffer: &mut Buffer, cx: &mut LinkCx<'_>) {
        while self.free.0 <= cx.now {
            if self.block.parity > 0 {
                self.block.parity -= 1;
                let last = self.block.parity == 0;
                self.transmit(self.block.longest, Load::Parity { last }, cx);
                if last {
                    self.block = Block::default();
                }
            } else if let Some(packet) = self.backlog.pop(self.hop, &mut self.counters, cx, |packet, _| *packet) {
                let size = packet.size();
                self.block.data += 1;
                self.block.longest = self.block.longest.max(size);
                if self.block.data == self.fec.data {
                    self.block.parity = self.fec.parity;
                }
                self.transmit(size, Load::Data(packet), cx);
                buffer.leaves_at(self.free.0, size);
            } else {
                return;
            }
        }
    }

    fn transmit(&mut self, size: u32, load: Load, cx: &mut LinkCx<'_>) {
        let (hop, now, number) = (self.hop, cx.now, self.counters.frames_sent);
        let duration = self.line.transmission_time(size);
        let frame = Frame { now, start: now, duration, size, way: hop.way, number: Some(number) };
        let fate = cx.channels[hop.link as usize].fate(&frame);
        self.counters.frames_sent += 1;
        self.counters.frames_corrupted += u64::from(fate == Fate::Corrupted);
        self.counters.busy = self.counters.busy + duration;
        match load {
            Load::Data(packet) => cx.emit(hop, || LinkEvent::FrameSent { number, attempt: 1, packet }),
            Load::Parity { .. } => cx.emit(hop, || LinkEvent::ParitySent { number, size }),
        }
        if fate == Fate::Corrupted {
            match load {
                Load::Data(packet) => cx.emit(hop, || LinkEvent::FrameCorrupted { number, attempt: 1, packet }),
                Load::Parity { .. } => cx.emit(hop, || LinkEvent::ParityCorrupted { number }),
            }
        }
        let leaves = now + duration;
        let (at, order) = (leaves + self.line.delay, cx.schedule.order());
        self.free = (leaves, cx.schedule.order());
        self.flying.push_back(Due { at, order, what: InTransit { fate, load } });
    }

    /// A frame comes to the far end, or would have.
    fn frame_arrives(&mut self, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let Some(Due { what: InTransit { fate, load }, .. }) = self.flying.pop_front() else { return };
        let came = fate == Fate::Arrives;
        match load {
            Load::Data(packet) if came && (self.far.open.is_empty() || !self.fec.in_order) => {
                self.hand_up(packet, outcomes, cx);
            }
            Load::Data(packet) => {
                self.far.open.push_back((packet, came));
                self.far.missing += u32::from(!came);
            }
            Load::Parity { last } => {
                self.far.parity += u32::from(came);
                self.counters.discarded += u64::from(came);
                // As many frames have come as the block has packets.
                if self.far.parity >= self.far.missing {
                    self.recover(outcomes, cx);
                }
                if last {
                    self.end_block(outcomes, cx);
                }
            }
        }
    }

    /// Everything that was missing can be computed.
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

    /// Nothing more of the block will come: what is missing is lost.
    fn end_block(&mut self, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let FarBlock { open, .. } = std::mem::take(&mut self.far);
        for (packet, came) in open {
            if came {
                self.hand_up(packet, outcomes, cx);
            } else {
                self.counters.packets_dropped += 1;
                cx.emit(self.hop, || LinkEvent::Lost { packet });
            }
        }
    }

    fn hand_up(&mut self, packet: Packet, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        self.counters.packets_delivered += 1;
        cx.emit(self.hop, || LinkEvent::Arrived { packet });
        outcomes.deliver(self.hop, &packet);
    }
}

impl Link for FecSender {
    fn accept(&mut self, packet: &Packet, expedited: bool, buffer: &mut Buffer, cx: &mut LinkCx<'_>) -> bool {
        // What can be sent at once does not wait: no limit is met.
        let at_once = self.free.0 <= cx.now && self.block.parity == 0 && self.backlog.is_empty();
        let offer = Offer { at_once, expedited, ..Offer::default() };
        let accepted = self.backlog.offer(packet, offer, self.hop, &mut self.counters, cx);
        if accepted {
            self.send(buffer, cx);
            self.rearm(cx);
        } else {
            buffer.left(packet.size());
        }
        buffer.left(self.backlog.take_dropped().bytes);
        accepted
    }

    fn wake(&mut self, buffer: &mut Buffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        match self.next().filter(|(at, ..)| *at <= cx.now) {
            Some((_, _, Next::Frame)) => self.frame_arrives(outcomes, cx),
            Some((_, _, Next::Flush)) => self.block.parity = self.fec.parity,
            Some((_, _, Next::LineFree)) | None => {}
        }
        self.send(buffer, cx);
        self.rearm(cx);
        buffer.left(self.backlog.take_dropped().bytes);
    }

    fn counters(&self, now: Time) -> Counters {
        let mut counters = self.counters;
        counters.busy = counters.busy - self.free.0.since(now);
        counters
    }

    /// What it holds: frames on their way, parity among them.
    fn state(&self, _: Time) -> HopState {
        let (waiting, waiting_bytes) = (self.backlog.len(), self.backlog.bytes());
        HopState { waiting, waiting_bytes, outstanding: self.flying.len(), link_layer: None }
    }
}
