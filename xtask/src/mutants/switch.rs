//! Compiled into a crate with its mutants (`schemata`): selects the active mutant at run time.
//!
//! The environment variable `LASTHOP_MUTANT` is the number of the active mutant. If `LASTHOP_MUTANTS_REACHED` names a
//! file instead, no mutant is active, and the number of each mutant whose code is reached is appended to the file once.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Exclusive upper bound of the mutants' numbers, which begin at 1.
pub const LIMIT: usize = 1 << 14;

/// Value of `IN_FORCE` before the environment is read.
const UNKNOWN: usize = usize::MAX;
/// Value of `IN_FORCE` while reached mutants are recorded.
const RECORDING: usize = usize::MAX - 1;

static IN_FORCE: AtomicUsize = AtomicUsize::new(UNKNOWN);
static REACHED: [AtomicBool; LIMIT] = [const { AtomicBool::new(false) }; LIMIT];

/// Returns true if this mutant is active.
#[inline]
pub fn on(mutant: usize) -> bool {
    let in_force = IN_FORCE.load(Relaxed);
    in_force == mutant || in_force >= RECORDING && without_choice(mutant)
}

#[inline(never)]
fn without_choice(mutant: usize) -> bool {
    if IN_FORCE.load(Relaxed) == UNKNOWN {
        let chosen = std::env::var("LASTHOP_MUTANT").ok().and_then(|number| number.parse().ok());
        let recording = std::env::var_os("LASTHOP_MUTANTS_REACHED").is_some();
        IN_FORCE.store(if recording { RECORDING } else { chosen.unwrap_or(0) }, Relaxed);
        return on(mutant);
    }
    if !REACHED[mutant].load(Relaxed) && !REACHED[mutant].swap(true, Relaxed) {
        let file = std::env::var_os("LASTHOP_MUTANTS_REACHED").expect("it was there");
        let opened = OpenOptions::new().create(true).append(true).open(file);
        // The line is written at once, so that lines of several threads do not mix.
        opened.and_then(|mut file| file.write_all(format!("{mutant}\n").as_bytes())).expect("it can be written");
    }
    false
}
