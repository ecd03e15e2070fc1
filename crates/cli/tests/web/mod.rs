//! Tests of `lasthop web`: its server, and the ways in which it obtains the page.

mod build;
mod server;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::common::{Ended, command, ended, send_signal};

/// A server started by a test, and killed at its end.
struct Served {
    child: Option<Child>,
    address: String,
    fragment: String,
}

impl Served {
    /// Starts `lasthop web` in `dir`; `None` if this build has no page.
    fn start(dir: &Path, args: &[&str]) -> Option<Self> {
        let mut command = command(dir, &[&["web", "--no-open"], args].concat());
        // The page in the user's cache may be of another build.
        match Self::try_start(command.env("XDG_CACHE_HOME", dir.join("no-cache"))) {
            Ok(served) => Some(served),
            Err(Ended { code, err, .. }) => {
                assert_eq!(code, Some(2), "{err}");
                let start = "error: this lasthop has no page yet; `lasthop web --build` builds it from ";
                assert!(err.starts_with(start), "{err}");
                None
            }
        }
    }

    /// Starts a command that serves the page. If the command ends first, returns its output.
    fn try_start(command: &mut Command) -> Result<Self, Ended> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let Some(rest) = line.trim_end().strip_prefix("http://") else {
            return Err(ended(child.wait_with_output().unwrap()));
        };
        let (address, fragment) = rest.split_once('/').unwrap();
        Ok(Served { child: Some(child), address: address.to_owned(), fragment: fragment.to_owned() })
    }

    /// The status, the header and the body of a response to a request that names `host`.
    fn request(&self, path: &str, host: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        let header = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = header.split(' ').nth(1).unwrap().parse().unwrap();
        (status, header, answer[end + 4..].to_vec())
    }

    fn get_body(&self, path: &str) -> Vec<u8> {
        let (status, _, body) = self.request(path, &self.address);
        assert_eq!(status, 200, "{path}");
        body
    }

    /// The scenario that the page opens.
    fn read_opened_scenario(&self) -> Value {
        assert_eq!(self.fragment, "#open");
        serde_json::from_slice(&self.get_body("/open/scenario.json")).unwrap()
    }

    /// Ends the server as Ctrl-C does.
    fn interrupt(mut self) -> Ended {
        let child = self.child.take().unwrap();
        send_signal("INT", child.id());
        ended(child.wait_with_output().unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
