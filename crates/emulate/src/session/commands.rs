//! The commands in the namespaces, and signals to this process.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use engine::{Span, Time};
use host::{Error, process};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::{SigId, flag, low_level};

use super::Plan;
use super::nodes::Node;

/// The subcommand of `lasthop` that becomes a command of a namespace.
pub const HERE: &str = "__here";

/// Time that a command has to end by itself after a signal.
const GRACE: Span = Span::from_secs(2);

/// Signals to this process, which it does not end by.
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
}

/// Running commands.
pub(super) struct Commands {
    /// The first one ends the emulation; `None` if a signal does.
    main: Option<Child>,
    others: Vec<Child>,
    signals: Signals,
    /// The exit code of the first one.
    code: Option<u8>,
    /// When a command that was told to end is killed.
    kill_at: Time,
}

impl Commands {
    /// Starts the commands of `plan` in the namespaces `nodes`, that of the first one last. What they print goes to `log`, if
    /// there is one.
    pub fn start(plan: &Plan, nodes: &[Node], signals: Signals, log: Option<&File>) -> Result<Self, Error> {
        let mut commands = Commands { main: None, others: Vec::new(), signals, code: None, kill_at: Time::NEVER };
        for node in nodes {
            if let Some(line) = &node.place.command {
                let words = ["/bin/sh", "-c", line].map(OsString::from).to_vec();
                match spawn(node, words, plan.program.as_deref(), true, log) {
                    Ok(child) => commands.others.push(child),
                    Err(error) => {
                        commands.finish(nodes);
                        return Err(error);
                    }
                }
            }
        }
        if let Some(node) = nodes.first().filter(|_| !plan.command.is_empty()) {
            match spawn(node, plan.command.clone(), plan.program.as_deref(), false, log) {
                Ok(child) => commands.main = Some(child),
                Err(error) => {
                    commands.finish(nodes);
                    return Err(error);
                }
            }
        }
        Ok(commands)
    }

    /// Readable after a signal or the end of a command.
    pub fn wakes(&self) -> BorrowedFd<'_> {
        self.signals.wakes.as_fd()
    }

    /// When [`look`](Self::look) must be called at the latest.
    pub fn deadline(&self) -> Time {
        self.kill_at
    }

    /// Passes signals on; returns whether the emulation is over.
    pub fn look(&mut self, now: Time) -> bool {
        let mut bytes = [0; 64];
        while matches!((&self.signals.wakes).read(&mut bytes), Ok(read) if read > 0) {}
        let interrupted = self.signals.interrupts.swap(0, Ordering::Relaxed) > 0;
        let terminated = self.signals.terminates.swap(0, Ordering::Relaxed) > 0;
        let Some(main) = &mut self.main else {
            if interrupted || terminated {
                self.code = Some(0);
            }
            return self.code.is_some();
        };
        // A terminal sends its interrupt to the command, too, which decides what it means: a shell continues.
        if interrupted && !io::stdin().is_terminal() {
            signal(main, Signal::SIGINT);
        }
        if terminated {
            signal(main, Signal::SIGTERM);
            self.kill_at = now + GRACE;
        }
        if now >= self.kill_at {
            signal(main, Signal::SIGKILL);
            self.kill_at = Time::NEVER;
        }
        if let Ok(Some(status)) = main.try_wait() {
            self.code = Some(code(status));
        }
        self.code.is_some()
    }

    /// Ends what still runs in the namespaces, and returns the exit code of the first command.
    pub fn finish(&mut self, nodes: &[Node]) -> u8 {
        let mut running: Vec<Child> = self.main.take().into_iter().chain(self.others.drain(..)).collect();
        let mut code = self.code;
        for (number, child) in running.iter_mut().enumerate() {
            match child.try_wait() {
                Ok(Some(status)) if number == 0 => code = code.or(Some(self::code(status))),
                Ok(Some(_)) => {}
                _ => signal(child, Signal::SIGTERM),
            }
        }
        for last in [Signal::SIGTERM, Signal::SIGKILL] {
            for pid in nodes.iter().flat_map(|node| inhabitants(&node.inode)) {
                // One that has just ended needs no signal.
                let _ = kill(pid, last);
            }
            for _ in 0..50 {
                running.retain_mut(|child| !matches!(child.try_wait(), Ok(Some(_))));
                if nodes.iter().all(|node| inhabitants(&node.inode).is_empty()) {
                    break;
                }
                sleep(Duration::from_millis(10));
            }
        }
        for mut child in running {
            let _ = child.kill().and_then(|()| child.wait());
        }
        code.unwrap_or(1)
    }
}

/// Processes in a network namespace.
fn inhabitants(inode: &str) -> Vec<Pid> {
    let here = fs::read_link("/proc/self/ns/net").unwrap_or_default();
    if here.to_string_lossy() == inode {
        return Vec::new();
    }
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let inside = |pid: &i32| fs::read_link(format!("/proc/{pid}/ns/net")).is_ok_and(|link| link == Path::new(inode));
    let running = |pid: &i32| fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    numbers.filter(inside).filter(running).map(Pid::from_raw).collect()
}

fn signal(child: &Child, which: Signal) {
    // A child that was not waited for keeps its number.
    let _ = kill(Pid::from_raw(child.id() as i32), which);
}

/// The exit code of a command by the convention of shells.
fn code(status: ExitStatus) -> u8 {
    let by_signal = status.signal().map(|signal| 128 + signal);
    status.code().or(by_signal).and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Starts a command in a namespace. With `program` it ends when this process does. `aside`: it does not read the terminal,
/// and its output goes where errors go. With `log` all of it goes there.
fn spawn(
    node: &Node,
    words: Vec<OsString>,
    program: Option<&Path>,
    aside: bool,
    log: Option<&File>,
) -> Result<Child, Error> {
    let shown = words[0].to_string_lossy().into_owned();
    let mut command = match program {
        Some(program) => {
            let mut command = Command::new(program);
            command.arg(HERE).arg("--").args(&words);
            command
        }
        None => {
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]);
            command
        }
    };
    command.env("LASTHOP_NODE", &node.place.name);
    if let Some(log) = log {
        let copy = || log.try_clone().map_err(|source| Error::Other { what: "the log cannot be written", source });
        command.stdin(std::process::Stdio::null()).stdout(copy()?).stderr(copy()?);
    } else if aside {
        command.stdin(std::process::Stdio::null()).stdout(io::stderr());
    }
    let spawned = node.namespace.call(move || command.spawn())?;
    spawned.map_err(|error| Error::Program { line: shown, message: format!("cannot be run: {error}") })
}

/// Becomes a command of a namespace: the process ends when its parent does. Returns only if the command cannot be run: the
/// exit code by the convention of shells, and why.
pub fn run_here(words: &[OsString], keep_rights: bool) -> (u8, String) {
    let Some(first) = words.first() else { return (2, "expected a command".to_owned()) };
    let error = process::become_command(words, keep_rights);
    let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    (code, format!("{}: cannot be run: {error}", first.to_string_lossy()))
}
