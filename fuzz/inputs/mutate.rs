//! Pseudo-random mutation of inputs, for tests without a fuzzer.

use std::fs;
use std::path::{Path, PathBuf};

/// Numbers and tokens at the limits of valid values, in all input languages.
const PIECES: [&[u8]; 20] = [
    b"0",
    b"1",
    b"-1",
    b"255",
    b"65535",
    b"65536",
    b"4294967296",
    b"9223372036854775807",
    b"18446744073709551616",
    b"1e308",
    b"0.5",
    b"nan",
    b"\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\n",
    b"\xff",
    b"\xc3\xbc",
];

/// Pseudo-random number generator (SplitMix64).
pub struct Draws(pub u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Returns `input` with one to four changes, some of which copy parts of `other`.
pub fn mutated(input: &[u8], other: &[u8], draws: &mut Draws) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=draws.below(4) {
        let at = draws.below(bytes.len() + 1);
        let to = (at + 1 + draws.below(16)).min(bytes.len());
        match draws.below(8) {
            0 => drop(bytes.drain(at.min(to)..to)),
            1 => bytes.truncate(at),
            2 => bytes.splice(at..at, PIECES[draws.below(PIECES.len())].iter().copied()).for_each(drop),
            3 => {
                let number = next_number(&bytes, at);
                bytes.splice(number, PIECES[draws.below(12)].iter().copied());
            }
            4 => {
                let again = bytes[at.min(to)..to].to_vec();
                bytes.splice(at..at, again);
            }
            5 => {
                let from = draws.below(other.len() + 1);
                let part = &other[from..(from + draws.below(64)).min(other.len())];
                bytes.splice(at..at, part.iter().copied());
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = draws.next() as u8;
                }
            }
        }
    }
    bytes
}

/// Returns the range of the first digits from `at` on; an empty range if there are none.
fn next_number(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let digit = |byte: &u8| byte.is_ascii_digit();
    let start = bytes[at..].iter().position(digit).map_or(at, |ahead| at + ahead);
    start..start + bytes[start..].iter().take_while(|byte| digit(byte)).count()
}

/// Returns the files of `folder` whose names end in `ending`, with their contents, sorted by name.
pub fn files(folder: &Path, ending: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.is_file() && file.to_string_lossy().ends_with(ending));
    files.sort();
    files.into_iter().map(|file| (file.clone(), fs::read(file).expect("a file can be read"))).collect()
}

/// Passes every input to `take`, then `changed` mutated ones, the same in each run. If `take` panics, the message names
/// the input, and a mutated one is written to the test's temporary directory.
pub fn replay(inputs: &[(PathBuf, Vec<u8>)], changed: usize, take: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    assert!(!inputs.is_empty(), "no inputs");
    let attempt = |name: &str, bytes: &[u8]| {
        if std::panic::catch_unwind(|| take(bytes)).is_err() {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("panics-{:?}", std::thread::current().id()));
            fs::write(&file, bytes).expect("a file can be written");
            panic!("{name} panics; it is in {}", file.display());
        }
    };
    inputs.iter().for_each(|(file, bytes)| attempt(&file.display().to_string(), bytes));
    let mut draws = Draws(1);
    for number in 0..changed {
        let (file, bytes) = &inputs[draws.below(inputs.len())];
        let other = &inputs[draws.below(inputs.len())].1;
        let changed = mutated(bytes, other, &mut draws);
        attempt(&format!("change {number}, of {}", file.display()), &changed);
    }
}
