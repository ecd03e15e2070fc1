//! Work on threads that Ctrl-C stops, and the lock of environments.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use crate::error::BindingFailure;
use crate::watch::{INTERVAL, Watch};

/// Interval at which a call tries to acquire the lock.
const RETRY: Duration = Duration::from_millis(1);

/// Returns whether to continue; called often.
pub type GoOn<'a> = dyn FnMut() -> bool + 'a;

/// Applies `act` to each item, on at most `most` threads. `act` returns `None` if stopped: after a signal, or after a
/// panic on another thread.
pub fn apply_to_each<T: Send>(
    most: usize,
    items: &mut [T],
    act: impl Fn(&mut T, &mut GoOn<'_>) -> Option<()> + Sync,
) -> Result<(), BindingFailure> {
    let threads = most.min(items.len()).max(1);
    let mut watch = Watch::new(None);
    let done = if threads == 1 {
        items.iter_mut().try_for_each(|item| act(item, &mut || watch.report(|| ()).is_continue()))
    } else {
        apply_on_threads(threads, items, &act, &mut watch)
    };
    done.ok_or_else(|| watch.failure(BindingFailure::Text("interrupted".into())))
}

fn apply_on_threads<T: Send>(
    threads: usize,
    items: &mut [T],
    act: &(impl Fn(&mut T, &mut GoOn<'_>) -> Option<()> + Sync),
    watch: &mut Watch,
) -> Option<()> {
    let part = items.len().div_ceil(threads);
    let stop = &AtomicBool::new(false);
    thread::scope(|scope| {
        let (running, ended) = channel();
        let begin = |part| {
            let guard = Guard { stop, _running: Sender::clone(&running) };
            scope.spawn(move || {
                let _guard = guard;
                let parts: &mut [T] = part;
                parts.iter_mut().try_for_each(|item| act(item, &mut || !stop.load(Ordering::Relaxed)))
            })
        };
        let threads: Vec<_> = items.chunks_mut(part).map(begin).collect();
        drop(running);
        await_threads(&ended, stop, watch);
        // All threads are joined before a panic is resumed.
        let results: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        results.into_iter().map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Waits for the end of all threads. Stops them after a signal.
fn await_threads(ended: &Receiver<()>, stop: &AtomicBool, watch: &mut Watch) {
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(INTERVAL) {
        if watch.report(|| ()).is_break() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// A guard for the work of a thread. If the thread panics, the other threads stop.
struct Guard<'a> {
    stop: &'a AtomicBool,
    /// Sender on which nothing is sent. The channel closes when the last thread has dropped its sender.
    _running: Sender<()>,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

thread_local! {
    /// Locks whose holders' work this thread does.
    static WORKING: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A lock that may be held while classes in Python run. It must be acquired without holding the interpreter's lock.
#[derive(Default)]
pub struct Busy<T>(Mutex<T>);

impl<T> Busy<T> {
    pub fn new(value: T) -> Self {
        Busy(Mutex::new(value))
    }

    /// Waits for the lock. If the holder of the lock calls a class and this class waits, both would deadlock. Therefore
    /// such a call is an error.
    pub fn open(&self) -> Result<MutexGuard<'_, T>, BindingFailure> {
        let mut watch = Watch::new(None);
        loop {
            match self.0.try_lock() {
                Ok(open) => return Ok(open),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
            if WORKING.with_borrow(|working| working.contains(&self.address())) {
                let text = "found a call of an environment by a class of its own scenario, during a step or a reset";
                return Err(BindingFailure::Text(format!(
                    "{text}; expected a call after the step or the reset has returned"
                )));
            }
            thread::sleep(RETRY);
            if watch.report(|| ()).is_break() {
                return Err(watch.failure(BindingFailure::Text("interrupted".into())));
            }
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Executes a part of the lock holder's work, on any thread.
    pub fn work<R>(&self, act: impl FnOnce() -> R) -> R {
        struct Ended;
        impl Drop for Ended {
            fn drop(&mut self) {
                WORKING.with_borrow_mut(Vec::pop);
            }
        }
        WORKING.with_borrow_mut(|working| working.push(self.address()));
        let _ended = Ended;
        act()
    }
}
