//! Recorded properties of a link.

use engine::{Rate, Span, Time};

/// Rate, delay and loss from a time on.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct LinkConditions {
    /// Time from which the conditions apply.
    pub at: Span,
    /// Bits per second, 0 for no transmission; `None` for the rate of the link.
    pub rate: Option<u64>,
    /// Propagation delay; `None` for the delay of the link.
    pub delay: Option<Span>,
    /// Loss probability of packets whose transmission starts in the row's interval.
    pub loss: f64,
}

/// Transmission opportunities, as in the traces of Mahimahi (Netravali2015): at each opportunity up to 1504 bytes of
/// one or more packets are sent, and unused bytes are not available later.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Opportunities {
    /// Times in milliseconds, not descending; the last is positive, and is the period of repetition.
    millis: Vec<u64>,
}

impl Opportunities {
    /// Bytes sent at one opportunity.
    pub const BYTES: u32 = 1504;
    /// Extra bytes per packet: the header of Mahimahi's TUN device.
    pub const HEADER: u32 = 4;

    /// Creates opportunities at these times; `None` if the times decrease or the last is zero.
    pub fn new(millis: Vec<u64>) -> Option<Self> {
        (millis.is_sorted() && millis.last().is_some_and(|last| (1..=Self::MAX_MILLIS).contains(last)))
            .then_some(Opportunities { millis })
    }

    /// Maximum time in a trace, longer than any run.
    pub const MAX_MILLIS: u64 = 400 * 24 * 3_600_000;

    /// Returns the mean rate.
    pub fn mean_rate(&self) -> Rate {
        let bits = u128::from(8 * Self::BYTES) * self.millis.len() as u128 * 1000;
        let rate = (bits / u128::from(self.period())).max(1);
        Rate::from_bits_per_sec(u64::try_from(rate).unwrap_or(u64::MAX)).unwrap_or_else(|| unreachable!("at least 1"))
    }

    /// Returns the number of opportunities in each second of the recording.
    pub fn per_second(&self) -> Vec<u64> {
        let mut counts = vec![0; self.period().div_ceil(1000) as usize];
        for millis in &self.millis {
            // The last may be at the very end of the last second.
            let second = (millis / 1000).min(counts.len() as u64 - 1);
            counts[second as usize] += 1;
        }
        counts
    }

    fn period(&self) -> u64 {
        self.millis[self.millis.len() - 1]
    }

    /// Returns the time of opportunity `number`, counted over all repetitions.
    pub(super) fn time(&self, number: u64) -> Time {
        let (round, place) = (number / self.millis.len() as u64, number % self.millis.len() as u64);
        let millis = round.saturating_mul(self.period()).saturating_add(self.millis[place as usize]);
        Time::from_nanos(millis.saturating_mul(engine::time::NANOS_PER_MILLI))
    }

    /// Returns the number of the first opportunity after `at`.
    pub(super) fn first_after(&self, at: Time) -> u64 {
        // Repetition that contains `at`; at the end of a repetition its last opportunities have passed.
        let millis = at.as_nanos() / engine::time::NANOS_PER_MILLI;
        let (round, within) = (millis / self.period(), millis % self.period());
        let place = self.millis.partition_point(|time| *time <= within);
        round * self.millis.len() as u64 + place as u64
    }
}
