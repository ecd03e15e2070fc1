//! Scripts against our TCP: those in `scripts/pass` hold to the nanosecond, those in `scripts/fail` end with the message
//! beside them.

use std::fs;
use std::path::{Path, PathBuf};

use drill::endpoint::open;
use drill::report::Outcome;
use engine::Span;

fn scripts(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts").join(folder);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|file| file.extension().is_some_and(|end| end == "pkt")).collect();
    files.sort();
    assert!(files.len() > 5);
    files.into_iter().map(|file| (file.clone(), fs::read_to_string(file).unwrap())).collect()
}

#[test]
fn scripts_written_from_the_standards_pass() {
    let mut wrong = String::new();
    for (file, text) in scripts("pass") {
        let name = file.file_name().unwrap().to_string_lossy();
        let script = drill::parse(&text).unwrap_or_else(|error| panic!("{name}:{error}"));
        let report = drill::run(&script, Some(Span::ZERO), &open);
        if let Some(message) = report.message(&name, &text) {
            wrong.push_str(&format!("{message}\n"));
        }
        if report.unread > 0 {
            wrong.push_str(&format!("{name}: {} packets that no line asks for\n", report.unread));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn scripts_that_are_wrong_fail_with_their_message() {
    for (file, text) in scripts("fail") {
        let name = file.file_name().unwrap().to_string_lossy();
        let script = drill::parse(&text).unwrap_or_else(|error| panic!("{name}:{error}"));
        let report = drill::run(&script, None, &open);
        assert_ne!(report.outcome, Outcome::Passed, "{name}");
        let message = format!("{}\n", report.message(&name, &text).unwrap());
        let golden = file.with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &message).unwrap();
        }
        assert_eq!(message, fs::read_to_string(&golden).unwrap_or_default(), "{name}");
    }
}

#[test]
fn the_example_of_the_documentation_passes() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/drill.md");
    let page = fs::read_to_string(page).unwrap();
    let example = page.split("```").nth(1).unwrap();
    let report = drill::run(&drill::parse(example).unwrap(), Some(Span::ZERO), &open);
    assert_eq!(report.message("drill.md", example), None);
    assert_eq!(report.checked, 2);
}
