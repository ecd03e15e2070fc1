//! Control characters in users' text are escaped by all commands that print or write text.

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{command, fine, scratch};

/// A scenario whose title and names of cases contain markup, control characters, directional characters and formulas.
const SCENARIO: &str = include_str!("reliability/escapes.toml");
/// Name of the scenario's file, from which the names of results are made.
const FILE: &str = "n\u{1b}]0;x\u{7}\u{202e}e\nt.toml";

/// True for characters that control a terminal or browser: control characters except newline and tab, and explicit
/// directional characters.
fn is_control_character(c: char) -> bool {
    let plain = c == '\n' || c == '\t';
    c.is_control() && !plain || ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c)
}

fn assert_clean(what: &str, bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    if let Some(at) = text.find(is_control_character) {
        let from = text[..at].char_indices().rev().nth(60).map_or(0, |(from, _)| from);
        panic!("{what}: {:?}", &text[from..text.len().min(at + 4)]);
    }
}

/// Returns all files below a directory.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push(path);
        }
    }
    all
}

/// Runs a command and checks its stdout, stderr and exit code.
fn clean(dir: &Path, code: i32, args: &[&str]) {
    let output = command(dir, args).output().unwrap();
    assert_clean(&format!("stdout of {args:?}"), &output.stdout);
    assert_clean(&format!("stderr of {args:?}"), &output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn no_output_has_control_characters_and_no_cell_is_a_formula() {
    let dir = scratch("escapes");
    fs::write(dir.join(FILE), SCENARIO).unwrap();
    let axis = "sweep.axes.flows.download.receive_window=[\"8 KiB\", \"16 KiB\"]";
    let good: [&[&str]; 16] = [
        &["check", FILE],
        &["convert", FILE],
        &["run", FILE, "--trace", "all"],
        &["run", FILE, "--json", "--out", "r"],
        &["run", FILE, "--out", "r"],
        &["plot", "r"],
        &["explain", "r"],
        &["explain", FILE, "--json"],
        &["steady", FILE, "--replications", "2"],
        &["sweep", FILE, "--set", axis],
        &["sweep", FILE, "--set", axis, "--json", "--out", "s.sqlite"],
        &["compare", "--scenario", FILE, "--schemes", "unmodified,snoop", "--replications", "2"],
        &["compare", "--scenario", FILE, "--schemes", "unmodified,snoop", "--replications", "2", "--json"],
        &["export", "s.sqlite", "--format", "csv,json,parquet,latex,gnuplot"],
        &["report", "s.sqlite"],
        &["verify", "s.sqlite"],
    ];
    for args in good {
        clean(&dir, 0, args);
    }
    // Messages repeat arguments and contents of files.
    fs::write(dir.join("bad.toml"), SCENARIO.replace("window", "wi\\u001bndow")).unwrap();
    fs::write(dir.join("raw.toml"), SCENARIO.replace("window", "\"wi\u{9b}ndow\"")).unwrap();
    fs::write(dir.join("flat\u{1b}[1m.sqlite"), "no store").unwrap();
    let bad: [&[&str]; 9] = [
        &["\u{1b}[31mrun"],
        &["run", FILE, "--\u{1b}[31m"],
        &["run", FILE, "--seed", "\u{1b}[31m"],
        &["run", FILE, "--trace", "\u{1b}[31m"],
        &["run", "\u{9b}31m.toml"],
        &["check", "bad.toml"],
        &["check", "raw.toml"],
        &["report", "flat\u{1b}[1m.sqlite"],
        &["verify", "flat\u{1b}[1m.sqlite"],
    ];
    for args in bad {
        clean(&dir, 2, args);
    }

    let mut seen = Vec::new();
    for path in files(&dir) {
        let name = path.strip_prefix(&dir).unwrap().to_str().unwrap();
        if name != FILE && !name.starts_with("flat") {
            assert!(!name.chars().any(|c| is_control_character(c) || c == '\n'), "{name:?}");
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if ["html", "svg", "csv", "txt", "tex", "gnuplot"].contains(&ending) || name.contains("-seqno") {
            assert_clean(name, &fs::read(&path).unwrap());
            seen.push(ending.to_owned());
        }
        if ending == "csv" {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(&path).unwrap();
            for record in reader.records() {
                for cell in &record.unwrap() {
                    let formula = cell.trim_start().starts_with(['=', '+', '-', '@']);
                    assert!(!formula || cell.parse::<f64>().is_ok(), "{name}: {cell:?}");
                }
            }
        }
    }
    for ending in ["html", "svg", "csv", "txt", "tex", "gnuplot"] {
        assert!(seen.iter().any(|one| one == ending), "no {ending} was written");
    }
    // The names are escaped, but still readable.
    let table = fs::read_to_string(dir.join("results/s/flows.csv")).unwrap();
    assert!(table.contains("'=cmd()|' /C calc'!A0") && table.contains("\\u001b]0;pwn\\u0007\\u202e"), "{table}");
    let page = fs::read_to_string(dir.join("results/s.html")).unwrap();
    assert!(page.contains("\\u001b]0;pwn") && !page.contains("<script>alert"), "the page");
}

#[test]
fn output_of_drill_scripts_is_escaped() {
    let dir = scratch("escapes-drill");
    let script = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 %{ print(\"\u{1b}[31mred\\x1b\u{9b}\\r\") }%\n";
    fs::write(dir.join("print.pkt"), script).unwrap();
    fs::write(dir.join("bad\u{1b}[1m.pkt"), "0 \u{1b}[31m = 3\n").unwrap();
    clean(&dir, 0, &["drill", "--verbose", "print.pkt"]);
    assert!(fine(&dir, &["drill", "--verbose", "print.pkt"]).contains("red"));
    clean(&dir, 0, &["drill", "--json", "print.pkt"]);
    clean(&dir, 2, &["drill", "bad\u{1b}[1m.pkt", "print.pkt"]);
}
