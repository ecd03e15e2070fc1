//! The digest of all events of a run, which shows whether two programs simulate identically.
//!
//! The digest is the SHA-256 of the events in their order, each encoded as the bytes below: its kind, its time, and its
//! contents. Packets are encoded by the headers they have on the wire, numbers as 64 bits, least significant byte
//! first. New columns of the summary and renamed fields, keys or events therefore leave the digest unchanged; any
//! change of an event or its time changes it. The reasons why a sender sends nothing and the times at which packets
//! join and leave queues follow from other events, and the events that a scheme emits have no effect; they are not part of it.

use engine::Time;
use path::channel::ChannelState as Air;
use path::mac::dcf::FrameKind;
use path::{HopId, LinkEvent, MediumEvent, Reach, Reception};
use sha2::{Digest, Sha256};
use sim::{Event, NodeEvent, Sink};
use tcp::{Reason, State};
use wire::{NoticeKind, Packet};

/// A sink that stores only the digest.
#[derive(Default)]
pub struct EventDigest {
    hash: Sha256,
    /// The bytes of the current event.
    bytes: Vec<u8>,
}

impl EventDigest {
    /// The digest of all events so far, and of the end time of the run.
    pub fn finish(mut self, ended: Time) -> [u8; 32] {
        self.begin(0, ended);
        self.hash.update(&self.bytes);
        self.hash.finalize().into()
    }

    fn begin(&mut self, kind: u8, at: Time) {
        self.bytes.clear();
        self.bytes.push(kind);
        self.number(at.as_nanos());
    }

    fn number(&mut self, value: impl Into<u64>) {
        self.bytes.extend(value.into().to_le_bytes());
    }

    fn numbers<const N: usize>(&mut self, values: [u64; N]) {
        values.into_iter().for_each(|value| self.number(value));
    }

    fn packet(&mut self, packet: &Packet) {
        let headers = wire::bytes::serialize_headers(packet, 0);
        self.number(headers.len() as u64);
        self.bytes.extend(headers);
        self.number(packet.size());
    }

    fn hop(&mut self, hop: HopId) {
        self.numbers([hop.link.number().into(), hop.direction.index() as u64]);
    }

    fn tcp(&mut self, event: &tcp::Event) {
        use tcp::Event as E;
        match *event {
            E::State { state } => self.numbers([1, state_number(state)]),
            E::SegmentSent { seq, len, reason } => self.numbers([2, seq, len.into(), reason_number(reason)]),
            E::AckReceived { ack, duplicate } => self.numbers([3, ack, duplicate.into()]),
            E::Window { cwnd, ssthresh } => self.numbers([4, cwnd.to_bits(), ssthresh.to_bits()]),
            E::Flight { bytes } => self.numbers([5, bytes]),
            E::FastRetransmit { seq } => self.numbers([6, seq]),
            E::NotifiedRecovery { seq } => self.numbers([7, seq]),
            E::RecoveryEnd => self.numbers([8]),
            E::Undone => self.numbers([9]),
            E::MarkAnswered => self.numbers([10]),
            E::Timeout { seq, nth, rto } => self.numbers([11, seq, nth.into(), rto.as_nanos()]),
            E::NoticeReceived { kind, seq } => self.numbers([12, notice_number(kind), seq]),
            E::RttSample { rtt, srtt, rto } => self.numbers([13, rtt.as_nanos(), srtt.as_nanos(), rto.as_nanos()]),
            E::SegmentReceived { seq, len, in_order } => self.numbers([14, seq, len.into(), in_order.into()]),
            E::SegmentDiscarded { seq, len } => self.numbers([15, seq, len.into()]),
            // `event` filters these out.
            E::Blocked { .. } => {}
        }
    }

    fn link(&mut self, event: &LinkEvent) {
        use LinkEvent as E;
        match *event {
            E::FrameSent { number, attempt, .. } => self.numbers([1, number, attempt.into()]),
            E::FrameCorrupted { number, attempt, .. } => self.numbers([2, number, attempt.into()]),
            E::FrameDuplicate { number, .. } => self.numbers([3, number]),
            E::FrameDiscarded { number, .. } => self.numbers([4, number]),
            E::ParitySent { number, size } => self.numbers([5, number, size.into()]),
            E::ParityCorrupted { number } => self.numbers([6, number]),
            E::Recovered { .. } => self.numbers([7]),
            E::AckCorrupted { number } => self.numbers([8, number]),
            E::GivenUp { number, attempts, arrived, .. } => {
                self.numbers([9, number, attempts.into(), arrived.into()]);
            }
            E::Lost { .. } => self.numbers([10]),
            E::QueueFull { .. } => self.numbers([11]),
            E::Marked { .. } => self.numbers([12]),
            E::Arrived { .. } => self.numbers([13]),
            E::DroppedEarly { .. } => self.numbers([14]),
            // `event` filters these out.
            E::Joined { .. } | E::Dequeued { .. } => {}
        }
        if let Some(packet) = event.packet() {
            self.packet(packet);
        }
    }

    fn medium(&mut self, event: &MediumEvent) {
        match *event {
            MediumEvent::Sent { from, to, frame, .. } => {
                self.numbers([
                    1,
                    from.number().into(),
                    to.number().into(),
                    frame_number(frame.kind),
                    frame.start.as_nanos(),
                ]);
                let (first, bits) = (frame.packets.first(), frame.packets.bits());
                let lasts = [frame.duration.as_nanos(), frame.reserves.as_nanos()];
                self.numbers([frame.size.into(), frame.rate.bits_per_sec(), frame.again.into(), first, bits]);
                self.numbers(lasts);
            }
            MediumEvent::Ended { from, to, kind, reception, damaged } => {
                let came = reception_number(reception);
                self.numbers([
                    2,
                    from.number().into(),
                    to.number().into(),
                    frame_number(kind),
                    came,
                    damaged.first(),
                    damaged.bits(),
                ]);
            }
            MediumEvent::BackOff { station, slots, window } => {
                self.numbers([3, station.number().into(), slots.into(), window.into()]);
            }
            MediumEvent::Reaches { a, b, reach } => {
                self.numbers([4, a.number().into(), b.number().into(), reach_number(reach)]);
            }
        }
    }

    fn node(&mut self, event: &NodeEvent) {
        let (kind, link) = match *event {
            NodeEvent::Sent { .. } => (1, 0),
            NodeEvent::Received { .. } => (2, 0),
            NodeEvent::Transit { .. } => (3, 0),
            NodeEvent::BufferFull { .. } => (4, 0),
            NodeEvent::Taken { .. } => (5, 0),
            NodeEvent::NoRoute { .. } => (6, 0),
            NodeEvent::Associated { link } => (7, link.number()),
            NodeEvent::Left { link } => (8, link.number()),
        };
        self.numbers([kind, link.into()]);
        if let Some(packet) = event.packet() {
            self.packet(packet);
        }
    }
}

/// Whether an event follows from other events in the digest.
fn is_derived(event: &Event) -> bool {
    match event {
        Event::Sender { event, .. } | Event::Receiver { event, .. } => matches!(event, tcp::Event::Blocked { .. }),
        Event::Link { event, .. } => matches!(event, LinkEvent::Joined { .. } | LinkEvent::Dequeued { .. }),
        _ => false,
    }
}

impl Sink for EventDigest {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        if is_derived(event) {
            return;
        }
        match event {
            // A report of a scheme does not affect the run. The effects of the scheme have separate events.
            Event::Agent { .. } => return,
            Event::Sender { flow, event } => {
                self.begin(1, at);
                self.number(flow.number());
                self.tcp(event);
            }
            Event::Receiver { flow, event } => {
                self.begin(2, at);
                self.number(flow.number());
                self.tcp(event);
            }
            Event::FlowStarted { flow } => {
                self.begin(3, at);
                self.number(flow.number());
            }
            Event::FlowArrived { flow, arrivals, bytes, .. } => {
                self.begin(9, at);
                self.numbers([flow.number().into(), arrivals.number().into(), *bytes]);
            }
            Event::FlowCompleted { flow } => {
                self.begin(4, at);
                self.number(flow.number());
            }
            Event::Link { hop, event, .. } => {
                self.begin(5, at);
                self.hop(*hop);
                self.link(event);
            }
            Event::Medium { medium, event } => {
                self.begin(6, at);
                self.number(medium.number());
                self.medium(event);
            }
            Event::Air { link, state } => {
                self.begin(7, at);
                self.numbers([link.number().into(), u64::from(*state == Air::Bad)]);
            }
            Event::Node { node, event, .. } => {
                self.begin(8, at);
                self.number(node.number());
                self.node(event);
            }
        }
        self.hash.update(&self.bytes);
    }
}

// Explicit numbers: the order of an enum's variants may change.

fn state_number(state: State) -> u64 {
    match state {
        State::Closed => 0,
        State::Listen => 1,
        State::SynSent => 2,
        State::SynReceived => 3,
        State::Established => 4,
        State::FinWait1 => 5,
        State::FinWait2 => 6,
        State::CloseWait => 7,
        State::Closing => 8,
        State::LastAck => 9,
        State::TimeWait => 10,
    }
}

fn reason_number(reason: Reason) -> u64 {
    match reason {
        Reason::New => 0,
        Reason::FastRetransmit => 1,
        Reason::Timeout => 2,
        Reason::Notice => 3,
        Reason::Probe => 4,
        Reason::Reopened => 5,
    }
}

fn notice_number(kind: NoticeKind) -> u64 {
    match kind {
        NoticeKind::Defer => 0,
        NoticeKind::Retransmit => 1,
    }
}

fn frame_number(kind: FrameKind) -> u64 {
    match kind {
        FrameKind::Rts => 0,
        FrameKind::Cts => 1,
        FrameKind::Data => 2,
        FrameKind::Aggregate => 3,
        FrameKind::Ack => 4,
        FrameKind::BlockAck => 5,
        FrameKind::Beacon => 6,
    }
}

fn reception_number(reception: Reception) -> u64 {
    match reception {
        Reception::Received => 0,
        Reception::Collided => 1,
        Reception::Corrupted => 2,
        Reception::Unheard => 3,
    }
}

fn reach_number(reach: Reach) -> u64 {
    match reach {
        Reach::Nothing => 0,
        Reach::Senses => 1,
        Reach::Reads => 2,
    }
}

#[cfg(test)]
mod tests {
    use sim::FlowId;

    use super::*;

    fn digest(events: &[(u64, Event)], ended: u64) -> [u8; 32] {
        let mut digest = EventDigest::default();
        events.iter().for_each(|(at, event)| digest.event(Time::from_nanos(*at), event));
        digest.finish(Time::from_nanos(ended))
    }

    /// The expected digest is SHA-256 of 3 and 5 (FlowStarted at 5 ns), 7 (the flow), 0 and 9 (the end at 9 ns),
    /// computed with Python's hashlib.
    #[test]
    fn digest_is_computed_from_the_documented_bytes() {
        let found = digest(&[(5, Event::FlowStarted { flow: FlowId::new(7) })], 9);
        let hex: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "7b4225a0255b224fdf50ba2880fe3ff8c90debbffaebeba832547bb2ccf31edc");
    }

    #[test]
    fn digest_depends_on_times_order_and_values() {
        let [flow, other] = [0, 1].map(FlowId::new);
        let [start, done] = [Event::FlowStarted { flow }, Event::FlowCompleted { flow }];
        let other = Event::FlowCompleted { flow: other };
        let all = [
            digest(&[(1, start), (2, done)], 3),
            digest(&[(1, start), (1, done)], 3),
            digest(&[(2, done), (2, start)], 3),
            digest(&[(2, start), (2, done)], 3),
            digest(&[(1, start), (2, other)], 3),
            digest(&[(1, start), (2, done)], 4),
            digest(&[(1, start)], 3),
        ];
        let blocked = Event::Sender { flow, event: tcp::Event::Blocked { reason: tcp::Blocked::Cwnd } };
        assert_eq!(digest(&[(1, start), (1, blocked), (2, done)], 3), all[0], "it follows from the rest");
        for (number, one) in all.iter().enumerate() {
            assert!(!all[number + 1..].contains(one), "number {number} is another's");
        }
    }
}
