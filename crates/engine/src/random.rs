//! Random numbers from named streams.
//!
//! A stream maps a counter to numbers by Philox4x32-10 (Salmon, Moraes, Dror, Shaw: *Parallel random numbers: as easy
//! as 1, 2, 3*, SC'11), keyed by seed, replication and the name of a component. So a new component does not change the
//! numbers of other components, and a number can be a function of *time* instead of the number of preceding packets:
//! two schemes with the same seed then see the same channel.

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

fn philox4x32(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for round in 0..10 {
        if round > 0 {
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        let a = u64::from(MULTIPLIERS[0]) * u64::from(counter[0]);
        let b = u64::from(MULTIPLIERS[1]) * u64::from(counter[2]);
        counter = [(b >> 32) as u32 ^ counter[1] ^ key[0], b as u32, (a >> 32) as u32 ^ counter[3] ^ key[1], a as u32];
    }
    counter
}

/// Returns the FNV-1a hash of names, 64 bits, which is equal on all platforms and in all versions.
pub fn hash_bytes(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A source of random numbers for one component in one replication with one seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stream {
    key: [u32; 2],
    lane: u64,
}

impl Stream {
    /// Returns the stream of the component `name`.
    pub fn named(seed: u64, replication: u64, name: &str) -> Self {
        // Seed and replication select a word of the counter. A round of mixing makes similar seeds unrelated.
        let mixed = philox4x32(
            [seed as u32, (seed >> 32) as u32, replication as u32, (replication >> 32) as u32],
            [0x6c61_7374, 0x686f_7021],
        );
        let lane = u64::from(mixed[0]) | u64::from(mixed[1]) << 32;
        let name = hash_bytes(name.bytes());
        Stream { key: [name as u32 ^ mixed[2], (name >> 32) as u32 ^ mixed[3]], lane }
    }

    /// Returns an independent stream for a part of the component.
    pub fn sub(&self, part: &str) -> Self {
        let part = hash_bytes(part.bytes());
        Stream { key: [self.key[0] ^ part as u32, self.key[1] ^ (part >> 32) as u32], lane: self.lane }
    }

    /// Returns 128 random bits, a pure function of the counter value `(at, sub)`.
    fn block(&self, at: u64, sub: u32) -> [u32; 4] {
        philox4x32([at as u32, (at >> 32) as u32, self.lane as u32, (self.lane >> 32) as u32 ^ sub], self.key)
    }

    /// Returns a number in [0, 1), a pure function of the counter value `(at, sub)`.
    pub fn unit(&self, at: u64, sub: u32) -> f64 {
        let block = self.block(at, sub);
        to_unit(u64::from(block[0]) << 32 | u64::from(block[1]))
    }

    /// Returns a sequence of numbers that is a pure function of the counter value `(at, sub)`, for distributions that
    /// need several numbers.
    pub fn draws_at(&self, at: u64, sub: u32) -> Draws {
        let block = self.block(at, sub);
        let lane = u64::from(block[2]) | u64::from(block[3]) << 32;
        Stream { key: [block[0], block[1]], lane }.draws()
    }

    /// Returns the numbers of the stream in sequence, from the first.
    pub fn draws(self) -> Draws {
        Draws { stream: self, at: 0 }
    }
}

/// The upper 53 bits as a fraction in [0, 1).
fn to_unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// The numbers of a stream in sequence.
#[derive(Clone, Debug)]
pub struct Draws {
    stream: Stream,
    at: u64,
}

impl Draws {
    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let block = self.stream.block(self.at, 0);
        self.at += 1;
        u64::from(block[0]) << 32 | u64::from(block[1])
    }

    /// Returns the next number, uniformly distributed in [0, 1).
    pub fn unit(&mut self) -> f64 {
        to_unit(self.next_u64())
    }

    /// Returns the next number, exponentially distributed with the given mean, in the unit of the mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers are those of Random123, the implementation of Philox's authors.
    #[test]
    fn philox_agrees_with_published_answers() {
        assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox4x32([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(
            philox4x32([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn streams_differ_by_seed_replication_and_name() {
        let first = |seed, replication, name| Stream::named(seed, replication, name).block(0, 0);
        let all = [first(1, 0, "a"), first(2, 0, "a"), first(1, 1, "a"), first(1, 0, "b"), first(0, 1, "a")];
        for (i, one) in all.iter().enumerate() {
            assert!(!all[..i].contains(one));
        }
        assert_eq!(first(1, 0, "a"), first(1, 0, "a"));
    }

    #[test]
    fn draws_at_a_counter_value_are_reproducible() {
        let stream = Stream::named(1, 0, "a");
        let first = |at, sub| stream.draws_at(at, sub).next_u64();
        assert_eq!(first(7, 0), first(7, 0));
        let all = [first(7, 0), first(7, 1), first(8, 0), stream.draws().next_u64()];
        assert!((0..4).all(|i| !all[..i].contains(&all[i])), "{all:?}");

        // The first numbers at many counter values are uniformly distributed, too.
        let n = 100_000;
        let mean = (0..n).map(|at| stream.draws_at(at, 0).unit()).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 4.0 * (1.0 / 12.0 / n as f64).sqrt(), "{mean}");
    }

    /// Mean and variance of 100,000 draws lie within four standard errors of the distribution's values.
    #[test]
    fn draws_follow_their_distributions() {
        let n = 100_000.0_f64;
        let mut draws = Stream::named(7, 0, "laws").draws();
        let units: Vec<f64> = (0..n as u32).map(|_| draws.unit()).collect();
        let mean = units.iter().sum::<f64>() / n;
        assert!((mean - 0.5).abs() < 4.0 * (1.0 / 12.0_f64).sqrt() / n.sqrt(), "{mean}");
        assert!(units.iter().all(|u| (0.0..1.0).contains(u)));

        let stays: Vec<f64> = (0..n as u32).map(|_| draws.exponential(5.0)).collect();
        let mean = stays.iter().sum::<f64>() / n;
        assert!((mean - 5.0).abs() < 4.0 * 5.0 / n.sqrt(), "{mean}");
        let long = stays.iter().filter(|stay| **stay > 10.0).count() as f64 / n;
        let expected = libm::exp(-2.0);
        assert!((long - expected).abs() < 4.0 * (expected * (1.0 - expected) / n).sqrt(), "{long}");
    }
}
