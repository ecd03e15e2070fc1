//! The server of the page: responses, refusals, and shutdown.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};

use serde_json::json;

use super::Served;
use crate::common::{Ended, file, fine, lasthop, scratch};

macro_rules! served {
    ($dir:expr, $args:expr) => {
        match Served::start($dir, $args) {
            Some(served) => served,
            None => {
                skip::need!("npm");
                skip::skip!("this build has no page; `cargo xtask web` makes it");
            }
        }
    };
}

#[test]
fn page_is_served_to_this_machine_until_interrupted() {
    let dir = scratch("web-page");
    let served = served!(&dir, &[]);
    assert!(served.address.starts_with("127.0.0.1:") && served.fragment.is_empty(), "{}", served.address);
    let (status, header, body) = served.request("/", &served.address);
    let page = String::from_utf8(body).unwrap();
    assert_eq!(status, 200);
    assert!(header.contains("Content-Security-Policy: default-src 'self';"), "{header}");
    assert!(page.starts_with("<!doctype html>"), "{page}");
    let named = page.split(['"', '\'']).filter(|part| part.starts_with("./assets/"));
    let named: Vec<_> = named.map(|part| part.trim_start_matches('.')).collect();
    assert!(named.len() >= 2, "{page}");
    for path in named {
        assert!(!served.get_body(path).is_empty(), "{path}");
    }
    assert_eq!(served.get_body("/examples/goel-refined.toml"), fs::read(file("examples/goel-refined.toml")).unwrap());
    assert_eq!(served.request("/open/scenario.json", &served.address).0, 404);
    assert_eq!(served.request("/", "attacker.example").0, 421);
    let Ended { code, err, .. } = served.interrupt();
    assert_eq!((code, err.trim()), (Some(0), "Ctrl-C ends the server"));
}

#[test]
fn scenario_is_served_with_the_files_that_it_names() {
    let dir = scratch("web-scenario");
    let served = served!(&dir, &[&file("examples/walk.toml"), "--set", "seed=5", "--scheme", "unmodified"]);
    let opened = served.read_opened_scenario();
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
    let opened = served.read_opened_scenario();
    assert_eq!(opened["text"], fs::read_to_string(dir.join("r/scenario.toml")).unwrap());
}

#[test]
fn wrong_scenario_is_refused() {
    let dir = scratch("web-wrong");
    let Ended { code, err, out } = lasthop(&dir, &["web", &file("examples/walk.toml"), "--set", "links.air.rate=fast"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("links.air.rate: found \"fast\", expected a rate"), "{err}");
}

#[test]
fn port_in_use_is_refused() {
    let dir = scratch("web-port");
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let Ended { code, err, .. } = lasthop(&dir, &["web", "--no-open", "--port", &port]);
    assert_eq!(code, Some(1));
    assert!(err.starts_with(&format!("error: --port {port}: ")), "{err}");
}
