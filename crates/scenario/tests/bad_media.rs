//! Errors in media and positions are reported with line, key, found value, expected value and a hint, and without
//! consequential errors.

use crate::common::{Case, assert_each_is_reported, find_problems};
use scenario::Document;

/// A cell without positions.
const CELL: &str = r#"
duration = "10 s"
[nodes]
server = { kind = "host" }
ap = { kind = "base-station" }
a = { kind = "host" }
[media.cell]
standard = "802.11b"
[links.wire]
kind = "wired"
between = ["server", "ap"]
rate = "100 Mbps"
delay = "10 ms"
[links.air]
kind = "wireless"
between = ["ap", "a"]
medium = "cell"
[flows.down]
from = "server"
to = "a"
"#;

/// Two cells, and a mobile that walks from one to the other.
const PLACES: &str = r#"
duration = "60 s"
[nodes]
server = { kind = "host" }
core = { kind = "router" }
west = { kind = "base-station", position = ["0 m", "0 m"] }
east = { kind = "base-station", position = ["200 m", "0 m"] }
[nodes.walker]
kind = "host"
position = ["-50 m", "0 m"]
motion.velocity = ["5 m/s", "0 m/s"]
association = {}
[media.channel]
range = "150 m"
[links]
wire = { kind = "wired", between = ["server", "core"], rate = "100 Mbps", delay = "20 ms" }
to-west = { kind = "wired", between = ["core", "west"], rate = "100 Mbps", delay = "1 ms" }
to-east = { kind = "wired", between = ["core", "east"], rate = "100 Mbps", delay = "1 ms" }
air-west = { kind = "wireless", between = ["west", "walker"], medium = "channel" }
air-east = { kind = "wireless", between = ["east", "walker"], medium = "channel" }
[flows.download]
from = "server"
to = "walker"
"#;

const MEDIA: &[Case<'_>] = &[
    (
        "medium = \"cell\"",
        "medium = \"sell\"",
        &["links.air.medium: found \"sell\", expected a medium\n", "did you mean \"cell\"?"],
    ),
    (
        "kind = \"wireless\"",
        "kind = \"wired\"",
        &[
            "links.air.kind: found \"wired\", expected \"wireless\", as media are radio channels",
            "hint: write kind = \"wireless\", or leave out medium",
        ],
    ),
    (
        "medium = \"cell\"",
        "medium = \"cell\"\nrate = \"12 Mbps\"",
        &[
            "links.air.rate: found 12 Mbps, expected a rate of 802.11b: 1 Mbps",
            "hint: 12 Mbps is a rate of 802.11a, 802.11g",
        ],
    ),
    (
        "medium = \"cell\"",
        "medium = \"cell\"\ndelay = \"1000 us\"",
        &[
            "links.air.delay: found \"1000 us\", expected no value: the delay is a setting of the medium",
            "hint: write it in [media.cell]",
        ],
    ),
    (
        "medium = \"cell\"",
        "medium = \"cell\"\narq = \"stop-and-wait\"",
        &[
            "links.air.arq: found \"stop-and-wait\", expected no value: links of a medium use its 802.11 link layer",
            "hint: leave it out; short_retry_limit in [media.cell] limits its attempts",
        ],
    ),
    // The medium's settings. Other messages about them: crates/path/tests/dcf_settings.rs.
    (
        "standard = \"802.11b\"",
        "basic_rates = []",
        &[
            ":8:1: media.cell.basic_rates: found [], expected at least one response rate of 802.11b: 1 Mbps, 2 Mbps, 5.5 Mbps",
            "hint: leave the key out for the rates of the standard: 1 Mbps, 2 Mbps",
        ],
    ),
    // The entry is marked, not the list.
    (
        "standard = \"802.11b\"",
        "basic_rates = [\"2 Mbps\", \"3000 kbps\"]",
        &[":8:26: media.cell.basic_rates[1]: found 3000 kbps, expected a response rate of 802.11b"],
    ),
    (
        "standard = \"802.11b\"",
        "aggregation = { frames = 8 }",
        &[
            "media.cell.aggregation: found a cell of 802.11b, expected a cell of 802.11n, the only standard with aggregation",
            "hint: write standard = \"802.11n\"",
        ],
    ),
    // The message repeats the value as written.
    (
        "standard = \"802.11b\"",
        "rts_threshold = \"3000 B\"",
        &[":8:17: media.cell.rts_threshold: found 3000 B, expected at most 2347 B"],
    ),
    (
        "standard = \"802.11b\"",
        "rate_control = { kind = \"arf\", failures = 0 }",
        &["media.cell.rate_control.failures: found 0, expected at least 1"],
    ),
    (
        "standard = \"802.11b\"",
        "capture = \"10 dB\"",
        &["media.cell.capture: found 10 dB, expected no value without `range`", "hint: add range = \"250 m\""],
    ),
    (
        "standard = \"802.11b\"",
        "range = \"150\"",
        &["media.cell.range: found \"150\", expected a length", "add a unit after 150"],
    ),
    // Only "none" disables a setting.
    (
        "standard = \"802.11b\"",
        "rts_threshold = \"never\"",
        &["media.cell.rts_threshold: found \"never\", expected a size such as"],
    ),
    (
        "standard = \"802.11b\"",
        "rts_threshold = 500",
        &[
            "media.cell.rts_threshold: found 500, expected a size such as \"512 kB\" (units: B, kB, KiB, MB, MiB, GB, GiB), or \"none\"",
        ],
    ),
    // A key that exists with an additional prefix.
    (
        "standard = \"802.11b\"",
        "retry_limit = 7",
        &["media.cell.retry_limit: no such key", "hint: write short_retry_limit or long_retry_limit"],
    ),
    (
        "standard = \"802.11b\"",
        "standard = \"802.11G\"",
        &["media.cell.standard: found \"802.11G\"", "did you mean \"802.11g\"?"],
    ),
    (
        "standard = \"802.11b\"",
        "rate_control = \"ARF\"",
        &["media.cell.rate_control: found \"ARF\"", "did you mean \"arf\"?"],
    ),
    // The message repeats the value in its unit.
    ("standard = \"802.11b\"", "slot = \"0 us\"", &["media.cell.slot: found 0 us, expected more than 0"]),
    (
        "medium = \"cell\"",
        "medium = \"cell\"\nchannel = { kind = \"absence\", disconnections = [[\"1 s\", \"2 s\"]], period = \"5000 ms\" }",
        &[
            "links.air.channel.period: found 5000 ms, expected no value without `repetitions`",
            "hint: add repetitions = 10",
        ],
    ),
    // Names of standards.
    (
        "standard = \"802.11b\"",
        "standard = \"802.11 b\"",
        &[
            "media.cell.standard: found \"802.11 b\", expected one of: 802.11-fhss",
            "802.11n",
            "did you mean \"802.11b\"?",
        ],
    ),
    (
        "standard = \"802.11b\"",
        "standard = 802.11",
        &["media.cell.standard: found 802.11, expected a name in quotes", "hint: write \"802.11\", in quotes"],
    ),
];

const IN_PLACES: &[Case<'_>] = &[
    (
        "west = { kind = \"base-station\", position = [\"0 m\", \"0 m\"] }",
        "west = { kind = \"base-station\" }",
        &[
            "nodes.west.position: `position` is missing: media.channel has a range",
            "hint: add position = [\"0 m\", \"0 m\"]",
        ],
    ),
    (
        "position = [\"-50 m\", \"0 m\"]\nmotion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "position = [\"-50000 m\", \"500 cm\"]",
        &[
            "nodes.walker.position: found [\"-50000 m\", \"500 cm\"], expected a place that is at some time within the range of \
             west, 150 m: its minimum distance is about 50 km, so no station ever receives it",
            "hint: move it nearer, or write range = \"50.1 km\" in [media.channel]",
        ],
    ),
    (
        "position = [\"-50 m\", \"0 m\"]\nmotion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "position = [\"-15012 cm\", \"0 m\"]",
        &["of west, 150 m: its minimum distance is about 150.12 m", "or write range = \"151 m\" in"],
    ),
    // The walker comes 300 m nearer in 60 s at 5 m/s.
    (
        "position = [\"-50 m\", \"0 m\"]\nmotion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "position = [\"-50 km\", \"0 m\"]\nmotion.velocity = [\"5 m/s\", \"0 m/s\"]",
        &["minimum distance is about 49.7 km", "or write range = \"49.7 km\" in"],
    ),
    (
        "[\"-50 m\", \"0 m\"]",
        "[\"-200000000 m\", \"0 m\"]",
        &["nodes.walker.position: found [\"-200000000 m\", \"0 m\"], expected at most 100000 km along each axis"],
    ),
    (
        "motion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "motion = {}",
        &["nodes.walker.motion: found neither, expected either `velocity` or `waypoints`", "hint: write motion = {"],
    ),
    (
        "motion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "motion = { velocity = [\"5 m/s\", \"0 m/s\"], waypoints = [] }",
        &["nodes.walker.motion: found both, expected either"],
    ),
    (
        "motion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "motion.waypoints = []",
        &["nodes.walker.motion.waypoints: found [], expected at least one place", "hint: write waypoints = [{"],
    ),
    (
        "motion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "motion.velocity = [\"0 m/s\", \"20001 m/s\"]",
        &[":11:29: nodes.walker.motion.velocity[1]: found \"20001 m/s\", expected at most 20000 m/s"],
    ),
    (
        "motion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "motion.velocity = [\"1 Mm/s\", \"0 m/s\"]",
        &["nodes.walker.motion.velocity[0]: found \"1 Mm/s\", expected a speed", "multiply by 1000000 and write m/s"],
    ),
    (
        "motion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "motion.waypoints = [{ at = \"9000 ms\", position = [\"0 m\", \"0 m\"] }, { at = \"5000 ms\", position = [\"0 m\", \"0 m\"] }]",
        &[":11:75: nodes.walker.motion.waypoints[1].at: found \"5000 ms\", expected later than the previous one, 9 s"],
    ),
    (
        "motion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "motion.waypoints = [{ at = \"0 s\", position = [\"0 m\", \"0 m\"] }]",
        &["nodes.walker.motion.waypoints[0].at: found \"0 s\", expected more than 0 s: `position` is the place at 0 s"],
    ),
    // 20 km in the first second is just slow enough.
    (
        "motion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "motion.waypoints = [{ at = \"1 s\", position = [\"0 m\", \"20 km\"] }, { at = \"2 s\", position = [\"0 m\", \"1020 km\"] }]",
        &[
            "nodes.walker.motion.waypoints[1].position: found [\"0 m\", \"1020 km\"], expected a position that needs a speed of \
             at most 20000 m/s along each axis, not 1000 km in 1 s",
        ],
    ),
    (
        "motion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "motion.waypoints = [{ at = \"1 s\", position = [\"20 km\", \"0 m\"] }]",
        &["waypoints[0].position: found [\"20 km\", \"0 m\"]", "not 20050 m in 1 s"],
    ),
    (
        "motion.velocity = [\"5 m/s\", \"0 m/s\"]",
        "motion = { from = \"1 s\", waypoints = [{ at = \"9 s\", position = [\"0 m\", \"0 m\"] }] }",
        &[
            "nodes.walker.motion.from: found \"1 s\", expected no value: waypoints have their own times",
            "hint: leave it out",
        ],
    ),
    (
        "association = {}",
        "association.handover_gap = \"2 h\"",
        &["nodes.walker.association.handover_gap: found \"2 h\", expected at most an hour"],
    ),
    (
        "association = {}",
        "association.hysteresis = \"101 dB\"",
        &["nodes.walker.association.hysteresis: found \"101 dB\", expected at most 100 dB"],
    ),
    (
        "west = { kind = \"base-station\", position",
        "west = { kind = \"base-station\", association = {}, position",
        &["nodes.west.association: found a table, expected no value: only valid for hosts", "hint: leave it out"],
    ),
    (
        "core = { kind = \"router\" }",
        "core = { kind = \"router\", association = {} }",
        &["nodes.core.association: found a table, expected no value: only valid for hosts", "hint: leave it out"],
    ),
];

fn said(text: &str) -> Vec<String> {
    find_problems(text).iter().map(ToString::to_string).collect()
}

#[test]
fn unchanged_scenarios_are_valid() {
    assert_eq!([said(CELL), said(PLACES)].concat(), [""; 0]);
}

#[test]
fn every_mistake_is_reported_alone_with_its_line_and_a_hint() {
    for (good, cases) in [(CELL, MEDIA), (PLACES, IN_PLACES)] {
        assert_each_is_reported(good, cases);
        for (from, to, _) in cases {
            let said = said(&good.replacen(from, to, 1));
            assert_eq!(said.len(), 1, "{to}: {said:?}");
        }
    }
}

/// An error that involves two tables is marked at one of them.
#[test]
fn medium_without_links_and_association_without_medium_are_reported() {
    let linkless = said(&CELL.replace("medium = \"cell\"", "rate = \"1 Mbps\"\ndelay = \"1 ms\""));
    assert_eq!(
        linkless,
        [
            "net.toml:7:8: media.cell: found none, expected at least one link with this medium\n  7 | [media.cell]\n    |        ^\n  \
          hint: write medium = \"cell\" in a link"
        ]
    );
    let rangeless = said(&PLACES.replace("range = \"150 m\"", "")).concat();
    assert!(
        rangeless.contains(
            "12:15: nodes.walker.association: found none, expected a link of walker in a medium with a range"
        ),
        "{rangeless}"
    );
    assert!(rangeless.contains("hint: add range = \"250 m\" to [media.channel]"), "{rangeless}");
}

/// If a medium has a range and the host has no link in it, the missing link is reported.
#[test]
fn association_without_a_link_names_the_medium() {
    let wired = PLACES.replacen(
        "to = \"walker\"",
        "to = \"walker\"\n[nodes.desk]\nkind = \"host\"\nassociation = {}\n[links.desk]\nkind = \"wired\"\nbetween = [\"core\", \"desk\"]\n\
         rate = \"1 Mbps\"\ndelay = \"1 ms\"",
        1,
    );
    let said = said(&wired);
    assert_eq!(said.len(), 1, "{said:?}");
    for part in ["nodes.desk.association: found none", "hint: write medium = \"channel\" in a link of desk"] {
        assert!(said[0].contains(part), "{said:?}");
    }
}

/// A sweep can set a key but cannot remove it.
#[test]
fn optional_keys_accept_none() {
    let read = |text: &str| Document::parse("net.toml", text.as_bytes()).unwrap().read().unwrap();
    for key in ["rts_threshold", "fragmentation_threshold", "capture", "beacon_interval", "aggregation", "retry_growth"]
    {
        let off = CELL.replace("standard = \"802.11b\"", &format!("{key} = \"none\""));
        assert_eq!(read(&off), read(&CELL.replace("standard = \"802.11b\"", "")), "{key}");
    }
    let mut document =
        Document::parse("net.toml", CELL.replace("802.11b\"", "802.11b\"\nrts_threshold = \"0 B\"").as_bytes())
            .unwrap();
    document.set("media.cell.rts_threshold=none").unwrap();
    assert_eq!(document.read().unwrap().media["cell"].rts_threshold, None);
}

/// A node that associates must have links to base stations only; the message names the other link.
#[test]
fn association_with_a_host_is_refused() {
    let text = PLACES.replace("east = { kind = \"base-station\"", "east = { kind = \"host\"");
    let expected =
        "nodes.walker.association: found a link to the host east, expected a link to a base station: walker associates";
    let said = said(&text);
    assert!(
        said.iter()
            .any(|said| said.contains(expected) && said.contains("hint: leave out the association, or the link")),
        "{said:?}"
    );
}

/// The shell removes the quotes of `--set media.cell.standard="802.11"`, and the rest parses as a number.
#[test]
fn hint_for_standard_on_the_command_line_has_two_pairs_of_quotes() {
    let set = |assignment: &str| -> Vec<String> {
        let mut document = Document::parse("net.toml", CELL.as_bytes()).unwrap();
        document.set(assignment).unwrap();
        let problems = document.read().err().unwrap_or_default();
        problems.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        set("media.cell.standard=802.11"),
        [
            "--set media.cell.standard=802.11: media.cell.standard: found 802.11, expected a name in quotes\n  hint: the shell removes \
          one pair of quotes: type --set 'media.cell.standard=\"802.11\"'"
        ]
    );
    assert_eq!(set("media.cell.standard=\"802.11\""), [""; 0]);
    assert_eq!(set("media.cell.standard=802.11b"), [""; 0]);
    // Quotes do not make an invalid name valid.
    assert!(!set("media.cell.standard=802")[0].contains("hint"));
}

#[test]
fn hint_for_standard_in_a_file_has_quotes() {
    for (standard, written) in [("802.11b", "802.11b"), ("802.11-fhss # slow", "802.11-fhss"), ("wifi", "wifi")] {
        let said = said(&CELL.replace("\"802.11b\"", standard)).remove(0);
        assert!(
            said.starts_with("net.toml:8:") && said.contains(&format!("hint: write \"{written}\", in quotes")),
            "{said}"
        );
    }
}
