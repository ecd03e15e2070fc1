//! `lasthop new`: a scenario to start from.

use crate::common;

use std::fs;

use common::{fine, lasthop, scratch};

#[test]
fn new_scenario_passes_check_and_runs_without_a_warning() {
    let dir = scratch("new");
    let ended = lasthop(&dir, &["new", "first.toml"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), ""), "{}", ended.err);
    let next = ended.err.split('`').nth(1).unwrap();
    assert_eq!(next, "lasthop run first.toml", "{}", ended.err);
    let check = lasthop(&dir, &["check", "first.toml"]);
    assert_eq!((check.code, check.err.as_str()), (Some(0), ""));
    let run = lasthop(&dir, &["run", "first.toml"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), "results in results/first-seed1\n"));
    let summary = fs::read_to_string(dir.join("results/first-seed1/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(
        (&summary["flows"][0]["completed"], &summary["flows"][0]["bytes_delivered"]),
        (&true.into(), &2_000_000.into())
    );
}

/// Each scenario of `--like` is valid, causes no warning and delivers data. The runs are short.
#[test]
fn scenarios_of_every_kind_pass_check_and_run_without_a_warning() {
    let dir = scratch("new-like");
    for kind in ["burst", "wifi", "lte", "satellite", "page", "voip", "handover", "lan"] {
        let file = format!("{kind}.toml");
        let made = lasthop(&dir, &["new", &file, "--like", kind]);
        assert_eq!(made.code, Some(0), "{kind}: {}", made.err);
        let check = lasthop(&dir, &["check", &file]);
        assert_eq!((check.code, check.err.as_str()), (Some(0), ""), "{kind}");
        let summary = fine(&dir, &["run", &file, "--json", "--set", "duration=1 s"]);
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        assert!(summary["flows"][0]["bytes_delivered"].as_u64().unwrap() > 0, "{kind}");
    }
    let refused = lasthop(&dir, &["new", "other.toml", "--like", "wify"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("wifi"), "{}", refused.err);
}

#[test]
fn keys_of_a_new_scenario_have_comments_or_obvious_names() {
    let text = fine(&scratch("new-text"), &["new", "-"]);
    assert!(text.starts_with('#') && text.lines().count() < 50, "{text}");
    let comments = text.lines().filter(|line| line.contains('#')).count();
    assert!(3 * comments >= text.lines().filter(|line| !line.is_empty()).count(), "{comments} comments in: {text}");
}

#[test]
fn new_replaces_no_file() {
    let dir = scratch("new-exists");
    fs::write(dir.join("mine.toml"), "precious").unwrap();
    let ended = lasthop(&dir, &["new", "mine.toml"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.starts_with("error: mine.toml: exists, and is not replaced"), "{}", ended.err);
    assert_eq!(fs::read_to_string(dir.join("mine.toml")).unwrap(), "precious");
}

#[test]
fn new_refuses_names_that_it_cannot_write_or_read_back() {
    let dir = scratch("new-refused");
    let ended = lasthop(&dir, &["new", "mine.dat"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("thesis's language") && ended.err.contains("mine.toml"), "{}", ended.err);
    let ended = lasthop(&dir, &["new", "nowhere/mine.toml"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.starts_with("error: nowhere/mine.toml: cannot be written"), "{}", ended.err);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
}
