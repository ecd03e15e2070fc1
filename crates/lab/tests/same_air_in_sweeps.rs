//! In a sweep every case of a point meets the same channel states in one replication, and other states in the next
//! replication.

use std::path::PathBuf;

use engine::Time;
use lab::load::{self, Overrides};
use lab::sweep::Plan;
use sim::{Event, Network, World};
use testkit::FADING_PATH;

fn sweep_text() -> String {
    format!(
        r#"
duration = "60 s"
{FADING_PATH}[flows.download]
from = "server"
to = "mobile"
[sweep]
replications = 3
axes.flows.download.receive_window = ["8 KiB", "32 KiB"]
[sweep.compare]
plain = {{}}
refined = {{ scheme = "refined-icmp" }}
far = {{ links.wire.delay = "300 ms" }}
other-end = {{ flows.download = {{ from = "mobile", to = "server" }} }}
"#
    )
}

/// The times at which the channel changed its state in the first 50 s.
fn air(network: &Network, replication: u64) -> Vec<String> {
    let network = Network { replication, ..network.clone() };
    let mut events: Vec<(Time, Event)> = Vec::new();
    World::new(&network, true).run(&mut events);
    let switches = events.iter().filter(|(at, event)| at.as_secs_f64() < 50.0 && matches!(event, Event::Air { .. }));
    switches.map(|(at, event)| format!("{at:?} {event:?}")).collect()
}

#[test]
fn cases_and_points_of_one_replication_meet_the_same_channel_states() {
    let source = load::of_text("net".into(), PathBuf::from("net.toml"), sweep_text().as_bytes(), &Overrides::default());
    let plan = Plan::of(&source.unwrap()).unwrap_or_else(|problems| panic!("{problems:?}"));
    let cells: Vec<_> = plan.points.iter().flat_map(|point| &point.cells).collect();
    assert_eq!(cells.len(), 8);
    let mut seen: Vec<Vec<String>> = Vec::new();
    for replication in 0..3 {
        let first = air(&cells[0].network, replication);
        assert!(first.len() > 50, "{}", first.len());
        assert!(cells.iter().all(|cell| air(&cell.network, replication) == first), "replication {replication}");
        assert!(!seen.contains(&first), "replication {replication} repeats another");
        seen.push(first);
    }
}
