//! Where commands write without --out: below `results/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine::random::hash;
use lab::load::Loaded;
use lab::result_dir::EMULATION;

use super::ScenarioArgs;

/// The directory of all results.
const RESULTS: &str = "results";

/// Files by which a result directory is recognized.
const MARKS: [&str; 2] = ["summary.json", EMULATION];

/// The path of a result with this name.
pub fn in_results(name: impl AsRef<Path>) -> PathBuf {
    Path::new(RESULTS).join(name)
}

/// The name of a run, `NAME[-SCHEME][-HASH]-seedN`: variants of a scenario do not replace each other.
pub fn name_run(loaded: &Loaded, scenario: &ScenarioArgs) -> String {
    let scheme = scenario.scheme.as_ref().map(|scheme| format!("-{scheme}")).unwrap_or_default();
    format!("{}{scheme}{}-seed{}", loaded.stem, scenario_fingerprint(&scenario.set), loaded.network.seed)
}

/// A hyphen and a hash of six digits of the changes by `--set`, in any order, without the seed; nothing without changes.
pub fn scenario_fingerprint(set: &[String]) -> String {
    let pairs = set.iter().filter_map(|assignment| assignment.split_once('='));
    let last: BTreeMap<&str, &str> = pairs.map(|(key, value)| (key.trim(), value.trim())).collect();
    let text: String =
        last.iter().filter(|(key, _)| **key != "seed").map(|(key, value)| format!("{key}={value}\n")).collect();
    if text.is_empty() { text } else { format!("-{:06x}", hash(text.bytes()) & 0xff_ffff) }
}

/// The place of what is made of an input, of which `sibling` is the path beside it: there if the input is in a result
/// directory or below `results/`, otherwise in `results/`.
pub fn beside_result(sibling: PathBuf) -> PathBuf {
    let dir = sibling.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_result = MARKS.iter().any(|mark| dir.join(mark).is_file());
    let is_below = dir.canonicalize().is_ok_and(|dir| dir.components().any(|part| part.as_os_str() == RESULTS));
    match sibling.file_name() {
        Some(name) if !is_result && !is_below => in_results(name),
        _ => sibling,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_inputs_elsewhere_go_to_results() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["results/deep", "kept", "other"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        std::fs::write(at("kept/summary.json"), "{}").unwrap();
        for beside in ["results/a.html", "results/deep/a.plots", "kept/a.plots"] {
            assert_eq!(beside_result(at(beside)), at(beside));
        }
        for elsewhere in ["other/a.plots", "a.plots", "no/where/a.plots"] {
            assert_eq!(beside_result(at(elsewhere)), Path::new("results/a.plots"), "{elsewhere}");
        }
    }

    #[test]
    fn fingerprint_ignores_order_and_seed() {
        let set =
            |changes: &[&str]| scenario_fingerprint(&changes.iter().map(|&set| set.to_owned()).collect::<Vec<_>>());
        assert_eq!(set(&["a=1", "b=2", "seed=3"]), set(&["b = 2", "a=0", "a=1"]));
        assert_eq!((set(&[]).as_str(), set(&["seed=1"]).as_str(), set(&["a=1"]).len()), ("", "", 7));
    }
}
