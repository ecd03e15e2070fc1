//! Settings of the changes of a link over time.

use engine::registry::Fault;
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recorded::{LinkConditions, Opportunities};
use crate::event::LinkDirections;
use crate::ids::LinkDirection;
use crate::link::jitter::{Jitter, MAX_DELAY};

/// All changes of a link.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Changes {
    /// Extra delays.
    pub jitter: Option<Jitter>,
    /// Delay spikes, ascending and disjoint in each direction.
    pub spikes: Vec<Spike>,
    /// Outages, ascending and disjoint in each direction.
    pub gaps: Vec<Gap>,
    /// Transmission opportunities instead of a rate, forward and backward.
    pub opportunities: [Option<Opportunities>; 2],
    /// Rate, delay and loss over time, in ascending order; the last row has a rate, or no row has one.
    pub rows: Vec<LinkConditions>,
}

impl Changes {
    /// Returns true if anything changes.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// A delay spike: packets that are due during the spike arrive later.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spike {
    /// Its beginning.
    pub at: Span,
    /// The extra delay.
    pub extra_delay: Span,
    /// Its duration.
    pub duration: Span,
    /// Directions with the delay spike.
    #[serde(default)]
    pub directions: LinkDirections,
}

/// An outage: an interval without transmission and delivery, as in a handover.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// Its beginning.
    pub from: Span,
    /// Its end.
    pub to: Span,
    /// The effect on packets.
    pub packets: During,
    /// Directions with the outage.
    #[serde(default)]
    pub directions: LinkDirections,
}

/// The effect of an outage on packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum During {
    /// Nothing is sent: packets wait in the queue, and a transmission is paused. Packets due during the outage arrive
    /// at its end.
    Wait,
    /// Packets are sent, and lost. Packets that are due during the outage are lost too.
    Lose,
}

/// Settings with intervals of time, which are ascending and disjoint in each direction.
trait DirectedInterval {
    fn interval(&self) -> (Span, Span);
    fn directions(&self) -> LinkDirections;
}

impl DirectedInterval for Spike {
    fn interval(&self) -> (Span, Span) {
        (self.at, self.at + self.duration)
    }
    fn directions(&self) -> LinkDirections {
        self.directions
    }
}

impl DirectedInterval for Gap {
    fn interval(&self) -> (Span, Span) {
        (self.from, self.to)
    }
    fn directions(&self) -> LinkDirections {
        self.directions
    }
}

/// Returns the errors in the times of spikes or outages, with their indices in the list.
fn check_intervals<T: DirectedInterval>(key: &'static str, all: &[T]) -> Vec<(usize, Fault)> {
    let mut faults = Vec::new();
    for (index, one) in all.iter().enumerate() {
        let (from, to) = one.interval();
        // The preceding interval of each direction.
        let before = |direction: LinkDirection| {
            let acts = |other: &&T| other.directions().include(direction);
            Some(one).filter(acts).and_then(|_| all[..index].iter().rfind(acts)).map(|other| other.interval().1)
        };
        let before = before(LinkDirection::Forward).max(before(LinkDirection::Backward));
        if let Some(end) = before.filter(|end| *end >= from) {
            faults
                .push((index, Fault::new(key, from, format!("a time after {end}, the end of the previous interval"))));
        }
        if from > to {
            faults.push((index, Fault::new("to", to, format!("a time after `from`, {from}"))));
        }
    }
    faults
}

/// Returns the errors of spikes, with their indices in the list.
pub fn check_spikes(spikes: &[Spike]) -> Vec<(usize, Fault)> {
    let mut faults = check_intervals("at", spikes);
    for (index, spike) in spikes.iter().enumerate() {
        if spike.extra_delay > MAX_DELAY {
            faults.push((index, Fault::new("extra_delay", spike.extra_delay, "at most an hour")));
        }
        if spike.duration == Span::ZERO {
            faults.push((index, Fault::new("duration", spike.duration, "more than 0")));
        }
    }
    faults
}

/// Returns the errors of outages, with their indices in the list.
pub fn check_gaps(gaps: &[Gap]) -> Vec<(usize, Fault)> {
    let mut faults = check_intervals("from", gaps);
    for (index, gap) in gaps.iter().enumerate() {
        if gap.from == gap.to {
            faults.push((index, Fault::new("to", gap.to, "a time after `from`")));
        }
    }
    faults
}

/// Returns the extra delay of a packet that would arrive at `at`.
pub(super) fn extra_delay_at(spikes: &[Spike], at: Time) -> Span {
    let begun = spikes.partition_point(|spike| Time::ZERO + spike.at <= at);
    let last = begun.checked_sub(1).map(|last| spikes[last]);
    last.filter(|spike| at < Time::ZERO + spike.at + spike.duration).map_or(Span::ZERO, |spike| spike.extra_delay)
}

/// The outages of one direction: beginning and end.
#[derive(Default)]
pub struct Outages {
    /// Outages in which packets wait.
    wait: Vec<(Time, Time)>,
    /// Outages in which packets are lost.
    lose: Vec<(Time, Time)>,
}

impl Outages {
    /// Creates the outages of one direction from `gaps`, which satisfy [`check_gaps`].
    pub fn new(gaps: &[Gap], direction: LinkDirection) -> Self {
        let of = |packets| {
            let gaps = gaps.iter().filter(|gap| gap.packets == packets && gap.directions.include(direction));
            gaps.map(|gap| (Time::ZERO + gap.from, Time::ZERO + gap.to)).collect()
        };
        Outages { wait: of(During::Wait), lose: of(During::Lose) }
    }

    /// Returns the end of the outage at `at` if packets wait in it, otherwise `at`.
    pub fn end_of_wait(&self, at: Time) -> Time {
        end_of(&self.wait, at).unwrap_or(at)
    }

    /// Returns the beginning of the next outage after `at` in which packets wait.
    pub fn next(&self, at: Time) -> Time {
        let later = self.wait.partition_point(|(from, _)| *from <= at);
        self.wait.get(later).map_or(Time::NEVER, |(from, _)| *from)
    }

    /// Returns true if a packet that is sent from `starts` to `leaves` and would arrive at `arrives` is lost in an
    /// outage.
    pub fn lose(&self, starts: Time, leaves: Time, arrives: Time) -> bool {
        let first = self.lose.partition_point(|(_, to)| *to <= starts);
        let met_being_sent = |(from, _): &(Time, Time)| *from < leaves || *from <= starts;
        self.lose.get(first).is_some_and(met_being_sent) || end_of(&self.lose, arrives).is_some()
    }
}

/// Returns the end of the outage at `at`.
fn end_of(gaps: &[(Time, Time)], at: Time) -> Option<Time> {
    let begun = gaps.partition_point(|(from, _)| *from <= at);
    let (_, to) = gaps[begun.checked_sub(1)?];
    (at < to).then_some(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(from: u64, to: u64, directions: LinkDirections) -> Gap {
        Gap { from: Span::from_millis(from), to: Span::from_millis(to), packets: During::Wait, directions }
    }

    #[test]
    fn intervals_are_ascending_and_disjoint_in_each_direction() {
        use LinkDirections::{Backward, Both, Forward};
        let wrong =
            |gaps: &[Gap]| check_gaps(gaps).into_iter().map(|(index, fault)| (index, fault.key)).collect::<Vec<_>>();
        assert_eq!(wrong(&[gap(1, 2, Both), gap(3, 4, Forward), gap(3, 5, Backward), gap(6, 7, Both)]), []);
        assert_eq!(wrong(&[gap(1, 2, Forward), gap(1, 2, Backward)]), []);
        assert_eq!(wrong(&[gap(1, 2, Both), gap(2, 3, Both)]), [(1, "from".into())]);
        assert_eq!(wrong(&[gap(3, 4, Forward), gap(1, 2, Backward), gap(2, 3, Backward)]), [(2, "from".into())]);
        // The previous interval of a direction need not be the previous in the list.
        assert_eq!(wrong(&[gap(30, 40, Forward), gap(5, 6, Backward), gap(20, 25, Both)]), [(2, "from".into())]);
        assert_eq!(wrong(&[gap(2, 1, Both)]), [(0, "to".into())]);
        assert_eq!(wrong(&[gap(2, 2, Both)]), [(0, "to".into())]);
        let spike = |at: u64, extra_delay: u64, duration: u64| {
            let [at, extra_delay, duration] = [at, extra_delay, duration].map(Span::from_millis);
            Spike { at, extra_delay, duration, directions: Both }
        };
        let keys = |spikes: &[Spike]| check_spikes(spikes).into_iter().map(|(_, fault)| fault.key).collect::<Vec<_>>();
        assert_eq!(keys(&[spike(1, 5, 2), spike(4, 5, 2)]), [""; 0]);
        assert_eq!(keys(&[spike(1, 5, 0), spike(1, 3_600_001, 1)]), ["at", "duration", "extra_delay"]);
    }
}
