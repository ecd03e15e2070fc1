//! Bad input, bad disks and sudden ends: one clear message, the right exit code, and nothing half-written that looks
//! whole.

mod common;

use std::io::Write;
use std::process::{Command, Stdio};

use common::{command, ended, file, fine, lasthop, scratch};

const EXAMPLE: &str = "examples/goel-refined.toml";

#[test]
fn wrong_input_ends_with_2_and_says_where() {
    let dir = scratch("wrong");
    let example = std::fs::read_to_string(file(EXAMPLE)).unwrap();
    std::fs::write(dir.join("unit.toml"), example.replace("\"8 Mbps\"", "\"8 mbps\"")).unwrap();
    std::fs::write(dir.join("cut.toml"), &example[..example.len() / 2]).unwrap();
    std::fs::write(dir.join("binary.toml"), [0u8, 159, 146, 150]).unwrap();
    std::fs::write(dir.join("empty.dat"), "").unwrap();
    std::fs::write(dir.join("cut.dat"), "simulator\n{\n system_simulation_time = ").unwrap();
    let example = file(EXAMPLE);
    let cases: &[(&[&str], &str)] = &[
        (
            &["run", "unit.toml"],
            "unit.toml:17:8: links.wire.rate: found \"8 mbps\", expected a rate such as \"8 Mbps\"",
        ),
        (&["check", "unit.toml"], "did you mean \"8 Mbps\"?"),
        (&["run", "cut.toml"], "cut.toml"),
        (&["run", "binary.toml"], "binary"),
        (&["run", "empty.dat"], "empty.dat"),
        (&["run", "cut.dat"], "cut.dat:3"),
        (&["run", "missing.toml"], "missing.toml: cannot be read"),
        (&["run", &example, "--set", "links.air.rat=1 Mbps"], "did you mean \"rate\"?"),
        (&["run", &example, "--scheme", "refined"], "refined"),
        (&["run", &example, "--trace", "seqnos"], "did you mean \"seqno\"?"),
        (&["run", &example, "--trace", "none,seqno"], "--trace: found none,seqno, expected `none` alone, or traces"),
        (&["run", &example, "--trace", "all,none"], "--trace: found all,none, expected `none` alone"),
        (&["run", &example, "--trace", "seqno,"], "--trace: found \"\", expected a trace"),
        (&["run", &example, "--set", "output.traces=[\"none\", \"air\"]"], "output.traces: found none,air"),
        (&["run", &example, "--seed", "minus one"], "invalid value"),
        (&["run", &example, "--seed", "-1"], "'-1' for '--seed <N>': a whole number, 0 to 9223372036854775807"),
        (&["run", &example, "--seed", "99999999999999999999"], "a whole number, 0 to 9223372036854775807"),
        (&["run", &example, "--seed", "9223372036854775808"], "a whole number, 0 to 9223372036854775807"),
        (&["run", &example, "--scheme", "foo"], "--scheme foo: scheme: found \"foo\""),
        (&["list", "chanels"], "did you mean \"channels\"?"),
        (&["plot", &example], "--out DIR is missing"),
        (&["plot", &example, "--out", "p", "--flow", "downlaod"], "did you mean \"download\"?"),
        (&["plot", &example, "--out", "p", "--from", "9 s", "--to", "8 s"], "a time after --from"),
        (&["plot", &example, "--out", "p", "--from", "9"], "add a unit"),
        (&["plot", &example, "--out", "p", "--from", "9 h"], "expected a time before the end of the run (4300 s)"),
        (&["plot", &example, "--out", "p", "--from", "140 s"], "expected a time before the end of the run (135.381 s)"),
        (&["plot", &example, "--out", "p", "--size", "200x200"], "width 500 to 8000, height 400 to 8000"),
        (&["rnu", &example], "unrecognized subcommand"),
    ];
    for (args, expected) in cases {
        let ended = lasthop(&dir, args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.err);
        assert!(ended.err.contains(expected), "{args:?}: {}", ended.err);
        assert!(!ended.err.contains("panicked"), "{args:?}: {}", ended.err);
        assert_eq!(ended.out, "", "{args:?}");
    }
    assert!(!dir.join("results").exists(), "a refused input left results");
}

#[test]
fn small_things_are_said_right() {
    let dir = scratch("small");
    let example = file(EXAMPLE);
    assert!(fine(&dir, &["check", &example]).ends_with(": ok: 3 nodes, 2 links, 1 flow\n"));
    let short = "flows.download.bytes=40 KiB";
    fine(&dir, &["run", &example, "--set", short, "--trace", "seqno, ackno ", "--out", "r"]);
    assert!(dir.join("r/server-seqno").exists() && dir.join("r/server-ackno").exists());
}

#[test]
fn a_directory_that_is_not_ours_is_left_alone() {
    let dir = scratch("not-ours");
    std::fs::create_dir(dir.join("precious")).unwrap();
    std::fs::write(dir.join("precious/thesis.tex"), "years of work").unwrap();
    let ended = lasthop(&dir, &["run", &file(EXAMPLE), "--out", "precious"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("did not write thesis.tex") && ended.err.contains("--out"), "{}", ended.err);
    // A summary.json of somebody else's, something put into a result, and the directories used on the way.
    std::fs::write(dir.join("precious/summary.json"), "{}").unwrap();
    fine(&dir, &["run", &file(EXAMPLE), "--out", "r"]);
    fine(&dir, &["plot", "r"]);
    fine(&dir, &["run", &file(EXAMPLE), "--out", "r"]);
    for foreign in ["r/notes.txt", "s.partial/keep", "t/plots/mine.txt"] {
        let path = dir.join(foreign);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "years of work").unwrap();
    }
    for out in ["precious", "r", "s", "t"] {
        let ended = lasthop(&dir, &["run", &file(EXAMPLE), "--out", out]);
        assert_eq!(ended.code, Some(1), "{out}");
        assert!(ended.err.contains("is not replaced"), "{}", ended.err);
    }
    for kept in ["precious/thesis.tex", "r/notes.txt", "s.partial/keep", "t/plots/mine.txt"] {
        assert_eq!(std::fs::read_to_string(dir.join(kept)).unwrap(), "years of work");
    }
}

#[test]
fn variants_do_not_replace_each_other() {
    let dir = scratch("variants");
    for folder in ["one", "two"] {
        std::fs::create_dir(dir.join(folder)).unwrap();
        std::fs::copy(file(EXAMPLE), dir.join(folder).join("net.toml")).unwrap();
    }
    let results = |args: &[&str]| {
        let ended = lasthop(&dir, &[&["run", "one/net.toml"], args].concat());
        assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.err);
        ended.err.trim().strip_prefix("results in ").unwrap().to_owned()
    };
    assert_eq!(results(&[]), "results/net-seed1");
    assert_eq!(results(&["--scheme", "simple-icmp", "--set", "seed=3"]), "results/net-simple-icmp-seed3");
    // The last six digits of the FNV-1a hash of the change.
    let slow = ["--set", "links.air.delay=2 ms"];
    let fnv = |text: &str| {
        text.bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    };
    let digits = format!("{:016x}", fnv("links.air.delay=2 ms\n"));
    assert_eq!(results(&slow), format!("results/net-{}-seed1", &digits[10..]));
    // In any order, and the last of each key.
    let ways = [
        ["--set", "links.air.delay=3 ms", "--set", "links.wire.delay=3 ms", "--set", "links.air.delay=2 ms"],
        ["--set", "links.air.delay = 2 ms", "--set", "links.wire.delay=3 ms", "--set", "seed=1"],
    ];
    let [one, other] = ways.map(|way| results(&way));
    assert_eq!(other, format!("{one} (replaced an earlier result)"));
    assert_ne!(one, results(&slow));
    // Another scenario of the same name is neither mixed up nor lost; the same file by another name is itself.
    let namesake = lasthop(&dir, &["run", "two/net.toml"]);
    assert_eq!(namesake.code, Some(2));
    let said = "results/net-seed1: found the result of \"one/net.toml\"";
    assert!(namesake.err.contains(said) && namesake.err.contains("--out"), "{}", namesake.err);
    let same = dir.join("one/./net.toml").display().to_string();
    let again = lasthop(&dir, &["run", &same]);
    assert_eq!(again.err.trim(), "results in results/net-seed1 (replaced an earlier result)");
}

#[cfg(unix)]
#[test]
fn a_result_goes_through_a_link_and_into_a_name_with_a_slash() {
    let dir = scratch("linked");
    std::fs::create_dir(dir.join("disk")).unwrap();
    std::os::unix::fs::symlink("disk/real", dir.join("r")).unwrap();
    for end in ["", " (replaced an earlier result)"] {
        let ended = lasthop(&dir, &["run", &file(EXAMPLE), "--out", "r"]);
        assert_eq!(ended.err.trim(), format!("results in r{end}"));
        assert!(dir.join("r").is_symlink() && dir.join("disk/real/summary.json").exists());
    }
    for _ in 0..2 {
        fine(&dir, &["run", &file(EXAMPLE), "--out", "slash/"]);
        assert!(dir.join("slash/summary.json").exists());
    }
}

#[test]
fn an_unwritable_place_is_named() {
    let dir = scratch("unwritable");
    std::fs::write(dir.join("file"), "not a directory").unwrap();
    let ended = lasthop(&dir, &["run", &file(EXAMPLE), "--out", "file/results"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("file/results: cannot be written"), "{}", ended.err);
}

/// A disk that takes 64 kB and no more, as a limit on the size of files stands in for it.
#[test]
fn a_full_disk_leaves_no_result_and_spares_the_old_one() {
    let dir = scratch("full");
    let example = file(EXAMPLE);
    fine(&dir, &["run", &example, "--out", "r"]);
    let old = std::fs::read(dir.join("r/summary.json")).unwrap();
    let script = "ulimit -f 64; exec \"$0\" \"$@\"";
    let output = Command::new("bash")
        .current_dir(&dir)
        .args([
            "-c",
            script,
            env!("CARGO_BIN_EXE_lasthop"),
            "run",
            &example,
            "--seed",
            "2",
            "--trace",
            "jsonl",
            "--out",
            "r",
        ])
        .output()
        .unwrap();
    let ended = ended(output);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("events.jsonl: cannot be written"), "{}", ended.err);
    assert_eq!(ended.err.lines().filter(|line| line.starts_with("error")).count(), 1, "{}", ended.err);
    assert!(!dir.join("r.partial").exists());
    assert_eq!(std::fs::read(dir.join("r/summary.json")).unwrap(), old, "the old result is gone");
}

/// Also when both begin at the same moment: one result, and everybody else is told.
#[test]
fn two_runs_never_write_to_one_directory() {
    let dir = scratch("at-once");
    let example = file(EXAMPLE);
    let long = ["run", &example, "--set", "flows.download.bytes=100 GB", "--set", "duration=300 h"];
    let long: Vec<&str> = long.into_iter().chain(["--out", "r", "--trace", "jsonl"]).collect();
    let mut first = command(&dir, &long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !dir.join("r.partial/events.jsonl").exists() {
        assert!(first.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::yield_now();
    }
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

#[test]
fn ctrl_c_ends_tidily() {
    let dir = scratch("interrupted");
    let example = file(EXAMPLE);
    let endless = [
        "run",
        &example,
        "--set",
        "flows.download.bytes=100 GB",
        "--set",
        "duration=300 h",
        "--out",
        "r",
        "--trace",
        "jsonl",
    ];
    let child = command(&dir, &endless).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !dir.join("r.partial/events.jsonl").exists() {
        std::thread::yield_now();
    }
    assert!(Command::new("bash").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap().success());
    let ended = ended(child.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.err.trim()), (Some(130), "interrupted; nothing was written"));
    assert!(!dir.join("r").exists() && !dir.join("r.partial").exists());
}

#[test]
fn kill_9_leaves_nothing_that_looks_whole() {
    let dir = scratch("killed");
    let example = file(EXAMPLE);
    let endless = [
        "run",
        &example,
        "--set",
        "flows.download.bytes=100 GB",
        "--set",
        "duration=300 h",
        "--out",
        "r",
        "--trace",
        "jsonl",
    ];
    let mut child = command(&dir, &endless).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !dir.join("r.partial/events.jsonl").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!dir.join("r").exists());
    assert!(!dir.join("r.partial/summary.json").exists());
    fine(&dir, &["run", &example, "--out", "r"]);
    assert!(dir.join("r/summary.json").exists() && !dir.join("r.partial").exists());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = scratch("pipe");
    let script = "set -o pipefail; \"$0\" list | head -1";
    let output =
        Command::new("bash").current_dir(&dir).args(["-c", script, env!("CARGO_BIN_EXE_lasthop")]).output().unwrap();
    let ended = ended(output);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    assert!(ended.out.starts_with("schemes"));
}

/// stderr, too: the exit code still says how it ended.
#[test]
fn a_listener_that_goes_away_is_no_error() {
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
        // The reader is gone before the first word.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = command(&dir, args).stdout(Stdio::null()).stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}

/// Input that never ends, and a description through a pipe.
#[test]
fn endless_input_is_refused_and_a_pipe_is_read() {
    let dir = scratch("endless");
    let example = std::fs::read_to_string(file(EXAMPLE)).unwrap();
    let recorded = "links.air.channel={ kind = \"recorded\", file = \"/dev/zero\" }";
    for args in [&["check", "/dev/zero"][..], &["check", &file(EXAMPLE), "--set", recorded]] {
        let ended = lasthop(&dir, args);
        assert_eq!(ended.code, Some(2), "{}", ended.err);
        assert!(ended.err.contains("/dev/zero: ") && ended.err.contains("at most 64 MiB"), "{}", ended.err);
    }
    let mut child = command(&dir, &["check", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(example.as_bytes()).unwrap();
    let ended = ended(child.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
}

#[test]
fn a_directory_and_a_missing_recording_say_what_they_should_be() {
    let dir = scratch("not-there");
    let said = |args: &[&str]| {
        let ended = lasthop(&dir, args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.err);
        ended.err
    };
    std::fs::create_dir(dir.join("empty")).unwrap();
    let empty = said(&["check", "empty"]);
    assert!(empty.starts_with("error: empty: found a directory without one, expected a scenario file"), "{empty}");
    fine(&dir, &["run", &file(EXAMPLE), "--out", "results/one"]);
    assert!(said(&["plot", "results"]).contains("did you mean results/one?"));
    fine(&dir, &["run", &file(EXAMPLE), "--out", "results/two"]);
    assert!(said(&["plot", "results"]).contains("2 result directories are in it, such as results/one"));

    let datafile = std::fs::read_to_string(file("examples/goel1997/datafile.dat")).unwrap();
    let from_trace = datafile.replace("read_from_trace = 1", "read_from_trace = 0");
    assert_ne!(from_trace, datafile);
    std::fs::write(dir.join("replay.dat"), &from_trace).unwrap();
    let missing = said(&["check", "replay.dat"]);
    let line = from_trace.lines().position(|line| line.contains("read_from_trace = 0")).unwrap() + 1;
    let said = format!("replay.dat:{line}:23: simulator.read_from_trace: the recorded channel trace.dat is not there");
    assert!(missing.contains(&said), "{missing}");
    assert!(missing.contains("when the air switched") && missing.contains("--trace air"), "{missing}");
}

#[test]
fn a_result_of_another_program_is_not_drawn_as_ours() {
    let dir = scratch("other");
    fine(&dir, &["run", &file(EXAMPLE), "--out", "r"]);
    let path = dir.join("r/summary.json");
    let changed = std::fs::read_to_string(&path).unwrap().replace("\"timeouts\": 0", "\"timeouts\": 3");
    std::fs::write(&path, changed).unwrap();
    let ended = lasthop(&dir, &["plot", "r"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("run the scenario again"), "{}", ended.err);
}

/// The pictures in a result directory are of its run.
#[test]
fn pictures_of_another_run_have_a_place_of_their_own() {
    let dir = scratch("another-run");
    fine(&dir, &["run", &file(EXAMPLE), "--out", "r"]);
    for other in [["--seed", "2"], ["--scheme", "unmodified"], ["--set", "flows.download.bytes=1 MB"]] {
        let ended = lasthop(&dir, &[&["plot", "r"], &other[..]].concat());
        assert_eq!(ended.code, Some(2), "{other:?}: {}", ended.err);
        assert!(ended.err.contains("--out DIR is missing") && ended.err.contains("another run"), "{}", ended.err);
        assert!(!dir.join("r/plots").exists(), "{other:?}");
        fine(&dir, &[&["plot", "r", "--out", "p"], &other[..]].concat());
    }
}

#[test]
fn many_flows_are_drawn_only_if_asked_for() {
    let dir = scratch("many-flows");
    let mut scenario = WIRE.to_owned();
    for flow in 0..17 {
        scenario += &format!("[flows.f{flow}]\nfrom = \"a\"\nto = \"b\"\nbytes = \"10 kB\"\n");
    }
    std::fs::write(dir.join("many.toml"), scenario).unwrap();
    let ended = lasthop(&dir, &["plot", "many.toml", "--out", "p"]);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("17 flows") && ended.err.contains("--flow all"), "{}", ended.err);
    assert!(!dir.join("p").exists());
    assert_eq!(fine(&dir, &["plot", "many.toml", "--out", "p", "--flow", "f3"]).lines().count(), 2);
    assert_eq!(fine(&dir, &["plot", "many.toml", "--out", "p", "--flow", "all"]).lines().count(), 34);
}

/// 600 s at 1 Gbps have a hundred million events.
#[test]
fn a_run_too_large_for_a_picture_is_refused_and_a_part_of_it_drawn() {
    let dir = scratch("too-large");
    let flow = "[flows.f]\nfrom = \"a\"\nto = \"b\"\nwindow = \"1 MB\"\n";
    std::fs::write(dir.join("large.toml"), format!("{WIRE}{flow}")).unwrap();
    let ended = lasthop(&dir, &["plot", "large.toml", "--out", "p"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.starts_with("error: by ") && ended.err.contains(" s the run has more than 10 million things"));
    assert!(ended.err.contains("--from and --to"), "{}", ended.err);
    assert!(!dir.join("p").exists());
    fine(&dir, &["plot", "large.toml", "--out", "p", "--from", "1.2 s", "--to", "1.21 s"]);
}

const WIRE: &str = r#"
duration = "600 s"
[nodes]
a = { kind = "host" }
b = { kind = "host" }
[links.wire]
kind = "wired"
between = ["a", "b"]
rate = "1 Gbps"
delay = "1 ms"
"#;
