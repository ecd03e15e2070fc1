//! Talk on stderr.

use std::fmt::Display;
use std::io::Write;

use engine::text::visible;

/// Says something to whoever ran the command. If nobody listens any more, as behind `2>&1 | head`, it goes unsaid:
/// `eprintln!` would panic.
pub fn say(text: impl Display) {
    let text = text.to_string();
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(&text));
}
