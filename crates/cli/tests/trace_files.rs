//! Traces of unusual, valid scenarios: the contents of the traces, and which of them are refused before the run.

use crate::common;

use std::fs;

use common::{fine, lasthop, scratch};

/// All RTS frames are lost, so that a frame is given up without an attempt.
#[test]
fn frame_given_up_without_an_attempt_has_no_attempt_count() {
    let dir = scratch("no-attempt");
    fs::write(dir.join("net.toml"), include_str!("reliability/no-attempt.toml")).unwrap();
    fine(&dir, &["run", "net.toml", "--trace", "all", "--out", "r"]);
    let trace = fs::read_to_string(dir.join("r/event-trace.txt")).unwrap();
    let given_up: Vec<&str> = trace.lines().filter(|line| line.contains("could not be transmitted")).collect();
    assert!(!given_up.is_empty(), "{trace}");
    let message = "Following frame could not be transmitted as no request to send was answered :";
    assert!(given_up.iter().all(|line| *line == message), "{given_up:?}");
}

/// `wless_state-a` with the suffix `-seqno`, and the link from `a` to `seqno`, have the same file name.
#[test]
fn traces_with_the_same_file_name_are_refused() {
    let dir = scratch("collision");
    let scenario = include_str!("reliability/collision.toml");
    fs::write(dir.join("net.toml"), scenario).unwrap();
    let ended = lasthop(&dir, &["run", "net.toml", "--trace", "all", "--out", "new/r"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{}", ended.err);
    for part in ["wless_state-a-seqno:", "node \"wless_state-a\"", "link \"y\"", "\"seqno\"", "hint: "] {
        assert!(ended.err.contains(part), "{part}: {}", ended.err);
    }
    assert!(!dir.join("new").exists());
    // Either of the two traces alone is valid, and so is neither.
    for traces in ["seqno", "wless_state,ackno", "none"] {
        fine(&dir, &["run", "net.toml", "--trace", traces, "--out", "r"]);
    }
    fine(&dir, &["check", "net.toml"]);
    // `check` also refuses both traces together if the scenario requests them.
    fs::write(dir.join("both.toml"), format!("output.traces = [\"all\"]\n{scenario}")).unwrap();
    for command in ["check", "run"] {
        let ended = lasthop(&dir, &[command, "both.toml"]);
        assert_eq!(ended.code, Some(2), "{command}: {}", ended.err);
        assert!(ended.err.contains("two traces have the file wless_state-a-seqno"), "{command}: {}", ended.err);
    }
}
