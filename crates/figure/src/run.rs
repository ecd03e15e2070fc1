//! Records a run: the series, marks and findings of each flow, and the summary.

use observe::explain::{Explain, report_to_json};
use observe::run::{Interrupted, Titled, Watch, summarize_run_with_sink};
use plot::{Description, FlowHistory, FlowRecording, Panel, Recorder};
use scenario::flows;
use serde::Serialize;
use serde_json::Value;
use sim::{FlowId, Network, Sink};

use crate::columns::{Column, Columns, Figure};
use crate::marks::{self, Marks};

/// The head of a run's figure.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RunFigure"))]
pub(crate) struct RunHead {
    /// The summary as `lasthop run --json` prints it.
    #[cfg_attr(test, ts(as = "crate::protocol::shapes::Summary"))]
    summary: Value,
    /// End of the run, in seconds.
    ended: f64,
    /// True if the run had more events than are kept: series end early.
    overflowed: bool,
    /// The flows over TCP.
    flows: Vec<RunFlowHead>,
}

/// A flow's names, series and findings. All times are in seconds, all offsets and windows in bytes.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "FlowFigure"))]
pub(crate) struct RunFlowHead {
    name: String,
    from: String,
    to: String,
    /// Bytes of data in a full segment.
    segment: u32,
    /// The advertised receive window in bytes.
    receive_window: Option<u64>,
    began: f64,
    ended: f64,
    /// Rows of time, offset, bytes, and 1 for a retransmission.
    sent: Column,
    /// Rows of time, offset, and 1 for a duplicate.
    acks: Column,
    /// Rows of time, cwnd and ssthresh; ssthresh is infinite before the first loss.
    windows: Column,
    /// Rows of time, RTT and smoothed RTT in seconds.
    rtts: Column,
    /// Rows of time and retransmission timeout in seconds, valid from that time.
    rtos: Column,
    /// The bottleneck's link with its direction, such as `air: station to mobile`.
    queue_name: String,
    /// Rows of a time and the number of packets that wait or are being sent at the bottleneck.
    queue: Column,
    /// Rows of begin, end and bits per second.
    goodput: Column,
    /// Rows of begin and end of BAD states of the channels that the flow crosses.
    bad: Column,
    /// Rows of time and reason, an index of `blocked_reasons`, from which nothing was sent.
    blocked: Column,
    blocked_reasons: Vec<&'static str>,
    marks: Vec<Marks>,
    /// The report on the flow as `lasthop explain --json` prints it; null until it is found.
    #[cfg_attr(test, ts(as = "Option<crate::protocol::shapes::Report>"))]
    report: Value,
}

/// Findings that a figure has of each flow.
const FINDINGS: usize = 200;

/// Parts of a figure that take time to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunParts {
    /// The delays of the summary.
    pub delays: bool,
    /// Whether reports of `explain` are included. Otherwise they are `null`.
    pub reports: bool,
}

/// Runs a scenario and returns the figure of all its flows over TCP.
///
/// # Errors
/// The callback cancels.
pub fn record_run(titled: Titled<'_>, parts: RunParts, watch: Watch<'_>) -> Result<Figure, Interrupted> {
    let network = titled.network;
    let description = Description::of(network);
    let shown: Vec<usize> = flows::over_tcp(network);
    let recorder = Recorder::new(shown.iter().map(|flow| FlowId::from_index(*flow)), None, None)
        .with_panels(&Panel::ALL, &description)
        .with_schemes(&description);
    let mut sinks = RunSinks { recorder, explain: parts.reports.then(|| Explain::new(network)) };
    let (summary, ended) = summarize_run_with_sink(titled, &mut sinks, parts.delays, watch)?;
    let reports = sinks.explain.map(|explain| explain.finish(ended)).unwrap_or_default();
    let overflowed = sinks.recorder.has_overflowed();
    let recording = sinks.recorder.finish();
    let mut columns = Columns::default();
    let flow = |flow: usize| {
        let report = reports.get(flow).map(|report| report_to_json(&network.flows[flow].name, report, FINDINGS));
        build_flow_head(
            network,
            &description,
            &recording,
            FlowId::from_index(flow),
            report.unwrap_or_default(),
            &mut columns,
        )
    };
    let flows = shown.into_iter().map(flow).collect();
    // A summary is JSON by construction.
    let summary = serde_json::to_value(&summary).unwrap_or_default();
    let head = RunHead { summary, ended: ended.as_secs_f64(), overflowed, flows };
    Ok(columns.finish(head))
}

/// The sinks of a run's events.
struct RunSinks {
    recorder: Recorder,
    explain: Option<Explain>,
}

impl Sink for RunSinks {
    const ACTIVE: bool = true;

    fn event(&mut self, at: engine::Time, event: &sim::Event) {
        self.recorder.event(at, event);
        self.explain.event(at, event);
    }
}

fn build_flow_head(
    network: &Network,
    description: &Description,
    recording: &FlowRecording,
    id: FlowId,
    report: Value,
    columns: &mut Columns,
) -> RunFlowHead {
    let nothing = FlowHistory::default();
    let history = recording.history(id).unwrap_or(&nothing);
    let described = &description.flows[id];
    let name = |node: usize| network.nodes.get(node).map_or_else(String::new, |node| node.name.clone());
    let bottleneck = recording.bottleneck(id);
    let hop_name = bottleneck.as_ref().and_then(|bottleneck| {
        let (link, direction) = (bottleneck.hop.link(), bottleneck.hop.direction().index());
        let link = description.links.get(link)?;
        let ends = [link.between[direction], link.between[1 - direction]].map(name);
        Some(format!("{}: {} to {}", link.name, ends[0], ends[1]))
    });
    let queue = bottleneck.map(|bottleneck| bottleneck.packets).unwrap_or_default();
    let flag = |set: bool| f64::from(u8::from(set));
    let reason = |reason: tcp::Blocked| tcp::Blocked::ALL.iter().position(|other| *other == reason).unwrap_or(0);
    RunFlowHead {
        name: described.name.clone(),
        from: name(described.from),
        to: name(described.to),
        segment: described.segment,
        receive_window: described.receiver_window,
        began: history.began,
        ended: history.ended,
        sent: columns.add(history.sent.iter().map(|it| [it.at, it.seq as f64, f64::from(it.len), flag(it.again)])),
        acks: columns.add(history.acks.iter().map(|it| [it.at, it.ack as f64, flag(it.duplicate)])),
        windows: columns.add(history.windows.iter().map(|it| [it.at, it.cwnd, it.ssthresh])),
        rtts: columns.add(history.rtts.iter().map(|it| [it.at, it.rtt, it.srtt])),
        rtos: columns.add(history.rtos.iter().map(|(at, rto)| [*at, *rto])),
        queue_name: hop_name.unwrap_or_default(),
        queue: columns.add(queue.into_iter().map(|(at, packets)| [at, f64::from(packets)])),
        goodput: columns.add(recording.goodput(id).into_iter().map(|(begin, end, rate)| [begin, end, rate])),
        bad: columns.add(history.bad.iter().map(|(begin, end)| [*begin, *end])),
        blocked: columns.add(history.blocked.iter().map(|(at, why)| [*at, reason(*why) as f64])),
        blocked_reasons: tcp::Blocked::ALL.iter().map(|reason| reason.name()).collect(),
        marks: marks::collect_marks(history, columns),
        report,
    }
}
