//! Tests with skips, run by libtest with its capture of output.

use std::process::Command;

use tempfile::tempdir;

const DEMO: &str = "LASTHOP_SKIP_DEMO";

/// The other tests run this test in a child process, with and without the environment variable `LASTHOP_SKIP_DEMO`.
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

/// Run by another test in a child process with and without programs on `PATH`.
#[test]
fn test_is_skipped_if_a_program_is_missing() {
    if std::env::var_os(DEMO).is_some() {
        let browser = skip::need!("chromium");
        skip::skip!("has {browser}");
    }
}

/// Returns the output of [`test_is_skipped_if_a_program_is_missing`] with these files in the only folder of its `PATH`.
fn skipped_with(programs: &[&str]) -> String {
    let folder = tempdir().unwrap();
    for name in programs {
        std::fs::write(folder.path().join(format!("{name}{}", std::env::consts::EXE_SUFFIX)), "").unwrap();
    }
    let mut test = Command::new(std::env::current_exe().unwrap());
    test.args(["--exact", "test_is_skipped_if_a_program_is_missing"]).env(DEMO, "1");
    let output = test.env_remove(skip::DIRECTORY).env("PATH", folder.path()).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn missing_program_ends_the_test_with_its_name() {
    let name = "skipped: skips::test_is_skipped_if_a_program_is_missing";
    assert_eq!(skipped_with(&["chrome"]), format!("{name}: needs chromium\n"));
    assert_eq!(skipped_with(&["chromium"]), format!("{name}: has chromium\n"));
    assert_eq!(skipped_with(&["google-chrome"]), format!("{name}: has google-chrome\n"));
}

#[test]
#[should_panic(expected = "no-such-program: expected a program of skip::PROGRAMS")]
fn program_outside_of_the_table_is_refused() {
    let _ = skip::find_program("no-such-program");
}
