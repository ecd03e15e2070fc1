//! Random streams as functions of seed, replication and name.

use engine::Stream;

/// Returns the first two numbers of a stream.
fn draws(seed: u64, replication: u64, name: &str) -> [u64; 2] {
    let mut draws = Stream::named(seed, replication, name).draws();
    [draws.next_u64(), draws.next_u64()]
}

/// Flipping any one bit of the seed or of the replication gives another stream: 128 variants and the original differ.
/// The probability of a coincidence is 2^-64 for each pair.
#[test]
fn each_bit_of_seed_and_replication_changes_the_stream() {
    let (seed, replication) = (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210);
    let bits = (0..64).map(|bit| 1 << bit);
    let mut all = vec![draws(seed, replication, "air")];
    all.extend(bits.clone().map(|bit| draws(seed ^ bit, replication, "air")));
    all.extend(bits.map(|bit| draws(seed, replication ^ bit, "air")));
    let number = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!((number, all.len()), (129, 129));
    // Seed and replication are not interchangeable.
    assert_ne!(draws(1, 2, "air"), draws(2, 1, "air"));
}

/// Names that differ in the first or last letter, and names that are prefixes of others.
#[test]
fn each_letter_of_the_name_changes_the_stream() {
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

/// FNV-1a's published test vectors (Fowler, Noll, Vo, "test_fnv.c").
#[test]
fn names_are_hashed_by_fnv_1a() {
    for (name, hash) in [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)] {
        assert_eq!(engine::random::hash_bytes(name.bytes()), hash);
    }
}

/// Random numbers must be equal in all versions and on all machines. The expected numbers come from an independent
/// implementation, in another language, of Philox4x32-10 as in the paper and of the keys as described in
/// [`engine::random`]; numbers of 53 bits over 2^53 are exact.
#[test]
fn stream_numbers_agree_with_an_independent_implementation() {
    let stream = Stream::named(0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, "link air");
    let mut draws = stream.draws();
    let found = [draws.next_u64(), draws.next_u64(), draws.next_u64()];
    assert_eq!(found, [0xa421_185f_536d_8637, 0x4655_b9f6_c868_eccd, 0xf8b3_dde5_02c9_5a01]);
    let mut draws = stream.sub("queue").draws();
    assert_eq!([draws.next_u64(), draws.next_u64()], [0x7020_fcc7_0ebc_b672, 0x10b2_2f9c_37c6_e378]);
    let at = 0x0000_0005_0000_0007;
    let units = [0, 1, 0x8000_0001].map(|sub| stream.unit(at, sub));
    assert_eq!(
        units,
        [0x0018_486a_43aa_a369_u64, 0x0001_8c40_3607_5000, 0x001f_0291_48c4_e3d2]
            .map(|top| top as f64 / 9_007_199_254_740_992.0)
    );
    let mut draws = stream.draws_at(at, 3);
    assert_eq!([draws.next_u64(), draws.next_u64()], [0x46ed_3018_9698_b015, 0xe047_2fe4_f7f6_2ed9]);
}

/// Exponential numbers are -mean ln(1 - u), the inverse of the distribution function, of the uniform numbers u.
#[test]
fn exponential_draws_invert_the_distribution_function() {
    let mut units = Stream::named(1, 0, "air").draws();
    let mut draws = Stream::named(1, 0, "air").draws();
    // u = 0.5843734964141127, 0.6011411195439914, 0.5419215855544216, 0.04284124027195135.
    for expected in [4.3898412496415355, 4.5957380386026445, 3.903574494714726, 0.2189300407758485] {
        let (unit, found) = (units.unit(), draws.exponential(5.0));
        assert!((found - expected).abs() < 1e-12, "{unit}: {found}, {expected}");
        assert!((0.0..1.0).contains(&unit));
    }
}
