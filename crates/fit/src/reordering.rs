//! Reordered packets and their extra delays.
//!
//! A packet is reordered if one that was sent after it arrived before it [RFC4737 s3.3], both at their first
//! transmission. Its extent (s4.2.1) is the number of packets that arrived before it, counted from the first of these.
//!
//! With l the transmission time of a full packet and k the next packet that is not reordered, m places behind it, the
//! packet would have arrived at n = a(k) - m l, but not before the one in front of it: packets leave a queue in this
//! spacing. Its extra delay is d = a - n.
//!
//! A delayed packet is overtaken only if d exceeds the gap g = a(k) - n to the next, which may be long where nothing
//! waits. So the share of delayed packets is the share of the reordered ones among those that would have been, had they
//! been delayed:
//!
//! ```text
//! q = reordered / sum over packets of P(d > g)      P from the reordered ones whose own gap is at most the median gap
//! ```
//!
//! Delays that are shorter than the usual gap change no order and are not seen. At the sender arrivals follow from the
//! acknowledgments, which are immediate for packets out of order [RFC5681 s4.2]; segments that a delayed acknowledgment
//! covers are taken to have arrived l apart. Without SACK they show no order.

use engine::{Span, Time};
use stats::proportion::wilson;

use crate::loss::Estimate;
use crate::transmission::Transmission;

/// Reordering in the direction of the data.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reordering {
    /// The share of packets that are delayed.
    pub share: Estimate,
    /// Extra delays of the reordered packets.
    pub late: Option<ExtraDelays>,
}

/// Extra delays and extents of reordered packets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ExtraDelays {
    /// Minimum, quartiles and maximum of the extra delay.
    pub delays: [Span; 5],
    /// Median and largest extent in packets.
    pub extents: [u64; 2],
    /// The precision of `delays`: the transmission time of a full packet.
    pub precision: Span,
}

/// A packet that arrived at its first transmission.
struct FirstArrival {
    /// Position among all transmissions.
    number: u32,
    at: Time,
    /// Whether a packet sent later arrived before it.
    reordered: bool,
}

/// Times from packets to the arrival of the next one that was not delayed.
#[derive(Default)]
struct ArrivalGaps {
    /// Gaps of all packets before one that was not delayed.
    all: Vec<Span>,
    /// Gaps and extra delays of reordered packets.
    reordered: Vec<(Span, Span)>,
}

impl Reordering {
    /// Measures the reordering of transmissions, which are in the order of sending. Also returns whether each packet is
    /// reordered. `spacing` is the transmission time of a full packet.
    pub fn measure(all: &[Transmission], spacing: Span) -> (Self, Vec<bool>) {
        let arrivals = list_arrivals(all, spacing);
        let mut reordered = vec![false; all.len()];
        for arrival in arrivals.iter().filter(|arrival| arrival.reordered) {
            reordered[arrival.number as usize] = true;
        }
        let gaps = find_gaps(&arrivals, spacing);
        let mut delays: Vec<Span> = gaps.reordered.iter().map(|(_, delay)| *delay).collect();
        delays.sort_unstable();
        if delays.is_empty() {
            let share = Estimate { value: 0.0, interval: wilson(0, arrivals.len() as u64) };
            return (Reordering { share, late: None }, reordered);
        }
        let at_risk = count_at_risk(gaps).max(delays.len() as u64);
        let share =
            Estimate { value: delays.len() as f64 / at_risk as f64, interval: wilson(delays.len() as u64, at_risk) };
        let place = |quarter: usize| delays[(delays.len() - 1) * quarter / 4];
        let late =
            ExtraDelays { delays: [0, 1, 2, 3, 4].map(place), extents: find_extents(&arrivals), precision: spacing };
        (Reordering { share, late: Some(late) }, reordered)
    }
}

/// Lists the arrivals of first transmissions, in the order in which they were sent.
fn list_arrivals(all: &[Transmission], spacing: Span) -> Vec<FirstArrival> {
    let mut arrivals: Vec<FirstArrival> = Vec::new();
    for (number, sent) in all.iter().enumerate().filter(|(_, sent)| !sent.retransmission) {
        if let Some(at) = sent.arrival() {
            arrivals.push(FirstArrival { number: number as u32, at, reordered: false });
        }
    }
    let mut first = Time::NEVER;
    for arrival in arrivals.iter_mut().rev() {
        arrival.reordered = arrival.at > first;
        first = first.min(arrival.at);
    }
    // If one acknowledgment covers several packets, they arrived `spacing` apart.
    let mut next: Option<(Time, Time)> = None;
    for arrival in arrivals.iter_mut().rev().filter(|arrival| !arrival.reordered) {
        let seen = arrival.at;
        if let Some((of_next, at)) = next
            && of_next == seen
        {
            arrival.at = subtract_span(at, spacing);
        }
        next = Some((seen, arrival.at));
    }
    // No packet arrives before the preceding packet.
    let mut last = Time::ZERO;
    for arrival in arrivals.iter_mut().filter(|arrival| !arrival.reordered) {
        arrival.at = arrival.at.max(last);
        last = arrival.at;
    }
    arrivals
}

fn subtract_span(at: Time, span: Span) -> Time {
    Time::from_nanos(at.as_nanos().saturating_sub(span.as_nanos()))
}

/// Finds the gap after each packet, and the extra delays of reordered packets.
fn find_gaps(arrivals: &[FirstArrival], spacing: Span) -> ArrivalGaps {
    let mut gaps = ArrivalGaps { all: Vec::with_capacity(arrivals.len()), reordered: Vec::new() };
    let mut next: Option<&FirstArrival> = None;
    // The arrival of the last packet in front of each reordered one that was not reordered itself.
    let mut last = Time::ZERO;
    let mut in_front = Vec::new();
    for arrival in arrivals {
        if arrival.reordered { in_front.push(last) } else { last = arrival.at }
    }
    for arrival in arrivals.iter().rev() {
        let front = if arrival.reordered { in_front.pop().unwrap_or_default() } else { Time::ZERO };
        match next {
            Some(behind) if arrival.reordered => {
                let places = u64::from(behind.number - arrival.number);
                let usual = subtract_span(behind.at, spacing.times(places)).max(front);
                let gap = behind.at.since(usual.min(behind.at));
                gaps.all.push(gap);
                gaps.reordered.push((gap, arrival.at.since(usual)));
            }
            Some(behind) => gaps.all.push(behind.at.since(arrival.at)),
            None => {}
        }
        if !arrival.reordered {
            next = Some(arrival);
        }
    }
    gaps
}

/// The number of packets that would have been reordered if they had been delayed.
fn count_at_risk(mut gaps: ArrivalGaps) -> u64 {
    gaps.all.sort_unstable();
    let median = gaps.all.get(gaps.all.len() / 2).copied().unwrap_or_default();
    let delays = |usual: bool| {
        let of = gaps.reordered.iter().filter(|(gap, _)| !usual || *gap <= median).map(|(_, delay)| *delay);
        let mut delays: Vec<Span> = of.collect();
        delays.sort_unstable();
        delays
    };
    let usual = delays(true);
    let delays = if usual.is_empty() { delays(false) } else { usual };
    // Number of delays above a gap, for P(d > g).
    let exceeded = |gap: Span| delays.len() - delays.partition_point(|delay| *delay <= gap);
    let sum: usize = gaps.all.iter().map(|gap| exceeded(*gap)).sum();
    (sum as f64 / delays.len() as f64).round() as u64
}

/// Median and largest extent.
fn find_extents(arrivals: &[FirstArrival]) -> [u64; 2] {
    let mut order: Vec<u32> = (0..arrivals.len() as u32).collect();
    order.sort_unstable_by_key(|place| (arrivals[*place as usize].at, *place));
    // Arrivals with the largest number so far, in ascending order.
    let mut peaks: Vec<(u32, usize)> = Vec::new();
    let mut extents = Vec::new();
    for (place, arrival) in order.into_iter().map(|place| &arrivals[place as usize]).enumerate() {
        let first = peaks.partition_point(|(number, _)| *number < arrival.number);
        match peaks.get(first) {
            Some((_, of_first)) => extents.push((place - of_first) as u64),
            None => peaks.push((arrival.number, place)),
        }
    }
    extents.sort_unstable();
    let at = |place: usize| extents.get(place).copied().unwrap_or(0);
    [at(extents.len() / 2), at(extents.len().saturating_sub(1))]
}
