//! The real clock, and waiting until a time of this clock.

#![expect(clippy::disallowed_methods, reason = "the clock of the machine")]

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use engine::Time;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl;
use nix::unistd::gettid;

use crate::{Error, ip};

/// Priority among real-time threads. It is above 1, with which others may run, and below that of the kernel's threads.
const PRIORITY: &str = "10";

/// CLOCK_MONOTONIC, from a moment on.
pub struct MachineClock {
    start: Instant,
}

impl MachineClock {
    /// Creates a clock that starts at zero now.
    pub fn start() -> Self {
        MachineClock { start: Instant::now() }
    }

    /// Time since the clock's start.
    pub fn now(&self) -> Time {
        Time::from_nanos(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    /// Waits until one of `files` is readable, or until `until`; [`Time::NEVER`] for no limit. May return earlier.
    /// Returns the readable files.
    ///
    /// # Errors
    ///
    /// If waiting is impossible.
    pub fn wait(&self, files: &[BorrowedFd<'_>], until: Time) -> io::Result<Vec<bool>> {
        let limit = match until {
            Time::NEVER => None,
            until => Some(Duration::from_nanos(until.as_nanos().saturating_sub(self.now().as_nanos()))),
        };
        let mut files: Vec<PollFd<'_>> = files.iter().map(|file| PollFd::new(*file, PollFlags::POLLIN)).collect();
        match ppoll(&mut files, limit.map(Into::into), None) {
            Ok(_) => Ok(files.iter().map(|file| file.any().unwrap_or(true)).collect()),
            Err(Errno::EINTR) => Ok(vec![true; files.len()]),
            Err(error) => Err(error.into()),
        }
    }
}

/// Makes the calling thread wake up on time, with a timer slack of 1 ns instead of 50 us.
///
/// # Errors
/// If the kernel refuses the setting.
pub fn wake_exactly() -> Result<(), Error> {
    let refused = |error: Errno| Error::Other { what: "the timer slack cannot be set", source: error.into() };
    prctl::set_timerslack(1).map_err(refused)
}

/// Gives the calling thread a real-time priority (SCHED_FIFO), which needs root, CAP_SYS_NICE, or an RLIMIT_RTPRIO of
/// that priority (sched(7)). Child processes do not inherit it.
///
/// # Errors
///
/// If `chrt` of util-linux fails.
pub fn real_time() -> Result<(), Error> {
    let ran = ip::run_program("chrt", &["--reset-on-fork", "--fifo", "--pid", PRIORITY, &gettid().to_string()]);
    ran.map_err(|error| match error {
        Error::Program { line, message } => {
            let remedy = format!("run as root, or permit the user `rtprio {PRIORITY}` in /etc/security/limits.conf");
            Error::Program { line, message: format!("{message}; remedy: {remedy}") }
        }
        error => error,
    })
}
