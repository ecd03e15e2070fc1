//! Sweeps have equal results for any number of jobs, after interruptions, and if divided into shards. Invalid stores
//! are refused.

use crate::common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{ask, command, ended, file, fine, lasthop, scratch, send_signal, without_checksums};
use serde_json::Value;
use testkit::FADING_PATH;

/// 3 x 2 x 8 runs of some milliseconds each, on a channel with bursts.
fn sweep_text() -> String {
    format!(
        r#"title = "A sweep"
duration = "1000 s"
{FADING_PATH}[flows.download]
from = "server"
to = "mobile"
bytes = "2 MB"
receive_window = "16 KiB"
[sweep]
replications = 8
metrics = ["completion_time_s", "timeouts", "goodput_bps"]
axes.links.wire.delay = ["50 ms", "100 ms", "200 ms"]
compare.scheme = ["unmodified", "refined-icmp"]
"#
    )
}

fn scenario(test: &str) -> std::path::PathBuf {
    let dir = scratch(test);
    std::fs::write(dir.join("net.toml"), sweep_text()).unwrap();
    dir
}

/// Returns all runs of a store, in an order independent of their insertion.
fn runs(store: &Path) -> String {
    ask(store, "SELECT hex(digest), replication, summary FROM runs ORDER BY 1, 2")
}

/// True if the tables of a store exist.
fn laid_out(store: &Path) -> bool {
    store.exists() && ask(store, "SELECT count(*) FROM sqlite_schema").trim() != "0"
}

/// Returns the number of finished runs in a store that another process may be creating.
fn kept(store: &Path) -> u64 {
    if laid_out(store) { ask(store, "SELECT count(*) FROM runs").trim().parse().unwrap() } else { 0 }
}

fn number_of_runs(text: &str) -> u64 {
    let line = text.lines().find(|line| line.contains("kept in")).unwrap_or_else(|| panic!("{text}"));
    line.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn results_do_not_depend_on_jobs_and_shards() {
    let dir = scenario("sweep-same");
    let complete = fine(&dir, &["sweep", "net.toml", "--jobs", "1", "--json", "--out", "complete.sqlite"]);
    let kept = runs(&dir.join("complete.sqlite"));
    assert_eq!(kept.lines().count(), 3 * 2 * 8);
    for jobs in ["2", "7"] {
        let out = format!("jobs-{jobs}.sqlite");
        assert_eq!(fine(&dir, &["sweep", "net.toml", "--jobs", jobs, "--json", "--out", &out]), complete);
        assert_eq!(runs(&dir.join(&out)), kept);
    }
    let mut done = 0;
    for shard in ["1/3", "2/3", "3/3"] {
        let out = format!("shard-{}.sqlite", &shard[..1]);
        let part = lasthop(&dir, &["sweep", "net.toml", "--shard", shard, "--out", &out]);
        done += number_of_runs(&part.err);
    }
    assert_eq!(done, 48);
    fine(&dir, &["merge", "-o", "merged.sqlite", "shard-3.sqlite", "shard-1.sqlite", "shard-2.sqlite"]);
    assert_eq!(runs(&dir.join("merged.sqlite")), kept);
    let again = lasthop(&dir, &["sweep", "net.toml", "--resume", "--json", "--out", "merged.sqlite"]);
    assert_eq!(again.out, complete);
    assert_eq!(number_of_runs(&again.err), 0, "{}", again.err);
    // A store merged into itself is unchanged.
    assert!(fine(&dir, &["merge", "merged.sqlite", "merged.sqlite"]).contains("0 new runs and 0 new sweeps"));
    assert_eq!(runs(&dir.join("merged.sqlite")), kept);
    for shard in ["0/3", "4/3", "1/0", "1", "a/b", "-1/3"] {
        let wrong = lasthop(&dir, &["sweep", "net.toml", &format!("--shard={shard}")]);
        assert_eq!(wrong.code, Some(2), "{shard}");
        assert!(wrong.err.contains("I from 1 to N, such as 2/4"), "{shard}: {}", wrong.err);
    }
}

#[test]
fn change_that_affects_results_starts_a_new_sweep() {
    let dir = scenario("sweep-changed");
    let done = |args: &[&str]| {
        let ended = lasthop(&dir, &[&["sweep", "net.toml", "--out", "s.sqlite"], args].concat());
        assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.err);
        (number_of_runs(&ended.err), ended.out)
    };
    assert_eq!(done(&["--replications", "3"]).0, 18);
    assert_eq!(done(&["--replications", "5"]).0, 12, "only the new ones");
    let (none, table) = done(&["--replications", "2"]);
    assert_eq!(none, 0);
    assert!(
        table.lines().any(|line| line.starts_with("50 ms") && line.split_whitespace().any(|cell| cell == "2")),
        "{table}"
    );
    for same in [
        &["--set", "title=Another title"][..],
        &["--set", "output.traces=[\"seqno\"]"],
        &["--metric", "fairness"],
        &["--set", "links.wire.delay=1 s"],
    ] {
        assert_eq!(done(&[&["--replications", "5"], same].concat()).0, 0, "{same:?}");
    }
    assert_eq!(done(&["--replications", "5", "--set", "flows.download.bytes=1 MB"]).0, 30);
    assert_eq!(done(&["--replications", "5", "--seed", "2"]).0, 30);
    // Three sweeps of the same name are distinguished.
    fine(&dir, &["export", "s.sqlite", "--out", "e"]);
    let mut reader = std::fs::read_to_string(dir.join("e/flows.csv")).unwrap();
    reader.make_ascii_lowercase();
    for (name, rows) in [("net,", 30), ("net#2,", 30), ("net#3,", 30)] {
        assert_eq!(reader.lines().filter(|line| line.starts_with(name)).count(), rows, "{name}");
    }
}

/// One open file per job would exceed the limit.
#[test]
fn number_of_open_files_does_not_grow_with_jobs() {
    let dir = scenario("sweep-jobs");
    let output = Command::new("sh")
        .current_dir(&dir)
        .args(["-c", "ulimit -n 40; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_lasthop")])
        .args(["sweep", "net.toml", "--jobs", "1000000000", "--out", "s.sqlite"])
        .output()
        .unwrap();
    let end = ended(output);
    assert_eq!(end.code, Some(0), "{}", end.err);
    assert_eq!(number_of_runs(&end.err), 48);
}

/// Two processes share the work of a sweep, and do not disturb each other.
#[test]
fn two_processes_fill_one_store() {
    let dir = scenario("sweep-two");
    fine(&dir, &["sweep", "net.toml", "--replications", "40", "--out", "alone.sqlite"]);
    for round in 0..3 {
        let out = format!("both-{round}.sqlite");
        let args = ["sweep", "net.toml", "--replications", "40", "--jobs", "1", "--out", &out];
        let start = || command(&dir, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let both = [start(), start()].map(|child| ended(child.wait_with_output().unwrap()));
        let mut done = 0;
        for one in &both {
            assert_eq!(one.code, Some(0), "{}", one.err);
            done += number_of_runs(&one.err);
        }
        assert_eq!(both[0].out, both[1].out);
        // At least one of the two processes makes each run. The number of runs that both make depends on timing.
        assert!((240..=480).contains(&done), "{done} runs for 240");
        assert_eq!(runs(&dir.join(&out)), runs(&dir.join("alone.sqlite")));
    }
}

#[test]
fn many_processes_create_one_store() {
    let dir = scenario("sweep-many");
    let args = ["sweep", "net.toml", "--replications", "1", "--jobs", "1", "--out", "crowd.sqlite"];
    let start = |_| command(&dir, &args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let crowd: Vec<_> = (0..8).map(start).collect();
    for one in crowd {
        let one = ended(one.wait_with_output().unwrap());
        assert_eq!(one.code, Some(0), "{}", one.err);
    }
    assert_eq!(runs(&dir.join("crowd.sqlite")).lines().count(), 6);
}

#[test]
fn finished_runs_survive_sigkill() {
    let dir = scenario("sweep-killed");
    let args = |replications, out| {
        ["sweep", "net.toml", "--replications", replications, "--jobs", "2", "--json", "--out", out]
    };
    let complete = fine(&dir, &args("60", "complete.sqlite"));
    let store = dir.join("killed.sqlite");
    let mut before = 0;
    for round in 0..12 {
        // More runs than can finish before the interruption.
        let mut child = command(&dir, &args("100000", "killed.sqlite"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Interrupted while at work; in every third round during the start.
        let aim = if round % 3 == 0 { before } else { before + 1 + round };
        while kept(&store) < aim {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let now = kept(&store);
        assert!(now >= aim, "{now} where {aim} were seen");
        if laid_out(&store) {
            assert_eq!(ask(&store, "PRAGMA integrity_check").trim(), "ok", "round {round}");
        }
        before = now;
    }
    ask(&store, "DELETE FROM runs WHERE replication >= 60");
    let before = kept(&store);
    let end = lasthop(&dir, &args("60", "killed.sqlite"));
    assert_eq!(end.code, Some(0), "{}", end.err);
    assert_eq!(number_of_runs(&end.err), 360 - before);
    assert_eq!(end.out, complete);
    assert_eq!(runs(&store), runs(&dir.join("complete.sqlite")));
}

#[test]
fn interrupted_sweep_keeps_finished_runs() {
    let dir = scenario("sweep-interrupted");
    let args = ["sweep", "net.toml", "--replications", "100000", "--jobs", "2", "--out", "s.sqlite"];
    let child = command(&dir, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let store = dir.join("s.sqlite");
    while kept(&store) < 20 {
        std::thread::sleep(Duration::from_millis(20));
    }
    send_signal("INT", child.id());
    let end = ended(child.wait_with_output().unwrap());
    assert_eq!(end.code, Some(130), "{}", end.err);
    let message = format!(
        "interrupted: {} of 600000 runs are finished and stored\n  hint: the same command continues\n",
        kept(&store)
    );
    assert_eq!((end.err, end.out), (message, String::new()));
}

/// A limit on the size of files substitutes for a full disk.
#[test]
fn full_disk_keeps_finished_runs() {
    skip::need!("bash");
    let dir = scenario("sweep-full");
    let script = "ulimit -f 400; exec \"$0\" \"$@\"";
    let args = ["sweep", "net.toml", "--replications", "60", "--out", "s.sqlite"];
    let output = Command::new("bash")
        .current_dir(&dir)
        .args(["-c", script, env!("CARGO_BIN_EXE_lasthop")])
        .args(args)
        .output()
        .unwrap();
    let end = ended(output);
    assert_eq!(end.code, Some(1), "{}", end.err);
    assert!(end.err.starts_with("error: s.sqlite: cannot be written: "), "{}", end.err);
    assert_eq!(end.err.lines().filter(|line| line.contains("error")).count(), 1, "{}", end.err);
    assert!(end.err.contains("finished runs are stored"), "{}", end.err);
    let kept: u64 = ask(&dir.join("s.sqlite"), "SELECT count(*) FROM runs").trim().parse().unwrap();
    assert!(kept > 10, "{kept}");
    let on = lasthop(&dir, &args);
    assert_eq!((on.code, number_of_runs(&on.err)), (Some(0), 360 - kept), "{}", on.err);
}

#[test]
fn invalid_store_is_refused_and_unchanged() {
    let dir = scenario("sweep-no-store");
    fine(&dir, &["sweep", "net.toml", "--out", "good.sqlite"]);
    let good = std::fs::read(dir.join("good.sqlite")).unwrap();
    let make = |name: &str, bytes: &[u8]| std::fs::write(dir.join(name), bytes).unwrap();
    make(
        "text.sqlite",
        b"years of work, and long enough to have a header of one hundred bytes in a database file, which this is not",
    );
    make("empty.sqlite", b"");
    make("cut.sqlite", &good[..good.len() / 2]);
    let mut newer = good.clone();
    newer[60..64].copy_from_slice(&99u32.to_be_bytes());
    make("newer.sqlite", &newer);
    let mut torn = good.clone();
    torn[8192..12288].fill(0xa5);
    make("torn.sqlite", &torn);
    std::fs::create_dir(dir.join("dir.sqlite")).unwrap();
    ask(&dir.join("other.sqlite"), "CREATE TABLE runs (a)");
    let other = std::fs::read(dir.join("other.sqlite")).unwrap();
    make("no-cells.sqlite", &good);
    ask(&dir.join("no-cells.sqlite"), "DROP TABLE cells");
    make("no-digest.sqlite", &good);
    for change in ["DROP TABLE runs", "CREATE TABLE runs (replication, summary, checksum)"] {
        ask(&dir.join("no-digest.sqlite"), change);
    }
    let cases = [
        ("text.sqlite", "is not a store of lasthop"),
        ("empty.sqlite", "is not a store of lasthop"),
        ("cut.sqlite", "is damaged"),
        ("torn.sqlite", "is damaged"),
        ("newer.sqlite", "was written by a newer lasthop: format 99, this one supports up to 3"),
        ("dir.sqlite", "is not a store of lasthop"),
        ("other.sqlite", "is not a store of lasthop"),
        ("no-cells.sqlite", "is damaged: the table `cells` is missing"),
        (
            "no-digest.sqlite",
            "is damaged: the table `runs` has the columns replication, summary, checksum, not digest, ",
        ),
        ("missing.sqlite", "No such file"),
    ];
    for (store, expected) in cases {
        let commands: [&[&str]; 5] = [
            &["export", store],
            &["report", store],
            &["merge", "into.sqlite", store],
            &["sweep", "net.toml", "--resume", "--out", store],
            &["sweep", "net.toml", "--out", store],
        ];
        for args in commands {
            // A sweep creates missing and empty stores.
            if args.len() == 4 && ["empty.sqlite", "missing.sqlite"].contains(&store) {
                continue;
            }
            let end = lasthop(&dir, args);
            assert_eq!(end.code, Some(2), "{args:?}: {}", end.err);
            assert!(
                end.err.starts_with(&format!("error: {store}: ")) && end.err.contains(expected),
                "{args:?}: {}",
                end.err
            );
            assert_eq!(end.out, "");
        }
    }
    assert!(!dir.join("into.sqlite").exists());
    assert_eq!(std::fs::read(dir.join("other.sqlite")).unwrap(), other);
    assert_eq!(std::fs::read(dir.join("empty.sqlite")).unwrap(), b"");
    assert_eq!(std::fs::read(dir.join("cut.sqlite")).unwrap(), good[..good.len() / 2]);
    // A store without finished runs.
    ask(&dir.join("good.sqlite"), "DELETE FROM runs");
    for name in ["export", "report"] {
        let end = lasthop(&dir, &[name, "good.sqlite"]);
        assert_eq!(end.code, Some(2));
        assert!(end.err.contains("at least one finished run"), "{}", end.err);
    }
    make("file", b"");
    let end = lasthop(&dir, &["sweep", "net.toml", "--out", "file/s.sqlite"]);
    assert_eq!(end.code, Some(1), "{}", end.err);
    assert!(end.err.starts_with("error: file/s.sqlite: cannot be written: "), "{}", end.err);
}

#[test]
fn contradicting_stores_are_not_merged() {
    let dir = scenario("sweep-disagree");
    fine(&dir, &["sweep", "net.toml", "--replications", "2", "--out", "a.sqlite"]);
    fine(&dir, &["sweep", "net.toml", "--replications", "3", "--out", "b.sqlite"]);
    ask(
        &dir.join("b.sqlite"),
        "UPDATE runs SET summary = replace(summary, '\"timeouts\":', '\"timeouts\":1') WHERE replication = 1",
    );
    // Otherwise the checksum would reveal the change.
    without_checksums(&dir.join("b.sqlite"));
    let before = runs(&dir.join("a.sqlite"));
    let end = lasthop(&dir, &["merge", "a.sqlite", "b.sqlite"]);
    assert_eq!(end.code, Some(2), "{}", end.err);
    assert!(end.err.contains("b.sqlite: has another result than a.sqlite for replication 1 of "), "{}", end.err);
    assert_eq!(runs(&dir.join("a.sqlite")), before, "half of a merge");
}

/// The number of replications depends only on the rule, not on the contents of the store or the number of jobs.
#[test]
fn precision_rule_is_independent_of_jobs_and_shards() {
    let dir = scenario("sweep-precise");
    let text = sweep_text().replace("replications = 8", "replications = { precision = 0.03, min = 5, max = 40 }");
    // The perfect channel is equal for all burst lengths, so that its runs are shared.
    let text = text.replace(
        "axes.links.wire.delay = [\"50 ms\", \"100 ms\", \"200 ms\"]",
        "axes.links.air.channel.mean_bad = [\"20 ms\", \"200 ms\"]",
    );
    let text = text.replace(
        "compare.scheme = [\"unmodified\", \"refined-icmp\"]",
        "[sweep.compare]\nclear = { links.air.channel = \"perfect\" }\nbursts = {}",
    );
    std::fs::write(dir.join("net.toml"), text).unwrap();
    let one = lasthop(&dir, &["sweep", "net.toml", "--jobs", "1", "--json", "--out", "one.sqlite"]);
    let rows: Value = serde_json::from_str(&one.out).unwrap();
    let counts: Vec<(String, u64)> = rows
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["metric"] == "completion_time_s")
        .map(|row| {
            (row["point"]["links.air.channel.mean_bad"].as_str().unwrap().to_owned(), row["n"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(counts.len(), 4);
    for pair in counts.chunks(2) {
        assert_eq!(pair[0], pair[1], "every case of a point has the same replications");
    }
    let (calm, bursty) = (counts[0].1, counts[2].1);
    assert!(calm < bursty && bursty == 40, "{counts:?}");
    assert!(one.err.contains("warning: after 40 replications, the maximum, the precision of completion_time_s is not 3 % everywhere: links.air.channel.mean_bad 200 ms, bursts, download reaches "), "{}", one.err);
    for (jobs, out) in [("3", "three.sqlite"), ("1", "one.sqlite")] {
        let other = lasthop(&dir, &["sweep", "net.toml", "--jobs", jobs, "--json", "--out", out]);
        assert_eq!((other.out, other.code), (one.out.clone(), Some(0)));
    }
    assert_eq!(runs(&dir.join("three.sqlite")), runs(&dir.join("one.sqlite")));
    // Showing other metrics does not change the runs. A store with more replications does not change the result.
    fine(&dir, &["sweep", "net.toml", "--replications", "40", "--out", "three.sqlite"]);
    let more = lasthop(&dir, &["sweep", "net.toml", "--json", "--out", "three.sqlite"]);
    assert_eq!((more.out, number_of_runs(&more.err)), (one.out, 0));
    assert_eq!(
        number_of_runs(&lasthop(&dir, &["sweep", "net.toml", "--metric", "timeouts", "--out", "one.sqlite"]).err),
        0
    );
    // Also with shards.
    for shard in ["1/2", "2/2"] {
        fine(&dir, &["sweep", "net.toml", "--shard", shard, "--out", &format!("{}.sqlite", &shard[..1])]);
    }
    fine(&dir, &["merge", "m.sqlite", "1.sqlite", "2.sqlite"]);
    assert_eq!(number_of_runs(&lasthop(&dir, &["sweep", "net.toml", "--out", "m.sqlite"]).err), 0);
}

#[test]
fn results_without_statistical_meaning_give_warnings() {
    let dir = scenario("sweep-warned");
    let warned = |set: &[&str]| {
        let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
        let end = lasthop(&dir, &[&["sweep", "net.toml", "--replications", "3", "--json"], &set[..]].concat());
        assert_eq!(end.code, Some(0), "{}", end.err);
        (end.err, serde_json::from_str::<Value>(&end.out).unwrap())
    };
    let (usual, _) = warned(&[]);
    assert!(!usual.contains("warning"), "{usual}");
    let (clear, _) = warned(&["links.air.channel=perfect"]);
    assert!(clear.contains("warning: all replications gave the same results: these runs are deterministic"), "{clear}");
    assert!(clear.contains("warning: refined-icmp and unmodified gave the same results in every run"), "{clear}");
    // At 200 ms some or all flows do not complete in time.
    let (late, rows) = warned(&["duration=30 s"]);
    let rows = rows.as_array().unwrap().clone();
    let times = rows.iter().filter(|row| row["metric"] == "completion_time_s");
    let counts: Vec<(u64, u64)> =
        times.map(|row| (row["n"].as_u64().unwrap(), row["without"].as_u64().unwrap())).collect();
    assert_eq!(counts.len(), 6, "a case without a single value is missing");
    let lost: u64 = counts.iter().map(|(_, without)| without).sum();
    assert!(counts.iter().all(|(n, without)| n + without == 3) && lost > 0, "{counts:?}");
    assert!(
        late.contains(&format!("warning: {lost} runs gave no completion_time_s, such as transfers that did not")),
        "{late}"
    );
    let (never, rows) = warned(&["duration=1 s"]);
    assert!(never.contains("18 runs gave no completion_time_s") && never.contains("6 cells have no value"), "{never}");
    let time = rows.as_array().unwrap().iter().find(|row| row["metric"] == "completion_time_s").unwrap();
    assert!(time["mean"].is_null() && time["n"] == 0 && time["without"] == 3, "{time}");
}

/// The tables are those of a sweep with several flows, metrics that are equal in all runs, cases without a value, and
/// one replication.
#[test]
fn tables_have_no_empty_columns_and_no_insignificant_digits() {
    let dir = scenario("sweep-table");
    let up = "flows.up={ from = \"mobile\", to = \"server\", bytes = \"100 kB\" }";
    let table = |more: &[&str]| fine(&dir, &[&["sweep", "net.toml", "--set", up], more].concat());
    let lines = |table: &str, figure: &str| {
        let of_figure =
            table.lines().skip_while(|line| !line.starts_with(figure)).skip(1).take_while(|line| !line.is_empty());
        let cells =
            |line: &str| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("|");
        of_figure.map(cells).collect::<Vec<_>>()
    };
    let one = table(&["--replications", "1"]);
    assert_eq!(lines(&one, "completion_time_s, s")[0], "delay|case|of|n|value|change to unmodified");
    assert_eq!(lines(&one, "goodput_bps, kbps").len(), 13);
    assert!(!one.contains("replications; +-") && !one.contains("\n\n\n"), "{one}");
    let still = table(&["--replications", "3", "--set", "links.air.channel=perfect"]);
    assert!(lines(&still, "timeouts, count")[1].starts_with("50 ms|unmodified|download|3|0|0|0 to 0|-"), "{still}");
    assert!(still.ends_with("one run: the 95 % prediction interval of a single run\n"), "{still}");
    let none = table(&["--replications", "3", "--set", "duration=2 s"]);
    let times = lines(&none, "completion_time_s, s");
    assert!(times[0].starts_with("delay|case|of|n|without|"), "{none}");
    assert!(times.iter().any(|line| line.starts_with("50 ms|refined-icmp|download|0|3|-")), "{none}");
}

#[test]
fn run_of_a_sweep_scenario_ignores_the_sweep_with_a_note() {
    let dir = scenario("sweep-one-run");
    let end = lasthop(&dir, &["run", "net.toml"]);
    assert_eq!(end.code, Some(0));
    assert!(end.err.contains("[sweep] is ignored; `lasthop sweep net.toml` runs the sweep"), "{}", end.err);
    let kept = std::fs::read_to_string(dir.join("results/net-seed1/scenario.toml")).unwrap();
    assert!(!kept.contains("[sweep"), "{kept}");
    let checked = fine(&dir, &["check", "net.toml"]);
    assert!(checked.contains("; sweep: 3 points x 2 cases x 8 replications\n"), "{checked}");
    let wrong = lasthop(&dir, &["check", "net.toml", "--set", "sweep.axes.links.wire.delay=[\"1 lightyear\"]"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("found \"1 lightyear\""), "{}", wrong.err);
    let zero = lasthop(&dir, &["sweep", "net.toml", "--replications", "0"]);
    assert_eq!(zero.code, Some(2));
    assert!(zero.err.contains("--replications"), "{}", zero.err);
    assert!(
        lasthop(&dir, &["sweep", &file("examples/slow-start.toml"), "--replications", "2"])
            .err
            .contains("the same results")
    );
}

/// Two flows of the same kind have three delays. A common warning is printed once, and directions without losses share
/// one line.
#[test]
fn common_warnings_are_printed_once() {
    let dir = scenario("sweep-once");
    let up = "flows.up={ from = \"mobile\", to = \"server\" }";
    let variant = |flow: &str| format!("flows.{flow}.tcp={{ variant = \"sack\", sack = false }}");
    let (one, other) = (variant("download"), variant("up"));
    let set = [up, &one, &other, "duration=1 s", "links.air.queue=2 packets", "sweep.metrics=[\"packets_dropped\"]"];
    let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
    let end = lasthop(&dir, &[&["sweep", "net.toml", "--replications", "2"], &set[..]].concat());
    assert_eq!(end.code, Some(0), "{}", end.err);
    let about = |key: &str| end.err.lines().filter(|line| line.starts_with("warning") && line.contains(key)).count();
    assert_eq!((about("tcp.sack: "), about("duration: ")), (1, 1), "{}", end.err);
    assert!(end.err.contains("; the same for flows.up\n"), "{}", end.err);
    let subjects =
        ["air forward", "wire backward"].map(|subject| end.out.lines().filter(|line| line.contains(subject)).count());
    assert_eq!(subjects, [6, 1], "{}", end.out);
    assert!(end.out.contains("\n0 in every run: wire backward, wire forward\n"), "{}", end.out);
}

/// Every run on a perfect wire measures round trips; every metric of a delay has a value.
#[test]
fn every_metric_of_delays_named_on_the_command_line_has_values() {
    let dir = scenario("sweep-delays");
    let small = ["--set", "sweep.replications=1", "--set", "sweep.axes={}", "--out", "s.sqlite", "--json"];
    for name in ["rtt_mean_s", "rtt_p50_s", "rtt_p99_s", "delay_max_s", "delay_jitter_s", "queue_wait_p95_s"] {
        let all = fine(&dir, &[&["sweep", "net.toml", "--metric", name][..], &small].concat());
        let all: Value = serde_json::from_str(&all).unwrap();
        let rows = all.as_array().unwrap();
        assert!(!rows.is_empty() && rows.iter().all(|row| row["n"] == 1 && row["mean"].is_number()), "{all:#}");
    }
}

/// No transfer of 2 MB completes within a second.
#[test]
fn metric_without_a_value_is_empty_in_the_table() {
    let dir = scenario("sweep-empty");
    let args = ["sweep", "net.toml", "--set", "duration=1 s", "--set", "sweep.axes={}", "--out", "s.sqlite"];
    let table = fine(&dir, &[&args[..], &["--metric", "completion_time_s"]].concat());
    let row = |table: &str| {
        let line = table.lines().find(|line| line.starts_with("unmodified")).unwrap_or_else(|| panic!("{table}"));
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row(&table), ["unmodified", "0", "8", "-"], "n, without, and no value");
    // Exports of a store without delays say so, and have no value.
    let out = ["export", "s.sqlite", "--format", "latex", "--metric", "rtt_p95_s", "--out", "e"];
    let ended = lasthop(&dir, &out);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let blame = "16 runs were stored without delays and have no value of rtt_p95_s: `lasthop sweep --metric rtt_p95_s` repeats them";
    assert!(ended.err.contains(blame) && !ended.err.contains("existed"), "{}", ended.err);
    let latex = std::fs::read_to_string(dir.join("e/summary.tex")).unwrap();
    assert!(latex.contains("unmodified & \\multicolumn{2}{c}{--}"), "{latex}");
}
