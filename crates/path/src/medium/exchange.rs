//! Frame exchanges: a station's turn, its frame, the response, and the following back-off.

use engine::{Span, Time};

use super::phase::{ExchangeStep, MediumPhase};
use super::station::ExchangeData;
use super::tx_queue::HeadOfLine;
use super::{Medium, draw_back_off};
use crate::context::{Cx, Observer};
use crate::event::{AirFrame, LinkEvent, Reception};
use crate::ids::MediumStationId;
use crate::mac::dcf::frame::{ACK_SIZE, LLC_OVERHEAD, MAC_OVERHEAD, RTS_SIZE};
use crate::mac::dcf::{FrameKind, RateIndex};
use crate::numbers::SeqBitmap;
use crate::outcome::{LinkOutcome, RadioNotice};
use crate::scheduler::Attempt;

impl Medium {
    /// Handles the timer of a station.
    pub fn on_wake<O: Observer>(&mut self, number: MediumStationId, cx: &mut Cx<'_, O>) {
        match self.stations[number].phase {
            MediumPhase::Contending { .. } | MediumPhase::Committed => self.attempt(number, cx),
            MediumPhase::Sending(step) => self.on_frame_end(number, step, cx),
            MediumPhase::AnswerDue(step) => {
                let to = self.data(number).to;
                self.begin_sensing(to, cx);
                self.send_response(number, step, cx.now, cx);
            }
            MediumPhase::Listening(step) => self.on_response_end(number, step, cx),
            MediumPhase::Unanswered(step) => {
                let station = &self.stations[number];
                let sent = station.queues[station.serving()].sent_until;
                let group = &self.groups[self.audibility.group[number]];
                let from = group.after_silence(number, station, sent, cx.now, &self.phy);
                self.fail_exchange(number, step, from, cx);
            }
            MediumPhase::NextDue => {
                self.begin_sensing(number, cx);
                self.send_data(number, cx.now, cx);
            }
            MediumPhase::Announcing => self.on_beacon_end(number, cx),
            MediumPhase::Resting { .. } => cx.schedule.disarm(self.stations[number].slot),
        }
    }

    /// Starts an exchange, or a beacon, when a station's turn has come.
    pub(super) fn attempt<O: Observer>(&mut self, number: MediumStationId, cx: &mut Cx<'_, O>) {
        self.begin_sensing(number, cx);
        if self.stations[number].announces {
            return self.send_beacon(number, cx);
        }
        self.stations[number].contended = true;
        self.choose(number, cx);
        if self.is_long(&self.data(number)) {
            self.send_request(number, cx);
        } else {
            self.send_data(number, cx.now, cx);
        }
    }

    /// Chooses a station's next data frame and its rate.
    fn choose<O: Observer>(&mut self, number: MediumStationId, cx: &mut Cx<'_, O>) {
        if let Some(limits) = self.aggregation {
            return self.choose_batch(number, limits, cx);
        }
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        let head = queue.head.as_ref().expect("a queue in service has a head-of-line packet");
        let rate = queue.rate.rate(head.failed + 1, cx.now);
        self.set_next_fragment(number, rate);
    }

    /// Sets a station's next data frame to the remainder of its packet, or a fragment of it.
    fn set_next_fragment(&mut self, number: MediumStationId, rate: RateIndex) {
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        let head = queue.head.as_ref().expect("a head-of-line packet");
        let left = head.packet.size() + LLC_OVERHEAD - head.done;
        let body = self.fragment.map_or(left, |most| left.min(most));
        station.data = ExchangeData {
            hop: queue.hop,
            to: queue.to,
            rate,
            size: body + MAC_OVERHEAD,
            behind: left - body,
            batch: 1,
            answer: ACK_SIZE,
        };
    }

    /// Returns the data frame of a station's exchange.
    pub(super) fn data(&self, number: MediumStationId) -> ExchangeData {
        self.stations[number].data
    }

    /// Returns the duration of SIFS and a response of `size` bytes to a frame at `rate`.
    pub(super) fn answer_time(&self, rate: RateIndex, size: u32) -> Span {
        self.phy.sifs + self.phy.duration(self.phy.answer_rate(rate), size)
    }

    /// Returns the duration of the next fragment and its response, with a SIFS before each; zero without a next
    /// fragment [802.11-2007 s9.1.4].
    fn next_fragment_time(&self, data: &ExchangeData) -> Span {
        if data.behind == 0 {
            return Span::ZERO;
        }
        let next = self.fragment.map_or(data.behind, |most| data.behind.min(most)) + MAC_OVERHEAD;
        self.phy.sifs + self.phy.duration(data.rate, next) + self.answer_time(data.rate, ACK_SIZE)
    }

    fn send_request<O: Observer>(&mut self, number: MediumStationId, cx: &mut Cx<'_, O>) {
        let data = self.data(number);
        let rate = self.phy.answer_rate(data.rate);
        let data_time = self.phy.sifs + self.phy.duration(data.rate, data.size);
        // [802.11-2007 s7.2.1.1]: the CTS, the data and the acknowledgment, with a SIFS before each.
        let reserves = self.answer_time(rate, ACK_SIZE) + data_time + self.answer_time(data.rate, data.answer);
        let head = self.head(number);
        let frame = AirFrame {
            kind: FrameKind::Rts,
            start: cx.now,
            duration: self.phy.duration(rate, RTS_SIZE),
            size: RTS_SIZE,
            rate: self.phy.rate(rate),
            reserves,
            packets: SeqBitmap::single(head.number),
            again: head.failures != [0; 2],
        };
        let until = self.launch([number, number, data.to], frame, data.hop, None, cx);
        self.count_sending(number, frame);
        self.wait_until(number, MediumPhase::Sending(ExchangeStep::Request), until, cx);
    }

    /// Returns the head-of-line packet of the transmit queue in service.
    pub(super) fn head(&self, number: MediumStationId) -> &HeadOfLine {
        let station = &self.stations[number];
        station.queues[station.serving()].head.as_ref().expect("a head-of-line packet")
    }

    /// Returns true if failures of a data frame count towards the long retry limit.
    pub(super) fn is_long(&self, data: &ExchangeData) -> bool {
        data.size > self.rts_threshold
    }

    /// Adds the duration of a station's frame to the busy time of its transmit queue.
    pub(super) fn count_sending(&mut self, number: MediumStationId, frame: AirFrame) {
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        queue.counters.busy = queue.counters.busy + frame.duration;
        queue.sent_until = frame.start + frame.duration;
    }

    fn send_data<O: Observer>(&mut self, number: MediumStationId, start: Time, cx: &mut Cx<'_, O>) {
        if self.aggregation.is_some() {
            return self.send_batch(number, start, cx);
        }
        let data = self.data(number);
        let reserves = self.answer_time(data.rate, ACK_SIZE) + self.next_fragment_time(&data);
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        let head = queue.head.as_mut().expect("a head-of-line packet");
        head.attempts += 1;
        let (packet_number, attempt) = (head.number, head.attempts);
        cx.emit(data.hop, || LinkEvent::FrameSent { number: packet_number, attempt, packet: head.packet });
        // [802.11-2007 s7.1.3.1.5]: the retry flag refers to this data frame; a failed RTS does not count.
        let again = head.sent > 0;
        head.sent += 1;
        let place = queue.counters.frames_sent;
        queue.counters.frames_sent += 1;
        let frame = AirFrame {
            kind: FrameKind::Data,
            start,
            duration: self.phy.duration(data.rate, data.size),
            size: data.size,
            rate: self.phy.rate(data.rate),
            reserves,
            packets: SeqBitmap::single(packet_number),
            again,
        };
        let until = self.launch([number, number, data.to], frame, data.hop, Some(place), cx);
        self.count_sending(number, frame);
        self.wait_until(number, MediumPhase::Sending(ExchangeStep::Data), until, cx);
    }

    pub(super) fn wait_until<O: Observer>(
        &mut self,
        number: MediumStationId,
        phase: MediumPhase,
        until: Time,
        cx: &mut Cx<'_, O>,
    ) {
        let station = &mut self.stations[number];
        station.phase = phase;
        cx.schedule.arm(station.slot, until);
    }

    /// Handles the end of a station's frame.
    fn on_frame_end<O: Observer>(&mut self, number: MediumStationId, step: ExchangeStep, cx: &mut Cx<'_, O>) {
        let (flying, reception) = self.land_frame(number, cx);
        let to = flying.to;
        if step == ExchangeStep::Data {
            self.receive_data(number, reception, cx);
        }
        if reception == Reception::Received && self.may_respond(to, step, cx.now) {
            if self.are_sensed_alike(&flying, to) {
                self.continue_sensing(&flying, to, cx);
                self.send_response(number, step, cx.now + self.phy.sifs, cx);
            } else {
                self.end_sensing(&flying, cx);
                self.wait_until(number, MediumPhase::AnswerDue(step), cx.now + self.phy.sifs, cx);
            }
            self.stations[to].answering = true;
            return;
        }
        self.end_sensing(&flying, cx);
        if reception == Reception::Corrupted {
            // The receiver has sensed a frame that it could not decode.
            self.stations[to].unread = Some(cx.now);
            let group = &mut self.groups[self.audibility.group[to]];
            group.separate(to, &self.phy, &mut self.stations, cx.schedule);
        }
        // The timeout counts from the end of the transmission at the sender, one propagation delay earlier.
        let sent = Time::from_nanos(cx.now.as_nanos() - self.phy.delay.as_nanos());
        self.wait_until(number, MediumPhase::Unanswered(step), sent + self.phy.answer_timeout, cx);
    }

    /// Returns true if a station responds to a frame that it received: to data always, to an RTS only if its NAV is
    /// zero [802.11-2007 s9.2.5.7]; never between two frames of an exchange that it initiated.
    fn may_respond(&self, number: MediumStationId, step: ExchangeStep, now: Time) -> bool {
        let free = match step {
            ExchangeStep::Request => self.groups[self.audibility.group[number]].is_unreserved(number, now),
            ExchangeStep::Data => true,
        };
        free && self.stations[number].phase != MediumPhase::NextDue
    }

    /// Processes a data frame at its receiver.
    fn receive_data<O: Observer>(&mut self, number: MediumStationId, reception: Reception, cx: &mut Cx<'_, O>) {
        if self.aggregation.is_some() {
            return self.batch_arrived(number, reception, cx);
        }
        let ExchangeData { hop, size, behind, .. } = self.data(number);
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        let head = queue.head.as_mut().expect("a head-of-line packet");
        let (packet, packet_number, attempt) = (head.packet, head.number, head.attempts);
        match reception {
            Reception::Received => {
                let end = head.done + size - MAC_OVERHEAD;
                let whole = behind == 0;
                head.arrived |= whole;
                if !queue.receive(packet_number, end) {
                    queue.counters.duplicates += 1;
                    cx.emit(hop, || LinkEvent::FrameDuplicate { number: packet_number, packet });
                } else if whole {
                    queue.counters.packets_delivered += 1;
                    cx.emit_timing(hop, || LinkEvent::Arrived { packet });
                    self.outcomes.push_back((hop, LinkOutcome::Delivered(packet)));
                }
            }
            Reception::Collided => queue.counters.frames_collided += 1,
            Reception::Corrupted | Reception::Unheard => {
                queue.counters.frames_corrupted += 1;
                cx.emit(hop, || LinkEvent::FrameCorrupted { number: packet_number, attempt, packet });
            }
        }
    }

    /// Transmits the response to a station's frame at `start`.
    fn send_response<O: Observer>(
        &mut self,
        number: MediumStationId,
        step: ExchangeStep,
        start: Time,
        cx: &mut Cx<'_, O>,
    ) {
        let data = self.data(number);
        let (kind, asked, size) = match step {
            ExchangeStep::Request => (FrameKind::Cts, self.phy.answer_rate(data.rate), ACK_SIZE),
            ExchangeStep::Data if data.batch > 1 => (FrameKind::BlockAck, data.rate, data.answer),
            ExchangeStep::Data => (FrameKind::Ack, data.rate, data.answer),
        };
        let rate = self.phy.answer_rate(asked);
        let reserves = match step {
            // The duration field of the CTS: that of the RTS, less SIFS and the duration of the CTS [802.11-2007
            // s7.2.1.2].
            ExchangeStep::Request => {
                self.phy.sifs + self.phy.duration(data.rate, data.size) + self.answer_time(data.rate, data.answer)
            }
            ExchangeStep::Data => self.next_fragment_time(&data),
        };
        let frame = AirFrame {
            kind,
            start,
            duration: self.phy.duration(rate, size),
            size,
            rate: self.phy.rate(rate),
            reserves,
            packets: match kind {
                FrameKind::BlockAck => self.block_ack_contents(number),
                _ => SeqBitmap::single(self.head(number).number),
            },
            again: false,
        };
        let back = data.hop.opposite();
        let until = self.launch([number, data.to, number], frame, back, None, cx);
        self.wait_until(number, MediumPhase::Listening(step), until, cx);
    }

    /// Handles the end of the response.
    fn on_response_end<O: Observer>(&mut self, number: MediumStationId, step: ExchangeStep, cx: &mut Cx<'_, O>) {
        let (flying, reception) = self.land_frame(number, cx);
        self.stations[flying.from].answering = false;
        if reception != Reception::Received {
            self.end_sensing(&flying, cx);
            if step == ExchangeStep::Data {
                let (hop, packet_number) = (self.data(number).hop, self.head(number).number);
                cx.emit(hop, || LinkEvent::AckCorrupted { number: packet_number });
            }
            // EIFS follows if the response was sensed, since it ended the group's idle period. A station that did not
            // sense the response counts slots from now.
            let (group, station) = (self.audibility.group[number], &mut self.stations[number]);
            station.unread = Some(cx.now);
            let from = self.groups[group].counts_from(number, station, &self.phy).max(cx.now);
            return self.fail_exchange(number, step, from, cx);
        }
        let goes_on = match step {
            ExchangeStep::Request => self.request_done(number),
            ExchangeStep::Data => self.fragment_done(number),
        };
        if !goes_on {
            self.end_sensing(&flying, cx);
            return self.complete_exchange(number, cx);
        }
        let next = cx.now + self.phy.sifs;
        if self.are_sensed_alike(&flying, number) {
            self.continue_sensing(&flying, number, cx);
            self.send_data(number, next, cx);
        } else {
            self.end_sensing(&flying, cx);
            self.wait_until(number, MediumPhase::NextDue, next, cx);
        }
    }

    /// Handles a CTS, which is a success of a short frame; data follows. Returns true.
    fn request_done(&mut self, number: MediumStationId) -> bool {
        let station = &mut self.stations[number];
        let (serving, batch) = (station.serving(), station.data.batch);
        // [802.11-2007 s9.2.5.3]. The contention window is unchanged [s9.2.4].
        for head in station.queues[serving].iter_taken_mut(batch) {
            head.failures[0] = 0;
        }
        true
    }

    /// Handles an acknowledged fragment; returns true if another fragment follows.
    fn fragment_done(&mut self, number: MediumStationId) -> bool {
        let ExchangeData { size, behind, rate, .. } = self.data(number);
        if behind > 0 {
            let station = &mut self.stations[number];
            let serving = station.serving();
            let head = station.queues[serving].head.as_mut().expect("a head-of-line packet");
            head.done += size - MAC_OVERHEAD;
            head.failures = [0; 2];
            head.sent = 0;
            // The window is reset after each acknowledged MPDU [802.11-2007 s9.2.4], and a fragment is an MPDU.
            station.window = self.phy.cw_min;
            // The previous frame announced the duration of this fragment. Therefore the rate must be the same.
            self.set_next_fragment(number, rate);
        }
        behind > 0
    }

    /// Completes an exchange whose packet was acknowledged.
    fn complete_exchange<O: Observer>(&mut self, number: MediumStationId, cx: &mut Cx<'_, O>) {
        if self.aggregation.is_some() {
            return self.settle(number, ExchangeStep::Data, true, None, cx);
        }
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        queue.rate.on_attempt(station.data.rate, true, cx.now);
        queue.drops_in_a_row = 0;
        let hop = queue.hop;
        if let Some(head) = &queue.head {
            self.outcomes.push_back((hop, LinkOutcome::Freed(head.packet.size())));
            if queue.reports_deliveries {
                self.outcomes.push_back((hop, head.delivery_outcome(hop)));
            }
        }
        queue.head = None;
        let more = queue.has_more(cx.now);
        station.scheduler.on_attempt(Attempt { acknowledged: true, done: true, besides: 0, more }, cx.now);
        station.window = self.phy.cw_min;
        self.back_off(number, None, cx);
    }

    /// Completes a failed attempt; slots count from `from` on, if the medium is idle.
    fn fail_exchange<O: Observer>(
        &mut self,
        number: MediumStationId,
        step: ExchangeStep,
        from: Time,
        cx: &mut Cx<'_, O>,
    ) {
        if self.aggregation.is_some() {
            return self.settle(number, step, false, Some(from), cx);
        }
        let data = self.data(number);
        let long = step == ExchangeStep::Data && self.is_long(&data);
        let station = &mut self.stations[number];
        let serving = station.serving();
        let queue = &mut station.queues[serving];
        queue.rate.on_attempt(station.data.rate, false, cx.now);
        let head = queue.head.as_mut().expect("a head-of-line packet");
        head.failures[usize::from(long)] += 1;
        head.failed += 1;
        let limit = self.retries.limit(long, queue.drops_in_a_row);
        let last = head.failures[usize::from(long)] >= limit;
        let attempt = head.failed;
        let (hop, packet) = (queue.hop, head.packet);
        // [802.11-2007 s9.2.4]: the contention window doubles.
        station.window = (2 * station.window + 1).min(self.phy.cw_max);
        if last {
            if let Some(head) = queue.head.take() {
                queue.give_up(&head, cx);
            }
            self.outcomes.push_back((hop, LinkOutcome::Freed(packet.size())));
            station.window = self.phy.cw_min;
        }
        let more = queue.has_more(cx.now);
        station.scheduler.on_attempt(Attempt { acknowledged: false, done: last, besides: 0, more }, cx.now);
        self.outcomes.push_back((hop, LinkOutcome::Failed(RadioNotice { hop, packet, attempt, last })));
        self.back_off(number, Some(from), cx);
    }

    /// Starts the back-off after an exchange, with or without further data. The slots count from `from` on, or from the
    /// time of the group if `None`.
    pub(super) fn back_off<O: Observer>(&mut self, number: MediumStationId, from: Option<Time>, cx: &mut Cx<'_, O>) {
        let station = &mut self.stations[number];
        let slots = draw_back_off(self.number, number, station, cx);
        cx.schedule.disarm(station.slot);
        let group = &mut self.groups[self.audibility.group[number]];
        let from = from.unwrap_or_else(|| group.counts_from(number, station, &self.phy));
        match station.scheduler.next() {
            Some(queue) => self.take_head(number, queue, cx),
            // A beacon that was queued during the exchange.
            None if station.announces => {}
            None => return group.rest(number, cx.now, from, slots, &self.phy, &mut self.stations, cx.schedule),
        }
        let group = &mut self.groups[self.audibility.group[number]];
        group.join_apart(number, cx.now, from, slots, &self.phy, &mut self.stations, cx.schedule);
    }
}
