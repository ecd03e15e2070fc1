//! The rate of the slowest link of a path.
//!
//! With s the time at which a packet was sent, a that at which it arrived, and b the least a - s of all packets, a
//! packet waited if the one before it arrived after s + b: it found that one still in the queue or in transmission.
//! Then the time between both arrivals is the packet's transmission time, whatever the delay is. The rate is the
//! median, by bytes, of 8 bytes / time over runs of at least 16 packets and 1 ms that waited.
//!
//! Without such runs, runs of 4 packets count: a sender with a small window does not fill the path.
//!
//! At the receiver arrivals are exact and the times of sending unknown, so that waits are not seen: a run ends at a gap
//! of more than eight packets, and the rate is the 90th percentile of the runs; of runs of 4 packets, if these are
//! faster by more than a quarter.
//!
//! Limits: one bottleneck; cross traffic is taken for a lower rate.

use engine::{Rate, Span, Time};
use observation::{CapturedFact, CapturedSink, Evidence, Rule, Unseen};

use super::survey::{Survey, Vantage};

/// Minimum number of packets in a run.
const RUN: usize = 16;
/// Minimum number of packets in a run if no run reaches [`RUN`], and at the receiver if runs of this length are faster
/// by more than [`FASTER`]. The reason is that a sender that does not fill the path leaves gaps in longer runs.
const SHORT_RUN: usize = 4;
/// Ratio of rates above which shorter runs are used at the receiver.
const FASTER: f64 = 1.25;
/// Minimum duration of a run: acknowledgments may come in bursts.
const RUN_TIME: Span = Span::from_millis(1);
/// Maximum number of packets whose times [`PassedPackets`] keeps: a limit of memory, 6 MB.
const MAX_KEPT: usize = 1 << 18;

/// A packet that arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassedPacket {
    /// Time at which the packet was sent.
    pub sent: Time,
    /// Time at which the packet arrived.
    pub arrived: Time,
    /// Bytes of the IP packet.
    pub size: u32,
    /// Whether the packet's arrival time is certain. Without SACK it is not certain if a segment was retransmitted in
    /// between, because acknowledgments wait until a gap is filled.
    pub certain: bool,
}

/// A run of packets that waited at the bottleneck.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WaitingRun {
    /// Arrival time of the last packet of the run.
    pub at: Time,
    /// Bits of the run's packets, without the first packet.
    pub bits: f64,
    /// Bits per second.
    pub rate: f64,
}

/// The runs of packets of a transfer.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitingRuns {
    /// In order of time.
    pub runs: Vec<WaitingRun>,
    sees_waits: bool,
}

impl WaitingRuns {
    /// The runs among packets captured at `vantage`.
    pub fn from_packets(packets: impl IntoIterator<Item = PassedPacket>, vantage: Vantage) -> Self {
        let sees_waits = vantage != Vantage::Receiver;
        let mut packets: Vec<PassedPacket> = packets.into_iter().collect();
        packets.sort_by_key(|packet| packet.arrived);
        let base = packets.iter().map(|packet| packet.arrived.since(packet.sent)).min().unwrap_or_default();
        let runs = |least| WaitingRuns { runs: find_runs(&packets, base, sees_waits, least), sees_waits };
        let long = runs(RUN);
        if sees_waits && !long.runs.is_empty() {
            return long;
        }
        let short = runs(SHORT_RUN);
        if sees_waits {
            return short;
        }
        let [fast, slow] = [&short, &long].map(|runs| runs.quantile(0.9).unwrap_or(0.0));
        if fast > FASTER * slow { short } else { long }
    }

    /// Returns the rate of the link; `None` if too few packets waited.
    pub fn rate(&self) -> Option<Rate> {
        // At the receiver a run may have gaps in which nothing waited, but no run is faster than the link.
        let rate = self.quantile(if self.sees_waits { 0.5 } else { 0.9 })?;
        Rate::from_bits_per_sec(rate.round() as u64)
    }

    /// The quantile of the rates, weighted by bits.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let mut sorted: Vec<(f64, f64)> = self.runs.iter().map(|run| (run.rate, run.bits)).collect();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        let all: f64 = sorted.iter().map(|(_, bits)| bits).sum();
        let mut below = 0.0;
        let reached = sorted.iter().find(|(_, bits)| {
            below += bits;
            below >= share * all
        });
        reached.map(|(rate, _)| *rate)
    }
}

/// Runs of packets that waited, of packets in order of arrival.
fn find_runs(packets: &[PassedPacket], base: Span, sees_waits: bool, least: usize) -> Vec<WaitingRun> {
    let mut runs = Vec::new();
    let mut first = 0;
    let mut bits = 0.0;
    for now in 1..packets.len() {
        let (before, at) = (packets[now - 1].arrived, packets[now].arrived);
        let waited = if sees_waits {
            before > packets[now].sent + base
        } else {
            // Between bursts the path is empty: a gap of more than eight packets like the last.
            let usual = before.since(packets[first].arrived).as_nanos() / (now - first).max(1) as u64;
            now - first < 2 || at.since(before).as_nanos() <= 8 * usual.max(1)
        };
        // Packets that arrive together with the first have no transmission time.
        let certain = packets[now - 1].certain && packets[now].certain;
        if !waited || !certain || at == packets[first].arrived {
            (first, bits) = (now, 0.0);
            continue;
        }
        bits += 8.0 * f64::from(packets[now].size);
        // Packets that one acknowledgment covers seem to arrive at once.
        let ends = packets.get(now + 1).is_none_or(|next| next.arrived > at);
        let time = at.since(packets[first].arrived);
        if now - first >= least && time >= RUN_TIME && ends {
            runs.push(WaitingRun { at, bits, rate: bits / time.as_secs_f64() });
            (first, bits) = (now, 0.0);
        }
    }
    runs
}

/// The first packets of a connection that arrived, collected from its [facts](super::Replay).
pub struct PassedPackets<'a> {
    survey: &'a Survey,
    passed: Vec<PassedPacket>,
    /// Times at which segments were retransmitted.
    retransmissions: Vec<Time>,
    certain: bool,
}

impl<'a> PassedPackets<'a> {
    /// Creates an observer of the facts of a surveyed connection. `certain` is true if the facts come from its
    /// [truth](super::Truth).
    pub fn new(survey: &'a Survey, certain: bool) -> Self {
        PassedPackets { survey, passed: Vec::new(), retransmissions: Vec::new(), certain: certain || survey.sack }
    }

    /// Whether the maximum number of packets was reached.
    pub fn is_full(&self) -> bool {
        self.passed.len() >= MAX_KEPT
    }

    /// The rate of the slowest link.
    pub fn estimate_rate(mut self) -> Evidence<Rate> {
        for packet in self.passed.iter_mut().filter(|_| !self.certain) {
            let next = self.retransmissions.partition_point(|at| *at < packet.sent);
            packet.certain = self.retransmissions.get(next).is_none_or(|at| *at > packet.arrived);
        }
        let runs = WaitingRuns::from_packets(self.passed, self.survey.place_of_times());
        let quantile = |share: f64| Rate::from_bits_per_sec(runs.quantile(share)?.round() as u64);
        match (runs.rate(), quantile(0.1), quantile(0.9)) {
            (Some(value), Some(low), Some(high)) => {
                Evidence::Inferred { value, low: low.min(value), high: high.max(value), rule: Rule::RunsOfWaiting }
            }
            _ => Evidence::Unknown(Unseen::TooFewSamples),
        }
    }
}

impl CapturedSink for PassedPackets<'_> {
    fn on_captured(&mut self, at: Time, fact: &CapturedFact) {
        let CapturedFact::Sent(sent) = fact else { return };
        if self.is_full() {
            return;
        }
        if sent.is_retransmission() {
            self.retransmissions.push(at);
        }
        if let Some(arrived) = sent.arrival() {
            let size = sent.len + self.survey.headers;
            self.passed.push(PassedPacket { sent: at, arrived, size, certain: true });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of 1,250 bytes over 10 Mbit/s, and 20 ms of delay, `per_burst` together every 40 ms.
    fn bursts(per_burst: u64) -> Vec<PassedPacket> {
        let ms = Time::from_millis;
        let packet = |number: u64| {
            let (burst, place) = (number / per_burst, number % per_burst);
            PassedPacket { sent: ms(40 * burst), arrived: ms(40 * burst + 21 + place), size: 1250, certain: true }
        };
        (0..100 * per_burst).map(packet).collect()
    }

    #[test]
    fn rate_is_measured_over_packets_that_waited() {
        for vantage in [Vantage::Sender, Vantage::Receiver] {
            for per_burst in [20, 10] {
                let rate =
                    WaitingRuns::from_packets(bursts(per_burst), vantage).rate().expect("runs of packets that waited");
                assert!((9.9e6..10.1e6).contains(&(rate.bits_per_sec() as f64)), "{vantage:?} {per_burst}: {rate:?}");
            }
        }
    }

    #[test]
    fn rate_is_unknown_where_few_packets_wait() {
        assert_eq!(WaitingRuns::from_packets(bursts(4), Vantage::Sender).rate(), None);
        assert_eq!(WaitingRuns::from_packets([], Vantage::Receiver).rate(), None);
    }
}
