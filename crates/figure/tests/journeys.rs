//! The way of packets against the counters of a run.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::Time;
use figure::{Figure, record_journeys};
use observe::run::{Titled, simulate_network};
use scenario::load::Loaded;
use scenario::{MemoryFiles, Overrides, Source};
use serde_json::Value;

/// More rows than any of the examples here needs.
const ALL: usize = 10_000_000;

fn loaded(name: &str) -> Loaded {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let text = std::fs::read(examples.join(name)).unwrap();
    let mut files = MemoryFiles::default();
    for file in ["walk.csv", "cellular-down.trace"] {
        files.files.insert(Path::new("").join(file), std::fs::read(examples.join(file)).unwrap());
    }
    let files: Rc<MemoryFiles> = Rc::new(files);
    let source = Source::of_text(files, "example".into(), PathBuf::from(name), &text, &Overrides::default()).unwrap();
    source.resolve(&source.document).unwrap()
}

fn figure_of(loaded: &Loaded, interval: [f64; 2], max_entries: usize) -> Figure {
    let titled = Titled { title: loaded.title(), scenario: &loaded.scenario, network: &loaded.network };
    record_journeys(titled, interval, max_entries, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// The rows of a column.
fn rows<'a>(figure: &'a Figure, column: &Value) -> Vec<&'a [f64]> {
    let number = |key: &str| column[key].as_u64().unwrap() as usize;
    figure.columns[number("column")].chunks(number("width")).collect()
}

fn packets(figure: &Figure) -> Vec<&[f64]> {
    rows(figure, &figure.head["packets"])
}

/// Examples with FIFO links, retransmission on the link, aggregates, a cell with hidden stations, FQ-CoDel, a link whose
/// rate varies, Snoop, and handovers.
const EXAMPLES: [&str; 10] = [
    "goel-refined.toml",
    "link-retransmission.toml",
    "selective-repeat.toml",
    "aggregation.toml",
    "hidden-terminals.toml",
    "bufferbloat.toml",
    "cellular.toml",
    "snoop.toml",
    "handover.toml",
    "two-mobiles.toml",
];

#[test]
fn packets_agree_with_the_counters_of_all_links() {
    for name in EXAMPLES {
        let loaded = loaded(name);
        let results = simulate_network(&loaded.network, &mut |_| ControlFlow::Continue(())).unwrap();
        let figure = figure_of(&loaded, [0.0, f64::INFINITY], ALL);
        let mut found: BTreeMap<(usize, u8), u64> = BTreeMap::new();
        for row in packets(&figure) {
            *found.entry((row[0] as usize, row[9] as u8)).or_default() += 1;
        }
        for (link, result) in results.links.iter().enumerate() {
            for (direction, counters) in result.directions.iter().enumerate() {
                let of = |outcome: u8| found.get(&(2 * link + direction, outcome)).copied().unwrap_or(0);
                let place = format!("{name}, link {link}, direction {direction}");
                assert_eq!(of(0), counters.packets_delivered, "{place}: arrived");
                assert_eq!(of(2), counters.queue_full, "{place}: queue full");
                assert_eq!(of(1) + of(2) + of(3) + of(4), counters.packets_dropped, "{place}: dropped");
            }
        }
    }
}

#[test]
fn packets_still_on_the_path_equal_the_contents_of_queues_and_links() {
    for name in EXAMPLES {
        let loaded = loaded(name);
        let figure = figure_of(&loaded, [0.0, f64::INFINITY], ALL);
        let mut world = sim::World::new(&loaded.network, false);
        world.run(&mut sim::NullSink);
        for link in (0..loaded.network.links.len()).map(sim::LinkId::from_index) {
            for hop in link.hops() {
                let there = |row: &&&[f64]| row[0] as u32 == hop.number() && row[9] == 5.0;
                let there = packets(&figure).iter().filter(there).count();
                let state = world.hop_state(hop.id());
                let place = format!("{name}, {:?}", hop.id());
                // A link layer also holds packets that have arrived and wait for their acknowledgment.
                assert!(
                    (state.waiting..=state.waiting + state.outstanding).contains(&there),
                    "{place}: {there}, {state:?}"
                );
            }
        }
    }
}

#[test]
fn times_of_a_packet_are_in_order() {
    for name in EXAMPLES {
        let figure = figure_of(&loaded(name), [0.0, f64::INFINITY], ALL);
        for row in packets(&figure) {
            assert!(row[5] <= row[6] && row[6] <= row[7] && row[7] <= row[8], "{name}: {row:?}");
        }
    }
}

#[test]
fn interval_has_the_rows_of_the_whole_run_that_overlap_it() {
    for name in EXAMPLES {
        let loaded = loaded(name);
        let whole = figure_of(&loaded, [0.0, f64::INFINITY], ALL);
        let ended = whole.head["ended"].as_f64().unwrap();
        let [from, to] = [0.4, 0.55].map(|share| share * ended);
        let part = figure_of(&loaded, [from, to], ALL);
        assert_eq!(part.head["overflowed"], false);
        for (key, begin, end) in [("packets", 5, 8), ("frames", 4, 5), ("stops", 5, 5), ("bad", 1, 2)] {
            let overlaps = |row: &&&[f64]| row[begin] <= to && row[end] >= from;
            let all = rows(&whole, &whole.head[key]);
            let expected: Vec<String> = all.iter().filter(overlaps).map(|row| format!("{row:?}")).collect();
            let found = rows(&part, &part.head[key]);
            assert!(found.iter().all(|row| row[begin] <= to && row[end] >= from), "{name}, {key}");
            // Packets that wait long are not followed to their end.
            let settled = |row: &&&[f64]| row[end].is_finite();
            if !found.iter().all(|row| settled(&row)) {
                assert_eq!(found.len(), expected.len(), "{name}, {key}");
                continue;
            }
            let found: Vec<String> = found.iter().map(|row| format!("{row:?}")).collect();
            assert_eq!(found, expected, "{name}, {key}");
        }
    }
}

#[test]
fn too_many_entries_end_the_interval_early() {
    let loaded = loaded("bufferbloat.toml");
    let figure = figure_of(&loaded, [0.0, f64::INFINITY], 3_000);
    let to = figure.head["to"].as_f64().unwrap();
    assert_eq!(figure.head["overflowed"], true);
    let found = packets(&figure);
    assert!((2_000..12_000).contains(&found.len()), "{}", found.len());
    assert!(found.iter().all(|row| row[5] <= to));
    // Up to there nothing is missing.
    let whole = figure_of(&loaded, [0.0, f64::INFINITY], ALL);
    let expected = packets(&whole).iter().filter(|row| row[5] <= to).count();
    assert_eq!(found.len(), expected);
}

#[test]
fn frames_of_a_link_layer_agree_with_its_counters() {
    for name in ["link-retransmission.toml", "selective-repeat.toml"] {
        let loaded = loaded(name);
        let results = simulate_network(&loaded.network, &mut |_| ControlFlow::Continue(())).unwrap();
        let figure = figure_of(&loaded, [0.0, f64::INFINITY], ALL);
        let frames = rows(&figure, &figure.head["frames"]);
        let (mut sent, mut corrupted) = (0, 0);
        for (link, result) in results.links.iter().enumerate() {
            for (direction, counters) in result.directions.iter().enumerate() {
                if figure.head["links"][link]["frames"][direction] == true {
                    sent += counters.frames_sent as usize;
                    corrupted += counters.frames_corrupted as usize;
                }
            }
        }
        assert!(corrupted > 0 && sent > corrupted);
        assert_eq!(frames.len(), sent, "{name}");
        assert_eq!(frames.iter().filter(|row| row[7] == 1.0).count(), corrupted, "{name}");
        assert!(frames.iter().any(|row| row[6] > 1.0), "{name}: no retransmission");
    }
}

#[test]
fn frames_and_back_offs_of_a_cell_agree_with_its_counters() {
    let loaded = loaded("hidden-terminals.toml");
    let results = simulate_network(&loaded.network, &mut |_| ControlFlow::Continue(())).unwrap();
    let figure = figure_of(&loaded, [0.0, f64::INFINITY], ALL);
    let cell = &figure.head["cells"][0];
    let frames = rows(&figure, &cell["frames"]);
    let of = |pick: fn(&path::link::HopCounters) -> u64| -> u64 {
        let in_medium = |(number, _): &(usize, _)| loaded.network.links[*number].medium.is_some();
        let links = results.links.iter().enumerate().filter(in_medium);
        links.flat_map(|(_, link)| &link.directions).map(pick).sum()
    };
    let data: Vec<_> = frames.iter().filter(|row| row[2] == 0.0 && row[5] >= 0.0).collect();
    let sent = of(|counters| counters.frames_sent) as usize;
    assert!(data.len().abs_diff(sent) <= 1, "{} of {sent} frames", data.len());
    let collided = data.iter().filter(|row| row[5] == 1.0).count();
    assert_eq!(collided as u64, of(|counters| counters.frames_collided));
    assert!(collided > 0);
    assert!(data.iter().all(|row| row[9] >= 0.0), "a data frame carries a packet of a flow");
    let back_offs = rows(&figure, &cell["back_offs"]);
    assert!(back_offs.len() > 100);
    assert!(back_offs.iter().all(|row| row[4] >= row[3] && row[4] <= row[5]), "slots left are those drawn at most");
}

#[test]
fn positions_equal_those_of_the_simulator() {
    for name in ["handover.toml", "walk-away.toml"] {
        let loaded = loaded(name);
        let figure = figure_of(&loaded, [0.0, 1.0], ALL);
        let map = &figure.head["map"];
        let corners = rows(&figure, &map["corners"]);
        assert_eq!(map["moves"], true, "{name}");
        for (number, node) in loaded.network.nodes.iter().enumerate() {
            let Some(path) = &node.place else { continue };
            let of_node: Vec<_> = corners.iter().filter(|row| row[0] as usize == number).collect();
            let mut compared = 0;
            for pair in of_node.windows(2) {
                for share in [0.0, 0.3, 1.0] {
                    let at = pair[0][1] + (pair[1][1] - pair[0][1]) * share;
                    let place = path.at(Time::from_nanos((at * 1e9) as u64)).map(|part| part as f64 / 1e9);
                    for axis in [0, 1] {
                        let drawn = pair[0][2 + axis] + (pair[1][2 + axis] - pair[0][2 + axis]) * share;
                        assert!((drawn - place[axis]).abs() < 1e-3, "{name}: {drawn} m, {} m", place[axis]);
                    }
                    compared += 1;
                }
            }
            assert!(compared > 0 || !path.moves(), "{name}");
        }
    }
}

#[test]
fn associations_and_ranges_equal_the_scenario() {
    let figure = figure_of(&loaded("handover.toml"), [0.0, f64::INFINITY], ALL);
    let associations = rows(&figure, &figure.head["associations"]);
    assert!(associations.len() > 1);
    assert!(associations.windows(2).all(|pair| pair[0][3] <= pair[1][2]), "one at a time");
    let ranges = figure.head["map"]["ranges"].as_array().unwrap();
    assert!(ranges.iter().all(|ranges| ranges["sensed"].as_f64() >= ranges["received"].as_f64()));
    assert!(!ranges.is_empty());
}

#[test]
fn snoop_cache_samples_stay_within_the_counted_maximum() {
    let loaded = loaded("snoop.toml");
    let results = simulate_network(&loaded.network, &mut |_| ControlFlow::Continue(())).unwrap();
    let figure = figure_of(&loaded, [0.0, f64::INFINITY], ALL);
    let samples = rows(&figure, &figure.head["scheme_state"]);
    let most = samples.iter().map(|row| row[2]).fold(0.0, f64::max);
    let counted = results.agents.iter().flatten().filter(|(name, _)| *name == "state_bytes_most");
    let counted = counted.map(|(_, bytes)| *bytes).max().unwrap() as f64;
    assert!(most > 0.5 * counted && most <= counted, "{most} of {counted} bytes");
}
