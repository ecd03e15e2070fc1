//! Signals to this process.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use host::Error;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::{SigId, flag, low_level};

/// Handlers that catch the signals to this process, so that these do not end it.
pub(super) struct Signals {
    /// Has a byte after a signal.
    wakes: UnixStream,
    interrupts: Arc<AtomicUsize>,
    terminates: Arc<AtomicUsize>,
    registered: Vec<SigId>,
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            low_level::unregister(id);
        }
    }
}

impl Signals {
    /// Catches the signals that end a command, and the one that reports the end of a child.
    pub fn catch() -> Result<Self, Error> {
        let caught = || -> io::Result<Self> {
            let (wakes, written) = UnixStream::pair()?;
            wakes.set_nonblocking(true)?;
            let (interrupts, terminates) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let mut signals = Signals { wakes, interrupts, terminates, registered: Vec::new() };
            let counts = [(SIGINT, &signals.interrupts), (SIGTERM, &signals.terminates), (SIGHUP, &signals.terminates)];
            for (signal, count) in counts {
                signals.registered.push(flag::register_usize(signal, Arc::clone(count), 1)?);
            }
            for signal in [SIGINT, SIGTERM, SIGHUP, SIGCHLD] {
                signals.registered.push(low_level::pipe::register(signal, written.try_clone()?)?);
            }
            Ok(signals)
        };
        caught().map_err(|source| Error::Other { what: "signals cannot be caught", source })
    }

    /// Returns a descriptor that becomes readable after a signal or the end of a command.
    pub fn wakes(&self) -> BorrowedFd<'_> {
        self.wakes.as_fd()
    }

    /// Whether an interrupt, and whether a terminating signal, has arrived since the last call.
    pub fn take(&self) -> [bool; 2] {
        let mut bytes = [0; 64];
        while matches!((&self.wakes).read(&mut bytes), Ok(read) if read > 0) {}
        [&self.interrupts, &self.terminates].map(|count| count.swap(0, Ordering::Relaxed) > 0)
    }

    /// Whether a signal is pending for [`take`](Self::take).
    pub fn any(&self) -> bool {
        self.interrupts.load(Ordering::Relaxed) + self.terminates.load(Ordering::Relaxed) > 0
    }
}
