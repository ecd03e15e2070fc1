//! A store finds a run again by its scenario and `sim::MODEL_VERSION`. So results that change without the version would
//! be mixed with others: here are the results of the examples, and the version that gives them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lab::load::{Overrides, load};
use lab::run::simulate;
use observe::event_digest::EventDigest;
use observe::summary::summary;
use sha2::{Digest, Sha256};
use sim::World;

/// The digest of an example's events, by name, and the summary's, as it was taken before: neither the program's version nor the title is a result.
fn digests() -> BTreeMap<String, [String; 2]> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let scenarios: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    let digest = |path: PathBuf| {
        let loaded = load(&path, &Overrides::default()).unwrap_or_else(|problems| panic!("{problems:?}"));
        let mut events = EventDigest::default();
        let mut world = World::new(&loaded.network, true);
        world.run(&mut events);
        let events = short(&events.finish(world.now()));
        let results = simulate(&loaded.network, &mut |_| ControlFlow::Continue(())).expect("nothing is written");
        let mut summary = summary("", &loaded.scenario, &loaded.network, &results);
        summary.as_object_mut().expect("an object").remove("lasthop");
        (loaded.stem, [events, short(&Sha256::digest(summary.to_string()))])
    };
    // Every other example on the other core.
    std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let own = scenarios.iter().skip(half).step_by(2).cloned();
            scope.spawn(move || own.map(digest).collect::<Vec<_>>())
        });
        halves.into_iter().flat_map(|half| half.join().expect("an example runs")).collect()
    })
}

fn short(hash: &[u8]) -> String {
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/model-version.txt")
}

#[test]
fn results_change_only_with_the_version_of_the_model() {
    let (mut found, mut summaries) =
        (format!("model {}\n", sim::MODEL_VERSION), format!("model {}\n", sim::MODEL_VERSION));
    for (name, [events, summary]) in digests() {
        writeln!(found, "{events} {name}").unwrap();
        writeln!(summaries, "{summary} {name}").unwrap();
    }
    // What the digests of summaries said does not change with the definition of the digest.
    let before = golden().with_file_name("summary-digests.txt");
    assert_eq!(std::fs::read_to_string(before).unwrap(), summaries);
    let kept = std::fs::read_to_string(golden()).unwrap_or_default();
    let version = |text: &str| text.lines().next().map(str::to_owned);
    let line =
        |text: &str, name: &str| text.lines().find(|line| line.ends_with(&format!(" {name}"))).map(str::to_owned);
    let names = kept.lines().skip(1).filter_map(|line| line.split_once(' ')).map(|(_, name)| name);
    let changed: Vec<&str> =
        names.filter(|name| line(&found, name).is_some_and(|now| Some(now) != line(&kept, name))).collect();
    // Not even when asked to: the version is raised by hand, once.
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
        "{} is of another version of the model, or of other examples: UPDATE_GOLDEN=1 writes it anew",
        golden().display()
    );
}
