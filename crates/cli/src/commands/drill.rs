//! `lasthop drill`.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use drill::endpoint;
use drill::report::{Mismatch, ScriptOutcome, ScriptReport};
use drill::syntax::{ScriptPlace, SyntaxError};
use engine::Span;
use scenario::problem::Problem;
use serde_json::{Value, json};

use super::{format_path, format_problems, print_visible, unreadable_file};
use crate::CommandFailure;
use crate::command_groups::Example;
use crate::input;
use crate::talk::{is_verbose, write_detail, write_message, write_note};

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop drill crates/tcp/tests/scripts/pass/close-first.pkt", "Run a script"),
    ("lasthop drill --verbose crates/tcp/tests/scripts/pass/close-first.pkt", "Print its packets too"),
];

/// Arguments of `lasthop drill`.
#[derive(ClapArgs)]
pub struct Args {
    /// packetdrill scripts; - is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The tolerance for the time of a packet, such as "0us"; overrides the scripts' [default: 4 ms]
    #[arg(long, value_name = "SPAN")]
    tolerance: Option<String>,
    /// Print JSON instead of lines: an array with an object for each script
    #[arg(long)]
    json: bool,
}

/// A script that was run, or could not be read.
struct ScriptRun {
    file: String,
    text: String,
    result: Result<ScriptReport, Problem>,
}

/// Runs scripts.
pub fn run_script_files(args: &Args) -> Result<(), CommandFailure> {
    let tolerance = match &args.tolerance {
        Some(text) => Some(text.parse::<Span>().map_err(|error| {
            let problem = Problem::new(error.expected).in_file("--tolerance").found(format!("\"{text}\""));
            CommandFailure::Input(format_problems(&[Problem { hint: error.hint, ..problem }]))
        })?),
        None => None,
    };
    let mut all = Vec::new();
    for file in &args.files {
        let ran = run_script_file(file, tolerance);
        if !args.json {
            print_visible(&render_script_result(&ran, is_verbose()))?;
        }
        if let Ok(report) = &ran.result {
            for (ScriptPlace { line, column }, text) in &report.notes {
                write_note(format_args!("warning: {}:{line}:{column}: {text}", ran.file));
            }
        }
        // With a single script, the message of the command is that of the script.
        if args.files.len() > 1
            && let Some(message) = ran.message()
        {
            write_message(message);
        }
        all.push(ran);
    }
    if args.json {
        let all: Vec<Value> = all.iter().map(script_to_json).collect();
        print_visible(&format!("{:#}\n", Value::from(all)))?;
    } else if all.len() > 1 {
        print_visible(&format!("{}\n", count_outcomes(&all)))?;
    }
    judge_scripts(&all)
}

/// The outcome of the command: wrong input takes precedence over failures, failures over unsupported features.
fn judge_scripts(all: &[ScriptRun]) -> Result<(), CommandFailure> {
    let fail = |outcome: &str, failure: fn(String) -> CommandFailure| {
        let count = all.iter().filter(|ran| ran.outcome() == outcome).count();
        let message = match all {
            [alone] => alone.message().unwrap_or_default(),
            _ => format!("error: {count} of {} scripts: {outcome}", all.len()),
        };
        if count == 0 { Ok(()) } else { Err(failure(message)) }
    };
    fail(UNREADABLE, CommandFailure::Input)?;
    fail("failed", |message| CommandFailure::Run(message.trim_start_matches("error: ").to_owned()))?;
    fail("not supported", CommandFailure::Unsupported)
}

/// The outcome for a file that is not a script.
const UNREADABLE: &str = "not a script";

impl ScriptRun {
    fn outcome(&self) -> &'static str {
        self.result.as_ref().map_or(UNREADABLE, |report| report.outcome.name())
    }

    /// Error of the script, if any.
    fn message(&self) -> Option<String> {
        match &self.result {
            Ok(report) => report.message(&self.file, &self.text).map(|message| format!("error: {message}")),
            Err(problem) => Some(format_problems(std::slice::from_ref(problem))),
        }
    }
}

fn run_script_file(file: &Path, tolerance: Option<Span>) -> ScriptRun {
    let stdin = input::is_stdin(file);
    let name = if stdin { "<stdin>".to_owned() } else { format_path(file) };
    let bytes = if stdin { input::read_stdin(u64::MAX) } else { std::fs::read(file) };
    if let Ok(bytes) = &bytes {
        write_detail(format_args!("read {name}: {} bytes", bytes.len()));
    }
    let (text, result) = match bytes {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => {
                let result = drill::parse_script(&text)
                    .map(|script| drill::run_script(&script, tolerance, &endpoint::open_endpoint))
                    .map_err(|error| convert_syntax_error(&name, &text, error));
                (text, result)
            }
            Err(_) => (String::new(), Err(Problem::new("not UTF-8, as a packetdrill script must be").in_file(&name))),
        },
        Err(error) => (String::new(), Err(unreadable_file(file, &error))),
    };
    ScriptRun { file: name, text, result }
}

fn convert_syntax_error(file: &str, text: &str, error: SyntaxError) -> Problem {
    let SyntaxError { place: ScriptPlace { line, column }, found, expected, hint } = error;
    let source = text.lines().nth(line - 1).map(str::to_owned);
    let problem = Problem::new(expected).in_file(file).found(found);
    Problem { place: Some((line, column)), source, hint, ..problem }
}

/// Formats the line about a script. With `verbose` it includes the script's packets and printed values.
fn render_script_result(ran: &ScriptRun, verbose: bool) -> String {
    match &ran.result {
        Ok(report) if verbose => format!("{}: {}\n{}", ran.file, report.line(), report.details()),
        Ok(report) => format!("{}: {}\n", ran.file, report.line()),
        Err(_) => format!("{}: {UNREADABLE}\n", ran.file),
    }
}

/// Number of scripts by outcome.
fn count_outcomes(all: &[ScriptRun]) -> String {
    let outcomes = ["passed", "failed", "not supported", UNREADABLE];
    let counts: Vec<String> = outcomes
        .into_iter()
        .map(|outcome| (all.iter().filter(|ran| ran.outcome() == outcome).count(), outcome))
        .filter(|(count, _)| *count > 0)
        .map(|(count, outcome)| format!("{count} {outcome}"))
        .collect();
    format!("{} scripts: {}", all.len(), counts.join(", "))
}

fn script_to_json(ran: &ScriptRun) -> Value {
    let mut object = json!({ "file": ran.file, "outcome": ran.outcome() });
    let at = |line: usize, column: usize, what: &str| json!({ "line": line, "column": column, "what": what });
    match &ran.result {
        Err(problem) => {
            let (line, column) = problem.place.unwrap_or((1, 1));
            object["problem"] = at(line, column, &problem.to_string());
        }
        Ok(report) => {
            object["packets_compared"] = json!(report.checked);
            object["packets_unread"] = json!(report.unread);
            object["worst_deviation_s"] = json!(report.worst.map(|(_, worst)| worst.as_secs_f64()));
            object["tolerance_s"] = json!(report.tolerance.as_secs_f64());
            object["end_s"] = json!(report.end.as_secs_f64());
            match &report.outcome {
                ScriptOutcome::Passed => {}
                ScriptOutcome::Unsupported(unsupported) => {
                    let ScriptPlace { line, column } = unsupported.place;
                    object["problem"] = at(line, column, &unsupported.what);
                }
                ScriptOutcome::Failed(failure) => {
                    let mut problem = at(failure.place.line, failure.place.column, &failure.headline);
                    let (expected, found) = match &failure.found {
                        Mismatch::Words { expected, found } => (expected.clone(), found.clone()),
                        packet => {
                            let (expected, found, _) = packet.lines();
                            (expected, found)
                        }
                    };
                    problem["time_s"] = json!(failure.time.as_secs_f64());
                    problem["expected"] = json!(expected);
                    problem["found"] = json!(found);
                    problem["hint"] = json!(failure.hint);
                    object["problem"] = problem;
                }
            }
            object["packets"] = report.packets.iter().map(|seen| json!(seen.to_string())).collect();
        }
    }
    object
}
