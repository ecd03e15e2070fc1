//! Recordings in files beside a scenario: found, stored with the result, and reported if missing or incomplete.

use scenario::load::to_toml;
use scenario::problem::Problem;
use sim::Results;
use testkit::run_network;

use crate::common::folder::ScenarioFolder;

fn results(folder: &ScenarioFolder, set: &[&str]) -> Results {
    run_network(&folder.load(set).unwrap_or_else(|problems| panic!("{problems:?}")).network)
}

fn problems(folder: &ScenarioFolder) -> Vec<Problem> {
    folder.load(&[]).err().unwrap_or_default()
}

/// The stored scenario gives the same run without the files.
#[test]
fn stored_scenario_needs_no_recordings() {
    for (example, file) in [("walk.toml", "walk.csv"), ("cellular.toml", "cellular-down.trace")] {
        let mut folder = ScenarioFolder::of_example(example, &[file]);
        let kept = to_toml(&folder.load(&[]).unwrap().scenario);
        let first = results(&folder, &[]);
        folder.remove(file);
        folder.write(example, kept);
        assert_eq!(results(&folder, &[]), first, "{example}");
    }
}

#[test]
fn missing_and_incomplete_recordings_are_reported() {
    for (example, file, key) in [
        ("walk.toml", "walk.csv", "links.air.link_trace.file"),
        ("cellular.toml", "cellular-down.trace", "links.air.delivery_trace.forward.file"),
    ] {
        let mut folder = ScenarioFolder::of_example(example, &[]);
        let missing = problems(&folder);
        assert_eq!(missing.len(), 1, "{missing:?}");
        assert_eq!(missing[0].key.as_deref(), Some(key));
        assert!(missing[0].to_string().contains(&format!("{file} does not exist")), "{}", missing[0]);
        assert!(missing[0].place.is_some());

        for (contents, said) in
            [(&b"\xff\xfe1\n"[..], ":1:1: KEY: found byte 0xff, expected plain text"), (b"", ": KEY: found nothing")]
        {
            folder.write(file, contents);
            let said = format!("{file}{}", said.replace("KEY", key));
            let broken = problems(&folder);
            assert_eq!(broken.len(), 1, "{broken:?}");
            assert!(broken[0].to_string().contains(&said), "{}", broken[0]);
            // The same broken file is refused when the command line names it.
            let broken = folder.load(&[&format!("{key}={file}")]).err().unwrap_or_default();
            assert!(broken[0].to_string().contains(&said), "{}", broken[0]);
        }
    }
}

/// A recording truncated at any byte is refused or lacks whole lines at its end.
#[test]
fn truncated_recording_is_detected() {
    for (example, file) in [("walk.toml", "walk.csv"), ("cellular.toml", "cellular-down.trace")] {
        let mut folder = ScenarioFolder::of_example(example, &[file]);
        let whole = folder.read(file).to_vec();
        for end in 0..whole.len() {
            folder.write(file, &whole[..end]);
            let found = problems(&folder);
            assert!(found.len() == 1 || whole[end - 1] == b'\n', "{file} cut to {end} bytes: {found:?}");
        }
    }
}

/// A recording defines the rate in both directions, or the rate must be given.
#[test]
fn recorded_opportunities_define_the_rate() {
    let mut folder = ScenarioFolder::of_example("cellular.toml", &["cellular-down.trace"]);
    let text = String::from_utf8(folder.read("cellular.toml").to_vec()).unwrap();
    let both = "delivery_trace.backward.file = \"cellular-down.trace\"\ndelivery_trace.forward";
    let without =
        |text: &str| text.lines().filter(|line| !line.starts_with("rate = \"1 Mbps\"")).collect::<Vec<_>>().join("\n");

    folder.write("cellular.toml", without(&text));
    let found = problems(&folder);
    assert_eq!(found[0].key.as_deref(), Some("links.air.rate"), "{found:?}");
    assert!(found[0].to_string().contains("`rate` is missing"));

    let text = text.replace("delivery_trace.forward", both);
    folder.write("cellular.toml", &*text);
    let found = problems(&folder);
    assert_eq!(found[0].key.as_deref(), Some("links.air.rate"), "{found:?}");
    assert!(found[0].to_string().contains("a `delivery_trace` in both directions replaces"));

    // A table does not define the rate either, because its column would have no effect.
    let table = |columns: &str| format!("link_trace.contents = \"{columns}\"\ndelivery_trace.forward");
    let with = |columns: &str| without(&text).replacen("delivery_trace.forward", &table(columns), 1);
    folder.write("cellular.toml", with("time_s,rate_Mbps,delay_ms\\n0,1,20\\n"));
    let found = problems(&folder);
    assert_eq!(found[0].key.as_deref(), Some("links.air.link_trace"), "{found:?}");
    assert!(found[0].to_string().contains("a table without a column `rate`"), "{found:?}");
    folder.write("cellular.toml", with("time_s,delay_ms\\n0,20\\n"));
    assert_eq!(problems(&folder), []);

    folder.write("cellular.toml", without(&text));
    let loaded = folder.load(&[]).unwrap();
    // 330 opportunities of 1504 bytes in 3 s.
    assert_eq!(loaded.network.links[1].rate.bits_per_sec(), 1_323_520);
}

/// A saturated link carries at most the recorded opportunities: 330 full packets in 3 s, and with a deep queue and no
/// losses nearly all of these.
#[test]
fn transfer_uses_the_recorded_capacity() {
    let folder = ScenarioFolder::of_example("cellular.toml", &["cellular-down.trace"]);
    let found = results(&folder, &["links.air.queue=unlimited", "flows.download.receive_window=200 kB"]);
    let delivered = found.links[1].directions[0].packets_delivered;
    // 30 s are ten rounds. A window of 136 full packets exceeds the opportunities that the first round trip leaves
    // unused.
    assert!((3_200..=3_300).contains(&delivered), "{delivered}");
}
