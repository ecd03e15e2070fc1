//! Compiled into a crate that holds its mutants (`schemata`): which of them is in force.
//!
//! The environment of the test program says so: `LASTHOP_MUTANT` is a mutant's number. If `LASTHOP_MUTANTS_REACHED` names a
//! file instead, none is in force, and the number of each mutant whose place is reached is written there once, a line each.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Mutants are numbered from 1 and below this.
pub const LIMIT: usize = 1 << 14;

/// What `IN_FORCE` holds before the environment has been asked, and when what is reached is written down.
const UNKNOWN: usize = usize::MAX;
const RECORDING: usize = usize::MAX - 1;

static IN_FORCE: AtomicUsize = AtomicUsize::new(UNKNOWN);
static REACHED: [AtomicBool; LIMIT] = [const { AtomicBool::new(false) }; LIMIT];

/// Whether this mutant is in force.
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
        // One write, so that lines of several threads do not mix.
        opened.and_then(|mut file| file.write_all(format!("{mutant}\n").as_bytes())).expect("it can be written");
    }
    false
}
