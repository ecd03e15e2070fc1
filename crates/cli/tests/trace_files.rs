//! Traces of scenarios that are unusual, not wrong: what is written, and what is refused before anything is.

mod common;

use std::fs;

use common::{fine, lasthop, scratch};

/// All requests to send are lost, so that a frame is given up that was never sent.
#[test]
fn a_frame_without_an_attempt_has_no_number_of_attempts() {
    let dir = scratch("no-attempt");
    fs::write(dir.join("net.toml"), include_str!("reliability/no-attempt.toml")).unwrap();
    fine(&dir, &["run", "net.toml", "--trace", "all", "--out", "r"]);
    let trace = fs::read_to_string(dir.join("r/event-trace.txt")).unwrap();
    let given_up: Vec<&str> = trace.lines().filter(|line| line.contains("could not be transmitted")).collect();
    assert!(!given_up.is_empty(), "{trace}");
    let said = "Following frame could not be transmitted as no request to send was answered :";
    assert!(given_up.iter().all(|line| *line == said), "{given_up:?}");
}

/// `wless_state-a` with the ending `-seqno`, and the link from `a` to `seqno`.
#[test]
fn traces_of_a_node_and_a_link_in_one_file_are_refused() {
    let dir = scratch("collision");
    let scenario = include_str!("reliability/collision.toml");
    fs::write(dir.join("net.toml"), scenario).unwrap();
    let ended = lasthop(&dir, &["run", "net.toml", "--trace", "all", "--out", "new/r"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{}", ended.err);
    for said in ["wless_state-a-seqno:", "node \"wless_state-a\"", "link \"y\"", "\"seqno\"", "hint: "] {
        assert!(ended.err.contains(said), "{said}: {}", ended.err);
    }
    assert!(!dir.join("new").exists());
    // One of the two is no mistake, and neither is none.
    for traces in ["seqno", "wless_state,ackno", "none"] {
        fine(&dir, &["run", "net.toml", "--trace", traces, "--out", "r"]);
    }
    fine(&dir, &["check", "net.toml"]);
    // Where the scenario asks for them, `check` says so too.
    fs::write(dir.join("both.toml"), format!("output.traces = [\"all\"]\n{scenario}")).unwrap();
    for command in ["check", "run"] {
        let ended = lasthop(&dir, &[command, "both.toml"]);
        assert_eq!(ended.code, Some(2), "{command}: {}", ended.err);
        assert!(ended.err.contains("two traces have the file wless_state-a-seqno"), "{command}: {}", ended.err);
    }
}
