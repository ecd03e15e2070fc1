//! Association: the base station that a mobile uses, the nearest in range, one at a time.
//!
//! A mobile leaves its base station when the station is out of range, or when another station in range is nearer by the
//! hysteresis. It then has no base station during the handover gap, and afterwards associates with the nearest station
//! in range, as soon as one is in range. It wakes only at times when a base station enters or leaves its range or
//! becomes nearer than the current one by the hysteresis, or when the gap ends. Equations and limits:
//! docs/models/mobility.md.

use engine::registry::{Fault, Settings};
use engine::{Decibels, Length, Slot, Span, Time};
use path::place::crossing::{is_nearer, is_within, next_nearer, next_within};
use path::place::{NodePath, square_of, square_ratio, squared_distance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{LinkId, NodeId};
use crate::results::RoamingResult;

/// Longer than any handover.
const MAX_GAP: Span = Span::from_secs(3600);
/// 100 dB.
const MAX_HYSTERESIS: Decibels = Decibels(100_000);

/// A mobile uses one of its links in media at a time: the link to the nearest base station in range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Association {
    /// Time without a base station during a handover, at most an hour.
    #[serde(default = "default_gap")]
    pub handover_gap: Span,
    /// A handover takes place if another base station's signal is stronger than the current station's signal by this
    /// ratio, at most 100 dB. The comparison assumes the `path_loss` of the mobile's first medium with a range.
    #[serde(default)]
    pub hysteresis: Decibels,
}

fn default_gap() -> Span {
    Span::from_millis(100)
}

impl Settings for Association {
    fn check(&self) -> Vec<Fault> {
        let Association { handover_gap, hysteresis } = self;
        let gap = (*handover_gap > MAX_GAP)
            .then(|| Fault::new("handover_gap", format!("\"{handover_gap}\""), "at most an hour"));
        let hysteresis = (*hysteresis > MAX_HYSTERESIS)
            .then(|| Fault::new("hysteresis", format!("\"{hysteresis}\""), "at most 100 dB"));
        gap.into_iter().chain(hysteresis).collect()
    }
}

impl Association {
    /// The factor of squared distances that corresponds to the hysteresis, at least 1: another base station is
    /// preferred if its squared distance times this factor is less than that of the current base station.
    fn nearer_by(&self, path_loss: f64) -> f64 {
        square_ratio(self.hysteresis.0, path_loss)
    }
}

/// A link that a mobile may use: its number, the other end's position, and the range.
pub(crate) struct Reachable {
    pub link: LinkId,
    pub station: NodePath,
    pub range: Length,
}

/// The state of a [`Reachable`] link.
struct Candidate {
    link: LinkId,
    /// Position of the other end.
    station: NodePath,
    /// The square of the range in which the mobile can use the link.
    range: i128,
    /// Next time at which the mobile enters or leaves the range. It is recomputed only after that time.
    border: Option<Time>,
    /// Next time when another base station becomes or ceases to be nearer than the current one by the hysteresis:
    /// recomputed after that time, and at each association.
    preference: Option<Time>,
}

/// A mobile that uses one link at a time.
pub(crate) struct Roamer {
    node: NodeId,
    slot: Slot,
    path: NodePath,
    handover_gap: Span,
    /// The factor of squared distances that corresponds to the hysteresis.
    nearer_by: f64,
    candidates: Vec<Candidate>,
    /// The candidate in use.
    current: Option<usize>,
    /// The previous one.
    last: Option<usize>,
    /// End of the handover gap.
    gap: Time,
    /// Start of the time without a base station.
    alone_since: Time,
    counted: RoamingResult,
    until: Time,
}

/// An action of a mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Move {
    /// The mobile starts to use this link.
    Joins(LinkId),
    /// The mobile stops using this link.
    Leaves(LinkId),
}

impl Roamer {
    /// A mobile on `path` that may use the links of `candidates`. Signals decrease with `path_loss`, if a medium sets
    /// it.
    pub fn new(
        node: NodeId,
        association: Association,
        path: NodePath,
        candidates: impl IntoIterator<Item = Reachable>,
        path_loss: Option<f64>,
        until: Time,
        slot: Slot,
    ) -> Self {
        let candidates = candidates.into_iter().map(|Reachable { link, station, range }| {
            let range = square_of(range.0);
            let border = next_within(&path, &station, &[range], Time::ZERO, until);
            Candidate { link, station, range, border, preference: None }
        });
        Roamer {
            node,
            slot,
            handover_gap: association.handover_gap,
            nearer_by: path_loss.map_or(1.0, |path_loss| association.nearer_by(path_loss)),
            candidates: candidates.collect(),
            current: None,
            last: None,
            gap: Time::ZERO,
            alone_since: Time::ZERO,
            counted: RoamingResult::default(),
            until,
            path,
        }
    }

    /// Returns the node of the mobile.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Slot of the mobile's wake-up.
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// Links that the mobile may use.
    pub fn links(&self) -> impl Iterator<Item = LinkId> {
        self.candidates.iter().map(|candidate| candidate.link)
    }

    /// Returns the handovers of the mobile so far.
    pub fn roaming_result(&self, now: Time) -> RoamingResult {
        let alone = if self.current.is_none() { now.since(self.alone_since) } else { Span::ZERO };
        RoamingResult { alone: self.counted.alone + alone, ..self.counted }
    }

    /// Returns the next action of the mobile at this time, if any. The caller must repeat the call until the result is
    /// `None`.
    pub fn next_move(&mut self, now: Time) -> Option<Move> {
        if let Some(current) = self.current {
            let others = (0..self.candidates.len()).filter(|other| *other != current && self.in_range(*other, now));
            let stays =
                self.in_range(current, now) && !others.into_iter().any(|other| self.prefers(other, current, now));
            if stays {
                return None;
            }
            self.current = None;
            (self.gap, self.alone_since) = (now + self.handover_gap, now);
            return Some(Move::Leaves(self.candidates[current].link));
        }
        if now < self.gap {
            return None;
        }
        let reachable = (0..self.candidates.len()).filter(|candidate| self.in_range(*candidate, now));
        let nearest = reachable
            .min_by_key(|candidate| squared_distance(&self.path, &self.candidates[*candidate].station, now))?;
        self.counted.alone = self.counted.alone + now.since(self.alone_since);
        self.counted.handovers += u64::from(self.last.is_some_and(|last| last != nearest));
        (self.current, self.last) = (Some(nearest), Some(nearest));
        for other in 0..self.candidates.len() {
            self.candidates[other].preference = self.next_preference(other, nearest, now);
        }
        Some(Move::Joins(self.candidates[nearest].link))
    }

    /// The next time at which an action may be due.
    pub fn next_look(&mut self, now: Time) -> Option<Time> {
        let is_past = |at: Option<Time>| at.is_some_and(|at| at <= now);
        for number in 0..self.candidates.len() {
            let candidate = &mut self.candidates[number];
            let preference = candidate.preference;
            if is_past(candidate.border) {
                candidate.border = next_within(&self.path, &candidate.station, &[candidate.range], now, self.until);
            }
            if let Some(current) = self.current.filter(|_| is_past(preference)) {
                self.candidates[number].preference = self.next_preference(number, current, now);
            }
        }
        let borders = self.candidates.iter().filter_map(|candidate| candidate.border);
        let preferences = self.candidates.iter().filter_map(|candidate| candidate.preference);
        let preferences = preferences.filter(|_| self.current.is_some());
        let gap = (self.current.is_none() && now < self.gap).then_some(self.gap);
        borders.chain(preferences).chain(gap).min()
    }

    fn in_range(&self, candidate: usize, now: Time) -> bool {
        let Candidate { station, range, .. } = &self.candidates[candidate];
        is_within(&self.path, station, *range, now)
    }

    /// Whether `other` is nearer than the current one by the hysteresis.
    fn prefers(&self, other: usize, current: usize, now: Time) -> bool {
        let [other, current] = [other, current].map(|candidate| &self.candidates[candidate].station);
        is_nearer(&self.path, [other, current], self.nearer_by, now)
    }

    fn next_preference(&self, other: usize, current: usize, now: Time) -> Option<Time> {
        if other == current {
            return None;
        }
        let [other, current] = [other, current].map(|candidate| &self.candidates[candidate].station);
        next_nearer(&self.path, [other, current], self.nearer_by, now, self.until)
    }
}
