//! The thesis's program: reading `datafile.dat`, writing its traces and event trace [goel1997 appendix B].

use crate::common;

use std::path::Path;

use common::{command, ended, file, fine, lasthop, scratch};

/// The example of appendix B.4, whose channel is BAD from 940 to 1040 ms.
const REPLAY: &str = "examples/goel1997/replay.dat";

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The command prints as `simulator > event-trace` of the thesis does.
#[test]
fn print_events_writes_the_event_trace_to_standard_output() {
    let dir = scratch("print-events");
    let run = lasthop(&dir, &["run", &file(REPLAY), "--print-events", "--trace", "events", "--out", "r"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out, text(&dir.join("r/event-trace.txt")));
    assert!(run.out.contains("(CLOCK : 945)") && run.out.ends_with("Normal Termination.\n"), "{}", run.out);
    assert!(run.err.contains("completed in"), "the table is written to stderr: {}", run.err);
    // Without the option, standard output has the table.
    assert!(fine(&dir, &["run", &file(REPLAY), "--out", "r"]).contains("completed in"));
    assert!(!dir.join("r/event-trace.txt").exists());
}

/// A run whose standard output is closed continues to its end and writes its result.
#[test]
#[cfg(unix)]
fn closed_standard_output_does_not_stop_a_run() {
    let dir = scratch("print-events-head");
    let mut command = command(&dir, &["run", &file("examples/goel-refined.toml"), "--print-events", "--out", "r"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let run = ended(command.stdout(writer).stderr(std::process::Stdio::piped()).output().unwrap());
    assert!(run.code == Some(0) && run.err.ends_with("\nresults in r\n"), "{}", run.err);
    assert!(dir.join("r/summary.json").is_file());
}

#[test]
fn settings_of_the_event_trace_without_it_are_reported() {
    let dir = scratch("idle-event-settings");
    let example = file("examples/goel-refined.toml");
    let warned = |options: &[&str]| {
        let run = lasthop(&dir, &[&["run", &example, "--no-out", "--set", "duration=1 s"], options].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
        ["--events has no effect", "output.print_interval has no effect"].map(|text| run.err.contains(text))
    };
    let interval = ["--set", "output.print_interval=1 s"];
    assert_eq!(warned(&["--events=-corrupted"]), [true, false]);
    assert_eq!(warned(&interval), [false, true]);
    assert_eq!(warned(&[&interval[..], &["--events=-corrupted", "--print-events"]].concat()), [false, false]);
}

/// The example has nine corruptions, one frame given up, and one fast retransmit [goel1997 B.4]. Each kind of event can
/// be excluded.
#[test]
fn kinds_of_events_can_be_excluded() {
    let dir = scratch("event-kinds");
    let print = |kinds: &str| {
        let mut args = vec!["run", REPLAY, "--print-events", "--trace", "none", "--out", "r"];
        let (example, kinds) = (file(REPLAY), format!("--events={kinds}"));
        args[1] = &example;
        args.push(&kinds);
        fine(&dir, &args)
    };
    let count = |kinds: &str| {
        let text = print(kinds);
        ["PKT CORRUPTED", "could not be transmitted", "Fast Retransmit", "RETRANSMITTED"]
            .map(|entry| text.matches(entry).count())
    };
    assert_eq!(count("all"), [9, 1, 1, 1]);
    assert_eq!(count("-corrupted"), [0, 1, 1, 1]);
    assert_eq!(count("corrupted,given-up"), [9, 1, 0, 0]);
    assert_eq!(count("-all"), [0; 4]);
    let wrong = lasthop(&dir, &["run", &file(REPLAY), "--events", "corupted", "--out", "r"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("did you mean \"corrupted\"?"), "{}", wrong.err);
    // The same selection, made with keys of the datafile.
    let flags = text(Path::new(&file(REPLAY))).replace(
        "read_from_trace",
        "trace_events = 1\n    trace_seqno = 0\n    event_corrupted = 0\n    read_from_trace",
    );
    std::fs::write(dir.join("replay.dat"), flags).unwrap();
    std::fs::copy(file("examples/goel1997/trace.dat"), dir.join("trace.dat")).unwrap();
    fine(&dir, &["run", "replay.dat", "--out", "flags"]);
    let trace = text(&dir.join("flags/event-trace.txt"));
    assert!(!trace.contains("PKT CORRUPTED") && trace.contains("could not be transmitted"), "{trace}");
    assert!(!dir.join("flags/211-seqno").exists() && dir.join("flags/211-ackno").exists());
}

/// According to the thesis, frames 15 to 19 leave at 945 to 989 ms and frame 20 at 1000 ms, all for segment 15360
/// [goel1997 B.4]. Therefore, just before 1000 ms the link layer has made five attempts, the next frame is 20, and the
/// first frame not yet received is 15.
#[test]
fn periodic_state_shows_every_node() {
    let dir = scratch("node-states");
    let print = ["--set", "output.print_interval=1 s", "--print-events", "--trace", "none", "--out", "r"];
    let mut args = vec!["run"];
    let example = file(REPLAY);
    args.push(&example);
    args.extend(print);
    let printed = fine(&dir, &args);
    let state = printed.split("***** STATE *****\n").nth(1).expect("a state");
    let line = |start: &str| {
        let found = state.lines().find(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("no line begins with {start}\n{state}")).to_owned()
    };
    assert!(state.starts_with("(CLOCK : 1000)\n"), "{state}");
    assert!(line("flow 211").contains("<NEXT, ACKED, UNACKED, CWND, SSTHRESH>"));
    for node in ["node 211 <", "node 212 <", "node 213 <"] {
        assert!(line(node).contains("<BUFFERED, BUFFERS, PROCESSING>"));
    }
    let outstanding = line("node 212 to 213 over link 102 <WAITING, BYTES, OUTSTANDING>");
    assert!(outstanding.ends_with(", 1>"), "{outstanding}");
    assert_eq!(line("node 212 to 213 over link 102 (DLL)").rsplit_once(" : ").unwrap().1, "<5, 20>");
    assert_eq!(line("node 213 from 212 over link 102 (DLL)").rsplit_once(" : ").unwrap().1, "<15>");
}

/// A run with `read_from_trace = 1` records the channel. A run with `read_from_trace = 0` and this file has the same
/// losses and the same result.
#[test]
fn recorded_channel_is_replayed() {
    let dir = scratch("record-and-follow");
    let datafile = text(Path::new(&file("examples/goel1997/datafile.dat")));
    let datafile = datafile.replace("num_of_pkts_to_send = 10000", "num_of_pkts_to_send = 2000");
    std::fs::write(dir.join("datafile.dat"), &datafile).unwrap();
    let recorded = lasthop(&dir, &["run", "datafile.dat"]);
    assert_eq!(recorded.code, Some(0), "{}", recorded.err);
    let path = "results/datafile-seed1/trace.dat";
    assert!(recorded.err.contains(&format!("note: read_from_trace = 0 {path} repeats")), "{}", recorded.err);
    let air = text(&dir.join(path));
    assert!(air.lines().count() > 2, "{air}");
    let completed = |out: &str| out.lines().find(|line| line.starts_with("211 ")).expect("the flow").to_owned();
    // Without a path, the hint names the recorded file.
    let bare = datafile.replace("read_from_trace = 1", "read_from_trace = 0");
    assert_ne!(bare, datafile);
    std::fs::write(dir.join("datafile.dat"), &bare).unwrap();
    let refused = lasthop(&dir, &["run", "datafile.dat"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains(&format!("write read_from_trace = 0 {path}")), "{}", refused.err);
    // The path works repeatedly, although the run replaces that directory. The name of the directory works too.
    for named in [path, path, "results/datafile-seed1"] {
        let follows = datafile.replace("read_from_trace = 1", &format!("read_from_trace = 0 {named}"));
        std::fs::write(dir.join("datafile.dat"), follows).unwrap();
        let again = fine(&dir, &["run", "datafile.dat"]);
        assert_eq!(completed(&again), completed(&recorded.out));
        // The recording ends at the end of the run.
        assert_eq!(text(&dir.join(path)), air);
    }
}
