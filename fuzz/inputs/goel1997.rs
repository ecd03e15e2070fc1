//! Bytes as a datafile of goel1997: read, checked, and its network run for a moment.

use super::scenario;

/// Takes any bytes. Panics are findings.
pub fn take(bytes: &[u8]) {
    if bytes.len() <= 16 << 10 && !scenario::names_a_device(bytes) {
        scenario::of_file("fuzzed/datafile.dat", bytes);
    }
}
