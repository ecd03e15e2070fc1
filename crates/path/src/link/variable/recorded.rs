//! What recordings say of a link.

use engine::{Rate, Span, Time};

/// Rate, delay and loss from a time on.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct Row {
    /// From when on.
    pub at: Span,
    /// Bits per second, 0 for none; the link's own if not given.
    pub rate: Option<u64>,
    /// Propagation delay; the link's own if not given.
    pub delay: Option<Span>,
    /// Probability that a packet is lost whose sending starts then.
    pub loss: f64,
}

/// Chances to send, as in the traces of Mahimahi (Netravali2015): at each up to 1504 bytes leave, of as many packets as that
/// are; what nobody uses is gone.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Opportunities {
    /// When, in milliseconds, not falling; the last is more than 0, and is when they begin again.
    millis: Vec<u64>,
}

impl Opportunities {
    /// Bytes that leave at one.
    pub const BYTES: u32 = 1504;
    /// Bytes that a packet has beyond its own: what Mahimahi's TUN device puts in front of each.
    pub const HEADER: u32 = 4;

    /// Opportunities at these times, if they do not fall and the last is more than 0.
    pub fn new(millis: Vec<u64>) -> Option<Self> {
        (millis.is_sorted() && millis.last().is_some_and(|last| (1..=Self::LATEST).contains(last)))
            .then_some(Opportunities { millis })
    }

    /// The latest time that a trace may have: longer than any run.
    pub const LATEST: u64 = 400 * 24 * 3_600_000;

    /// What they carry in the mean.
    pub fn mean_rate(&self) -> Rate {
        let bits = u128::from(8 * Self::BYTES) * self.millis.len() as u128 * 1000;
        let rate = (bits / u128::from(self.period())).max(1);
        Rate::from_bits_per_sec(u64::try_from(rate).unwrap_or(u64::MAX)).unwrap_or_else(|| unreachable!("at least 1"))
    }

    fn period(&self) -> u64 {
        self.millis[self.millis.len() - 1]
    }

    /// When opportunity `number`, counted over all repetitions, comes.
    pub(super) fn time(&self, number: u64) -> Time {
        let (round, place) = (number / self.millis.len() as u64, number % self.millis.len() as u64);
        let millis = round.saturating_mul(self.period()).saturating_add(self.millis[place as usize]);
        Time::from_nanos(millis.saturating_mul(engine::time::NANOS_PER_MILLI))
    }

    /// The first opportunity after `at`.
    pub(super) fn first_after(&self, at: Time) -> u64 {
        // In which round `at` lies; of one that ends then the last are over.
        let millis = at.as_nanos() / engine::time::NANOS_PER_MILLI;
        let (round, within) = (millis / self.period(), millis % self.period());
        let place = self.millis.partition_point(|time| *time <= within);
        round * self.millis.len() as u64 + place as u64
    }
}
