//! Talk on stderr.

use std::fmt::Display;
use std::io::Write;

/// Says something to whoever ran the command. If nobody listens any more, as behind `2>&1 | head`, it goes unsaid:
/// `eprintln!` would panic.
pub fn say(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
