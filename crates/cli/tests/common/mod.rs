//! Helpers that run the command.
#![allow(dead_code, reason = "`shell` uses some of it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project is there")
}

/// Path of a file in the repository.
pub fn file(name: &str) -> String {
    root().join(name).display().to_string()
}

/// Creates an empty directory for one test.
pub fn scratch(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target directory can be written");
    dir
}

/// Returns the command, to be run in `dir`.
pub fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lasthop"));
    command.current_dir(dir).args(args);
    command
}

/// Output and exit code of a command.
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

pub fn ended(output: Output) -> Ended {
    Ended {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs the command in `dir`.
pub fn lasthop(dir: &Path, args: &[&str]) -> Ended {
    ended(command(dir, args).output().expect("the command starts"))
}

/// Runs the command in `dir` with `text` on standard input.
pub fn piped(dir: &Path, args: &[&str], text: &[u8]) -> Ended {
    let mut command = command(dir, args);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    // Input that is refused early is not read to the end.
    let _ = child.stdin.take().expect("it is piped").write_all(text);
    ended(child.wait_with_output().expect("the command ends"))
}

/// Runs the command, checks that it succeeds, and returns its stdout.
pub fn fine(dir: &Path, args: &[&str]) -> String {
    let ended = lasthop(dir, args);
    assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.err);
    ended.out
}

/// Returns the rows of an SQL query on a store, one line per row, without the access layer of the program.
pub fn ask(store: &Path, question: &str) -> String {
    let db = rusqlite::Connection::open(store).unwrap();
    db.busy_timeout(std::time::Duration::from_secs(60)).unwrap();
    // Damaged stores may violate constraints.
    db.pragma_update(None, "foreign_keys", false).unwrap();
    let mut statement = db.prepare(question).unwrap();
    let columns = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let mut answer = String::new();
    while let Some(row) = rows.next().unwrap() {
        let cell = |column| match row.get_unwrap::<_, rusqlite::types::Value>(column) {
            rusqlite::types::Value::Text(text) => text,
            rusqlite::types::Value::Integer(number) => number.to_string(),
            other => format!("{other:?}"),
        };
        answer += &(0..columns).map(cell).collect::<Vec<_>>().join("|");
        answer += "\n";
    }
    answer
}

/// Converts a store to format 1, which has no checksums.
pub fn without_checksums(store: &Path) {
    for change in ["sweeps DROP COLUMN form", "runs DROP COLUMN metric_set"] {
        ask(store, &format!("ALTER TABLE {change}"));
    }
    for table in ["sweeps", "cells", "runs"] {
        ask(store, &format!("ALTER TABLE {table} DROP COLUMN checksum"));
    }
    ask(store, "DROP TABLE metric_sets");
    ask(store, "PRAGMA user_version = 1");
}

/// Sends a signal, such as `INT`, to a process.
#[cfg(unix)]
pub fn send_signal(name: &str, process: u32) {
    // Not every machine has a command `kill`, but the shell's builtin always exists.
    assert!(Command::new("sh").args(["-c", &format!("kill -{name} {process}")]).status().unwrap().success());
}

/// Runs another program, for which the test has called `skip::need!`, and returns its stdout.
pub fn other(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
