//! A split flow: two connections back to back. Each connection faces one end and impersonates the other.

use engine::Time;
use tcp::config::ReceiveWindow;
use tcp::{Connection, Failure, State};
use wire::{Addr, Ecn, Flags, Packet, Segment, SeqNum};

use super::ends::FlowEndpoints;
use super::opening::NegotiatedOptions;
use crate::agent::AgentCx;

/// A split flow.
pub(super) struct SplitFlow {
    legs: [Leg; 2],
    /// The end whose first byte was derived from the first segment seen, until the other end acknowledges that byte.
    /// Earlier data may be missing, so nothing is acknowledged before. `None` otherwise.
    unconfirmed: Option<usize>,
    /// True if the node saw the handshake: then it has processed all data of the flow.
    whole: bool,
    /// True if one of the connections has failed.
    failed: bool,
    /// Time of the flow's alarm; `NEVER` for none. The alarm may be earlier than the flow's deadline, if the deadline
    /// has been postponed.
    pub armed: Time,
}

/// The connection toward one end.
struct Leg {
    connection: Connection,
    /// Address of the end that the connection faces.
    addr: Addr,
    /// Address of the impersonated end.
    poses: Addr,
    /// Sequence number of the first byte sent.
    origin: SeqNum,
    /// Sequence number after the last byte sent.
    sent_to: SeqNum,
    /// Number of received bytes passed to the other leg.
    passed: u64,
    /// Number of passed bytes that the far end has acknowledged.
    delivered: u64,
    /// The rule by which received bytes leave the receive buffer.
    relays: RelayRule,
    /// True if the other leg was notified of the end of the data.
    closed: bool,
}

/// Segments that an autotuned send buffer holds at least twice (`TCP_INIT_CWND`).
const LEAST_SEGMENTS: u64 = 10;

/// The rule by which the bytes that a leg has received leave its receive buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RelayRule {
    /// A buffer of constant size stores all bytes that the far end has not acknowledged. Bytes are written to the other
    /// leg at once.
    UntilAcknowledged,
    /// The receive buffer is autotuned, and so is the send buffer of the other leg: it holds twice the congestion window
    /// (Linux: `tcp_sndbuf_expand`), at most `max` bytes. Bytes wait in the receive buffer while the send buffer is
    /// full.
    ThroughSendBuffer {
        /// Size of a full segment in bytes.
        segment: u64,
        /// Maximum size of the send buffer in bytes.
        max: u64,
    },
}

impl RelayRule {
    fn of(window: ReceiveWindow, segment: u32) -> Self {
        match window {
            ReceiveWindow::Fixed(_) => RelayRule::UntilAcknowledged,
            ReceiveWindow::Autotuned(sizes) => {
                RelayRule::ThroughSendBuffer { segment: segment.into(), max: sizes.max.0 }
            }
        }
    }

    /// Returns the number of unacknowledged bytes that the leg `far` may hold; `None` for no limit.
    fn send_buffer(self, far: &Connection) -> Option<u64> {
        match self {
            RelayRule::UntilAcknowledged => None,
            RelayRule::ThroughSendBuffer { segment, max } => {
                Some((2 * (far.cwnd() as u64).max(LEAST_SEGMENTS * segment)).min(max))
            }
        }
    }
}

/// Data covered by the acknowledgment number of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Acknowledges {
    /// The acknowledgment covers at most data sent by this connection, or there is no acknowledgment.
    Sent,
    /// Data that bypassed the node before the split, while both ends have received everything that was acknowledged to
    /// them and the node buffers nothing: the flow can continue without the node.
    Everything,
    /// Data that bypassed the node before the split, while the node still holds data for the other end.
    TooEarly,
    /// More than was sent, but less than the node has received.
    Ahead,
}

/// State of a flow after an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct SplitOutcome {
    /// Buffered bytes of both directions.
    pub buffered: u64,
    /// Maximum over the directions of bytes that are acknowledged to the sender but not by the receiver.
    pub early: u64,
    /// True if both connections are closed.
    pub over: bool,
    /// Reason of a connection's failure, if one failed in this event.
    pub failure: Option<Failure>,
}

impl SplitFlow {
    /// Creates the split flow of `ends` with the negotiated options; `configs` has the configuration of the connection
    /// toward each end.
    pub fn new(
        ends: &FlowEndpoints,
        agreed: &NegotiatedOptions,
        configs: [tcp::Config; 2],
        unconfirmed: Option<usize>,
    ) -> Self {
        let leg = |end: usize| {
            let [(addr, port), (poses, poses_port)] = [ends.0[end], ends.0[1 - end]];
            let config = tcp::Config { segment: agreed.segment, ..configs[end].clone() };
            let relays = RelayRule::of(config.window, config.segment);
            let taken = agreed.toward(end);
            let mut connection = Connection::adopt(&config, [poses_port, port], &taken);
            connection.hold_reading();
            let origin = taken.origins[0];
            Leg { connection, addr, poses, origin, sent_to: origin, passed: 0, delivered: 0, relays, closed: false }
        };
        let whole = unconfirmed.is_none();
        SplitFlow { legs: [leg(0), leg(1)], unconfirmed, whole, failed: false, armed: Time::NEVER }
    }

    /// Makes the connection toward `end` send the segment that completes the handshake.
    pub fn complete_handshake(&mut self, end: usize) {
        self.legs[end].connection.acknowledge();
    }

    /// Returns true if a segment of `from` shows that the flow began before the assumed first byte.
    pub fn begins_before(&self, from: usize, segment: &Segment) -> bool {
        let before = segment.seq.since(self.legs[1 - from].origin) < 0;
        self.unconfirmed == Some(from) && segment.len > 0 && before
    }

    /// Returns true if the segment is a SYN of a new connection and both connections of this flow are closed or in
    /// TIME-WAIT.
    pub fn is_replaced_by(&self, segment: &Segment) -> bool {
        let over = |leg: &Leg| matches!(leg.connection.state(), State::Closed | State::TimeWait);
        segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK) && self.legs.iter().all(over)
    }

    /// Classifies the acknowledgment number of a segment of `from`.
    pub fn classify_acknowledgment(&self, from: usize, segment: &Segment) -> Acknowledges {
        let [near, far] = [&self.legs[from], &self.legs[1 - from]];
        if self.whole || !segment.flags.has(Flags::ACK) || segment.ack.since(near.sent_to) <= 0 {
            return Acknowledges::Sent;
        }
        // A FIN counts as one byte after the data.
        let acknowledged = near.origin.at(far.connection.bytes_received()) + u32::from(far.closed);
        if segment.ack.since(acknowledged) < 0 {
            return Acknowledges::Ahead;
        }
        let idle = near.buffered_bytes() == 0 && far.connection.done();
        if idle { Acknowledges::Everything } else { Acknowledges::TooEarly }
    }

    /// Processes a segment of `from`. An acknowledgment number above the highest byte sent to that end is reduced to
    /// it.
    pub fn take(&mut self, from: usize, segment: &Segment, acknowledges: Acknowledges, ecn: Ecn, now: Time) {
        if let Some(uncertain) = self.unconfirmed
            && uncertain != from
            && segment.flags.has(Flags::ACK)
            && segment.ack.since(self.legs[from].origin) >= 0
        {
            self.unconfirmed = None;
            self.legs[uncertain].release_acknowledgments(now);
        }
        let leg = &mut self.legs[from];
        if acknowledges == Acknowledges::Ahead {
            let as_sent = Segment { ack: leg.sent_to, ..*segment };
            leg.connection.handle_segment(now, &as_sent, ecn);
        } else {
            leg.connection.handle_segment(now, segment, ecn);
        }
    }

    /// Handles the timeouts of the connections.
    pub fn wake(&mut self, now: Time) {
        for end in 0..2 {
            if self.unconfirmed != Some(end) && self.legs[end].connection.poll_timeout() <= now {
                self.legs[end].connection.handle_timeout(now);
            }
        }
    }

    /// Completes an event: passes on received data, frees acknowledged buffer space, and transmits on both connections;
    /// `spare` is the buffer of each packet.
    pub fn pump(&mut self, spare: &mut Packet, cx: &mut AgentCx<'_>) -> SplitOutcome {
        let mut outcome = SplitOutcome::default();
        for end in 0..2 {
            let [near, far] = self.near_and_far(end);
            near.relay(far);
        }
        let failed = self.failed;
        for end in 0..2 {
            let [near, far] = self.near_and_far(end);
            let failure = near.connection.failure();
            if let Some(failure) = failure.filter(|_| !failed) {
                if far.connection.state() != State::Closed {
                    far.connection.abort();
                }
                (self.failed, self.unconfirmed) = (true, None);
                outcome.failure = Some(failure);
            }
        }
        for end in 0..2 {
            if self.unconfirmed == Some(end) {
                continue;
            }
            self.legs[end].send(spare, cx);
        }
        let buffered = [self.legs[0].buffered_bytes(), self.legs[1].buffered_bytes()];
        outcome.buffered = buffered[0] + buffered[1];
        outcome.early = match self.unconfirmed {
            Some(end) => buffered[1 - end],
            None => buffered[0].max(buffered[1]),
        };
        outcome.over = self.legs.iter().all(|leg| leg.connection.state() == State::Closed);
        outcome
    }

    /// Returns the buffered bytes of both directions.
    pub fn buffered_bytes(&self) -> u64 {
        self.legs.iter().map(Leg::buffered_bytes).sum()
    }

    fn near_and_far(&mut self, end: usize) -> [&mut Leg; 2] {
        let [one, two] = &mut self.legs;
        if end == 0 { [one, two] } else { [two, one] }
    }

    /// Returns the time of the next timeout of the connections.
    pub fn deadline(&self) -> Time {
        let [one, two] = &self.legs;
        match self.unconfirmed {
            Some(0) => two.connection.poll_timeout(),
            Some(_) => one.connection.poll_timeout(),
            None => one.connection.poll_timeout().min(two.connection.poll_timeout()),
        }
    }

    /// Returns true if both ends have received all acknowledged data, so that they can continue without the node.
    pub fn is_idle(&self) -> bool {
        self.legs.iter().all(|leg| leg.buffered_bytes() == 0 && leg.connection.done())
    }
}

impl Leg {
    /// Returns the number of bytes received here in order that the far end has not acknowledged.
    fn buffered_bytes(&self) -> u64 {
        self.connection.bytes_received() - self.delivered
    }

    /// Passes received data to the leg toward the far end, and frees the buffer space of data that the far end has
    /// acknowledged.
    fn relay(&mut self, far: &mut Leg) {
        // A FIN counts as one byte after the data.
        let delivered = far.connection.bytes_acknowledged().min(self.passed);
        let arrived = std::mem::replace(&mut self.delivered, delivered);
        let came = self.connection.bytes_received();
        let most = self.relays.send_buffer(&far.connection).map_or(u64::MAX, |size| delivered + size);
        let passed = came.min(most).max(self.passed);
        let moved = passed - self.passed;
        if moved > 0 {
            far.connection.write(moved);
            self.passed = passed;
        }
        let read = match self.relays {
            RelayRule::UntilAcknowledged => delivered - arrived,
            RelayRule::ThroughSendBuffer { .. } => moved,
        };
        if read > 0 {
            self.connection.read(read);
        }
        let ended =
            matches!(self.connection.state(), State::CloseWait | State::Closing | State::LastAck | State::TimeWait);
        if ended && !self.closed && self.passed == came {
            self.closed = true;
            far.connection.shutdown_write();
        }
    }

    /// This function is not inlined, because two copies of the send loop would fill the instruction cache.
    #[inline(never)]
    fn send(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) {
        (packet.src, packet.dst) = (self.poses, self.addr);
        while let Some(ecn) = self.connection.poll_into(cx.now, packet.segment_to_write()) {
            packet.ecn = ecn;
            let segment = packet.segment_to_write();
            let end = segment.seq + segment.seq_len();
            let (data, new) = (segment.len > 0, end.since(self.sent_to) > 0);
            let name = if !data {
                "acks_sent"
            } else if new {
                "segments_forwarded"
            } else {
                "segments_resent"
            };
            if new {
                self.sent_to = end;
            }
            cx.emit(name, 1.0, Some(packet));
            cx.send(*packet);
        }
    }

    /// Sends the withheld acknowledgments as a single one: identical acknowledgments would indicate a loss.
    fn release_acknowledgments(&mut self, now: Time) {
        if self.connection.done() {
            while self.connection.poll_transmit(now).is_some() {}
            self.connection.acknowledge();
        }
    }
}
