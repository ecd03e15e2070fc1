//! In runs without traces packets use shorter code in nodes, and header prediction applies. Results and delays equal
//! those of runs with traces.

use std::path::Path;

use engine::Time;
use scenario::Overrides;
use sim::event::{Event, NullSink, Sink};
use sim::{Network, World};
use testkit::{example_paths, load_example};

/// A sink that receives all events, or those that concern no packet at a node, on a link or in a medium; counts the
/// latter.
#[derive(Default)]
struct Watching<const PACKETS: bool> {
    others: u64,
    /// Sum of their times, modulo 2^64.
    times: u64,
}

impl<const PACKETS: bool> Sink for Watching<PACKETS> {
    const ACTIVE: bool = true;
    const NEEDS_PACKETS: bool = PACKETS;

    fn event(&mut self, at: Time, event: &Event) {
        if !matches!(event, Event::Node { .. } | Event::Link { .. } | Event::Medium { .. }) {
            self.others += 1;
            self.times = self.times.wrapping_add(at.as_nanos());
        }
    }
}

/// The results of a run and its delays, if they are measured, as text.
fn results<S: Sink>(network: &Network, sink: &mut S, delays: bool) -> [String; 2] {
    let mut world = World::new(network, S::ACTIVE);
    if delays {
        world.measure_delays(network);
    }
    world.run(sink);
    [format!("{:#?}", world.results()), format!("{:#?}", world.delays())]
}

#[track_caller]
fn same(what: &str, path: &Path, [one, other]: [&str; 2]) {
    let differs = one.lines().zip(other.lines()).find(|(one, other)| one != other);
    assert!(one == other, "{}: {what}: {differs:?}", path.display());
}

#[test]
fn examples_have_the_same_results_and_delays_with_and_without_events() {
    let scenarios = example_paths();
    assert!(scenarios.len() > 40);
    // Every second example, on another core.
    std::thread::scope(|scope| {
        for half in 0..2 {
            let own = scenarios.iter().skip(half).step_by(2);
            scope.spawn(move || {
                for path in own {
                    let loaded = load_example(path, &Overrides::default());
                    let (mut all, mut some) = (Watching::<true>::default(), Watching::<false>::default());
                    let [with, delays] = results(&loaded.network, &mut all, true);
                    let [partly, _] = results(&loaded.network, &mut some, false);
                    let [timed, timed_delays] = results(&loaded.network, &mut NullSink, true);
                    let [without, _] = results(&loaded.network, &mut NullSink, false);
                    same("results with events and without", path, [&with, &without]);
                    same("results with some events and without", path, [&partly, &without]);
                    assert_eq!([all.others, all.times], [some.others, some.times], "{}", path.display());
                    same("results with delays and without", path, [&timed, &without]);
                    same("delays with events and without", path, [&delays, &timed_delays]);
                }
            });
        }
    });
}
