//! Findings and causes that can be derived from a capture.
//!
//! A capture shows the segments of a connection at one place. It does not show where on the path a segment waited or
//! was lost. Causes that differ only in this place are therefore merged, and findings that depend on the place are not
//! detected.

use engine::Span;

use super::budget::MergedCause;
use super::{Cause, KINDS, ProblemKind};

/// Parts of a connection: those that a capture has, or those that a kind of problem needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CaptureParts {
    /// The packets as the sender sent them: segments may be lost before they reach another place.
    pub sender: bool,
    /// The options of the SYN, without which the scale of the receive window is unknown.
    pub syn: bool,
}

impl CaptureParts {
    /// A complete capture at the sender.
    pub const ALL: Self = CaptureParts { sender: true, syn: true };
    /// A capture at the sender.
    pub const SENDER: Self = CaptureParts { sender: true, syn: false };
    /// A capture of the SYN, at any place.
    pub const SYN: Self = CaptureParts { sender: false, syn: true };

    /// Whether no part of `needed` is missing.
    fn has(self, needed: Self) -> bool {
        (self.sender || !needed.sender) && (self.syn || !needed.syn)
    }
}

impl ProblemKind {
    /// Whether a capture with these parts shows the kind.
    pub(super) fn is_shown_by(&self, parts: CaptureParts) -> bool {
        self.in_captures.is_some_and(|needed| parts.has(needed))
    }
}

/// The names of the kinds that a capture with these parts shows.
pub fn shown_kinds(parts: CaptureParts) -> Vec<&'static str> {
    KINDS.iter().filter(|kind| kind.is_shown_by(parts)).map(|kind| kind.name).collect()
}

/// The names of the kinds of simulated runs that a capture with these parts does not show.
pub fn hidden_kinds(parts: CaptureParts) -> Vec<&'static str> {
    KINDS.iter().filter(|kind| kind.in_runs && !kind.is_shown_by(parts)).map(|kind| kind.name).collect()
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
pub fn hidden_causes() -> impl Iterator<Item = (&'static str, Vec<Cause>)> {
    MergedCause::SEPARATE_IN_RUNS.iter().map(|merged| {
        let is_part = |cause: &Cause| cause.merged_in_captures(true).is_some_and(|other| other.name == merged.name);
        (merged.name, Cause::ALL.into_iter().filter(is_part).collect())
    })
}

/// The names of the causes in captures that are one without the SYN.
pub fn list_window_causes() -> Vec<&'static str> {
    let of_window =
        |cause: &Cause| cause.merged_in_captures(false).is_some_and(|merged| merged.name == MergedCause::WINDOW.name);
    let mut names: Vec<_> = Cause::ALL
        .into_iter()
        .filter(of_window)
        .map(|cause| cause.merged_in_captures(true).map_or(cause.name(), |merged| merged.name))
        .collect();
    names.dedup();
    names
}

/// The causes of a budget as a capture separates them, the longest first. They add up to
/// the same time. Without the SYN the receive window is not known, and all windows are one cause.
pub fn captured_causes(budget: &[(Cause, Span)], window_known: bool) -> Vec<CapturedCause> {
    let mut causes: Vec<CapturedCause> = Vec::new();
    for &(cause, time) in budget {
        let (name, summary, first) = match cause.merged_in_captures(window_known) {
            Some(MergedCause { name, summary, first }) => (*name, *summary, *first),
            None => (cause.name(), cause.summary(), cause),
        };
        match causes.iter_mut().find(|known| known.name == name) {
            Some(known) => known.time = known.time + time,
            None => causes.push(CapturedCause { name, summary, first, time }),
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
        let windows = ["receiver-window", "window-behind-hole"];
        assert_eq!(shown_kinds(CaptureParts::SYN), windows);
        let needs_sender = ["idle-wait", "spurious-timeout", "repeated-timeout", "window-cut"];
        assert_eq!(shown_kinds(CaptureParts::SENDER), needs_sender);
        assert_eq!(shown_kinds(CaptureParts::ALL), [&needs_sender[..], &windows].concat());
    }

    #[test]
    fn window_causes_are_named_as_in_captures() {
        assert_eq!(list_window_causes(), ["slow-start", "congestion-avoidance", "receiver-window"]);
    }
}
