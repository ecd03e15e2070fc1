//! The build of the page by the repository's task. The steps of the task are shown as lines with their times, and its
//! failure as a sentence.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, PipeReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::CommandFailure;
use crate::commands::format_path;
use crate::progress::StatusLine;
use crate::talk::write_note;

/// Prefix of the lines with which the task announces its steps.
const STEP: &str = "step: ";

/// Prefix of the line with which the task reports its failure.
const FAILED: &str = "xtask: ";

/// Interval at which the time is printed and Ctrl-C is checked.
const TICK: Duration = Duration::from_millis(200);

/// Number of output lines that are kept to explain a failure.
const MAX_LINES: usize = 400;

/// The number of lines about an error that are shown.
const MAX_SHOWN: usize = 4;

/// npm's error codes if no registry is reachable.
const NO_NETWORK: [&str; 9] = [
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ENOTFOUND",
    "ERR_SOCKET_TIMEOUT",
    "ETIMEDOUT",
    "FETCH_ERROR",
];

/// Builds the page of a checkout into a folder; the output of the build goes to the file `log`.
pub fn build_page(checkout: &Path, folder: &Path, log: &Path, interrupted: &AtomicBool) -> Result<(), CommandFailure> {
    let (output, writer) =
        io::pipe().map_err(|error| CommandFailure::Run(format!("cannot create a pipe for the build: {error}")))?;
    let mut task = Command::new("cargo");
    task.args(["xtask", "web", "--out"]).arg(folder).current_dir(checkout).stdin(Stdio::null());
    // Lines for a file, not for a terminal.
    task.envs([("CARGO_TERM_COLOR", "never"), ("NO_COLOR", "1"), ("npm_config_update_notifier", "false")]);
    let copy = writer
        .try_clone()
        .map_err(|error| CommandFailure::Run(format!("cannot create a pipe for the build: {error}")))?;
    let child = task.stdout(copy).stderr(writer).spawn();
    // The command keeps a copy of the pipe's writing end. Therefore reading the pipe would never end.
    drop(task);
    let mut child = child.map_err(|error| CommandFailure::Run(format!("cannot start cargo: {error}")))?;
    let lines = read_lines(output, File::create(log).ok());
    let Some(last_lines) = follow_steps(&lines, interrupted) else {
        return Err(stop_task(&mut child));
    };
    let status =
        child.wait().map_err(|error| CommandFailure::Run(format!("cannot wait for the build of the page: {error}")))?;
    if interrupted.load(Ordering::Relaxed) {
        return Err(stop_task(&mut child));
    }
    if status.success() {
        return Ok(());
    }
    let cause = explain_failure(&last_lines);
    Err(CommandFailure::Run(format!(
        "the page was not built: {cause}\n  all output of the build: {}",
        format_path(log)
    )))
}

/// Ends the build task. Ctrl-C in a terminal has already ended the programs that the task started.
fn stop_task(child: &mut Child) -> CommandFailure {
    let _ = child.kill();
    let _ = child.wait();
    CommandFailure::Interrupted("interrupted; no page was built".to_owned())
}

/// Reads lines in a thread, and copies them into the log.
fn read_lines(output: PipeReader, mut log: Option<File>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            if let Some(log) = &mut log {
                // The build continues without a log, for example on a full disk. The build itself reports a fatal
                // error.
                let _ = log.write_all(&line);
            }
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if sender.send(text).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Shows the steps until the output ends, and returns the last lines of the output; `None` after Ctrl-C.
fn follow_steps(lines: &Receiver<String>, interrupted: &AtomicBool) -> Option<VecDeque<String>> {
    let mut step = BuildStep::begin("compile the build's program");
    let mut last_lines = VecDeque::new();
    loop {
        match lines.recv_timeout(TICK) {
            Ok(line) => {
                if let Some(title) = line.strip_prefix(STEP) {
                    step.finish();
                    step = BuildStep::begin(title);
                    // Only the output of the failed step explains its error.
                    last_lines.clear();
                }
                last_lines.push_back(line);
                if last_lines.len() > MAX_LINES {
                    last_lines.pop_front();
                }
            }
            Err(RecvTimeoutError::Timeout) => step.show(),
            Err(RecvTimeoutError::Disconnected) => {
                step.finish();
                return Some(last_lines);
            }
        }
        if interrupted.load(Ordering::Relaxed) {
            step.line.finish();
            return None;
        }
    }
}

/// A step of the build, in a line that shows its time.
struct BuildStep {
    title: String,
    began: Instant,
    line: StatusLine,
}

impl BuildStep {
    fn begin(title: &str) -> Self {
        let step = BuildStep { title: title.to_owned(), began: read_clock(), line: StatusLine::new(" ", true) };
        step.show();
        step
    }

    fn show(&self) {
        self.line.show(format!("{} ... {:.0} s", self.title, self.began.elapsed().as_secs_f64()));
    }

    /// Prints a final line with the time of the step.
    fn finish(&self) {
        self.line.finish();
        write_note(format_args!("  {:<44} {:>4.0} s", self.title, self.began.elapsed().as_secs_f64()));
    }
}

/// The wall-clock time.
#[expect(clippy::disallowed_methods, reason = "the time that a build takes, not simulated time")]
pub fn read_clock() -> Instant {
    Instant::now()
}

/// Explains the failure of a build by its last lines.
fn explain_failure(lines: &VecDeque<String>) -> String {
    let find = |wanted: &dyn Fn(&str) -> bool| lines.iter().map(String::as_str).find(|line| wanted(line));
    let full = find(&|line| line.contains("No space left on device") || line.contains("ENOSPC"));
    if let Some(line) = full {
        return format!("the disk is full: {}", line.trim_start_matches(FAILED));
    }
    let code = find(&|line| npm_error(line).is_some_and(|text| text.starts_with("code ")));
    let code = code.and_then(npm_error).map_or("", |text| text.trim_start_matches("code "));
    if NO_NETWORK.contains(&code) {
        return format!(
            "npm cannot reach the registry of the page's packages ({code}); connect this machine, \
             then type `lasthop web --build`"
        );
    }
    let cause = lines.iter().rev().find_map(|line| line.strip_prefix(FAILED));
    let is_error = |line: &&String| line.starts_with("error") || npm_error(line).is_some();
    let mut errors = lines.iter().filter(is_error).take(MAX_SHOWN).cloned().collect::<Vec<_>>();
    let last = lines.iter().rev().find(|line| !line.is_empty()).cloned();
    match (cause, errors.is_empty()) {
        (Some(cause), _) => errors.insert(0, cause.to_owned()),
        (None, true) => errors.push(last.unwrap_or_else(|| "it printed nothing".to_owned())),
        (None, false) => {}
    }
    errors.join("\n  ")
}

/// Returns the text of npm's message in a line about an error.
fn npm_error(line: &str) -> Option<&str> {
    line.strip_prefix("npm error ").or_else(|| line.strip_prefix("npm ERR! "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause_of(lines: &[&str]) -> String {
        explain_failure(&lines.iter().map(|line| (*line).to_owned()).collect())
    }

    #[test]
    fn npm_failure_without_a_network_is_reported_in_one_sentence() {
        let cause = cause_of(&[
            "step: install the page's packages",
            "npm error code EAI_AGAIN",
            "npm error request to https://example.org/vite failed, reason: getaddrinfo EAI_AGAIN",
            "xtask: `npm ci` failed (exit status: 1)",
        ]);
        assert!(cause.starts_with("npm cannot reach the registry of the page's packages (EAI_AGAIN); "), "{cause}");
        assert!(!cause.contains('\n'), "{cause}");
    }

    #[test]
    fn other_failures_report_the_task_and_its_error_lines() {
        let cause =
            cause_of(&["npm error code EUSAGE", "npm error and more", "xtask: `npm ci` failed (exit status: 1)"]);
        assert_eq!(cause, "`npm ci` failed (exit status: 1)\n  npm error code EUSAGE\n  npm error and more");
        assert_eq!(
            cause_of(&["   Compiling x", "error: could not compile `xtask`", ""]),
            "error: could not compile `xtask`"
        );
        assert_eq!(cause_of(&["Killed", ""]), "Killed");
        assert_eq!(cause_of(&[]), "it printed nothing");
    }

    #[test]
    fn full_disk_is_named_in_the_error() {
        let cause = cause_of(&["xtask: /cache/build-1/index.html.gz: No space left on device (os error 28)"]);
        assert_eq!(cause, "the disk is full: /cache/build-1/index.html.gz: No space left on device (os error 28)");
    }
}
