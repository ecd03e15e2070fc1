//! Settings of cells, places and motions without effect are reported.

mod common;

use common::scenario;
use scenario::check;

/// An access point, a laptop 20 m away from it, and a wire; MEDIA, AP, LAPTOP and AIR are filled in.
fn warnings(media: &str, ap: &str, laptop: &str, air: &str) -> Vec<String> {
    let text = format!(
        r#"
        duration = "10 s"
        [nodes]
        server = {{ kind = "host" }}
        ap = {{ kind = "base-station", {ap} }}
        laptop = {{ kind = "host", {laptop} }}
        [media]
        cell = {{ {media} }}
        [links]
        wire = {{ kind = "wired", between = ["server", "ap"], rate = "100 Mbps", delay = "5 ms" }}
        air = {{ kind = "wireless", between = ["ap", "laptop"], medium = "cell", {air} }}
        [flows]
        down = {{ from = "server", to = "laptop" }}
        "#
    );
    let checked = check(&scenario(&text)).unwrap_or_else(|problems| panic!("{problems:?}"));
    checked.warnings.iter().map(ToString::to_string).collect()
}

/// The only warning has all of these.
fn told(said: &[String], parts: &[&str]) {
    assert_eq!(said.len(), 1, "{said:?}");
    for part in parts {
        assert!(said[0].contains(part), "{part:?} is not in {}", said[0]);
    }
}

const HERE: &str = "position = [\"0 m\", \"0 m\"]";
const NEAR: &str = "position = [\"20 m\", \"0 m\"]";

#[test]
fn places_without_a_range_are_told_of_once_for_a_medium() {
    let leaves = format!("{NEAR}, motion = {{ velocity = [\"500 m/s\", \"0 m/s\"] }}");
    let said = warnings("", HERE, &leaves, "");
    told(&said, &["media.cell: no `range`", "of ap and laptop do nothing", "write range = \"250 m\" in [media.cell]"]);
    told(&warnings("", "", NEAR, ""), &["media.cell", "of laptop do nothing"]);
    assert_eq!(warnings("range = \"100 m\"", HERE, NEAR, ""), [""; 0]);
    assert_eq!(warnings("", "", "", ""), [""; 0]);
}

#[test]
fn places_of_nodes_without_a_medium_are_told_of() {
    let text = r#"
        duration = "10 s"
        nodes.a = { kind = "host", position = ["0 m", "0 m"] }
        nodes.b = { kind = "host", position = ["0 m", "0 m"], motion = { velocity = ["1 m/s", "0 m/s"] } }
        links.wire = { kind = "wired", between = ["a", "b"], rate = "1 Mbps", delay = "5 ms" }
        flows.down = { from = "a", to = "b", bytes = "1 kB" }
    "#;
    let warnings: Vec<String> = check(&scenario(text)).unwrap().warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("nodes.a.position: nothing goes by it: a has no link in a medium"), "{warnings:?}");
    assert!(warnings[1].starts_with("nodes.b.motion: nothing goes by it"), "{warnings:?}");
}

#[test]
fn rate_control_below_the_lowest_rate_is_told_of() {
    let lowest = "rate = \"1 Mbps\"";
    let said = warnings(&format!("{lowest}, rate_control = \"arf\""), "", "", "");
    told(
        &said,
        &["media.cell.rate: found 1 Mbps", "the lowest rate of 802.11b", "arf has nothing", "highest, 11 Mbps"],
    );
    let said = warnings("rate_control = \"minstrel\"", "", "", lowest);
    told(
        &said,
        &["media.cell.rate_control: found \"minstrel\"", "minstrel has nothing", "leave out `rate` in the links"],
    );
    for (media, air) in [
        (format!("{lowest}, rate_control = \"fixed\""), ""),
        (lowest.to_owned(), ""),
        ("rate = \"2 Mbps\", rate_control = \"arf\"".to_owned(), ""),
        (format!("{lowest}, rate_control = \"arf\""), "rate = \"11 Mbps\""),
    ] {
        assert_eq!(warnings(&media, "", "", air), [""; 0], "{media} {air}");
    }
}

/// By hand: 54 Mbps need 17 dB more than 6 Mbps, 24 Mbps 8 dB: at the fourth power they reach 100 m x 10^(-17/40) =
/// 37.58 m and 63.10 m, 36 Mbps (12 dB) 50.12 m.
#[test]
fn a_fixed_rate_that_does_not_reach_is_told_of() {
    let cell = |more: &str| format!("standard = \"802.11a\", range = \"100 m\", range_of = \"lowest-rate\", {more}");
    let at = |metres: &str| format!("position = [\"{metres} m\", \"0 m\"]");
    let said = warnings(&cell(""), HERE, &at("60"), "");
    told(
        &said,
        &[
            "links.air: ",
            "at 54 Mbps frames reach 37.6 m, and ap and laptop come no nearer than 60 m: nothing arrives",
            "write rate = \"24 Mbps\", which reaches 63.1 m, or rate_control = \"minstrel\" in [media.cell]",
        ],
    );
    let said = warnings(&cell(""), HERE, &at("60"), "rate = \"48 Mbps\"");
    told(&said, &["links.air.rate: found 48 Mbps, expected a slower one: at 48 Mbps frames reach 39.8 m"]);
    // 37.58 m and 37.59 m are the same in three digits.
    told(&warnings(&cell(""), HERE, &at("37.59"), ""), &["reach 37.583 m", "no nearer than 37.59 m"]);
    // In ten seconds it comes 30 m nearer, and then reads 54 Mbps, or 23 m, and does not.
    let walks = |speed: &str| format!("{}, motion = {{ velocity = [\"-{speed} m/s\", \"0 m/s\"] }}", at("61"));
    assert_eq!(warnings(&cell(""), HERE, &walks("3"), ""), [""; 0]);
    told(&warnings(&cell(""), HERE, &walks("2.3"), ""), &["come no nearer than 38 m"]);
    for (media, place) in [
        (cell(""), at("37.58")),
        (cell("rate_control = \"arf\""), at("60")),
        (cell("rate = \"6 Mbps\""), at("100")),
        ("standard = \"802.11a\", range = \"100 m\"".to_owned(), at("60")),
    ] {
        assert_eq!(warnings(&media, HERE, &place, ""), [""; 0], "{media} {place}");
    }
}

#[test]
fn a_signal_that_no_rate_is_content_with_is_told_of() {
    let signal = |levels: &str| format!("channel = {{ kind = \"signal\", levels = [{levels}] }}");
    let a = "standard = \"802.11a\", rate_control = \"arf\"";
    let weak = signal("{ from = \"0 s\", dbm = -90 }, { from = \"2 s\", dbm = -82.5 }, { from = \"10 s\", dbm = -50 }");
    told(
        &warnings(a, "", "", &weak),
        &["links.air.channel.levels: ", "at least -82 dBm", "which 6 Mbps need: the strongest is -82.5 dBm"],
    );
    assert_eq!(warnings(a, "", "", &signal("{ from = \"0 s\", dbm = -90 }, { from = \"2 s\", dbm = -82 }")), [""; 0]);
    // Fixed rates need what they need.
    let said = warnings("standard = \"802.11a\"", "", "", &signal("{ from = \"0 s\", dbm = -75 }"));
    told(&said, &["at least -65 dBm", "which 54 Mbps need", "write rate = \"18 Mbps\", or rate_control"]);
}

#[test]
fn what_begins_after_the_end_is_told_of() {
    let walks = |from: &str| format!("{NEAR}, motion = {{ velocity = [\"1 m/s\", \"0 m/s\"], from = \"{from}\" }}");
    let cell = "range = \"100 m\"";
    told(
        &warnings(cell, HERE, &walks("10 s"), ""),
        &["nodes.laptop.motion.from: found \"10 s\"", "laptop stands still"],
    );
    assert_eq!(warnings(cell, HERE, &walks("9.9 s"), ""), [""; 0]);
    let away = |from: &str| format!("channel = {{ kind = \"absence\", away = [[\"{from}\", \"20 s\"]] }}");
    told(&warnings("", "", "", &away("10 s")), &["links.air.channel.away: intervals", "nobody is ever away"]);
    assert_eq!(warnings("", "", "", &away("9.9 s")), [""; 0]);
}

#[test]
fn a_shared_radio_of_a_station_is_told_of() {
    told(
        &warnings("", "radio = \"shared\"", "", ""),
        &["nodes.ap.radio: found \"shared\"", "all wireless links of ap are in media", "leave it out"],
    );
}
