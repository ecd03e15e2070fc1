//! Invalid input causes one message with its position, and exit code 2.

use crate::common;

use common::{file, fine, lasthop, piped, scratch};

const EXAMPLE: &str = "examples/goel-refined.toml";

#[test]
fn invalid_input_exits_with_2_and_names_its_position() {
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
            "unit.toml:18:8: links.wire.rate: found \"8 mbps\", expected a rate such as \"8 Mbps\"",
        ),
        (&["check", "unit.toml"], "did you mean \"8 Mbps\"?"),
        (&["run", "cut.toml"], "cut.toml"),
        (&["run", "binary.toml"], "binary"),
        (&["run", "empty.dat"], "empty.dat"),
        (&["run", "cut.dat"], "cut.dat:3"),
        (&["run", "missing.toml"], "missing.toml: cannot be read"),
        (&["run", "untt.toml"], "did you mean \"unit.toml\"?"),
        (&["explain", "untt.toml"], "did you mean \"unit.toml\"?"),
        (&["import", "untt.toml"], "did you mean \"unit.toml\"?"),
        (&["fit", "untt.toml"], "did you mean \"unit.toml\"?"),
        (&["report", "untt.toml"], "did you mean \"unit.toml\"?"),
        (&["merge", "-o", "all.sqlite", "untt.toml"], "did you mean \"unit.toml\"?"),
        (&["merge", "unit.toml"], "--out STORE is missing"),
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
        (&["plot", &example, "--out", "p", "--flow", "downlaod"], "did you mean \"download\"?"),
        (&["plot", &example, "--out", "p", "--from", "9 s", "--to", "8 s"], "a time after --from"),
        (&["plot", &example, "--out", "p", "--from", "9"], "add a unit"),
        (&["plot", &example, "--out", "p", "--from", "9 h"], "expected a time before the end of the run (4300 s)"),
        (&["plot", &example, "--out", "p", "--from", "140 s"], "expected a time before the end of the run (135.381 s)"),
        (&["plot", &example, "--out", "p", "--size", "200x200"], "width 500 to 8000, height 400 to 8000"),
        (&["rnu", &example], "unrecognized subcommand"),
        (&["rnu", &example], "a similar subcommand exists: 'run'"),
        (&["comapre", &example], "a similar subcommand exists: 'compare'"),
        (&["run", &example, "--shceme", "snoop"], "a similar argument exists: '--scheme'"),
        (&["run", &example, "--output", "r"], "a similar argument exists: '--out'"),
        (&["sweep", &example, "--metric", "goodptu"], "did you mean \"goodput_bps\"?"),
        (&["reproduce", "goel97"], "did you mean \"goel1997\"?"),
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
fn name_without_similar_names_is_refused_with_the_list_of_all_names() {
    let dir = scratch("lists");
    let example = file(EXAMPLE);
    let listed = |kind: &str| -> Vec<String> {
        let list = fine(&dir, &["list", kind]);
        let names = list.lines().skip(1).filter_map(|line| line.split_whitespace().next());
        names.map(str::to_owned).collect()
    };
    let kinds: Vec<String> = fine(&dir, &["list"])
        .lines()
        .filter(|line| !line.starts_with(' '))
        .map(|line| line.split_once(" (").unwrap().0.to_owned())
        .collect();
    assert!(kinds.len() > 10 && kinds.contains(&"traces".to_owned()), "{kinds:?}");
    let asked: [(&[&str], Vec<String>); 9] = [
        (&["run", &example, "--trace", "?"], listed("traces")),
        (&["run", &example, "--events", "?"], listed("events")),
        (&["run", &example, "--scheme", "?"], listed("schemes")),
        (&["run", &example, "--set", "flows.download.tcp.variant=?"], listed("variants")),
        (&["compare", "--schemes", "?"], listed("schemes")),
        (&["sweep", &example, "--metric", "?"], listed("metrics")),
        (&["list", "?"], kinds),
        (&["export", "store", "--format", "?"], listed("formats")),
        (&["reproduce", "?"], listed("papers")),
    ];
    for (args, names) in asked {
        assert!(names.len() > 2, "{args:?}");
        let ended = lasthop(&dir, args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.err);
        let words: Vec<&str> = ended.err.split([' ', ',', '\n']).collect();
        let missing: Vec<_> = names.iter().filter(|name| !words.contains(&name.as_str())).collect();
        assert!(missing.is_empty(), "{args:?} does not name {missing:?}: {}", ended.err);
        assert!(ended.err.lines().all(|line| line.chars().count() <= 300), "{}", ended.err);
    }
    assert!(!dir.join("results").exists());
}

#[test]
fn counts_are_singular_for_one_and_trace_lists_may_have_spaces() {
    let dir = scratch("small");
    let example = file(EXAMPLE);
    assert!(fine(&dir, &["check", &example]).contains(": ok: 3 nodes, 2 links, 1 flow\n"));
    let short = "flows.download.bytes=40 KiB";
    fine(&dir, &["run", &example, "--set", short, "--trace", "seqno, ackno ", "--out", "r"]);
    assert!(dir.join("r/server-seqno").exists() && dir.join("r/server-ackno").exists());
}

/// Endless input is refused, and a scenario is read from a pipe.
#[test]
fn endless_input_is_refused_and_a_pipe_is_read() {
    let dir = scratch("endless");
    let example = std::fs::read(file(EXAMPLE)).unwrap();
    let recorded = "links.air.channel={ kind = \"recorded\", file = \"/dev/zero\" }";
    for args in [&["check", "/dev/zero"][..], &["check", &file(EXAMPLE), "--set", recorded]] {
        let ended = lasthop(&dir, args);
        assert_eq!(ended.code, Some(2), "{}", ended.err);
        assert!(ended.err.contains("/dev/zero: ") && ended.err.contains("at most 64 MiB"), "{}", ended.err);
    }
    let ended = piped(&dir, &["check", "/dev/stdin"], &example);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
}

#[test]
fn directory_and_missing_recording_are_refused_with_the_expected_kind() {
    let dir = scratch("not-there");
    let stderr = |args: &[&str]| {
        let ended = lasthop(&dir, args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.err);
        ended.err
    };
    std::fs::create_dir(dir.join("empty")).unwrap();
    let empty = stderr(&["check", "empty"]);
    assert!(empty.starts_with("error: empty: found a directory without one, expected a scenario file"), "{empty}");
    fine(&dir, &["run", &file(EXAMPLE), "--out", "results/one"]);
    assert!(stderr(&["plot", "results"]).contains("did you mean results/one?"));
    fine(&dir, &["run", &file(EXAMPLE), "--out", "results/two"]);
    // A file is never a result directory, regardless of its name.
    std::fs::write(dir.join("results/a.sqlite"), "").unwrap();
    assert!(stderr(&["plot", "results"]).contains("2 result directories are in it, such as results/one"));

    let datafile = std::fs::read_to_string(file("examples/goel1997/datafile.dat")).unwrap();
    let from_trace = datafile.replace("read_from_trace = 1", "read_from_trace = 0");
    assert_ne!(from_trace, datafile);
    std::fs::write(dir.join("replay.dat"), &from_trace).unwrap();
    let missing = stderr(&["check", "replay.dat"]);
    let line = from_trace.lines().position(|line| line.contains("read_from_trace = 0")).unwrap() + 1;
    let message =
        format!("replay.dat:{line}:23: simulator.read_from_trace: the recorded channel trace.dat does not exist");
    assert!(missing.contains(&message), "{missing}");
    assert!(missing.contains("the changes of the channel's state") && missing.contains("--trace air"), "{missing}");
}

#[test]
fn many_flows_are_drawn_only_on_request() {
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
fn run_too_large_for_a_picture_is_refused_and_a_part_is_drawn() {
    let dir = scratch("too-large");
    let flow = "[flows.f]\nfrom = \"a\"\nto = \"b\"\nreceive_window = \"1 MB\"\n";
    std::fs::write(dir.join("large.toml"), format!("{WIRE}{flow}")).unwrap();
    let ended = lasthop(&dir, &["plot", "large.toml", "--out", "p"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.starts_with("error: by ") && ended.err.contains(" s the run has more than 10 million events"));
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
