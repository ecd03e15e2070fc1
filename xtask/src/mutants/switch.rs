//! Compiled into a crate that holds its mutants (`schemata.rs`): which of them is in force.
//!
//! The environment of the test program says so: `LASTHOP_MUTANT` is a mutant's number. If `LASTHOP_MUTANTS_REACHED` names a
//! file instead, none is in force, and the number of each mutant that is come by is written there once, a line each.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Mutants are numbered from 1 and below this.
pub const LIMIT: usize = 1 << 14;

const UNKNOWN: usize = usize::MAX;

static IN_FORCE: AtomicUsize = AtomicUsize::new(UNKNOWN);
static REACHED: [AtomicBool; LIMIT] = [const { AtomicBool::new(false) }; LIMIT];

/// Whether this mutant is in force.
#[inline]
pub fn on(mutant: usize) -> bool {
    match IN_FORCE.load(Relaxed) {
        UNKNOWN => first(mutant),
        in_force => in_force == mutant,
    }
}

#[cold]
fn first(mutant: usize) -> bool {
    if let Some(file) = std::env::var_os("LASTHOP_MUTANTS_REACHED") {
        if !REACHED[mutant].swap(true, Relaxed) {
            use std::io::Write;
            let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
            // One write, so that lines of several threads do not mix.
            opened.and_then(|mut file| file.write_all(format!("{mutant}\n").as_bytes())).expect("cannot be written");
        }
        return false;
    }
    let in_force = std::env::var("LASTHOP_MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(0);
    IN_FORCE.store(in_force, Relaxed);
    in_force == mutant
}
