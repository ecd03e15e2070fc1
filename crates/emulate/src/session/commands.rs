//! The commands in the namespaces.

use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

use engine::{Span, Time};
use host::Error;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Plan;
use super::nodes::NodeNamespace;
use super::peers::PeerCommands;
use super::signals::Signals;
use super::spawn::{CommandOutput, exit_code, spawn_command};

/// Time for a command to end after a signal.
const GRACE: Span = Span::from_secs(2);

/// Running commands.
pub(super) struct Commands {
    /// The command that ended first, which ends the emulation; `None` if a signal ended it.
    main: Option<Child>,
    peers: PeerCommands,
    signals: Signals,
    /// The exit code of the command that ended first.
    code: Option<u8>,
    /// Time at which a command that has received a signal is killed.
    kill_at: Time,
    /// Whether a signal to this process came while it ran.
    interrupted: bool,
}

impl Commands {
    /// Starts the commands of `plan` in the namespaces `nodes`, the first one last. Their output goes to `log`, if
    /// there is one.
    pub fn start(plan: &Plan, nodes: &[NodeNamespace], signals: Signals, log: Option<&File>) -> Result<Self, Error> {
        let peers = PeerCommands::new(plan.warn);
        let mut commands =
            Commands { main: None, peers, signals, code: None, kill_at: Time::NEVER, interrupted: false };
        match commands.start_all(plan, nodes, log) {
            Ok(()) => Ok(commands),
            Err(error) => {
                commands.finish(nodes);
                Err(error)
            }
        }
    }

    fn start_all(&mut self, plan: &Plan, nodes: &[NodeNamespace], log: Option<&File>) -> Result<(), Error> {
        let program = plan.program.as_deref();
        for (index, node) in nodes.iter().enumerate() {
            if let Some(line) = &node.place.command {
                self.peers.start(index, node, line, program, log)?;
            }
        }
        self.peers.wait(nodes, &self.signals)?;
        if let Some(node) = nodes.first().filter(|_| !plan.command.is_empty()) {
            let output = log.map_or(CommandOutput::Own, CommandOutput::Log);
            self.main = Some(spawn_command(node, plan.command.clone(), program, output)?);
        }
        Ok(())
    }

    /// Returns a descriptor that becomes readable after a signal or the end of a command.
    pub fn wakes(&self) -> BorrowedFd<'_> {
        self.signals.wakes()
    }

    /// Returns the latest time at which [`look`](Self::look) must be called.
    pub fn deadline(&self) -> Time {
        self.kill_at
    }

    /// Passes signals on; returns true at the end of the emulation.
    pub fn look(&mut self, now: Time) -> bool {
        let [interrupted, terminated] = self.signals.take();
        self.peers.look();
        self.interrupted |= interrupted || terminated;
        let Some(main) = &mut self.main else {
            if interrupted || terminated {
                self.code = Some(0);
            }
            return self.code.is_some();
        };
        // A terminal sends its interrupt to the command, too. The command decides on the effect: a shell continues.
        if interrupted && !io::stdin().is_terminal() {
            send_signal(main, Signal::SIGINT);
        }
        if terminated {
            send_signal(main, Signal::SIGTERM);
            self.kill_at = now + GRACE;
        }
        if now >= self.kill_at {
            send_signal(main, Signal::SIGKILL);
            self.kill_at = Time::NEVER;
        }
        if let Ok(Some(status)) = main.try_wait() {
            self.code = Some(exit_code(status));
        }
        self.code.is_some()
    }

    /// Ends all processes that still run in the namespaces, and returns the exit code of the first command.
    pub fn finish(&mut self, nodes: &[NodeNamespace]) -> u8 {
        self.peers.look();
        let mut code = self.code;
        if let Some(main) = &mut self.main {
            match main.try_wait() {
                Ok(Some(status)) => code = code.or(Some(super::spawn::exit_code(status))),
                _ => send_signal(main, Signal::SIGTERM),
            }
        }
        let mut running: Vec<Child> = self.main.take().into_iter().chain(self.peers.take()).collect();
        for last in [Signal::SIGTERM, Signal::SIGKILL] {
            for pid in nodes.iter().flat_map(|node| list_processes(&node.inode)) {
                // A process that has just ended needs no signal.
                let _ = kill(pid, last);
            }
            for _ in 0..50 {
                running.retain_mut(|child| !matches!(child.try_wait(), Ok(Some(_))));
                if nodes.iter().all(|node| list_processes(&node.inode).is_empty()) {
                    break;
                }
                sleep(Duration::from_millis(10));
            }
        }
        for mut child in running {
            let _ = child.kill().and_then(|()| child.wait());
        }
        self.peers.finish();
        code.unwrap_or(1)
    }

    /// Whether a signal to this process came while the commands ran.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Returns the other commands that ended before the first one, by the index of their node, with their exit codes.
    pub fn ended_peers(&self) -> Vec<(usize, u8)> {
        self.peers.ended_peers()
    }
}

/// Processes in a network namespace.
fn list_processes(inode: &str) -> Vec<Pid> {
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

fn send_signal(child: &Child, which: Signal) {
    // A child process that has not been waited for keeps its process id.
    let _ = kill(Pid::from_raw(child.id() as i32), which);
}
