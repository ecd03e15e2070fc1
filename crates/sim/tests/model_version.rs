//! A store finds a run by its scenario and `sim::MODEL_VERSION`. If results changed without a new version, stores would
//! mix old and new results. Therefore this test pins the results of the examples and the version that gives them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use scenario::Overrides;
use sim::World;
use testkit::{EventDigest, example_paths, load_example};

/// The digest of an example's events, by name.
fn digests() -> BTreeMap<String, String> {
    let scenarios = example_paths();
    let digest = |path: PathBuf| {
        let loaded = load_example(&path, &Overrides::default());
        let mut events = EventDigest::default();
        let mut world = World::new(&loaded.network, true);
        world.run(&mut events);
        let hash = events.finish(world.now());
        (loaded.stem, hash[..8].iter().map(|byte| format!("{byte:02x}")).collect())
    };
    // Every second example, on another core.
    std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let own = scenarios.iter().skip(half).step_by(2).cloned();
            scope.spawn(move || own.map(digest).collect::<Vec<_>>())
        });
        halves.into_iter().flat_map(|half| half.join().expect("an example runs")).collect()
    })
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/model-version.txt")
}

#[test]
fn results_change_only_with_the_version_of_the_model() {
    let mut found = format!("model {}\n", sim::MODEL_VERSION);
    for (name, digest) in digests() {
        writeln!(found, "{digest} {name}").unwrap();
    }
    let kept = std::fs::read_to_string(golden()).unwrap_or_default();
    let version = |text: &str| text.lines().next().map(str::to_owned);
    let line =
        |text: &str, name: &str| text.lines().find(|line| line.ends_with(&format!(" {name}"))).map(str::to_owned);
    let names = kept.lines().skip(1).filter_map(|line| line.split_once(' ')).map(|(_, name)| name);
    let changed: Vec<&str> =
        names.filter(|name| line(&found, name).is_some_and(|now| Some(now) != line(&kept, name))).collect();
    // The version is not rewritten even on request, because it must be raised by hand, once.
    assert!(
        changed.is_empty() || version(&kept) != version(&found),
        "the results of {} changed. If that is meant, raise MODEL_VERSION in crates/sim/src/lib.rs, so that stores do not \
         take old results for new ones, and run this test with UPDATE_GOLDEN=1. If an example was changed, and not the \
         model, take its line out of {} and do the same",
        changed.join(", "),
        golden().display()
    );
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden(), &found).unwrap();
        return;
    }
    assert!(
        kept == found,
        "{} is of another version of the model, or of other examples: UPDATE_GOLDEN=1 rewrites it",
        golden().display()
    );
}
