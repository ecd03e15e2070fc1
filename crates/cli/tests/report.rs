//! The page that `lasthop report` writes; the commands printed on it repeat its sweep and its runs.

use crate::common;

use std::path::Path;

use common::{command, ended, fine, lasthop, scratch};

const SCENARIO: &str = r#"
title = "Two <b>delays</b>"
duration = "4300 s"

[nodes]
server = { kind = "host" }
station = { kind = "base-station" }
mobile = { kind = "host" }

[links.wire]
kind = "wired"
between = ["server", "station"]
rate = "8 Mbps"
delay = "100 ms"

[links.air]
kind = "wireless"
between = ["station", "mobile"]
rate = "1 Mbps"
delay = "1 ms"
arq = { kind = "stop-and-wait", max_transmissions = 3 }
channel = { kind = "two-state", mean_good = "1 s", mean_bad = "100 ms" }

[flows.download]
from = "server"
to = "mobile"
bytes = "200 kB"
receive_window = "16 KiB"

[sweep]
replications = 2
axes.links.wire.delay = ["50 ms", "100 ms"]

[sweep.compare]
clear = { links.air.channel = { kind = "perfect" } }
refined = { scheme = "refined-icmp" }
"#;

/// Writes a store with a small sweep named `a sweep`.
fn swept(dir: &Path) {
    std::fs::write(dir.join("a sweep.toml"), SCENARIO).unwrap();
    fine(dir, &["sweep", "a sweep.toml"]);
}

#[test]
fn page_is_written_next_to_its_store_and_is_reproducible() {
    let dir = scratch("report-beside");
    swept(&dir);
    assert_eq!(fine(&dir, &["report", "results/a sweep.sqlite"]), "results/a sweep.html\n");
    assert_eq!(fine(&dir, &["report", "results/a sweep.sqlite", "--out", "new/p.html"]), "new/p.html\n");
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(read("results/a sweep.html"), read("new/p.html"));
    let only = fine(&dir, &["report", "results/a sweep.sqlite", "--metric", "timeouts", "--out", "t.html"]);
    assert!(read(only.trim()).contains("<h3>Timeouts</h3>"));
}

/// The page includes the script if this build has it.
#[test]
fn report_without_the_script_names_the_remedy() {
    let dir = scratch("report-script");
    swept(&dir);
    let report = |more: &[&str]| {
        let mut command = command(&dir, &[&["report", "results/a sweep.sqlite"], more].concat());
        ended(command.env("XDG_CACHE_HOME", dir.join("no-cache")).output().unwrap()).err
    };
    let err = report(&[]);
    let page = std::fs::read_to_string(dir.join("results/a sweep.html")).unwrap();
    let note = "note: the figures of runs are static pictures: this lasthop has no page yet, whose script animates them\n  \
                hint: `lasthop web --build` builds the page once; then repeat this command\n";
    assert_eq!(err.contains(note), !page.contains("<script type=\"application/json\""), "{err}");
    // Either no run is shown, or the note is suppressed.
    for without in ["--no-budget", "--quiet"] {
        assert!(!report(&[without]).contains("static pictures"), "{without}");
    }
}

#[test]
fn figures_are_written_on_request() {
    let dir = scratch("report-figures");
    swept(&dir);
    let printed = fine(&dir, &["report", "results/a sweep.sqlite", "--out", "p.html", "--figures", "paper/figures"]);
    let means = "paper/figures/a-sweep-completion-time-s.svg";
    let changes = "paper/figures/a-sweep-completion-time-s-change.svg";
    let budget = "paper/figures/a-sweep-time-budget.svg";
    assert_eq!(printed, format!("p.html\n{means}\n{changes}\n{budget}\n"));
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    assert!(read(means).starts_with("<svg ") && read(means).contains("completion time, s"));
    assert!(read(changes).contains("change of completion time from clear, %"));
}

/// The test compares the last case at the last point. The page has the shares in tooltips, with one decimal.
#[test]
fn budgets_on_the_page_equal_those_of_explain_and_add_up() {
    let dir = scratch("report-budget");
    swept(&dir);
    fine(&dir, &["report", "results/a sweep.sqlite"]);
    let page = std::fs::read_to_string(dir.join("results/a sweep.html")).unwrap();
    let title = "<title>delay of link wire 100 ms, refined: ";
    let set = ["explain", "a sweep.toml", "--set", "links.wire.delay=100 ms", "--set", "scheme=refined-icmp", "--json"];
    let explained: serde_json::Value = serde_json::from_str(&fine(&dir, &set)).unwrap();
    let (took, causes) = (explained[0]["took_ms"].as_f64().unwrap(), explained[0]["budget_ms"].as_object().unwrap());
    let mut sum = 0.0;
    for (cause, time) in causes {
        let share = 100.0 * time.as_f64().unwrap() / took;
        sum += share;
        assert!(page.contains(&format!("{title}{cause} {share:.1} %</title>")), "{cause} {share}");
    }
    assert!((sum - 100.0).abs() < 1e-6, "{sum}");
    assert_eq!(page.matches(title).count(), causes.len());
}

#[test]
fn no_budget_omits_the_budgets_of_the_page() {
    let dir = scratch("report-no-budget");
    swept(&dir);
    fine(&dir, &["report", "results/a sweep.sqlite", "--no-budget"]);
    assert!(!std::fs::read_to_string(dir.join("results/a sweep.html")).unwrap().contains("Where the time went"));
}

/// The store has the contents of the recording.
#[test]
fn budgets_of_a_recorded_link_need_no_recording() {
    let dir = scratch("report-missing");
    std::fs::write(dir.join("air.trace"), "4\n8\n12\n16\n").unwrap();
    let link = "arq = { kind = \"stop-and-wait\", max_transmissions = 3 }\n\
                channel = { kind = \"two-state\", mean_good = \"1 s\", mean_bad = \"100 ms\" }\n";
    let recorded = SCENARIO.replace(link, "delivery_trace.forward.file = \"air.trace\"\n");
    assert_ne!(recorded, SCENARIO);
    let without_cases = recorded.split("[sweep.compare]").next().unwrap();
    std::fs::write(dir.join("a sweep.toml"), without_cases).unwrap();
    fine(&dir, &["sweep", "a sweep.toml"]);
    std::fs::remove_file(dir.join("air.trace")).unwrap();
    fine(&dir, &["report", "results/a sweep.sqlite"]);
    let page = std::fs::read_to_string(dir.join("results/a sweep.html")).unwrap();
    assert!(page.contains("<title>delay of link wire 100 ms: link-rate "), "no budget");
    assert!(!page.contains("No time budgets"));
}

/// Returns the preformatted texts of the page: the scenario and the commands.
fn kept(html: &str) -> Vec<String> {
    let text = |part: &str| {
        let text = part.split("</code>").next().unwrap_or_default();
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    };
    // The text of a `pre` element with attributes; code within sentences is ignored.
    html.split("\"><code>").skip(1).map(text).collect()
}

/// Runs the commands of the page unchanged, in a shell, in an empty directory.
#[cfg(unix)]
#[test]
fn commands_on_the_page_repeat_sweep_and_run() {
    let dir = scratch("report-repeat");
    swept(&dir);
    fine(&dir, &["report", "results/a sweep.sqlite"]);
    let kept = kept(&std::fs::read_to_string(dir.join("results/a sweep.html")).unwrap());
    let [scenario, sweep, run, ..] = &kept[..] else { panic!("{kept:?}") };
    let again = scratch("report-again");
    std::fs::write(again.join("a sweep.toml"), scenario).unwrap();
    let typed = |line: &str| {
        let script = format!("lasthop() {{ \"$0\" \"$@\"; }}; {line}");
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(&again).args(["-c", &script, env!("CARGO_BIN_EXE_lasthop")]);
        let ended = ended(shell.output().expect("there is a shell"));
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.err);
        ended.out
    };
    typed(sweep);
    fine(&dir, &["export", "results/a sweep.sqlite", "--out", "first"]);
    fine(&again, &["export", "a sweep-again.sqlite", "--out", "second"]);
    for table in ["flows.csv", "links.csv", "summary.csv"] {
        let first = std::fs::read_to_string(dir.join("first").join(table)).unwrap();
        assert_eq!(first, std::fs::read_to_string(again.join("second").join(table)).unwrap(), "{table}");
    }
    // The values of the last case at the last point, first replication, in the store.
    let summary = typed(&format!("{run} --json"));
    let after = summary.split("\"completion_time_s\":").nth(1).expect("a completion time");
    let time = after.split([',', '}']).next().unwrap_or_default().trim();
    let flows = std::fs::read_to_string(dir.join("first/flows.csv")).unwrap();
    let row = flows.lines().find(|line| line.contains("100 ms") && line.contains("refined")).expect("its row");
    assert!(row.split(',').any(|value| value == time), "{time} is not in {row}");
}

#[test]
fn exported_tables_have_the_selected_metrics() {
    let dir = scratch("report-export");
    swept(&dir);
    let store = "results/a sweep.sqlite";
    let printed = fine(&dir, &["export", store, "--format", "latex,gnuplot", "--metric", "timeouts", "--out", "paper"]);
    assert_eq!(printed, "paper/summary.gnuplot\npaper/summary.tex\n");
    let table = std::fs::read_to_string(dir.join("paper/summary.tex")).unwrap();
    assert!(table.contains("\\label{tab:a-sweep-timeouts}") && !table.contains("completion"), "{table}");
    // CSV has all metrics.
    let ended = lasthop(&dir, &["export", store, "--metric", "timeouts"]);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("expected one of the formats latex, gnuplot"), "{}", ended.err);
}

#[test]
fn invalid_and_empty_stores_are_refused() {
    let dir = scratch("report-wrong");
    std::fs::write(dir.join("a sweep.toml"), SCENARIO).unwrap();
    std::fs::write(dir.join("text.sqlite"), "years of work").unwrap();
    // A store without a finished run is one shard of a sweep that has fewer runs than shards.
    fine(&dir, &["sweep", "a sweep.toml", "--out", "empty.sqlite", "--replications", "1", "--shard", "9/9"]);
    let empty = "empty.sqlite: found an empty one, expected a store with at least one finished run";
    let cases: [(&[&str], &str); 4] = [
        (&["report", "empty.sqlite"], empty),
        (&["report", "text.sqlite"], "is not a store of lasthop"),
        (&["report", "missing.sqlite"], "missing.sqlite: cannot be opened"),
        (&["report", "empty.sqlite", "--metric", "timeout"], "did you mean \"timeouts\"?"),
    ];
    for (args, expected) in cases {
        let ended = lasthop(&dir, args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.err);
        assert!(ended.err.contains(expected), "{args:?}: {}", ended.err);
        assert_eq!(ended.out, "", "{args:?}");
    }
    assert!(!dir.join("empty.html").exists(), "a refused store left a page");
}

#[test]
fn page_does_not_overwrite_its_store() {
    let dir = scratch("report-over");
    swept(&dir);
    let ended = lasthop(&dir, &["report", "results/a sweep.sqlite", "--out", "./results/a sweep.sqlite"]);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("a file other than the store"), "{}", ended.err);
    fine(&dir, &["export", "results/a sweep.sqlite"]);
}
