//! Explanations of captured connections.

use engine::{Span, Time};
use observation::{CapturedConnection, CapturedFact, CapturedSink, Evidence, Observation, Rule, Unseen};
use sim::FlowId;

use super::budget::Account;
use super::captured::{CaptureParts, CapturedCause, add_unplaced_loss};
use super::{Finding, LostTime, WatchedFlow, WatchedFlows, captured_causes};

/// The only flow.
const FLOW: FlowId = FlowId::new(0);

/// The report of a captured connection.
#[derive(Clone, Debug)]
pub struct CaptureReport {
    /// The time from the connection's first segment to the last acknowledgment, or to the end of the capture.
    pub took: Span,
    /// Whether all data was acknowledged. Unknown without a FIN, if all captured data was.
    pub completed: Evidence<bool>,
    /// The number of expiries of the sender's retransmission timer.
    pub timeouts: Evidence<u32>,
    /// The findings, the costliest first.
    pub findings: Vec<Finding>,
    /// The causes of the connection's time, the longest first, which add up to [`took`](Self::took).
    pub causes: Vec<CapturedCause>,
    /// Time lost to all findings, each moment counted once.
    pub lost: Span,
    /// Time lost to avoidable findings, each moment counted once.
    pub lost_avoidably: Span,
    /// The parts that the capture has, for [`shown_kinds`](super::shown_kinds).
    pub parts: CaptureParts,
}

impl CaptureReport {
    /// The findings and the time that they cost.
    pub fn lost_time(&self) -> LostTime<'_> {
        let CaptureReport { took, completed, lost, lost_avoidably, .. } = *self;
        LostTime { took, completed, findings: &self.findings, lost, lost_avoidably }
    }
}

/// Explains a captured connection by its facts.
pub struct ExplainCapture {
    observation: Observation,
    flows: WatchedFlows,
    parts: CaptureParts,
    completed: Evidence<bool>,
}

impl ExplainCapture {
    /// An observer of a connection.
    pub fn new(connection: &CapturedConnection) -> Self {
        let parts = CaptureParts {
            sender: connection.is_at_sender,
            syn: connection.receive_window != Evidence::Unknown(Unseen::NoWindowScale),
        };
        let account = Account::new(FLOW, connection.start);
        let watched = WatchedFlow::new(connection.start, Some(account), |kind| kind.is_shown_by(parts));
        let flows = WatchedFlows(vec![watched].into());
        let observation = Observation::of_capture(connection);
        ExplainCapture { observation, flows, parts, completed: Evidence::Known(false) }
    }

    /// Ends the observation of the connection at `ended`, and returns the report; `None` without a flow.
    pub fn finish(mut self, ended: Time) -> Option<CaptureReport> {
        self.observation.end(ended, FLOW, &mut self.flows);
        let (flow, path) = (self.observation.flow(FLOW)?, self.observation.path());
        let watched = self.flows.0.get_mut(FLOW)?;
        let account = watched.account.take()?;
        let (budget, _) = account.finish(flow, path.transmitters());
        let causes = captured_causes(&budget, self.parts.syn);
        let took = watched.ended.unwrap_or(ended).since(watched.began);
        let timeouts = if self.parts.sender {
            Evidence::infer(watched.timeouts, Rule::RetransmissionCause)
        } else {
            Evidence::Unknown(Unseen::NotAtSender)
        };
        Some(CaptureReport {
            took,
            completed: self.completed,
            timeouts,
            findings: watched.take_findings(),
            causes: add_unplaced_loss(causes, account.unplaced_loss()),
            lost: watched.lost.all.total().min(took),
            lost_avoidably: watched.lost.avoidable.total().min(took),
            parts: self.parts,
        })
    }
}

impl CapturedSink for ExplainCapture {
    fn on_captured(&mut self, at: Time, fact: &CapturedFact) {
        if let (CapturedFact::AllAcknowledged { ends }, Some(watched)) = (fact, self.flows.0.get_mut(FLOW)) {
            (watched.ended, self.completed) = (Some(at), *ends);
        }
        self.observation.apply_captured(at, fact, &mut self.flows);
    }
}
