//! Records the events of selected flows for their pictures, during the run.
//!
//! The events of a run may exceed memory, so only those that a picture shows are kept: the events within the time axis,
//! and the state at its left edge (the last acknowledgment, the last window, the channel state). The number of kept
//! entries is bounded, so that a long run ends with an error message, not with an allocation failure.

mod captured;

use std::collections::{BTreeMap, BTreeSet};

use engine::{Span, Time};
use observation::{HopPackets, SenderState};
use path::channel::ChannelState;
use path::{HopId, HopIndex, LinkEvent, LinkId};
use sim::{Event, FlowId, NodeEvent, NodeId, PacketFlow, Sink};
use tcp::Reason;
use wire::{Body, Packet};

use crate::describe::Description;
use crate::goodput;
use crate::history::{Ack, FlowHistory, PlottedSegment, Rtt, SchemeAct, Spot, Window, merge_intervals};
use crate::ink::Picture;
use crate::layout::{self, PictureSubject};
use crate::mark::{Mark, Occurrence, PacketFate, PacketRole};
use crate::options::PictureOptions;
use crate::panel::{Panel, PanelData};
use crate::queues::{self, QueueLength, Stays};
use crate::schemes::{self, SchemeRecord};
use crate::together;

/// A sink that records the data for pictures of some flows.
pub struct Recorder {
    /// Edges of the time axis in seconds.
    from: f64,
    to: f64,
    flows: BTreeMap<FlowId, RecordedFlow>,
    /// The channel state of each link.
    air: BTreeMap<LinkId, ChannelRecord>,
    /// True to record RTT samples and timeouts.
    rtt: bool,
    /// The recorded actions of the nodes' schemes.
    schemes: SchemeRecord,
    /// The packets at all hops, if queues are recorded.
    packets: Option<HopPackets>,
    /// The stays of packets at all hops.
    stays: Stays,
    /// Time of the last event of the run, in seconds.
    last: f64,
    /// Number of kept entries.
    kept: usize,
    /// Maximum number of kept entries.
    max: usize,
}

/// The record of one flow.
#[derive(Default)]
struct RecordedFlow {
    history: FlowHistory,
    began: Option<f64>,
    completed: Option<f64>,
    sender: SenderState,
    /// The links that carry the flow.
    links: BTreeSet<LinkId>,
}

#[derive(Default)]
struct ChannelRecord {
    since: Option<f64>,
    bad: Vec<(f64, f64)>,
}

impl Recorder {
    /// Limit of kept entries, summed over all flows. An entry takes at most 32 bytes: 320 MB, and twice as much while a
    /// list is reallocated.
    pub const MAX_ENTRIES: usize = 10_000_000;

    /// Returns a recorder for pictures of `flows` with time axes within `from` and `to`; `None` means no limit. It
    /// records the sequence, window and goodput panels; [`with_panels`](Self::with_panels) adds the others.
    pub fn new(flows: impl IntoIterator<Item = FlowId>, from: Option<Time>, to: Option<Time>) -> Self {
        Recorder {
            from: from.map_or(0.0, Time::as_secs_f64),
            to: to.map_or(f64::INFINITY, Time::as_secs_f64),
            flows: flows.into_iter().map(|flow| (flow, RecordedFlow::default())).collect(),
            air: BTreeMap::new(),
            rtt: false,
            schemes: SchemeRecord::default(),
            packets: None,
            stays: Stays::new(),
            last: 0.0,
            kept: 0,
            max: Self::MAX_ENTRIES,
        }
    }

    /// Also records the values that `panels` show.
    #[must_use]
    pub fn with_panels(mut self, panels: &[Panel], description: &Description) -> Self {
        let needs = |data| panels.iter().any(|panel| panel.row().needs.contains(&data));
        self.rtt = needs(PanelData::RoundTrips);
        self.packets = needs(PanelData::Queues).then(|| HopPackets::new(description.hops.clone()));
        self
    }

    /// Records the actions of the nodes' schemes. Otherwise, and at nodes whose scheme has no actions, all data that a
    /// node between the ends sends and all acknowledgments that it consumes are recorded.
    #[must_use]
    pub fn with_schemes(mut self, description: &Description) -> Self {
        self.schemes = SchemeRecord::new(description);
        self
    }

    /// Returns true if more than [`MAX_ENTRIES`](Self::MAX_ENTRIES) entries were needed, so that the recording is
    /// incomplete.
    pub fn has_overflowed(&self) -> bool {
        self.kept > self.max
    }

    /// True if no later event can change a picture.
    pub fn is_complete(&self) -> bool {
        self.last > self.to
    }

    /// Ends the recording, after the end of the run.
    pub fn finish(self) -> FlowRecording {
        let (last, air) = (self.last, &self.air);
        let finished = |flow: RecordedFlow| {
            let mut history = flow.history;
            history.began = flow.began.unwrap_or(0.0);
            history.ended = flow.completed.unwrap_or(last).max(history.began);
            self.schemes.add_to(&mut history, &flow.links);
            let links = flow.links.iter().filter_map(|link| air.get(link));
            history.bad = merge_intervals(links.map(|air| air.close_intervals(last)));
            history
        };
        let mut stays = self.stays;
        if let Some(packets) = &self.packets {
            queues::add_present(&mut stays, packets, last);
        }
        FlowRecording { flows: self.flows.into_iter().map(|(number, flow)| (number, finished(flow))).collect(), stays }
    }

    /// Counts an entry at time `at` (seconds) and returns true, if that time lies within the time axis and the limit is
    /// not reached.
    fn count_entry(&mut self, at: f64) -> bool {
        let keeps = (self.from..=self.to).contains(&at) && !self.has_overflowed();
        self.kept += usize::from(keeps);
        keeps
    }

    /// Appends to a list; before the left edge of the time axis, replaces the list by this last entry.
    fn append_or_replace<T>(&mut self, flow: FlowId, list: fn(&mut FlowHistory) -> &mut Vec<T>, at: f64, entry: T) {
        let keeps = self.count_entry(at);
        let Some(flow) = self.flows.get_mut(&flow) else { return };
        let list = list(&mut flow.history);
        if keeps {
            list.push(entry);
        } else if at < self.from {
            list.clear();
            list.push(entry);
        }
    }

    fn append_entry<T>(&mut self, flow: FlowId, list: fn(&mut FlowHistory) -> &mut Vec<T>, at: f64, entry: T) {
        if self.count_entry(at)
            && let Some(flow) = self.flows.get_mut(&flow)
        {
            list(&mut flow.history).push(entry);
        }
    }

    fn on_sender_event(&mut self, time: Time, number: FlowId, event: &tcp::Event) {
        let at = time.as_secs_f64();
        let Some(flow) = self.flows.get_mut(&number) else { return };
        flow.sender.apply(time, event);
        match *event {
            tcp::Event::SegmentSent { seq, len, reason } => {
                flow.history.first_sent.get_or_insert(at);
                self.append_entry(
                    number,
                    |h| &mut h.sent,
                    at,
                    PlottedSegment { at, seq, len, again: reason != Reason::New },
                );
            }
            tcp::Event::AckReceived { ack, duplicate } => {
                // A FIN has a number too.
                let ack = ack.min(flow.sender.max);
                self.append_or_replace(number, |h| &mut h.acks, at, Ack { at, ack, duplicate });
            }
            tcp::Event::Window { cwnd, ssthresh } => {
                self.append_or_replace(number, |h| &mut h.windows, at, Window { at, cwnd, ssthresh });
            }
            tcp::Event::Blocked { reason } => self.append_or_replace(number, |h| &mut h.blocked, at, (at, reason)),
            tcp::Event::Timeout { rto, .. } => self.record_timeout(at, number, rto),
            tcp::Event::RttSample { rtt, srtt, rto } if self.rtt => {
                let (rtt, srtt) = (rtt.as_secs_f64(), srtt.as_secs_f64());
                self.append_entry(number, |h| &mut h.rtts, at, Rtt { at, rtt, srtt });
                self.record_timeout(at, number, rto);
            }
            _ => {}
        }
        self.record_mark(at, number, &Occurrence::Sender(event));
    }

    /// Records the mark of an occurrence, if it has one.
    fn record_mark(&mut self, at: f64, flow: FlowId, occurrence: &Occurrence<'_>) {
        if let Some((mark, seq)) = Mark::find(occurrence)
            && self.count_entry(at)
            && let Some(flow) = self.flows.get_mut(&flow)
        {
            flow.history.spots.entry(mark).or_default().push(Spot { at, seq });
        }
    }

    fn record_fate(&mut self, at: f64, fate: PacketFate, role: Option<(FlowId, PacketRole)>) {
        if let Some((flow, role)) = role {
            self.record_mark(at, flow, &Occurrence::Packet(fate, role));
        }
    }

    /// Records a retransmission timeout that differs from the last one.
    fn record_timeout(&mut self, at: f64, number: FlowId, rto: Span) {
        let rto = rto.as_secs_f64();
        let last = |flow: &RecordedFlow| flow.history.rtos.last().map(|(_, rto)| *rto);
        if self.rtt && self.flows.get(&number).and_then(last) != Some(rto) {
            self.append_or_replace(number, |h| &mut h.rtos, at, (at, rto));
        }
    }

    /// Returns the recorded flow to which a packet belongs, and the packet's position in that flow; `None` if the flow
    /// is not recorded.
    fn find_role(&self, packet: &Packet, of: Option<PacketFlow>) -> Option<(FlowId, PacketRole)> {
        let Body::Tcp(segment) = &packet.body else { return None };
        let of = of.filter(|of| self.flows.contains_key(&of.flow))?;
        let role = match of.from_sender {
            true if segment.len > 0 => PacketRole::Data(of.seq?),
            true => return None,
            false => PacketRole::Ack(of.ack?),
        };
        Some((of.flow, role))
    }

    fn on_link_event(&mut self, at: f64, hop: HopId, event: &LinkEvent, of: Option<PacketFlow>) {
        let role = event.packet().and_then(|packet| self.find_role(packet, of));
        match event {
            LinkEvent::Arrived { .. }
            | LinkEvent::GivenUp { .. }
            | LinkEvent::Lost { .. }
            | LinkEvent::QueueFull { .. }
            | LinkEvent::DroppedEarly { .. } => {
                self.record_crossing(hop, role);
                if event.is_loss() {
                    self.record_fate(at, PacketFate::Lost, role);
                }
            }
            LinkEvent::FrameCorrupted { .. } => {
                self.record_crossing(hop, role);
                self.record_fate(at, PacketFate::Corrupted, role);
            }
            LinkEvent::FrameSent { .. }
            | LinkEvent::FrameDuplicate { .. }
            | LinkEvent::FrameDiscarded { .. }
            | LinkEvent::ParitySent { .. }
            | LinkEvent::ParityCorrupted { .. }
            | LinkEvent::Recovered { .. }
            | LinkEvent::AckCorrupted { .. }
            | LinkEvent::Marked { .. }
            | LinkEvent::Joined { .. }
            | LinkEvent::Dequeued { .. } => {}
        }
    }

    /// Records the time that a packet has spent at a hop, if the event ends it.
    fn record_stay(&mut self, time: Time, event: &Event) {
        let Some(passage) = self.packets.as_mut().and_then(|packets| packets.apply(time, event)) else { return };
        if let Some((begin, end)) = queues::find_stay(&passage)
            && begin <= self.to
            && end >= self.from
            && !self.has_overflowed()
        {
            self.kept += 1;
            self.stays.entry(passage.hop).or_default().push((begin, end));
        }
    }

    fn record_crossing(&mut self, hop: HopId, role: Option<(FlowId, PacketRole)>) {
        if let Some((number, role)) = role
            && let Some(flow) = self.flows.get_mut(&number)
        {
            flow.links.insert(hop.link);
            if let PacketRole::Data(_) = role {
                flow.history.hops.insert(hop.into());
            }
        }
    }

    fn on_node_event(&mut self, at: f64, node: NodeId, event: &NodeEvent, of: Option<PacketFlow>) {
        let role = event.packet().and_then(|packet| self.find_role(packet, of));
        match event {
            NodeEvent::Sent { .. } | NodeEvent::Taken { .. } if self.schemes.has_actions(node) => {}
            NodeEvent::BufferFull { .. } | NodeEvent::NoRoute { .. } => self.record_fate(at, PacketFate::Lost, role),
            NodeEvent::Sent { packet } => {
                if packet.src != node.addr() {
                    self.record_fate(at, PacketFate::Inserted, role);
                }
            }
            NodeEvent::Taken { .. } => self.record_fate(at, PacketFate::Consumed, role),
            NodeEvent::Received { .. }
            | NodeEvent::Transit { .. }
            | NodeEvent::Associated { .. }
            | NodeEvent::Left { .. } => {}
        }
    }

    /// Records an action of a node's scheme.
    fn record_action(&mut self, at: f64, node: NodeId, name: &str, (of, packet): (Option<PacketFlow>, Option<Packet>)) {
        let Some(action) = self.schemes.find_action(node, name) else { return };
        let Some(packet) = packet else {
            if self.count_entry(at) {
                self.schemes.record_action(at, node, action);
            }
            return;
        };
        let Some((of, role)) = of.and_then(|of| Some((of, schemes::locate_packet(&packet, of)?))) else { return };
        if self.flows.contains_key(&of.flow)
            && self.count_entry(at)
            && let Some(flow) = self.flows.get_mut(&of.flow)
        {
            flow.history.actions.entry((action.effect, action.label)).or_default().push(SchemeAct { at, role });
        }
    }

    fn on_channel_state(&mut self, at: f64, link: LinkId, state: ChannelState) {
        let air = self.air.entry(link).or_default();
        match state {
            ChannelState::Bad => air.since = air.since.or(Some(at)),
            ChannelState::Good => {
                let Some(since) = air.since.take() else { return };
                if at >= self.from && since <= self.to && self.kept <= self.max {
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
        self.record_stay(time, event);
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
            Event::Sender { flow, event } => self.on_sender_event(time, *flow, event),
            Event::Node { node, event, of } => self.on_node_event(at, *node, event, *of),
            Event::Link { hop, event, of } => self.on_link_event(at, *hop, event, *of),
            Event::Air { link, state } => self.on_channel_state(at, *link, *state),
            Event::Agent { node, name, of, packet, .. } => self.record_action(at, *node, name, (*of, *packet)),
            Event::Receiver { .. } | Event::Medium { .. } | Event::FlowArrived { .. } => {}
        }
    }
}

impl ChannelRecord {
    /// Returns all BAD intervals; one that has not ended is cut at `last`.
    fn close_intervals(&self, last: f64) -> Vec<(f64, f64)> {
        self.bad.iter().copied().chain(self.since.map(|since| (since, last))).collect()
    }
}

/// The hop at which packets spend the most time during a flow's life.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowBottleneck {
    /// The hop.
    pub hop: HopIndex,
    /// The packets that wait or are being sent: changes as (seconds, packets).
    pub packets: Vec<(f64, u32)>,
}

/// The data recorded by a [`Recorder`].
pub struct FlowRecording {
    flows: BTreeMap<FlowId, FlowHistory>,
    stays: Stays,
}

impl FlowRecording {
    /// Returns the recorded events of a flow; `None` if the flow was not recorded.
    pub fn history(&self, flow: FlowId) -> Option<&FlowHistory> {
        self.flows.get(&flow)
    }

    /// Returns the bottleneck of a flow; `None` without recorded queues, or if the flow's data crossed no link.
    pub fn bottleneck(&self, flow: FlowId) -> Option<FlowBottleneck> {
        let history = self.flows.get(&flow)?;
        let hop = queues::find_bottleneck(&self.stays, history.hops.iter().copied(), (history.began, history.ended))?;
        let stays = self.stays.get(&hop)?;
        Some(FlowBottleneck { hop, packets: QueueLength::of(stays).changes })
    }

    /// Returns the mean rate of acknowledged data of a flow over its life, in bins of begin and end in seconds and bits
    /// per second.
    pub fn goodput(&self, flow: FlowId) -> Vec<(f64, f64, f64)> {
        let Some(history) = self.flows.get(&flow).filter(|history| !history.acks.is_empty()) else { return Vec::new() };
        let (acks, life) = (&history.acks, (history.began, history.ended));
        let bins = goodput::compute_bins(acks, life, goodput::choose_bin_width(life.0, life.1, acks.len()));
        bins.into_iter().map(|bin| (bin.begin, bin.end, bin.rate)).collect()
    }

    /// Draws one of the flows. Every recording and every combination of options gives a picture; it is empty if the
    /// flow has no events. Parts of the time axis outside the recorded part stay empty.
    pub fn draw(&self, description: &Description, options: &PictureOptions) -> Picture {
        let nothing = FlowHistory::default();
        layout::draw_flow(self.subject(&nothing, description, options))
    }

    /// Draws all recorded flows: goodput one above the other, and Jain's fairness index over time. Of the options, the
    /// panels and the flow have no effect.
    pub fn draw_all(&self, description: &Description, options: &PictureOptions) -> Picture {
        together::draw_all_flows(&self.flows, description, options)
    }

    /// Returns the flow that `options` name; `nothing` if it was not recorded.
    pub(crate) fn subject<'a>(
        &'a self,
        nothing: &'a FlowHistory,
        description: &'a Description,
        options: &'a PictureOptions,
    ) -> PictureSubject<'a> {
        let history = self.flows.get(&options.flow).unwrap_or(nothing);
        PictureSubject { history, stays: &self.stays, description, options }
    }
}

/// Draws one flow of a run whose events are all in memory.
pub fn draw_events(events: &[(Time, Event)], description: &Description, options: &PictureOptions) -> Picture {
    let recorder = Recorder::new([options.flow], options.from, options.to);
    let mut recorder = recorder.with_panels(&options.panels, description).with_schemes(description);
    events.iter().for_each(|(at, event)| recorder.event(*at, event));
    recorder.finish().draw(description, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOW: FlowId = FlowId::new(0);

    fn sent(seq: u64) -> Event {
        Event::Sender { flow: FLOW, event: tcp::Event::SegmentSent { seq, len: 10, reason: Reason::New } }
    }

    fn acked(ack: u64) -> Event {
        Event::Sender { flow: FLOW, event: tcp::Event::AckReceived { ack, duplicate: false } }
    }

    fn at(secs: u64) -> Time {
        Time::ZERO + Span::from_secs(secs)
    }

    #[test]
    fn recording_without_events_has_empty_history() {
        let recording = Recorder::new([FLOW], None, None).finish();
        let history = &recording.flows[&FLOW];
        assert_eq!((history.began, history.ended), (0.0, 0.0));
        assert!(history.sent.is_empty() && history.bad.is_empty());
    }

    #[test]
    fn only_events_within_the_time_axis_are_kept() {
        let mut recorder = Recorder::new([FLOW], Some(at(10)), Some(at(12)));
        for second in 0..20 {
            recorder.event(at(second), &sent(second * 10));
            recorder.event(at(second), &acked(second * 10));
            let air = if second % 2 == 0 { ChannelState::Bad } else { ChannelState::Good };
            recorder.event(at(second), &Event::Air { link: LinkId::new(0), state: air });
            recorder.event(
                at(second),
                &Event::Sender { flow: FlowId::new(1), event: tcp::Event::Timeout { seq: 0, nth: 1, rto: Span::ZERO } },
            );
            assert_eq!(recorder.is_complete(), second > 12);
        }
        // The channel was BAD from 10 to 11 and from 12 to 13.
        assert_eq!(recorder.kept, 3 + 3 + 2);
        assert_eq!(recorder.air[&LinkId::new(0)].bad, [(10.0, 11.0), (12.0, 13.0)]);
        let recording = recorder.finish();
        let history = &recording.flows[&FLOW];
        assert_eq!(history.sent.iter().map(|sent| sent.seq).collect::<Vec<_>>(), [100, 110, 120]);
        assert_eq!(history.acks.iter().map(|ack| ack.ack).collect::<Vec<_>>(), [90, 100, 110, 120]);
        assert_eq!((history.first_sent, history.ended), (Some(0.0), 19.0));
    }

    #[test]
    fn exceeded_limit_is_reported_and_stops_recording() {
        let mut recorder = Recorder { max: 100, ..Recorder::new([FLOW], None, None) };
        for n in 0..100 {
            recorder.event(at(n), &sent(n));
        }
        assert!(!recorder.has_overflowed());
        for n in 100..1000 {
            recorder.event(at(n), &sent(n));
            recorder.event(at(n), &acked(n));
        }
        assert!(recorder.has_overflowed());
        assert_eq!(recorder.flows[&FLOW].history.sent.len(), 101);
    }
}
