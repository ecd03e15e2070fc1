//! The program pasta, attached to a namespace.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, sleep};
use std::time::Duration;

use super::{Inside, MACHINE, RESOLVER};
use crate::namespace::Namespace;
use crate::{Error, user};

/// Times that the namespace is searched for the device, and the interval.
const LOOKS: (u32, Duration) = (250, Duration::from_millis(20));

/// Maximum length of a stored message of the program.
const MESSAGE: u64 = 4096;

/// The running program; it ends when the value is dropped.
pub(super) struct Pasta {
    child: Child,
}

fn pasta_error(message: String) -> Error {
    Error::Program { line: "pasta".to_owned(), message }
}

fn not_run(error: &std::io::Error) -> Error {
    pasta_error(format!("cannot be run: {error}; remedy: install passt (https://passt.top), of which it is a part"))
}

/// Whether the program can be run.
///
/// # Errors
///
/// If pasta is not installed.
pub fn require_pasta() -> Result<(), Error> {
    let mut command = Command::new("pasta");
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().map(|_| ()).map_err(|error| not_run(&error))
}

impl Pasta {
    /// Starts the program with a device of this name in `namespace`.
    pub fn start(namespace: &Namespace, inside: &Inside, device: &str, program: Option<&Path>) -> Result<Self, Error> {
        require_pasta()?;
        let opened = namespace.call(|| File::open("/proc/thread-self/ns/net"))?;
        let opened = opened.map_err(|source| Error::Other { what: "the namespace cannot be opened", source })?;
        let (words, program) = (build_arguments(inside, device), program.map(Path::to_owned));
        let mut command = match program {
            Some(program) => {
                let mut command = Command::new(program);
                command.args(["__here", "--keep-rights", "--"]).args(&words);
                command
            }
            None => {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]);
                command
            }
        };
        // The program receives the namespace as its standard input, because other ways need privileges over this
        // process.
        command.stdin(opened).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = user::with_rights(|| command.spawn()).map_err(|error| not_run(&error))?;
        let said = child.stderr.take().map(read_first_lines);
        let mut pasta = Pasta { child };
        pasta.wait(namespace, device, said)?;
        Ok(pasta)
    }

    /// Waits until the device exists.
    fn wait(&mut self, namespace: &Namespace, device: &str, said: Option<Receiver<String>>) -> Result<(), Error> {
        let name = format!("{device}:");
        for _ in 0..LOOKS.0 {
            let devices = namespace.call(|| fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default())?;
            if devices.lines().any(|line| line.trim_start().starts_with(&name)) {
                return Ok(());
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                let said = said.and_then(|said| said.recv().ok()).unwrap_or_default();
                return Err(pasta_error(format!("has ended ({status}): {said}")));
            }
            sleep(LOOKS.1);
        }
        Err(pasta_error("has created no device".to_owned()))
    }
}

impl Drop for Pasta {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// The command line. No port of the namespace is opened to the machine's network, and no port of the machine to the
/// namespace.
fn build_arguments(inside: &Inside, device: &str) -> Vec<OsString> {
    let (source, machine, resolver, mtu) =
        (inside.source.to_string(), MACHINE.to_string(), RESOLVER.to_string(), inside.mtu.to_string());
    let mut words = vec!["pasta", "--foreground", "--stderr", "--quiet", "--netns-only", "--netns", "/proc/self/fd/0"];
    if user::is_root() {
        // Without this option the program would switch to a user without privileges over the namespace.
        words.extend(["--runas", "0"]);
    }
    words.extend(["--ns-ifname", device, "--address", &source, "--netmask", "32", "--gateway", &machine]);
    words.extend(["--dns-forward", &resolver, "--mtu", &mtu, "--no-dhcp", "--no-dhcpv6", "--no-ra"]);
    words.extend(["-t", "none", "-u", "none", "-T", "none", "-U", "none"]);
    words.into_iter().map(OsString::from).collect()
}

/// Reads the program's messages until the program ends: the first lines, without lines about the system's log.
fn read_first_lines(mut said: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = said.by_ref().take(MESSAGE).read_to_end(&mut bytes);
        // A full pipe would block the program.
        let _ = std::io::copy(&mut said, &mut std::io::sink());
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.contains("syslog")).collect();
        let _ = sender.send(lines.join("; "));
    });
    receiver
}
