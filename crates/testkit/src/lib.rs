//! Helpers that tests of several crates share: from the text of a scenario to its network and its run.
//!
//! A crate on which this one depends, such as `sim`, may use it for tests in `tests/`, but not for tests in `src/`:
//! there the types of the crate differ from the types that this crate returns.
//!
//! ```
//! let network = testkit::build_network(&testkit::wire_text("8 Mbps", "10 ms", "bytes = \"100 kB\""));
//! assert_eq!(testkit::run_network(&network).flows[0].bytes_delivered, 100_000);
//! ```

mod capture_at_node;
mod event_digest;
mod examples;
mod frozen_outputs;
mod observed_cases;
mod texts;

use engine::Time;
use scenario::{Checked, Document, Scenario, check};
use sim::{Event, Network, NullSink, Results, Sink, World};

pub use capture_at_node::CaptureAtNode;
pub use event_digest::EventDigest;
pub use examples::{example_path, example_paths, load_example, open_example};
pub use frozen_outputs::FrozenOutputs;
pub use observed_cases::{ObservedCase, constructed_cases, shortened_examples};
pub use texts::{COUNTED_CELL, FADING_PATH, LINK_LAYERS, TO_MOBILE, last_hop_text, thesis_text, wire_text};

/// Reads a scenario without checking it.
///
/// # Panics
/// The scenario has a problem.
pub fn read_scenario(text: &str) -> Scenario {
    let document = Document::parse("test.toml", text.as_bytes()).unwrap_or_else(|p| panic!("{p}"));
    document.read().unwrap_or_else(|p| panic!("{p:?}"))
}

/// Builds the network of a scenario.
///
/// # Panics
/// The scenario has a problem.
pub fn build_network(text: &str) -> Network {
    let checked = check(&read_scenario(text));
    let Checked { network, .. } = checked.unwrap_or_else(|problems| panic!("{problems:?}"));
    network
}

/// Runs a network to its end, without a sink.
pub fn run_network(network: &Network) -> Results {
    let mut world = World::new(network, false);
    world.run(&mut NullSink);
    world.results()
}

/// Runs a network to its end and passes every event to `sink`.
pub fn run_with_sink(network: &Network, sink: &mut impl Sink) -> Results {
    let mut world = World::new(network, true);
    world.run(sink);
    world.results()
}

/// Runs a network to its end and collects every event.
pub fn record_events(network: &Network) -> (Results, Vec<(Time, Event)>) {
    let mut events = Vec::new();
    let results = run_with_sink(network, &mut events);
    (results, events)
}

/// Converts a time to milliseconds.
///
/// # Panics
/// The time has a fraction of a millisecond.
pub fn whole_millis(at: Time) -> u64 {
    assert_eq!(at.as_nanos() % 1_000_000, 0, "{at:?} is not a whole millisecond");
    at.as_nanos() / 1_000_000
}
