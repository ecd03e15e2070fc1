//! The reports of a run in addition to its results: events, delays, and packets for the outside.

use engine::{Span, Time};
use path::{HopId, LinkEvent, MediumEvent, MediumId, Observer};
use wire::CompactPacket;

use super::agenda::Agenda;
use super::drive::Delivered;
use super::endpoints::Endpoints;
use super::event_loop::LoopSink;
use super::transmitters::Transmitters;
use crate::delay::Delays;
use crate::event::{Event, NodeEvent};
use crate::ids::NodeId;
use crate::network::Network;
use crate::world::ids::EndId;

/// The probes of a run, which follow the run and do not change it. After a wake-up, `next_air` is later than the
/// current time.
pub(super) struct Probes {
    /// `None` without measurements.
    delays: Option<Box<Delays>>,
    /// The next state change of any channel, for active sinks; `NEVER` without a channel that changes.
    next_air: Time,
    /// Packets that no connection accepted, oldest first, if collected.
    delivered: Option<Vec<Delivered>>,
}

impl Probes {
    /// Probes of a run without delays and events.
    pub fn new() -> Self {
        Probes { delays: None, next_air: Time::NEVER, delivered: None }
    }

    /// Measures the delays of a run of `network` from now on.
    pub fn measure_delays(&mut self, network: &Network) {
        self.delays = Some(Box::new(Delays::of(network)));
    }

    /// Delays so far; `None` without measurements.
    pub fn delays(&self) -> Option<&Delays> {
        self.delays.as_deref()
    }

    #[inline(always)]
    pub fn measures_delays(&self) -> bool {
        self.delays.is_some()
    }

    /// Records measurements after an action of an end: its round trip, and the number of acknowledged bytes.
    #[inline]
    pub fn end_acted(&mut self, end: EndId, endpoints: &mut Endpoints) {
        if let Some(delays) = &mut self.delays {
            endpoints.report_round_trip(end, delays);
        }
    }

    /// Begins to measure the delay of a segment sent by an end.
    #[inline(never)]
    pub fn time_sent(&mut self, end: EndId, packet: &CompactPacket, endpoints: &Endpoints, now: Time) {
        let (Some(delays), Some(segment)) = (&mut self.delays, packet.segment()) else { return };
        if segment.len > 0 {
            let node = endpoints.end(end).node();
            delays.record_sent(now, node, &endpoints.flow_of_segment(end.peer(), segment));
        }
    }

    /// Completes the measurement of a segment that has arrived at an end.
    #[inline(never)]
    pub fn time_received(&mut self, end: EndId, packet: &CompactPacket, endpoints: &Endpoints, now: Time) {
        let (Some(delays), Some(segment)) = (&mut self.delays, packet.segment()) else { return };
        if segment.len > 0 {
            delays.record_received(now, &endpoints.flow_of_segment(end, segment));
        }
    }

    /// The observer of one call of a transmitter.
    #[inline(always)]
    pub fn relay<'a, S: LoopSink>(&'a mut self, flows: &'a Endpoints, sink: &'a mut S) -> Relay<'a, S> {
        Relay { sink, flows, delays: &mut self.delays }
    }

    /// Emits an event of a node, and measures the delays that follow from it.
    #[inline]
    pub fn emit<S: LoopSink>(
        &mut self,
        node: NodeId,
        endpoints: &Endpoints,
        now: Time,
        sink: &mut S,
        event: impl FnOnce() -> NodeEvent,
    ) {
        if !(S::NEEDS_PACKETS || (S::TIMES && self.measures_delays())) {
            return;
        }
        let event = event();
        let of = event.packet().and_then(|packet| endpoints.flow_of(packet));
        if let (Some(delays), Some(of)) = (&mut self.delays, &of) {
            delays.node(now, node, &event, of);
        }
        if S::NEEDS_PACKETS {
            sink.event(now, &Event::Node { node, event, of });
        }
    }

    /// Observes changes of channels from time zero on.
    pub fn watch_air(&mut self, transmitters: &mut Transmitters) {
        self.next_air = next_change(transmitters, Time::ZERO);
    }

    /// Emits every state change of channels up to now, oldest first.
    #[inline]
    pub fn emit_air<S: LoopSink>(&mut self, transmitters: &mut Transmitters, agenda: &Agenda, sink: &mut S) {
        while self.next_air <= agenda.now() && self.next_air != Time::NEVER {
            let at = self.next_air;
            let before = Time::from_nanos(at.as_nanos().saturating_sub(1));
            for link in transmitters.links() {
                if let Some((when, state)) = transmitters.next_change(link, before)
                    && when == at
                {
                    sink.event(at, &Event::Air { link, state });
                }
            }
            self.next_air = next_change(transmitters, at);
        }
    }

    /// Collects packets that no connection accepts from now on.
    pub fn collect_delivered(&mut self) -> &mut Vec<Delivered> {
        self.delivered.get_or_insert_default()
    }

    /// Stores a packet that no connection accepts, if collected.
    pub fn keep_delivered(&mut self, packet: Delivered) {
        if let Some(delivered) = &mut self.delivered {
            delivered.push(packet);
        }
    }
}

/// The first state change of any link's channel after `after`.
fn next_change(transmitters: &mut Transmitters, after: Time) -> Time {
    let changes = transmitters.links().filter_map(|link| transmitters.next_change(link, after));
    changes.map(|(at, _)| at).min().unwrap_or(Time::NEVER)
}

/// Emits the events of links, with the flow of the packet.
pub(super) struct Relay<'a, S> {
    sink: &'a mut S,
    flows: &'a Endpoints,
    delays: &'a mut Option<Box<Delays>>,
}

impl<S: LoopSink> Observer for Relay<'_, S> {
    #[inline]
    fn watches(&self) -> bool {
        S::NEEDS_PACKETS
    }
    #[inline]
    fn times(&self) -> bool {
        S::NEEDS_PACKETS || (S::TIMES && self.delays.is_some())
    }
    #[inline]
    fn link(&mut self, at: Time, hop: HopId, event: LinkEvent) {
        if let Some(delays) = self.delays
            && event.is_timing()
        {
            time_on_link(delays, self.flows, (at, hop), &event);
        }
        if S::NEEDS_PACKETS {
            let of = event.packet().and_then(|packet| self.flows.flow_of(packet));
            self.sink.event(at, &Event::Link { hop, event, of });
        }
    }
    #[inline]
    fn waited(&mut self, hop: HopId, wait: Span) {
        if let Some(delays) = self.delays {
            delays.record_wait(hop, wait);
        }
    }
    fn medium(&mut self, at: Time, medium: MediumId, event: MediumEvent) {
        self.sink.event(at, &Event::Medium { medium, event });
    }
}

/// Measures the delay of a packet on a link. Not inlined, because the caller handles all packets.
#[inline(never)]
fn time_on_link(delays: &mut Delays, flows: &Endpoints, (at, hop): (Time, HopId), event: &LinkEvent) {
    delays.link(at, hop, event, || event.packet().and_then(|packet| flows.flow_of(packet)));
}
