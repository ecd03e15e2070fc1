//! What is to change on a link, and when: the settings.

use engine::registry::Fault;
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recorded::{Opportunities, Row};
use crate::event::{LinkDirection, LinkDirections};
use crate::link::jitter::{Jitter, LONGEST};

/// Everything that changes on a link.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Changes {
    /// Extra delays.
    pub jitter: Option<Jitter>,
    /// Sudden delays, rising and apart in each direction.
    pub spikes: Vec<Spike>,
    /// Times in which nothing is sent or delivered, rising and apart in each direction.
    pub gaps: Vec<Gap>,
    /// Instead of a rate, forward and backward: chances to send.
    pub opportunities: [Option<Opportunities>; 2],
    /// Rate, delay and loss from times on, which rise; the last has a rate, or none has.
    pub rows: Vec<Row>,
}

impl Changes {
    /// Whether anything changes.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// A sudden delay: packets that would arrive meanwhile arrive later.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spike {
    /// From when on.
    pub at: Span,
    /// How much later.
    pub extra_delay: Span,
    /// For how long.
    pub duration: Span,
    /// Which ways.
    #[serde(default)]
    pub ways: LinkDirections,
}

/// A time in which nothing is sent or delivered, as at a handover.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// Its beginning.
    pub from: Span,
    /// Its end.
    pub to: Span,
    /// What becomes of packets.
    pub packets: During,
    /// Which ways.
    #[serde(default)]
    pub ways: LinkDirections,
}

/// What becomes of packets in a gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum During {
    /// None is sent: they wait in the queue, and what is being sent pauses. What would arrive arrives at the end.
    Wait,
    /// They are sent and lost, and so is what would arrive.
    Lose,
}

/// Settings about times, which rise and do not touch in one direction.
trait Interval {
    fn interval(&self) -> (Span, Span);
    fn ways(&self) -> LinkDirections;
}

impl Interval for Spike {
    fn interval(&self) -> (Span, Span) {
        (self.at, self.at + self.duration)
    }
    fn ways(&self) -> LinkDirections {
        self.ways
    }
}

impl Interval for Gap {
    fn interval(&self) -> (Span, Span) {
        (self.from, self.to)
    }
    fn ways(&self) -> LinkDirections {
        self.ways
    }
}

/// What is wrong with the times of spikes or gaps, with the place in the list.
fn out_of_order<T: Interval>(key: &'static str, all: &[T]) -> Vec<(usize, Fault)> {
    let mut faults = Vec::new();
    for (index, one) in all.iter().enumerate() {
        let (from, to) = one.interval();
        // Each direction has those before it that act that way.
        let before = |way: LinkDirection| {
            let acts = |other: &&T| other.ways().include(way);
            Some(one).filter(acts).and_then(|_| all[..index].iter().rfind(acts)).map(|other| other.interval().1)
        };
        let before = before(LinkDirection::Forward).max(before(LinkDirection::Backward));
        if let Some(end) = before.filter(|end| *end >= from) {
            faults.push((index, Fault::new(key, from, format!("a time after {end}, the end of the one before"))));
        }
        if from > to {
            faults.push((index, Fault::new("to", to, format!("a time after `from`, {from}"))));
        }
    }
    faults
}

/// What is wrong with spikes, with the place in the list.
pub fn check_spikes(spikes: &[Spike]) -> Vec<(usize, Fault)> {
    let mut faults = out_of_order("at", spikes);
    for (index, spike) in spikes.iter().enumerate() {
        if spike.extra_delay > LONGEST {
            faults.push((index, Fault::new("extra_delay", spike.extra_delay, "at most an hour")));
        }
        if spike.duration == Span::ZERO {
            faults.push((index, Fault::new("duration", spike.duration, "more than nothing")));
        }
    }
    faults
}

/// What is wrong with gaps, with the place in the list.
pub fn check_gaps(gaps: &[Gap]) -> Vec<(usize, Fault)> {
    let mut faults = out_of_order("from", gaps);
    for (index, gap) in gaps.iter().enumerate() {
        if gap.from == gap.to {
            faults.push((index, Fault::new("to", gap.to, "a time after `from`")));
        }
    }
    faults
}

/// The extra delay of a packet that would arrive at `at`.
pub(super) fn extra(spikes: &[Spike], at: Time) -> Span {
    let begun = spikes.partition_point(|spike| Time::ZERO + spike.at <= at);
    let last = begun.checked_sub(1).map(|last| spikes[last]);
    last.filter(|spike| at < Time::ZERO + spike.at + spike.duration).map_or(Span::ZERO, |spike| spike.extra_delay)
}

/// The gaps of one direction: from when to when.
#[derive(Default)]
pub(super) struct Outages {
    /// Those in which packets wait.
    wait: Vec<(Time, Time)>,
    /// Those in which they are lost.
    lose: Vec<(Time, Time)>,
}

impl Outages {
    pub fn new(gaps: &[Gap], way: LinkDirection) -> Self {
        let of = |packets| {
            let gaps = gaps.iter().filter(|gap| gap.packets == packets && gap.ways.include(way));
            gaps.map(|gap| (Time::ZERO + gap.from, Time::ZERO + gap.to)).collect()
        };
        Outages { wait: of(During::Wait), lose: of(During::Lose) }
    }

    /// The end of the gap in which `at` lies, if packets wait in it; else `at`.
    pub fn over(&self, at: Time) -> Time {
        end_of(&self.wait, at).unwrap_or(at)
    }

    /// The first beginning after `at` of a gap in which packets wait.
    pub fn next(&self, at: Time) -> Time {
        let later = self.wait.partition_point(|(from, _)| *from <= at);
        self.wait.get(later).map_or(Time::NEVER, |(from, _)| *from)
    }

    /// Whether a packet that is sent from `starts` to `leaves` and would arrive at `arrives` is lost in a gap.
    pub fn lose(&self, starts: Time, leaves: Time, arrives: Time) -> bool {
        let first = self.lose.partition_point(|(_, to)| *to <= starts);
        let met_being_sent = |(from, _): &(Time, Time)| *from < leaves || *from <= starts;
        self.lose.get(first).is_some_and(met_being_sent) || end_of(&self.lose, arrives).is_some()
    }
}

/// The end of the gap in which `at` lies.
fn end_of(gaps: &[(Time, Time)], at: Time) -> Option<Time> {
    let begun = gaps.partition_point(|(from, _)| *from <= at);
    let (_, to) = gaps[begun.checked_sub(1)?];
    (at < to).then_some(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(from: u64, to: u64, ways: LinkDirections) -> Gap {
        Gap { from: Span::from_millis(from), to: Span::from_millis(to), packets: During::Wait, ways }
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
        // The one before it in one direction is not the last in the list.
        assert_eq!(wrong(&[gap(30, 40, Forward), gap(5, 6, Backward), gap(20, 25, Both)]), [(2, "from".into())]);
        assert_eq!(wrong(&[gap(2, 1, Both)]), [(0, "to".into())]);
        assert_eq!(wrong(&[gap(2, 2, Both)]), [(0, "to".into())]);
        let spike = |at: u64, extra_delay: u64, duration: u64| {
            let [at, extra_delay, duration] = [at, extra_delay, duration].map(Span::from_millis);
            Spike { at, extra_delay, duration, ways: Both }
        };
        let keys = |spikes: &[Spike]| check_spikes(spikes).into_iter().map(|(_, fault)| fault.key).collect::<Vec<_>>();
        assert_eq!(keys(&[spike(1, 5, 2), spike(4, 5, 2)]), [""; 0]);
        assert_eq!(keys(&[spike(1, 5, 0), spike(1, 3_600_001, 1)]), ["at", "duration", "extra_delay"]);
    }
}
