//! Recordings in files beside a scenario: found, kept in the result, and reported if they are missing or incomplete.

mod common;

use std::path::{Path, PathBuf};

use common::run;
use lab::load::{Overrides, load, to_toml};
use scenario::problem::Problem;
use sim::Results;

/// A directory of its own with an example and these files beside it.
fn beside(test: &str, example: &str, files: &[&str]) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("recordings-{test}"));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    for file in files.iter().chain([&example]) {
        std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file), dir.join(file)).unwrap();
    }
    dir.join(example)
}

fn results(path: &Path, set: &[&str]) -> Results {
    let set = set.iter().map(ToString::to_string).collect();
    let loaded = load(path, &Overrides { set, ..Overrides::default() });
    run(&loaded.unwrap_or_else(|problems| panic!("{problems:?}")).network)
}

fn problems(path: &Path) -> Vec<Problem> {
    load(path, &Overrides::default()).err().unwrap_or_default()
}

/// The kept scenario gives the same run without the files.
#[test]
fn a_kept_scenario_needs_no_files() {
    for (example, file) in [("walk.toml", "walk.csv"), ("cellular.toml", "cellular-down.trace")] {
        let path = beside(&format!("kept-{example}"), example, &[file]);
        let kept = to_toml(&load(&path, &Overrides::default()).unwrap().scenario);
        let first = results(&path, &[]);
        std::fs::remove_file(path.with_file_name(file)).unwrap();
        std::fs::write(&path, kept).unwrap();
        assert_eq!(results(&path, &[]), first, "{example}");
    }
}

#[test]
fn a_recording_that_is_not_there_or_not_whole_is_told_of() {
    for (example, file, key) in [
        ("walk.toml", "walk.csv", "links.air.link_trace.file"),
        ("cellular.toml", "cellular-down.trace", "links.air.delivery_trace.forward.file"),
    ] {
        let path = beside(&format!("missing-{example}"), example, &[]);
        let missing = problems(&path);
        assert_eq!(missing.len(), 1, "{missing:?}");
        assert_eq!(missing[0].key.as_deref(), Some(key));
        assert!(missing[0].to_string().contains(&format!("{file} is not there")), "{}", missing[0]);
        assert!(missing[0].place.is_some());

        for (contents, said) in
            [(&b"\xff\xfe1\n"[..], ":1:1: KEY: found byte 0xff, expected plain text"), (b"", ": KEY: found nothing")]
        {
            std::fs::write(path.with_file_name(file), contents).unwrap();
            let said = format!("{file}{}", said.replace("KEY", key));
            let broken = problems(&path);
            assert_eq!(broken.len(), 1, "{broken:?}");
            assert!(broken[0].to_string().contains(&said), "{}", broken[0]);
            // Named on the command line it is the same file that is broken.
            let set = vec![format!("{key}={file}")];
            let broken = load(&path, &Overrides { set, ..Overrides::default() }).err().unwrap_or_default();
            assert!(broken[0].to_string().contains(&said), "{}", broken[0]);
        }
    }
}

/// Cut anywhere, a recording is refused or lacks whole lines at its end.
#[test]
fn a_recording_that_was_cut_off_is_not_taken_for_another() {
    for (example, file) in [("walk.toml", "walk.csv"), ("cellular.toml", "cellular-down.trace")] {
        let path = beside(&format!("cut-{example}"), example, &[file]);
        let recording = path.with_file_name(file);
        let whole = std::fs::read(&recording).unwrap();
        for end in 0..whole.len() {
            std::fs::write(&recording, &whole[..end]).unwrap();
            let found = problems(&path);
            assert!(found.len() == 1 || whole[end - 1] == b'\n', "{file} cut to {end} bytes: {found:?}");
        }
    }
}

/// A recording stands for the rate both ways, or the rate must be given.
#[test]
fn opportunities_stand_for_the_rate() {
    let path = beside("rate", "cellular.toml", &["cellular-down.trace"]);
    let text = std::fs::read_to_string(&path).unwrap();
    let both = "delivery_trace.backward.file = \"cellular-down.trace\"\ndelivery_trace.forward";
    let without =
        |text: &str| text.lines().filter(|line| !line.starts_with("rate = \"1 Mbps\"")).collect::<Vec<_>>().join("\n");

    std::fs::write(&path, without(&text)).unwrap();
    let found = problems(&path);
    assert_eq!(found[0].key.as_deref(), Some("links.air.rate"), "{found:?}");
    assert!(found[0].to_string().contains("`rate` is missing"));

    let text = text.replace("delivery_trace.forward", both);
    std::fs::write(&path, &text).unwrap();
    let found = problems(&path);
    assert_eq!(found[0].key.as_deref(), Some("links.air.rate"), "{found:?}");
    assert!(found[0].to_string().contains("a `delivery_trace` says when packets are sent"));

    // Nor does a table say it, whose column would do nothing.
    let table = |columns: &str| format!("link_trace.contents = \"{columns}\"\ndelivery_trace.forward");
    let with = |columns: &str| without(&text).replacen("delivery_trace.forward", &table(columns), 1);
    std::fs::write(&path, with("time_s,rate_Mbps,delay_ms\\n0,1,20\\n")).unwrap();
    let found = problems(&path);
    assert_eq!(found[0].key.as_deref(), Some("links.air.link_trace"), "{found:?}");
    assert!(found[0].to_string().contains("a table without a column `rate`"), "{found:?}");
    std::fs::write(&path, with("time_s,delay_ms\\n0,20\\n")).unwrap();
    assert_eq!(problems(&path), []);

    std::fs::write(&path, without(&text)).unwrap();
    let loaded = load(&path, &Overrides::default()).unwrap();
    // 330 chances of 1504 bytes in 3 s.
    assert_eq!(loaded.network.links[1].rate.bits_per_sec(), 1_323_520);
}

/// A saturated link carries what the recording has room for: 330 full packets in 3 s, at most, and with a deep queue
/// and no losses nearly that.
#[test]
fn a_transfer_uses_what_was_recorded() {
    let path = beside("use", "cellular.toml", &["cellular-down.trace"]);
    let found = results(&path, &["links.air.queue=unlimited", "flows.download.receive_window=200 kB"]);
    let delivered = found.links[1].ways[0].packets_delivered;
    // 30 s are ten rounds. A window of 136 full packets is more than stands idle in the first round trip.
    assert!((3_200..=3_300).contains(&delivered), "{delivered}");
}
