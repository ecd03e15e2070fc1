//! The packets of a connection as facts.

use std::collections::{HashMap, VecDeque};

use engine::{Span, Time};
use observation::captured::{CapturedFate, CapturedTransmission, LinkService};
use observation::{CapturedFact, CapturedSink, Evidence, Rule, Unseen};
use tcp::{Blocked, Reason};
use wire::{Flags, Segment, SeqNum};

use super::blocked_reasons::{BlockedReasons, infer_reason};
use super::duplicate_report::find_duplicate_report;
use super::fact_queue::FactQueue;
use super::retransmissions::{RetransmissionState, RetransmittedRange};
use super::survey::Survey;
use super::transmissions::{AckTimes, ReplayedSegment, SegmentFate, Transmissions};
use super::window_estimate::WindowEstimate;
use crate::packet::{End, Packet};

/// Largest number of transmissions whose fate is awaited, and a quarter of the largest number of facts that wait.
/// Beyond, the fate of the oldest ones remains unknown.
const MAX_KEPT: usize = 1 << 20;

/// The largest plausible segment in bytes: offloading merges 512 kB at most.
const MAX_SEGMENT: u32 = 1 << 20;

/// Maximum number of segments into which one gap is divided. In larger gaps the segments are larger.
const MAX_MISSING: u64 = 1024;

/// Counts of a connection's segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SegmentCounts {
    /// Segments of data, split where offloading merged them.
    pub segments: u64,
    /// Retransmissions.
    pub repeated: u64,
    /// Number of segments that were never captured although later ones were.
    pub missing: u64,
    /// Segments captured out of order that are not retransmissions.
    pub reordered: u64,
    /// Keep-alives and probes of a closed window.
    pub probes: u64,
    /// Number of times that the receiver closed its window.
    pub closed_windows: u64,
    /// Duplicate acknowledgments: the acknowledgment number did not advance while data was in flight.
    pub duplicates: u64,
    /// Transmissions whose fate is unknown at the end.
    pub unresolved: u64,
}

/// The fates of transmissions of data, by the times at which they were captured and their first bytes, modulo 2^32, if
/// both ends captured.
pub type Truth = HashMap<(Time, u32), Evidence<CapturedFate>, foldhash::fast::RandomState>;

/// Turns the packets of a connection into facts, for a sink.
pub struct Replay<'a, S> {
    sink: S,
    state: ReplayState<'a>,
}

/// A replay without its sink.
struct ReplayState<'a> {
    survey: &'a Survey,
    truth: Option<&'a Truth>,
    queue: FactQueue,
    transmissions: Transmissions,
    sender: RetransmissionState,
    blocked: BlockedReasons,
    window: WindowEstimate,
    counts: SegmentCounts,
    /// Acknowledgments on their way from the place of capture to the sender.
    acks: VecDeque<(Time, Segment)>,
    now: Time,
    una: u64,
    max: u64,
    /// The receive window in bytes from `una` on.
    receive_window: Evidence<u64>,
    /// Whether the last data segment had PSH or was not full.
    write_ended: bool,
    last_sent: Time,
    /// End of the bottleneck's last transmission.
    free: Time,
    /// The propagation delay; zero if it is unknown.
    propagation: Span,
    /// The transmission time of a full segment; zero if the rate is unknown.
    transmission: Span,
    /// The first byte never sent when the window was last reduced for a mark.
    marked_until: u64,
    opening: bool,
    completed: bool,
}

impl<'a, S: CapturedSink> Replay<'a, S> {
    /// Sends the facts of the surveyed connection to `sink`.
    pub fn new(survey: &'a Survey, sink: S) -> Self {
        Replay { sink, state: ReplayState::new(survey) }
    }

    /// Adds the fates of transmissions that a second capture shows.
    pub fn with_truth(mut self, truth: &'a Truth) -> Self {
        self.state.truth = Some(truth);
        self
    }

    /// Reads a packet of the connection.
    pub fn on_packet(&mut self, packet: &Packet) {
        let sink = &mut self.sink;
        self.state.on_packet(packet, &mut |at, fact| sink.on_captured(at, fact));
    }

    /// The sink, with the facts so far.
    pub fn sink(&self) -> &S {
        &self.sink
    }

    /// Ends the connection. Returns the sink, the counts and the time of the end.
    pub fn finish(self) -> (S, SegmentCounts, Time) {
        let Replay { mut sink, mut state } = self;
        let end = state.finish(&mut |at, fact| sink.on_captured(at, fact));
        (sink, state.counts, end)
    }
}

/// Receives facts.
type Emit<'a> = &'a mut dyn FnMut(Time, &CapturedFact);

impl<'a> ReplayState<'a> {
    fn new(survey: &'a Survey) -> Self {
        let (propagation, transmission) = (survey.delay().value().unwrap_or(Span::ZERO), survey.transmission_time());
        let round_trip = survey.round_trip_threshold();
        let mut queue = FactQueue::default();
        queue.add(survey.stream.start, CapturedFact::Began);
        ReplayState {
            survey,
            truth: None,
            queue,
            transmissions: Transmissions::new(round_trip, propagation, transmission),
            sender: RetransmissionState::new(survey),
            blocked: BlockedReasons::default(),
            window: WindowEstimate::new(survey.mss, survey.sack),
            counts: SegmentCounts::default(),
            acks: VecDeque::new(),
            now: survey.stream.start,
            una: 0,
            max: 0,
            receive_window: survey.window,
            write_ended: false,
            last_sent: survey.stream.start,
            free: survey.stream.start,
            propagation,
            transmission,
            marked_until: 0,
            opening: false,
            completed: false,
        }
    }

    fn on_packet(&mut self, packet: &Packet, emit: Emit<'_>) {
        let (Some(segment), Some(of)) = (packet.segment(), packet.stream) else { return };
        // Files need not be in order of time.
        let at = packet.at.max(self.now);
        self.now = at;
        if of.stream != self.survey.number {
            return;
        }
        if of.from == self.survey.sender {
            self.deliver_acks(at, emit);
            self.follow_handshake(at, segment, of.from);
            self.on_data(at, segment);
            self.flush_decided(at, emit);
        } else {
            self.follow_handshake(at, segment, of.from);
            if segment.flags.has(Flags::SYN) {
                let opened = CapturedFact::ReceiverOpened { window: segment.window.into() };
                self.queue.add(at + self.survey.offset_to_sender(), opened);
            } else if segment.flags.has(Flags::ACK) {
                self.acks.push_back((at + self.survey.offset_to_sender(), *segment));
            }
            self.deliver_acks(at, emit);
        }
    }

    /// Ends the connection. Returns the time of the end.
    fn finish(&mut self, emit: Emit<'_>) -> Time {
        let end = self.now + self.survey.offset_to_sender();
        self.deliver_acks(end, emit);
        self.blocked.resolve(end, self.last_reason(), Span::ZERO);
        self.report_blocked();
        // Queueing makes round trips longer than the minimum, and a sender that still waits has no sign of a loss.
        let answer = self.survey.round_trip_threshold().times(2).max(self.sender.longest_timeout());
        while let Some(mut transmission) = self.transmissions.take_oldest() {
            if transmission.fate == SegmentFate::Open {
                self.counts.unresolved += 1;
                // No acknowledgment followed in time.
                let answered = transmission.at + answer;
                transmission.fate = if answered < end { SegmentFate::Silent } else { SegmentFate::Open };
            }
            self.report_transmission(&transmission);
        }
        self.queue.flush(end + Span::from_nanos(1), emit);
        end
    }

    /// Handles the acknowledgments that have reached the sender by now.
    fn deliver_acks(&mut self, now: Time, emit: Emit<'_>) {
        while let Some((at, segment)) = self.acks.front().copied().filter(|(at, _)| *at <= now) {
            self.acks.pop_front();
            self.on_ack(at, &segment);
            self.flush_decided(at, emit);
        }
    }

    /// Follows the handshake at the sender.
    fn follow_handshake(&mut self, at: Time, segment: &Segment, from: End) {
        let syn = segment.flags.has(Flags::SYN);
        self.opening = match (syn, from == self.survey.sender) {
            (true, true) if !self.opening && self.max == 0 => true,
            // The SYN-ACK reaches a client, the first segment after it a server.
            (true, false) if self.opening && self.survey.sender == End::Client => false,
            (false, false) if self.opening && self.survey.sender == End::Server => false,
            (false, true) if self.opening => false,
            _ => return,
        };
        let at = if from == self.survey.sender { at } else { at + self.survey.offset_to_sender() };
        self.queue.add(at, if self.opening { CapturedFact::HandshakeBegan } else { CapturedFact::HandshakeEnded });
    }

    fn on_data(&mut self, at: Time, segment: &Segment) {
        if segment.len == 0 || segment.len > MAX_SEGMENT || segment.flags.has(Flags::SYN) {
            return;
        }
        let Some(seq) = segment.seq.offset_from(self.survey.origin, self.max) else { return };
        let end = seq + u64::from(segment.len);
        if self.is_probe(seq, segment.len) {
            self.counts.probes += 1;
            return;
        }
        // Beyond any window: a damaged segment, or another connection.
        if seq > self.max + (1 << 30) {
            return;
        }
        if seq > self.max {
            self.add_missing(at, seq, segment);
        }
        let sent_before = self.max;
        let mut from = seq;
        while from < end {
            let mss = u64::from(self.survey.mss);
            let limit = if from < self.max { self.max.min(end) } else { end };
            let to = limit.min(from + mss);
            self.add_piece(at, from, to, segment);
            from = to;
        }
        self.write_ended = segment.flags.has(Flags::PSH) || segment.len < self.survey.mss;
        self.last_sent = at;
        let changed = self.max > sent_before && self.window.raise_to_flight(self.max - self.una);
        self.update_blocked_reason(at, changed);
    }

    /// Whether the only purpose of a segment is to request an acknowledgment: a keep-alive, or a probe of a closed
    /// window.
    fn is_probe(&self, seq: u64, len: u32) -> bool {
        let keep_alive = len == 1 && seq + 1 == self.max && self.una == self.max;
        let closed = self.receive_window.value() == Some(0) && seq <= self.una && len <= 1;
        keep_alive || closed
    }

    /// Adds data before `seq` that was not captured.
    fn add_missing(&mut self, at: Time, seq: u64, segment: &Segment) {
        let stamp = segment.options.timestamps.map(|stamps| stamps.value);
        let mss = u64::from(self.survey.mss).max((seq - self.max) / MAX_MISSING);
        while self.max < seq {
            let to = seq.min(self.max + mss);
            self.counts.missing += 1;
            self.add_transmission(at, (self.max, to), Reason::New, stamp, true);
            self.max = to;
        }
    }

    /// Adds a segment of at most full size, either new or a retransmission.
    fn add_piece(&mut self, at: Time, seq: u64, end: u64, segment: &Segment) {
        let stamp = segment.options.timestamps.map(|stamps| stamps.value);
        self.counts.segments += 1;
        if seq >= self.max {
            let reaction = self.sender.reaction();
            let soon = at.since(self.last_sent.min(at)).times(2) < self.survey.round_trip_threshold();
            let reason = if self.sender.is_ack_clocked(at) || self.sender.in_loss_recovery() {
                Blocked::Cwnd
            } else if self.una < self.max && soon && !self.write_ended {
                // Away from the sender, the path spaces segments, too.
                if self.survey.is_at_sender() { Blocked::Pacing } else { Blocked::Cwnd }
            } else {
                Blocked::Data
            };
            self.blocked.resolve(at, infer_reason(reason), reaction);
            self.sender.on_new_data(at, self.una == self.max);
            self.max = end;
            self.add_transmission(at, (seq, end), Reason::New, stamp, false);
            return;
        }
        // A retransmission follows an acknowledgment of the segment after the gap.
        let least = Span::from_millis(3).max(Span::from_nanos(self.survey.round_trip_threshold().as_nanos() / 10 * 9));
        let is_late = |unseen: &&mut ReplayedSegment| match (unseen.stamp, stamp) {
            (Some(behind), Some(stamp)) if behind != stamp => (stamp.wrapping_sub(behind) as i32) < 0,
            _ => at.since(unseen.at.min(at)) < least,
        };
        if let Some(unseen) = self.transmissions.find_unseen(seq).filter(is_late) {
            (unseen.unseen, unseen.stamp) = (false, stamp);
            self.counts.reordered += 1;
            self.counts.missing -= 1;
            return;
        }
        self.counts.repeated += 1;
        let reason = self.on_retransmission(at, seq, end);
        self.add_transmission(at, (seq, end), reason, stamp, false);
    }

    /// Returns the reason of a retransmission, which may begin a recovery.
    fn on_retransmission(&mut self, at: Time, seq: u64, end: u64) -> Reason {
        let first = seq <= self.una || !self.transmissions.is_open(self.una);
        let repeated = RetransmittedRange { first, last: end >= self.max, max: self.max };
        let cause = self.sender.classify_retransmission(at, repeated);
        let evidence = if self.survey.is_at_sender() {
            Evidence::infer(cause.reason, Rule::RetransmissionCause)
        } else {
            Evidence::Unknown(Unseen::NotAtSender)
        };
        match cause.reason {
            Reason::Timeout if cause.begins => {
                let nth = self.sender.timeouts();
                let next = self.sender.infer_timeout(nth);
                self.queue.add(at, CapturedFact::TimerExpired { seq: self.una, nth, cause: evidence, next });
                if nth == 1 {
                    self.window.reduce_for_timeout(self.max - self.una);
                    self.report_window(at);
                }
            }
            Reason::FastRetransmit if cause.begins => {
                self.queue.add(at, CapturedFact::FastRetransmit { seq, cause: evidence });
                self.window.reduce_for_recovery(self.max - self.una);
                self.report_window(at);
            }
            _ => {}
        }
        cause.reason
    }

    /// Adds a segment that enters the path. The fact of the segment follows when its fate is decided.
    fn add_transmission(&mut self, at: Time, (seq, end): (u64, u64), reason: Reason, stamp: Option<u32>, unseen: bool) {
        let number = self.queue.reserve_number();
        let fate = SegmentFate::Open;
        self.transmissions.add(ReplayedSegment { seq, end, at, reason, stamp, number, unseen, estimated: false, fate });
    }

    fn on_ack(&mut self, at: Time, segment: &Segment) {
        let Some(stated) = segment.ack.offset_from(self.survey.origin, self.una) else { return };
        // A FIN occupies a sequence number, too.
        let ack = stated.min(self.max);
        let window = self.read_receive_window(segment);
        let advances = ack > self.una;
        let sack = segment.options.sack.as_slice();
        let changes = window.value() != self.receive_window.value();
        let duplicate = ack == self.una
            && self.una < self.max
            && segment.len == 0
            && (!changes || !sack.is_empty())
            && window.value() != Some(0);
        let sent = Time::from_nanos(at.as_nanos().saturating_sub(self.propagation.as_nanos()));
        self.queue.add(sent, CapturedFact::AckSent { ack });
        self.queue.add(at, CapturedFact::AckArrived { ack, window });
        if stated <= self.survey.bytes + 1
            && let Some((from, to)) = find_duplicate_report(segment, self.survey.origin, stated)
        {
            self.queue.add(sent, CapturedFact::DuplicateReported { from, to });
        }
        if ack < self.una {
            return;
        }
        let echo = segment.options.timestamps.map(|stamps| stamps.echo).filter(|_| advances);
        let smoothed = self.sender.smoothed_round_trip().unwrap_or_else(|| self.survey.round_trip_threshold());
        let usual = Span::from_nanos(smoothed.as_nanos().saturating_sub(self.propagation.as_nanos()));
        let answer = AckTimes { at, sent, echo, usual };
        if advances {
            self.measure_round_trip(at, ack);
        }
        if advances || duplicate {
            self.queue.add(at, CapturedFact::Acked { ack, duplicate: !advances });
            self.counts.duplicates += u64::from(duplicate);
            self.transmissions.acknowledge(ack, advances, answer);
        }
        for (from, to) in sack {
            let offset = |seq: SeqNum| seq.offset_from(self.survey.origin, ack);
            if let (Some(from), Some(to)) = (offset(*from), offset(*to))
                && ack < from
                && from < to
                && to <= self.max
            {
                self.transmissions.selectively_acknowledge(from, to, answer);
            }
        }
        self.una = ack;
        if changes && window.value() == Some(0) {
            self.counts.closed_windows += 1;
        }
        self.receive_window = window;
        self.follow_recovery(at, ack, advances);
        if (advances || duplicate) && self.window.on_ack(advances) {
            self.report_window(at);
        }
        let changed = self.follow_mark(segment);
        self.update_blocked_reason(at, changed);
        if advances && ack == self.survey.bytes && !self.completed {
            self.completed = true;
            let ends = if self.survey.has_fin() { Evidence::Known(true) } else { Evidence::Unknown(Unseen::NoFin) };
            self.queue.add(at, CapturedFact::AllAcknowledged { ends });
        }
    }

    /// Returns the receive window of an acknowledgment. A zero window is known even without the scale.
    fn read_receive_window(&self, segment: &Segment) -> Evidence<u64> {
        if self.survey.scale_known || segment.window == 0 {
            Evidence::Known(segment.window.into())
        } else {
            Evidence::Unknown(Unseen::NoWindowScale)
        }
    }

    /// Reports the end of a recovery, if an acknowledgment ends it.
    fn follow_recovery(&mut self, at: Time, ack: u64, advances: bool) {
        if self.sender.on_ack(at, ack, advances) {
            self.queue.add(at, CapturedFact::RecoveryEnd);
            self.window.end_repair();
            self.report_window(at);
        }
    }

    /// Measures a round trip with the last segment that an acknowledgment covers, unless that segment was
    /// retransmitted.
    fn measure_round_trip(&mut self, at: Time, ack: u64) {
        let Some((sent, len)) = self.transmissions.find_sent_once(ack) else { return };
        let rtt = at.since(sent.min(at));
        self.sender.add_round_trip(rtt);
        let smoothed = self.sender.smoothed_round_trip().unwrap_or(rtt);
        let timeout = self.sender.infer_timeout(0);
        // At an unknown place, the time until the acknowledgment is a part of the round trip, of unknown size.
        if !self.survey.round_trip().is_unknown() {
            self.queue.add(at, CapturedFact::RoundTrip { rtt, smoothed, timeout, len });
        }
    }

    /// Reduces the window for the first echo of a mark in a round trip. Returns whether it did.
    fn follow_mark(&mut self, segment: &Segment) -> bool {
        let is_first = segment.flags.has(Flags::ECE) && self.una >= self.marked_until && self.una < self.max;
        if is_first {
            self.marked_until = self.max;
            self.window.reduce_for_mark(self.max - self.una);
        }
        is_first
    }

    /// Finds the reason for which the sender sends nothing now; `changed` states whether the sender's windows changed.
    fn update_blocked_reason(&mut self, at: Time, mut changed: bool) {
        let flight = self.max - self.una;
        let next = u64::from(self.survey.mss).min(self.survey.bytes.saturating_sub(self.max));
        let full_window = self.receive_window.value().filter(|window| flight + next > *window);
        let reason = if next == 0 {
            Some(self.last_reason())
        } else if let Some(window) = full_window {
            changed |= self.window.raise_to_flight(window);
            Some(infer_reason(Blocked::PeerWindow))
        } else {
            None
        };
        self.blocked.set_reason(at, reason, self.sender.reaction());
        if changed {
            self.report_window(at);
        }
    }

    /// The reason after the last segment: without a FIN, more data may wait, for any reason.
    fn last_reason(&self) -> Evidence<Blocked> {
        let high = if self.survey.has_fin() { Blocked::Data } else { Blocked::Pacing };
        Evidence::Inferred { value: Blocked::Data, low: Blocked::Data, high, rule: Rule::NextSegment }
    }

    fn report_window(&mut self, at: Time) {
        self.queue.add(at, self.window.to_fact());
    }

    fn report_blocked(&mut self) {
        for (at, reason) in self.blocked.take_known() {
            if reason.value() == Some(Blocked::Cwnd)
                && !self.sender.in_loss_recovery()
                && self.window.set_to_flight(at, self.max - self.una, self.survey.round_trip_threshold())
            {
                self.report_window(at);
            }
            self.queue.add(at, CapturedFact::Blocked(reason));
        }
    }

    /// Passes on the facts that are decided.
    fn flush_decided(&mut self, now: Time, emit: Emit<'_>) {
        self.report_blocked();
        while let Some(transmission) = self.transmissions.take_decided() {
            self.report_transmission(&transmission);
        }
        while self.transmissions.len() > MAX_KEPT || self.queue.len() > 4 * MAX_KEPT {
            let Some(transmission) = self.transmissions.take_oldest() else { break };
            self.counts.unresolved += u64::from(transmission.fate == SegmentFate::Open);
            self.report_transmission(&transmission);
        }
        let before = now.as_nanos().saturating_sub(self.propagation.as_nanos());
        let horizon = [self.transmissions.oldest_time(), self.blocked.unknown_since()];
        let horizon = horizon.into_iter().flatten().fold(Time::from_nanos(before), Time::min);
        self.queue.flush(horizon, emit);
    }

    /// Returns the fate of a transmission, from a second capture, or else from acknowledgments.
    fn find_fate(&self, transmission: &ReplayedSegment) -> Evidence<CapturedFate> {
        let truth = self.truth.and_then(|truth| truth.get(&(transmission.at, transmission.seq as u32)));
        if let Some(fate) = truth {
            return *fate;
        }
        match transmission.fate {
            SegmentFate::Open => Evidence::Unknown(Unseen::CaptureEnds),
            SegmentFate::Lost => Evidence::infer(CapturedFate::Lost, Rule::Acknowledgments),
            SegmentFate::Silent => Evidence::infer(CapturedFate::Lost, Rule::Silence),
            SegmentFate::Arrived { at, by } => Evidence::Inferred {
                value: CapturedFate::Arrived(at),
                low: CapturedFate::Arrived(transmission.at),
                high: CapturedFate::Arrived(by),
                rule: Rule::Acknowledgments,
            },
        }
    }

    /// Reports a segment with its way through the slowest link.
    fn report_transmission(&mut self, transmission: &ReplayedSegment) {
        let ReplayedSegment { seq, end, at, number, reason, .. } = *transmission;
        let len = (end - seq) as u32;
        let mut fate = self.find_fate(transmission);
        let is_captured = matches!(fate, Evidence::Inferred { rule: Rule::BothCaptures, .. });
        let (mut service, mut arrives) = (None, None);
        if let Some(CapturedFate::Arrived(arrival)) = fate.value() {
            let starts = self.free.max(at);
            let left = |arrival: Time| {
                let left = arrival.as_nanos().saturating_sub(self.propagation.as_nanos());
                Time::from_nanos(left).max(starts)
            };
            // An overtaken segment was delayed after the queue, because later segments would have waited behind it in
            // the queue.
            let overtaken = self.transmissions.next_arrival().filter(|next| *next < arrival);
            let leaves = left(overtaken.unwrap_or(arrival));
            // Segments before it occupied the link, unless the arrival was captured.
            let least = (leaves + self.propagation).max(arrival);
            let arrival = if is_captured { arrival } else { least };
            if !is_captured {
                fate = delay_arrival(fate, least);
            }
            (service, arrives) = (Some(LinkService { starts, leaves }), Some(arrival));
            self.free = leaves;
        }
        let reason = match reason {
            Reason::New => Evidence::Known(reason),
            _ => Evidence::infer(reason, Rule::RetransmissionCause),
        };
        let sent = CapturedTransmission { seq, len, reason, fate, service };
        self.queue.add_numbered(at, number, CapturedFact::Sent(sent));
        if let Some(arrives) = arrives {
            self.queue.add(arrives, CapturedFact::Arrived { seq, len });
        } else if fate.value() == Some(CapturedFate::Lost) {
            let lost = at + self.propagation + self.transmission;
            self.queue.add(lost, CapturedFact::Lost { seq, len, sent: at });
        }
    }
}

/// Returns an inferred arrival that is not before `least`, because segments before it occupied the link.
fn delay_arrival(fate: Evidence<CapturedFate>, least: Time) -> Evidence<CapturedFate> {
    let delay = |fate: CapturedFate| fate.map_arrival(|at| at.max(least));
    match fate {
        Evidence::Inferred { value, low, high, rule } => {
            Evidence::Inferred { value: delay(value), low, high: delay(high), rule }
        }
        Evidence::Known(_) | Evidence::Unknown(_) => fate,
    }
}
