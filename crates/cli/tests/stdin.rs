//! Scenarios from standard input.

use crate::common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use common::{command, ended, file, fine, lasthop, piped, scratch, send_signal};

const EXAMPLE: &str = "examples/goel-refined.toml";
const SHORT: &str = "flows.download.bytes=400 KiB";

#[test]
fn commands_accept_standard_input_as_a_file() {
    let dir = scratch("stdin");
    let text = fs::read(file(EXAMPLE)).unwrap();
    for args in [
        &["run", "-", "--set", SHORT, "--json", "--no-out"][..],
        &["explain", "-", "--set", SHORT],
        &["convert", "-", "--set", SHORT],
        &["sweep", "-", "--set", SHORT, "--replications", "2"],
        &[
            "compare",
            "--scenario",
            "-",
            "--set",
            SHORT,
            "--schemes",
            "unmodified,refined-icmp",
            "--replications",
            "2",
            "--json",
        ],
    ] {
        let from_file: Vec<String> =
            args.iter().map(|arg| if *arg == "-" { file(EXAMPLE) } else { (*arg).to_owned() }).collect();
        let from_file: Vec<&str> = from_file.iter().map(String::as_str).collect();
        let ended = piped(&dir, args, &text);
        assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.err);
        let expected = fine(&dir, &from_file);
        // `compare` names its path after the scenario's file.
        assert_eq!(ended.out.replace("\"-\"", &format!("\"{}\"", file(EXAMPLE))), expected, "{args:?}");
        assert!(ended.out.len() > 100, "{args:?}");
    }
    assert_eq!(
        piped(&dir, &["check", "-"], &text).out,
        "<stdin>: ok: 3 nodes, 2 links, 1 flow\ndefault queue: drop-tail, unlimited, of wire, air\n"
    );
    assert_eq!(
        piped(&dir, &["plot", "-", "--out", "p", "--set", SHORT], &text).out,
        "p/download.svg\np/download.png\n"
    );
    assert!(dir.join("p/download.png").exists());
}

/// The capture of a download of 300 kB, which loses packets.
fn capture_of_a_download(dir: &Path) -> PathBuf {
    let scenario = r#"
        duration = "60 s"
        nodes = { server = { kind = "host" }, client = { kind = "host" } }
        links.wire = { kind = "wired", between = ["server", "client"], rate = "2 Mbps", delay = "50 ms", loss = 0.01 }
        flows.download = { from = "server", to = "client", bytes = "300 kB", tcp = { handshake = true } }
    "#;
    fs::write(dir.join("lossy.toml"), scenario).unwrap();
    fine(dir, &["run", "lossy.toml", "--trace", "pcapng", "--out", "results"]);
    dir.join("results/server.pcapng")
}

#[test]
fn capture_on_standard_input_is_explained_and_fitted_as_its_file() {
    let dir = scratch("stdin-capture");
    let capture = capture_of_a_download(&dir);
    let bytes = fs::read(&capture).unwrap();
    let packed = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&bytes).unwrap();
        encoder.finish().unwrap()
    };
    let name = capture.display().to_string();
    let as_stdin = |text: &str| text.replace(&name, "<stdin>").replace("server.pcapng", "<stdin>");
    for command in [&["explain"][..], &["explain", "--json"], &["fit"]] {
        let from_file = lasthop(&dir, &[command, &[name.as_str()]].concat());
        for input in [&bytes, &packed] {
            let ended = piped(&dir, &[command, &["-"]].concat(), input);
            assert_eq!(ended.code, Some(0), "{command:?}: {}", ended.err);
            assert_eq!((ended.out, ended.err), (as_stdin(&from_file.out), as_stdin(&from_file.err)), "{command:?}");
        }
    }
}

/// Ctrl-C reaches every program of a pipeline. It ends the one that captures, in front of the pipe.
#[cfg(unix)]
#[test]
fn capture_on_standard_input_is_explained_after_ctrl_c() {
    let dir = scratch("stdin-capture-interrupted");
    let capture = fs::read(capture_of_a_download(&dir)).unwrap();
    // A pipe holds 64 KiB: once more is written, the program has begun to copy the capture. Sections may follow each
    // other.
    let sections = capture.repeat(200_000 / capture.len() + 1);
    let mut command = command(&dir, &["explain", "-"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(&sections).unwrap();
    send_signal("INT", child.id());
    let ended = ended(child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.out.starts_with("<stdin>: "), "{}", ended.out);
}

#[test]
fn errors_in_a_capture_on_standard_input_name_it() {
    let dir = scratch("stdin-capture-errors");
    let bytes = fs::read(capture_of_a_download(&dir)).unwrap();
    let ended = piped(&dir, &["explain", "-"], &bytes[..bytes.len() - 5]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.starts_with("warning: <stdin>: the file ends at byte"), "{}", ended.err);
    // A section without packets.
    for command in ["explain", "fit"] {
        let ended = piped(&dir, &[command, "-"], &bytes[..28]);
        assert_eq!(ended.code, Some(2), "{command}: {}", ended.err);
        assert!(ended.err.starts_with("error: <stdin>: found "), "{command}: {}", ended.err);
    }
}

#[test]
fn thesis_language_is_recognized_on_standard_input() {
    let dir = scratch("stdin-dat");
    let name = "examples/goel1997/datafile.dat";
    let ended = piped(&dir, &["convert", "-"], &fs::read(file(name)).unwrap());
    assert_eq!((ended.code, ended.out), (Some(0), fine(&dir, &["convert", &file(name)])), "{}", ended.err);
}

#[test]
fn script_is_read_from_standard_input() {
    let dir = scratch("stdin-drill");
    let ended = piped(&dir, &["drill", "-"], b"0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.out.starts_with("<stdin>: passed"), "{}", ended.out);
    let ended = piped(&dir, &["drill", "-"], b"0 socket(\n");
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.starts_with("error: <stdin>:2:1: "), "{}", ended.err);
}

#[test]
fn errors_name_standard_input_and_the_line() {
    let dir = scratch("stdin-wrong");
    let text = fs::read_to_string(file(EXAMPLE)).unwrap().replace("\"8 Mbps\"", "\"8 mbps\"");
    let line = text.lines().position(|line| line.contains("8 mbps")).unwrap() + 1;
    for command in ["run", "check", "explain", "sweep", "steady"] {
        let ended = piped(&dir, &[command, "-"], text.as_bytes());
        assert_eq!(ended.code, Some(2), "{command}: {}", ended.err);
        let expected = format!("error: <stdin>:{line}:8: links.wire.rate: found \"8 mbps\"");
        assert!(ended.err.starts_with(&expected), "{command}: {}", ended.err);
    }
    let ended = piped(&dir, &["check", "-"], &[0, 159, 146, 150]);
    assert!(ended.err.starts_with("error: <stdin>:1:2: ") && ended.err.contains("binary"), "{}", ended.err);
    assert!(!dir.join("results").exists());
}

#[test]
fn files_named_on_standard_input_are_relative_to_the_working_directory() {
    let dir = scratch("stdin-files");
    let text = fs::read(file("examples/cellular.toml")).unwrap();
    let ended = piped(&dir, &["check", "-"], &text);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("the recording cellular-down.trace does not exist"), "{}", ended.err);
    fs::copy(file("examples/cellular-down.trace"), dir.join("cellular-down.trace")).unwrap();
    let ended = piped(&dir, &["check", "-"], &text);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

#[test]
fn results_of_different_scenarios_have_different_directories() {
    let dir = scratch("stdin-places");
    let text = fs::read_to_string(file(EXAMPLE)).unwrap();
    let run = |text: &str| {
        let ended = piped(&dir, &["run", "-", "--set", SHORT], text.as_bytes());
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        ended.err.lines().last().unwrap().strip_prefix("results in ").unwrap().to_owned()
    };
    let first = run(&text);
    assert!(first.starts_with("results/stdin-") && first.ends_with("-seed1"), "{first}");
    let other = run(&text.replace("\"8 Mbps\"", "\"9 Mbps\""));
    assert_ne!(first, other);
    assert_eq!(run(&text), format!("{first} (replaced an earlier result)"));
    assert_eq!(fs::read_dir(dir.join("results")).unwrap().count(), 2);
}
