//! Network namespaces.
//!
//! A namespace belongs to a thread, and to the processes that the thread starts. It ends when the last of these ends.
//! As nothing is mounted or named, a kill leaves nothing behind.

use std::io;
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

use crate::Error;

type Job = Box<dyn FnOnce() + Send>;

/// Moves the calling thread into a new network namespace, whose only device is a loopback device that is down.
///
/// # Errors
///
/// If the thread lacks the privilege (CAP_SYS_ADMIN in its user namespace), or the kernel has no namespaces.
pub fn enter_namespace() -> Result<(), Error> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(|error| Error::NetworkNamespace { source: error.into() })
}

/// A network namespace with a thread on which functions can be called.
pub struct Namespace {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Namespace {
    /// Creates a namespace. `name` is the name of its thread.
    ///
    /// # Errors
    ///
    /// As [`enter_namespace`].
    pub fn new(name: &str) -> Result<Self, Error> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let thread =
            thread::Builder::new().name(name.to_owned()).spawn(move || queue.into_iter().for_each(|job| job()));
        let thread = thread.map_err(|source| Error::Other { what: "a thread cannot be started", source })?;
        let namespace = Namespace { jobs: Some(jobs), thread: Some(thread) };
        namespace.call(enter_namespace)??;
        Ok(namespace)
    }

    /// Calls a function in the namespace, and returns its result. Processes that the function starts are in the
    /// namespace. Sockets and devices that it creates belong to the namespace too, also if they are used outside of the
    /// call.
    ///
    /// # Errors
    ///
    /// If an earlier function has panicked.
    pub fn call<T: Send + 'static>(&self, act: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
        let gone =
            || Error::Other { what: "the thread of a namespace has ended", source: io::ErrorKind::BrokenPipe.into() };
        let (result, answer) = mpsc::channel();
        let job: Job = Box::new(move || {
            // The caller waits for the result.
            let _ = result.send(act());
        });
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or_else(gone)?;
        answer.recv().map_err(|_| gone())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Mounts `file` over `over`, only for the calling thread and the programs that the thread starts.
///
/// # Errors
/// If the thread has no right to mount.
pub fn mount_over(file: &Path, over: &Path) -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    let nothing: Option<&Path> = None;
    // Later mounts do not propagate to the machine.
    mount(nothing, "/", nothing, MsFlags::MS_REC | MsFlags::MS_PRIVATE, nothing)?;
    mount(Some(file), over, nothing, MsFlags::MS_BIND, nothing)?;
    Ok(())
}
