//! The positions of packets in a network at any time of an interval, for an animation.

mod hops;
mod states;

use engine::{Span, Time};
use observe::run::{Interrupted, Titled, Watch};
use serde::Serialize;
use sim::{Event, LinkId, Network, Sink, World};

pub use hops::{PacketOutcome, StopReason};

use crate::cell::{self, Cell, CellRecorder};
use crate::columns::{Column, Columns, Figure};
use crate::packet::{FigurePacketKind, PacketIdentity};
use crate::places::{self, JourneyMap};
use hops::HopRecorder;
use states::StateRecorder;

/// Wake-ups between two checks of the number of entries.
const STRIDE: u64 = 2_000;

/// Samples of the state of schemes in an interval.
const SAMPLES: u32 = 2_000;

/// The fates of an interval's packets are recorded until the interval's length and this time have passed since the
/// interval's end.
const AFTER: Span = Span::from_secs(2);

/// The head of a figure. Times are in seconds.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Journeys"))]
pub(crate) struct JourneysHead {
    /// The interval that is complete: it ends early if it has more entries than asked for.
    from: f64,
    to: f64,
    /// True if the interval ends early for that reason.
    overflowed: bool,
    /// End of the run, if that is in the interval.
    ended: Option<f64>,
    nodes: Vec<JourneyNodeHead>,
    links: Vec<JourneyLinkHead>,
    flows: Vec<JourneyFlowHead>,
    /// Names of kinds, outcomes and reasons in columns.
    kinds: [&'static str; 7],
    outcomes: [&'static str; 6],
    stop_reasons: [&'static str; 3],
    cell_names: cell::CellNames,
    /// Rows of hop (twice the link, plus 1 backward), flow, kind, offset, bytes, and times: joined the queue, first
    /// transmission began, last transmission ended, arrived or lost; and outcome. By hop, and by the time of joining.
    packets: Column,
    /// Transmissions of link layers on links in no medium: rows of hop, flow, kind, offset, begin, arrival, number of the
    /// attempt (0 for parity), and 1 if damaged. By hop and begin.
    frames: Column,
    /// Packets that a node did not pass on: rows of node, flow, kind, offset, bytes, time, and reason.
    stops: Column,
    /// BAD states: rows of link, begin and end.
    bad: Column,
    /// Rows of node, link, begin and end.
    associations: Column,
    /// State of schemes: rows of node, time, and bytes from then on.
    scheme_state: Column,
    cells: Vec<Cell>,
    map: Option<JourneyMap>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "JourneyNode"))]
pub(crate) struct JourneyNodeHead {
    name: String,
    kind: &'static str,
    /// The scheme of the node, unless it is `unmodified`.
    scheme: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "JourneyLink"))]
pub(crate) struct JourneyLinkHead {
    name: String,
    between: [usize; 2],
    wireless: bool,
    medium: Option<usize>,
    /// Whether each direction has a link layer whose frames are in `frames`.
    frames: [bool; 2],
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "JourneyFlow"))]
pub(crate) struct JourneyFlowHead {
    name: String,
    from: usize,
    to: usize,
}

/// The sinks of a run.
struct JourneyRecorder<'a> {
    network: &'a Network,
    hops: HopRecorder,
    states: StateRecorder,
    cells: CellRecorder,
}

impl JourneyRecorder<'_> {
    fn count_entries(&self) -> usize {
        self.hops.count_entries() + self.states.count_entries() + self.cells.count_entries()
    }
}

impl Sink for JourneyRecorder<'_> {
    const ACTIVE: bool = true;

    fn event(&mut self, time: Time, event: &Event) {
        let at = time.as_secs_f64();
        self.hops.event(time, event);
        match event {
            Event::Node { node, event, .. } => self.states.on_node(at, *node, event),
            Event::Air { link, state } => self.states.on_channel_state(at, *link, *state),
            Event::Medium { .. } => {
                let JourneyRecorder { network, hops, cells, .. } = self;
                let carried = |nodes: [usize; 2]| {
                    let joins = |link: &sim::LinkSpec| {
                        let direction = if link.between == nodes { Some(0) } else { None };
                        direction.or((link.between == [nodes[1], nodes[0]]).then_some(1))
                    };
                    let hops_of = |number| LinkId::from_index(number).hops();
                    let mut found = network.links.iter().enumerate().filter(|(_, link)| link.medium.is_some());
                    let hop = found.find_map(|(number, link)| Some(hops_of(number)[joins(link)?]));
                    hop.map_or(PacketIdentity::NOTHING, |hop| hops.carried[hop])
                };
                cells.event(time, event, carried);
            }
            _ => {}
        }
    }
}

/// Runs a scenario, and returns where packets are from `from` to `to` (seconds). If that takes more than about
/// `max_entries` rows, the interval ends early: `to` in the head says when.
///
/// # Errors
/// The callback cancels.
pub fn record_journeys(
    titled: Titled<'_>,
    [from, to]: [f64; 2],
    max_entries: usize,
    watch: Watch<'_>,
) -> Result<Figure, Interrupted> {
    let network = titled.network;
    let limit = network.duration.as_secs_f64();
    let from = if from.is_finite() { from.clamp(0.0, limit) } else { 0.0 };
    let mut to = if to.is_finite() { to.clamp(from, limit) } else { limit };
    let mut world = World::new(network, true);
    let mut sink = JourneyRecorder {
        network,
        hops: HopRecorder::new(network, from, to),
        states: StateRecorder::new(network, &world, from),
        cells: CellRecorder::new(network, from, to),
    };
    let time = |seconds: f64| Time::from_nanos((seconds * 1e9).round() as u64);
    let mut overflowed = false;
    'run: for sample in 0..=SAMPLES {
        let until = time(from + (to - from) * f64::from(sample) / f64::from(SAMPLES));
        loop {
            let more = world.advance_until(until, STRIDE, &mut sink);
            if sink.count_entries() > max_entries {
                overflowed = true;
                to = world.now().as_secs_f64();
                break 'run;
            }
            if watch(world.now().as_secs_f64() / to.max(f64::MIN_POSITIVE)).is_break() {
                return Err(Interrupted);
            }
            if !more {
                break;
            }
        }
        sink.states.sample_scheme_state(&world);
        if world.is_over() {
            break;
        }
    }
    let ended = world.is_over().then(|| world.now().as_secs_f64());
    sink.hops.end_at(to);
    sink.cells.close(time(to));
    follow_packets(&mut world, &mut sink, time(to) + Span::from_nanos(((to - from) * 1e9) as u64) + AFTER, watch)?;
    Ok(build_figure(network, sink, [from, to], (overflowed, ended)))
}

/// Continues the run until the fate of all packets of the interval is known, at most until `last`.
fn follow_packets(
    world: &mut World,
    sink: &mut JourneyRecorder<'_>,
    last: Time,
    watch: Watch<'_>,
) -> Result<(), Interrupted> {
    while !world.is_over() && world.now() < last && (sink.hops.has_packets() || !sink.cells.is_complete()) {
        if !world.advance_until(last, STRIDE / 20, sink) {
            break;
        }
        if watch(1.0).is_break() {
            return Err(Interrupted);
        }
    }
    Ok(())
}

fn build_figure(
    network: &Network,
    sink: JourneyRecorder<'_>,
    [from, to]: [f64; 2],
    (overflowed, ended): (bool, Option<f64>),
) -> Figure {
    let JourneyRecorder { mut hops, mut states, cells, .. } = sink;
    hops.finish();
    states.finish(to);
    let mut columns = Columns::default();
    let packets = columns.add(hops.rows.iter().map(|row| {
        let PacketIdentity { flow, kind, offset, bytes } = row.packet;
        let (kind, outcome) = (f64::from(kind as u8), f64::from(row.outcome.number()));
        [
            f64::from(row.hop.number()),
            flow,
            kind,
            offset,
            bytes,
            row.joined,
            row.starts,
            row.leaves,
            row.arrives,
            outcome,
        ]
    }));
    let frames = columns.add(hops.frames.iter().map(|row| {
        let PacketIdentity { flow, kind, offset, .. } = row.packet;
        let (kind, corrupted) = (f64::from(kind as u8), f64::from(u8::from(row.corrupted)));
        [f64::from(row.hop.number()), flow, kind, offset, row.starts, row.arrives, f64::from(row.attempt), corrupted]
    }));
    let stops = columns.add(hops.stops.iter().map(|row| {
        let PacketIdentity { flow, kind, offset, bytes } = row.packet;
        [f64::from(row.node.number()), flow, f64::from(kind as u8), offset, bytes, row.at, f64::from(row.why as u8)]
    }));
    let node = |(number, node): (usize, &sim::NodeSpec)| JourneyNodeHead {
        name: node.name.clone(),
        kind: plot::classify_node(network, number).label(),
        scheme: plot::find_node_scheme(network, number),
    };
    let link = |link: &sim::LinkSpec| JourneyLinkHead {
        name: link.name.clone(),
        between: link.between,
        wireless: link.wireless,
        medium: link.medium,
        frames: [0, 1].map(|direction| hops::has_frames(link, direction)),
    };
    let flow = |flow: &sim::FlowSpec| JourneyFlowHead { name: flow.name.clone(), from: flow.from, to: flow.to };
    let head = JourneysHead {
        from,
        to,
        overflowed,
        ended,
        nodes: network.nodes.iter().enumerate().map(node).collect(),
        links: network.links.iter().map(link).collect(),
        flows: network.flows.iter().map(flow).collect(),
        kinds: FigurePacketKind::NAMES,
        outcomes: PacketOutcome::NAMES,
        stop_reasons: StopReason::NAMES,
        cell_names: cell::list_cell_names(),
        packets,
        frames,
        stops,
        bad: columns.add(states.bad.iter().copied()),
        associations: columns.add(states.associations.iter().copied()),
        scheme_state: columns.add(states.kept_bytes.iter().copied()),
        cells: cells.finish(to, &mut columns),
        map: places::build_node_map(network, Time::ZERO + network.duration, &mut columns),
    };
    columns.finish(head)
}
