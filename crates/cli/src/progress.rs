//! A progress bar on stderr, and the handler of Ctrl-C.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::CommandFailure;
use crate::talk::is_quiet;

/// A progress bar. Nothing is drawn where stderr is not a terminal, or with --quiet.
pub struct ProgressReport {
    bar: ProgressBar,
}

/// Whether Ctrl-C was pressed: work in progress is then cancelled.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C only sets a flag, and the second one ends the program. Without a handler Ctrl-C would end
/// the program at once, and temporary files would remain. All callers share the first handler.
pub fn record_interrupts() {
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// A line on stderr during an activity of another program. The line does not handle Ctrl-C.
pub struct StatusLine(ProgressBar);

impl StatusLine {
    /// Returns a line that begins with `name`. Nothing is drawn if the line is not `wanted`, where stderr is not a
    /// terminal, or with --quiet.
    pub fn new(name: &str, wanted: bool) -> Self {
        let hidden = is_quiet() || !wanted;
        let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(5) };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template("{prefix} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(name.to_owned());
        StatusLine(bar)
    }

    /// Shows another text.
    pub fn show(&self, text: String) {
        self.0.set_message(text);
        self.0.tick();
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

const STEPS: u64 = 10_000;
/// Interval of redrawing without progress.
const TICK: Duration = Duration::from_millis(500);

impl ProgressReport {
    /// A bar called `name`. From now on the first Ctrl-C only sets a flag.
    pub fn new(name: &str) -> Self {
        let progress = Self::with_template(name, "{prefix} [{bar:30}] {percent}% {elapsed} elapsed{left}");
        progress.bar.enable_steady_tick(TICK);
        progress
    }

    /// A bar that counts finished runs. It appears once the number of runs is known.
    pub fn of_runs(name: &str) -> Self {
        Self::with_template(name, "{prefix} [{bar:30}] {pos}/{len} runs, {per_sec}, {elapsed} elapsed{left}")
    }

    fn with_template(name: &str, template: &str) -> Self {
        let target = if is_quiet() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(5) };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let style = style.with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
            if let Some(left) = estimate_remaining_time(state.elapsed(), state.eta()) {
                // Writing to text in memory does not fail.
                let _ = write!(out, ", {:#} left", HumanDuration(left));
            }
        });
        bar.set_style(style.with_key("per_sec", |state: &ProgressState, out: &mut dyn fmt::Write| {
            let rate = state.per_sec();
            let decimals = usize::from(rate < 10.0);
            let _ = write!(out, "{rate:.decimals$}/s");
        }));
        bar.set_prefix(name.to_owned());
        record_interrupts();
        ProgressReport { bar }
    }

    /// Shows that `done` of `wanted` runs are finished, without the runs found in the store. Cancels after Ctrl-C.
    pub fn count(&self, done: u64, wanted: u64) -> ControlFlow<()> {
        if self.bar.length() != Some(wanted) {
            self.bar.set_length(wanted);
            self.bar.enable_steady_tick(TICK);
        }
        self.bar.set_position(done);
        self.go_on()
    }

    /// Shows the finished share of the work, from 0 to 1. Cancels after Ctrl-C.
    pub fn set(&self, share: f64) -> ControlFlow<()> {
        self.bar.set_position((share * STEPS as f64) as u64);
        self.go_on()
    }

    fn go_on(&self) -> ControlFlow<()> {
        if INTERRUPTED.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// An error after Ctrl-C, for the command's work: `done` of `wanted` pictures are drawn.
    pub fn fail_if_interrupted(&self, done: usize, wanted: usize) -> Result<(), CommandFailure> {
        match self.go_on() {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                Err(CommandFailure::Interrupted(format!("interrupted; {done} of {wanted} pictures are drawn")))
            }
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The remaining time, after the first seconds.
fn estimate_remaining_time(elapsed: Duration, estimate: Duration) -> Option<Duration> {
    (elapsed >= Duration::from_secs(2)).then_some(estimate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_time_is_shown_after_two_seconds() {
        let estimate = Duration::from_secs(77);
        assert_eq!(estimate_remaining_time(Duration::from_millis(500), estimate), None);
        assert_eq!(estimate_remaining_time(Duration::from_secs(2), estimate), Some(estimate));
    }
}
