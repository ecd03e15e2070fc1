//! The causes of delay in a transfer: the problem areas of a run, with their costs [goel1997 6.2.2].
//!
//! [`Explain`] is a sink of events. An [`Observation`] follows every packet of each flow through the network,
//! which a simulator can do and a sender cannot, and emits [`Fact`]s. A *kind of problem* is one file with a `Watch` and a
//! [`ProblemKind`], and one line in [`KINDS`]; it turns facts into [`Finding`]s.
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
mod capture_report;
mod captured;
mod collision;
mod contention;
mod hidden_terminal;
mod idle_wait;
mod json;
mod needless_cut;
mod raced_resend;
mod receiver_window;
mod repeated_timeout;
mod spurious_timeout;
mod standing_queue;
mod union;
mod window_behind_hole;

use engine::quantity::format_span;
use engine::{IdVec, Span, Time};
use observation::media::ObservedExchange;
use observation::transmitters::{Before, OnHop};
use observation::{Evidence, Fact, FlowObservation, Observation, PathObservation, SenderFact, Subscriber};
use path::LinkEvent;
use sim::{Event, FlowId, Network, Sink, Transport};
pub use tcp::Blocked;

use blocked::BlockedTimes;
use budget::Account;
pub use budget::Cause;
pub use capture_report::{CaptureReport, ExplainCapture};
pub use captured::{
    CaptureParts, CapturedCause, captured_causes, hidden_causes, hidden_kinds, list_window_causes, shown_kinds,
};
pub use json::{captured_report_to_json, report_to_json};
use union::Union;

/// A kind of problem.
pub struct ProblemKind {
    /// The name in tables and JSON.
    pub name: &'static str,
    /// Description of one line.
    pub summary: &'static str,
    /// Whether another sender, scheme or setting could have avoided the problem. Losses on the channel cannot be
    /// avoided.
    pub avoidable: bool,
    /// Whether the search in simulated runs includes the problem.
    in_runs: bool,
    /// What a capture must have to show it; `None` if it depends on events along the path.
    in_captures: Option<CaptureParts>,
    /// `None` for a kind that follows from the time budget.
    watch: fn() -> Option<Box<dyn Watch>>,
}

/// Every kind of problem.
pub const KINDS: &[ProblemKind] = &[
    idle_wait::KIND,
    spurious_timeout::KIND,
    repeated_timeout::KIND,
    raced_resend::KIND,
    needless_cut::NEEDLESS_CUT,
    needless_cut::WINDOW_CUT,
    receiver_window::KIND,
    window_behind_hole::KIND,
    standing_queue::KIND,
    hidden_terminal::KIND,
    collision::KIND,
    contention::KIND,
    bad_air::KIND,
];

/// Detects one kind of problem in one flow.
///
/// `observe` is called for every fact of the flow from its start to its end, in order of time, after `flow` has been
/// updated; `end` is called once, when the flow is complete or the run ends. A watch reports lost time to `out` as soon
/// as it is certain, at the latest when everything on which it depends has been acknowledged or has left the network.
trait Watch {
    /// Handles a fact.
    fn observe(&mut self, at: Time, fact: &Fact, flow: &FlowObservation, out: &mut FindingCollector<'_>);
    /// Handles the end of the flow.
    fn end(&mut self, at: Time, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        let _ = (at, flow, out);
    }
}

/// One problem.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Name of the finding's kind.
    pub kind: &'static str,
    /// Whether the problem could have been avoided.
    pub avoidable: bool,
    /// Start time.
    pub from: Time,
    /// End time.
    pub to: Time,
    /// The time lost.
    pub cost: Span,
    /// The event and the reason for its cost, in one sentence.
    pub text: String,
}

/// Collects the findings of a watch.
struct FindingCollector<'a> {
    kind: &'static ProblemKind,
    findings: &'a mut Vec<Finding>,
    lost: &'a mut LossUnion,
}

impl FindingCollector<'_> {
    /// Reports that this share of the time between `from` and `to` was lost: 1 if there was no progress, 0.5 at half
    /// speed.
    fn report_lost_time(&mut self, from: Time, to: Time, share: f64) {
        self.lost.all.add(from, to, share);
        if self.kind.avoidable {
            self.lost.avoidable.add(from, to, share);
        }
    }

    /// Reports a finding. A finding without cost is ignored.
    fn report_finding(&mut self, from: Time, to: Time, cost: Span, text: String) {
        if cost > Span::ZERO {
            let ProblemKind { name: kind, avoidable, .. } = *self.kind;
            self.findings.push(Finding { kind, avoidable, from, to, cost, text });
        }
    }
}

/// Time lost, each moment counted once.
#[derive(Default)]
struct LossUnion {
    all: Union,
    avoidable: Union,
}

/// The report of one flow.
#[derive(Clone, Debug)]
pub struct FlowReport {
    /// The flow.
    pub flow: FlowId,
    /// Time from the flow's start to its completion, or to the end of the run.
    pub took: Span,
    /// Whether the flow was completed.
    pub completed: bool,
    /// Number of expiries of the flow's retransmission timer.
    pub timeouts: u32,
    /// The time for which each reason blocked the sender.
    pub blocked: Vec<(Blocked, Span)>,
    /// The findings, the costliest first.
    pub findings: Vec<Finding>,
    /// The causes of the flow's time, which add up to [`took`](Self::took). Empty for a flow without a connection.
    pub budget: Vec<(Cause, Span)>,
    /// Time lost to all findings, each moment counted once.
    pub lost: Span,
    /// Time lost to avoidable findings, each moment counted once.
    pub lost_avoidably: Span,
}

/// The total of the findings of a kind.
#[derive(Clone, Copy, Debug)]
pub struct KindTotal {
    /// The kind.
    pub kind: &'static str,
    /// The number of findings.
    pub count: usize,
    /// Sum of the costs of the findings, which may overlap, for example in `bad-air` in both directions.
    pub cost: Span,
}

/// The part that explanations of simulated and of captured flows have in common.
#[derive(Clone, Copy, Debug)]
pub struct LostTime<'a> {
    /// The time from the flow's start to its completion, or to the end.
    pub took: Span,
    /// Whether the flow was completed.
    pub completed: Evidence<bool>,
    /// The findings, the costliest first.
    pub findings: &'a [Finding],
    /// Time lost to all findings, each moment counted once.
    pub lost: Span,
    /// Time lost to avoidable findings, each moment counted once.
    pub lost_avoidably: Span,
}

impl LostTime<'_> {
    /// The kinds with findings, the costliest first.
    pub fn kinds(&self) -> Vec<KindTotal> {
        let mut totals: Vec<KindTotal> = Vec::new();
        for Finding { kind, cost, .. } in self.findings {
            match totals.iter_mut().find(|total| total.kind == *kind) {
                Some(total) => (total.count, total.cost) = (total.count + 1, total.cost + *cost),
                None => totals.push(KindTotal { kind, count: 1, cost: *cost }),
            }
        }
        totals.sort_by_key(|total| std::cmp::Reverse(total.cost));
        totals
    }

    /// The `top` costliest findings for a plot: start, end and text.
    pub fn marks(&self, top: usize) -> Vec<(Time, Time, String)> {
        let label = |finding: &Finding| format!("{}: {}", finding.kind, format_span(finding.cost));
        self.findings.iter().take(top).map(|finding| (finding.from, finding.to, label(finding))).collect()
    }
}

impl FlowReport {
    /// The findings and the time that they cost.
    pub fn lost_time(&self) -> LostTime<'_> {
        let FlowReport { took, completed, lost, lost_avoidably, .. } = *self;
        let completed = Evidence::Known(completed);
        LostTime { took, completed, findings: &self.findings, lost, lost_avoidably }
    }

    /// The kinds with findings, the costliest first.
    pub fn kinds(&self) -> Vec<KindTotal> {
        self.lost_time().kinds()
    }

    /// The causes of the flow's time, the longest first.
    pub fn causes(&self) -> Vec<(Cause, Span)> {
        let mut causes = self.budget.clone();
        causes.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        causes
    }

    /// The `top` costliest findings for a plot: start, end and text.
    pub fn marks(&self, top: usize) -> Vec<(Time, Time, String)> {
        self.lost_time().marks(top)
    }
}

/// A number with a noun in singular or plural.
fn format_noun_count(number: u32, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// The watches, the findings and the time budget of one flow.
struct WatchedFlow {
    watches: Vec<(&'static ProblemKind, Box<dyn Watch>)>,
    began: Time,
    /// Completion time.
    ended: Option<Time>,
    timeouts: u32,
    blocked: BlockedTimes,
    /// `None` for a flow without a connection.
    account: Option<Account>,
    findings: Vec<Finding>,
    lost: LossUnion,
}

/// By flow.
struct WatchedFlows(IdVec<FlowId, WatchedFlow>);

impl WatchedFlow {
    fn new(began: Time, account: Option<Account>, is_watched: impl Fn(&ProblemKind) -> bool) -> Self {
        let watched = KINDS.iter().filter(|kind| is_watched(kind));
        WatchedFlow {
            watches: watched.filter_map(|kind| Some((kind, (kind.watch)()?))).collect(),
            began,
            ended: None,
            timeouts: 0,
            blocked: BlockedTimes::default(),
            account,
            findings: Vec::new(),
            lost: LossUnion::default(),
        }
    }

    /// Returns the findings, the costliest first.
    fn take_findings(&mut self) -> Vec<Finding> {
        let mut findings = std::mem::take(&mut self.findings);
        findings.sort_by_key(|finding| (std::cmp::Reverse(finding.cost), finding.from));
        findings
    }

    /// Distributes facts.
    fn handle_facts(&mut self, at: Time, facts: &[Fact], flow: &FlowObservation, path: &PathObservation) {
        for fact in facts {
            if let Some(account) = &mut self.account {
                account.on_fact(fact, flow, path);
            }
            self.timeouts += u32::from(matches!(fact, Fact::Sender(SenderFact::TimerExpired { .. })));
            for (kind, watch) in &mut self.watches {
                let mut out = FindingCollector { kind, findings: &mut self.findings, lost: &mut self.lost };
                watch.observe(at, fact, flow, &mut out);
            }
        }
        for union in [&mut self.lost.all, &mut self.lost.avoidable] {
            if union.is_full() {
                let unsettled = [flow.unsettled_since(), path.media().unsettled_since()];
                union.settle(unsettled.into_iter().flatten().fold(at, Time::min));
            }
        }
    }

    fn end(&mut self, at: Time, flow: &FlowObservation) {
        for (kind, watch) in &mut self.watches {
            let mut out = FindingCollector { kind, findings: &mut self.findings, lost: &mut self.lost };
            watch.end(at, flow, &mut out);
        }
        if let Some(account) = &mut self.account {
            account.end(self.ended.is_some());
        }
    }
}

impl WatchedFlows {
    fn account(&mut self, number: FlowId) -> Option<&mut Account> {
        self.0.get_mut(number)?.account.as_mut()
    }
}

impl Subscriber for WatchedFlows {
    fn hold_until(&mut self, at: Time, number: FlowId, flow: &FlowObservation, path: &PathObservation) {
        if let Some(account) = self.account(number) {
            account.pass(at, flow, path);
        }
    }

    fn on_hop(
        &mut self,
        on: &OnHop<'_>,
        event: &LinkEvent,
        number: FlowId,
        (flow, path): (&FlowObservation, &PathObservation),
        before: Before,
    ) {
        if let Some(account) = self.account(number) {
            account.link(on, event, flow, path, before);
        }
    }

    fn on_exchange(
        &mut self,
        exchange: &ObservedExchange,
        number: FlowId,
        flow: &FlowObservation,
        path: &PathObservation,
    ) {
        let near = exchange.hop.and_then(|hop| path.hops().get(hop)).map(|hop| hop.near);
        if let (Some(account), Some(near)) = (self.account(number), near) {
            account.exchange(exchange, near, flow, path.transmitters());
        }
    }

    fn on_facts(&mut self, at: Time, number: FlowId, facts: &[Fact], flow: &FlowObservation, path: &PathObservation) {
        if let Some(watched) = self.0.get_mut(number) {
            watched.handle_facts(at, facts, flow, path);
        }
    }

    fn on_end(&mut self, at: Time, number: FlowId, flow: &FlowObservation, _: &PathObservation) {
        if let Some(watched) = self.0.get_mut(number) {
            watched.end(at, flow);
        }
    }
}

/// Explains all flows of a run.
pub struct Explain {
    observation: Observation,
    flows: WatchedFlows,
}

impl Explain {
    /// An observer of the flows of `network`.
    pub fn new(network: &Network) -> Self {
        Explain::of_kinds(network, |kind| kind.in_runs)
    }

    /// An observer that looks in a simulated run for the kinds that [a capture shows](shown_kinds).
    pub fn with_kinds_of_captures(network: &Network, parts: CaptureParts) -> Self {
        Explain::of_kinds(network, |kind| kind.is_shown_by(parts))
    }

    fn of_kinds(network: &Network, is_watched: impl Fn(&ProblemKind) -> bool) -> Self {
        let watched = |(number, spec): (usize, &sim::FlowSpec)| {
            let account =
                (spec.transport == Transport::Tcp).then(|| Account::new(FlowId::from_index(number), spec.start));
            WatchedFlow::new(spec.start, account, &is_watched)
        };
        let flows = WatchedFlows(network.flows.iter().enumerate().map(watched).collect());
        Explain { observation: Observation::new(network), flows }
    }

    /// Ends the run and returns the reports by flow.
    pub fn finish(mut self, ended: Time) -> Vec<FlowReport> {
        self.flows.0.ids().filter_map(|number| self.finish_flow(ended, number)).collect()
    }

    fn finish_flow(&mut self, ended: Time, number: FlowId) -> Option<FlowReport> {
        self.observation.end(ended, number, &mut self.flows);
        let (flow, path) = (self.observation.flow(number)?, self.observation.path());
        let watched = self.flows.0.get_mut(number)?;
        let completed = watched.ended.is_some();
        let end = watched.ended.unwrap_or(ended);
        let account = watched.account.as_ref();
        let (budget, queue) = account.map_or((Vec::new(), None), |account| account.finish(flow, path.transmitters()));
        let mut waited = Span::ZERO;
        if let Some(queue) = queue {
            let before = watched.findings.len();
            let kind = &standing_queue::KIND;
            let mut out = FindingCollector { kind, findings: &mut watched.findings, lost: &mut watched.lost };
            standing_queue::report_standing_queue(&queue, &mut out);
            waited = watched.findings[before..].iter().fold(waited, |sum, finding| sum + finding.cost);
        }
        let took = end.since(watched.began);
        let findings = watched.take_findings();
        Some(FlowReport {
            flow: number,
            took,
            completed,
            timeouts: watched.timeouts,
            blocked: watched.blocked.finish(end).to_vec(),
            budget,
            findings,
            lost: (watched.lost.all.total() + waited).min(took),
            lost_avoidably: (watched.lost.avoidable.total() + waited).min(took),
        })
    }
}

impl Sink for Explain {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        match event {
            Event::Sender { flow, event: tcp::Event::Blocked { reason } } => {
                if let Some(watched) = self.flows.0.get_mut(*flow).filter(|watched| watched.ended.is_none()) {
                    watched.blocked.on_event(at, *reason);
                }
            }
            Event::FlowCompleted { flow } => {
                if let Some(watched) = self.flows.0.get_mut(*flow) {
                    watched.ended = Some(at);
                }
            }
            _ => {}
        }
        self.observation.apply(at, event, &mut self.flows);
    }
}
