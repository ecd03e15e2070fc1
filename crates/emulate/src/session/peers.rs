//! The commands of `--and`, in addition to the first one.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, PipeReader, Read, Write, pipe};
use std::path::Path;
use std::process::Child;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, sleep};
use std::time::Duration;

use engine::{Span, Time};
use host::Error;
use host::clock::MachineClock;

use super::nodes::NodeNamespace;
use super::signals::Signals;
use super::spawn::{CommandOutput, exit_code, spawn_command};

/// Time allowed for a command to start listening.
const PATIENCE: Span = Span::from_secs(2);

/// Interval between checks whether the command listens.
const LOOK: Duration = Duration::from_millis(10);

/// Time for which output is passed on after all commands have ended.
const LAST_OUTPUT: Duration = Duration::from_millis(500);

/// Maximum length of a line of output that stays a line.
const MAX_LINE: u64 = 1 << 16;

/// A command.
struct PeerCommand {
    /// Index of the command's node, and the name of the node.
    node: (usize, String),
    line: String,
    /// `None` if the caller handles the output.
    child: Option<Child>,
    /// The exit code, if the command has ended without a signal from lasthop.
    code: Option<u8>,
}

/// The commands at other nodes.
pub(super) struct PeerCommands {
    all: Vec<PeerCommand>,
    warn: Option<fn(&str)>,
    /// One channel for each command whose output is passed on. The channel is closed after the end of the output.
    outputs: Vec<Receiver<()>>,
}

impl PeerCommands {
    /// Creates an empty set; `warn` reports to the user.
    pub fn new(warn: Option<fn(&str)>) -> Self {
        PeerCommands { all: Vec::new(), warn, outputs: Vec::new() }
    }

    /// Starts a command line at the node of this index. Its output goes to `log`, or line by line, with the node's name, to
    /// standard error.
    pub fn start(
        &mut self,
        index: usize,
        node: &NodeNamespace,
        line: &str,
        program: Option<&Path>,
        log: Option<&File>,
    ) -> Result<(), Error> {
        let words = ["/bin/sh", "-c", line].map(OsString::from).to_vec();
        let name = node.place.name.clone();
        let child = match log {
            Some(log) => spawn_command(node, words, program, CommandOutput::Log(log))?,
            None => {
                let piped = |source| Error::Other { what: "a pipe cannot be made", source };
                let (reader, writer) = pipe().map_err(piped)?;
                let child = spawn_command(node, words, program, CommandOutput::Pipe(&writer))?;
                self.outputs.push(pass_on(name.clone(), reader).map_err(piped)?);
                child
            }
        };
        self.all.push(PeerCommand { node: (index, name), line: line.to_owned(), child: Some(child), code: None });
        Ok(())
    }

    /// Waits until each command listens on a port or has ended, at most 2 s, or until a signal comes. `nodes` are all nodes.
    ///
    /// # Errors
    ///
    /// If a command has failed.
    pub fn wait(&mut self, nodes: &[NodeNamespace], signals: &Signals) -> Result<(), Error> {
        let mut waiting: Vec<usize> = (0..self.all.len()).collect();
        let clock = MachineClock::start();
        while clock.now() < Time::ZERO + PATIENCE {
            if let Some((node, line, code)) = self.newly_ended().into_iter().find(|(.., code)| *code > 0) {
                let message = format!("has failed at {node}, before the command was started: exit code {code}");
                return Err(Error::Program { line, message });
            }
            waiting.retain(|other| {
                let other = &self.all[*other];
                other.code.is_none() && !has_open_socket(&nodes[other.node.0])
            });
            if waiting.is_empty() || signals.any() {
                return Ok(());
            }
            sleep(LOOK);
        }
        for other in waiting {
            let other = &self.all[other];
            self.warn(&format!(
                "{}: `{}` does not listen on any port after 2 s; not waiting longer",
                other.node.1, other.line
            ));
        }
        Ok(())
    }

    /// Records which commands have ended, and reports failures.
    pub fn look(&mut self) {
        for (node, line, code) in self.newly_ended() {
            if code > 0 {
                self.warn(&format!("{node}: `{line}` has ended with exit code {code}"));
            }
        }
    }

    /// The commands that have ended since the last call: node, command line and exit code.
    fn newly_ended(&mut self) -> Vec<(String, String, u8)> {
        let mut ended = Vec::new();
        for other in self.all.iter_mut().filter(|other| other.code.is_none()) {
            if let Some(Ok(Some(status))) = other.child.as_mut().map(Child::try_wait) {
                other.code = Some(exit_code(status));
                ended.push((other.node.1.clone(), other.line.clone(), exit_code(status)));
            }
        }
        ended
    }

    /// The processes, to be ended.
    pub fn take(&mut self) -> Vec<Child> {
        self.all.iter_mut().filter(|other| other.code.is_none()).filter_map(|other| other.child.take()).collect()
    }

    /// Waits for the last output.
    pub fn finish(&mut self) {
        for output in self.outputs.drain(..) {
            // Closed by the thread.
            let _ = output.recv_timeout(LAST_OUTPUT);
        }
    }

    /// Returns the commands that have ended without a signal from lasthop: the index of the node, and the exit code.
    pub fn ended_peers(&self) -> Vec<(usize, u8)> {
        self.all.iter().filter_map(|other| Some((other.node.0, other.code?))).collect()
    }

    fn warn(&self, text: &str) {
        if let Some(warn) = self.warn {
            warn(text);
        }
    }
}

/// Whether a program in the namespace of a node accepts connections, or has a socket for datagrams.
fn has_open_socket(node: &NodeNamespace) -> bool {
    // A namespace without IPv6 has fewer tables.
    let read = |table: &str| std::fs::read_to_string(format!("/proc/thread-self/net/{table}")).unwrap_or_default();
    let look = move || {
        ["tcp", "tcp6"].iter().any(|table| has_listener(&read(table)))
            || ["udp", "udp6"].iter().any(|table| read(table).lines().count() > 1)
    };
    node.namespace.call(look).unwrap_or(false)
}

/// Whether one of the sockets of a table in `/proc/net` listens (state 0A).
fn has_listener(table: &str) -> bool {
    table.lines().skip(1).any(|line| line.split_whitespace().nth(3) == Some("0A"))
}

/// Passes the output of a command to standard error, each line with the name of its node. The receiver is closed after
/// the last line.
fn pass_on(node: String, output: PipeReader) -> io::Result<Receiver<()>> {
    let (done, closed) = mpsc::channel();
    let passing = move || {
        let _done: mpsc::Sender<()> = done;
        let mut output = BufReader::new(output);
        let mut text = format!("{node}: ").into_bytes();
        let label = text.len();
        while matches!(output.by_ref().take(MAX_LINE).read_until(b'\n', &mut text), Ok(read) if read > 0) {
            if text.last() != Some(&b'\n') {
                text.push(b'\n');
            }
            // Writing to a closed standard error is not possible.
            let _ = io::stderr().lock().write_all(&text);
            text.truncate(label);
        }
    };
    thread::Builder::new().name("output".to_owned()).spawn(passing)?;
    Ok(closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables as Linux 6.18 prints them, shortened.
    #[test]
    fn connected_sockets_are_not_counted_as_listeners() {
        let head = "  sl  local_address rem_address   st tx_queue rx_queue\n";
        let listener = "   0: 00000000:1389 00000000:0000 0A 00000000:00000000\n";
        let connected = "   1: 0100007F:1389 0100007F:D2F0 01 00000000:00000000\n";
        for (lines, listens) in [("", false), (connected, false), (&format!("{connected}{listener}"), true)] {
            assert_eq!(has_listener(&format!("{head}{lines}")), listens, "{lines}");
        }
    }
}
