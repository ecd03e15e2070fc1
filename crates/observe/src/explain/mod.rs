//! The causes of delay in a transfer: the problem areas of a run, with their costs [goel1997 6.2.2].
//!
//! [`Explain`] is a sink of events. For each flow a `Flow` follows every packet through the network, which a simulator
//! can do and a sender cannot, and emits `Fact`s. A *kind of problem* is one file with a `Watch` and one line in
//! [`KINDS`]; it turns facts into [`Finding`]s.
//!
//! A cost is a time, defined by the equation in the header of the kind's file. Costs of different findings overlap (a
//! reduced window and the wait before it) and must not be added. [`FlowReport::lost`] counts each moment once, see
//! `Union`.
//!
//! Memory: proportional to the data in flight and the packets in the network, plus the findings and a buffer of the
//! union. Only the list of findings grows with the run.

mod bad_air;
mod blocked;
mod budget;
mod captured;
mod cell;
mod collision;
mod contention;
mod flow;
mod hearing;
mod hidden_terminal;
mod hops;
mod idle_wait;
mod json;
mod needless_cut;
mod raced_resend;
mod receiver_window;
mod repeated_timeout;
mod sending;
mod spurious_timeout;
mod standing_queue;
mod transit;
mod union;
mod window_behind_hole;

use std::rc::Rc;

use engine::{Span, Time};
use path::{LinkEvent, MediumId};
use sim::{Event, Network, NodeEvent, PacketFlow, Sink};
pub use tcp::Blocked;
use wire::{Body, Flags, Packet};

use blocked::BlockedTimes;
use budget::Budgets;
pub use budget::Cause;
pub use captured::{CapturedCause, HIDDEN_CAUSES, captured_causes, hidden_kinds, shown_kinds};
use cell::{Cells, Exchange};
use flow::{Fact, Flow};
use hops::Hops;
pub use json::{captured_to_json, to_json};
use union::Union;

/// A kind of problem.
pub struct Kind {
    /// The name in tables and JSON.
    pub name: &'static str,
    /// Description of one line.
    pub summary: &'static str,
    /// Whether another sender, scheme or setting could have avoided it. Losses on the channel cannot be avoided.
    pub avoidable: bool,
    /// `None` for a kind that follows from the time budget.
    watch: fn() -> Option<Box<dyn Watch>>,
}

/// Every kind of problem.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "idle-wait",
        summary: "the network was empty, and the sender waited for its timer",
        avoidable: true,
        watch: idle_wait::watch,
    },
    Kind {
        name: "spurious-timeout",
        summary: "the timer expired although the segment or its acknowledgment was in flight",
        avoidable: true,
        watch: spurious_timeout::watch,
    },
    Kind {
        name: "repeated-timeout",
        summary: "the timer expired more than once for one window of data",
        avoidable: true,
        watch: repeated_timeout::watch,
    },
    Kind {
        name: "raced-resend",
        summary: "TCP retransmitted segments that the link layer still held or had delivered",
        avoidable: true,
        watch: raced_resend::watch,
    },
    Kind {
        name: "needless-cut",
        summary: "the window was reduced although no queue had dropped or marked a packet",
        avoidable: true,
        watch: needless_cut::watch,
    },
    Kind {
        name: "receiver-window",
        summary: "the receive window blocked the sender, and the slowest link was idle",
        avoidable: true,
        watch: receiver_window::watch,
    },
    Kind {
        name: "window-behind-hole",
        summary: "the receive window was full of data behind a hole, and the slowest link was idle",
        avoidable: true,
        watch: window_behind_hole::watch,
    },
    Kind {
        name: "standing-queue",
        summary: "packets waited in the queue of other flows for more than a fair share",
        avoidable: true,
        watch: || None,
    },
    Kind {
        name: "hidden-terminal",
        summary: "frames collided with those of hidden terminals",
        avoidable: true,
        watch: hidden_terminal::watch,
    },
    Kind {
        name: "collision",
        summary: "frames collided with others that started at the same moment",
        avoidable: false,
        watch: collision::watch,
    },
    Kind {
        name: "contention",
        summary: "packets waited in their cell while other stations transmitted",
        avoidable: false,
        watch: contention::watch,
    },
    Kind { name: "bad-air", summary: "frames were lost on the channel", avoidable: false, watch: bad_air::watch },
];

/// Detects one kind of problem in one flow.
///
/// `hear` is called for every fact of the flow from its start to its end, in order of time, after `flow` has been
/// updated; `end` is called once, when the flow is complete or the run is over. A watch reports lost time to `out` as
/// soon as it is certain, at the latest when everything on which it depends has been acknowledged or has left the
/// network.
trait Watch {
    /// Handles a fact.
    fn observe(&mut self, at: Time, fact: &Fact, flow: &Flow, out: &mut Out<'_>);
    /// The flow is over.
    fn end(&mut self, at: Time, flow: &Flow, out: &mut Out<'_>) {
        let _ = (at, flow, out);
    }
}

/// One problem.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The name of its kind.
    pub kind: &'static str,
    /// Whether it could have been avoided.
    pub avoidable: bool,
    /// Start time.
    pub from: Time,
    /// End time.
    pub to: Time,
    /// The time lost.
    pub cost: Span,
    /// The event and the reason of its cost, in one sentence.
    pub text: String,
}

/// Collects the findings of a watch.
struct Out<'a> {
    kind: &'static Kind,
    findings: &'a mut Vec<Finding>,
    lost: &'a mut Lost,
}

impl Out<'_> {
    /// Reports that this share of the time between `from` and `to` was lost: 1 if there was no progress, 0.5 at half
    /// speed.
    fn lost(&mut self, from: Time, to: Time, share: f64) {
        self.lost.all.add(from, to, share);
        if self.kind.avoidable {
            self.lost.avoidable.add(from, to, share);
        }
    }

    /// Reports a finding. A finding without cost is ignored.
    fn found(&mut self, from: Time, to: Time, cost: Span, text: String) {
        if cost > Span::ZERO {
            let Kind { name: kind, avoidable, .. } = *self.kind;
            self.findings.push(Finding { kind, avoidable, from, to, cost, text });
        }
    }
}

/// Time lost, each moment counted once.
#[derive(Default)]
struct Lost {
    all: Union,
    avoidable: Union,
}

/// The report of one flow.
#[derive(Clone, Debug)]
pub struct FlowReport {
    /// The flow's number.
    pub flow: u32,
    /// The time from its start to its completion, or to the end of the run.
    pub took: Span,
    /// Whether it was completed.
    pub completed: bool,
    /// The number of expiries of its retransmission timer.
    pub timeouts: u32,
    /// The time for which each reason blocked the sender.
    pub blocked: Vec<(Blocked, Span)>,
    /// The findings, the costliest first.
    pub findings: Vec<Finding>,
    /// The causes of its time, which add up to [`took`](Self::took). Empty for a flow without a connection.
    pub budget: Vec<(Cause, Span)>,
    /// Time lost to all findings, each moment counted once.
    pub lost: Span,
    /// The same without findings that are not avoidable.
    pub lost_avoidably: Span,
}

/// The total of the findings of a kind.
#[derive(Clone, Copy, Debug)]
pub struct KindTotal {
    /// The kind.
    pub kind: &'static str,
    /// The number of findings.
    pub count: usize,
    /// The sum of their costs, which may overlap, for example in `bad-air` in both directions.
    pub cost: Span,
}

impl FlowReport {
    /// The kinds with findings, the costliest first.
    pub fn kinds(&self) -> Vec<KindTotal> {
        let mut totals: Vec<KindTotal> = Vec::new();
        for Finding { kind, cost, .. } in &self.findings {
            match totals.iter_mut().find(|total| total.kind == *kind) {
                Some(total) => (total.count, total.cost) = (total.count + 1, total.cost + *cost),
                None => totals.push(KindTotal { kind, count: 1, cost: *cost }),
            }
        }
        totals.sort_by_key(|total| std::cmp::Reverse(total.cost));
        totals
    }

    /// The causes of its time, the longest first.
    pub fn causes(&self) -> Vec<(Cause, Span)> {
        let mut causes = self.budget.clone();
        causes.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        causes
    }

    /// The `top` costliest findings for a plot: start, end and text.
    pub fn marks(&self, top: usize) -> Vec<(Time, Time, String)> {
        let label = |finding: &Finding| format!("{}: {} ms", finding.kind, millis(finding.cost));
        self.findings.iter().take(top).map(|finding| (finding.from, finding.to, label(finding))).collect()
    }
}

/// Milliseconds, with one decimal unless they are whole.
pub fn millis(span: Span) -> String {
    let tenths = (span.as_nanos() + 50_000) / 100_000;
    if tenths.is_multiple_of(10) { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

/// A number with a noun in singular or plural.
fn count(number: u32, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// An observed flow.
struct Watched {
    flow: Flow,
    watches: Vec<(&'static Kind, Box<dyn Watch>)>,
    began: Time,
    /// Completion time.
    ended: Option<Time>,
    timeouts: u32,
    blocked: BlockedTimes,
    findings: Vec<Finding>,
    lost: Lost,
}

impl Watched {
    /// Distributes facts.
    fn tell(&mut self, at: Time, facts: &mut Vec<Fact>, cells: &Cells) {
        for fact in facts.drain(..) {
            self.timeouts += u32::from(matches!(fact, Fact::Tcp(tcp::Event::Timeout { .. })));
            for (kind, watch) in &mut self.watches {
                let mut out = Out { kind, findings: &mut self.findings, lost: &mut self.lost };
                watch.observe(at, &fact, &self.flow, &mut out);
            }
        }
        for union in [&mut self.lost.all, &mut self.lost.avoidable] {
            if union.is_full() {
                let unsettled = [self.flow.unsettled_since(), cells.unsettled_since()];
                union.settle(unsettled.into_iter().flatten().fold(at, Time::min));
            }
        }
    }

    fn end(&mut self, at: Time) {
        for (kind, watch) in &mut self.watches {
            let mut out = Out { kind, findings: &mut self.findings, lost: &mut self.lost };
            watch.end(at, &self.flow, &mut out);
        }
    }
}

/// State shared by the flows of a run.
struct Context<'a> {
    hops: &'a Hops,
    cells: &'a Cells,
}

/// Explains all flows of a run.
pub struct Explain {
    hops: Rc<Hops>,
    budgets: Budgets,
    cells: Cells,
    flows: Vec<Watched>,
    facts: Vec<Fact>,
}

impl Explain {
    /// An observer of the flows of `network`.
    pub fn new(network: &Network) -> Self {
        Explain::of_kinds(network, |_| true)
    }

    /// An observer of events that were made of a capture: it looks for the kinds that [a capture
    /// shows](shown_kinds), and the receive window is what acknowledgments state.
    pub fn of_capture(network: &Network, at_sender: bool) -> Self {
        let mut explain = Explain::of_kinds(network, |kind| shown_kinds(at_sender).contains(&kind.name));
        for watched in &mut explain.flows {
            watched.flow.follows_window = true;
            if at_sender && let Some(watch) = (captured::WINDOW_CUT.watch)() {
                watched.watches.push((&captured::WINDOW_CUT, watch));
            }
        }
        explain
    }

    fn of_kinds(network: &Network, chosen: impl Fn(&Kind) -> bool) -> Self {
        let links: Rc<[String]> = network.links.iter().map(|link| link.name.clone()).collect();
        let homes: Rc<[Option<MediumId>]> = cell::homes(network).into();
        let watched = |spec: &sim::FlowSpec| Watched {
            flow: Flow::new(spec, Rc::clone(&links), Rc::clone(&homes)),
            watches: KINDS
                .iter()
                .filter(|kind| chosen(kind))
                .filter_map(|kind| Some((kind, (kind.watch)()?)))
                .collect(),
            began: spec.start,
            ended: None,
            timeouts: 0,
            blocked: BlockedTimes::default(),
            findings: Vec::new(),
            lost: Lost::default(),
        };
        let hops = Rc::new(Hops::of(network));
        Explain {
            budgets: Budgets::of(network, Rc::clone(&hops)),
            hops,
            cells: Cells::of(network),
            flows: network.flows.iter().map(watched).collect(),
            facts: Vec::new(),
        }
    }

    /// Ends the run and returns the reports by flow.
    pub fn finish(mut self, ended: Time) -> Vec<FlowReport> {
        let report = |(number, watched): (usize, &mut Watched)| {
            let completed = watched.ended.is_some();
            let end = watched.ended.unwrap_or(ended);
            if !completed {
                watched.flow.medium_idle(end, &mut self.cells);
                watched.end(end);
            }
            let (budget, queue) = self.budgets.finish(end, number as u32);
            let mut waited = Span::ZERO;
            if let Some((queue, kind)) = queue.zip(KINDS.iter().find(|kind| kind.name == "standing-queue")) {
                let before = watched.findings.len();
                let mut out = Out { kind, findings: &mut watched.findings, lost: &mut watched.lost };
                standing_queue::found(&queue, &mut out);
                waited = watched.findings[before..].iter().fold(waited, |sum, finding| sum + finding.cost);
            }
            let took = end.since(watched.began);
            let mut findings = std::mem::take(&mut watched.findings);
            findings.sort_by_key(|finding| (std::cmp::Reverse(finding.cost), finding.from));
            FlowReport {
                flow: number as u32,
                took,
                completed,
                timeouts: watched.timeouts,
                blocked: watched.blocked.finish(end).to_vec(),
                budget,
                findings,
                lost: (watched.lost.all.total() + waited).min(took),
                lost_avoidably: (watched.lost.avoidable.total() + waited).min(took),
            }
        };
        self.flows.iter_mut().enumerate().map(report).collect()
    }

    /// Updates a flow's state, then passes the resulting facts to its watches.
    fn follow(&mut self, at: Time, number: u32, step: impl FnOnce(&mut Flow, &Context<'_>, &mut Vec<Fact>)) {
        let Some(watched) = self.flows.get_mut(number as usize) else { return };
        if watched.ended.is_none() {
            step(&mut watched.flow, &Context { hops: &self.hops, cells: &self.cells }, &mut self.facts);
            self.cells.waits(at, number, |medium| watched.flow.transit.waiting_in(medium));
            watched.flow.medium_idle(at, &mut self.cells);
            watched.tell(at, &mut self.facts, &self.cells);
            if let Some(slowest) = &watched.flow.slowest {
                self.budgets.slowest(number, slowest.id);
            }
        }
    }

    /// A mobile starts or stops using a link.
    fn mobile_uses(&mut self, at: Time, link: u32, used: bool) {
        for number in 0..self.flows.len() as u32 {
            self.follow(at, number, |flow, _, _| flow.mobile_uses(link, used));
        }
    }

    /// An exchange in a medium is over.
    fn exchange(&mut self, at: Time, exchange: &Exchange) {
        for number in self.cells.flows(exchange.medium) {
            self.budgets.exchange(at, number, exchange);
            self.follow(at, number, |flow, cx, facts| flow.exchange(number, exchange, cx, facts));
        }
    }
}

impl Sink for Explain {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        self.budgets.event(at, event);
        match event {
            Event::Sender { flow, event: tcp::Event::Blocked { reason } } => {
                if let Some(watched) = self.flows.get_mut(*flow as usize).filter(|watched| watched.ended.is_none()) {
                    watched.blocked.on_event(at, *reason);
                }
            }
            Event::Sender { flow, event } => {
                self.follow(at, *flow, |flow, _, facts| flow.sender(at, event, facts));
            }
            Event::FlowCompleted { flow } => {
                if let Some(watched) = self.flows.get_mut(*flow as usize) {
                    watched.flow.medium_idle(at, &mut self.cells);
                    watched.end(at);
                    watched.ended = Some(at);
                    self.cells.waits(at, *flow, |_| 0);
                }
            }
            Event::Node { node, event, of } if let Some(packet) = event.packet() => {
                if let Some(of) = of.filter(|of| is_transfer(packet, of)) {
                    let node = *node as usize;
                    self.follow(at, of.flow, |flow, _, facts| match event {
                        NodeEvent::Sent { .. } => flow.sent(at, node, packet, &of, facts),
                        NodeEvent::NoRoute { .. } => flow.no_route(at, node, packet, &of, facts),
                        NodeEvent::BufferFull { .. } => flow.buffer_full(at, node, packet, &of, facts),
                        NodeEvent::Taken { .. } => flow.taken(at, node, packet),
                        _ => {}
                    });
                }
            }
            Event::Link { hop, event, of } => {
                let of = event.packet().and_then(|packet| of.filter(|of| is_transfer(packet, of)));
                let flow = of.map(|of| of.flow);
                let known = match event {
                    LinkEvent::FrameSent { number, attempt, packet } => {
                        self.cells.carries(at, *hop, *number, *attempt, packet, flow)
                    }
                    LinkEvent::GivenUp { number, packet, .. } => self.cells.gives_up(*hop, *number, packet, flow),
                    _ => Vec::new(),
                };
                known.iter().for_each(|exchange| self.exchange(at, exchange));
                if let LinkEvent::FrameCorrupted { number, .. } = event {
                    self.cells.damaged(*hop, *number);
                }
                if let Some(of) = of {
                    self.follow(at, of.flow, |flow, cx, facts| flow.link(at, *hop, event, &of, cx.hops, facts));
                }
            }
            Event::Medium { medium, event } => {
                if let Some(exchange) = self.cells.observe(at, *medium, event) {
                    self.exchange(at, &exchange);
                }
            }
            Event::Node { event: NodeEvent::Associated { link }, .. } => self.mobile_uses(at, *link, true),
            Event::Node { event: NodeEvent::Left { link }, .. } => self.mobile_uses(at, *link, false),
            Event::Node { .. }
            | Event::Agent { .. }
            | Event::Receiver { .. }
            | Event::FlowStarted { .. }
            | Event::Air { .. }
            | Event::FlowArrived { .. } => {}
        }
    }
}

/// Whether a packet carries a flow's data, is a pure acknowledgment of it, or is a message about it; segments of a
/// handshake are none of these.
fn is_transfer(packet: &Packet, of: &PacketFlow) -> bool {
    match &packet.body {
        Body::Tcp(segment) if segment.len > 0 => of.from_sender,
        Body::Tcp(segment) => !of.from_sender && !segment.flags.has(Flags::SYN),
        Body::Icmp(_) => true,
        Body::Datagram(_) => false,
    }
}
