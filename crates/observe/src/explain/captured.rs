//! Findings and causes that can be derived from a capture.
//!
//! A capture shows the segments of a connection at one place. It does not show where on the path a segment waited or
//! was lost. Causes that differ only in this place are therefore merged, and findings that depend on the place are not
//! detected.

use engine::Span;

use super::{Cause, KINDS, ProblemKind, needless_cut};

/// Captures that show a kind of problem.
#[derive(Clone, Copy)]
pub(super) enum InCaptures {
    /// No capture: the kind depends on events along the path.
    Never,
    /// Captures taken at the sender: the kind depends on segments that are lost before they reach another place.
    AtSender,
    /// Captures taken at the sender, which show the problem as another kind.
    AtSenderAs(&'static ProblemKind),
    /// All.
    Anywhere,
}

impl InCaptures {
    /// Kind under which a capture shows `kind`, if it does.
    pub(super) fn captured_kind(self, kind: &'static ProblemKind, at_sender: bool) -> Option<&'static ProblemKind> {
        match self {
            InCaptures::Never => None,
            InCaptures::AtSender => at_sender.then_some(kind),
            InCaptures::AtSenderAs(other) => at_sender.then_some(other),
            InCaptures::Anywhere => Some(kind),
        }
    }
}

/// The kind that replaces `needless-cut` in captures, which do not show whether a queue had dropped a packet.
pub(super) static WINDOW_CUT: ProblemKind = ProblemKind {
    name: "window-cut",
    summary: "a loss or a timeout reduced the usable window below the bandwidth-delay product",
    avoidable: true,
    in_captures: InCaptures::AtSender,
    watch: needless_cut::watch_all_cuts,
};

/// The names of the kinds that a capture shows.
pub fn shown_kinds(at_sender: bool) -> Vec<&'static str> {
    KINDS.iter().filter_map(|kind| kind.in_captures.captured_kind(kind, at_sender)).map(|kind| kind.name).collect()
}

/// Names of kinds that a capture does not show.
pub fn hidden_kinds(at_sender: bool) -> impl Iterator<Item = &'static str> {
    let shown = shown_kinds(at_sender);
    KINDS.iter().map(|kind| kind.name).filter(move |name| !shown.contains(name))
}

/// A cause of time in a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CapturedCause {
    /// The name in tables and JSON.
    pub name: &'static str,
    /// Description of one line.
    pub summary: &'static str,
    /// The first of the merged causes, whose colour the merged cause has in pictures.
    pub first: Cause,
    /// The time.
    pub time: Span,
}

/// Causes that only a simulation separates, with the name of the cause that replaces them in a capture.
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

/// The causes of a budget as a capture separates them, the longest first. They add up to
/// the same time. Without the SYN the receive window is not known, and all windows are one cause.
pub fn captured_causes(budget: &[(Cause, Span)], window_known: bool) -> Vec<CapturedCause> {
    const ANY_WINDOW: [Cause; 4] = [Cause::SlowStart, Cause::CongestionAvoidance, Cause::ReceiverWindow, Cause::Scheme];
    let mut causes: Vec<CapturedCause> = Vec::new();
    for (cause, time) in budget {
        let hidden = HIDDEN_CAUSES.iter().find(|(_, causes)| causes.contains(cause));
        let first = hidden.map_or(*cause, |(_, causes)| causes[0]);
        let any_window = !window_known && ANY_WINDOW.contains(cause);
        let first = if any_window { Cause::CongestionAvoidance } else { first };
        let (name, summary) = match hidden.map(|(name, _)| *name) {
            _ if any_window => ("window", "cwnd or the receive window limited the sender"),
            Some(PATH) => (PATH, "the path carried its packets: links, queues and link layers"),
            Some(LOSS) => (LOSS, "TCP detected and repaired losses, on a channel or in a queue"),
            Some(name) => (name, Cause::ReceiverWindow.summary()),
            None => (cause.name(), cause.summary()),
        };
        match causes.iter_mut().find(|known| known.name == name) {
            Some(known) => known.time = known.time + *time,
            None => causes.push(CapturedCause { name, summary, first, time: *time }),
        }
    }
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.time));
    causes
}

/// Adds the time in which losses were repaired, of which nothing shows whether a channel or a queue had them.
pub(super) fn add_unplaced_loss(mut causes: Vec<CapturedCause>, time: Span) -> Vec<CapturedCause> {
    if time == Span::ZERO {
        return causes;
    }
    let loss = captured_causes(&[(Cause::AirLoss, time)], true).pop();
    causes.extend(loss);
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.time));
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_that_a_capture_cannot_separate_are_summed() {
        let ms = Span::from_millis;
        let budget =
            [(Cause::LinkRate, ms(5)), (Cause::BadAir, ms(2)), (Cause::QueueDrop, ms(30)), (Cause::SlowStart, ms(1))];
        let causes =
            captured_causes(&budget, true).into_iter().map(|cause| (cause.name, cause.time)).collect::<Vec<_>>();
        assert_eq!(causes, [("loss", ms(30)), ("path", ms(7)), ("slow-start", ms(1))]);
        let windows = [(Cause::ReceiverWindow, ms(5)), (Cause::SlowStart, ms(1))];
        let causes = captured_causes(&windows, false);
        assert_eq!(causes.iter().map(|cause| (cause.name, cause.time)).collect::<Vec<_>>(), [("window", ms(6))]);
    }

    #[test]
    fn capture_at_the_sender_also_shows_timeouts_and_reductions() {
        let anywhere = ["receiver-window", "window-behind-hole"];
        assert_eq!(shown_kinds(false), anywhere);
        let needs_sender = ["idle-wait", "spurious-timeout", "repeated-timeout", "window-cut"];
        assert_eq!(shown_kinds(true), [needs_sender.as_slice(), &anywhere].concat());
    }

    #[test]
    fn each_finding_is_shown_or_hidden() {
        for (at_sender, replaced) in [(true, 1), (false, 0)] {
            let count = hidden_kinds(at_sender).count() + shown_kinds(at_sender).len();
            assert_eq!(count, KINDS.len() + replaced, "window-cut replaces needless-cut");
        }
    }
}
