//! The command `lasthop drill`: output lines, messages, JSON and exit codes.

use crate::common;

use std::path::{Path, PathBuf};

use common::{file, fine, lasthop, scratch};
use serde_json::Value;

fn script(name: &str) -> String {
    file(&format!("crates/{name}.pkt"))
}

/// A directory with one script for each outcome.
fn scripts(test: &str) -> PathBuf {
    let dir = scratch(test);
    for (name, from) in [
        ("good.pkt", "tcp/tests/scripts/pass/close-first"),
        ("bad.pkt", "drill/tests/scripts/fail/another-packet"),
        ("odd.pkt", "drill/tests/scripts/fail/not-supported"),
        ("late.pkt", "drill/tests/scripts/fail/wrong-time"),
    ] {
        std::fs::copy(script(from), dir.join(name)).unwrap();
    }
    std::fs::write(dir.join("none.pkt"), "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 < SX 0:0(0) win 5\n")
        .unwrap();
    dir
}

fn ends(dir: &Path, args: &[&str], code: i32, err: &str) -> String {
    let ended = lasthop(dir, args);
    assert_eq!(ended.code, Some(code), "{args:?}: {}", ended.err);
    assert!(ended.err.contains(err), "{args:?}: {}", ended.err);
    ended.out
}

#[test]
fn passing_script_prints_one_line() {
    let out = fine(&scripts("drill-good"), &["drill", "good.pkt"]);
    assert_eq!(out, "good.pkt: passed, 4 packets compared, at most 0 ns from their times\n");
}

#[test]
fn each_outcome_has_an_exit_code() {
    let dir = scripts("drill-codes");
    let out = ends(&dir, &["drill", "bad.pkt"], 1, "error: bad.pkt:9:5: another packet was expected");
    assert_eq!(out, "bad.pkt: failed\n");
    let syntax = "error: none.pkt:2:6: found `SX`, expected TCP flags: letters of FSRPEWU, `.` for ACK, or `-` for none\n  \
                  2 | +0 < SX 0:0(0) win 5\n";
    assert_eq!(ends(&dir, &["drill", "none.pkt"], 2, syntax), "none.pkt: not a script\n");
    std::fs::write(dir.join("empty.pkt"), "").unwrap();
    let empty = "error: empty.pkt:1:1: found the end of the script, expected an event";
    assert_eq!(ends(&dir, &["drill", "empty.pkt"], 2, empty), "empty.pkt: not a script\n");
    std::fs::write(dir.join("beyond.pkt"), "0 < SEWA 0:0(0) win 5\n").unwrap();
    ends(&dir, &["drill", "beyond.pkt"], 3, "beyond.pkt:1:3: not supported: the packet `SEWA 0:0(0) win 5`");
    ends(&dir, &["drill", "absent.pkt"], 2, "error: absent.pkt: cannot be read: ");
    ends(&dir, &["drill", "godo.pkt"], 2, "\n  hint: did you mean \"good.pkt\"?");
    let unsupported = "odd.pkt:8:5: not supported: the socket option TCP_FASTOPEN with 5";
    assert_eq!(ends(&dir, &["drill", "odd.pkt"], 3, unsupported), "odd.pkt: not supported\n");
    // Precedence of exit codes: invalid input, then failures, then unsupported scripts.
    ends(&dir, &["drill", "good.pkt", "odd.pkt"], 3, "error: 1 of 2 scripts: not supported");
    ends(&dir, &["drill", "odd.pkt", "bad.pkt"], 1, "error: 1 of 2 scripts: failed");
    let out =
        ends(&dir, &["drill", "good.pkt", "bad.pkt", "odd.pkt", "none.pkt"], 2, "error: 1 of 4 scripts: not a script");
    assert!(out.ends_with("4 scripts: 1 passed, 1 failed, 1 not supported, 1 not a script\n"), "{out}");
}

#[test]
fn tolerance_option_is_applied() {
    let dir = scripts("drill-tolerance");
    ends(&dir, &["drill", "late.pkt"], 1, "hint: the tolerance is 4 ms");
    fine(&dir, &["drill", "late.pkt", "--tolerance", "10ms"]);
    ends(&dir, &["drill", "late.pkt", "--tolerance", "9999us"], 1, "10 ms too early");
    let wrong = "error: --tolerance: found \"5\", expected a time such as \"492 ms\"";
    ends(&dir, &["drill", "good.pkt", "--tolerance", "5"], 2, wrong);
}

#[test]
fn verbose_shows_packets() {
    let dir = scripts("drill-verbose");
    let out = fine(&dir, &["drill", "good.pkt", "--verbose"]);
    assert!(out.contains("\n  0.100000 > F. 1:1(0) ack 1 win 501\n  0.200000 < . 1:1(0) ack 2 win 257\n"), "{out}");
}

#[test]
fn json_has_the_same_outcomes() {
    let dir = scripts("drill-json");
    let out = ends(&dir, &["drill", "good.pkt", "bad.pkt", "none.pkt", "--json"], 2, "another packet was expected");
    let all: Value = serde_json::from_str(&out).unwrap();
    let [good, bad, none] = [0, 1, 2].map(|index| &all[index]);
    assert_eq!((good["outcome"].as_str(), good["packets_compared"].as_u64()), (Some("passed"), Some(4)));
    assert_eq!((good["worst_deviation_s"].as_f64(), good["tolerance_s"].as_f64()), (Some(0.0), Some(0.004)));
    assert_eq!(bad["problem"]["line"], 9);
    assert_eq!(bad["problem"]["expected"], "0.000000 > S. 0:0(0) ack 2 <mss 1400, sackOK>");
    assert_eq!(bad["problem"]["found"], "0.000000 > S. 0:0(0) ack 1 <mss 1460, sackOK>");
    assert_eq!((none["outcome"].as_str(), none["problem"]["column"].as_u64()), (Some("not a script"), Some(6)));
}
