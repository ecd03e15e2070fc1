//! Fuzz input: bytes as a goel1997 data file, parsed, checked, and its network run briefly.

use super::scenario;

/// Runs an arbitrary input; a panic is a finding.
pub fn take(bytes: &[u8]) {
    scenario::of_file("fuzzed/datafile.dat", bytes);
}
