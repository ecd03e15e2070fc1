//! What happened to one flow, sorted out of the events of a whole run.

use std::collections::BTreeMap;

use engine::Time;
use path::channel::State;
use path::{HopId, LinkEvent};
use sim::{Event, NodeEvent};
use tcp::Reason;
use wire::{Addr, Body, NoticeKind, Packet, Segment};

/// A segment that was sent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sent {
    pub at: f64,
    pub seq: u64,
    pub len: u32,
    /// Whether it had been sent before.
    pub again: bool,
}

/// Something at a byte of the stream. Times are seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Spot {
    pub at: f64,
    pub seq: u64,
}

/// An acknowledgment that reached the sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Ack {
    pub at: f64,
    pub ack: u64,
    pub duplicate: bool,
}

/// The window from a time on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Window {
    pub at: f64,
    pub cwnd: f64,
    /// Infinite before the first loss.
    pub ssthresh: f64,
}

/// What happened to one flow. Each list is in order of time.
#[derive(Default, Debug)]
pub(crate) struct History {
    pub sent: Vec<Sent>,
    pub acks: Vec<Ack>,
    pub windows: Vec<Window>,
    /// Data packets lost for good on the way.
    pub lost: Vec<Spot>,
    /// Acknowledgments lost for good on the way, at the byte they asked for.
    pub acks_lost: Vec<Spot>,
    /// Link-layer frames with data that did not survive the air.
    pub corrupted: Vec<Spot>,
    pub timeouts: Vec<Spot>,
    pub fast_retransmits: Vec<Spot>,
    pub defers: Vec<Spot>,
    pub retransmits: Vec<Spot>,
    /// When the air was BAD on a link that carries this flow: begin and end, in order, apart.
    pub bad: Vec<(f64, f64)>,
    pub began: f64,
    pub ended: f64,
}

/// The two ends of a flow as its packets name them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ends {
    from: (Addr, u16),
    to: (Addr, u16),
}

impl Ends {
    fn of(packet: &Packet, segment: &Segment) -> Self {
        Ends { from: (packet.src, segment.src_port), to: (packet.dst, segment.dst_port) }
    }

    fn reversed(self) -> Self {
        Ends { from: self.to, to: self.from }
    }
}

/// What is kept while events are read.
struct Reader {
    flow: u32,
    history: History,
    /// Learned from the first segment: the world hands it to a link right after its sender said so.
    ends: Option<Ends>,
    announced: Option<u64>,
    /// Sequence numbers near these make 32 bits whole again.
    highest: u64,
    acknowledged: u64,
    /// By link: whether it carries the flow, since when it is BAD, and the intervals before.
    air: BTreeMap<u32, Air>,
    /// By link and way: the packet that has arrived while its sender still waits for the link acknowledgment.
    arrived: BTreeMap<(u32, usize), Packet>,
}

#[derive(Default)]
struct Air {
    carries: bool,
    since: Option<f64>,
    bad: Vec<(f64, f64)>,
}

/// Where in the flow a packet belongs.
enum Role {
    Data(u64),
    Ack(u64),
}

impl History {
    /// Reads the events of flow number `flow`.
    pub fn read(events: &[(Time, Event)], flow: u32) -> Self {
        let mut reader = Reader {
            flow,
            history: History::default(),
            ends: None,
            announced: None,
            highest: 0,
            acknowledged: 0,
            air: BTreeMap::new(),
            arrived: BTreeMap::new(),
        };
        let (mut began, mut completed) = (None, None);
        for (time, event) in events {
            let at = time.as_secs_f64();
            match event {
                Event::FlowStarted { flow } if *flow == reader.flow => began = Some(at),
                Event::FlowCompleted { flow } if *flow == reader.flow => completed = Some(at),
                Event::Sender { flow, event } if *flow == reader.flow => reader.sender(at, event),
                Event::Node { event: NodeEvent::Sent { packet }, .. } => reader.node_sent(packet),
                Event::Node { event: NodeEvent::BufferFull { packet }, .. } => reader.lost(at, packet),
                Event::Link { hop, event } => reader.link(at, *hop, event),
                Event::Air { link, state } => reader.air(at, *link, *state),
                _ => {}
            }
        }
        let last = events.last().map_or(0.0, |(time, _)| time.as_secs_f64());
        let mut history = reader.history;
        history.began = began.unwrap_or(0.0);
        history.ended = completed.unwrap_or(last).max(history.began);
        history.bad = union(reader.air.into_values().filter(|air| air.carries).map(|air| air.finish(last)));
        history
    }
}

impl Reader {
    fn sender(&mut self, at: f64, event: &tcp::Event) {
        let history = &mut self.history;
        match *event {
            tcp::Event::SegmentSent { seq, len, reason } => {
                history.sent.push(Sent { at, seq, len, again: reason != Reason::New });
                self.highest = self.highest.max(seq + u64::from(len));
                self.announced = Some(seq);
            }
            tcp::Event::AckReceived { ack, duplicate } => {
                self.acknowledged = self.acknowledged.max(ack);
                history.acks.push(Ack { at, ack, duplicate });
            }
            tcp::Event::Window { cwnd, ssthresh } => history.windows.push(Window { at, cwnd, ssthresh }),
            tcp::Event::Timeout { seq, .. } => history.timeouts.push(Spot { at, seq }),
            tcp::Event::FastRetransmit { seq } => history.fast_retransmits.push(Spot { at, seq }),
            tcp::Event::NoticeReceived { kind: NoticeKind::Defer, seq } => history.defers.push(Spot { at, seq }),
            tcp::Event::NoticeReceived { kind: NoticeKind::Retransmit, seq } => {
                history.retransmits.push(Spot { at, seq });
            }
            _ => {}
        }
    }

    fn node_sent(&mut self, packet: &Packet) {
        if self.ends.is_none()
            && let Some(announced) = self.announced
            && let Some(segment) = packet.data()
            && segment.seq.to_offset(announced) == Some(announced)
        {
            self.ends = Some(Ends::of(packet, segment));
        }
    }

    /// The part that a packet plays in this flow, if it plays one.
    fn role(&self, packet: &Packet) -> Option<Role> {
        let Body::Tcp(segment) = &packet.body else { return None };
        let (ends, these) = (self.ends?, Ends::of(packet, segment));
        if these == ends && segment.len > 0 {
            return segment.seq.to_offset(self.highest).map(Role::Data);
        }
        (these == ends.reversed()).then(|| segment.ack.to_offset(self.acknowledged).map(Role::Ack)).flatten()
    }

    fn lost(&mut self, at: f64, packet: &Packet) {
        match self.role(packet) {
            Some(Role::Data(seq)) => self.history.lost.push(Spot { at, seq }),
            Some(Role::Ack(seq)) => self.history.acks_lost.push(Spot { at, seq }),
            None => {}
        }
    }

    fn link(&mut self, at: f64, hop: HopId, event: &LinkEvent) {
        let place = (hop.link, hop.way.index());
        match event {
            LinkEvent::Lost { packet } | LinkEvent::QueueFull { packet } => {
                self.carries(hop.link, packet);
                self.lost(at, packet);
            }
            // Where only the link acknowledgments were lost, nothing is.
            LinkEvent::GivenUp { packet, .. } => {
                self.carries(hop.link, packet);
                if self.arrived.remove(&place) != Some(*packet) {
                    self.lost(at, packet);
                }
            }
            LinkEvent::FrameCorrupted { packet, .. } => {
                self.carries(hop.link, packet);
                if let Some(Role::Data(seq)) = self.role(packet) {
                    self.history.corrupted.push(Spot { at, seq });
                }
            }
            LinkEvent::Arrived { packet } => {
                self.carries(hop.link, packet);
                self.arrived.insert(place, *packet);
            }
            LinkEvent::FrameSent { attempt: 1, .. } => {
                self.arrived.remove(&place);
            }
            LinkEvent::FrameSent { .. } | LinkEvent::FrameDuplicate { .. } | LinkEvent::AckCorrupted { .. } => {}
        }
    }

    fn carries(&mut self, link: u32, packet: &Packet) {
        if !self.air.get(&link).is_some_and(|air| air.carries) && self.role(packet).is_some() {
            self.air.entry(link).or_default().carries = true;
        }
    }

    fn air(&mut self, at: f64, link: u32, state: State) {
        let air = self.air.entry(link).or_default();
        match state {
            State::Bad => air.since = air.since.or(Some(at)),
            State::Good => air.bad.extend(air.since.take().map(|since| (since, at))),
        }
    }
}

impl Air {
    /// All intervals, the one that had not ended cut at `last`.
    fn finish(mut self, last: f64) -> Vec<(f64, f64)> {
        self.bad.extend(self.since.map(|since| (since, last)));
        self.bad
    }
}

/// The union of intervals of several links.
fn union(links: impl Iterator<Item = Vec<(f64, f64)>>) -> Vec<(f64, f64)> {
    let mut all: Vec<(f64, f64)> = links.flatten().collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for (begin, end) in all {
        match joined.last_mut() {
            Some(last) if begin <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((begin, end)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_several_links_join() {
        let joined = union([vec![(1.0, 2.0), (5.0, 6.0)], vec![(1.5, 3.0), (6.0, 7.0), (9.0, 9.5)]].into_iter());
        assert_eq!(joined, [(1.0, 3.0), (5.0, 7.0), (9.0, 9.5)]);
    }

    #[test]
    fn nothing_is_a_history_too() {
        let history = History::read(&[], 3);
        assert_eq!((history.began, history.ended), (0.0, 0.0));
        assert!(history.sent.is_empty() && history.bad.is_empty());
    }
}
