//! A store finds a run again by its scenario and `sim::MODEL_VERSION`. So results that change without the version would
//! be mixed with others: here are the results of the examples, and the version that gives them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lab::load::{Overrides, load};
use lab::run::simulate;
use observe::summary::summary;
use sha2::{Digest, Sha256};

/// A summary's digest, by example. Neither the program's version nor the title is a result.
fn digests() -> BTreeMap<String, String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let scenarios = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let digest = |path: PathBuf| {
        let loaded = load(&path, &Overrides::default()).unwrap_or_else(|problems| panic!("{problems:?}"));
        let results = simulate(&loaded.network, &mut |_| ControlFlow::Continue(())).expect("nothing is written");
        let mut summary = summary("", &loaded.scenario, &loaded.network, &results);
        summary.as_object_mut().expect("an object").remove("lasthop");
        let hash = Sha256::digest(summary.to_string());
        (loaded.stem, hash[..8].iter().map(|byte| format!("{byte:02x}")).collect())
    };
    scenarios.map(digest).collect()
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
