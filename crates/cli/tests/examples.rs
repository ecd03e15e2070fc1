//! All scenarios of `examples` are run.

use crate::common;

use std::path::{Path, PathBuf};

use common::{fine, root, scratch};

/// Returns all example scenarios except that of the crate `outside`. The command cannot run it, but tests of that crate
/// do.
fn examples() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut dirs = vec![root().join("examples")];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let is_trace = path.file_name().is_some_and(|name| name == "trace.dat");
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "outside") {
                    dirs.push(path);
                }
            } else if path.extension().is_some_and(|ending| ending == "toml" || ending == "dat") && !is_trace {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn examples_pass_check_and_complete() {
    complete(&scratch("examples"), examples().into_iter().step_by(6));
}

#[test]
#[ignore = "takes 20 s: cargo xtask test --full"]
fn all_examples_pass_check_and_complete() {
    complete(&scratch("all-examples"), examples());
}

/// Checks and runs these scenario files, and their sweeps.
fn complete(dir: &Path, examples: impl IntoIterator<Item = PathBuf>) {
    for path in examples {
        let file = path.display().to_string();
        assert!(fine(dir, &["check", &file]).contains("ok"), "{file}");
        let summary: serde_json::Value = serde_json::from_str(&fine(dir, &["run", &file, "--json"])).unwrap();
        for flow in summary["flows"].as_array().unwrap() {
            let endless =
                flow["completion_time_s"].is_null() && !std::fs::read_to_string(&path).unwrap().contains("bytes");
            assert!(flow["completed"] == true || endless, "{file}: {flow}");
        }
        if std::fs::read_to_string(&path).unwrap().contains("[sweep]") {
            let swept = fine(dir, &["sweep", &file, "--replications", "2", "--json"]);
            let rows: serde_json::Value = serde_json::from_str(&swept).unwrap();
            let rows = rows.as_array().unwrap();
            assert!(rows.len() > 1, "{file}: {rows:?}");
            assert!(rows.iter().all(|row| row["n"] == 2 && row["without"] == 0), "{file}: {rows:?}");
        }
    }
}

/// The pictures of the README and of the ICMP schemes equal those that the program draws. `UPDATE_GOLDEN=1` redraws
/// them.
#[test]
fn pictures_of_a_burst_are_up_to_date() {
    let dir = scratch("pictures");
    for scheme in ["unmodified", "refined-icmp"] {
        let title = format!("title=A burst of losses at 8.4 s, {scheme}");
        let example = common::file("examples/goel-refined.toml");
        let zoom = ["--from", "8 s", "--to", "10.8 s", "--out", scheme, "--set", &title, "--scheme", scheme];
        fine(&dir, &[&["plot", example.as_str()], &zoom[..]].concat());
        let drawn = std::fs::read_to_string(dir.join(scheme).join("download.8s-to-10.8s.svg")).unwrap();
        let kept = root().join(format!("docs/pictures/burst-{scheme}.svg"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&kept, &drawn).unwrap();
        }
        assert!(drawn == std::fs::read_to_string(&kept).unwrap(), "{} is not what is drawn today", kept.display());
    }
}

#[test]
fn examples_are_short_and_start_with_a_description() {
    for path in examples().iter().filter(|path| path.extension().is_some_and(|ending| ending == "toml")) {
        let text = std::fs::read_to_string(path).unwrap();
        let (schema, text) = text.split_once('\n').unwrap();
        let schema = schema.strip_prefix("#:schema ").unwrap_or_else(|| panic!("{} names no schema", path.display()));
        let schema = path.parent().unwrap().join(schema).canonicalize().unwrap();
        assert_eq!(schema, root().join("docs/scenario.schema.json"), "{}", path.display());
        assert!(text.lines().count() <= 48, "{}: {} lines", path.display(), text.lines().count());
        assert!(text.starts_with('#'), "{} does not say what it shows", path.display());
        assert!(text.contains("title = "), "{} has no title", path.display());
    }
}

/// Scenarios with traffic of every kind, and one with only arriving flows. No command panics, and a command that does
/// not support the traffic reports this.
#[test]
fn every_command_takes_all_kinds_of_traffic() {
    let dir = scratch("traffic");
    let arrivals = "duration = \"5 s\"\nnodes = { a = { kind = \"host\" }, b = { kind = \"host\" } }\n\
        links.wire = { kind = \"wired\", between = [\"a\", \"b\"], rate = \"10 Mbps\", delay = \"10 ms\" }\n\
        arrivals.web = { from = \"a\", to = \"b\", rate = \"10 /s\", sizes = \"pareto\" }\n";
    std::fs::write(dir.join("arrivals.toml"), arrivals).unwrap();
    let traffic = common::file("examples/traffic.toml");
    for file in [traffic.as_str(), "arrivals.toml"] {
        let short = ["--set", "duration=\"5 s\""];
        fine(&dir, &[&["run", file, "--trace", "all", "--out", "all"], &short[..]].concat());
        fine(&dir, &[&["explain", file], &short[..]].concat());
        fine(&dir, &[&["plot", file, "--out", "pictures"], &short[..]].concat());
        let ended = common::lasthop(&dir, &[&["steady", file], &short[..]].concat());
        assert_eq!(ended.code, Some(2), "{}", ended.err);
        assert!(ended.err.contains("expected bulk transfers over TCP"), "{}", ended.err);
    }
    let ended = common::lasthop(&dir, &["explain", &traffic, "--flow", "call"]);
    assert!(ended.err.contains("--flow: found \"call\", a flow over udp, expected a flow over TCP"), "{}", ended.err);
    let drawn = std::fs::read_dir(dir.join("pictures")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!drawn.map(|name| name.to_string_lossy().into_owned()).any(|name| name.starts_with("call")));
    let table = std::fs::read_to_string(dir.join("all/fcts.csv")).unwrap();
    assert!(table.lines().count() > 20 && table.starts_with("arrivals,start_s,bytes,"), "{table}");
}
