//! Scenarios with a mistake, expected messages, and files next to a scenario.

pub mod folder;

use scenario::problem::Problem;
use scenario::{Document, check};

/// A valid scenario; each case breaks one line of it.
pub const GOOD: &str = r#"
title = "good"
scheme = "refined-icmp"
duration = "10 s"
[nodes]
a = { kind = "host" }
x = { kind = "base-station", buffer = "64 kB" }
b = { kind = "host" }
[links.wire]
kind = "wired"
between = ["a", "x"]
rate = "8 Mbps"
delay = "100 ms"
loss = 0.01
[links.air]
kind = "wireless"
between = ["x", "b"]
rate = "1 Mbps"
delay = "1 ms"
arq = { kind = "stop-and-wait", max_transmissions = 9 }
channel = { kind = "two-state", mean_good = "5 s", mean_bad = "100 ms" }
[flows.down]
from = "a"
to = "b"
bytes = "1 MB"
mss = "1000 B"
receive_window = "16 KiB"
start = "1 s"
tcp = { variant = "reno", initial_window = 2 }
"#;

/// Lists the problems of a scenario.
pub fn find_problems(text: &str) -> Vec<Problem> {
    let document = match Document::parse("net.toml", text.as_bytes()) {
        Ok(document) => document,
        Err(problem) => return vec![problem],
    };
    match document.read() {
        Err(problems) => problems,
        Ok(scenario) => {
            let problems = check(&scenario).err().unwrap_or_default();
            problems.into_iter().map(|problem| document.locate(problem)).collect()
        }
    }
}

/// The text to replace, its replacement, and the parts of the message except the file and the line of the replacement.
pub type Case<'a> = (&'a str, &'a str, &'a [&'a str]);

/// Applies each of `cases` to `good`, and asserts that the first problem names it.
pub fn assert_each_is_reported(good: &str, cases: &[Case<'_>]) {
    for (from, to, expected) in cases {
        assert!(good.contains(from), "{from} is not in the scenario");
        let text = good.replacen(from, to, 1);
        let found = find_problems(&text);
        assert!(!found.is_empty(), "nothing wrong with {to}");
        let shown = found[0].to_string();
        for part in *expected {
            assert!(shown.contains(part), "{to}: {part:?} is not in\n{shown}");
        }
        assert!(shown.starts_with("net.toml:"), "{to}: no file in\n{shown}");
        let (line, _) = found[0].place.unwrap_or_else(|| panic!("{to}: no line in\n{shown}"));
        let lines: Vec<&str> = text.lines().collect();
        assert!((1..=lines.len() + 1).contains(&line), "{to}: line {line}");
        // The line is the changed one, or, for a missing key, that of its table.
        if !to.is_empty() && expected.first().is_some_and(|key| key.contains('.') && !key.contains("buffer")) {
            let last = to.lines().last().unwrap_or_default();
            let broken = to.lines().any(|part| lines[line - 1].contains(part));
            assert!(broken, "{to}: line {line} is {:?}, not {last:?}\n{shown}", lines[line - 1]);
        }
    }
}
