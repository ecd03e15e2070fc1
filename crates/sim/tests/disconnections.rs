//! A mobile that uploads over 802.11 and is disconnected for a while: by a channel without reception, and by motion out
//! of range and back.

use sim::Results;
use testkit::{build_network, run_network};

/// A disconnection of 300 ms from 10.2 s on, under a scheme, with settings of `node`, `cell` and `link`.
fn upload(scheme: &str, [mobile, station, cell, link]: [&str; 4]) -> Results {
    run_network(&build_network(&format!(
        r#"
        duration = "15 s"
        scheme = "{scheme}"
        [nodes]
        mobile = {{ kind = "host"{mobile} }}
        station = {{ kind = "base-station"{station} }}
        fixed = {{ kind = "host" }}
        [media]
        cell = {{ standard = "802.11"{cell} }}
        [links]
        air = {{ kind = "wireless", between = ["mobile", "station"], medium = "cell"{link} }}
        wire = {{ kind = "wired", between = ["station", "fixed"], rate = "10 Mbps", delay = "100 ms" }}
        [flows.upload]
        from = "mobile"
        to = "fixed"
        start = "5 s"
        mss = "1000 B"
        receive_window = "12000 B"
        tcp = {{ variant = "newreno", min_rto = "240 ms", rto_restart = "recovery" }}
        "#
    )))
}

fn silence(until: &str, reception: &str) -> String {
    format!(
        r#", channel = {{ kind = "absence", disconnections = [["10.2 s", "{until}"]], mobile = "first", reception = "{reception}" }}"#
    )
}

/// Timeouts, and packets given up at the mobile and at the station.
fn trouble(results: &Results) -> [u64; 3] {
    let [up, down] = results.links[0].directions;
    [results.flows[0].sender.timeouts, up.given_up, down.given_up]
}

/// 100 m/s: the mobile leaves the range of 250 m at 10.2 s, turns at 265 m, and returns at 10.5 s.
#[test]
fn motion_out_of_range_equals_a_disconnection_of_the_same_length() {
    let motion = r#", position = ["240 m", "0 m"], motion = { waypoints = [
        { at = "10.1 s", position = ["240 m", "0 m"] }, { at = "10.35 s", position = ["265 m", "0 m"] },
        { at = "10.6 s", position = ["240 m", "0 m"] }] }"#
        .replace('\n', "");
    let moves = upload("unmodified", [&motion, r#", position = ["0 m", "0 m"]"#, r#", range = "250 m""#, ""]);
    let silent = upload("unmodified", ["", "", "", &silence("10.5 s", "at-once")]);
    assert_eq!(trouble(&moves), trouble(&silent));
    let [moved, stayed] = [moves, silent].map(|results| results.flows[0].bytes_delivered);
    // Frames in flight at the start and the end may differ, because a station out of range receives no damaged frame,
    // and does not defer to it.
    assert!(moved.abs_diff(stayed) <= 12_000, "{moved} {stayed}");
}

/// In a disconnection of 100 ms one packet is given up. The station's acknowledgments arrive as soon as the mobile is
/// back, and three of them are duplicates. With the link-loss flag cwnd is not reduced.
// covers [disconnections2012 4.2]
#[test]
fn link_loss_flag_avoids_the_reduction_of_cwnd() {
    let quiet = silence("10.3 s", "at-once");
    let [without, with] = ["unmodified", "link-loss"].map(|scheme| upload(scheme, ["", "", "", &quiet]));
    for results in [&without, &with] {
        assert_eq!((trouble(results)[..2].to_vec(), results.flows[0].sender.fast_retransmits), (vec![0, 1], 1));
    }
    assert_eq!(with.agents[0], [("own_data_given_up", 1)]);
    // Half of a cwnd of 12 grows back in six round trips. Without the reduction these would carry 6 + 5 + 4 + 3 + 2 + 1
    // more segments.
    let saved = with.flows[0].bytes_delivered - without.flows[0].bytes_delivered;
    assert!((15_000..=27_000).contains(&saved), "{saved}");
}

/// The mobile receives nothing until its timer expires and it sends, as in ns-2.
#[test]
fn mobile_that_receives_only_after_sending_waits_for_its_timer() {
    let [at_once, deaf] =
        ["at-once", "when-it-sends"].map(|reception| upload("unmodified", ["", "", "", &silence("10.3 s", reception)]));
    assert_eq!((trouble(&at_once)[0], trouble(&deaf)[0]), (0, 1));
    assert!(trouble(&deaf)[2] > trouble(&at_once)[2], "acknowledgments to the deaf are given up");
}
