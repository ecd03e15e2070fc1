//! Applications that stop.

use std::collections::BTreeSet;

use sim::{Event, NodeEvent};
use testkit::{build_network, record_events, run_network, wire_text};

const APPLICATIONS: [&str; 4] = [
    "kind = \"requests\", request = \"400 B\", sizes = { kind = \"fixed\", bytes = \"3 kB\" }",
    "kind = \"duplex\"",
    "kind = \"cbr\", rate = \"400 kbps\", packet = \"500 B\"",
    "kind = \"on-off\", rate = \"2 Mbps\", packet = \"900 B\"",
];

/// An endless flow over 8 Mbps and 5 ms, and the end of the run.
fn network_text(traffic: &str, more: &str, until: &str) -> String {
    wire_text("8 Mbps", "5 ms", &format!("mss = \"1000 B\"\ntraffic = {{ {traffic} }}\n{more}"))
        .replace("10000 s", until)
}

/// A call of the application at the stop time, after an arrival of the same time, does not replace the stop.
#[test]
fn application_stops_at_the_time_of_an_arrival() {
    for traffic in APPLICATIONS {
        let (_, events) = record_events(&build_network(&network_text(traffic, "", "2 s")));
        let arrivals: BTreeSet<u64> = events
            .iter()
            .filter(|(_, event)| matches!(event, Event::Node { event: NodeEvent::Received { .. }, .. }))
            .map(|(at, _)| at.as_nanos())
            .collect();
        assert!(arrivals.len() >= 10, "{traffic}: {} arrivals", arrivals.len());
        for stop in arrivals.into_iter().take(40) {
            let results =
                run_network(&build_network(&network_text(traffic, &format!("stop = \"{stop} ns\""), "100 s")));
            let ended = results.ended.as_secs_f64();
            assert!(ended < stop as f64 / 1e9 + 2.0, "{traffic}, stop at {stop} ns: ended at {ended} s");
        }
    }
}
