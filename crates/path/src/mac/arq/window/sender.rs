//! A sender of go-back-N and selective repeat; rules and settings are in [`crate::mac::arq::window`].
//!
//! There are four queues of future events, because each kind takes the same time from the end of its frame: arrivals of
//! frames at the far end, arrivals of acknowledgments, timers, and skipped frames that were given up. Among
//! simultaneous events an acknowledgment precedes its timer.

use std::collections::VecDeque;

use engine::{Order, Slot, Span, Time};
use wire::Packet;

use super::far_end::{FarEnd, FrameReceipt};
use super::{SlidingWindow, WindowPolicy};
use crate::channel::{ChannelFrame, FrameFate};
use crate::context::LinkCx;
use crate::event::LinkEvent;
use crate::hop_state::{HopState, LinkLayerState};
use crate::ids::HopId;
use crate::link::due::{Due, DueQueue, peek_due};
use crate::link::{HopCounters, Link, LinkParts, TransmissionLine};
use crate::outcome::{DeliveryNotice, Outcomes, RadioNotice};
use crate::queue::backlog::Offer;
use crate::queue::{Backlog, RouterBuffer};

/// A frame that was sent and is not completed.
struct Outstanding {
    packet: Packet,
    /// Time at which the packet was queued.
    queued: Time,
    sent: u32,
    failed: u32,
    /// True if the frame was acknowledged or given up, and is kept because an earlier frame is still outstanding.
    done: bool,
}

/// The event of the next wake-up.
#[derive(Clone, Copy)]
enum WindowEvent {
    Ack,
    PassedOver,
    Frame,
    Timer,
    LineFree,
}

/// The sending end of a link layer with a window, together with its receiver.
pub(super) struct WindowSender {
    hop: HopId,
    line: TransmissionLine,
    arq: SlidingWindow,
    ack_time: Span,
    slot: Slot,
    backlog: Backlog,
    /// The number of the first outstanding frame.
    base: u64,
    outstanding: VecDeque<Outstanding>,
    /// Go-back-N: the next number to transmit, for the first time or again.
    resume: u64,
    /// Numbers of the frames to retransmit under selective repeat.
    again: VecDeque<u64>,
    /// Time at which the line becomes free, and its order among simultaneous events.
    free: (Time, Order),
    flying: DueQueue<(u64, Packet)>,
    acks: DueQueue<u64>,
    timers: DueQueue<u64>,
    given_up: DueQueue<u64>,
    far: FarEnd,
    reports_deliveries: bool,
    counters: HopCounters,
}

impl WindowSender {
    /// Creates a sender without packets.
    pub fn new(
        LinkParts { hop, mut line, queue, slot, reports_deliveries, .. }: LinkParts,
        arq: SlidingWindow,
    ) -> Self {
        WindowSender {
            hop,
            ack_time: line.transmission_time(arq.ack_size),
            line,
            arq,
            slot,
            backlog: queue,
            base: 0,
            outstanding: VecDeque::new(),
            resume: 0,
            again: VecDeque::new(),
            free: (Time::ZERO, Order::default()),
            flying: DueQueue::new(),
            acks: DueQueue::new(),
            timers: DueQueue::new(),
            given_up: DueQueue::new(),
            far: FarEnd::new(arq.policy),
            reports_deliveries,
            counters: HopCounters::default(),
        }
    }

    /// Returns the next event.
    fn next(&mut self, now: Time) -> Option<(Time, Order, WindowEvent)> {
        let has_repeats = self.has_repeats();
        let takes_new = !has_repeats && self.window_is_open();
        let has_new = self.backlog.next_request(takes_new.then_some(self.free.0), now);
        let free = (has_repeats || has_new).then_some(self.free);
        let all = [
            (peek_due(&self.acks), WindowEvent::Ack),
            (peek_due(&self.given_up), WindowEvent::PassedOver),
            (peek_due(&self.flying), WindowEvent::Frame),
            (peek_due(&self.timers), WindowEvent::Timer),
            (free, WindowEvent::LineFree),
        ];
        let all = all.into_iter().filter_map(|(due, next)| due.map(|(at, order)| (at, order, next)));
        all.min_by_key(|(at, ..)| *at)
    }

    fn rearm(&mut self, cx: &mut LinkCx<'_>) {
        match self.next(cx.now) {
            Some((at, order, _)) => cx.schedule.arm_as(self.slot, at.max(cx.now), order),
            None => cx.schedule.disarm(self.slot),
        }
    }

    /// Returns the number of the next new frame.
    fn end(&self) -> u64 {
        self.base + self.outstanding.len() as u64
    }

    fn window_is_open(&self) -> bool {
        self.outstanding.len() < self.arq.window as usize
    }

    /// Returns true if frames wait for retransmission.
    fn has_repeats(&self) -> bool {
        !self.again.is_empty() || self.resume < self.end()
    }

    fn outstanding(&mut self, number: u64) -> Option<&mut Outstanding> {
        let place = number.checked_sub(self.base)?;
        self.outstanding.get_mut(place as usize)
    }

    /// Sends as much as possible: retransmissions first, then new frames as the window allows.
    fn send(&mut self, cx: &mut LinkCx<'_>) {
        while self.free.0 <= cx.now {
            let number = match self.again.pop_front() {
                Some(number) => number,
                None if self.resume < self.end() => self.resume,
                None if self.window_is_open() => {
                    let popped = self.backlog.pop(self.hop, &mut self.counters, cx, |queued| {
                        let (packet, queued) = (queued.packet, queued.arrived);
                        self.outstanding.push_back(Outstanding { packet, queued, sent: 0, failed: 0, done: false });
                    });
                    if popped.is_none() {
                        return;
                    }
                    self.end() - 1
                }
                None => return,
            };
            self.resume = self.resume.max(number + 1);
            self.transmit(number, cx);
        }
    }

    fn transmit(&mut self, number: u64, cx: &mut LinkCx<'_>) {
        let Some(outstanding) = self.outstanding(number) else { return };
        outstanding.sent += 1;
        let (packet, attempt) = (outstanding.packet, outstanding.sent);
        let (hop, now, size) = (self.hop, cx.now, packet.size());
        let duration = self.line.transmit(size, now);
        let number_on_hop = Some(self.counters.frames_sent);
        let frame = ChannelFrame { now, start: now, duration, size, direction: hop.direction, number: number_on_hop };
        self.counters.frames_sent += 1;
        self.counters.busy = self.counters.busy + duration;
        cx.emit(hop, || LinkEvent::FrameSent { number, attempt, packet });
        let leaves = now + duration;
        self.free = (leaves, cx.schedule.order());
        if cx.channels[hop.link].fate(&frame) == FrameFate::Arrives {
            let order = cx.schedule.order();
            self.flying.push_back(Due { at: leaves + self.line.delay, order, what: (number, packet) });
        } else {
            self.counters.frames_corrupted += 1;
            cx.emit(hop, || LinkEvent::FrameCorrupted { number, attempt, packet });
        }
        let overdue = leaves + self.line.delay.times(2) + self.ack_time + self.arq.margin;
        self.timers.push_back(Due { at: overdue, order: cx.schedule.order(), what: number });
    }

    fn frame_arrives(&mut self, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let Some(Due { what: (number, packet), .. }) = self.flying.pop_front() else { return };
        let (hop, counters) = (self.hop, &mut self.counters);
        match self.far.take(number, packet, |packet| hand_up(packet, hop, counters, outcomes, cx)) {
            FrameReceipt::New => {}
            FrameReceipt::Again => {
                self.counters.duplicates += 1;
                cx.emit(hop, || LinkEvent::FrameDuplicate { number, packet });
            }
            FrameReceipt::OutOfTurn => {
                self.counters.discarded += 1;
                cx.emit(hop, || LinkEvent::FrameDiscarded { number, packet });
            }
        }
        let (now, duration, size) = (cx.now, self.ack_time, self.arq.ack_size);
        let ack = ChannelFrame { now, start: now, duration, size, direction: hop.direction.opposite(), number: None };
        if cx.channels[hop.link].fate(&ack) == FrameFate::Arrives {
            let (at, order) = (now + duration + self.line.delay, cx.schedule.order());
            self.acks.push_back(Due { at, order, what: self.far.acknowledges(number) });
        } else {
            cx.emit(hop, || LinkEvent::AckCorrupted { number });
        }
    }

    /// Notifies the far end that a frame was given up.
    fn pass_over(&mut self, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let Some(Due { what: number, .. }) = self.given_up.pop_front() else { return };
        let (hop, counters) = (self.hop, &mut self.counters);
        self.far.pass_over(number, |packet| hand_up(packet, hop, counters, outcomes, cx));
    }

    fn ack_arrives(&mut self, buffer: &mut RouterBuffer, outcomes: &mut Outcomes<'_>) {
        let Some(ack) = self.acks.pop_front().map(|due| due.what) else { return };
        let (hop, reports) = (self.hop, self.reports_deliveries);
        let mut completed = |outstanding: &Outstanding| {
            let Outstanding { packet, queued, sent: attempts, .. } = *outstanding;
            buffer.release(packet.size());
            if reports {
                outcomes.acknowledge(DeliveryNotice { hop, packet, queued, attempts });
            }
        };
        match self.arq.policy {
            WindowPolicy::GoBackN => {
                while self.base < ack
                    && let Some(done) = self.outstanding.pop_front()
                {
                    self.base += 1;
                    completed(&done);
                }
            }
            WindowPolicy::SelectiveRepeat { .. } => {
                if let Some(outstanding) = self.outstanding(ack).filter(|outstanding| !outstanding.done) {
                    outstanding.done = true;
                    completed(outstanding);
                }
            }
        }
        self.slide();
    }

    /// Advances the window to the first incomplete frame, and removes timers that are no longer needed.
    fn slide(&mut self) {
        while self.outstanding.front().is_some_and(|outstanding| outstanding.done) {
            self.outstanding.pop_front();
            self.base += 1;
        }
        self.resume = self.resume.max(self.base);
        while let Some(number) = self.timers.front().map(|due| due.what)
            && self.outstanding(number).is_none_or(|outstanding| outstanding.done)
        {
            self.timers.pop_front();
        }
    }

    /// Handles an overdue acknowledgment. With go-back-N it belongs to the oldest frame, because the timers of the
    /// other frames began later.
    fn timer_expires(&mut self, buffer: &mut RouterBuffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let Some(number) = self.timers.pop_front().map(|due| due.what) else { return };
        let most = self.arq.max_transmissions;
        let Some(outstanding) = self.outstanding(number) else { return };
        outstanding.failed += 1;
        let (packet, attempt, sent) = (outstanding.packet, outstanding.failed, outstanding.sent);
        let last = attempt >= most;
        outstanding.done = last;
        if last {
            let arrived = self.far.has(number);
            self.counters.given_up += 1;
            self.counters.packets_dropped += u64::from(!arrived);
            buffer.release(packet.size());
            cx.emit_timing(self.hop, || LinkEvent::GivenUp { number, attempts: sent, packet, arrived });
            let (at, order) = (cx.now + self.line.delay, cx.schedule.order());
            self.given_up.push_back(Due { at, order, what: number });
        }
        match self.arq.policy {
            WindowPolicy::GoBackN => {
                // All frames sent since are void. If the frame was given up, `slide` advances to the next.
                self.timers.clear();
                self.resume = number;
            }
            WindowPolicy::SelectiveRepeat { .. } if last => {}
            WindowPolicy::SelectiveRepeat { .. } => self.again.push_back(number),
        }
        self.slide();
        outcomes.fail(RadioNotice { hop: self.hop, packet, attempt, last });
    }
}

impl Link for WindowSender {
    fn accept(&mut self, packet: &Packet, expedited: bool, buffer: &mut RouterBuffer, cx: &mut LinkCx<'_>) -> bool {
        // No limit applies to a packet that can be sent at once.
        let at_once = self.free.0 <= cx.now && !self.has_repeats() && self.backlog.is_empty() && self.window_is_open();
        let offer = Offer { at_once, expedited, ..Offer::default() };
        let accepted = self.backlog.offer(packet, offer, self.hop, &mut self.counters, cx);
        if accepted {
            self.send(cx);
            self.rearm(cx);
        } else {
            buffer.release(packet.size());
        }
        buffer.release(self.backlog.take_dropped().bytes);
        accepted
    }

    fn wake(&mut self, buffer: &mut RouterBuffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        if let Some((_, _, next)) = self.next(cx.now).filter(|(at, ..)| *at <= cx.now) {
            match next {
                WindowEvent::Ack => self.ack_arrives(buffer, outcomes),
                WindowEvent::PassedOver => self.pass_over(outcomes, cx),
                WindowEvent::Frame => self.frame_arrives(outcomes, cx),
                WindowEvent::Timer => self.timer_expires(buffer, outcomes, cx),
                WindowEvent::LineFree => {}
            }
        }
        self.send(cx);
        self.rearm(cx);
        buffer.release(self.backlog.take_dropped().bytes);
    }

    fn counters(&self, now: Time) -> HopCounters {
        let mut counters = self.counters;
        counters.busy = counters.busy - self.free.0.since(now);
        counters.backlog.end(now);
        counters
    }

    fn state(&self, _: Time) -> HopState {
        let attempts = self.outstanding.front().map_or(0, |outstanding| outstanding.sent);
        HopState {
            waiting: self.backlog.len(),
            waiting_bytes: self.backlog.bytes(),
            outstanding: self.outstanding.len(),
            link_layer: Some(LinkLayerState { attempts, next_number: self.end(), expected: self.far.next_expected() }),
        }
    }
}

/// Delivers a packet at the far end.
fn hand_up(packet: Packet, hop: HopId, counters: &mut HopCounters, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
    counters.packets_delivered += 1;
    cx.emit_timing(hop, || LinkEvent::Arrived { packet });
    outcomes.deliver(hop, &packet);
}
