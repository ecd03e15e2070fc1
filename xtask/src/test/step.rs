//! The steps of a lane, with the time that each takes.

use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

use super::limits::Limits;

/// How a step ended.
pub enum StepOutcome {
    /// All its checks passed.
    Passed,
    /// It cannot run on this machine or is not due, for this reason.
    Skipped(String),
    /// It failed, with this message.
    Failed(String),
}

impl From<Result<(), String>> for StepOutcome {
    fn from(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => StepOutcome::Passed,
            Err(message) => StepOutcome::Failed(message),
        }
    }
}

/// A step that has ended.
struct StepTime {
    name: &'static str,
    wall: Duration,
    cpu: Duration,
}

/// The steps that have ended.
#[derive(Default)]
pub struct Steps {
    times: Vec<StepTime>,
    /// `NAME: REASON` of each step that was skipped.
    pub skipped: Vec<String>,
    /// Messages of the steps that failed.
    pub failed: Vec<String>,
}

impl Steps {
    /// Runs a step, and prints the time that it took.
    pub fn run<O: Into<StepOutcome>>(&mut self, name: &'static str, work: impl FnOnce() -> O) {
        #[expect(clippy::disallowed_methods, reason = "a command reads a clock")]
        let begin = Instant::now();
        let before = children_time();
        let outcome = work().into();
        let (wall, cpu) = (begin.elapsed(), children_time().saturating_sub(before));
        match outcome {
            StepOutcome::Passed => {}
            StepOutcome::Skipped(reason) => {
                eprintln!("skipped: {name}: {reason}");
                self.skipped.push(format!("{name}: {reason}"));
                return;
            }
            StepOutcome::Failed(message) => {
                eprintln!("# {name} failed: {message}");
                self.failed.push(message);
            }
        }
        eprintln!("# {name}: {:.0} s, {:.0} CPU s", wall.as_secs_f64(), cpu.as_secs_f64());
        self.times.push(StepTime { name, wall, cpu });
    }

    /// Returns the table of times beside their limits.
    pub fn table(&self, limits: &Limits) -> String {
        let mut text = format!("{:<14} {:>7} {:>8} {:>6}\n", "step", "CPU s", "at most", "s");
        let mut sum = Duration::ZERO;
        for StepTime { name, wall, cpu } in &self.times {
            sum += *cpu;
            text += &row(name, *cpu, limits.of(name), &format!("{:.0}", wall.as_secs_f64()));
        }
        text + &row("all", sum, limits.of("all"), "")
    }

    /// Returns the names of the steps that took more CPU time than their limit.
    pub fn over(&self, limits: &Limits) -> Vec<&'static str> {
        let is_over = |step: &&StepTime| limits.of(step.name).is_some_and(|most| step.cpu.as_secs_f64() > most);
        let mut over: Vec<_> = self.times.iter().filter(is_over).map(|step| step.name).collect();
        let sum: f64 = self.times.iter().map(|step| step.cpu.as_secs_f64()).sum();
        if limits.of("all").is_some_and(|most| sum > most) {
            over.push("all");
        }
        over
    }
}

fn row(name: &str, cpu: Duration, most: Option<f64>, wall: &str) -> String {
    let cpu = cpu.as_secs_f64();
    let mark = if most.is_some_and(|most| cpu > most) { "  <- over" } else { "" };
    let most = most.map_or(String::new(), |most| format!("{most:.0}"));
    format!("{name:<14} {cpu:>7.0} {most:>8} {wall:>6}{mark}\n")
}

/// Returns the CPU time, in user mode and in the kernel, of all child processes that have ended.
fn children_time() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return Duration::ZERO };
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|time| Duration::from_micros(u64::try_from(time.tv_sec() * 1_000_000 + time.tv_usec()).unwrap_or(0)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> Steps {
        let time = |name, seconds| StepTime { name, wall: Duration::from_secs(9), cpu: Duration::from_secs(seconds) };
        Steps { times: vec![time("clippy", 100), time("tests", 40)], ..Steps::default() }
    }

    #[test]
    fn steps_over_their_limit_are_marked_and_named() {
        let limits: Limits = "clippy = 99\ntests = 40\nall = 139".parse().unwrap();
        assert_eq!(steps().over(&limits), ["clippy", "all"]);
        let table = steps().table(&limits);
        let marks: Vec<bool> = table.lines().map(|line| line.ends_with("<- over")).collect();
        assert_eq!(marks, [false, true, false, true], "{table}");
        assert!(steps().over(&"".parse().unwrap()).is_empty());
    }

    #[test]
    fn failures_and_skips_are_kept_and_later_steps_run() {
        let mut steps = Steps::default();
        steps.run("a", || Err::<(), _>("no".to_owned()));
        steps.run("b", || StepOutcome::Skipped("needs x".to_owned()));
        steps.run("c", || Ok(()));
        assert_eq!((steps.failed, steps.skipped), (vec!["no".to_owned()], vec!["b: needs x".to_owned()]));
        assert_eq!(steps.times.iter().map(|step| step.name).collect::<Vec<_>>(), ["a", "c"]);
    }

    #[cfg(unix)]
    #[test]
    fn cpu_time_of_a_child_is_counted() {
        let before = children_time();
        let script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(std::process::Command::new("sh").args(["-c", script]).status().unwrap().success());
        assert!(children_time() - before > Duration::from_millis(20));
    }
}
