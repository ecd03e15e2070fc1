//! Rate, delay and queue of the slowest link of a path.
//!
//! With s the time at which a packet was sent, a that at which it arrived, and b the least a - s of all packets, the
//! packet's wait is a - s - b.
//!
//! ```text
//! rate     of runs of packets that waited, see `capture::transfer::rate`
//! delay    (min RTT - transmission times of the packet and its acknowledgment) / 2, the same in both directions
//! queue    the longest wait a - s - b in transmission times of a segment, rounded; where the rate varies, one more than
//!          the most packets that waited when one was accepted, see `backlog`
//! ```
//!
//! A lost packet was dropped by a full queue if it would have waited longer than every packet that arrived, less half a
//! transmission, or, where the rate varies, behind the number of packets that any arrived one found; with fewer than
//! [`MIN_OVERFLOWS`] of these the queue is not known to have been full. All other losses are the channel's. Packets
//! that others overtake are late for another [reason](crate::reordering) than the queue, and their waits are not used.
//!
//! The rate varies if the 90th percentile of the rates of whole seconds exceeds [`VARIES`] times the 10th percentile.
//!
//! Limits: one bottleneck; its queue is first in, first out; cross traffic is taken for a lower rate. At the receiver
//! arrivals are exact and the times of sending unknown, so that waits are not seen: the rate is the 90th percentile
//! of the runs, losses are fitted, the queue and changes of the rate are not.

use capture::End;
use capture::transfer::Vantage;
use capture::transfer::rate::{PassedPacket, WaitingRun, WaitingRuns};
use engine::{Rate, Span, Time};

use crate::backlog::{ALIKE, BottleneckBacklog, LossSource};
use crate::reordering::Reordering;
use crate::transfer::MeasuredTransfer;
use crate::transmission::{Transmission, TransmissionFate};

/// Minimum number of losses at a full queue from which it follows that the queue was full.
pub const MIN_OVERFLOWS: usize = 3;
/// Bytes of an acknowledgment or a SYN.
const SMALL: u32 = 52;
/// Maximum number of seconds whose rates are stored: a limit of memory.
const MAX_SECONDS: usize = 86_400;
/// The ratio of rates above which the rate varies.
pub const VARIES: f64 = 1.25;

/// The slowest link.
#[derive(Clone, PartialEq, Debug)]
pub struct Bottleneck {
    /// Rate of the bottleneck; `None` if too few packets waited.
    pub rate: Option<Rate>,
    /// The 10th and the 90th percentile of the runs' rates, in bit/s.
    pub spread: Option<[f64; 2]>,
    /// The rate of each second from the start of the transfer, if the rate varies; 0 for a second in which nothing
    /// waited.
    pub rates: Option<Vec<f64>>,
    /// One-way propagation delay; `None` if no round trip was measured.
    pub delay: Option<Span>,
    /// The longest wait.
    pub longest_wait: Span,
    /// The queue limit in packets if the queue was full, or else the minimum number of packets that the queue can hold;
    /// `None` if waits are not seen.
    pub queue: Option<u32>,
    /// Packets that the full queue dropped.
    pub overflows: usize,
    /// For each packet that the queue accepted: whether the channel lost it.
    pub channel: Vec<bool>,
    /// Packets that others overtake; `None` if acknowledgments do not show the order.
    pub reordering: Option<Reordering>,
}

impl Bottleneck {
    /// The slowest link of a transfer.
    pub fn measure(transfer: &MeasuredTransfer) -> Self {
        let sees_waits = transfer.survey.place_of_times() != Vantage::Receiver;
        let all = &transfer.transmissions;
        let base = all.iter().filter_map(|sent| Some(sent.arrival()?.since(sent.sent))).min().unwrap_or_default();
        // Arrivals during a recovery are uncertain without SACK.
        let certain = find_certain_arrivals(all);
        let passed = |sent: &Transmission| {
            let certain = transfer.survey.sack || certain(sent);
            Some(PassedPacket {
                sent: sent.sent,
                arrived: sent.arrival()?,
                size: sent.len + transfer.overhead,
                certain,
            })
        };
        let runs = WaitingRuns::from_packets(all.iter().filter_map(passed), transfer.survey.place_of_times());
        let rate = runs.rate();
        let spread = runs.quantile(0.1).zip(runs.quantile(0.9)).map(|(low, high)| [low, high]);
        let full = transfer.survey.mss + find_header_size(transfer);
        let time_of = |size: u32| rate.map_or(Span::ZERO, |rate| rate.transmission_time(size));
        let (reordering, reordered) = Reordering::measure(all, time_of(full));
        let waits =
            list_exact_times(all, &reordered, transfer.survey.sack).map(|(sent, arrived)| arrived.since(sent) - base);
        let longest_wait = find_longest_wait(waits, time_of(full));
        let rates = find_rates_by_second(&runs.runs, all).filter(|_| sees_waits && rate.is_some());
        // If the rate varies, waits cannot be converted to a number of packets.
        let backlog =
            rates.as_ref().filter(|_| transfer.survey.sack).map(|_| BottleneckBacklog::estimate(all, &reordered, base));
        let (packets, (channel, overflows)) = match backlog {
            Some(backlog) => (f64::from(backlog.limit()), remove_overflows(backlog.fates)),
            None => (
                longest_wait.as_secs_f64() / time_of(full).as_secs_f64().max(1e-12),
                remove_overflows(classify_by_waits(all, &reordered, base, longest_wait, time_of(full), sees_waits)),
            ),
        };
        let least = find_bare_round_trip(transfer, full, time_of);
        Bottleneck {
            rate,
            spread,
            rates,
            delay: least.map(|least| Span::from_nanos(least.as_nanos() / 2)),
            longest_wait,
            queue: Some(packets.round().max(1.0) as u32).filter(|_| sees_waits && rate.is_some()),
            overflows,
            channel,
            reordering: Some(reordering).filter(|_| transfer.survey.sack),
        }
    }

    /// Whether the queue is known to have been full.
    pub fn has_overflowed(&self) -> bool {
        self.overflows >= MIN_OVERFLOWS
    }
}

/// The min RTT, less the transmission times of the packet and of its acknowledgment.
fn find_bare_round_trip(transfer: &MeasuredTransfer, full: u32, time_of: impl Fn(u32) -> Span) -> Option<Span> {
    let survey = &transfer.survey;
    let bare = |rtt: Span, size: u32| rtt - time_of(size) - time_of(SMALL);
    if survey.place_of_times() == Vantage::Sender
        && let Some(least) = transfer.least.iter().map(|(size, rtt)| bare(*rtt, *size)).min()
    {
        return Some(least);
    }
    // The round trip is measured by the handshake, whose last packet may carry data, or by data with the timestamp that
    // it echoes.
    let answered = survey.stream.syn.iter().all(Option::is_some);
    let size = match survey.sender {
        End::Client => transfer.answer.filter(|_| answered).unwrap_or(full),
        End::Server if answered => SMALL,
        End::Server => full,
    };
    survey.round_trip().value().map(|rtt| bare(rtt, size))
}

/// Whether the arrival of a packet is certain: no segment was retransmitted in between. Otherwise the receiver's
/// acknowledgment may have waited until a gap before it was filled.
fn find_certain_arrivals(all: &[Transmission]) -> impl Fn(&Transmission) -> bool {
    let again: Vec<Time> = all.iter().filter(|sent| sent.retransmission).map(|sent| sent.sent).collect();
    move |sent| {
        let next = again.partition_point(|again| *again < sent.sent);
        sent.arrival().is_some_and(|at| again.get(next).is_none_or(|again| *again > at))
    }
}

/// Times of sending and arrival of packets whose arrival is certain, as all are with SACK, and that were not overtaken.
fn list_exact_times(all: &[Transmission], reordered: &[bool], sack: bool) -> impl Iterator<Item = (Time, Time)> {
    let certain = find_certain_arrivals(all);
    let in_order = all.iter().zip(reordered).filter(|(_, reordered)| !**reordered);
    in_order.filter(move |(sent, _)| sack || certain(sent)).filter_map(|(sent, _)| Some((sent.sent, sent.arrival()?)))
}

/// The longest wait: the shortest of the [`ALIKE`] longest that differ by one transmission at most. A lost or delayed
/// acknowledgment makes single waits seem longer.
fn find_longest_wait(waits: impl Iterator<Item = Span>, transmission: Span) -> Span {
    let mut waits: Vec<Span> = waits.collect();
    waits.sort_unstable_by(|one, other| other.cmp(one));
    let alike = waits.windows(ALIKE).find(|alike| alike[0] - alike[ALIKE - 1] <= transmission);
    alike.map_or_else(|| waits.first().copied().unwrap_or_default(), |alike| alike[ALIKE - 1])
}

/// Bytes of headers in the largest packet.
fn find_header_size(transfer: &MeasuredTransfer) -> u32 {
    let largest = transfer.transmissions.iter().map(|sent| sent.len + transfer.overhead).max();
    largest.unwrap_or(40).saturating_sub(transfer.survey.mss)
}

/// Returns the rate of each second, if the rate varies over more than four seconds.
fn find_rates_by_second(runs: &[WaitingRun], all: &[Transmission]) -> Option<Vec<f64>> {
    let start = all.first()?.sent;
    let mut sums: Vec<[f64; 2]> = Vec::new();
    for run in runs {
        let second = run.at.since(start).as_secs_f64() as usize;
        if second >= MAX_SECONDS {
            break;
        }
        sums.resize(sums.len().max(second + 1), [0.0; 2]);
        sums[second][0] += run.bits;
        sums[second][1] += run.bits / run.rate;
    }
    let rates: Vec<f64> = sums.iter().map(|[bits, time]| if *time > 0.0 { bits / time } else { 0.0 }).collect();
    let mut known: Vec<f64> = rates.iter().copied().filter(|rate| *rate > 0.0).collect();
    known.sort_by(f64::total_cmp);
    let place = |share: f64| known[((known.len() - 1) as f64 * share).round() as usize];
    (known.len() > 4 && place(0.9) > VARIES * place(0.1)).then_some(rates)
}

/// Classifies packets, in their order, by the time that each would have waited in the queue.
fn classify_by_waits(
    all: &[Transmission],
    reordered: &[bool],
    base: Span,
    longest_wait: Span,
    transmission: Span,
    sees_waits: bool,
) -> Vec<LossSource> {
    let mut fates = Vec::with_capacity(all.len());
    let mut last = Time::ZERO;
    for (sent, reordered) in all.iter().zip(reordered) {
        match sent.fate() {
            TransmissionFate::Open => {}
            TransmissionFate::Arrived(at) => {
                last = if *reordered { last } else { last.max(at) };
                fates.push(LossSource::Nothing);
            }
            TransmissionFate::Lost => {
                // The wait if it had been transmitted after the last accepted packet.
                let wait = (last + transmission).since(sent.sent + base);
                let is_full = sees_waits
                    && wait.times(2) + transmission > longest_wait.times(2)
                    && longest_wait > transmission.times(3);
                fates.push(if is_full { LossSource::FullQueue } else { LossSource::Channel });
            }
        }
    }
    fates
}

/// Whether the channel lost each packet that the queue accepted, and the number that a full queue dropped.
fn remove_overflows(fates: Vec<LossSource>) -> (Vec<bool>, usize) {
    let overflows = fates.iter().filter(|met| **met == LossSource::FullQueue).count();
    let is_full = overflows >= MIN_OVERFLOWS;
    let accepted = fates.into_iter().filter(|met| !is_full || *met != LossSource::FullQueue);
    (accepted.map(|met| met != LossSource::Nothing).collect(), overflows)
}
