//! Scripts against lasthop's TCP: messages of failing scripts, and time stamps. Scripts for the rules of TCP are in
//! `crates/tcp/tests`.

use std::fs;
use std::path::Path;

use drill::endpoint::open_endpoint;
use drill::report::ScriptOutcome;
use engine::Span;

#[test]
fn time_stamps_are_compared_in_script_numbers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tcp/tests/scripts/pass/timestamps/clock.pkt");
    let script = fs::read_to_string(file).unwrap();
    let ticks = "--tcp_ts_tick_usecs=1000\n";
    let found = |from: &str, to: &str| {
        assert!(script.contains(from), "{from}");
        let text = script.replace(from, to);
        drill::run_script(&drill::parse_script(&text).unwrap(), None, &open_endpoint).message("a.pkt", &text)
    };
    assert_eq!(found(ticks, ticks), None);
    // The time stamp clock begins with the script's first value.
    let mut moved = script.clone();
    for stamp in ["1000", "1100", "1500", "1600"] {
        moved = moved.replace(&format!("val {stamp}"), &format!("val 7{stamp}"));
        moved = moved.replace(&format!("ecr {stamp}"), &format!("ecr 7{stamp}"));
    }
    let report = drill::run_script(&drill::parse_script(&moved).unwrap(), Some(Span::ZERO), &open_endpoint);
    assert_eq!(report.message("a.pkt", &moved), None);
    let late = found("TS val 1500 ecr 350", "TS val 1501 ecr 350").unwrap();
    assert!(late.contains("> P. 101:201(100) ack 1 <TS val 1500 ecr 350>"), "{late}");
    let unechoed = found("TS val 1500 ecr 350", "TS val 1500 ecr 351").unwrap();
    assert!(unechoed.contains("> P. 101:201(100) ack 1 <TS val 1500 ecr 350>"), "{unechoed}");
    // Only the echoes are compared without the length of a tick.
    let unticked = script.replace(ticks, "");
    for (from, to, passes) in [("val 1600 ecr", "val 1601 ecr", true), ("ecr 600", "ecr 601", false)] {
        let text = unticked.replace(from, to);
        assert_ne!(text, script, "{from}");
        let report = drill::run_script(&drill::parse_script(&text).unwrap(), None, &open_endpoint);
        assert_eq!(report.outcome == ScriptOutcome::Passed, passes, "{from}");
    }
}

#[test]
fn failing_scripts_give_their_golden_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/fail");
    let mut number = 0;
    for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|end| end != "pkt") {
            continue;
        }
        number += 1;
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap();
        let script = drill::parse_script(&text).unwrap_or_else(|error| panic!("{name}:{error}"));
        let report = drill::run_script(&script, None, &open_endpoint);
        assert_ne!(report.outcome, ScriptOutcome::Passed, "{name}");
        let message = format!("{}\n", report.message(&name, &text).unwrap());
        let golden = file.with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &message).unwrap();
        }
        assert_eq!(message, fs::read_to_string(&golden).unwrap_or_default(), "{name}");
    }
    assert!(number > 0);
}

#[test]
fn example_of_the_documentation_passes() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/drill.md");
    let page = fs::read_to_string(page).unwrap();
    let example = page.split("```").nth(1).unwrap();
    let report = drill::run_script(&drill::parse_script(example).unwrap(), Some(Span::ZERO), &open_endpoint);
    assert_eq!(report.message("drill.md", example), None);
    assert_eq!(report.checked, 2);
}
