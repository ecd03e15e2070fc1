//! The result of a script.

use std::fmt::{self, Write};

use engine::{Span, Time};

use crate::code::Unsupported;
use crate::syntax::Place;
use crate::syntax::ast::Tcp;

/// The result of a script.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Every packet, in the order of time.
    pub packets: Vec<Seen>,
    /// The output of assertions, and their places.
    pub printed: Vec<(Place, String)>,
    /// Notes about the script's commands.
    pub notes: Vec<(Place, String)>,
    /// Lines with a packet that was compared.
    pub checked: usize,
    /// Packets sent that no line asked for. As in packetdrill they are no error if no later line meets them.
    pub unread: usize,
    /// The line whose time was missed by most, and by how much.
    pub worst: Option<(Place, Span)>,
    /// The tolerance.
    pub tolerance: Span,
    /// The simulated time at the end.
    pub end: Time,
}

/// How a script ended.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Outcome {
    /// As it says.
    #[default]
    Passed,
    /// Not as it says.
    Failed(Failure),
    /// It needs what is not there: neither passed nor failed.
    Unsupported(Unsupported),
}

impl Outcome {
    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed(_) => "failed",
            Outcome::Unsupported(_) => "not supported",
        }
    }
}

/// A part of a packet: what the script says, what came, and whether that is the same to the script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// What the script says; empty if nothing.
    pub expected: String,
    /// What came.
    pub found: String,
    /// Whether they agree.
    pub agree: bool,
}

/// The first thing that is not as the script says.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// Where in the script.
    pub place: Place,
    /// The simulated time.
    pub time: Time,
    /// The error.
    pub headline: String,
    /// The expected and the actual value.
    pub found: Found,
    /// The hint.
    pub hint: Option<String>,
    /// How many packets there were before.
    pub before: usize,
}

/// The expected and the actual value.
#[derive(Clone, PartialEq, Debug)]
pub enum Found {
    /// In words.
    Words {
        /// The expected value.
        expected: String,
        /// The actual value.
        found: String,
    },
    /// Two packets.
    Packet {
        /// When the script expects it; `None` for any time.
        expected: Option<Time>,
        /// When it came.
        found: Time,
        /// Both, part by part.
        cells: Vec<Cell>,
    },
}

impl Found {
    /// Both as lines; a third line marks where they differ.
    pub fn lines(&self) -> (String, String, Option<String>) {
        match self {
            Found::Words { expected, found } => (expected.clone(), found.clone(), None),
            Found::Packet { expected, found, cells } => {
                let mut lines = (expected.map_or("*".to_owned(), seconds), seconds(*found), String::new());
                let width = lines.0.len().max(lines.1.len());
                lines = (format!("{:>width$} >", lines.0), format!("{:>width$} >", lines.1), " ".repeat(width + 2));
                for cell in cells {
                    let width = cell.expected.chars().count().max(cell.found.chars().count());
                    let mark = if cell.agree { "" } else { &"^".repeat(width) };
                    let _ = write!(lines.0, " {:<width$}", cell.expected);
                    let _ = write!(lines.1, " {:<width$}", cell.found);
                    let _ = write!(lines.2, " {mark:<width$}");
                }
                let trimmed = |line: String| line.trim_end().to_owned();
                (trimmed(lines.0), trimmed(lines.1), Some(trimmed(lines.2)))
            }
        }
    }
}

/// A packet, in the script's words.
#[derive(Clone, PartialEq, Debug)]
pub struct Seen {
    /// When.
    pub time: Time,
    /// Whether the script sent it.
    pub incoming: bool,
    /// What.
    pub tcp: Tcp,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.incoming { '<' } else { '>' };
        write!(f, "{} {sign} {}", seconds(self.time), self.tcp)
    }
}

/// Seconds with six decimals at least.
pub(crate) fn seconds(time: Time) -> String {
    let text = time.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}.{decimals:0<6}")
}

/// How many packets before a failure are shown.
const BEFORE: usize = 6;

impl Report {
    /// How it ended, and how well: one line without its end.
    pub fn line(&self) -> String {
        let mut line = self.outcome.name().to_owned();
        if self.outcome == Outcome::Passed {
            let worst = self.worst.map_or(0, |(_, worst)| worst.as_nanos());
            // A wall clock has more digits than are of interest.
            let worst = Span::from_nanos(if worst < 1_000 { worst } else { worst.div_ceil(1_000) * 1_000 });
            let packets = if self.checked == 1 { "packet" } else { "packets" };
            let _ = write!(line, ", {} {packets} compared, at most {worst} from their times", self.checked);
            if self.unread > 0 {
                let _ = write!(line, ", {} sent that no line asks for", self.unread);
            }
        }
        line
    }

    /// Every packet, and what assertions printed: a line each.
    pub fn details(&self) -> String {
        let mut out = String::new();
        for seen in &self.packets {
            let _ = writeln!(out, "  {seen}");
        }
        for (place, text) in &self.printed {
            let _ = writeln!(out, "  line {}: {text}", place.line);
        }
        out
    }

    /// A failure or what is not supported as an error message about the script `file`, whose text is `text`; `None` for
    /// a script that passed.
    pub fn message(&self, file: &str, text: &str) -> Option<String> {
        let line = |place: Place| {
            let source = text.lines().nth(place.line.saturating_sub(1)).unwrap_or_default().trim();
            // A tab is a blank; nothing else may reach a terminal as it is.
            let plain = |c: char| match c {
                '\t' => ' '.to_string(),
                c if c.is_control() => c.escape_default().to_string(),
                c => c.to_string(),
            };
            format!("\n  {} | {}", place.line, source.chars().map(plain).collect::<String>())
        };
        match &self.outcome {
            Outcome::Passed => None,
            Outcome::Unsupported(Unsupported { place, what }) => {
                let Place { line: number, column } = place;
                Some(format!("{file}:{number}:{column}: not supported: {what}{}", line(*place)))
            }
            Outcome::Failed(failure) => {
                let Place { line: number, column } = failure.place;
                let mut out = format!("{file}:{number}:{column}: {}{}", failure.headline, line(failure.place));
                let (expected, found, marks) = failure.found.lines();
                let _ = write!(out, "\n  expected {expected}\n  found    {found}");
                if let Some(marks) = marks {
                    let _ = write!(out, "\n           {marks}");
                }
                let packets = self.before(failure);
                if !packets.is_empty() {
                    out.push_str("\n  before");
                    packets.iter().for_each(|seen| {
                        let _ = write!(out, "\n    {seen}");
                    });
                }
                if let Some(hint) = &failure.hint {
                    let _ = write!(out, "\n  hint: {hint}");
                }
                Some(out)
            }
        }
    }

    /// The last packets before the one that failed.
    fn before(&self, failure: &Failure) -> &[Seen] {
        let end = failure.before.min(self.packets.len());
        &self.packets[end.saturating_sub(BEFORE)..end]
    }
}
