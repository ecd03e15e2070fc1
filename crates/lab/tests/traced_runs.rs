//! Packets of runs without traces take a shorter way through a node, and segments are predicted: results are the same.

use std::path::{Path, PathBuf};

use engine::Time;
use lab::load::{Overrides, load};
use sim::event::{Event, NullSink, Sink};
use sim::{Network, World};

/// A sink that makes all events and keeps none.
struct Watching;

impl Sink for Watching {
    const ACTIVE: bool = true;
    fn event(&mut self, _: Time, _: &Event) {}
}

/// The results of a run, as text.
fn results<S: Sink>(network: &Network, sink: &mut S) -> String {
    let mut world = World::new(network, S::ACTIVE);
    world.run(sink);
    format!("{:#?}", world.results())
}

#[test]
fn examples_have_the_same_results_with_and_without_events() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let scenarios: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    assert!(scenarios.len() > 40);
    // Every other example on the second core.
    std::thread::scope(|scope| {
        for half in 0..2 {
            let own = scenarios.iter().skip(half).step_by(2);
            scope.spawn(move || {
                for path in own {
                    let loaded = load(path, &Overrides::default()).unwrap_or_else(|problems| panic!("{problems:?}"));
                    let [with, without] =
                        [results(&loaded.network, &mut Watching), results(&loaded.network, &mut NullSink)];
                    let differs = with.lines().zip(without.lines()).find(|(with, without)| with != without);
                    assert!(with == without, "{}: with and without events: {differs:?}", path.display());
                }
            });
        }
    });
}
