//! The result of a script.

use std::fmt::{self, Write};

use engine::{Span, Time};

use crate::code::Unsupported;
use crate::syntax::ScriptPlace;
use crate::syntax::ast::Tcp;

/// The result of a script.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ScriptReport {
    /// Whether the script passed, failed, or needs an unsupported feature.
    pub outcome: ScriptOutcome,
    /// All packets of both directions, in chronological order.
    pub packets: Vec<LoggedPacket>,
    /// Output of the script's `print` statements, with their positions.
    pub printed: Vec<(ScriptPlace, String)>,
    /// Notes about the script's commands, with the commands' positions.
    pub notes: Vec<(ScriptPlace, String)>,
    /// Number of script lines with a packet that was compared.
    pub checked: usize,
    /// Number of sent packets that no script line expects. As in packetdrill this is not an error.
    pub unread: usize,
    /// The line with the largest deviation from its time, and the deviation.
    pub worst: Option<(ScriptPlace, Span)>,
    /// Tolerance of times that was in force.
    pub tolerance: Span,
    /// Simulated time at the end of the script.
    pub end: Time,
}

/// How a script ended.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum ScriptOutcome {
    /// All expectations were met.
    #[default]
    Passed,
    /// An expectation was not met.
    Failed(Deviation),
    /// The script needs an unsupported feature: neither passed nor failed.
    Unsupported(Unsupported),
}

impl ScriptOutcome {
    /// Returns the outcome's name for reports.
    pub fn name(&self) -> &'static str {
        match self {
            ScriptOutcome::Passed => "passed",
            ScriptOutcome::Failed(_) => "failed",
            ScriptOutcome::Unsupported(_) => "not supported",
        }
    }
}

/// A part of a packet, such as the flags or an option: the expected and the found text, and whether both agree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PacketPart {
    /// The part as the script states it; empty if the script omits it.
    pub expected: String,
    /// The part of the packet found.
    pub found: String,
    /// True if both agree by the rules of packet comparison.
    pub agree: bool,
}

/// The first deviation from the script.
#[derive(Clone, PartialEq, Debug)]
pub struct Deviation {
    /// Position in the script.
    pub place: ScriptPlace,
    /// Simulated time of the deviation.
    pub time: Time,
    /// The error.
    pub headline: String,
    /// The expected and the actual value.
    pub found: Mismatch,
    /// The hint.
    pub hint: Option<String>,
    /// Number of packets in the report before the deviation.
    pub before: usize,
}

/// The expected and the actual value.
#[derive(Clone, PartialEq, Debug)]
pub enum Mismatch {
    /// Two values as text.
    Words {
        /// The expected value.
        expected: String,
        /// The actual value.
        found: String,
    },
    /// Two packets.
    Packet {
        /// Time at which the script expects the packet; `None` for any time.
        expected: Option<Time>,
        /// Time at which the packet was sent.
        found: Time,
        /// Both packets, compared part by part.
        cells: Vec<PacketPart>,
    },
}

impl Mismatch {
    /// Returns the expected and the found value as a line each, and for packets a third line that marks the
    /// differences.
    pub fn lines(&self) -> (String, String, Option<String>) {
        match self {
            Mismatch::Words { expected, found } => (expected.clone(), found.clone(), None),
            Mismatch::Packet { expected, found, cells } => {
                let mut lines =
                    (expected.map_or("*".to_owned(), format_seconds), format_seconds(*found), String::new());
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

/// A packet of either direction, in packetdrill notation.
#[derive(Clone, PartialEq, Debug)]
pub struct LoggedPacket {
    /// Time at which the packet was sent or injected.
    pub time: Time,
    /// True if the script injected the packet.
    pub incoming: bool,
    /// Header fields and options of the packet.
    pub tcp: Tcp,
}

impl fmt::Display for LoggedPacket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.incoming { '<' } else { '>' };
        write!(f, "{} {sign} {}", format_seconds(self.time), self.tcp)
    }
}

/// Returns `time` in seconds with at least six decimals.
pub(crate) fn format_seconds(time: Time) -> String {
    let text = time.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}.{decimals:0<6}")
}

/// Maximum number of packets shown before a failure.
const BEFORE: usize = 6;

impl ScriptReport {
    /// Returns a one-line summary without a line end: the outcome, and for a script that passed the number of packets
    /// and the largest deviation.
    pub fn line(&self) -> String {
        let mut line = self.outcome.name().to_owned();
        if self.outcome == ScriptOutcome::Passed {
            let worst = self.worst.map_or(0, |(_, worst)| worst.as_nanos());
            // On a wall clock, digits below a microsecond are noise. Round up.
            let worst = Span::from_nanos(if worst < 1_000 { worst } else { worst.div_ceil(1_000) * 1_000 });
            let packets = if self.checked == 1 { "packet" } else { "packets" };
            let _ = write!(line, ", {} {packets} compared, at most {worst} from their times", self.checked);
            if self.unread > 0 {
                let _ = write!(line, ", {} sent without a line in the script", self.unread);
            }
        }
        line
    }

    /// Returns all packets and the output of assertions, a line each.
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

    /// Returns the error message about the script `file`, whose text is `text`; `None` for a script that passed.
    pub fn message(&self, file: &str, text: &str) -> Option<String> {
        let line = |place: ScriptPlace| {
            let source = text.lines().nth(place.line.saturating_sub(1)).unwrap_or_default().trim();
            // Escape control characters for the terminal; show a tab as a space.
            let plain = |c: char| match c {
                '\t' => ' '.to_string(),
                c if c.is_control() => c.escape_default().to_string(),
                c => c.to_string(),
            };
            format!("\n  {} | {}", place.line, source.chars().map(plain).collect::<String>())
        };
        match &self.outcome {
            ScriptOutcome::Passed => None,
            ScriptOutcome::Unsupported(Unsupported { place, what }) => {
                let ScriptPlace { line: number, column } = place;
                Some(format!("{file}:{number}:{column}: not supported: {what}{}", line(*place)))
            }
            ScriptOutcome::Failed(failure) => {
                let ScriptPlace { line: number, column } = failure.place;
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

    /// Returns the last packets before the failure.
    fn before(&self, failure: &Deviation) -> &[LoggedPacket] {
        let end = failure.before.min(self.packets.len());
        &self.packets[end.saturating_sub(BEFORE)..end]
    }
}
