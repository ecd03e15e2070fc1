//! Rate controls in whole runs: goodput compared with the best fixed rate for a signal.

use path::{HopId, LinkDirection, LinkEvent, LinkId};
use sim::Event;
use testkit::{build_network, record_events};

/// Packets per second that arrive over the radio link at a signal of `dbm` dBm. The signal falls to this value in the
/// first second, slowly enough for a rate control to follow before a packet is given up; packets of the next four
/// seconds are counted.
fn carried(dbm: i32, media: &str) -> f64 {
    let falls = [-60, -66, -70, -74, -77, -79, -81].into_iter().filter(|level| *level > dbm).chain([dbm]);
    let level = |(number, dbm)| format!("{{ from = \"{} ms\", dbm = {dbm} }}, ", 100 * number);
    let levels: String = falls.enumerate().map(level).collect();
    let text = format!(
        "duration = \"5 s\"\n\
         nodes = {{ server = {{ kind = \"host\" }}, ap = {{ kind = \"base-station\" }}, laptop = {{ kind = \"host\" }} }}\n\
         links.wire = {{ kind = \"wired\", between = [\"server\", \"ap\"], rate = \"100 Mbps\", delay = \"5 ms\" }}\n\
         flows.down = {{ from = \"server\", to = \"laptop\" }}\n\
         media.cell = {{ standard = \"802.11a\", {media} }}\n\
         [links.air]\nkind = \"wireless\"\nbetween = [\"ap\", \"laptop\"]\nmedium = \"cell\"\n\
         channel = {{ kind = \"signal\", levels = [{levels}] }}\n"
    );
    let network = build_network(&text);
    let air = LinkId::from_index(network.links.iter().position(|link| link.name == "air").unwrap());
    let (_, events) = record_events(&network);
    let arrival = |hop: &HopId| hop.link == air && hop.direction == LinkDirection::Forward;
    let comes = |event: &Event| match event {
        Event::Link { hop, event: LinkEvent::Arrived { .. }, .. } => arrival(hop),
        _ => false,
    };
    let counted = events.iter().filter(|(at, event)| at.as_nanos() >= 1_000_000_000 && comes(event)).count();
    counted as f64 / 4.0
}

/// The page with the table of these measurements.
const PAGE: &str = include_str!("../../../docs/models/other-channels.md");

/// The signal supports `best` Mbps; faster rates carry nothing, slower ones less. A rate control based on
/// acknowledgments loses throughput by its probes at faster rates: ARF loses one frame in eleven, and the back-off
/// after it is doubled; one in ten of minstrel's packets probes another rate, twice, which may be slower or lost.
#[test]
fn rate_controls_approach_the_best_fixed_rate() {
    for (dbm, best) in [(-68, 36), (-72, 24), (-78, 12), (-81, 9)] {
        let fixed = |megabits: u32| carried(dbm, &format!("rate = \"{megabits} Mbps\""));
        let at_best = fixed(best);
        for other in [6, 9, 12, 18, 24, 36, 48, 54] {
            if other > best {
                assert_eq!(fixed(other), 0.0, "{other} Mbps at {dbm} dBm");
            } else if other < best {
                assert!(fixed(other) < at_best, "{other} Mbps at {dbm} dBm");
            }
        }
        let mut row = format!("| {dbm} | {best} Mbps: {at_best:.0} |");
        for control in ["arf", "minstrel"] {
            let found = carried(dbm, &format!("rate_control = \"{control}\""));
            row += &format!(" {found:.0} |");
            assert!(
                (0.88..1.0).contains(&(found / at_best)),
                "{control} at {dbm} dBm: {found} of {at_best} packets a second"
            );
        }
        assert!(PAGE.contains(&row), "docs/models/other-channels.md has no row {row}");
    }
}

/// If the fastest rate always succeeds, probes cost nothing: ARF leaves that rate only after collisions, and minstrel
/// probes slower rates only after a failure.
#[test]
fn rate_controls_lose_nothing_if_the_fastest_rate_succeeds() {
    let fixed = carried(-60, "rate = \"54 Mbps\"");
    for control in ["arf", "minstrel"] {
        let found = carried(-60, &format!("rate_control = \"{control}\""));
        assert!(found > 0.9 * fixed, "{control}: {found} of {fixed} packets a second");
    }
}
