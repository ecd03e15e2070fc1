//! Damaged stores. Damage is detected and reported, and can be removed. Then a sweep repeats the runs.

use crate::common;

use std::fs;
use std::path::PathBuf;

use common::{ask, command, fine, lasthop, scratch, without_checksums};
use testkit::FADING_PATH;

/// 2 x 2 x 3 short runs.
fn sweep_text() -> String {
    format!(
        r#"title = "A sweep"
duration = "100 s"
{FADING_PATH}[flows.download]
from = "server"
to = "mobile"
bytes = "100 kB"
receive_window = "16 KiB"
[sweep]
replications = 3
metrics = ["completion_time_s", "timeouts"]
axes.links.wire.delay = ["50 ms", "100 ms"]
compare.scheme = ["unmodified", "refined-icmp"]
"#
    )
}

const ARGS: [&str; 5] = ["sweep", "net.toml", "--json", "--out", "s.sqlite"];

/// Returns a directory with a store, and the output of its sweep.
fn store(test: &str) -> (PathBuf, String) {
    let dir = scratch(test);
    fs::write(dir.join("net.toml"), sweep_text()).unwrap();
    let printed = fine(&dir, &ARGS);
    (dir, printed)
}

#[test]
fn undamaged_store_passes() {
    let (dir, _) = store("verify-sound");
    let before = fs::read(dir.join("s.sqlite")).unwrap();
    let out = fine(&dir, &["verify", "s.sqlite"]);
    assert_eq!(out, "s.sqlite: 1 sweep, 4 cells, 12 runs\nevery row matches its checksum\n");
    assert_eq!(fine(&dir, &["verify", "s.sqlite", "--remove"]), out);
    assert_eq!(fs::read(dir.join("s.sqlite")).unwrap(), before);
    let missing = lasthop(&dir, &["verify", "missing.sqlite"]);
    assert_eq!(missing.code, Some(2), "{}", missing.err);
    assert!(!dir.join("missing.sqlite").exists());
    let text = lasthop(&dir, &["verify", "net.toml"]);
    assert_eq!(text.code, Some(2), "{}", text.err);
    assert!(text.err.contains("is not a store of lasthop"), "{}", text.err);
}

/// Every command refuses a store with a changed digit in one summary. After the summary is removed, only that run is
/// repeated.
#[test]
fn changed_run_is_detected_removed_and_repeated() {
    let (dir, printed) = store("verify-run");
    let changed = "UPDATE runs SET summary = replace(summary, '\"segments_sent\":', '\"segments_sent\":1')
                   WHERE rowid = 5";
    ask(&dir.join("s.sqlite"), changed);
    let key = ask(&dir.join("s.sqlite"), "SELECT replication, lower(hex(digest)) FROM runs WHERE rowid = 5");
    let (replication, digest) = key.trim().split_once('|').unwrap();
    let row = format!("replication {replication} of run {digest} (sweep net, point ");
    let commands: [&[&str]; 4] =
        [&["export", "s.sqlite"], &["report", "s.sqlite"], &["merge", "into.sqlite", "s.sqlite"], &ARGS];
    for args in commands {
        let ended = lasthop(&dir, args);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{args:?}: {}", ended.err);
        let message = "error: s.sqlite: 1 of its rows is damaged, the first: ";
        assert!(ended.err.starts_with(&format!("{message}{row}")), "{args:?}: {}", ended.err);
        assert!(ended.err.contains("`lasthop verify s.sqlite`"), "{args:?}: {}", ended.err);
    }
    let ended = lasthop(&dir, &["verify", "s.sqlite"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.out.contains(&format!("damaged: {row}")), "{}", ended.out);
    assert!(ended.err.contains("--remove` removes them; `lasthop sweep FILE --out s.sqlite`"), "{}", ended.err);
    let removed = fine(&dir, &["verify", "s.sqlite", "--remove"]);
    assert!(removed.ends_with("removed 1 row; `lasthop sweep FILE --out s.sqlite` repeats the missing runs\n"));
    let again = lasthop(&dir, &ARGS);
    assert_eq!((again.code, again.out), (Some(0), printed), "{}", again.err);
    assert!(again.err.contains("1 run, 11 were already stored"), "{}", again.err);
    assert!(fine(&dir, &["verify", "s.sqlite"]).ends_with("every row matches its checksum\n"));
}

/// Changed descriptions of points and sweeps are detected too. A description with a changed number is also detected,
/// although its sweep lacks it.
#[test]
fn changed_description_is_detected_and_restored() {
    let (dir, printed) = store("verify-description");
    let good = fs::read(dir.join("s.sqlite")).unwrap();
    for (change, found) in [
        ("UPDATE cells SET case_name = 'x' WHERE point = 1 AND \"case\" = 1", "point 1, case 1 of sweep 1"),
        ("UPDATE cells SET sweep = 17 WHERE point = 1 AND \"case\" = 1", "point 1, case 1 of sweep 17"),
        ("UPDATE sweeps SET title = 'A sweet'", "the description of sweep 1, net"),
    ] {
        fs::write(dir.join("s.sqlite"), &good).unwrap();
        ask(&dir.join("s.sqlite"), change);
        let ended = lasthop(&dir, &["verify", "s.sqlite"]);
        assert_eq!(ended.code, Some(1), "{change}: {}", ended.err);
        assert!(ended.out.contains(&format!("damaged: {found}\n")), "{change}: {}", ended.out);
        assert_eq!(lasthop(&dir, &["report", "s.sqlite"]).code, Some(2), "{change}");
        fine(&dir, &["verify", "s.sqlite", "--remove"]);
        let again = lasthop(&dir, &ARGS);
        assert_eq!((again.code, &again.out), (Some(0), &printed), "{change}: {}", again.err);
        assert!(again.err.contains("0 runs, 12 were already stored"), "{change}: {}", again.err);
    }
}

/// An index that does not match its table is rebuilt.
#[test]
fn damaged_index_is_rebuilt() {
    let (dir, printed) = store("verify-index");
    let path = dir.join("s.sqlite");
    let root: usize =
        ask(&path, "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_runs_1'").trim().parse().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    // The last byte of a page belongs to a key.
    bytes[root * 4096 - 10] ^= 1;
    fs::write(&path, bytes).unwrap();
    let ended = lasthop(&dir, &["verify", "s.sqlite"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.out.contains("SQLite finds: "), "{}", ended.out);
    assert_eq!(lasthop(&dir, &["export", "s.sqlite"]).code, Some(2));
    fine(&dir, &["verify", "s.sqlite", "--remove"]);
    assert_eq!(fine(&dir, &ARGS), printed);
}

/// Opening a store of an earlier version adds checksums, and prints a note. A read-only store is read without
/// checksums.
#[test]
fn store_without_checksums_gets_them() {
    let (dir, printed) = store("verify-upgrade");
    let path = dir.join("s.sqlite");
    without_checksums(&path);
    let old = fs::read(&path).unwrap();
    let first = fine(&dir, &["verify", "s.sqlite"]);
    assert!(first.contains("its rows had no checksums until now"), "{first}");
    assert!(!fine(&dir, &["verify", "s.sqlite"]).contains("until now"));
    assert_eq!(ask(&path, "PRAGMA user_version").trim(), "3");
    assert_eq!(fine(&dir, &ARGS), printed);
    // A row damaged before checksums were added: damaged rows get no checksums.
    fs::write(&path, &old[..old.len() - 4096]).unwrap();
    let ended = lasthop(&dir, &["verify", "s.sqlite"]);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("is damaged"), "{}", ended.err);
    // A store that cannot be written, as on a read-only medium, is read without checksums.
    fs::write(&path, &old).unwrap();
    let script = "ulimit -f 0; exec \"$0\" export s.sqlite --out /dev/null/x";
    let output = std::process::Command::new("sh")
        .current_dir(&dir)
        .args(["-c", script, env!("CARGO_BIN_EXE_lasthop")])
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("/dev/null/x") && !err.contains("s.sqlite: "), "{err}");
}

/// Two stores are exported into one directory in turn, and the exports are killed at random moments. All tables always
/// belong to the same store.
#[test]
#[allow(clippy::disallowed_methods, reason = "the moments of the kills are of this clock")]
fn killed_export_does_not_mix_tables_of_two_stores() {
    let (dir, _) = store("export-killed");
    let other = ["sweep", "net.toml", "--seed", "2", "--out", "t.sqlite"];
    fine(&dir, &other);
    let tables = |out: &str| -> Vec<Vec<u8>> {
        let names = ["flows", "links", "summary"].into_iter();
        names.map(|name| fs::read(dir.join(out).join(format!("{name}.csv"))).unwrap()).collect()
    };
    let begun = std::time::Instant::now();
    fine(&dir, &["export", "s.sqlite", "--out", "one"]);
    let usual = begun.elapsed();
    fine(&dir, &["export", "t.sqlite", "--out", "two"]);
    let both = [tables("one"), tables("two")];
    fine(&dir, &["export", "s.sqlite", "--out", "out"]);
    for number in 0..60u32 {
        let store = if number % 2 == 0 { "t.sqlite" } else { "s.sqlite" };
        let mut child =
            command(&dir, &["export", store, "--out", "out"]).stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(usual.mul_f64(0.4 + 0.7 * f64::from(number) / 60.0));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(both.contains(&tables("out")), "kill {number}");
    }
    fine(&dir, &["export", "s.sqlite", "--out", "out"]);
    assert_eq!(tables("out"), both[0]);
    assert!(!dir.join("out.partial").exists());
}
