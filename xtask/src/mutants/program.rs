//! Runs a test program with limits of time and memory.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ChildStderr, Command, Stdio};
use std::time::Duration;

use wait4::Wait4;

use super::build::TestProgram;
use crate::workspace;

/// Limit of a program's address space in KiB: a multiple of the tests' need, small enough for several programs at a
/// time.
const MEMORY_KIB: u64 = 4 << 20;

/// The end of a test program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramEnd {
    Passed,
    Failed,
    Late,
    OutOfMemory,
}

/// Returns the command that runs the tests of a program in its crate's folder, deterministically: a verdict must be
/// reproducible.
pub fn tests_command(program: &TestProgram, folder: &Path) -> Command {
    let mut command = Command::new(&program.path);
    if !program.tests.is_empty() {
        command.arg("--exact").args(&program.tests);
    }
    command.args(["-q", "--test-threads=1"]).current_dir(folder).env("CARGO_MANIFEST_DIR", folder);
    // A mutant must not update golden files or the stored failures of proptest.
    command.env_remove("UPDATE_GOLDEN").env("PROPTEST_FAILURE_PERSISTENCE", "off").env("PROPTEST_RNG_SEED", "1");
    command.env("RUST_BACKTRACE", "0");
    command
}

/// Runs `command` until it ends or has used the processor time `limit`. Returns how the command ended, and its
/// processor time. The limit of real time is 20 times larger, because the machine may be busy. It ends a program that
/// only waits.
pub fn run_limited(command: &Command, limit: Duration) -> Result<(ProgramEnd, Duration), String> {
    run_by_the_clock(command, limit, 20 * limit)
}

fn run_by_the_clock(command: &Command, limit: Duration, clock: Duration) -> Result<(ProgramEnd, Duration), String> {
    let seconds = limit.as_secs().max(1);
    let mut limited = Command::new("timeout");
    limited.args(["--foreground", "--kill-after=10", &clock.as_secs().max(1).to_string()]);
    limited.args(["sh", "-c", "ulimit -S -t \"$0\"; ulimit -v \"$1\"; shift; exec \"$@\""]);
    limited.args([seconds.to_string(), MEMORY_KIB.to_string()]).arg(command.get_program()).args(command.get_args());
    copy_environment(&mut limited, command);
    let failed = |error| format!("cannot run `{}`: {error}", workspace::spell_command(command));
    let mut child =
        limited.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let out_of_memory = child.stderr.take().is_some_and(says_out_of_memory);
    let end = child.wait4().map_err(failed)?;
    let ended = match (end.status.code(), end.status.signal()) {
        (Some(0), _) => ProgramEnd::Passed,
        // Ended by `timeout`, or by the limit of processor time.
        (Some(124 | 137), _) | (_, Some(signals::KILL | signals::XCPU)) => ProgramEnd::Late,
        (_, Some(signals::ABRT)) if out_of_memory => ProgramEnd::OutOfMemory,
        _ => ProgramEnd::Failed,
    };
    Ok((ended, end.rusage.utime + end.rusage.stime))
}

/// Linux's numbers of signals.
mod signals {
    pub const ABRT: i32 = 6;
    pub const KILL: i32 = 9;
    pub const XCPU: i32 = 24;
}

/// Reads all output; returns true if an allocation failure is reported.
fn says_out_of_memory(mut pipe: ChildStderr) -> bool {
    const WORDS: &[u8] = b"memory allocation of ";
    let (mut found, mut tail, mut block) = (false, Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = pipe.read(&mut block) {
        tail.extend_from_slice(&block[..length]);
        found = found || tail.windows(WORDS.len()).any(|window| window == WORDS);
        tail.drain(..tail.len().saturating_sub(WORDS.len()));
    }
    found
}

/// Copies folder and environment of `from` to `to`.
fn copy_environment(to: &mut Command, from: &Command) {
    for (name, value) in from.get_envs() {
        match value {
            Some(value) => to.env(name, value),
            None => to.env_remove(name),
        };
    }
    if let Some(folder) = from.get_current_dir() {
        to.current_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str, limit: u64) -> ProgramEnd {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]);
        run_by_the_clock(&shell, Duration::from_secs(limit), Duration::from_secs(limit)).unwrap().0
    }

    #[test]
    fn program_passes_fails_or_times_out() {
        assert_eq!(shell("exit 0", 60), ProgramEnd::Passed);
        assert_eq!(shell("exit 101", 60), ProgramEnd::Failed);
        assert_eq!(shell("kill -SEGV $$", 60), ProgramEnd::Failed);
        assert_eq!(shell("exec sleep 600", 1), ProgramEnd::Late);
        let mut loops = Command::new("sh");
        loops.args(["-c", "while :; do :; done"]);
        assert_eq!(run_limited(&loops, Duration::from_secs(1)).unwrap().0, ProgramEnd::Late);
    }

    #[test]
    fn abort_is_out_of_memory_only_if_an_allocation_failed() {
        assert_eq!(shell("echo memory allocation of 9 bytes failed >&2; kill -ABRT $$", 60), ProgramEnd::OutOfMemory);
        assert_eq!(shell("echo stack overflow >&2; kill -ABRT $$", 60), ProgramEnd::Failed);
    }

    #[test]
    fn address_space_is_limited() {
        assert_eq!(shell(&format!("test $(ulimit -v) = {MEMORY_KIB}"), 60), ProgramEnd::Passed);
    }
}
