//! Processor time and memory of a program, as counted by the kernel.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use wait4::Wait4;

use crate::workspace;

/// Measurements of one run of a program.
pub struct Run {
    /// Standard output.
    pub printed: String,
    /// Processor time in user mode and in the kernel; independent of other load on the machine.
    pub cpu: Duration,
    /// Peak resident memory in bytes.
    pub peak_bytes: u64,
}

/// Runs a program `times` times; returns the run with the median processor time (for an even number, the later of the
/// two middle ones).
pub fn median(command: &mut Command, times: usize) -> Result<Run, String> {
    let mut runs = (0..times).map(|_| once(command)).collect::<Result<Vec<_>, _>>()?;
    runs.sort_by_key(|run| run.cpu);
    Ok(runs.swap_remove(times / 2))
}

fn once(command: &mut Command) -> Result<Run, String> {
    let line = workspace::spelled(command);
    let failed = |error| format!("cannot run `{line}`: {error}");

    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut printed = String::new();
    let reading = child.stdout.take().map_or(Ok(0), |mut pipe| pipe.read_to_string(&mut printed));
    let end = child.wait4().map_err(failed)?;
    reading.map_err(failed)?;
    if !end.status.success() {
        return Err(format!("`{line}` failed ({})", end.status));
    }
    Ok(Run { printed, cpu: end.rusage.utime + end.rusage.stime, peak_bytes: end.rusage.maxrss })
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
        let work = median(&mut shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo $i"), 1).unwrap();
        let sleep = median(&mut shell("sleep 0.3"), 3).unwrap();
        assert_eq!(work.printed, "200000\n");
        assert!(work.cpu > sleep.cpu && sleep.cpu < Duration::from_millis(200));
        assert!(work.peak_bytes > 100_000);
    }

    #[test]
    fn failure_is_an_error() {
        assert!(median(&mut shell("exit 3"), 1).is_err_and(|problem| problem.contains("exit status: 3")));
        assert!(median(&mut Command::new("no-such-program"), 1).is_err());
    }
}
