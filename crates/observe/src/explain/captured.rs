//! What of an explanation a capture can show.
//!
//! A capture shows the segments of a connection at one place. It does not show where on the path a segment waited or was
//! lost, so that the causes of a budget that differ only in this are one cause, and kinds of findings that need it are
//! not looked for.

use engine::Span;

use super::{Cause, KINDS};

/// The kinds of findings that a capture shows.
pub const SHOWN_KINDS: [&str; 5] =
    ["idle-wait", "spurious-timeout", "repeated-timeout", "receiver-window", "window-behind-hole"];

/// Names of kinds that a capture does not show.
pub fn hidden_kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name).filter(|name| !SHOWN_KINDS.contains(name))
}

/// A cause of time in a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CapturedCause {
    /// The name in tables and JSON.
    pub name: &'static str,
    /// Description of one line.
    pub summary: &'static str,
    /// The time.
    pub time: Span,
}

/// What only a simulation separates, with the cause that a capture has instead.
pub const HIDDEN_CAUSES: [(&str, &[Cause]); 3] = [
    (
        PATH,
        &[
            Cause::LinkRate,
            Cause::OwnQueue,
            Cause::OthersQueue,
            Cause::Contention,
            Cause::Collision,
            Cause::BadAir,
            Cause::Outage,
        ],
    ),
    (LOSS, &[Cause::AirLoss, Cause::QueueDrop]),
    (WINDOW, &[Cause::ReceiverWindow, Cause::Scheme]),
];

const PATH: &str = "path";
const LOSS: &str = "loss";
const WINDOW: &str = "receiver-window";

/// The causes of the time of a connection, the longest first, of a budget that was made of a capture. They add up to the
/// same time.
pub fn captured_causes(budget: &[(Cause, Span)]) -> Vec<CapturedCause> {
    let mut causes: Vec<CapturedCause> = Vec::new();
    for (cause, time) in budget {
        let name = HIDDEN_CAUSES.iter().find(|(_, causes)| causes.contains(cause)).map(|(name, _)| *name);
        let (name, summary) = match name {
            Some(PATH) => (PATH, "the path carried its packets: links, queues and link layers"),
            Some(LOSS) => (LOSS, "TCP detected and repaired losses, on a channel or in a queue"),
            Some(name) => (name, Cause::ReceiverWindow.summary()),
            None => (cause.name(), cause.summary()),
        };
        match causes.iter_mut().find(|known| known.name == name) {
            Some(known) => known.time = known.time + *time,
            None => causes.push(CapturedCause { name, summary, time: *time }),
        }
    }
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.time));
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_that_a_capture_cannot_separate_are_added() {
        let ms = Span::from_millis;
        let budget =
            [(Cause::LinkRate, ms(5)), (Cause::BadAir, ms(2)), (Cause::QueueDrop, ms(30)), (Cause::SlowStart, ms(1))];
        let causes = captured_causes(&budget).into_iter().map(|cause| (cause.name, cause.time)).collect::<Vec<_>>();
        assert_eq!(causes, [("loss", ms(30)), ("path", ms(7)), ("slow-start", ms(1))]);
    }

    #[test]
    fn shown_kinds_exist() {
        assert_eq!(hidden_kinds().count() + SHOWN_KINDS.len(), KINDS.len());
    }
}
