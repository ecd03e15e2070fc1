//! Sorts what happened to chosen flows out of the events of a run, as they come.
//!
//! A run has more events than memory: of everything only what a picture shows is kept. That is what lies between the
//! edges of its time axis, and what holds at the left edge: the last acknowledgment and the last window before it, the
//! state of the air. A bound on what is kept makes sure that a long run ends in a message and not in an abort.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use engine::Time;
use path::channel::State;
use path::{HopId, LinkEvent};
use sim::{Event, NodeEvent, Sink};
use tcp::Reason;
use wire::{Body, NoticeKind, Packet, SeqNum};

use crate::describe::Description;
use crate::ends::{Ends, Side};
use crate::history::{Ack, History, Sent, Spot, Window, union};
use crate::ink::Picture;
use crate::layout;
use crate::options::Options;

/// A sink that keeps what pictures of some flows need.
pub struct Recorder {
    /// The edges of the time axis in seconds.
    from: f64,
    to: f64,
    flows: BTreeMap<u32, Flow>,
    /// Whose packets have these ends.
    of_ends: HashMap<Ends, (u32, Side)>,
    /// The flow that said that it sends a segment, and the segment's first byte.
    announced: Option<(u32, u64)>,
    /// By link: since when it is BAD, and the intervals before.
    air: BTreeMap<u32, Air>,
    /// The time of the last event of all.
    last: f64,
    /// Things kept, and how many may be.
    kept: usize,
    most: usize,
}

/// What is known of one flow.
#[derive(Default)]
struct Flow {
    history: History,
    began: Option<f64>,
    completed: Option<f64>,
    knows_ends: bool,
    /// The sequence number of the first byte.
    origin: SeqNum,
    /// Sequence numbers near these make 32 bits whole again.
    highest: u64,
    acknowledged: u64,
    /// The links that carry it.
    links: BTreeSet<u32>,
}

#[derive(Default)]
struct Air {
    since: Option<f64>,
    bad: Vec<(f64, f64)>,
}

/// Where in a flow a packet belongs.
enum Role {
    Data(u64),
    Ack(u64),
}

impl Recorder {
    /// How many things are kept at most, all flows together. One takes at most 32 bytes: 320 MB, and twice as much
    /// while the memory of a list grows.
    pub const MOST: usize = 10_000_000;

    /// Keeps what pictures of `flows` need whose time axes lie between `from` and `to`; without edges, everything.
    pub fn new(flows: impl IntoIterator<Item = u32>, from: Option<Time>, to: Option<Time>) -> Self {
        Recorder {
            from: from.map_or(0.0, Time::as_secs_f64),
            to: to.map_or(f64::INFINITY, Time::as_secs_f64),
            flows: flows.into_iter().map(|flow| (flow, Flow::default())).collect(),
            of_ends: HashMap::new(),
            announced: None,
            air: BTreeMap::new(),
            last: 0.0,
            kept: 0,
            most: Self::MOST,
        }
    }

    /// Whether there was more to keep than [`MOST`](Self::MOST): there will be no picture.
    pub fn overflowed(&self) -> bool {
        self.kept > self.most
    }

    /// Whether no later event can change a picture.
    pub fn is_complete(&self) -> bool {
        self.last > self.to
    }

    /// The recording, when the run is over.
    pub fn finish(self) -> Recording {
        let (last, air) = (self.last, &self.air);
        let finished = |flow: Flow| {
            let mut history = flow.history;
            history.began = flow.began.unwrap_or(0.0);
            history.ended = flow.completed.unwrap_or(last).max(history.began);
            let links = flow.links.iter().filter_map(|link| air.get(link));
            history.bad = union(links.map(|air| air.finished(last)));
            history
        };
        Recording { flows: self.flows.into_iter().map(|(number, flow)| (number, finished(flow))).collect() }
    }

    /// Whether something at this time is kept; if so, it is counted.
    fn keeps(&mut self, at: f64) -> bool {
        let keeps = (self.from..=self.to).contains(&at) && !self.overflowed();
        self.kept += usize::from(keeps);
        keeps
    }

    /// Keeps a thing of a list; before the left edge, only the last.
    fn keep_last<T>(&mut self, flow: u32, list: fn(&mut History) -> &mut Vec<T>, at: f64, thing: T) {
        let keeps = self.keeps(at);
        let Some(flow) = self.flows.get_mut(&flow) else { return };
        let list = list(&mut flow.history);
        if keeps {
            list.push(thing);
        } else if at < self.from {
            list.clear();
            list.push(thing);
        }
    }

    fn keep<T>(&mut self, flow: u32, list: fn(&mut History) -> &mut Vec<T>, at: f64, thing: T) {
        if self.keeps(at)
            && let Some(flow) = self.flows.get_mut(&flow)
        {
            list(&mut flow.history).push(thing);
        }
    }

    fn sender(&mut self, at: f64, number: u32, event: &tcp::Event) {
        if matches!(event, tcp::Event::SegmentSent { .. }) {
            // What follows is this flow's, even if it is not one of ours.
            self.announced = None;
        }
        let Some(flow) = self.flows.get_mut(&number) else { return };
        match *event {
            tcp::Event::SegmentSent { seq, len, reason } => {
                flow.history.first_sent.get_or_insert(at);
                flow.highest = flow.highest.max(seq + u64::from(len));
                if !flow.knows_ends {
                    self.announced = Some((number, seq));
                }
                self.keep(number, |h| &mut h.sent, at, Sent { at, seq, len, again: reason != Reason::New });
            }
            tcp::Event::AckReceived { ack, duplicate } => {
                flow.acknowledged = flow.acknowledged.max(ack);
                self.keep_last(number, |h| &mut h.acks, at, Ack { at, ack, duplicate });
            }
            tcp::Event::Window { cwnd, ssthresh } => {
                self.keep_last(number, |h| &mut h.windows, at, Window { at, cwnd, ssthresh });
            }
            tcp::Event::Blocked { reason } => self.keep_last(number, |h| &mut h.blocked, at, (at, reason)),
            tcp::Event::Timeout { seq, .. } => self.keep(number, |h| &mut h.timeouts, at, Spot { at, seq }),
            tcp::Event::FastRetransmit { seq } => {
                self.keep(number, |h| &mut h.fast_retransmits, at, Spot { at, seq });
            }
            tcp::Event::NoticeReceived { kind: NoticeKind::Defer, seq } => {
                self.keep(number, |h| &mut h.defers, at, Spot { at, seq });
            }
            tcp::Event::NoticeReceived { kind: NoticeKind::Retransmit, seq } => {
                self.keep(number, |h| &mut h.retransmits, at, Spot { at, seq });
            }
            _ => {}
        }
    }

    /// Learns a flow's ends from its first segment: the world hands it to a link right after its sender said so.
    fn node_sent(&mut self, packet: &Packet) {
        if let Some((number, seq)) = self.announced
            && let Some(segment) = packet.data()
            && let Some(flow) = self.flows.get_mut(&number)
        {
            let ends = Ends::of(packet, segment);
            self.of_ends.insert(ends, (number, Side::Sender));
            self.of_ends.insert(ends.reversed(), (number, Side::Receiver));
            flow.knows_ends = true;
            flow.origin = segment.seq.origin_of(seq);
            self.announced = None;
        }
    }

    /// The flow that a packet belongs to, and its part there.
    fn role(&self, packet: &Packet) -> Option<(u32, Role)> {
        let Body::Tcp(segment) = &packet.body else { return None };
        let (number, side) = *self.of_ends.get(&Ends::of(packet, segment))?;
        let flow = self.flows.get(&number)?;
        let role = match side {
            Side::Sender if segment.len > 0 => Role::Data(segment.seq.offset_from(flow.origin, flow.highest)?),
            Side::Sender => return None,
            Side::Receiver => Role::Ack(segment.ack.offset_from(flow.origin, flow.acknowledged)?),
        };
        Some((number, role))
    }

    fn lost(&mut self, at: f64, packet: &Packet) {
        match self.role(packet) {
            Some((flow, Role::Data(seq))) => self.keep(flow, |h| &mut h.lost, at, Spot { at, seq }),
            Some((flow, Role::Ack(seq))) => self.keep(flow, |h| &mut h.acks_lost, at, Spot { at, seq }),
            None => {}
        }
    }

    fn link(&mut self, at: f64, hop: HopId, event: &LinkEvent) {
        match event {
            LinkEvent::Lost { packet } | LinkEvent::QueueFull { packet } => {
                self.carries(hop.link, packet);
                self.lost(at, packet);
            }
            // Where only the link acknowledgments were lost, nothing is.
            LinkEvent::GivenUp { packet, arrived, .. } => {
                self.carries(hop.link, packet);
                if !arrived {
                    self.lost(at, packet);
                }
            }
            LinkEvent::FrameCorrupted { packet, .. } => {
                self.carries(hop.link, packet);
                if let Some((flow, Role::Data(seq))) = self.role(packet) {
                    self.keep(flow, |h| &mut h.corrupted, at, Spot { at, seq });
                }
            }
            LinkEvent::Arrived { packet } => self.carries(hop.link, packet),
            LinkEvent::FrameSent { .. }
            | LinkEvent::FrameDuplicate { .. }
            | LinkEvent::FrameDiscarded { .. }
            | LinkEvent::ParitySent { .. }
            | LinkEvent::ParityCorrupted { .. }
            | LinkEvent::Recovered { .. }
            | LinkEvent::AckCorrupted { .. }
            | LinkEvent::Marked { .. } => {}
        }
    }

    fn carries(&mut self, link: u32, packet: &Packet) {
        if let Some((number, _)) = self.role(packet)
            && let Some(flow) = self.flows.get_mut(&number)
        {
            flow.links.insert(link);
        }
    }

    fn air(&mut self, at: f64, link: u32, state: State) {
        let air = self.air.entry(link).or_default();
        match state {
            State::Bad => air.since = air.since.or(Some(at)),
            State::Good => {
                let Some(since) = air.since.take() else { return };
                if at >= self.from && since <= self.to && self.kept <= self.most {
                    air.bad.push((since, at));
                    self.kept += 1;
                }
            }
        }
    }
}

impl Sink for Recorder {
    const ACTIVE: bool = true;

    fn event(&mut self, time: Time, event: &Event) {
        let at = time.as_secs_f64();
        self.last = at;
        match event {
            Event::FlowStarted { flow } => {
                if let Some(flow) = self.flows.get_mut(flow) {
                    flow.began = Some(at);
                }
            }
            Event::FlowCompleted { flow } => {
                if let Some(flow) = self.flows.get_mut(flow) {
                    flow.completed = Some(at);
                }
            }
            Event::Sender { flow, event } => self.sender(at, *flow, event),
            Event::Node { event: NodeEvent::Sent { packet }, .. } => self.node_sent(packet),
            Event::Node { event: NodeEvent::BufferFull { packet } | NodeEvent::NoRoute { packet }, .. } => {
                self.lost(at, packet);
            }
            Event::Link { hop, event } => self.link(at, *hop, event),
            Event::Air { link, state } => self.air(at, *link, *state),
            Event::Receiver { .. } | Event::Node { .. } | Event::Medium { .. } => {}
        }
    }
}

impl Air {
    /// All intervals, the one that had not ended cut at `last`.
    fn finished(&self, last: f64) -> Vec<(f64, f64)> {
        self.bad.iter().copied().chain(self.since.map(|since| (since, last))).collect()
    }
}

/// What a [`Recorder`] has kept.
pub struct Recording {
    flows: BTreeMap<u32, History>,
}

impl Recording {
    /// Draws one of the flows. Whatever was recorded and whatever the options are, there is a picture: an empty one if
    /// need be. A time axis wider than what was recorded is empty at its ends.
    pub fn draw(&self, description: &Description, options: &Options) -> Picture {
        let nothing = History::default();
        layout::draw(self.flows.get(&options.flow).unwrap_or(&nothing), description, options)
    }
}

/// Draws one flow of a run of which every event is at hand.
pub fn draw(events: &[(Time, Event)], description: &Description, options: &Options) -> Picture {
    let mut recorder = Recorder::new([options.flow], options.from, options.to);
    events.iter().for_each(|(at, event)| recorder.event(*at, event));
    recorder.finish().draw(description, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Span;

    fn sent(seq: u64) -> Event {
        Event::Sender { flow: 0, event: tcp::Event::SegmentSent { seq, len: 10, reason: Reason::New } }
    }

    fn acked(ack: u64) -> Event {
        Event::Sender { flow: 0, event: tcp::Event::AckReceived { ack, duplicate: false } }
    }

    fn at(secs: u64) -> Time {
        Time::ZERO + Span::from_secs(secs)
    }

    #[test]
    fn nothing_is_a_recording_too() {
        let recording = Recorder::new([3], None, None).finish();
        let history = &recording.flows[&3];
        assert_eq!((history.began, history.ended), (0.0, 0.0));
        assert!(history.sent.is_empty() && history.bad.is_empty());
    }

    #[test]
    fn only_what_shows_is_kept() {
        let mut recorder = Recorder::new([0], Some(at(10)), Some(at(12)));
        for second in 0..20 {
            recorder.event(at(second), &sent(second * 10));
            recorder.event(at(second), &acked(second * 10));
            let air = if second % 2 == 0 { State::Bad } else { State::Good };
            recorder.event(at(second), &Event::Air { link: 0, state: air });
            recorder.event(
                at(second),
                &Event::Sender { flow: 1, event: tcp::Event::Timeout { seq: 0, nth: 1, rto: Span::ZERO } },
            );
            assert_eq!(recorder.is_complete(), second > 12);
        }
        // The air was BAD from 10 to 11 and from 12 to 13.
        assert_eq!(recorder.kept, 3 + 3 + 2);
        assert_eq!(recorder.air[&0].bad, [(10.0, 11.0), (12.0, 13.0)]);
        let recording = recorder.finish();
        let history = &recording.flows[&0];
        assert_eq!(history.sent.iter().map(|sent| sent.seq).collect::<Vec<_>>(), [100, 110, 120]);
        assert_eq!(history.acks.iter().map(|ack| ack.ack).collect::<Vec<_>>(), [90, 100, 110, 120]);
        assert_eq!((history.first_sent, history.ended), (Some(0.0), 19.0));
    }

    #[test]
    fn there_is_a_bound() {
        let mut recorder = Recorder { most: 100, ..Recorder::new([0], None, None) };
        for n in 0..100 {
            recorder.event(at(n), &sent(n));
        }
        assert!(!recorder.overflowed());
        for n in 100..1000 {
            recorder.event(at(n), &sent(n));
            recorder.event(at(n), &acked(n));
        }
        assert!(recorder.overflowed());
        assert_eq!(recorder.flows[&0].history.sent.len(), 101);
    }
}
