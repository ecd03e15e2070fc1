//! Runs `cargo test`, and reads counts and times from what the tests print.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use crate::workspace;

/// What tests printed.
#[derive(Default)]
pub struct TestLog {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that are marked with `ignore`, and did not run.
    pub ignored: u64,
    /// Seconds and name of each test, in the order in which they ended.
    pub times: Vec<(f64, String)>,
}

impl TestLog {
    /// Runs `cargo test` with these arguments, the last of which are for the test programs. Output is passed on.
    pub fn run(&mut self, cargo: &mut Command, of_programs: &[&str]) -> Result<(), String> {
        cargo.arg("--no-fail-fast");
        // libtest prints times only where unstable options are permitted; `env` permits them to the test programs alone, so
        // that nothing is compiled otherwise.
        if cfg!(unix) {
            cargo.args(["--config", "target.'cfg(unix)'.runner = ['env', 'RUSTC_BOOTSTRAP=1']"]);
            cargo.args(["--", "-Z", "unstable-options", "--report-time"]).args(of_programs);
        } else {
            cargo.arg("--").args(of_programs);
        }
        self.run_plain(cargo)
    }

    /// Runs a command of tests as it is.
    pub fn run_plain(&mut self, command: &mut Command) -> Result<(), String> {
        let line = workspace::spelled(command);
        eprintln!("$ {line}");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("cannot run `{line}`: {error}"))?;
        let program = Mutex::new(String::new());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                each_line(stderr, |line| {
                    if let Some(name) = program_name(line) {
                        *program.lock().expect("no thread panics with the lock") = name;
                    }
                    eprintln!("{line}");
                });
            });
            each_line(stdout, |line| {
                let program = program.lock().expect("no thread panics with the lock").clone();
                self.read(line, &program);
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
    fn read(&mut self, line: &str, program: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
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
            self.times.push((seconds, format!("{program} {name}")));
        }
    }

    /// Returns the slowest tests, one a line with its seconds.
    pub fn slowest(&self, number: usize) -> String {
        let mut times: Vec<&(f64, String)> = self.times.iter().collect();
        times.sort_by(|a, b| b.0.total_cmp(&a.0));
        times.iter().take(number).map(|(seconds, name)| format!("{seconds:>8.2} s  {name}\n")).collect()
    }
}

/// Calls `take` with each line.
fn each_line(from: Option<impl Read>, mut take: impl FnMut(&str)) {
    let Some(from) = from else { return };
    for line in BufReader::new(from).split(b'\n') {
        let Ok(line) = line else { return };
        take(&String::from_utf8_lossy(&line));
    }
}

/// Returns the test program that cargo starts, as `crate::program`, if the line says so:
/// `     Running tests/main.rs (target/checks/deps/suite-0123456789abcdef)`.
fn program_name(line: &str) -> Option<String> {
    let path = line.trim_start().strip_prefix("Running ")?.rsplit_once('(')?.1.strip_suffix(')')?;
    let name = path.rsplit(['/', '\\']).next()?;
    Some(name.rsplit_once('-').map_or(name, |(name, _)| name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_times_are_read_from_the_lines_of_libtest() {
        let mut log = TestLog::default();
        for line in [
            "running 3 tests",
            "test a::slow ... ok <2.500s>",
            "test a::quick ... ok <0.001s>",
            "test a::long ... ignored, takes minutes",
            "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 2.51s",
            "test result: FAILED. 12 passed; 3 failed; 4 ignored; 0 measured; 5 filtered out; finished in 0.1s",
        ] {
            log.read(line, "suite");
        }
        assert_eq!((log.passed, log.ignored), (14, 5));
        assert_eq!(log.slowest(1), "    2.50 s  suite a::slow\n");
        assert_eq!(log.times.len(), 2);
    }

    #[test]
    fn program_is_read_from_the_line_of_cargo() {
        let line = "     Running tests/main.rs (target/checks/deps/suite-cc0ad10d0bc2c2fe)";
        assert_eq!(program_name(line).as_deref(), Some("suite"));
        assert_eq!(program_name("   Compiling lasthop-tcp v0.1.0"), None);
    }

    /// A shell stands in for cargo.
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
