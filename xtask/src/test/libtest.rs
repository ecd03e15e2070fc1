//! Runs `cargo test`, and reads counts and times from the output.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use crate::workspace;

/// Argument with which cargo starts this program to run a test program.
pub const RUN_TESTS: &str = "run-tests";

/// Prefix of the line that names the package of the following tests.
const PACKAGE: &str = "tests of ";

/// Replaces this process by a test program, after printing the package of the program. libtest prints times only with
/// unstable options. These are permitted only for the test program, so that compilation does not change.
#[cfg(unix)]
pub fn run_program(words: &[&str]) -> Result<(), String> {
    use std::os::unix::process::CommandExt;

    let (program, arguments) = words.split_first().ok_or("expected a program of tests")?;
    workspace::print_text(&format!("{PACKAGE}{}\n", std::env::var("CARGO_PKG_NAME").unwrap_or_default()))?;
    let error = Command::new(program).args(arguments).env("RUSTC_BOOTSTRAP", "1").exec();
    Err(format!("cannot run {program}: {error}"))
}

/// What tests printed.
#[derive(Default)]
pub struct TestLog {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that are marked with `ignore`, and did not run.
    pub ignored: u64,
    /// Package whose tests are running.
    package: String,
    /// Seconds and name of each test, in the order in which they ended.
    pub times: Vec<(f64, String)>,
}

impl TestLog {
    /// Runs `cargo test` with these arguments, the last of which are for the test programs. Output is passed on.
    pub fn run_tests(&mut self, cargo: &mut Command, of_programs: &[&str]) -> Result<(), String> {
        cargo.arg("--no-fail-fast");
        if cfg!(unix) {
            let this = std::env::current_exe().map_err(|error| format!("the path of xtask: {error}"))?;
            cargo.args(["--config", &format!("target.'cfg(unix)'.runner = [{this:?}, '{RUN_TESTS}']")]);
            cargo.args(["--", "-Z", "unstable-options", "--report-time"]).args(of_programs);
        } else {
            cargo.arg("--").args(of_programs);
        }
        self.run_plain(cargo)
    }

    /// Runs a test command unchanged.
    pub fn run_plain(&mut self, command: &mut Command) -> Result<(), String> {
        let line = workspace::spell_command(command);
        eprintln!("$ {line}");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("cannot run `{line}`: {error}"))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        std::thread::scope(|scope| {
            scope.spawn(|| each_line(stderr, |line| eprintln!("{line}")));
            each_line(stdout, |line| {
                self.read(line);
                let _ = writeln!(std::io::stdout(), "{line}");
            });
        });
        match child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("`{line}` failed ({status})")),
            Err(error) => Err(format!("cannot wait for `{line}`: {error}")),
        }
    }

    /// Reads a line of a test program.
    fn read(&mut self, line: &str) {
        if let Some(package) = line.strip_prefix(PACKAGE) {
            self.package = package.to_owned();
        } else if let Some(counts) = line.strip_prefix("test result: ") {
            let count = |what: &str| {
                let before = counts.split(what).next().unwrap_or_default().trim_end();
                before.rsplit([' ', ';']).next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0)
            };
            self.passed += count("passed");
            self.ignored += count("ignored");
        } else if let Some((name, rest)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
            && let Some(seconds) = rest.split_once('<').and_then(|(_, time)| time.strip_suffix("s>"))
            && let Ok(seconds) = seconds.parse()
        {
            self.times.push((seconds, format!("{} {name}", self.package)));
        }
    }

    /// Returns the slowest tests, one a line with its seconds.
    pub fn slowest(&self, number: usize) -> String {
        let mut times: Vec<&(f64, String)> = self.times.iter().collect();
        times.sort_by(|a, b| b.0.total_cmp(&a.0));
        times.iter().take(number).map(|(seconds, name)| format!("{seconds:>8.2} s  {name}\n")).collect()
    }
}

/// Calls `take` for each line.
fn each_line(from: Option<impl Read>, mut take: impl FnMut(&str)) {
    let Some(from) = from else { return };
    for line in BufReader::new(from).split(b'\n') {
        let Ok(line) = line else { return };
        take(&String::from_utf8_lossy(&line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_times_are_read_from_the_lines_of_libtest() {
        let mut log = TestLog::default();
        for line in [
            "tests of lasthop-tcp",
            "running 3 tests",
            "test a::slow ... ok <2.500s>",
            "test a::quick ... ok <0.001s>",
            "test a::long ... ignored, takes minutes",
            "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 2.51s",
            "test result: FAILED. 12 passed; 3 failed; 4 ignored; 0 measured; 5 filtered out; finished in 0.1s",
        ] {
            log.read(line);
        }
        assert_eq!((log.passed, log.ignored), (14, 5));
        assert_eq!(log.slowest(1), "    2.50 s  lasthop-tcp a::slow\n");
        assert_eq!(log.times.len(), 2);
    }

    /// A shell replaces cargo.
    #[cfg(unix)]
    #[test]
    fn failed_tests_are_an_error_and_are_counted() {
        let mut log = TestLog::default();
        let script = "echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured'; exit 101";
        let error = log.run_plain(Command::new("sh").args(["-c", script])).unwrap_err();
        assert!(error.contains("failed"), "{error}");
        assert_eq!(log.passed, 1);
    }
}
