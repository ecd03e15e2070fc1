//! The event times that the thesis prints: appendix B.4 and the example of section 5.4.3. Both runs are deterministic.

use engine::Time;
use observe::observation::media::AttemptFailure;
use observe::observation::{Fact, SenderFact};
use serde_json::json;
use tcp::Reason;

use crate::papers::{FlowFact, Number, PaperScenario};

/// The run of appendix B, with the BAD period of its trace.
const APPENDIX_B: PaperScenario =
    PaperScenario { name: "goel1997-appendix-b", text: include_str!("../examples/goel1997-appendix-b.toml") };

/// The run of section 5.4.3.
pub(super) const TWO_LOSSES: PaperScenario =
    PaperScenario { name: "two-losses", text: include_str!("../examples/two-losses.toml") };

/// Time at which the first lost segment was sent, on the thesis's clock. The thesis's run was longer than the simulated
/// one; all other times are compared after the clocks are aligned by this time.
const FIRST_LOST_SENT: f64 = 96_651.0;

const REPEAT: &str = "duplicate acknowledgment";
const TIMEOUT: &str = "timeout";
const NEW: &str = "new acknowledgment";

pub(super) fn numbers() -> Vec<Number> {
    let mut numbers = appendix_b();
    numbers.extend(two_losses());
    numbers
}

fn appendix_b() -> Vec<Number> {
    const CORRUPTED: [f64; 9] = [945.0, 956.0, 967.0, 978.0, 989.0, 1000.0, 1011.0, 1022.0, 1033.0];
    let facts = APPENDIX_B.facts(Some("unmodified"), &[]);
    let corrupted: Vec<f64> = facts.iter().filter_map(start_of_failure).map(millis).collect();
    let resent = sender_times(&facts, |sent, _| sent == SenderFact::Sent { reason: Reason::FastRetransmit });
    let mut numbers: Vec<Number> = CORRUPTED
        .iter()
        .zip(1..)
        .map(|(paper, attempt)| {
            let what = json!({ "event": "frame corrupted", "attempt": attempt });
            exact("appendix B.4", what, *paper, corrupted.get(attempt as usize - 1).copied())
        })
        .collect();
    numbers.push(exact("appendix B.4", json!({ "event": "fast retransmit" }), 1174.0, resent.first().copied()));
    numbers
}

fn two_losses() -> Vec<Number> {
    let mut numbers = Vec::new();
    let mut compare = |scheme: &str, place: &str, papers: &[(&str, f64)]| {
        let facts = TWO_LOSSES.facts(Some(scheme), &[]);
        let (lost, sent) = first_loss(&facts).unwrap_or_default();
        let of_sender = |pick: fn(SenderFact, u64, u64) -> bool| -> Vec<f64> {
            let after = sender_times(&facts, |fact, una| pick(fact, una, lost));
            after.into_iter().filter(|at| *at > sent).map(|at| at - sent + FIRST_LOST_SENT).collect()
        };
        let timeouts = of_sender(|fact, _, _| matches!(fact, SenderFact::TimerExpired { .. }));
        let repeats = of_sender(|fact, una, lost| fact == SenderFact::Acked { duplicate: true } && una == lost);
        // The times of the paper follow the timeout; data sent before the loss are left out.
        let expired = timeouts.first().copied().unwrap_or(f64::INFINITY);
        let mut news = of_sender(|fact, _, _| fact == SenderFact::Acked { duplicate: false });
        news.retain(|at| *at > expired);
        let mut kinds = [(REPEAT, repeats.into_iter()), (TIMEOUT, timeouts.into_iter()), (NEW, news.into_iter())];
        let mut seen: Vec<&str> = Vec::new();
        for (what, paper) in papers {
            seen.push(what);
            let number = seen.iter().filter(|other| *other == what).count();
            let ours = kinds.iter_mut().find(|(kind, _)| kind == what).and_then(|(_, times)| times.next());
            let what = json!({ "event": what, "number": number, "scheme": scheme });
            numbers.push(exact(place, what, *paper, ours));
        }
    };
    compare(
        "simple-icmp",
        "section 5.4.3, figure 5.3",
        &[
            (REPEAT, 97_211.0),
            (REPEAT, 97_221.0),
            (TIMEOUT, 98_003.0),
            (NEW, 98_354.0),
            (TIMEOUT, 99_354.0),
            (NEW, 99_705.0),
        ],
    );
    compare(
        "unmodified",
        "section 5.4.3, figure 5.4",
        &[(REPEAT, 97_211.0), (REPEAT, 97_221.0), (TIMEOUT, 97_703.0), (NEW, 98_054.0), (NEW, 98_405.0)],
    );
    numbers
}

/// A deterministic number of milliseconds.
fn exact(place: &str, what: serde_json::Value, paper: f64, ours: Option<f64>) -> Number {
    Number::new(place, what, "ms", paper, ours)
}

fn millis(at: Time) -> f64 {
    at.as_nanos() as f64 / 1e6
}

/// Returns the time at which the link layer began to transmit a frame that the channel damaged.
fn start_of_failure(fact: &FlowFact) -> Option<Time> {
    match fact.fact {
        Fact::Failed { from, why: AttemptFailure::Air, .. } => Some(from),
        _ => None,
    }
}

/// The times of facts of the sender, chosen with the first unacknowledged byte after them.
fn sender_times(facts: &[FlowFact], pick: impl Fn(SenderFact, u64) -> bool) -> Vec<f64> {
    let is_picked = |fact: &&FlowFact| matches!(fact.fact, Fact::Sender(of_sender) if pick(of_sender, fact.una));
    facts.iter().filter(is_picked).map(|fact| millis(fact.at)).collect()
}

/// The first byte of the first segment that is lost, and when it was sent.
fn first_loss(facts: &[FlowFact]) -> Option<(u64, f64)> {
    facts.iter().find_map(|fact| match &fact.fact {
        Fact::Gone { packet, .. } => Some((packet.seq()?, millis(packet.since))),
        _ => None,
    })
}
