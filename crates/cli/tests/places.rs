//! Places of results and pictures. Foreign files are never replaced, and incomplete results are recognizable.

use crate::common;

use std::process::Command;

use common::{ended, file, fine, lasthop, scratch};

const EXAMPLE: &str = "examples/goel-refined.toml";

#[test]
fn foreign_directory_is_not_replaced() {
    let dir = scratch("not-ours");
    std::fs::create_dir(dir.join("precious")).unwrap();
    std::fs::write(dir.join("precious/thesis.tex"), "years of work").unwrap();
    let ended = lasthop(&dir, &["run", &file(EXAMPLE), "--out", "precious"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("did not write thesis.tex") && ended.err.contains("--out"), "{}", ended.err);
    // A foreign summary.json, a file added to a result, and the temporary directories.
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

/// The next run writes a new capture, and replaces the pictures and the page of the old capture. Other files are kept.
#[test]
fn pictures_of_a_capture_do_not_prevent_replacement_of_its_directory() {
    let dir = scratch("capture-plots");
    let run = || lasthop(&dir, &["run", &file(EXAMPLE), "--trace", "pcapng", "--out", "r"]);
    assert_eq!(run().code, Some(0));
    let captures = std::fs::read_dir(dir.join("r")).unwrap().flatten();
    let names = captures.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let stem = names.filter_map(|name| Some(name.strip_suffix(".pcapng")?.to_owned())).next().expect("a capture");
    fine(&dir, &["plot", &format!("r/{stem}.pcapng")]);
    fine(&dir, &["report", &format!("r/{stem}.pcapng")]);
    assert!(dir.join(format!("r/{stem}.plots")).is_dir() && dir.join(format!("r/{stem}.html")).is_file());
    let again = run();
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(!dir.join(format!("r/{stem}.plots")).exists() && !dir.join(format!("r/{stem}.html")).exists());
    for foreign in
        [format!("r/{stem}.plots/mine.txt"), "r/other.plots/picture.svg".to_owned(), "r/other.html".to_owned()]
    {
        let path = dir.join(&foreign);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "years of work").unwrap();
        let ended = run();
        assert_eq!(ended.code, Some(1), "{foreign}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "years of work");
        if path.parent() == Some(&dir.join("r")) {
            std::fs::remove_file(path).unwrap();
        } else {
            std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
        }
    }
}

#[test]
fn changed_settings_have_distinct_result_directories() {
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
    // The order of changes is irrelevant, and the last value of each key counts.
    let orders = [
        ["--set", "links.air.delay=3 ms", "--set", "links.wire.delay=3 ms", "--set", "links.air.delay=2 ms"],
        ["--set", "links.air.delay = 2 ms", "--set", "links.wire.delay=3 ms", "--set", "seed=1"],
    ];
    let [one, other] = orders.map(|set| results(&set));
    assert_eq!(other, format!("{one} (replaced an earlier result)"));
    assert_ne!(one, results(&slow));
    // Another scenario with the same name is refused. The same file under another path is accepted.
    let namesake = lasthop(&dir, &["run", "two/net.toml"]);
    assert_eq!(namesake.code, Some(2));
    let message = "results/net-seed1: found the result of \"one/net.toml\"";
    assert!(namesake.err.contains(message) && namesake.err.contains("--out"), "{}", namesake.err);
    let same = dir.join("one/./net.toml").display().to_string();
    let again = lasthop(&dir, &["run", &same]);
    assert_eq!(again.err.trim(), "results in results/net-seed1 (replaced an earlier result)");
}

#[cfg(unix)]
#[test]
fn result_path_may_be_a_symbolic_link_or_end_with_a_slash() {
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
fn unwritable_directory_is_named_in_the_error() {
    let dir = scratch("unwritable");
    std::fs::write(dir.join("file"), "not a directory").unwrap();
    let ended = lasthop(&dir, &["run", &file(EXAMPLE), "--out", "file/results"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("file/results: cannot be written"), "{}", ended.err);
}

#[test]
fn full_disk_keeps_the_old_result() {
    skip::need!("bash");
    written_to_a_full_disk("full", "jsonl", "events.jsonl");
}

#[test]
fn full_disk_while_tables_are_written_keeps_the_old_result() {
    skip::need!("bash");
    written_to_a_full_disk("full-tables", "parquet", ".parquet");
}

/// Writes a trace with one file that is too large, whose name ends with `name`. A limit of 64 kB on the size of files
/// substitutes for a full disk.
fn written_to_a_full_disk(test: &str, trace: &str, name: &str) {
    let dir = scratch(test);
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
            trace,
            "--out",
            "r",
        ])
        .output()
        .unwrap();
    let ended = ended(output);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains(&format!("{name}: cannot be written")), "{}", ended.err);
    assert_eq!(ended.err.lines().filter(|line| line.starts_with("error")).count(), 1, "{}", ended.err);
    assert!(!dir.join("r.partial").exists());
    assert_eq!(std::fs::read(dir.join("r/summary.json")).unwrap(), old, "the old result is gone");
}

#[test]
fn result_with_a_changed_summary_is_not_drawn() {
    let dir = scratch("other");
    fine(&dir, &["run", &file(EXAMPLE), "--out", "r"]);
    let path = dir.join("r/summary.json");
    let changed = std::fs::read_to_string(&path).unwrap().replace("\"timeouts\": 0", "\"timeouts\": 3");
    std::fs::write(&path, changed).unwrap();
    let ended = lasthop(&dir, &["plot", "r"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("run the scenario again"), "{}", ended.err);
}

/// Pictures in a result directory belong to its run.
#[test]
fn pictures_of_another_run_have_their_own_directory() {
    let dir = scratch("another-run");
    fine(&dir, &["run", &file(EXAMPLE), "--out", "r"]);
    for other in [["--seed", "2"], ["--scheme", "unmodified"], ["--set", "flows.download.bytes=1 MB"]] {
        let printed = fine(&dir, &[&["plot", "r"], &other[..]].concat());
        let place = printed.split_once(".plots/").map_or("", |(place, _)| place);
        assert!(place.starts_with("results/r-") && place != "results/r-seed1", "{other:?}: {printed}");
        assert!(!dir.join("r/plots").exists(), "{other:?}");
        fine(&dir, &[&["plot", "r", "--out", "p"], &other[..]].concat());
    }
}

/// A directory named `results` elsewhere was not made by lasthop.
#[test]
fn inputs_with_equal_names_have_distinct_output_places() {
    let dir = scratch("one-name");
    let short = ["--set", "flows.download.bytes=100 kB", "--trace", "pcapng", "--out", "r"];
    fine(&dir, &[&["run", &file(EXAMPLE)], &short[..]].concat());
    let folders = ["a", "b", "data/results"];
    for folder in folders {
        std::fs::create_dir_all(dir.join(folder)).unwrap();
        std::fs::copy(dir.join("r/server.pcapng"), dir.join(folder).join("x.pcapng")).unwrap();
    }
    for (command, ending) in [("plot", ".plots/stream-0.svg"), ("report", ".html")] {
        let write = |input: String| {
            let printed = fine(&dir, &[command, &input]);
            let output = printed.lines().next().unwrap_or_default().to_owned();
            assert!(output.starts_with("results/x-") && output.ends_with(ending), "{command} {input}: {output}");
            output
        };
        let outputs = folders.map(|folder| write(format!("{folder}/x.pcapng")));
        assert!(outputs.iter().all(|output| dir.join(output).is_file()));
        assert!(outputs[0] != outputs[1] && outputs[1] != outputs[2] && outputs[0] != outputs[2], "{outputs:?}");
        assert_eq!(write(dir.join("a/x.pcapng").display().to_string()), outputs[0], "the same capture");
    }
    for folder in folders {
        assert_eq!(std::fs::read_dir(dir.join(folder)).unwrap().count(), 1, "{folder}");
    }
}

/// Outputs made from a file that is not a result are written below `results/`, under the name of the file.
#[test]
fn commands_write_below_results_by_default() {
    let dir = scratch("below-results");
    fine(&dir, &["run", &file(EXAMPLE), "--trace", "pcapng", "--no-delays"]);
    std::fs::copy(dir.join("results/goel-refined-seed1/server.pcapng"), dir.join("download.pcapng")).unwrap();
    fine(&dir, &["sweep", &file("examples/selective-repeat.toml"), "--replications", "2", "-o", "mine.sqlite"]);
    let example = file(EXAMPLE);
    for (args, expected) in [
        (&["plot", "download.pcapng"][..], "results/download.plots/stream-0.svg"),
        (&["report", "download.pcapng"], "results/download.html"),
        (&["plot", &example], "results/goel-refined-seed1.plots/download.svg"),
        (&["plot", &example, "--scheme", "snoop"], "results/goel-refined-snoop-seed1.plots/download.svg"),
        (&["plot", &example, "--topology"], "results/goel-refined-seed1.plots/network.topology.svg"),
        (&["report", "mine.sqlite"], "results/mine.html"),
        (&["export", "mine.sqlite"], "results/mine/flows.csv"),
        (&["report", "results/goel-refined-seed1/server.pcapng"], "results/goel-refined-seed1/server.html"),
        (&["plot", "results/goel-refined-seed1"], "results/goel-refined-seed1/plots/download.svg"),
    ] {
        let printed = fine(&dir, args);
        assert_eq!(printed.lines().next(), Some(expected), "{args:?}");
        assert!(dir.join(expected).is_file(), "{expected}");
    }
    let mut here: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    here.sort();
    assert_eq!(here, ["download.pcapng", "mine.sqlite", "results"]);
}
