//! Streams of chance by what they are keyed with.

use engine::Stream;

/// The first numbers of a stream.
fn draws(seed: u64, replication: u64, name: &str) -> [u64; 2] {
    let mut draws = Stream::named(seed, replication, name).draws();
    [draws.next_u64(), draws.next_u64()]
}

/// Seeds and replications that differ in one bit, wherever it is, have streams of their own: 128 neighbours of one stream, and
/// that one. Equal numbers by chance would be one in 2^64 for each pair.
#[test]
fn each_bit_of_the_seed_and_of_the_replication_counts() {
    let (seed, replication) = (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210);
    let bits = (0..64).map(|bit| 1 << bit);
    let mut all = vec![draws(seed, replication, "air")];
    all.extend(bits.clone().map(|bit| draws(seed ^ bit, replication, "air")));
    all.extend(bits.map(|bit| draws(seed, replication ^ bit, "air")));
    let number = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!((number, all.len()), (129, 129));
    // Neither number stands for the other.
    assert_ne!(draws(1, 2, "air"), draws(2, 1, "air"));
}

/// Names that differ in the first letter or the last, and names that one is the beginning of.
#[test]
fn each_letter_of_the_name_counts() {
    let names = ["", "a", "air", "bir", "aia", "air ", "airair", "link air channel 0", "link air channel 1"];
    let mut all: Vec<_> = names.iter().map(|name| draws(1, 0, name)).collect();
    all.extend(["queue", "jitter"].map(|part| {
        let mut draws = Stream::named(1, 0, "air").sub(part).draws();
        [draws.next_u64(), draws.next_u64()]
    }));
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), names.len() + 2);
}
