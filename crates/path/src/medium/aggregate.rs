//! A-MPDU aggregation: several packets of a transmit queue in one frame, each with its own checksum, answered by one
//! block acknowledgment that reports which packets arrived [802.11-2012 s8.6, s9.12, s9.21]. Failed packets are
//! retransmitted in the queue's next aggregate, before new ones.
//!
//! A station selects the packets of an aggregate when its turn comes. Selected packets have numbers within a window of
//! 64. Model, deviations and limits: docs/models/aggregation.md.

use engine::Time;

use super::phase::{ExchangeStep, MediumPhase};
use super::station::ExchangeData;
use super::tx_queue::HeadOfLine;
use super::{Medium, query_channel};
use crate::channel::{ChannelFrame, FrameFate};
use crate::context::{Cx, Observer};
use crate::event::{AirFrame, LinkEvent, Reception};
use crate::ids::MediumStationId;
use crate::mac::dcf::FrameKind;
use crate::mac::dcf::config::AggregateLimits;
use crate::mac::dcf::frame::{ACK_SIZE, BLOCK_ACK_SIZE, DELIMITER, LLC_OVERHEAD, QOS_OVERHEAD};
use crate::numbers::SeqBitmap;
use crate::outcome::{LinkOutcome, RadioNotice};
use crate::scheduler::Attempt;

/// Size of the window of a block acknowledgment, in packet numbers [802.11-2012 s8.3.1.9.3].
const WINDOW: u64 = SeqBitmap::MAX;

/// Returns the size of a packet's MPDU in bytes, without padding.
fn mpdu_size(size: u32) -> u32 {
    size + LLC_OVERHEAD + QOS_OVERHEAD
}

/// Returns the size of an aggregate of `size` bytes after adding an MPDU [802.11-2012 s8.6.1].
fn aggregate_size_with(size: u32, mpdu: u32) -> u32 {
    size.next_multiple_of(4) + DELIMITER + mpdu
}

impl Medium {
    /// Selects the packets of a station's next frame: unacknowledged ones first, then new ones in sequence, within the
    /// limits.
    pub(super) fn choose_batch<O: Observer>(
        &mut self,
        number: MediumStationId,
        limits: AggregateLimits,
        cx: &mut Cx<'_, O>,
    ) {
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        let head = queue.head.as_ref().expect("a queue in service has a head-of-line packet");
        let (first, alone) = (head.number, mpdu_size(head.packet.size()));
        let rate = queue.rate.rate(head.failed + 1, cx.now);
        let (mut size, mut batch) = (DELIMITER + alone, 1);
        while batch < limits.frames as usize {
            let Some(packet) = queue.peek(batch, first + WINDOW, cx) else { break };
            let grown = aggregate_size_with(size, mpdu_size(packet.size()));
            if grown > limits.bytes || self.phy.duration(rate, grown) > limits.duration {
                break;
            }
            queue.take_next(batch, cx);
            (size, batch) = (grown, batch + 1);
        }
        // A single packet is sent without aggregation and has a normal acknowledgment.
        let (size, answer) = if batch == 1 { (alone, ACK_SIZE) } else { (size, BLOCK_ACK_SIZE) };
        station.data = ExchangeData { hop: queue.hop, to: queue.to, rate, size, behind: 0, batch, answer };
        self.settle_drops(number, serving);
    }

    /// Transmits a station's selected packets as an aggregate.
    pub(super) fn send_batch<O: Observer>(&mut self, number: MediumStationId, start: Time, cx: &mut Cx<'_, O>) {
        let data = self.data(number);
        let reserves = self.answer_time(data.rate, data.answer);
        let (rate, duration) = (self.phy.rate(data.rate), self.phy.duration(data.rate, data.size));
        let preamble = self.phy.preamble(data.rate);
        let too_weak = self.is_too_weak(number, data.to, rate, cx.now);
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        let (place, alone) = (queue.counters.frames_sent, data.batch == 1);
        queue.counters.frames_sent += data.batch as u64;
        let (hop, mut size, mut corrupted) = (data.hop, 0_u32, true);
        for (packet_place, head) in (place..).zip(queue.iter_taken_mut(data.batch)) {
            head.attempts += 1;
            let bytes = mpdu_size(head.packet.size());
            let begins = size.next_multiple_of(4);
            size = aggregate_size_with(size, bytes);
            let (start, duration) = if alone {
                (start, duration)
            } else {
                (start + preamble + rate.transmission_time(begins), rate.transmission_time(size - begins))
            };
            let asked = ChannelFrame {
                now: cx.now,
                start,
                duration,
                size: bytes,
                direction: hop.direction,
                number: Some(packet_place),
            };
            head.damaged = query_channel(cx.channels, hop, &asked, rate) == FrameFate::Corrupted || too_weak;
            corrupted &= head.damaged;
            let (number, attempt) = (head.number, head.attempts);
            cx.emit(hop, || LinkEvent::FrameSent { number, attempt, packet: head.packet });
        }
        let packets = queue.iter_taken(data.batch).map(|head| head.number).collect();
        let head = queue.head.as_ref().expect("a head-of-line packet");
        let frame = AirFrame {
            kind: if alone { FrameKind::Data } else { FrameKind::Aggregate },
            start,
            duration,
            size: data.size,
            rate,
            reserves,
            packets,
            again: head.attempts > 1,
        };
        let until = self.launch_known([number, number, data.to], frame, corrupted, cx);
        self.count_sending(number, frame);
        self.wait_until(number, MediumPhase::Sending(ExchangeStep::Data), until, cx);
    }

    /// Returns the contents of the block acknowledgment of a station's aggregate: the numbers of its packets that have
    /// arrived, with this frame or earlier [802.11-2012 s9.21.3].
    pub(super) fn block_ack_contents(&self, number: MediumStationId) -> SeqBitmap {
        self.select_from_batch(number, |head| head.arrived)
    }

    /// Returns the packets of an aggregate that were lost; empty for other frames.
    pub(super) fn damaged_packets(&self, number: MediumStationId, frame: &AirFrame, reception: Reception) -> SeqBitmap {
        match reception {
            _ if frame.kind != FrameKind::Aggregate => SeqBitmap::empty_from(frame.packets.first()),
            Reception::Collided => frame.packets,
            Reception::Unheard => SeqBitmap::empty_from(frame.packets.first()),
            Reception::Received | Reception::Corrupted => self.select_from_batch(number, |head| head.damaged),
        }
    }

    /// Returns the numbers of the aggregate's packets that satisfy `is`.
    fn select_from_batch(&self, number: MediumStationId, is: impl Fn(&HeadOfLine) -> bool) -> SeqBitmap {
        let station = &self.stations[number];
        let queue = &station.queues[station.serving()];
        let first = queue.head.as_ref().map_or(0, |head| head.number);
        let chosen = queue.iter_taken(station.data.batch).filter(|head| is(head));
        chosen.fold(SeqBitmap::empty_from(first), |numbers, head| numbers.with(head.number))
    }

    /// Processes the end of a station's aggregate at its receiver.
    pub(super) fn batch_arrived<O: Observer>(
        &mut self,
        number: MediumStationId,
        reception: Reception,
        cx: &mut Cx<'_, O>,
    ) {
        let ExchangeData { hop, batch, .. } = self.data(number);
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        for place in 0..batch {
            let Some(HeadOfLine { packet, number, attempts: attempt, damaged, .. }) =
                queue.iter_taken_mut(batch).nth(place)
            else {
                break;
            };
            let (packet, number, attempt) = (*packet, *number, *attempt);
            match reception {
                Reception::Received if !*damaged => {
                    if !queue.mark_received(place) {
                        queue.counters.duplicates += 1;
                        cx.emit(hop, || LinkEvent::FrameDuplicate { number, packet });
                    }
                }
                Reception::Collided => queue.counters.frames_collided += 1,
                Reception::Received | Reception::Corrupted | Reception::Unheard => {
                    queue.counters.frames_corrupted += 1;
                    cx.emit(hop, || LinkEvent::FrameCorrupted { number, attempt, packet });
                }
            }
        }
        self.hand_up(number, cx);
    }

    /// Delivers the packets that the receiver of the transmit queue in service has in sequence.
    fn hand_up<O: Observer>(&mut self, number: MediumStationId, cx: &mut Cx<'_, O>) {
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        let hop = queue.hop;
        while let Some(packet) = queue.reorder.hand_up() {
            queue.counters.packets_delivered += 1;
            cx.emit_timing(hop, || LinkEvent::Arrived { packet });
            self.outcomes.push_back((hop, LinkOutcome::Delivered(packet)));
        }
    }

    /// Completes an exchange that was answered (`answered`), or else failed at `step`. The slots of the following
    /// back-off count from `from` on.
    pub(super) fn settle<O: Observer>(
        &mut self,
        number: MediumStationId,
        step: ExchangeStep,
        answered: bool,
        from: Option<Time>,
        cx: &mut Cx<'_, O>,
    ) {
        let long = usize::from(step == ExchangeStep::Data && self.is_long(&self.data(number)));
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        let hop = queue.hop;
        // [802.11-2012 s9.3.3]: an answer resets the contention window, and so does a packet that is given up.
        station.window = if answered { self.phy.cw_min } else { (2 * station.window + 1).min(self.phy.cw_max) };
        let batch = queue.take_batch(station.data.batch);
        let acknowledged = batch.iter().filter(|head| answered && head.arrived).count() as u32;
        queue.rate.on_aggregate(station.data.rate, batch.len() as u32, acknowledged, cx.now);
        let (mut first_done, mut done, mut left) = (false, 0, Vec::new());
        for (place, mut head) in batch.into_iter().enumerate() {
            // The block acknowledgment covers all packets that have arrived, not only the packets of this frame
            // [802.11-2012 s9.21.3].
            let acknowledged = answered && head.arrived;
            let notice;
            let mut over = acknowledged;
            if acknowledged {
                queue.drops_in_a_row = 0;
                notice = queue.reports_deliveries.then(|| (hop, head.delivery_outcome(hop)));
            } else {
                head.failures[long] += 1;
                head.failed += 1;
                let attempt = head.failed;
                over = head.failures[long] >= self.retries.limit(long == 1, queue.drops_in_a_row);
                let failed = RadioNotice { hop, packet: head.packet, attempt, last: over };
                notice = Some((hop, LinkOutcome::Failed(failed)));
                if over {
                    station.window = self.phy.cw_min;
                    queue.give_up(&head, cx);
                    // The receiver stops waiting for the packet; in 802.11 a block acknowledgment request informs it.
                    queue.reorder.pass_over(head.number);
                }
            }
            if over {
                self.outcomes.push_back((hop, LinkOutcome::Freed(head.packet.size())));
                first_done |= place == 0;
                done += 1;
            } else {
                left.push(head);
            }
            self.outcomes.extend(notice);
        }
        queue.put_back(left);
        let more = queue.has_more(cx.now);
        let besides = done - u32::from(first_done);
        self.hand_up(number, cx);
        let scheduler = &mut self.stations[number].scheduler;
        scheduler.on_attempt(Attempt { acknowledged: answered, done: first_done, besides, more }, cx.now);
        self.back_off(number, from, cx);
    }
}
