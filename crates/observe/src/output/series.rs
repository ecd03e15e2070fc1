//! The progress of each flow over time: a line for each interval.

use std::collections::BTreeMap;
use std::io::{self, Write};

use engine::{IdVec, Span, Time};
use observation::SenderState;
use path::LinkEvent;
use sim::{Event, FlowId, HopIndex, NodeEvent, NodeId, PacketFlow, Transport};
use wire::Body;

use super::file::{NamedFile, TraceFile};
use super::layout::{TraceColumn, TraceValueKind, join_column_names};
use super::{Output, Stage};

pub(super) const COLUMNS: [TraceColumn; 10] = [
    TraceColumn::new("from_s", "s", TraceValueKind::Number, "Start of the interval"),
    TraceColumn::new("to_s", "s", TraceValueKind::Number, "End of the interval"),
    TraceColumn::new("flow", "", TraceValueKind::Text, "Name of the flow"),
    TraceColumn::new(
        "bytes",
        "B",
        TraceValueKind::Integer,
        "Data acknowledged at the sender; of datagrams, data received",
    ),
    TraceColumn::new("goodput_bps", "bit/s", TraceValueKind::Number, "8 x bytes / interval"),
    TraceColumn::new("segments_retransmitted", "", TraceValueKind::Integer, "Segments retransmitted in the interval"),
    TraceColumn::new("timeouts", "", TraceValueKind::Integer, "Retransmission timeouts in the interval"),
    TraceColumn::new("cwnd_bytes", "B", TraceValueKind::Number, "Congestion window at the end of the interval"),
    TraceColumn::new("rtt_mean_s", "s", TraceValueKind::Number, "Mean of the RTT samples; missing without one"),
    TraceColumn::new(
        "queue_wait_mean_s",
        "s",
        TraceValueKind::Number,
        "Mean wait of the flow's packets in each queue, summed over the queues; missing if none left a queue",
    ),
];

/// The interval without `output.series_interval`.
pub const DEFAULT_INTERVAL: Span = Span::from_secs(1);

/// Counters of a flow in the current interval.
#[derive(Clone, Default)]
struct SeriesInterval {
    bytes: u64,
    retransmitted: u64,
    timeouts: u64,
    rtt: Mean,
    /// Waits of the flow's packets in each queue, by hop.
    waits: BTreeMap<HopIndex, Mean>,
}

impl SeriesInterval {
    /// Mean wait, summed over the queues on the path.
    fn queue_wait(&self) -> Option<f64> {
        let means = self.waits.values().filter_map(|mean| mean.seconds());
        (!self.waits.is_empty()).then(|| means.sum())
    }
}

#[derive(Clone, Copy, Default)]
struct Mean {
    sum: Span,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: Span) {
        self.sum = self.sum + value;
        self.count += 1;
    }

    fn seconds(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.as_secs_f64() / self.count as f64)
    }
}

/// The state of a flow.
struct SeriesFlow {
    name: String,
    over_tcp: bool,
    receiver: NodeId,
    began: Time,
    ended: Option<Time>,
    /// `None` before the flow's first event.
    sender: Option<SenderState>,
    now: SeriesInterval,
}

impl SeriesFlow {
    /// Congestion window in bytes; `None` before the first event.
    fn cwnd(&self) -> Option<f64> {
        self.sender.as_ref().and_then(|sender| sender.cwnd.value()).filter(|cwnd| *cwnd > 0.0)
    }
}

/// The destination of the lines.
enum SeriesTarget {
    File(TraceFile),
    /// Output for people: aligned, with units.
    Printer(Box<dyn Write>),
}

struct Series {
    every: Span,
    /// The begin of the current interval.
    begin: Time,
    flows: IdVec<FlowId, SeriesFlow>,
    target: SeriesTarget,
}

/// The trace as a file.
pub(super) fn open_series(stage: &Stage<'_>) -> Box<dyn Output> {
    let mut file = stage.file("series.csv".to_owned(), "progress of the flows".to_owned());
    // Writing a line to memory cannot fail.
    let _ = writeln!(file, "{}", join_column_names(&COLUMNS));
    Box::new(Series::new(stage, SeriesTarget::File(file)))
}

/// The trace on `printer`.
pub(super) fn print_series(stage: &Stage<'_>, printer: Box<dyn Write>) -> Box<dyn Output> {
    Box::new(Series::new(stage, SeriesTarget::Printer(printer)))
}

impl Series {
    fn new(stage: &Stage<'_>, target: SeriesTarget) -> Self {
        let flow = |spec: &sim::FlowSpec| SeriesFlow {
            name: spec.name.clone(),
            over_tcp: spec.transport == Transport::Tcp,
            receiver: NodeId::from_index(spec.to),
            began: spec.start,
            ended: None,
            sender: None,
            now: SeriesInterval::default(),
        };
        let flows = stage.network.flows.iter().map(flow).collect();
        Series { every: stage.series_interval, begin: Time::ZERO, flows, target }
    }

    /// Writes the intervals that end before `at`: events at the end of an interval belong to the interval.
    fn pass(&mut self, at: Time) -> io::Result<()> {
        while self.begin + self.every < at {
            let end = self.begin + self.every;
            self.write(end)?;
            self.begin = end;
        }
        Ok(())
    }

    /// Writes the interval that ends at `end`: a line for each flow that was active in it.
    fn write(&mut self, end: Time) -> io::Result<()> {
        let (begin, target) = (self.begin, &mut self.target);
        for flow in &mut self.flows {
            let now = std::mem::take(&mut flow.now);
            if flow.began >= end || flow.ended.is_some_and(|ended| ended <= begin) {
                continue;
            }
            let seconds = end.since(begin).as_secs_f64();
            target.line((begin, end), flow, &now, now.bytes as f64 * 8.0 / seconds)?;
        }
        target.flush()
    }

    fn flow(&mut self, flow: FlowId) -> Option<&mut SeriesFlow> {
        // Flows that arrive during the run have no line.
        self.flows.get_mut(flow)
    }

    fn sender(&mut self, at: Time, number: FlowId, event: &tcp::Event) {
        let Some(flow) = self.flow(number) else { return };
        let began = flow.began;
        flow.now.bytes += flow.sender.get_or_insert_with(|| SenderState::new(began)).apply(at, event).bytes;
        match *event {
            tcp::Event::SegmentSent { reason, .. } if reason != tcp::Reason::New => flow.now.retransmitted += 1,
            tcp::Event::Timeout { .. } => flow.now.timeouts += 1,
            tcp::Event::RttSample { rtt, .. } => flow.now.rtt.add(rtt),
            _ => {}
        }
    }

    fn on_datagram(&mut self, node: NodeId, packet: &wire::Packet, of: &PacketFlow) {
        let Some(flow) = self.flow(of.flow).filter(|flow| flow.receiver == node) else { return };
        if let Body::Datagram(datagram) = &packet.body {
            flow.now.bytes += u64::from(datagram.len);
        }
    }
}

impl SeriesTarget {
    fn line(
        &mut self,
        (begin, end): (Time, Time),
        flow: &SeriesFlow,
        now: &SeriesInterval,
        goodput: f64,
    ) -> io::Result<()> {
        let SeriesInterval { bytes, retransmitted, timeouts, rtt, .. } = *now;
        let (begin, end) = (begin.as_secs_f64(), end.as_secs_f64());
        match self {
            SeriesTarget::File(file) => {
                let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
                let name = &flow.name;
                write!(file, "{begin},{end},{name},{bytes},{goodput},{retransmitted},{timeouts},")?;
                writeln!(file, "{},{},{}", text(flow.cwnd()), text(rtt.seconds()), text(now.queue_wait()))
            }
            SeriesTarget::Printer(printer) => {
                // Each line has the same units, so that the columns can be compared.
                let millis = |name: &str, mean: Option<f64>| match mean {
                    Some(seconds) => format!("  {name} {:>8.1} ms", 1e3 * seconds),
                    None => format!("  {name} {:>8}   ", "–"),
                };
                write!(
                    printer,
                    "{begin:>8.2} to {end:>8.2} s  {:<12}  {:>9.1} kB  {:>9.1} kbps",
                    flow.name,
                    bytes as f64 / 1e3,
                    goodput / 1e3
                )?;
                let queue = millis("queue", now.queue_wait());
                if !flow.over_tcp {
                    return writeln!(printer, "{queue}");
                }
                let cwnd = flow.cwnd().unwrap_or(0.0) / 1e3;
                let rtt = millis("RTT", rtt.seconds());
                writeln!(
                    printer,
                    "  resent {retransmitted:>4}  timeouts {timeouts:>2}  cwnd {cwnd:>7.1} kB{rtt}{queue}"
                )
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            SeriesTarget::File(_) => Ok(()),
            SeriesTarget::Printer(printer) => printer.flush(),
        }
    }
}

impl Output for Series {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        self.pass(at)?;
        match event {
            Event::Sender { flow, event } => self.sender(at, *flow, event),
            Event::FlowCompleted { flow } => {
                if let Some(flow) = self.flow(*flow) {
                    flow.ended = Some(at);
                }
            }
            Event::Node { node, event: NodeEvent::Received { packet }, of: Some(of) } => {
                self.on_datagram(*node, packet, of);
            }
            Event::Link { hop, event: LinkEvent::Dequeued { arrived, starts, .. }, of: Some(of) } if of.from_sender => {
                if let Some(flow) = self.flow(of.flow) {
                    flow.now.waits.entry((*hop).into()).or_default().add(starts.since(*arrived));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self, at: Time) -> io::Result<()> {
        self.pass(at)?;
        if at > self.begin {
            self.write(at)?;
        }
        match &mut self.target {
            SeriesTarget::File(file) => file.flush(),
            SeriesTarget::Printer(printer) => printer.flush(),
        }
    }

    fn files(&self) -> Vec<NamedFile> {
        match &self.target {
            SeriesTarget::File(file) => vec![file.named_file()],
            SeriesTarget::Printer(_) => Vec::new(),
        }
    }
}
