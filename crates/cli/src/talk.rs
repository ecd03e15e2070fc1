//! Messages on stderr, and their level of detail.

use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicU8, Ordering};

use anstream::AutoStream;
use clap::Args;
use clap::builder::Styles;
use clap::builder::styling::{AnsiColor, Style};
use engine::text::escape_controls;

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

/// Whether only results and errors are printed.
pub fn is_quiet() -> bool {
    LEVEL.load(Ordering::Relaxed) == QUIET
}

/// Whether details are wanted.
pub fn is_verbose() -> bool {
    LEVEL.load(Ordering::Relaxed) == VERBOSE
}

/// Writes an error, or a result while stdout has other output, to stderr, with colours where clap's errors have them. A
/// closed stderr, as behind `2>&1 | head`, is ignored: `eprintln!` would panic.
pub fn write_message(text: impl Display) {
    let text = text.to_string();
    let mut stderr = AutoStream::auto(std::io::stderr().lock());
    let _ = writeln!(stderr, "{}", style_labels(&escape_controls(&text)));
}

/// Words that begin a line of a message, each with its style.
fn label_styles() -> [(&'static str, Style); 5] {
    let styles = Styles::styled();
    let hint = *styles.get_valid();
    [
        ("error:", *styles.get_error()),
        ("warning:", AnsiColor::Yellow.on_default().bold()),
        ("note:", AnsiColor::Cyan.on_default().bold()),
        ("hint:", hint),
        ("tip:", hint),
    ]
}

/// A message whose labels have styles.
fn style_labels(text: &str) -> String {
    let labels = label_styles();
    let style = |line: &str| {
        let words = line.trim_start();
        let label = labels.iter().find(|(label, _)| words.starts_with(label));
        label.map_or_else(
            || line.to_owned(),
            |(label, style)| {
                let (indent, rest) = (&line[..line.len() - words.len()], &words[label.len()..]);
                format!("{indent}{style}{label}{style:#}{rest}")
            },
        )
    };
    text.split('\n').map(style).collect::<Vec<_>>().join("\n")
}

/// Writes a warning or a note to stderr, unless --quiet is given.
pub fn write_note(text: impl Display) {
    if !is_quiet() {
        write_message(text);
    }
}

/// Writes a detail to stderr if --verbose is given.
pub fn write_detail(text: impl Display) {
    if is_verbose() {
        write_message(text);
    }
}

#[cfg(test)]
mod tests {
    use super::style_labels;

    #[test]
    fn labels_at_the_start_of_a_line_have_styles() {
        let text = "error: f.toml: found \"error: x\"\n  3 | note: y\n  hint: z\nwarning: w";
        let styled = "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m f.toml: found \"error: x\"\n  3 | note: y\n  \
            \u{1b}[32mhint:\u{1b}[0m z\n\u{1b}[1m\u{1b}[33mwarning:\u{1b}[0m w";
        assert_eq!(style_labels(text), styled);
        assert_eq!(style_labels("results in r"), "results in r");
    }
}
