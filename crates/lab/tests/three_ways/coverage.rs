//! The share of the facts of captures that hold in the captured run.

use std::collections::BTreeMap;
use std::fmt::Debug;

use engine::Span;
use observe::observation::captured::CapturedFate;
use observe::observation::{CapturedFact, Evidence, Rule};

use tcp::Blocked;

use super::captured::CapturedStory;
use super::transfer_story::{Changes, StoryFate, StoryTransmission, TransferStory};

/// A number of values, and how many of them hold.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Held {
    pub held: u64,
    pub of: u64,
}

impl Held {
    fn add(&mut self, holds: bool) {
        self.held += u64::from(holds);
        self.of += 1;
    }

    pub fn is_complete(self) -> bool {
        self.held == self.of
    }

    /// Whether at least 95 % hold.
    pub fn is_covered(self) -> bool {
        20 * self.held >= 19 * self.of
    }
}

/// The values of one kind of fact.
#[derive(Clone, Default, Debug)]
pub struct Coverage {
    /// Known values, and how many of them are the run's.
    pub known: Held,
    /// Inferred values, and how many of the run's are within their bounds.
    pub inferred: Held,
    /// Unknown values.
    pub unknown: u64,
    /// The first value that does not hold.
    pub first: Option<String>,
}

/// By kind of fact.
#[derive(Default)]
pub struct CoverageTable {
    /// The name of the run.
    pub case: String,
    pub rows: BTreeMap<&'static str, Coverage>,
}

impl CoverageTable {
    /// Adds a value with its evidence. `holds` returns true if the run's value lies between two bounds.
    fn add<T: Debug + Copy>(
        &mut self,
        kind: &'static str,
        captured: Evidence<T>,
        run: &impl Debug,
        holds: impl Fn(T, T) -> bool,
    ) {
        let row = self.rows.entry(kind).or_default();
        let held = match captured {
            Evidence::Known(value) => (&mut row.known, holds(value, value)),
            Evidence::Inferred { low, high, .. } => (&mut row.inferred, holds(low, high)),
            Evidence::Unknown(_) => {
                row.unknown += 1;
                return;
            }
        };
        held.0.add(held.1);
        if !held.1 && row.first.is_none() {
            row.first = Some(format!("{}: {captured:?}, and {run:?}", self.case));
        }
    }

    fn add_value<T: Debug + Copy + PartialOrd>(&mut self, kind: &'static str, captured: Evidence<T>, run: T) {
        self.add(kind, captured, &run, |low, high| low <= run && run <= high);
    }

    /// Adds a value that captures have without evidence. The value counts as known.
    fn add_known<T: Debug + Copy + PartialEq>(&mut self, kind: &'static str, captured: T, run: T) {
        self.add(kind, Evidence::Known(captured), &run, |value, _| value == run);
    }

    /// Adds each value of two ascending lists. A value that the other list lacks counts as not confirmed.
    fn add_lists<T: Debug + Copy + PartialOrd>(&mut self, kind: &'static str, captured: &[T], run: &[T]) {
        for (captured, run) in pair_values(captured, run) {
            self.add(kind, Evidence::Known(captured), &run, |value, _| value == run);
        }
    }

    /// Does the same as `add_lists` for values that a rule infers.
    fn add_inferred_lists<T: Debug + Copy + PartialOrd>(
        &mut self,
        kind: &'static str,
        captured: &[T],
        run: &[T],
        rule: Rule,
    ) {
        for (captured, run) in pair_values(captured, run) {
            self.add(kind, Evidence::infer(captured, rule), &run, |value, _| value == run);
        }
    }
}

/// Pairs equal values of two ascending lists; a value that the other list lacks has no partner.
fn pair_values<T: Copy + PartialOrd>(captured: &[T], run: &[T]) -> Vec<(Option<T>, Option<T>)> {
    let (mut captured, mut run) = (captured.iter().copied().peekable(), run.iter().copied().peekable());
    let mut pairs = Vec::new();
    loop {
        pairs.push(match (captured.peek().copied(), run.peek().copied()) {
            (Some(first), Some(other)) => (captured.next_if(|_| first <= other), run.next_if(|_| other <= first)),
            (None, None) => return pairs,
            _ => (captured.next(), run.next()),
        });
    }
}

/// Compares every fact that captures of both ends have of a flow with the run.
pub fn compare_captured(table: &mut CoverageTable, captured: &CapturedStory, run: &TransferStory) {
    compare_transmissions(table, captured, run);
    let story = &captured.story;
    table.add_lists("una", story.una.after(0), run.una.after(0));
    table.add_lists("max", story.max.after(0), run.max.after(0));
    compare_in_order(table, captured, run);
    table.add_lists("opening", story.opening.after(false), run.opening.after(false));
    let rule = Rule::RetransmissionCause;
    table.add_inferred_lists("timeouts", &story.timeouts, &run.timeouts, rule);
    table.add_inferred_lists("fast-retransmits", &story.fast_retransmits, &run.fast_retransmits, rule);
    compare_end(table, captured, run);
    compare_path(table, captured, run);
    compare_states(table, captured, run);
    compare_reasons_of_silence(table, captured, run);
    for (at, rtt) in &story.round_trips {
        // The segment that the acknowledgment covers last was sent that long before.
        let una = run.una.value_at(*at).unwrap_or_default();
        let is_measured = |sent: &&StoryTransmission| sent.seq + u64::from(sent.len) == una && sent.at + *rtt == *at;
        table.add_known("round-trips", true, run.transmissions.iter().any(|sent| is_measured(&sent)));
    }
}

/// Compares when the transfer was complete, if the captures show it.
fn compare_end(table: &mut CoverageTable, captured: &CapturedStory, run: &TransferStory) {
    let ends = captured.facts.iter().filter_map(|(at, fact)| match fact {
        CapturedFact::AllAcknowledged { ends } => Some((*at, *ends)),
        _ => None,
    });
    for (at, ends) in ends {
        table.add("completed", ends, &run.completed_at(), |_, _| run.completed_at() == Some(at));
    }
}

/// Compares the transmissions in their order, with their reasons and their fates.
fn compare_transmissions(table: &mut CoverageTable, captured: &CapturedStory, run: &TransferStory) {
    let sent = captured.facts.iter().filter_map(|(at, fact)| match fact {
        CapturedFact::Sent(sent) => Some((*at, *sent)),
        _ => None,
    });
    let sent: Vec<_> = sent.collect();
    let identity = |sent: &StoryTransmission| (sent.at, sent.seq, sent.len);
    let in_run: Vec<_> = run.transmissions.iter().map(identity).collect();
    let in_capture: Vec<_> = sent.iter().map(|(at, sent)| (*at, sent.seq, sent.len)).collect();
    table.add_lists("transmissions", &in_capture, &in_run);
    for (of_run, (_, of_capture)) in run.transmissions.iter().zip(&sent) {
        table.add("reasons", of_capture.reason, &of_run.reason, |low, high| [low, high].contains(&of_run.reason));
        compare_fates(table, of_capture.fate, of_run, captured.epoch);
    }
}

fn compare_fates(table: &mut CoverageTable, fate: Evidence<CapturedFate>, of_run: &StoryTransmission, epoch: Span) {
    let is_lost = |fate: CapturedFate| fate == CapturedFate::Lost;
    // The ends do not see that a scheme took a segment. In the captures the segment did not arrive.
    let is_missing = matches!(of_run.fate, StoryFate::Lost | StoryFate::Absorbed);
    table.add("losses", fate, of_run, |low, high| [is_lost(low), is_lost(high)].contains(&is_missing));
    let StoryFate::Arrived(arrived) = of_run.fate else { return };
    let fate = fate.map(|fate| fate.map_arrival(|at| at + epoch));
    table.add_value("arrivals", fate, CapturedFate::Arrived(arrived));
}

/// Compares states at each transmission and at each acknowledgment of new data.
fn compare_states(table: &mut CoverageTable, captured: &CapturedStory, run: &TransferStory) {
    fn known<T: Copy + PartialEq>(changes: &Changes<Evidence<T>>, at: engine::Time) -> Option<T> {
        let value = changes.value_at(at)?;
        assert!(value.known().is_some() || value.is_unknown(), "a run infers nothing");
        value.known()
    }
    let story = &captured.story;
    let times = run.transmissions.iter().map(|sent| sent.at).chain(run.una.0.iter().map(|(at, _)| *at));
    for at in times {
        if let (Some(captured), Some(run)) = (story.cwnd.value_at(at), known(&run.cwnd, at)) {
            table.add_value("cwnd", captured, run);
        }
        if let (Some(captured), Some(run)) = (story.ssthresh.value_at(at), known(&run.ssthresh, at)) {
            table.add_value("ssthresh", captured, run);
        }
        if let (Some(captured), Some(run)) = (story.rto.value_at(at), known(&run.rto, at)) {
            table.add_value("rto", captured, run);
        }
        if let (Some(captured), Some(run)) = (story.receive_window.value_at(at), known(&run.receive_window, at)) {
            table.add_value("receive-window", captured, run);
        }
        let cycle = run.cycle.value_at(at).flatten().and_then(Evidence::known);
        if let (Some(captured), Some(run)) = (story.cycle.value_at(at).flatten(), cycle) {
            table.add_value("slowest-hop", captured, run);
        }
        if let (Some(captured), Some(run)) = (story.in_fast_recovery.value_at(at), run.in_fast_recovery.value_at(at)) {
            table.add("fast-recovery", captured, &run, |low, high| [Some(low), Some(high)].contains(&run.known()));
        }
        if let (Some(captured), Some(run)) = (story.least_rtt.value_at(at), known(&run.least_rtt, at)) {
            table.add_value("least-rtt", captured, run);
        }
    }
}

/// Compares why the sender sends nothing.
fn compare_reasons_of_silence(table: &mut CoverageTable, captured: &CapturedStory, run: &TransferStory) {
    for (at, fact) in &captured.facts {
        if let (CapturedFact::Blocked(reason), Some(Evidence::Known(run))) = (fact, run.blocked.value_at(*at)) {
            let place = |reason| Blocked::ALL.iter().position(|other| *other == reason);
            table.add_value("blocked", reason.map(place), place(run));
        }
    }
}

/// Compares the bytes in order up to the last segment whose fate the captures show.
fn compare_in_order(table: &mut CoverageTable, captured: &CapturedStory, run: &TransferStory) {
    let (mut of_capture, mut of_run) = (captured.story.in_order.values(), run.in_order.values());
    let least = of_capture.last().min(of_run.last()).copied().unwrap_or_default();
    [&mut of_capture, &mut of_run].into_iter().for_each(|values| values.retain(|value| *value <= least));
    table.add_lists("in-order", &of_capture, &of_run);
}

/// Compares the delay of the path, and where segments were lost.
fn compare_path(table: &mut CoverageTable, captured: &CapturedStory, run: &TransferStory) {
    let propagation = run.propagation.values().fold(Span::ZERO, |sum, delay| sum + *delay);
    table.add_value("delay", captured.connection.delay, propagation);
    for (_, place) in &captured.story.loss_places {
        table.add("loss-places", *place, &"nothing", |_, _| false);
    }
}
