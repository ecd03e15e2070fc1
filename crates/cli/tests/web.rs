//! The server of the page: what it sends, what it refuses, and how it ends.

use crate::common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{Ended, command, ended, file, fine, lasthop, scratch};
use serde_json::{Value, json};

/// A server that was started by a test, and is killed with it.
struct Served {
    child: Option<Child>,
    address: String,
    fragment: String,
}

impl Served {
    /// Starts `lasthop web` in `dir`; `None` if this build has no page.
    fn start(dir: &Path, args: &[&str]) -> Option<Self> {
        let args = [&["web", "--no-open"], args].concat();
        let mut child = command(dir, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let Some(rest) = line.trim_end().strip_prefix("http://") else {
            let Ended { code, err, .. } = ended(child.wait_with_output().unwrap());
            assert_eq!(code, Some(2), "{line}{err}");
            assert!(err.starts_with("error: this build of lasthop has no page in it\n  hint: "), "{err}");
            return None;
        };
        let (address, fragment) = rest.split_once('/').unwrap();
        Some(Served { child: Some(child), address: address.to_owned(), fragment: fragment.to_owned() })
    }

    /// The status, the header and the body of an answer to a request that names `host`.
    fn asked(&self, path: &str, host: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        let header = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = header.split(' ').nth(1).unwrap().parse().unwrap();
        (status, header, answer[end + 4..].to_vec())
    }

    fn got(&self, path: &str) -> Vec<u8> {
        let (status, _, body) = self.asked(path, &self.address);
        assert_eq!(status, 200, "{path}");
        body
    }

    /// The scenario that the page opens.
    fn opened(&self) -> Value {
        assert_eq!(self.fragment, "#open");
        serde_json::from_slice(&self.got("/open/scenario.json")).unwrap()
    }

    /// Ends the server as Ctrl-C does.
    fn interrupted(mut self) -> Ended {
        let child = self.child.take().unwrap();
        let kill = format!("kill -INT {}", child.id());
        assert!(Command::new("bash").args(["-c", &kill]).status().unwrap().success());
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

macro_rules! served {
    ($dir:expr, $args:expr) => {
        match Served::start($dir, $args) {
            Some(served) => served,
            None => skip::skip!("this build has no page; `cargo xtask web` makes it"),
        }
    };
}

#[test]
fn page_is_served_to_this_machine_until_interrupted() {
    let dir = scratch("web-page");
    let served = served!(&dir, &[]);
    assert!(served.address.starts_with("127.0.0.1:") && served.fragment.is_empty(), "{}", served.address);
    let (status, header, body) = served.asked("/", &served.address);
    let page = String::from_utf8(body).unwrap();
    assert_eq!(status, 200);
    assert!(header.contains("Content-Security-Policy: default-src 'self';"), "{header}");
    assert!(page.starts_with("<!doctype html>"), "{page}");
    let named = page.split(['"', '\'']).filter(|part| part.starts_with("./assets/"));
    let named: Vec<_> = named.map(|part| part.trim_start_matches('.')).collect();
    assert!(named.len() >= 2, "{page}");
    for path in named {
        assert!(!served.got(path).is_empty(), "{path}");
    }
    assert_eq!(served.got("/examples/goel-refined.toml"), fs::read(file("examples/goel-refined.toml")).unwrap());
    assert_eq!(served.asked("/open/scenario.json", &served.address).0, 404);
    assert_eq!(served.asked("/", "attacker.example").0, 421);
    let Ended { code, err, .. } = served.interrupted();
    assert_eq!((code, err.trim()), (Some(0), "Ctrl-C ends the server"));
}

#[test]
fn scenario_is_served_with_the_files_that_it_names() {
    let dir = scratch("web-scenario");
    let served = served!(&dir, &[&file("examples/walk.toml"), "--set", "seed=5", "--scheme", "unmodified"]);
    let opened = served.opened();
    assert_eq!(opened["text"], fs::read_to_string(file("examples/walk.toml")).unwrap());
    assert_eq!((&opened["name"], &opened["scheme"]), (&json!("walk.toml"), &json!("unmodified")));
    assert_eq!(opened["changes"], json!(["seed=5"]));
    let names: Vec<_> = opened["files"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["walk.csv"]);
}

#[test]
fn result_directory_is_opened_as_its_scenario() {
    let dir = scratch("web-result");
    fine(&dir, &["run", &file("examples/timeout.toml"), "--out", "r"]);
    let served = served!(&dir, &["r"]);
    let opened = served.opened();
    assert_eq!(opened["text"], fs::read_to_string(dir.join("r/scenario.toml")).unwrap());
}

#[test]
fn wrong_scenario_is_refused() {
    let dir = scratch("web-wrong");
    drop(served!(&dir, &[]));
    let Ended { code, err, out } = lasthop(&dir, &["web", &file("examples/walk.toml"), "--set", "links.air.rate=fast"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("links.air.rate: found \"fast\", expected a rate"), "{err}");
}

#[test]
fn port_in_use_is_refused() {
    let dir = scratch("web-port");
    drop(served!(&dir, &[]));
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let Ended { code, err, .. } = lasthop(&dir, &["web", "--no-open", "--port", &port]);
    assert_eq!(code, Some(1));
    assert!(err.starts_with(&format!("error: --port {port}: ")), "{err}");
}
