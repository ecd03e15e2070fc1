//! The steps of a lane, with the time that each takes.

use std::time::{Duration, Instant};

use super::limits::{ALL, LaneLimits};
use crate::bench::budget::Limit;
use crate::bench::measure::read_children_cpu_time;

/// Outcome of a step.
pub enum StepOutcome {
    /// All its checks passed.
    Passed,
    /// The step cannot run on this machine or is not due, for this reason.
    Skipped(String),
    /// The step failed with this message.
    Failed(String),
}

impl StepOutcome {
    /// Returns the outcome of the remaining parts of a step if this part has passed.
    pub fn and_then(self, rest: impl FnOnce() -> StepOutcome) -> StepOutcome {
        match self {
            StepOutcome::Passed => rest(),
            other => other,
        }
    }
}

impl From<Result<(), String>> for StepOutcome {
    fn from(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => StepOutcome::Passed,
            Err(message) => StepOutcome::Failed(message),
        }
    }
}

/// A completed step.
struct StepTime {
    name: &'static str,
    wall: Duration,
    cpu: Duration,
}

/// Completed steps.
#[derive(Default)]
pub struct Steps {
    times: Vec<StepTime>,
    /// `NAME: REASON` of each step that was skipped.
    pub skipped: Vec<String>,
    /// Messages of the steps that failed.
    pub failed: Vec<String>,
}

impl Steps {
    /// Runs a step, and prints the time that it took. Returns false if it failed.
    pub fn run_step<O: Into<StepOutcome>>(&mut self, name: &'static str, work: impl FnOnce() -> O) -> bool {
        #[expect(clippy::disallowed_methods, reason = "a command reads a clock")]
        let begin = Instant::now();
        let before = read_children_cpu_time();
        let outcome = work().into();
        let (wall, cpu) = (begin.elapsed(), read_children_cpu_time().saturating_sub(before));
        let has_failed = matches!(outcome, StepOutcome::Failed(_));
        match outcome {
            StepOutcome::Passed => {}
            StepOutcome::Skipped(reason) => {
                eprintln!("skipped: {name}: {reason}");
                self.skipped.push(format!("{name}: {reason}"));
                return true;
            }
            StepOutcome::Failed(message) => {
                eprintln!("# {name} failed: {message}");
                self.failed.push(format!("{name}: {message}"));
            }
        }
        eprintln!("# {name}: {:.0} s, {:.0} CPU s", wall.as_secs_f64(), cpu.as_secs_f64());
        self.times.push(StepTime { name, wall, cpu });
        !has_failed
    }

    /// Returns the table of times and limits.
    pub fn table(&self, limits: &LaneLimits) -> String {
        let mut text = format!("{:<14} {:>7} {:>6} {:>8} {:>6}\n", "step", "CPU s", "goal", "at most", "s");
        for StepTime { name, wall, cpu } in &self.times {
            text += &render_step(name, *cpu, limits.of(name), &format!("{:.0}", wall.as_secs_f64()));
        }
        text + &render_step(ALL, self.cpu(), limits.of(ALL), "")
    }

    /// Returns the names of the steps that took more CPU time than their limit.
    pub fn over(&self, limits: &LaneLimits) -> Vec<String> {
        let is_over = |name: &str, cpu: Duration| limits.of(name).is_some_and(|limit| cpu.as_secs_f64() > limit.most);
        let steps = self.times.iter().map(|step| (step.name, step.cpu)).chain([(ALL, self.cpu())]);
        steps.filter(|(name, cpu)| is_over(name, *cpu)).map(|(name, _)| name.to_owned()).collect()
    }

    /// Returns the names of the steps that ran.
    pub fn names(&self) -> Vec<&'static str> {
        self.times.iter().map(|step| step.name).collect()
    }

    fn cpu(&self) -> Duration {
        self.times.iter().map(|step| step.cpu).sum()
    }
}

fn render_step(name: &str, cpu: Duration, limit: Option<Limit>, wall: &str) -> String {
    let cpu = cpu.as_secs_f64();
    let mark = match limit {
        Some(limit) if cpu > limit.most => "  <- over",
        Some(Limit { goal: Some(goal), .. }) if cpu > goal => "  above the goal",
        _ => "",
    };
    let [goal, most] = [limit.and_then(|limit| limit.goal), limit.map(|limit| limit.most)]
        .map(|seconds| seconds.map_or(String::new(), |seconds| format!("{seconds:.0}")));
    format!("{name:<14} {cpu:>7.0} {goal:>6} {most:>8} {wall:>6}{mark}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> Steps {
        let time = |name, seconds| StepTime { name, wall: Duration::from_secs(9), cpu: Duration::from_secs(seconds) };
        Steps { times: vec![time("clippy", 100), time("tests", 40)], ..Steps::default() }
    }

    fn limits(text: &str) -> LaneLimits {
        LaneLimits::parse(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn steps_over_their_limit_are_marked_and_named() {
        let all = "all = { most = 139, goal = 100 }";
        let limits =
            self::limits(&format!("clippy = {{ most = 99, goal = 90 }}\ntests = {{ most = 40, goal = 39 }}\n{all}"));
        assert_eq!(steps().over(&limits), ["clippy", "all"]);
        let table = steps().table(&limits);
        let marks: Vec<&str> = table.lines().map(|line| line.split("  ").last().unwrap_or_default().trim()).collect();
        assert_eq!(marks[1..], ["<- over", "above the goal", "<- over"], "{table}");
        assert!(steps().over(&self::limits("all = { most = 140 }")).is_empty());
    }

    #[test]
    fn failures_and_skips_are_kept_and_later_steps_run() {
        let mut steps = Steps::default();
        steps.run_step("a", || Err::<(), _>("no".to_owned()));
        steps.run_step("b", || StepOutcome::Skipped("needs x".to_owned()));
        steps.run_step("c", || Ok(()));
        assert_eq!((steps.failed, steps.skipped), (vec!["a: no".to_owned()], vec!["b: needs x".to_owned()]));
        assert_eq!(steps.times.iter().map(|step| step.name).collect::<Vec<_>>(), ["a", "c"]);
    }

    #[cfg(unix)]
    #[test]
    fn cpu_time_of_a_child_is_counted() {
        let before = read_children_cpu_time();
        let script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(std::process::Command::new("sh").args(["-c", script]).status().unwrap().success());
        assert!(read_children_cpu_time() - before > Duration::from_millis(20));
    }
}
