//! Messages that are not results: --quiet, --verbose, --no-out.

use crate::common;

use std::fs;

use common::{file, fine, lasthop, scratch};

const EXAMPLE: &str = "examples/goel-refined.toml";
const SHORT: &str = "flows.download.bytes=400 KiB";

#[test]
fn quiet_prints_results_and_errors_only() {
    let dir = scratch("quiet");
    let example = file(EXAMPLE);
    // `run` notes that it ignores the sweep. The buffer is far below the bandwidth-delay product.
    let noisy = ["--set", SHORT, "--set", "sweep.replications=2", "--set", "nodes.station.buffer=3 kB"];
    let run = [&["run", &example], &noisy[..]].concat();
    let loud = lasthop(&dir, &run);
    assert_eq!(loud.code, Some(0), "{}", loud.err);
    assert!(loud.err.contains("note: ") && loud.err.contains("results in "), "{}", loud.err);
    for quiet in ["-q", "--quiet"] {
        // The option is accepted before and after the command.
        for args in [[&[quiet], &run[..]].concat(), [&run[..], &[quiet]].concat()] {
            let ended = lasthop(&dir, &args);
            assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{args:?}");
            assert_eq!(ended.out, loud.out, "{args:?}");
        }
    }
    let wrong = lasthop(&dir, &["run", &example, "--scheme", "foo", "-q"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.starts_with("error: --scheme foo"), "{}", wrong.err);
    let both = lasthop(&dir, &["run", &example, "-q", "-v"]);
    assert_eq!(both.code, Some(2));
    assert!(both.err.contains("cannot be used with"), "{}", both.err);
}

#[test]
fn quiet_hides_warnings_of_a_scenario() {
    let dir = scratch("quiet-warnings");
    fine(&dir, &["new", "first.toml"]);
    // More than four times the product of 2 Mbps and the round trip time of about 50 ms.
    let check = ["check", "first.toml", "--set", "nodes.station.buffer=64 kB"];
    let loud = lasthop(&dir, &check);
    assert!(loud.err.starts_with("warning: "), "{}", loud.err);
    let quiet = lasthop(&dir, &[&check[..], &["--quiet"]].concat());
    assert_eq!((quiet.code, quiet.err.as_str(), quiet.out), (Some(0), "", loud.out));
}

#[test]
fn verbose_names_the_origin_of_settings() {
    let dir = scratch("verbose");
    for name in ["cellular.toml", "cellular-down.trace"] {
        fs::copy(file("examples").to_owned() + "/" + name, dir.join(name)).unwrap();
    }
    let size = |name: &str| fs::metadata(dir.join(name)).unwrap().len();
    let plain = lasthop(&dir, &["run", "cellular.toml", "--no-out"]);
    let ended = lasthop(&dir, &["run", "cellular.toml", "-v"]);
    assert_eq!((ended.code, &ended.out), (Some(0), &plain.out), "{}", ended.err);
    let lines: Vec<&str> = ended.err.lines().collect();
    for line in [
        format!("read cellular.toml: {} bytes", size("cellular.toml")),
        format!("read cellular-down.trace: {} bytes", size("cellular-down.trace")),
        "default: profile = \"exact\"".to_owned(),
        "default: --out results/cellular-seed1".to_owned(),
    ] {
        assert!(lines.contains(&line.as_str()), "no `{line}` in: {}", ended.err);
    }
    let time = lines.last().unwrap().strip_prefix("time: ").and_then(|rest| rest.strip_suffix(" s"));
    assert!(time.is_some_and(|time| time.parse::<f64>().is_ok()), "{}", ended.err);
}

/// A default is a key set neither in the file nor by an option; the test lists all keys with defaults, as in
/// docs/scenario.md.
#[test]
fn verbose_lists_the_keys_left_at_their_defaults() {
    let dir = scratch("verbose-defaults");
    let text = "title = \"t\"\nduration = \"1 s\"\nnodes = { a = { kind = \"host\" }, b = { kind = \"host\" } }\n\
                links.w = { kind = \"wired\", between = [\"a\", \"b\"], rate = \"1 Mbps\", delay = \"1 ms\" }\n\
                flows.f = { from = \"a\", to = \"b\", bytes = \"9 kB\" }\n";
    fs::write(dir.join("small.toml"), text).unwrap();
    let defaults = |args: &[&str]| -> Vec<String> {
        let ended = lasthop(&dir, &[&["run", "small.toml", "--no-out", "-v"], args].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        ended.err.lines().filter_map(|line| line.strip_prefix("default: ")).map(str::to_owned).collect()
    };
    let all = defaults(&[]);
    for key in [
        "profile = \"exact\"",
        "scheme = \"unmodified\"",
        "seed = 1",
        "flows.f.tcp.variant = \"reno\"",
        "flows.f.receive_window = \"65535 B\"",
    ] {
        assert!(all.contains(&key.to_owned()), "{key}: {all:?}");
    }
    assert!(!all.iter().any(|line| line.starts_with("links.w.rate") || line.starts_with("duration")), "{all:?}");
    let fewer = defaults(&["--seed", "2", "--set", "flows.f.tcp.variant=cubic", "--scheme", "snoop"]);
    let gone = ["scheme = ", "seed = ", "flows.f.tcp.variant = "];
    assert!(!fewer.iter().any(|line| gone.iter().any(|gone| line.starts_with(gone))), "{fewer:?}");
}

#[test]
fn run_without_a_directory_prints_the_same_and_writes_nothing() {
    let dir = scratch("no-out");
    let example = file(EXAMPLE);
    let args = |more: &[&'static str]| -> Vec<String> {
        let all = [&["run", example.as_str(), "--set", SHORT], more].concat();
        all.iter().map(|arg| (*arg).to_owned()).collect()
    };
    let run = |more: &[&'static str]| {
        let args = args(more);
        lasthop(&dir, &args.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let ended = run(&["--no-out", "--json"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    // The summary lists the requested traces, which are none in both runs.
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    assert_eq!(ended.out, run(&["--json"]).out);
    let printed = run(&["--no-out", "--print-events"]);
    assert_eq!(printed.out, run(&["--print-events"]).out);
    assert!(printed.out.lines().count() > 3, "{}", printed.out);
    fs::remove_dir_all(dir.join("results")).unwrap();
    let traced = run(&["--no-out", "--set", "output.traces=[\"seqno\"]"]);
    assert_eq!(traced.code, Some(0));
    assert!(traced.err.contains("traces of output.traces are not written"), "{}", traced.err);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    for refused in [&["--no-out", "--out", "r"][..], &["--no-out", "--trace", "seqno"]] {
        let ended = run(refused);
        assert_eq!(ended.code, Some(2), "{refused:?}");
        assert!(ended.err.contains("cannot be used with"), "{}", ended.err);
    }
}
