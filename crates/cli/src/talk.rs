//! Messages on stderr, and their level of detail.

use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicU8, Ordering};

use clap::Args;
use engine::text::visible;

/// The level of detail of messages.
#[derive(Args)]
pub struct Volume {
    /// Print results and errors only: no progress, no warnings, no notes such as where results were written
    #[arg(short, long, global = true, display_order = 1000, conflicts_with = "verbose")]
    quiet: bool,
    /// Report on standard error the files read, keys at their defaults, default places and threads, and the
    /// time used; `drill` also prints every packet
    #[arg(short, long, global = true, display_order = 1001)]
    verbose: bool,
}

const QUIET: u8 = 0;
const NORMAL: u8 = 1;
const VERBOSE: u8 = 2;

/// The volume of this process: set once, before the command runs.
static LEVEL: AtomicU8 = AtomicU8::new(NORMAL);

impl Volume {
    /// Applies these options to all later messages.
    pub fn apply(&self) {
        let level = match (self.quiet, self.verbose) {
            (true, _) => QUIET,
            (false, true) => VERBOSE,
            (false, false) => NORMAL,
        };
        LEVEL.store(level, Ordering::Relaxed);
    }
}

/// Whether only results and errors are wanted.
pub fn is_quiet() -> bool {
    LEVEL.load(Ordering::Relaxed) == QUIET
}

/// Whether details are wanted.
pub fn is_verbose() -> bool {
    LEVEL.load(Ordering::Relaxed) == VERBOSE
}

/// Writes an error, or a result while stdout has other output, to stderr. A closed stderr, as behind `2>&1 | head`, is
/// ignored: `eprintln!` would panic.
pub fn say(text: impl Display) {
    let text = text.to_string();
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(&text));
}

/// Writes a warning or a note to stderr, unless --quiet is given.
pub fn note(text: impl Display) {
    if !is_quiet() {
        say(text);
    }
}

/// Writes a detail to stderr if --verbose is given.
pub fn detail(text: impl Display) {
    if is_verbose() {
        say(text);
    }
}
