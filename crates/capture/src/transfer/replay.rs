//! The packets of a connection as events.

use std::collections::{HashMap, VecDeque};

use engine::{Span, Time};
use path::{HopId, LinkDirection, LinkEvent};
use sim::{Event, NodeEvent, PacketFlow, Sink};
use tcp::{Blocked, Reason};
use wire::{Addr, Body, Flags, Segment, SeqNum};

use super::classify::Sender;
use super::limits::{Limits, Window};
use super::network::{RECEIVER, SENDER, propagation, transmission};
use super::queue::Queue;
use super::survey::{Survey, Vantage};
use super::transmissions::{Answer, Fate, Transmission, Transmissions};
use crate::packet::{End, Packet};

/// Transmissions and events that are kept at most. What is not known of the oldest ones then remains unknown.
const MAX_KEPT: usize = 1 << 20;

/// The largest segment that is believed, in bytes: offloading makes them of 512 kB at most.
const MAX_SEGMENT: u32 = 1 << 20;

/// The largest number of segments that are taken to be missing in one place; beyond, they are larger.
const MAX_MISSING: u64 = 1024;

/// The longest timeout in events.
const MAX_TIMEOUT: Span = Span::from_secs(1_000_000);

const FLOW: u32 = 0;
const FORWARD: HopId = HopId { link: 0, direction: LinkDirection::Forward };
const BACKWARD: HopId = HopId { link: 0, direction: LinkDirection::Backward };

/// What was counted on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Segments of data, split where offloading merged them.
    pub segments: u64,
    /// Those that were sent again.
    pub repeated: u64,
    /// Those that were missing when later ones were captured, and never seen.
    pub missing: u64,
    /// Those captured after later ones, without being repetitions.
    pub reordered: u64,
    /// Keep-alives and probes of a closed window.
    pub probes: u64,
    /// Times at which the receiver closed its window.
    pub closed_windows: u64,
    /// Acknowledgments that did not advance, with data under way.
    pub duplicates: u64,
    /// Transmissions of which it is not known whether they arrived, at the end.
    pub unresolved: u64,
}

/// When transmissions of data arrived at the receiver, if they did, by the times at which they were captured and their
/// first bytes, modulo 2^32. It is known if both ends captured.
pub type Truth = HashMap<(Time, u32), Option<Time>, foldhash::fast::RandomState>;

/// Makes events of the packets of a connection, for a sink.
pub struct Replay<'a, S> {
    sink: S,
    state: State<'a>,
}

/// What does not depend on the sink.
struct State<'a> {
    survey: &'a Survey,
    truth: Option<&'a Truth>,
    queue: Queue,
    transmissions: Transmissions,
    sender: Sender,
    limits: Limits,
    window: Window,
    counts: Counts,
    /// Acknowledgments on their way from the place of capture to the sender.
    acks: VecDeque<(Time, Segment)>,
    now: Time,
    una: u64,
    max: u64,
    /// The receive window in bytes from `una` on; `None` if its scale is unknown.
    receive_window: Option<u64>,
    /// The end of the last data segment had PSH, or it was not full.
    write_ended: bool,
    last_sent: Time,
    /// The end of the last transmission of the link.
    free: Time,
    propagation: Span,
    transmission: Span,
    opening: bool,
    completed: bool,
}

impl<'a, S: Sink> Replay<'a, S> {
    /// Sends the events of the surveyed connection to `sink`, which knows its [`network`](super::network()).
    pub fn new(survey: &'a Survey, sink: S) -> Self {
        Replay { sink, state: State::new(survey) }
    }

    /// The same with what is known of the transmissions.
    pub fn with_truth(mut self, truth: &'a Truth) -> Self {
        self.state.truth = Some(truth);
        self
    }

    /// Reads a packet of the connection.
    pub fn packet(&mut self, packet: &Packet) {
        let sink = &mut self.sink;
        self.state.packet(packet, &mut |at, event| sink.event(at, event));
    }

    /// The sink of the events so far.
    pub fn sink(&self) -> &S {
        &self.sink
    }

    /// Ends the connection. Returns the sink, the counts and the time of the end.
    pub fn finish(self) -> (S, Counts, Time) {
        let Replay { mut sink, mut state } = self;
        let end = state.finish(&mut |at, event| sink.event(at, event));
        (sink, state.counts, end)
    }
}

/// Receives events.
type Emit<'a> = &'a mut dyn FnMut(Time, &Event);

impl<'a> State<'a> {
    fn new(survey: &'a Survey) -> Self {
        let (propagation, transmission) = (propagation(survey), transmission(survey));
        let round_trip = survey.round_trip();
        let mut queue = Queue::default();
        queue.add(survey.stream.start, Event::FlowStarted { flow: FLOW });
        State {
            survey,
            truth: None,
            queue,
            transmissions: Transmissions::new(round_trip, propagation, transmission),
            sender: Sender::new(round_trip, survey.is_at_sender()),
            limits: Limits::default(),
            window: Window::new(survey.mss, survey.sack),
            counts: Counts::default(),
            acks: VecDeque::new(),
            now: survey.stream.start,
            una: 0,
            max: 0,
            receive_window: Some(survey.window.into()).filter(|_| survey.scale_known),
            write_ended: false,
            last_sent: survey.stream.start,
            free: survey.stream.start,
            propagation,
            transmission,
            opening: false,
            completed: false,
        }
    }

    fn packet(&mut self, packet: &Packet, emit: Emit<'_>) {
        let (Some(segment), Some(of)) = (packet.segment(), packet.stream) else { return };
        // Files need not be in order of time.
        let at = packet.at.max(self.now);
        self.now = at;
        if of.stream != self.survey.number {
            return;
        }
        if of.from == self.survey.sender {
            self.acknowledge_until(at, emit);
            self.opens(at, segment, of.from);
            self.data(at, segment);
            self.settle(at, emit);
        } else {
            self.opens(at, segment, of.from);
            if segment.flags.has(Flags::ACK) && !segment.flags.has(Flags::SYN) {
                self.acks.push_back((at + self.survey.to_sender, *segment));
            }
            self.acknowledge_until(at, emit);
        }
    }

    /// Ends the connection. Returns the time of the end.
    fn finish(&mut self, emit: Emit<'_>) -> Time {
        let end = self.now + self.survey.to_sender;
        self.acknowledge_until(end, emit);
        self.limits.resolve(end, Blocked::Data, Span::ZERO);
        self.report_limits();
        // In a queue round trips are longer than the least.
        let answer = self.survey.round_trip().times(2).max(self.sender.timeout().unwrap_or_default());
        while let Some(mut transmission) = self.transmissions.take() {
            if transmission.fate == Fate::Open {
                self.counts.unresolved += 1;
                // Nothing tells that it arrived, in time for an answer.
                let answered = transmission.at + answer;
                transmission.fate = if answered < end { Fate::Lost } else { Fate::Open };
            }
            self.leaves(&transmission);
        }
        self.queue.flush(end + Span::from_nanos(1), emit);
        end
    }

    /// Handles the acknowledgments that have reached the sender by now.
    fn acknowledge_until(&mut self, now: Time, emit: Emit<'_>) {
        while let Some((at, segment)) = self.acks.front().copied().filter(|(at, _)| *at <= now) {
            self.acks.pop_front();
            self.ack(at, &segment);
            self.settle(at, emit);
        }
    }

    /// Follows the handshake at the sender.
    fn opens(&mut self, at: Time, segment: &Segment, from: End) {
        let syn = segment.flags.has(Flags::SYN);
        let state = match (syn, from == self.survey.sender) {
            (true, true) if !self.opening && self.max == 0 => {
                self.opening = true;
                if from == End::Client { tcp::State::SynSent } else { tcp::State::SynReceived }
            }
            // The SYN-ACK reaches a client, the first segment after it a server.
            (true, false) if self.opening && self.survey.sender == End::Client => tcp::State::Established,
            (false, false) if self.opening && self.survey.sender == End::Server => tcp::State::Established,
            (false, true) if self.opening => tcp::State::Established,
            _ => return,
        };
        if state == tcp::State::Established {
            self.opening = false;
        }
        let at = if from == self.survey.sender { at } else { at + self.survey.to_sender };
        self.tell(at, tcp::Event::State { state });
    }

    fn tell(&mut self, at: Time, event: tcp::Event) {
        self.queue.add(at, Event::Sender { flow: FLOW, event });
    }

    fn data(&mut self, at: Time, segment: &Segment) {
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
            self.missing(at, seq, segment);
        }
        let mut from = seq;
        while from < end {
            let mss = u64::from(self.survey.mss);
            // What was sent before and what was not are separate.
            let limit = if from < self.max { self.max.min(end) } else { end };
            let to = limit.min(from + mss);
            self.piece(at, from, to, segment);
            from = to;
        }
        self.write_ended = segment.flags.has(Flags::PSH) || segment.len < self.survey.mss;
        self.last_sent = at;
        self.holds(at);
    }

    /// Whether a segment asks for an acknowledgment only: a keep-alive, or a probe of a closed window.
    fn is_probe(&self, seq: u64, len: u32) -> bool {
        let keep_alive = len == 1 && seq + 1 == self.max && self.una == self.max;
        let closed = self.receive_window == Some(0) && seq <= self.una && len <= 1;
        keep_alive || closed
    }

    /// Data before `seq` was not captured.
    fn missing(&mut self, at: Time, seq: u64, segment: &Segment) {
        let stamp = segment.options.timestamps.map(|stamps| stamps.value);
        let mss = u64::from(self.survey.mss).max((seq - self.max) / MAX_MISSING);
        while self.max < seq {
            let to = seq.min(self.max + mss);
            self.counts.missing += 1;
            self.transmit(at, (self.max, to), Reason::New, stamp, true);
            self.max = to;
        }
    }

    /// A segment of full size at most, which is new or was sent before.
    fn piece(&mut self, at: Time, seq: u64, end: u64, segment: &Segment) {
        let stamp = segment.options.timestamps.map(|stamps| stamps.value);
        self.counts.segments += 1;
        if seq >= self.max {
            let reaction = self.sender.reaction();
            let soon = at.since(self.last_sent.min(at)).times(2) < self.survey.round_trip();
            let reason = if self.sender.reacts(at) || self.sender.repairs() {
                Blocked::Cwnd
            } else if self.una < self.max && soon && !self.write_ended {
                // Elsewhere the path spreads segments, too.
                if self.survey.is_at_sender() { Blocked::Pacing } else { Blocked::Cwnd }
            } else {
                Blocked::Data
            };
            self.limits.resolve(at, reason, reaction);
            self.sender.sent(at, self.una == self.max);
            self.max = end;
            self.transmit(at, (seq, end), Reason::New, stamp, false);
            return;
        }
        // A repetition answers an acknowledgment of the segment behind the gap.
        let least = Span::from_millis(3).max(Span::from_nanos(self.survey.round_trip().as_nanos() / 10 * 9));
        let is_late = |unseen: &&mut Transmission| match (unseen.stamp, stamp) {
            (Some(behind), Some(stamp)) if behind != stamp => (stamp.wrapping_sub(behind) as i32) < 0,
            _ => at.since(unseen.at.min(at)) < least,
        };
        if let Some(unseen) = self.transmissions.unseen(seq).filter(is_late) {
            (unseen.unseen, unseen.stamp) = (false, stamp);
            self.counts.reordered += 1;
            self.counts.missing -= 1;
            return;
        }
        self.counts.repeated += 1;
        let first = seq <= self.una || !self.transmissions.is_open(self.una);
        let cause = self.sender.repeats(at, first, end >= self.max, self.max);
        match cause.reason {
            Reason::Timeout if cause.begins => {
                let nth = self.sender.timeouts();
                let rto = self.sender.timeout().unwrap_or(Span::from_secs(1)).min(MAX_TIMEOUT).times(1 << nth.min(6));
                self.tell(at, tcp::Event::Timeout { seq: self.una, nth, rto });
                if nth == 1 {
                    self.window.reduced(self.max - self.una, true);
                    self.report_window(at);
                }
            }
            Reason::FastRetransmit if cause.begins => {
                self.tell(at, tcp::Event::FastRetransmit { seq });
                self.window.reduced(self.max - self.una, false);
                self.report_window(at);
            }
            _ => {}
        }
        self.transmit(at, (seq, end), cause.reason, stamp, false);
    }

    /// A segment enters the network.
    fn transmit(&mut self, at: Time, (seq, end): (u64, u64), reason: Reason, stamp: Option<u32>, unseen: bool) {
        let len = (end - seq) as u32;
        self.tell(at, tcp::Event::SegmentSent { seq, len, reason });
        // Events of its way through the network follow when it is known.
        let number = self.queue.number();
        let _ = (self.queue.number(), self.queue.number());
        self.transmissions.add(Transmission {
            seq,
            end,
            at,
            reason,
            stamp,
            number,
            unseen,
            estimated: false,
            fate: Fate::Open,
        });
    }

    fn ack(&mut self, at: Time, segment: &Segment) {
        let Some(ack) = segment.ack.offset_from(self.survey.origin, self.una) else { return };
        // A FIN has a number too.
        let ack = ack.min(self.max);
        let window = Some(u64::from(segment.window)).filter(|_| self.survey.scale_known || segment.window == 0);
        let advances = ack > self.una;
        let sack = segment.options.sack.as_slice();
        let under_way = self.una < self.max;
        let changes = window != self.receive_window;
        let duplicate =
            ack == self.una && under_way && segment.len == 0 && (!changes || !sack.is_empty()) && window != Some(0);
        let sent = Time::from_nanos(at.as_nanos().saturating_sub(self.propagation.as_nanos()));
        self.answers(at, sent, ack, segment);
        if ack < self.una {
            return;
        }
        let echo = segment.options.timestamps.map(|stamps| stamps.echo).filter(|_| advances);
        let smoothed = self.sender.smoothed().unwrap_or_else(|| self.survey.round_trip());
        let usual = Span::from_nanos(smoothed.as_nanos().saturating_sub(self.propagation.as_nanos()));
        let answer = Answer { at, sent, echo, usual };
        if advances {
            self.sample(at, ack);
        }
        if advances || duplicate {
            self.tell(at, tcp::Event::AckReceived { ack, duplicate: !advances });
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
        if changes && window == Some(0) {
            self.counts.closed_windows += 1;
        }
        self.receive_window = window;
        if self.sender.acknowledged(at, ack, advances) {
            self.tell(at, tcp::Event::RecoveryEnd);
            self.window.repaired();
            self.report_window(at);
        }
        if (advances || duplicate) && self.window.acknowledged(advances) {
            self.report_window(at);
        }
        self.holds(at);
        if advances && ack == self.survey.bytes && !self.completed {
            self.completed = true;
            self.queue.add(at, Event::FlowCompleted { flow: FLOW });
        }
    }

    /// Measures a round trip with the last segment that an acknowledgment covers, unless it was repeated.
    fn sample(&mut self, at: Time, ack: u64) {
        if let Some(sent) = self.transmissions.sent_once(ack) {
            let rtt = at.since(sent.min(at));
            self.sender.sample(rtt);
            let (srtt, rto) = (self.sender.smoothed().unwrap_or(rtt), self.sender.timeout().unwrap_or(rtt));
            self.tell(at, tcp::Event::RttSample { rtt, srtt, rto });
        }
    }

    /// Finds out what now keeps the sender from sending.
    fn holds(&mut self, at: Time) {
        let flight = self.max - self.una;
        let next = u64::from(self.survey.mss).min(self.survey.bytes.saturating_sub(self.max));
        let full = self.receive_window.is_some_and(|window| flight + next > window);
        let mut changed = self.window.holds(flight);
        let reason = if next == 0 {
            Some(Blocked::Data)
        } else if full {
            changed |= self.window.holds(self.receive_window.unwrap_or(0));
            Some(Blocked::PeerWindow)
        } else {
            None
        };
        self.limits.note(at, reason, self.sender.reaction());
        if changed {
            self.report_window(at);
        }
    }

    fn report_window(&mut self, at: Time) {
        let Window { cwnd, ssthresh, .. } = self.window;
        self.tell(at, tcp::Event::Window { cwnd, ssthresh });
    }

    fn report_limits(&mut self) {
        for (at, reason) in self.limits.take() {
            if reason == Blocked::Cwnd
                && !self.sender.repairs()
                && self.window.limits(at, self.max - self.una, self.survey.round_trip())
            {
                self.report_window(at);
            }
            self.tell(at, tcp::Event::Blocked { reason });
        }
    }

    /// Passes on what is known.
    fn settle(&mut self, now: Time, emit: Emit<'_>) {
        self.report_limits();
        while let Some(transmission) = self.transmissions.settled() {
            self.leaves(&transmission);
        }
        while self.transmissions.len() > MAX_KEPT || self.queue.len() > 4 * MAX_KEPT {
            let Some(transmission) = self.transmissions.take() else { break };
            self.counts.unresolved += u64::from(transmission.fate == Fate::Open);
            self.leaves(&transmission);
        }
        let before = now.as_nanos().saturating_sub(self.propagation.as_nanos());
        let horizon = [self.transmissions.oldest(), self.limits.unknown_since()];
        let horizon = horizon.into_iter().flatten().fold(Time::from_nanos(before), Time::min);
        self.queue.flush(horizon, emit);
    }

    /// The way of a segment through the network.
    fn leaves(&mut self, transmission: &Transmission) {
        let Transmission { seq, end, at, number, .. } = *transmission;
        let known = self.truth.and_then(|truth| truth.get(&(at, seq as u32)));
        let fate = known.map_or(transmission.fate, |arrival| arrival.map_or(Fate::Lost, Fate::Arrived));
        let segment =
            Segment { seq: SeqNum::from_offset(seq), len: (end - seq) as u32, flags: Flags::ACK, ..Segment::default() };
        let packet = wire::Packet::new(Addr::of_node(SENDER), Addr::of_node(RECEIVER), Body::Tcp(segment));
        let of = Some(PacketFlow { flow: FLOW, from_sender: true, seq: Some(seq), ack: Some(0) });
        let sent = NodeEvent::Sent { packet };
        self.queue.add_as(at, number, Event::Node { node: SENDER as u32, event: sent, of });
        let link = |event| Event::Link { hop: FORWARD, event, of };
        match fate {
            Fate::Arrived(arrival) => {
                let starts = self.free.max(at);
                let left = |arrival: Time| {
                    let left = arrival.as_nanos().saturating_sub(self.propagation.as_nanos());
                    Time::from_nanos(left).max(starts)
                };
                // One that others overtook was delayed behind the queue, in which they would have waited for it.
                let overtaken = self.transmissions.next_arrival().filter(|next| *next < arrival);
                let leaves = left(overtaken.unwrap_or(arrival));
                let arrival = (leaves + self.propagation).max(arrival);
                let dequeued = LinkEvent::Dequeued { packet, arrived: at, starts, leaves: Some(leaves) };
                self.queue.add_as(at, number + 1, link(dequeued));
                self.free = leaves;
                self.queue.add(arrival, link(LinkEvent::Arrived { packet }));
                let received = NodeEvent::Received { packet };
                self.queue.add(arrival, Event::Node { node: RECEIVER as u32, event: received, of });
            }
            Fate::Lost => {
                let lost = at + self.propagation + self.transmission;
                self.queue.add(lost, link(LinkEvent::QueueFull { packet, arrived: at }));
            }
            Fate::Open => {}
        }
    }

    /// The way of an acknowledgment.
    fn answers(&mut self, at: Time, sent: Time, ack: u64, segment: &Segment) {
        let window = if self.survey.scale_known || segment.window == 0 { segment.window } else { u32::MAX };
        let segment = Segment { ack: SeqNum::from_offset(ack), flags: Flags::ACK, window, ..Segment::default() };
        let packet = wire::Packet::new(Addr::of_node(RECEIVER), Addr::of_node(SENDER), Body::Tcp(segment));
        let of = Some(PacketFlow { flow: FLOW, from_sender: false, seq: Some(0), ack: Some(ack) });
        self.queue.add(sent, Event::Node { node: RECEIVER as u32, event: NodeEvent::Sent { packet }, of });
        self.queue.add(at, Event::Link { hop: BACKWARD, event: LinkEvent::Arrived { packet }, of });
        self.queue.add(at, Event::Node { node: SENDER as u32, event: NodeEvent::Received { packet }, of });
    }
}

impl Survey {
    /// Whether the capture was taken at the sender, as far as is known: its times are exact then.
    pub fn is_at_sender(&self) -> bool {
        self.vantage == Vantage::Sender && self.vantage_known
    }
}
