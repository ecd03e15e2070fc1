//! One flow: two connections back to back. Each faces one end of the flow, in the place of the other end.

use engine::Time;
use tcp::{Connection, Failure, State};
use wire::{Addr, Ecn, Flags, Packet, Segment, SeqNum};

use super::ends::Ends;
use super::opening::Agreed;
use crate::agent::AgentCx;

/// The bytes that one flow holds, and its outcome.
pub(super) struct Flow {
    legs: [Leg; 2],
    /// Whose first byte was taken from the first segment seen, until the other end acknowledges it: before, something
    /// of the beginning may be missing, and nothing is acknowledged.
    unconfirmed: Option<usize>,
    /// Whether the node saw the handshake: then nothing of the flow ever went by it.
    whole: bool,
    /// Whether one of the connections has failed.
    failed: bool,
    /// When the flow is to be woken; earlier than what it wants if that was put off since. NEVER if nothing is set.
    pub armed: Time,
}

/// The connection toward one end.
struct Leg {
    connection: Connection,
    /// The end that it faces, and the one whose place it takes.
    addr: Addr,
    poses: Addr,
    /// The number of the first byte that it sends.
    origin: SeqNum,
    /// The number behind the last byte that it has sent.
    sent_to: SeqNum,
    /// Bytes from here that the other leg was given, and bytes read here because the other end has them.
    passed: u64,
    read: u64,
    /// Whether the other leg was told that no more comes from here.
    closed: bool,
}

/// The kind of acknowledgment in a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Acknowledges {
    /// Nothing, or what was sent from here; or it is for the connection to refuse.
    Sent,
    /// More: some of the flow went by before the node took part. The end has everything that the other was told it has,
    /// and the node has nothing for either: they can go on without it.
    Everything,
    /// The same, but there is still something for the other end.
    TooEarly,
    /// More than was sent, and less than what the node has.
    Ahead,
}

/// The outcome of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Outcome {
    /// Bytes held, both ways.
    pub held: u64,
    /// The most bytes of one way that their sender thinks arrived, and the receiver has not acknowledged.
    pub early: u64,
    /// Whether both connections are over.
    pub over: bool,
    /// Why one of the connections failed, at the event at which it did.
    pub failure: Option<Failure>,
}

impl Flow {
    /// The flow between `ends` as they agreed on it; `configs` are those of the connections toward each.
    pub fn new(ends: &Ends, agreed: &Agreed, configs: [tcp::Config; 2], unconfirmed: Option<usize>) -> Self {
        let leg = |end: usize| {
            let [(addr, port), (poses, poses_port)] = [ends.0[end], ends.0[1 - end]];
            let config = tcp::Config { segment: agreed.segment, ..configs[end].clone() };
            let taken = agreed.toward(end);
            let mut connection = Connection::adopted(&config, [poses_port, port], &taken);
            connection.hold_reading();
            let origin = taken.origins[0];
            Leg { connection, addr, poses, origin, sent_to: origin, passed: 0, read: 0, closed: false }
        };
        let whole = unconfirmed.is_none();
        Flow { legs: [leg(0), leg(1)], unconfirmed, whole, failed: false, armed: Time::NEVER }
    }

    /// The two sides have just agreed: the end that waits for the handshake to complete receives its segment.
    pub fn greet(&mut self, end: usize) {
        self.legs[end].connection.acknowledge();
    }

    /// Whether a segment of `from` shows that the flow did not begin where it seemed to.
    pub fn begins_before(&self, from: usize, segment: &Segment) -> bool {
        let before = segment.seq.since(self.legs[1 - from].origin) < 0;
        self.unconfirmed == Some(from) && segment.len > 0 && before
    }

    /// Whether a SYN asks for another connection, and this one is over but for strays.
    pub fn gives_way_to(&self, segment: &Segment) -> bool {
        let over = |leg: &Leg| matches!(leg.connection.state(), State::Closed | State::TimeWait);
        segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK) && self.legs.iter().all(over)
    }

    /// The kind of acknowledgment in a segment of `from`.
    pub fn acknowledges(&self, from: usize, segment: &Segment) -> Acknowledges {
        let [near, far] = [&self.legs[from], &self.legs[1 - from]];
        if self.whole || !segment.flags.has(Flags::ACK) || segment.ack.since(near.sent_to) <= 0 {
            return Acknowledges::Sent;
        }
        // A FIN counts as one byte behind the data.
        let told = near.origin.at(far.connection.bytes_received()) + u32::from(far.closed);
        if segment.ack.since(told) < 0 {
            return Acknowledges::Ahead;
        }
        let idle = near.held() == 0 && far.connection.done();
        if idle { Acknowledges::Everything } else { Acknowledges::TooEarly }
    }

    /// A segment of `from` came, and acknowledges so much. What it acknowledges beyond what was sent to it counts as
    /// much as was.
    pub fn take(&mut self, from: usize, segment: &Segment, acknowledges: Acknowledges, ecn: Ecn, now: Time) {
        if let Some(uncertain) = self.unconfirmed
            && uncertain != from
            && segment.flags.has(Flags::ACK)
            && segment.ack.since(self.legs[from].origin) >= 0
        {
            self.unconfirmed = None;
            self.legs[uncertain].let_go(now);
        }
        let leg = &mut self.legs[from];
        if acknowledges == Acknowledges::Ahead {
            let as_sent = Segment { ack: leg.sent_to, ..*segment };
            leg.connection.handle_segment(now, &as_sent, ecn);
        } else {
            leg.connection.handle_segment(now, segment, ecn);
        }
    }

    /// The time has come that one of the connections asked for.
    pub fn wake(&mut self, now: Time) {
        for end in 0..2 {
            if self.unconfirmed != Some(end) && self.legs[end].connection.poll_timeout() <= now {
                self.legs[end].connection.handle_timeout(now);
            }
        }
    }

    /// After every event: what came is passed on, room is made for what arrived, and both connections send, each packet
    /// written over `spare`.
    pub fn pump(&mut self, spare: &mut Packet, cx: &mut AgentCx<'_>) -> Outcome {
        let mut outcome = Outcome::default();
        for end in 0..2 {
            let [near, far] = self.both(end);
            near.relay(far);
        }
        let failed = self.failed;
        for end in 0..2 {
            let [near, far] = self.both(end);
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
        let held = [self.legs[0].held(), self.legs[1].held()];
        outcome.held = held[0] + held[1];
        outcome.early = match self.unconfirmed {
            Some(end) => held[1 - end],
            None => held[0].max(held[1]),
        };
        outcome.over = self.legs.iter().all(|leg| leg.connection.state() == State::Closed);
        outcome
    }

    /// Bytes of data kept, both ways.
    pub fn held(&self) -> u64 {
        self.legs.iter().map(Leg::held).sum()
    }

    fn both(&mut self, end: usize) -> [&mut Leg; 2] {
        let [one, two] = &mut self.legs;
        if end == 0 { [one, two] } else { [two, one] }
    }

    /// When one of the connections wants to wake.
    pub fn deadline(&self) -> Time {
        let [one, two] = &self.legs;
        match self.unconfirmed {
            Some(0) => two.connection.poll_timeout(),
            Some(_) => one.connection.poll_timeout(),
            None => one.connection.poll_timeout().min(two.connection.poll_timeout()),
        }
    }

    /// Whether the ends have everything, so that they can go on without the node.
    pub fn is_idle(&self) -> bool {
        self.legs.iter().all(|leg| leg.held() == 0 && leg.connection.done())
    }
}

impl Leg {
    /// Bytes that came here, in order, and that the far end has not acknowledged.
    fn held(&self) -> u64 {
        self.connection.readable()
    }

    /// Gives what came here to the leg toward the far end, and makes room for what the far end has.
    fn relay(&mut self, far: &mut Leg) {
        let came = self.connection.bytes_received();
        if came > self.passed {
            far.connection.write(came - self.passed);
            self.passed = came;
        }
        // A FIN counts as one byte behind the data.
        let arrived = far.connection.bytes_acknowledged().min(self.passed);
        if arrived > self.read {
            self.connection.read(arrived - self.read);
            self.read = arrived;
        }
        let ended =
            matches!(self.connection.state(), State::CloseWait | State::Closing | State::LastAck | State::TimeWait);
        if ended && !self.closed {
            self.closed = true;
            far.connection.shutdown_write();
        }
    }

    /// Not copied into both turns of a loop: the processor's cache for instructions is what splitting fills first.
    #[inline(never)]
    fn send(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) {
        (packet.src, packet.dst) = (self.poses, self.addr);
        while let Some(ecn) = self.connection.poll_into(cx.now, packet.segment_to_write()) {
            packet.ecn = ecn;
            let segment = packet.segment_to_write();
            let end = segment.seq + segment.seq_len();
            if end.since(self.sent_to) > 0 {
                self.sent_to = end;
            }
            cx.send(*packet);
        }
    }

    /// Releases what was held back. Of identical acknowledgments it sends one: several at once would indicate a loss.
    fn let_go(&mut self, now: Time) {
        if self.connection.done() {
            while self.connection.poll_transmit(now).is_some() {}
            self.connection.acknowledge();
        }
    }
}
