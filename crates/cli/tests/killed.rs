//! Runs killed while they replace a result, and directories left by earlier versions, do not disturb the next run.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{command, file, fine, lasthop, scratch};

const EXAMPLE: &str = "examples/two-losses.toml";

/// Returns the sorted names in a directory.
fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Kills `count` times, at a random moment, a run that replaces the result in `r`. A complete result exists each time.
/// The next run replaces it, and leaves no other files.
#[allow(clippy::disallowed_methods, reason = "the moments of the kills are of this clock")]
fn kill(test: &str, count: u32) {
    let dir = scratch(test);
    let args = ["run", &file(EXAMPLE), "--trace", "all", "--out", "r"];
    fine(&dir, &args);
    let complete = names(&dir.join("r"));
    let begun = Instant::now();
    fine(&dir, &args);
    let usual = begun.elapsed();
    let mut random = 1u64;
    let mut killed = 0;
    while killed < count {
        let mut child = command(&dir, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Knuth's MMIX generator, of which the upper bits are used.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The result is replaced at the end of a run: two of three kills come in the second half.
        let share = match random >> 62 {
            0 => 0.0,
            _ => 0.5,
        } + 0.6 * ((random >> 32 & 0xffff) as f64 / 65536.0);
        sleep(Duration::from_secs_f64(usual.as_secs_f64() * share));
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        assert_eq!(names(&dir.join("r")), complete, "after {killed} kills there is no complete result");
        let next = lasthop(&dir, &args);
        assert_eq!(next.code, Some(0), "after {killed} kills: {}", next.err);
        assert_eq!(names(&dir), ["r"], "after {killed} kills");
    }
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn killed_runs_do_not_block_later_runs() {
    kill("killed-often", 25);
}

#[test]
#[ignore = "takes a minute; `cargo xtask test --full` runs it"]
fn a_thousand_killed_runs_do_not_block_later_runs() {
    kill("killed-a-thousand-times", 1000);
}

/// Earlier versions did not remove the manifest last. Therefore a kill could leave some files without a manifest.
#[test]
fn directories_of_earlier_versions_do_not_block_runs() {
    let dir = scratch("left-by-earlier-versions");
    let args = ["run", &file(EXAMPLE), "--trace", "all", "--out", "r"];
    fine(&dir, &args);
    fine(&dir, &["plot", "r"]);
    let all = names(&dir.join("r"));
    assert!(all.len() > 10 && all[0] == ".lasthop", "{all:?}");
    // The manifest has the first name in the list. The loop removes more and more of the other files.
    for left in (1..all.len()).rev() {
        for name in ["r.partial", "r.old"] {
            let copy = dir.join(name);
            let _ = fs::remove_dir_all(&copy);
            fs::create_dir(&copy).unwrap();
            for file in all.iter().rev().take(left) {
                let (from, to) = (dir.join("r").join(file), copy.join(file));
                // The file is missing once the first of these runs has replaced the result.
                if file == "plots" {
                    fs::create_dir(&to).unwrap();
                    fs::write(to.join("download.svg"), "<svg/>").unwrap();
                } else {
                    fs::copy(from, to).unwrap();
                }
            }
        }
        let next = lasthop(&dir, &args);
        assert_eq!(next.code, Some(0), "{left} files: {}", next.err);
        assert!(!dir.join("r.partial").exists());
        // A directory without a manifest could be a user's copy. A run whose result has another name leaves it
        // unchanged.
        assert_eq!(names(&dir.join("r.old")).len(), left);
    }
}

/// A kill before a run creates `r.partial` leaves the temporary directory under another name.
#[test]
fn temporary_directories_of_killed_runs_are_removed() {
    let dir = scratch("beginnings");
    for (name, manifest) in [("r.partial.4000001", true), ("r.partial.4000002", false)] {
        fs::create_dir(dir.join(name)).unwrap();
        if manifest {
            fs::write(dir.join(name).join(".lasthop"), "").unwrap();
        }
    }
    // A directory not written by any run.
    fs::create_dir(dir.join("r.partial.4000003")).unwrap();
    fs::write(dir.join("r.partial.4000003/notes.txt"), "years of work").unwrap();
    fine(&dir, &["run", &file(EXAMPLE), "--out", "r"]);
    assert_eq!(names(&dir), ["r", "r.partial.4000003"]);
}

/// On file systems without an atomic exchange, a kill between two renames leaves the old result under another name.
#[test]
fn result_moved_aside_by_a_killed_run_is_restored() {
    let dir = scratch("moved-away");
    let args = ["run", &file(EXAMPLE), "--out", "r"];
    fine(&dir, &args);
    fs::rename(dir.join("r"), dir.join("r.partial.old")).unwrap();
    let next = lasthop(&dir, &args);
    assert_eq!((next.code, next.err.trim()), (Some(0), "results in r (replaced an earlier result)"));
    assert_eq!(names(&dir), ["r"]);
    // After a later kill the new result is in place, and a part of the old one remains.
    fs::create_dir(dir.join("r.partial.old")).unwrap();
    fs::copy(dir.join("r/.lasthop"), dir.join("r.partial.old/.lasthop")).unwrap();
    fine(&dir, &args);
    assert_eq!(names(&dir), ["r"]);
}

/// A file added to a result while a run is about to replace it is kept.
#[test]
fn file_added_during_the_run_is_kept() {
    let dir = scratch("appears");
    let example = file("examples/goel-refined.toml");
    fine(&dir, &["run", &example, "--out", "r"]);
    let long = ["run", &example, "--out", "r", "--trace", "jsonl", "--set", "flows.download.bytes=20 MB"];
    let long = [&long[..], &["--set", "duration=1000 s"]].concat();
    let mut child = command(&dir, &long).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !dir.join("r.partial/events.jsonl").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::yield_now();
    }
    fs::write(dir.join("r/notes.txt"), "years of work").unwrap();
    let ended = common::ended(child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("lasthop did not write notes.txt"), "{}", ended.err);
    assert_eq!(names(&dir), ["r"]);
    assert!(dir.join("r/notes.txt").exists());
}
