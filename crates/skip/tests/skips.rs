//! Tests that skip, run by libtest with its capture of output.

use std::process::Command;

use tempfile::tempdir;

const DEMO: &str = "LASTHOP_SKIP_DEMO";

/// Run by the other tests in a child process with and without the environment variable `LASTHOP_SKIP_DEMO`.
#[test]
fn test_is_skipped_if_the_environment_requests_it() {
    if std::env::var_os(DEMO).is_some() {
        let skipping = || skip::skip!("asked\nto by {}", DEMO);
        skipping();
        skip::skip!("asked to");
    }
}

#[test]
fn skipped_test_passes_and_is_printed_and_recorded_by_name() {
    let directory = tempdir().unwrap();
    let notes = directory.path().join("skips");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "test_is_skipped_if_the_environment_requests_it"])
        .env(DEMO, "1")
        .env(skip::DIRECTORY, &notes)
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{err}");
    let expected = [
        "skips::test_is_skipped_if_the_environment_requests_it: asked to by LASTHOP_SKIP_DEMO",
        "skips::test_is_skipped_if_the_environment_requests_it: asked to",
    ];
    let printed: Vec<&str> = err.lines().filter_map(|line| line.strip_prefix("skipped: ")).collect();
    assert_eq!(printed, expected);
    let files: Vec<_> = std::fs::read_dir(&notes).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!(std::fs::read_to_string(&files[0]).unwrap().lines().collect::<Vec<_>>(), expected);
}

#[test]
fn test_that_is_not_skipped_records_nothing() {
    let directory = tempdir().unwrap();
    let notes = directory.path().join("skips");
    let mut test = Command::new(std::env::current_exe().unwrap());
    test.args(["--exact", "test_is_skipped_if_the_environment_requests_it"])
        .env_remove(DEMO)
        .env(skip::DIRECTORY, &notes);
    let output = test.output().unwrap();
    assert!(output.status.success());
    assert!(!String::from_utf8_lossy(&output.stderr).contains("skipped"));
    assert!(!notes.exists());
}
