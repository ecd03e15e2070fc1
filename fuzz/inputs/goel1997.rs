//! Fuzz input: bytes as a goel1997 data file, parsed, checked, and its network run briefly.

use super::scenario;

/// Runs an arbitrary input; a panic is a finding.
pub fn take(bytes: &[u8]) {
    if bytes.len() <= 16 << 10 && !scenario::names_a_device(bytes) {
        scenario::of_file("fuzzed/datafile.dat", bytes);
    }
}
