//! A progress bar on stderr for runs that take longer than a moment.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Draws nothing where stderr is not a terminal.
pub struct Progress(ProgressBar);

const STEPS: u64 = 10_000;

impl Progress {
    /// A bar for what is called `name`.
    pub fn new(name: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr_with_hz(5));
        let style = ProgressStyle::with_template("{prefix} [{bar:30}] {percent}% {elapsed} elapsed, {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(500));
        Progress(bar)
    }

    /// `share` of the work is done, from 0 to 1.
    pub fn set(&self, share: f64) {
        self.0.set_position((share * STEPS as f64) as u64);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
