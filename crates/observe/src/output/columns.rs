//! The thesis's traces: two columns, time in milliseconds and a value, in gnuplot's format [goel1997 B.4].

use std::io::{self, Write};

use engine::{Stream, Time};
use path::channel::ChannelState;
use sim::{Event, NodeEvent};

use super::file::{Millis, NamedFile, TraceFile};
use super::layout::{TraceColumn, TraceValueKind};
use super::{Output, Stage};

pub(super) const SEQNO: TraceColumn =
    TraceColumn::new("seqno", "B", TraceValueKind::Integer, "First byte of a segment sent");
pub(super) const ACKNO: TraceColumn =
    TraceColumn::new("ackno", "B", TraceValueKind::Integer, "Acknowledgment received by the source");
pub(super) const CONGESTION: TraceColumn =
    TraceColumn::new("congestion", "B", TraceValueKind::Number, "Congestion window");
pub(super) const THRESHOLD: TraceColumn =
    TraceColumn::new("threshold", "B", TraceValueKind::Number, "Slow start threshold");
pub(super) const SWND_SIZE: TraceColumn =
    TraceColumn::new("swnd_size", "B", TraceValueKind::Integer, "Unacknowledged data at the source");
pub(super) const ROUTER_PKT_ARRIVAL: TraceColumn = TraceColumn::new(
    "router_pkt_arrival",
    "B",
    TraceValueKind::Integer,
    "First byte of a data packet that arrives at a router",
);
pub(super) const WLESS_STATE: TraceColumn =
    TraceColumn::new("state", "", TraceValueKind::Integer, "State of the channel from this time on: 1 GOOD, 0 BAD");

/// Receives a value: the index of the flow, node or link, and the value.
type Pick = fn(&Event) -> Option<(usize, f64)>;

/// A trace with a file of two columns for each flow, node or link that has such values.
struct PairsTrace {
    /// Values by index; `None` without values.
    files: Vec<Option<TraceFile>>,
    pick: Pick,
}

impl Output for PairsTrace {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        let Some((number, value)) = (self.pick)(event) else { return Ok(()) };
        // Flows that arrive during the run have no file.
        let Some(file) = self.files.get_mut(number) else { return Ok(()) };
        file.as_mut().map_or(Ok(()), |file| write_pair(file, at, value))
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.files.iter_mut().flatten().try_for_each(TraceFile::flush)
    }

    fn files(&self) -> Vec<NamedFile> {
        self.files.iter().flatten().map(TraceFile::named_file).collect()
    }
}

/// Writes integers without decimals, and other numbers with at most three decimals.
fn write_pair(file: &mut TraceFile, at: Time, value: f64) -> io::Result<()> {
    let text = format!("{value:.3}");
    writeln!(file, "{} {}", Millis(at), text.trim_end_matches('0').trim_end_matches('.'))
}

/// A trace of each flow's sender.
fn open_sender_traces(stage: &Stage<'_>, name: &str, pick: Pick) -> Box<dyn Output> {
    let open = |(stem, flow): (String, &sim::FlowSpec)| {
        let about = format!("{name} of flow \"{}\" from node \"{}\"", flow.name, stage.node(flow.from));
        Some(stage.file(format!("{stem}-{name}"), about))
    };
    let files = stage.sender_stems().into_iter().zip(&stage.network.flows).map(open).collect();
    Box::new(PairsTrace { files, pick })
}

pub(super) fn open_seqno_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    open_sender_traces(stage, "seqno", |event| match event {
        Event::Sender { flow, event: tcp::Event::SegmentSent { seq, .. } } => Some((flow.index(), *seq as f64)),
        _ => None,
    })
}

pub(super) fn open_ackno_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    open_sender_traces(stage, "ackno", |event| match event {
        Event::Sender { flow, event: tcp::Event::AckReceived { ack, .. } } => Some((flow.index(), *ack as f64)),
        _ => None,
    })
}

pub(super) fn open_congestion_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    open_sender_traces(stage, "congestion", |event| match event {
        Event::Sender { flow, event: tcp::Event::Window { cwnd, .. } } => Some((flow.index(), *cwnd)),
        _ => None,
    })
}

pub(super) fn open_threshold_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    open_sender_traces(stage, "threshold", |event| match event {
        // Infinite means that ssthresh is not set yet.
        Event::Sender { flow, event: tcp::Event::Window { ssthresh, .. } } if ssthresh.is_finite() => {
            Some((flow.index(), *ssthresh))
        }
        _ => None,
    })
}

pub(super) fn open_swnd_size_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    open_sender_traces(stage, "swnd_size", |event| match event {
        Event::Sender { flow, event: tcp::Event::Flight { bytes } } => Some((flow.index(), *bytes as f64)),
        _ => None,
    })
}

pub(super) fn open_router_pkt_arrival_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    let open = |node: &sim::NodeSpec| {
        let name = format!("{}-router_pkt_arrival", node.name);
        let about = format!("router_pkt_arrival of node \"{}\"", node.name);
        node.kind.forwards().then(|| stage.file(name, about))
    };
    let pick: Pick = |event| match event {
        Event::Node { node, event: NodeEvent::Transit { packet }, .. } => {
            packet.data().map(|segment| (node.index(), f64::from(segment.seq.0)))
        }
        _ => None,
    };
    Box::new(PairsTrace { files: stage.network.nodes.iter().map(open).collect(), pick })
}

/// Opens the trace, which is to be plotted `with steps`.
pub(super) fn open_wless_state_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    let links = &stage.network.links;
    let ends = |link: &sim::LinkSpec| link.between.map(|node| stage.node(node)).join("-");
    let open = |link: &sim::LinkSpec| {
        // Parallel links have the same ends. In this case the file has the link's name.
        let alone = links.iter().filter(|other| ends(other) == ends(link)).count() == 1;
        let name = if alone { ends(link) } else { link.name.clone() };
        let [one, other] = link.between.map(|node| stage.node(node));
        let about = format!("wless_state of link \"{}\" between nodes \"{one}\" and \"{other}\"", link.name);
        let mut file = stage.file(format!("wless_state-{name}"), about);
        // The initial state is GOOD; writing a line to memory cannot fail.
        let _ = write_pair(&mut file, Time::ZERO, 1.0);
        has_states(link).then_some(file)
    };
    let pick: Pick = |event| match event {
        Event::Air { link, state } => Some((link.index(), f64::from(u8::from(*state == ChannelState::Good)))),
        _ => None,
    };
    Box::new(PairsTrace { files: links.iter().map(open).collect(), pick })
}

/// Whether a link's channel has states to write.
pub(super) fn has_states(link: &sim::LinkSpec) -> bool {
    link.directions().iter().any(|way| way.channel.build(Stream::named(0, 0, "a look at the kind")).has_states())
}
