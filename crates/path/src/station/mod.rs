//! A station: one transmitter with a link layer, and a queue for each neighbour.
//!
//! One frame is outstanding at a time. The station simulates the whole exchange including the far end's link
//! acknowledgment, because the far end responds immediately and without contention. The two ends therefore share no
//! state with other stations.

pub mod tx_queue;

use engine::{Slot, Time};
use wire::Packet;

use crate::channel::{ChannelFrame, FrameFate};
use crate::context::{Cx, Observer};
use crate::event::LinkEvent;
use crate::mac::arq::stop_and_wait::Numbering;
use crate::outcome::{DeliveryNotice, Outcomes, RadioNotice};
use crate::queue::backlog::Offer;
use crate::queue::{Backlog, RouterBuffer};
use crate::scheduler::{Attempt, Joined, SchedulerConfig, SchedulerState};
pub use tx_queue::TxQueue;

/// State of the outstanding frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FramePhase {
    /// Nothing is outstanding.
    Idle,
    /// The frame is in transit to the far end.
    Flying,
    /// The frame has arrived, its acknowledgment is in transit.
    Acknowledging,
    /// The frame or its acknowledgment was lost; only the timer is pending.
    Lost,
}

/// A transmitter that serves one or more neighbours, one frame at a time.
pub struct Station {
    queues: Vec<TxQueue>,
    scheduler: SchedulerState,
    /// Wake-up at the arrival of the outstanding frame or its acknowledgment.
    arrival: Slot,
    /// Wake-up when the acknowledgment of the outstanding frame is overdue.
    timer: Slot,
    /// Time at which the acknowledgment is overdue.
    overdue: Time,
    phase: FramePhase,
    /// Queue of the outstanding frame, or of the last one.
    serving: usize,
}

impl Station {
    /// Creates a station with the given queues; `arrival` and `timer` are its wake-ups.
    pub fn new(queues: Vec<TxQueue>, scheduler: &SchedulerConfig, arrival: Slot, timer: Slot) -> Self {
        let scheduler = SchedulerState::new(scheduler);
        Station { queues, scheduler, arrival, timer, overdue: Time::NEVER, phase: FramePhase::Idle, serving: 0 }
    }

    /// Returns the queues, in the order given.
    pub fn queues(&self) -> &[TxQueue] {
        &self.queues
    }

    /// Queues a packet at queue number `queue`. An `expedited` packet is queued before all waiting packets that are not
    /// expedited. The packet occupies space in `buffer`. If the queue refuses the packet, this space is freed, and the
    /// result is false.
    pub fn on_packet<O: Observer>(
        &mut self,
        queue: usize,
        packet: &Packet,
        expedited: bool,
        buffer: &mut RouterBuffer,
        cx: &mut Cx<'_, O>,
    ) -> bool {
        let target = &mut self.queues[queue];
        // An idle transmitter sends the packet at once, so that no limit applies.
        let idle = self.phase == FramePhase::Idle;
        // A head-of-line packet that waits for another attempt while another queue is served counts as waiting.
        let others = match &target.head {
            Some(head) if self.serving != queue => (1, u64::from(head.size())),
            _ => (0, 0),
        };
        let first = target.is_empty();
        if idle && first && target.backlog.can_be_bypassed() {
            (target.head, target.queued) = (Some(*packet), cx.now);
            Backlog::report_bypass(packet, target.hop, cx);
            self.scheduler.on_join(queue, Joined { first, expedited, serving: false }, cx.now);
            self.send_next(buffer, cx);
            return true;
        }
        let offer = Offer { at_once: idle, expedited, others, ..Offer::default() };
        let accepted = target.backlog.offer(packet, offer, target.hop, &mut target.counters, cx);
        if accepted {
            self.scheduler.on_join(queue, Joined { first, expedited, serving: !idle }, cx.now);
        } else {
            buffer.release(packet.size());
        }
        self.settle(queue, buffer);
        if idle {
            self.send_next(buffer, cx);
        }
        accepted
    }

    /// Handles the arrival of the outstanding frame, or of its acknowledgment.
    pub fn on_arrival<O: Observer>(
        &mut self,
        buffer: &mut RouterBuffer,
        outcomes: &mut Outcomes<'_>,
        cx: &mut Cx<'_, O>,
    ) {
        match self.phase {
            FramePhase::Flying => self.frame_arrives(outcomes, cx),
            FramePhase::Acknowledging => self.ack_arrives(buffer, outcomes, cx),
            FramePhase::Idle | FramePhase::Lost => cx.schedule.disarm(self.arrival),
        }
    }

    /// Handles an overdue acknowledgment: the attempt has failed.
    pub fn on_timer<O: Observer>(
        &mut self,
        buffer: &mut RouterBuffer,
        outcomes: &mut Outcomes<'_>,
        cx: &mut Cx<'_, O>,
    ) {
        cx.schedule.disarm(self.timer);
        cx.schedule.disarm(self.arrival);
        self.phase = FramePhase::Idle;
        let queue = &mut self.queues[self.serving];
        let (attempt, number) = (queue.attempts, queue.number);
        let last = attempt >= queue.arq.max_transmissions;
        let Some(packet) = queue.head else { return };
        if last {
            queue.counters.given_up += 1;
            // A packet that was given up has arrived if only its link acknowledgments were lost.
            let arrived = queue.arrived;
            if !arrived {
                queue.counters.packets_dropped += 1;
            }
            cx.emit_timing(queue.hop, || LinkEvent::GivenUp { number, attempts: attempt, packet, arrived });
            buffer.release(queue.take_head());
        }
        outcomes.fail(RadioNotice { hop: queue.hop, packet, attempt, last });
        let more = queue.has_more(cx.now);
        self.scheduler.on_attempt(Attempt { acknowledged: false, done: last, besides: 0, more }, cx.now);
        self.send_next(buffer, cx);
    }

    fn frame_arrives<O: Observer>(&mut self, outcomes: &mut Outcomes<'_>, cx: &mut Cx<'_, O>) {
        let queue = &mut self.queues[self.serving];
        let (hop, number) = (queue.hop, queue.number);
        let new = queue.receive(number);
        let Some(packet) = &queue.head else { return };
        if new {
            queue.counters.packets_delivered += 1;
            cx.emit_timing(hop, || LinkEvent::Arrived { packet: *packet });
            outcomes.deliver(hop, packet);
        } else {
            queue.counters.duplicates += 1;
            cx.emit(hop, || LinkEvent::FrameDuplicate { number, packet: *packet });
        }
        queue.arrived = true;
        let ack = ChannelFrame {
            now: cx.now,
            start: cx.now,
            duration: queue.ack_time,
            size: queue.arq.ack_size,
            direction: hop.direction.opposite(),
            number: None,
        };
        if cx.channels[hop.link].fate(&ack) == FrameFate::Arrives {
            self.phase = FramePhase::Acknowledging;
            cx.schedule.arm(self.arrival, cx.now + queue.ack_time + queue.line.delay);
            // With a margin of zero, acknowledgment and timer are due at the same time. The acknowledgment counts,
            // because the timer is ordered after it.
            cx.schedule.arm(self.timer, self.overdue);
        } else {
            self.phase = FramePhase::Lost;
            cx.schedule.disarm(self.arrival);
            cx.emit(hop, || LinkEvent::AckCorrupted { number });
        }
    }

    fn ack_arrives<O: Observer>(&mut self, buffer: &mut RouterBuffer, outcomes: &mut Outcomes<'_>, cx: &mut Cx<'_, O>) {
        cx.schedule.disarm(self.timer);
        cx.schedule.disarm(self.arrival);
        self.phase = FramePhase::Idle;
        let queue = &mut self.queues[self.serving];
        if queue.reports_deliveries
            && let Some(packet) = queue.head
        {
            let (hop, queued, attempts) = (queue.hop, queue.queued, queue.attempts);
            outcomes.acknowledge(DeliveryNotice { hop, packet, queued, attempts });
        }
        buffer.release(queue.take_head());
        let more = queue.has_more(cx.now);
        self.scheduler.on_attempt(Attempt { acknowledged: true, done: true, besides: 0, more }, cx.now);
        self.send_next(buffer, cx);
    }

    /// Reports to the scheduler the packets that a queue's discipline dropped, and frees their space in the buffer.
    fn settle(&mut self, queue: usize, buffer: &mut RouterBuffer) {
        let dropped = self.queues[queue].backlog.take_dropped();
        for _ in 0..dropped.packets {
            self.scheduler.on_drop(queue);
        }
        buffer.release(dropped.bytes);
    }

    /// Serves the next queue that has a packet.
    fn send_next<O: Observer>(&mut self, buffer: &mut RouterBuffer, cx: &mut Cx<'_, O>) {
        let Some(serving) = self.scheduler.next() else { return };
        self.serving = serving;
        let queue = &mut self.queues[serving];
        if queue.head.is_none() {
            let queued_at = &mut queue.queued;
            queue.head = queue.backlog.pop(queue.hop, &mut queue.counters, cx, |queued| {
                *queued_at = queued.arrived;
                queued.packet
            });
        }
        self.send(cx);
        self.settle(serving, buffer);
    }

    /// Sends the head-of-line packet of the queue in service.
    fn send<O: Observer>(&mut self, cx: &mut Cx<'_, O>) {
        let queue = &mut self.queues[self.serving];
        let Some(packet) = &queue.head else { return };
        let renumber = queue.attempts == 0 || queue.arq.numbering == Numbering::PerTransmission;
        if renumber {
            queue.number = queue.next_number;
            queue.next_number += 1;
        }
        queue.attempts += 1;
        let (hop, number, attempt) = (queue.hop, queue.number, queue.attempts);
        let duration = queue.line.transmit(packet.size(), cx.now);
        let number_on_hop = Some(queue.counters.frames_sent);
        let frame = ChannelFrame {
            now: cx.now,
            start: cx.now,
            duration,
            size: packet.size(),
            direction: hop.direction,
            number: number_on_hop,
        };
        queue.counters.frames_sent += 1;
        queue.counters.busy = queue.counters.busy + duration;
        queue.sent_until = cx.now + duration;
        cx.emit(hop, || LinkEvent::FrameSent { number, attempt, packet: *packet });
        if cx.channels[hop.link].fate(&frame) == FrameFate::Arrives {
            self.phase = FramePhase::Flying;
            cx.schedule.arm(self.arrival, cx.now + duration + queue.line.delay);
        } else {
            queue.counters.frames_corrupted += 1;
            self.phase = FramePhase::Lost;
            cx.emit(hop, || LinkEvent::FrameCorrupted { number, attempt, packet: *packet });
        }
        self.overdue = cx.now + duration + queue.ack_wait();
        cx.schedule.arm(self.timer, self.overdue);
    }
}
