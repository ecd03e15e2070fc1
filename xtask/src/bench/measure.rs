//! Processor time and memory of a program, as counted by the kernel.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use wait4::Wait4;

use crate::workspace;

/// Measurements of one run of a program.
pub struct ProgramRun {
    /// Standard output.
    pub printed: String,
    /// Processor time in user mode and in the kernel; independent of other load on the machine.
    pub cpu: Duration,
    /// Peak resident memory in bytes. It is at least the peak of this program when it started the other one.
    pub peak_bytes: u64,
}

/// Runs a program `times` times; returns the run with the median processor time (for an even number, the later of the
/// two middle ones).
pub fn measure_median(command: &mut Command, times: usize) -> Result<ProgramRun, String> {
    let mut runs = (0..times).map(|_| measure_once(command)).collect::<Result<Vec<_>, _>>()?;
    runs.sort_by_key(|run| run.cpu);
    Ok(runs.swap_remove(times / 2))
}

/// Reads the CPU time, in user mode and in the kernel, of all child processes that have ended.
pub fn read_children_cpu_time() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return Duration::ZERO };
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|time| Duration::from_micros(u64::try_from(time.tv_sec() * 1_000_000 + time.tv_usec()).unwrap_or(0)))
        .sum()
}

/// Argument with which this program measures and prints the memory of another.
pub const PEAK_MEMORY: &str = "peak-memory";

/// Runs a program; returns its peak resident memory in bytes. A new process of this program starts it, since the kernel counts
/// the memory of the process that starts a program.
pub fn peak_bytes(command: &Command) -> Result<u64, String> {
    let this = std::env::current_exe().map_err(|error| format!("the path of xtask: {error}"))?;
    let mut starter = Command::new(this);
    starter.arg(PEAK_MEMORY).arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        starter.current_dir(folder);
    }
    let printed = workspace::read_output(&mut starter)?;
    printed.trim().parse().map_err(|_| format!("expected a number of bytes, found {printed}"))
}

/// Prints the peak resident memory of a program.
pub fn print_peak_memory(words: &[&str]) -> Result<(), String> {
    let (program, arguments) = words.split_first().ok_or("expected a program")?;
    let run = measure_once(Command::new(program).args(arguments))?;
    workspace::print_text(&format!("{}\n", run.peak_bytes))
}

fn measure_once(command: &mut Command) -> Result<ProgramRun, String> {
    let line = workspace::spell_command(command);
    let failed = |error| format!("cannot run `{line}`: {error}");

    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut printed = String::new();
    let reading = child.stdout.take().map_or(Ok(0), |mut pipe| pipe.read_to_string(&mut printed));
    let end = child.wait4().map_err(failed)?;
    reading.map_err(failed)?;
    if !end.status.success() {
        return Err(format!("`{line}` failed ({})", end.status));
    }
    Ok(ProgramRun { printed, cpu: end.rusage.utime + end.rusage.stime, peak_bytes: end.rusage.maxrss })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        shell
    }

    #[test]
    fn cpu_time_excludes_sleep() {
        let work = measure_median(&mut shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo $i"), 1).unwrap();
        let sleep = measure_median(&mut shell("sleep 0.3"), 3).unwrap();
        assert_eq!(work.printed, "200000\n");
        assert!(work.cpu > sleep.cpu && sleep.cpu < Duration::from_millis(200));
        assert!(work.peak_bytes > 100_000);
    }

    #[test]
    fn failure_is_an_error() {
        assert!(measure_median(&mut shell("exit 3"), 1).is_err_and(|problem| problem.contains("exit status: 3")));
        assert!(measure_median(&mut Command::new("no-such-program"), 1).is_err());
    }
}
