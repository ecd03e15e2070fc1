//! The command `lasthop steady`.

use crate::common;

use common::{fine, lasthop, scratch};
use serde_json::Value;

#[test]
fn steady_prints_a_sentence_and_a_table() {
    let dir = scratch("steady-example");
    let example = common::file("examples/steady.toml");
    let text = fine(&dir, &["steady", &example]);
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let rows: Vec<String> = text.lines().filter(|line| line.contains(" to ")).filter_map(first).collect();
    assert_eq!(rows[..9], ["1", "2", "5", "10", "20", "50", "100", "200", "400"], "{text}");
    let answer = text.lines().last().unwrap();
    assert!(answer.starts_with("From ") && answer.contains("goodput of download is within 5 % of"), "{answer}");
    assert!(answer.contains("with 20 replications; "), "{answer}");
    assert_eq!(text, fine(&dir, &["steady", &example, "--jobs", "1"]));
    assert_ne!(text, fine(&dir, &["steady", &example, "--seed", "2"]));
    let short = fine(&dir, &["steady", &example, "--until", "20 s"]);
    let answer = short.lines().last().unwrap();
    assert!(answer.starts_with("20 s ") && answer.contains(" are too short"), "{answer}");
    assert!(answer.contains("--until \"40 s\"") && answer.contains("--replications "), "{answer}");
}

#[test]
fn json_has_the_table_and_the_answer() {
    let dir = scratch("steady-json");
    let example = common::file("examples/steady.toml");
    let all: Value = serde_json::from_str(&fine(&dir, &["steady", &example, "--json"])).unwrap();
    assert_eq!((all["replications"].as_u64(), all["precision"].as_f64()), (Some(20), Some(0.05)));
    let flow = &all["flows"][0];
    assert_eq!((flow["flow"].as_str(), flow["verdict"].as_str()), (Some("download"), Some("steady")));
    let from = flow["from_s"].as_f64().unwrap();
    let last = flow["rows"].as_array().unwrap().last().unwrap();
    let mean = last["goodput_bps"].as_f64().unwrap();
    assert_eq!(last["time_s"].as_f64(), Some(400.0));
    // Every row from this one on is within 5 % of the mean of the last row.
    for row in flow["rows"].as_array().unwrap() {
        let near = row["low_bps"].as_f64().unwrap() >= 0.95 * mean && row["high_bps"].as_f64().unwrap() <= 1.05 * mean;
        assert!(near || row["time_s"].as_f64().unwrap() < from, "{row}");
    }
    assert!(flow["answer"].as_str().unwrap().contains("download"));
}

#[test]
fn flow_with_a_fixed_size_has_no_steady_state() {
    let dir = scratch("steady-finite");
    let example = common::file("examples/goel-refined.toml");
    let text = fine(&dir, &["steady", &example, "--until", "200 s", "--replications", "3", "--scheme", "unmodified"]);
    for part in ["the flow ends after 10.24 MB", "has no steady state", "completion time", "same flow without end"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn flow_option_selects_one_of_several_flows() {
    let dir = scratch("steady-flow");
    let example = common::file("examples/two-mobiles.toml");
    let text = fine(&dir, &["steady", &example, "--flow", "far", "--replications", "2"]);
    assert!(text.contains("flow far") && !text.contains("flow near"), "{text}");
}

#[test]
fn invalid_options_exit_with_2_and_a_reason() {
    let dir = scratch("steady-wrong");
    let example = common::file("examples/steady.toml");
    let cases: &[(&[&str], &str)] = &[
        (&["--flow", "downlaod"], "--flow: found \"downlaod\", expected a flow\n  hint: did you mean \"download\"?"),
        (&["--precision", "5"], "--precision: found the relative half-width 5, expected more than 0 and less than 1"),
        (&["--precision", "0"], "--precision: found the relative half-width 0"),
        (&["--precision", "NaN"], "--precision: found the relative half-width NaN"),
        (&["--level", "95"], "--level: found the confidence level 95"),
        (&["--replications", "1"], "--replications: found 1, expected at least 2"),
        (&["--until", "1999 ns"], "duration: found 1999 ns, expected at least 2 us"),
        (&["--until", "400"], "duration"),
        (&["--until", "400 days"], "duration"),
        (&["--set", "flows.download.start=\"5 s\"", "--until", "4 s"], "flows.download.start: found 5 s"),
        (
            &["--set", "flows.download.traffic=\"video\""],
            "flows.download.traffic: found \"video\", expected bulk transfers",
        ),
    ];
    for (args, expected) in cases {
        let ended = lasthop(&dir, &[&["steady", example.as_str()], *args].concat());
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.err);
        assert!(ended.out.is_empty() && ended.err.contains(expected), "{args:?}: {}", ended.err);
    }
}

/// The sample output in the documentation equals the program's output.
#[test]
fn documented_sample_output_is_up_to_date() {
    let dir = scratch("steady-page");
    let output = fine(&dir, &["steady", &common::file("examples/steady.toml")]);
    let page = std::fs::read_to_string(common::file("docs/models/steady.md")).unwrap();
    assert!(page.contains(&format!("```text\n{output}```")), "docs/models/steady.md does not show:\n{output}");
}
