//! The event times that the thesis prints: appendix B.4 and the example of section 5.4.3. Both runs are deterministic.

use engine::Time;
use path::LinkEvent;
use serde_json::json;
use sim::Event;
use tcp::Reason;

use crate::papers::{Number, PaperScenario};

/// The run of appendix B, with the BAD period of its trace.
const APPENDIX_B: PaperScenario =
    PaperScenario { name: "goel1997-appendix-b", text: include_str!("../examples/goel1997-appendix-b.toml") };

/// The run of section 5.4.3.
pub(super) const TWO_LOSSES: PaperScenario =
    PaperScenario { name: "two-losses", text: include_str!("../examples/two-losses.toml") };

/// When the first lost segment was sent, on the thesis's clock. The thesis's run was longer than ours; all other times
/// are compared after our clock is set by this one.
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
    let events = APPENDIX_B.events(Some("unmodified"), &[]);
    let corrupted =
        times(&events, |event| matches!(event, Event::Link { event: LinkEvent::FrameCorrupted { .. }, .. }));
    let resent = sent(&events, Reason::FastRetransmit);
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
        let events = TWO_LOSSES.events(Some(scheme), &[]);
        let (lost, sent) = first_loss(&events).unwrap_or_default();
        let of_sender = |pick: &dyn Fn(&tcp::Event) -> bool| -> Vec<f64> {
            let after = times(&events, |event| matches!(event, Event::Sender { event, .. } if pick(event)));
            after.into_iter().filter(|at| *at > sent).map(|at| at - sent + FIRST_LOST_SENT).collect()
        };
        let timeouts = of_sender(&|event| matches!(event, tcp::Event::Timeout { .. }));
        let repeats =
            of_sender(&|event| matches!(event, tcp::Event::AckReceived { ack, duplicate: true } if *ack == lost));
        // The times of the paper follow the timeout; data sent before the loss are left out.
        let expired = timeouts.first().copied().unwrap_or(f64::INFINITY);
        let mut news = of_sender(&|event| matches!(event, tcp::Event::AckReceived { duplicate: false, .. }));
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

type Events = Vec<(Time, Event)>;

fn times(events: &Events, pick: impl Fn(&Event) -> bool) -> Vec<f64> {
    events.iter().filter(|(_, event)| pick(event)).map(|(at, _)| at.as_nanos() as f64 / 1e6).collect()
}

fn sent(events: &Events, why: Reason) -> Vec<f64> {
    times(
        events,
        |event| matches!(event, Event::Sender { event: tcp::Event::SegmentSent { reason, .. }, .. } if *reason == why),
    )
}

/// The first segment given up by the link layer, and the time when it was first sent.
fn first_loss(events: &Events) -> Option<(u64, f64)> {
    let lost = events.iter().find_map(|(_, event)| match event {
        Event::Link { event: LinkEvent::GivenUp { packet, .. }, .. } => packet.data().map(|data| u64::from(data.seq.0)),
        _ => None,
    })?;
    let sent = times(
        events,
        |event| matches!(event, Event::Sender { event: tcp::Event::SegmentSent { seq, reason: Reason::New, .. }, .. } if *seq == lost),
    );
    Some((lost, *sent.first()?))
}
