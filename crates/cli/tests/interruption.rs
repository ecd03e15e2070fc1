//! Interrupted commands and closed pipes: exit codes, and no incomplete results.

use crate::common;

use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{command, ended, file, fine, lasthop, scratch, send_signal};

const EXAMPLE: &str = "examples/goel-refined.toml";

/// Starts an endless run into `r`, and waits until the run writes its events.
fn endless(dir: &Path) -> Child {
    let example = file(EXAMPLE);
    let long = ["run", &example, "--set", "flows.download.bytes=100 GB", "--set", "duration=300 h"];
    let args = [&long[..], &["--out", "r", "--trace", "jsonl"]].concat();
    let mut child = command(dir, &args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !dir.join("r.partial/events.jsonl").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::yield_now();
    }
    child
}

/// Of several runs that start simultaneously one has a result, and every other run has an error.
#[test]
fn two_runs_never_write_to_one_directory() {
    let dir = scratch("at-once");
    let example = file(EXAMPLE);
    let mut first = endless(&dir);
    let second = lasthop(&dir, &["run", &example, "--out", "r"]);
    assert!(dir.join("r.partial/events.jsonl").exists());
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, Some(1), "{}", second.err);
    assert!(second.err.contains("r.partial: another run is writing here"), "{}", second.err);

    let start = |seed: u32| {
        let seed = seed.to_string();
        let args = ["run", &example, "--seed", &seed, "--out", "q", "--trace", "jsonl"];
        command(&dir, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let crowd: Vec<_> = (1..=8).map(start).collect();
    let ended: Vec<_> = crowd.into_iter().map(|child| ended(child.wait_with_output().unwrap())).collect();
    for one in ended.iter().filter(|one| one.code != Some(0)) {
        assert!(one.err.contains("another run is writing here"), "{}", one.err);
    }
    assert!(ended.iter().any(|one| one.code == Some(0)));
    fine(&dir, &["plot", "q"]);
    let left: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("q.")), "{left:?}");
}

/// A run is interrupted as by Ctrl-C at a terminal, and as by `timeout` and batch systems.
#[test]
fn interrupted_run_leaves_no_files() {
    for name in ["INT", "TERM", "HUP"] {
        let dir = scratch(&format!("interrupted-{name}"));
        let child = endless(&dir);
        send_signal(name, child.id());
        let ended = ended(child.wait_with_output().unwrap());
        assert_eq!((ended.code, ended.err.trim()), (Some(130), "interrupted; nothing was written"), "{name}");
        assert!(!dir.join("r").exists() && !dir.join("r.partial").exists());
    }
}

/// A hundred pictures take minutes; the first is drawn within a second.
#[test]
fn drawing_stops_when_interrupted() {
    let dir = scratch("interrupted-drawing");
    let flows = (0..100).fold(String::new(), |flows, number| {
        flows + &format!("[flows.f{number}]\nfrom = \"a\"\nto = \"b\"\nbytes = \"20 kB\"\n")
    });
    let text = format!(
        "title = \"t\"\nduration = \"10 s\"\n[nodes]\na = {{ kind = \"host\" }}\nb = {{ kind = \"host\" }}\n[links]\n\
         l = {{ kind = \"wired\", between = [\"a\", \"b\"], rate = \"8 Mbps\", delay = \"5 ms\" }}\n{flows}"
    );
    std::fs::write(dir.join("many.toml"), text).unwrap();
    fine(&dir, &["run", "many.toml", "--out", "r"]);
    let unasked = lasthop(&dir, &["explain", "r"]);
    assert!(unasked.err.contains("no picture: there are 100 flows"), "{}", unasked.err);
    assert!(!dir.join("r/plots").exists());
    for args in [&["explain", "r", "--out", "p"][..], &["plot", "r", "--flow", "all", "--out", "p"]] {
        let child = command(&dir, args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        while !dir.join("p").exists() {
            std::thread::yield_now();
        }
        send_signal("INT", child.id());
        let ended = ended(child.wait_with_output().unwrap());
        assert_eq!(ended.code, Some(130), "{}", ended.err);
        assert!(ended.err.contains("of 100 pictures are drawn"), "{}", ended.err);
        std::fs::remove_dir_all(dir.join("p")).unwrap();
    }
}

#[test]
fn sigkill_leaves_no_complete_result() {
    let dir = scratch("killed");
    let mut child = endless(&dir);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!dir.join("r").exists());
    assert!(!dir.join("r.partial/summary.json").exists());
    fine(&dir, &["run", &file(EXAMPLE), "--out", "r"]);
    assert!(dir.join("r/summary.json").exists() && !dir.join("r.partial").exists());
}

#[test]
fn closed_stdout_is_no_error() {
    skip::need!("bash");
    let dir = scratch("pipe");
    let script = "set -o pipefail; \"$0\" list | head -1";
    let output =
        Command::new("bash").current_dir(&dir).args(["-c", script, env!("CARGO_BIN_EXE_lasthop")]).output().unwrap();
    let ended = ended(output);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    assert!(ended.out.starts_with("schemes"));
}

/// A closed stderr does not change the exit code.
#[test]
fn closed_stderr_keeps_the_exit_code() {
    let dir = scratch("deaf");
    std::fs::write(dir.join("bad.toml"), "duration = 5").unwrap();
    let example = file(EXAMPLE);
    let short = "flows.download.bytes=40 KiB";
    let cases: [(&[&str], i32); 5] = [
        (&["check", "bad.toml"], 2),
        (&["chekc", "bad.toml"], 2),
        (&["run", &example, "--out", "bad.toml/r"], 1),
        (&["run", &example, "--set", short, "--out", "r"], 0),
        (&["run", &example, "--set", short, "--set", "links.air.arq=none", "--out", "r"], 0),
    ];
    for (args, code) in cases {
        // The reading end of the pipe is closed before the command starts.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = command(&dir, args).stdout(Stdio::null()).stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}

/// A full disk behind stdout is an error, for --help too.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let dir = scratch("dev-full");
    let example = file(EXAMPLE);
    let commands: [&[&str]; 5] = [&["--help"], &["run", "--help"], &["--version"], &["list"], &["convert", &example]];
    for args in commands {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command(&dir, args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let ended = ended(output);
        assert_eq!(ended.code, Some(1), "{args:?}: {}", ended.err);
        assert!(ended.err.starts_with("error: standard output: "), "{args:?}: {}", ended.err);
    }
}
