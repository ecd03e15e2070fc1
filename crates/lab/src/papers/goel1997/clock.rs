//! The event times that the thesis prints: appendix B.4 and the illustration of 5.4.3. No chance acts in them.

use engine::Time;
use path::LinkEvent;
use serde_json::json;
use sim::{Event, World};
use stats::Moments;
use tcp::Reason;

use super::super::{Number, Source, plan};

/// The run of appendix B, with the stay in BAD that its trace shows.
const APPENDIX_B: Source = Source {
    name: "goel1997-appendix-b",
    text: include_str!("../../../../../examples/goel1997-appendix-b.toml"),
};

/// The run of section 5.4.3.
pub(super) const TWO_LOSSES: Source =
    Source { name: "two-losses", text: include_str!("../../../../../examples/two-losses.toml") };

/// When the first segment that is lost was sent, on the thesis's clock. Its run had gone on for longer than ours; all
/// other times are compared after our clock is set by this one.
const FIRST_LOST_SENT: f64 = 96_651.0;

pub(super) fn numbers() -> Vec<Number> {
    let mut numbers = appendix_b();
    numbers.extend(two_losses());
    numbers
}

fn appendix_b() -> Vec<Number> {
    const CORRUPTED: [f64; 9] = [945.0, 956.0, 967.0, 978.0, 989.0, 1000.0, 1011.0, 1022.0, 1033.0];
    let events = events(&APPENDIX_B, "unmodified");
    let corrupted = times(&events, |event| matches!(event, Event::Link { event: LinkEvent::FrameCorrupted { .. }, .. }));
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
        let events = events(&TWO_LOSSES, scheme);
        let lost = |event: &Event| matches!(event, Event::Link { event: LinkEvent::GivenUp { .. }, .. });
        let Some(gave_up) = times(&events, lost).first().copied() else { return };
        // The segment that is given up first is the last that was sent long enough before.
        let first_lost = first_lost_sent(&events);
        let clock = |at: f64| at - first_lost.unwrap_or(gave_up) + FIRST_LOST_SENT;
        let ours = |what: &str| -> Vec<f64> {
            let after = |at: &f64| first_lost.is_some_and(|sent| *at > sent);
            let of = match what {
                "timeout" => times(&events, |event| {
                    matches!(event, Event::Sender { event: tcp::Event::Timeout { .. }, .. })
                }),
                "duplicate acknowledgment" => acks(&events, true),
                _ => acks(&events, false),
            };
            of.into_iter().filter(after).map(clock).collect()
        };
        let mut seen: Vec<&str> = Vec::new();
        for (what, paper) in papers {
            let nth = seen.iter().filter(|other| *other == what).count();
            seen.push(what);
            let what_nth = json!({ "event": what, "number": nth + 1, "scheme": scheme });
            // Acknowledgments of data sent before the loss come in too; those of the paper come after the timeout.
            let candidates = ours(what);
            let start = if *what == "new acknowledgment" {
                let timeout = ours("timeout").first().copied().unwrap_or(f64::INFINITY);
                candidates.iter().position(|at| *at > timeout).unwrap_or(candidates.len())
            } else {
                0
            };
            numbers.push(exact(place, what_nth, *paper, candidates.get(start + nth).copied()));
        }
    };
    compare(
        "simple-icmp",
        "section 5.4.3, figure 5.3",
        &[
            ("duplicate acknowledgment", 97_211.0),
            ("duplicate acknowledgment", 97_221.0),
            ("timeout", 98_003.0),
            ("new acknowledgment", 98_354.0),
            ("timeout", 99_354.0),
            ("new acknowledgment", 99_705.0),
        ],
    );
    compare(
        "unmodified",
        "section 5.4.3, figure 5.4",
        &[
            ("duplicate acknowledgment", 97_211.0),
            ("duplicate acknowledgment", 97_221.0),
            ("timeout", 97_703.0),
            ("new acknowledgment", 98_054.0),
            ("new acknowledgment", 98_405.0),
        ],
    );
    numbers
}

/// A number of milliseconds that is not left to chance.
fn exact(place: &str, what: serde_json::Value, paper: f64, ours: Option<f64>) -> Number {
    let ours = Moments::of(ours).unwrap_or_default();
    Number::new(place, what, "ms", paper, ours)
}

type Events = Vec<(Time, Event)>;

fn events(source: &Source, scheme: &str) -> Events {
    let plan = plan(source, &[], Some(scheme));
    let mut events = Events::new();
    World::new(&plan.points[0].cells[0].network, true).run(&mut events);
    events
}

fn times(events: &Events, pick: impl Fn(&Event) -> bool) -> Vec<f64> {
    events.iter().filter(|(_, event)| pick(event)).map(|(at, _)| at.as_nanos() as f64 / 1e6).collect()
}

fn sent(events: &Events, why: Reason) -> Vec<f64> {
    times(events, |event| {
        matches!(event, Event::Sender { event: tcp::Event::SegmentSent { reason, .. }, .. } if *reason == why)
    })
}

fn acks(events: &Events, duplicates: bool) -> Vec<f64> {
    times(events, |event| {
        matches!(event, Event::Sender { event: tcp::Event::AckReceived { duplicate, .. }, .. } if *duplicate == duplicates)
    })
}

/// When the sender first sent the segment that the link layer gave up first.
fn first_lost_sent(events: &Events) -> Option<f64> {
    let lost = events.iter().find_map(|(_, event)| match event {
        Event::Link { event: LinkEvent::GivenUp { packet, .. }, .. } => packet.data().map(|data| u64::from(data.seq.0)),
        _ => None,
    })?;
    let sent = times(events, |event| {
        matches!(event, Event::Sender { event: tcp::Event::SegmentSent { seq, reason: Reason::New, .. }, .. } if *seq == lost)
    });
    sent.first().copied()
}
