//! One run of a program of tests, which may take no more than so much time and memory.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ChildStderr, Command, Stdio};
use std::time::Duration;

use wait4::Wait4;

use crate::workspace;

/// The address space of a program: a multiple of what any takes, and little enough that some may run beside one another.
const MEMORY_KIB: u64 = 4 << 20;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Passed,
    Failed,
    Late,
    OutOfMemory,
}

/// The command that runs a program of tests in its crate's folder, always in the same way: a verdict must not depend on chance.
pub fn tests(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["-q", "--test-threads=1"]).current_dir(folder).env("CARGO_MANIFEST_DIR", folder);
    // A mutant must not write what it gives for what is right, nor remember what made it fail.
    command.env_remove("UPDATE_GOLDEN").env("PROPTEST_FAILURE_PERSISTENCE", "off").env("PROPTEST_RNG_SEED", "1");
    command.env("RUST_BACKTRACE", "0");
    command
}

/// Runs `command` to its end, or until it has taken `limit` of the processor's time, and says what it took. By the clock it
/// may take much longer, since the machine may be busy with other things; one that only waits is ended by it.
pub fn run(command: &Command, limit: Duration) -> Result<(Ended, Duration), String> {
    run_by_the_clock(command, limit, 20 * limit)
}

fn run_by_the_clock(command: &Command, limit: Duration, clock: Duration) -> Result<(Ended, Duration), String> {
    let seconds = limit.as_secs().max(1);
    let mut limited = Command::new("timeout");
    limited.args(["--foreground", "--kill-after=10", &clock.as_secs().max(1).to_string()]);
    limited.args(["sh", "-c", "ulimit -S -t \"$0\"; ulimit -v \"$1\"; shift; exec \"$@\""]);
    limited.args([seconds.to_string(), MEMORY_KIB.to_string()]).arg(command.get_program()).args(command.get_args());
    alike(&mut limited, command);
    let failed = |error| format!("cannot run `{}`: {error}", workspace::spelled(command));
    let mut child =
        limited.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let out_of_memory = child.stderr.take().is_some_and(says_out_of_memory);
    let end = child.wait4().map_err(failed)?;
    let ended = match (end.status.code(), end.status.signal()) {
        (Some(0), _) => Ended::Passed,
        // Ended by `timeout`, or by the limit of the processor's time.
        (Some(124 | 137), _) | (_, Some(signals::KILL | signals::XCPU)) => Ended::Late,
        (_, Some(signals::ABRT)) if out_of_memory => Ended::OutOfMemory,
        _ => Ended::Failed,
    };
    Ok((ended, end.rusage.utime + end.rusage.stime))
}

/// Signals by their numbers on Linux.
mod signals {
    pub const ABRT: i32 = 6;
    pub const KILL: i32 = 9;
    pub const XCPU: i32 = 24;
}

/// Reads all that is printed, of which nothing is kept, and says whether an allocation failed.
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

/// Gives `to` the folder and the environment that `from` has.
fn alike(to: &mut Command, from: &Command) {
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

    fn shell(line: &str, limit: u64) -> Ended {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]);
        run_by_the_clock(&shell, Duration::from_secs(limit), Duration::from_secs(limit)).unwrap().0
    }

    #[test]
    fn a_program_passes_fails_or_is_late() {
        assert_eq!(shell("exit 0", 60), Ended::Passed);
        assert_eq!(shell("exit 101", 60), Ended::Failed);
        assert_eq!(shell("kill -SEGV $$", 60), Ended::Failed);
        assert_eq!(shell("exec sleep 600", 1), Ended::Late);
        let mut loops = Command::new("sh");
        loops.args(["-c", "while :; do :; done"]);
        assert_eq!(run(&loops, Duration::from_secs(1)).unwrap().0, Ended::Late);
    }

    #[test]
    fn an_abort_is_out_of_memory_only_if_an_allocation_failed() {
        assert_eq!(shell("echo memory allocation of 9 bytes failed >&2; kill -ABRT $$", 60), Ended::OutOfMemory);
        assert_eq!(shell("echo stack overflow >&2; kill -ABRT $$", 60), Ended::Failed);
    }

    #[test]
    fn the_address_space_is_limited() {
        assert_eq!(shell(&format!("test $(ulimit -v) = {MEMORY_KIB}"), 60), Ended::Passed);
    }
}
