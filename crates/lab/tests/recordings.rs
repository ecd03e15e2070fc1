//! Recordings in files beside a scenario: found, stored with the result, and reported if missing or incomplete.

use std::path::{Path, PathBuf};

use lab::load::{Overrides, load, to_toml};
use scenario::problem::Problem;
use sim::Results;
use testkit::run_network;

/// A directory with an example and these files.
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
    run_network(&loaded.unwrap_or_else(|problems| panic!("{problems:?}")).network)
}

fn problems(path: &Path) -> Vec<Problem> {
    load(path, &Overrides::default()).err().unwrap_or_default()
}

/// The stored scenario gives the same run without the files.
#[test]
fn stored_scenario_needs_no_recordings() {
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
fn missing_and_incomplete_recordings_are_reported() {
    for (example, file, key) in [
        ("walk.toml", "walk.csv", "links.air.link_trace.file"),
        ("cellular.toml", "cellular-down.trace", "links.air.delivery_trace.forward.file"),
    ] {
        let path = beside(&format!("missing-{example}"), example, &[]);
        let missing = problems(&path);
        assert_eq!(missing.len(), 1, "{missing:?}");
        assert_eq!(missing[0].key.as_deref(), Some(key));
        assert!(missing[0].to_string().contains(&format!("{file} does not exist")), "{}", missing[0]);
        assert!(missing[0].place.is_some());

        for (contents, said) in
            [(&b"\xff\xfe1\n"[..], ":1:1: KEY: found byte 0xff, expected plain text"), (b"", ": KEY: found nothing")]
        {
            std::fs::write(path.with_file_name(file), contents).unwrap();
            let said = format!("{file}{}", said.replace("KEY", key));
            let broken = problems(&path);
            assert_eq!(broken.len(), 1, "{broken:?}");
            assert!(broken[0].to_string().contains(&said), "{}", broken[0]);
            // Named on the command line, the file is equally broken.
            let set = vec![format!("{key}={file}")];
            let broken = load(&path, &Overrides { set, ..Overrides::default() }).err().unwrap_or_default();
            assert!(broken[0].to_string().contains(&said), "{}", broken[0]);
        }
    }
}

/// A recording truncated at any byte is refused or lacks whole lines at its end.
#[test]
fn truncated_recording_is_detected() {
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

/// A recording defines the rate in both directions, or the rate must be given.
#[test]
fn recorded_opportunities_define_the_rate() {
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
    assert!(found[0].to_string().contains("a `delivery_trace` in both directions replaces"));

    // A table does not define it either; its column would have no effect.
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
    // 330 opportunities of 1504 bytes in 3 s.
    assert_eq!(loaded.network.links[1].rate.bits_per_sec(), 1_323_520);
}

/// A saturated link carries at most what the recording allows: 330 full packets in 3 s, and with a deep queue and no
/// losses almost all of these.
#[test]
fn transfer_uses_the_recorded_capacity() {
    let path = beside("use", "cellular.toml", &["cellular-down.trace"]);
    let found = results(&path, &["links.air.queue=unlimited", "flows.download.receive_window=200 kB"]);
    let delivered = found.links[1].directions[0].packets_delivered;
    // 30 s are ten rounds. A window of 136 full packets exceeds what the first round trip leaves unused.
    assert!((3_200..=3_300).contains(&delivered), "{delivered}");
}
