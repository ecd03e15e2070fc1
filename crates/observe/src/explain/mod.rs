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
mod losses;
mod needless_cut;
mod raced_resend;
mod receiver_window;
mod repeated_timeout;
mod sender_state;
mod sending;
mod spurious_timeout;
mod standing_queue;
mod transit;
mod transmitters;
mod union;
mod window_behind_hole;

use std::rc::Rc;

use engine::{Span, Time};
use path::{HopId, LinkEvent, MediumId};
use sim::{Event, Network, NodeEvent, PacketFlow, Sink, Transport};
pub use tcp::Blocked;
use wire::Body;

use blocked::BlockedTimes;
use budget::Account;
pub use budget::Cause;
pub use captured::{CapturedCause, HIDDEN_CAUSES, captured_causes, hidden_kinds, shown_kinds};
use cell::{Cells, Exchange};
use flow::{Fact, Flow, is_transfer};
use hops::Hops;
pub use json::{captured_to_json, to_json};
use losses::LossPlace;
use transmitters::{Before, LineKind, OnHop, Transmitters};
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
    /// `None` for a flow without a connection.
    account: Option<Account>,
    findings: Vec<Finding>,
    lost: Lost,
}

impl Watched {
    /// Charges its time until `at`, before its state changes.
    fn pass(&mut self, at: Time, transmitters: &Transmitters) {
        if let (None, Some(account)) = (self.ended, &mut self.account) {
            account.pass(at, &mut self.flow, transmitters);
        }
    }

    /// Its account, unless the flow is over.
    fn open_account(&mut self) -> Option<(&mut Account, &mut Flow)> {
        self.account.as_mut().filter(|_| self.ended.is_none()).map(|account| (account, &mut self.flow))
    }

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
    transmitters: &'a Transmitters,
}

/// Explains all flows of a run.
pub struct Explain {
    hops: Rc<Hops>,
    transmitters: Transmitters,
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
        let watched = |(number, spec): (usize, &sim::FlowSpec)| Watched {
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
            account: (spec.transport == Transport::Tcp).then(|| Account::new(number as u32, spec)),
            findings: Vec::new(),
            lost: Lost::default(),
        };
        let hops = Rc::new(Hops::of(network));
        Explain {
            transmitters: Transmitters::of(network, &hops),
            hops,
            cells: Cells::of(network),
            flows: network.flows.iter().enumerate().map(watched).collect(),
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
                watched.pass(end, &self.transmitters);
                watched.account.iter_mut().for_each(|account| account.end(false));
            }
            let account = watched.account.as_ref();
            let (budget, queue) =
                account.map_or((Vec::new(), None), |account| account.finish(&watched.flow, &self.transmitters));
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

    /// Charges a flow's time until `at`, before an event changes its state.
    fn pass(&mut self, at: Time, number: u32) {
        if let Some(watched) = self.flows.get_mut(number as usize) {
            watched.pass(at, &self.transmitters);
        }
    }

    /// Updates a flow's state, then passes the resulting facts to its account and its watches.
    fn follow(&mut self, at: Time, number: u32, step: impl FnOnce(&mut Flow, &Context<'_>, &mut Vec<Fact>)) {
        let Some(watched) = self.flows.get_mut(number as usize).filter(|watched| watched.ended.is_none()) else {
            return;
        };
        let cx = Context { hops: &self.hops, cells: &self.cells, transmitters: &self.transmitters };
        step(&mut watched.flow, &cx, &mut self.facts);
        for fact in &self.facts {
            if let (Fact::Reached { sending, news: false }, Some(account)) = (fact, &mut watched.account) {
                account.waste_duplicate(sending.packet.size(), &watched.flow, &cx);
            }
        }
        self.cells.waits(at, number, |medium| watched.flow.transit.waiting_in(medium));
        watched.flow.medium_idle(at, &mut self.cells);
        watched.tell(at, &mut self.facts, &self.cells);
    }

    /// A mobile starts or stops using a link.
    fn mobile_uses(&mut self, at: Time, link: u32, used: bool) {
        for number in 0..self.flows.len() as u32 {
            self.pass(at, number);
            self.follow(at, number, |flow, _, _| flow.mobile_uses(link, used));
        }
    }

    /// An exchange in a medium is over.
    fn exchange(&mut self, at: Time, exchange: &Exchange) {
        let near = exchange.hop.and_then(|hop| self.hops.get(hop)).map(|hop| hop.near);
        for number in self.cells.flows(exchange.medium) {
            self.pass(at, number);
            let watched = self.flows.get_mut(number as usize).and_then(Watched::open_account);
            if let (Some((account, flow)), Some(near)) = (watched, near) {
                account.exchange(exchange, near, flow, &self.transmitters);
            }
            self.follow(at, number, |flow, cx, facts| flow.exchange(number, exchange, cx, facts));
        }
    }

    fn sender(&mut self, at: Time, number: u32, event: &tcp::Event) {
        self.pass(at, number);
        let Some(watched) = self.flows.get_mut(number as usize).filter(|watched| watched.ended.is_none()) else {
            return;
        };
        watched.account.iter_mut().for_each(|account| account.sender(event));
        if let tcp::Event::Blocked { reason } = event {
            watched.blocked.on_event(at, *reason);
            watched.flow.on_sender_event(at, event, &mut self.facts);
            return;
        }
        self.follow(at, number, |flow, _, facts| flow.on_sender_event(at, event, facts));
    }

    fn complete(&mut self, at: Time, number: u32) {
        self.pass(at, number);
        let Some(watched) = self.flows.get_mut(number as usize) else { return };
        watched.flow.medium_idle(at, &mut self.cells);
        watched.end(at);
        watched.account.iter_mut().for_each(|account| account.end(true));
        watched.ended = Some(at);
        self.cells.waits(at, number, |_| 0);
    }

    fn node(&mut self, at: Time, node: usize, event: &NodeEvent, of: &PacketFlow) {
        let Some(packet) = event.packet().filter(|packet| !matches!(packet.body, Body::Datagram(_))) else { return };
        self.pass(at, of.flow);
        let about = (packet, of);
        self.follow(at, of.flow, |flow, _, facts| match event {
            NodeEvent::Sent { .. } => flow.sent(at, node, packet, of, facts),
            NodeEvent::NoRoute { .. } => flow.dropped_by_node(at, node, about, LossPlace::Outage, facts),
            NodeEvent::BufferFull { .. } => flow.dropped_by_node(at, node, about, LossPlace::Queue, facts),
            NodeEvent::Taken { .. } => flow.taken(at, node, packet),
            NodeEvent::Received { .. } => flow.received_at_end(packet, of),
            NodeEvent::Transit { .. } | NodeEvent::Associated { .. } | NodeEvent::Left { .. } => {}
        });
    }

    fn link(&mut self, at: Time, id: HopId, event: &LinkEvent, of: Option<&PacketFlow>) {
        let (number, hops) = (hops::number(id), Rc::clone(&self.hops));
        let (Some(hop), Some(kind)) = (hops.get(id), self.transmitters.line(number).map(|line| line.kind)) else {
            return;
        };
        let on = OnHop { at, number, hop };
        let lost_by = self.transmit(&on, kind, event, of);
        let transfer = of.filter(|of| event.packet().is_some_and(|packet| is_transfer(packet, of)));
        let flow = transfer.map(|of| of.flow);
        let known = match event {
            LinkEvent::FrameSent { number, attempt, packet } => {
                self.cells.carries(at, id, *number, *attempt, packet, flow)
            }
            LinkEvent::GivenUp { number, packet, .. } => self.cells.gives_up(id, *number, packet, flow),
            _ => Vec::new(),
        };
        known.iter().for_each(|exchange| self.exchange(at, exchange));
        if let LinkEvent::FrameCorrupted { number, .. } = event {
            self.cells.damaged(id, *number);
        }
        if let Some(of) = of {
            self.follow(at, of.flow, |flow, _, facts| flow.link(at, id, hop, (event, of), lost_by, facts));
        }
    }

    /// Updates the transmitter of a hop, and the account of a packet's flow with its stages there. Returns where the packet
    /// was lost if the event is a loss.
    fn transmit(&mut self, on: &OnHop<'_>, kind: LineKind, event: &LinkEvent, of: Option<&PacketFlow>) -> LossPlace {
        let flow = of.map(|of| of.flow);
        let serving = self.transmitters.serving(on.number);
        // The flow that was served before waits from now on, or its frame is repeated.
        let taken =
            matches!(event, LinkEvent::Dequeued { .. } | LinkEvent::FrameSent { .. }) && kind != LineKind::Medium;
        let concerned = serving.filter(|_| taken || matches!(event, LinkEvent::AckCorrupted { .. }));
        for flow in flow.into_iter().chain(concerned) {
            self.pass(on.at, flow);
        }
        let free = self.transmitters.observe(on, event, flow, taken);
        let before = Before { free, serves: self.transmitters.serving(on.number) == flow };
        let place = match event {
            LinkEvent::QueueFull { .. } | LinkEvent::DroppedEarly { .. } => LossPlace::Queue,
            _ => LossPlace::Air,
        };
        let watched = flow.and_then(|flow| self.flows.get_mut(flow as usize));
        let Some((account, flow)) = watched.and_then(Watched::open_account) else { return place };
        let cx = Context { hops: &self.hops, cells: &self.cells, transmitters: &self.transmitters };
        account.link(on, event, flow, &cx, before);
        if let (Some(line), Some(packet)) = (self.transmitters.line_mut(on.number), event.packet()) {
            line.set_stage(on, (event, packet), flow, free);
        }
        if matches!(event, LinkEvent::GivenUp { .. }) { account.place_of_given_up(kind) } else { place }
    }
}

impl Sink for Explain {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        match event {
            Event::Sender { flow, event } => self.sender(at, *flow, event),
            Event::FlowCompleted { flow } => self.complete(at, *flow),
            Event::Node { event: NodeEvent::Associated { link }, .. } => self.mobile_uses(at, *link, true),
            Event::Node { event: NodeEvent::Left { link }, .. } => self.mobile_uses(at, *link, false),
            Event::Node { node, event, of: Some(of) } => self.node(at, *node as usize, event, of),
            Event::Link { hop, event, of } => self.link(at, *hop, event, of.as_ref()),
            Event::Medium { medium, event } => {
                if let Some(exchange) = self.cells.observe(at, *medium, event) {
                    self.exchange(at, &exchange);
                }
            }
            Event::Node { .. }
            | Event::Agent { .. }
            | Event::Receiver { .. }
            | Event::FlowStarted { .. }
            | Event::Air { .. }
            | Event::FlowArrived { .. } => {}
        }
    }
}
