//! Default output paths of commands, below `results/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine::random::hash_bytes;
use lab::load::Loaded;
use lab::result_dir::EMULATION;

use super::ScenarioArgs;

/// The directory of all results.
const RESULTS: &str = "results";

/// Files by which a result directory is recognized.
const MARKS: [&str; 2] = ["summary.json", EMULATION];

/// Path of the result with this name.
pub fn in_results(name: impl AsRef<Path>) -> PathBuf {
    Path::new(RESULTS).join(name)
}

/// Returns the name of a run, `NAME[-SCHEME][-HASH]-seedN`, so that variants of a scenario do not replace each other.
pub fn name_run(loaded: &Loaded, scenario: &ScenarioArgs) -> String {
    let scheme = scenario.scheme.as_ref().map(|scheme| format!("-{scheme}")).unwrap_or_default();
    format!("{}{scheme}{}-seed{}", loaded.stem, scenario_fingerprint(&scenario.set), loaded.network.seed)
}

/// Returns a hyphen and a hash of six digits of the changes by `--set`, in any order, without the seed; empty without
/// changes.
pub fn scenario_fingerprint(set: &[String]) -> String {
    let pairs = set.iter().filter_map(|assignment| assignment.split_once('='));
    let last: BTreeMap<&str, &str> = pairs.map(|(key, value)| (key.trim(), value.trim())).collect();
    let text: String =
        last.iter().filter(|(key, _)| **key != "seed").map(|(key, value)| format!("{key}={value}\n")).collect();
    if text.is_empty() { text } else { format_hash(&text) }
}

/// A hyphen and a hash of six digits.
fn format_hash(text: &str) -> String {
    format!("-{:06x}", hash_bytes(text.bytes()) & 0xff_ffff)
}

/// Returns the output path for `input`: in its directory, with another extension, if it lies in a result directory or
/// below `results/`, otherwise its name in `results/`. The name has a hash of the path unless the input is in the current
/// directory: inputs with one name do not replace each other's outputs.
pub fn beside_result(input: &Path, extension: &str) -> PathBuf {
    place_output(Path::new("."), input, extension)
}

/// Returns the place as [`beside_result`] does, with `here` as the current directory.
fn place_output(here: &Path, input: &Path, extension: &str) -> PathBuf {
    let resolve = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let dir = input.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_result = MARKS.iter().any(|mark| dir.join(mark).is_file());
    let dir = resolve(dir);
    if is_result || dir.starts_with(resolve(&here.join(RESULTS))) {
        return input.with_extension(extension);
    }
    let mut name = input.file_stem().unwrap_or_default().to_owned();
    let here = resolve(here);
    if dir != here {
        let path = dir.join(input.file_name().unwrap_or_default());
        name.push(format_hash(&path.strip_prefix(&here).unwrap_or(&path).to_string_lossy()));
    }
    if !extension.is_empty() {
        name.push(format!(".{extension}"));
    }
    in_results(name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A directory with inputs, as the current one.
    fn scratch() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in ["results/deep", "kept", "one", "two", "two/results"] {
            std::fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        std::fs::write(dir.path().join("kept/summary.json"), "{}").unwrap();
        dir
    }

    #[test]
    fn outputs_of_a_result_are_written_next_to_it() {
        let dir = scratch();
        for (input, output) in [
            ("results/a.sqlite", "results/a.html"),
            ("results/deep/a.pcap", "results/deep/a.html"),
            ("two/../results/a.pcap", "two/../results/a.html"),
            ("kept/a.pcap", "kept/a.html"),
        ] {
            assert_eq!(place_output(dir.path(), &dir.path().join(input), "html"), dir.path().join(output));
        }
    }

    #[test]
    fn outputs_of_an_input_in_the_current_directory_have_its_name() {
        let dir = scratch();
        for (extension, output) in [("plots", "results/a.plots"), ("", "results/a")] {
            assert_eq!(place_output(dir.path(), &dir.path().join("a.pcap"), extension), Path::new(output));
        }
        assert_eq!(place_output(Path::new("."), Path::new("a.sqlite"), "html"), Path::new("results/a.html"));
    }

    /// A directory named `results` at another place was not made by lasthop.
    #[test]
    fn outputs_of_inputs_elsewhere_have_distinct_names() {
        let dir = scratch();
        let place = |here: &str, input: &str| {
            let output = place_output(&dir.path().join(here), &dir.path().join(input), "plots");
            output.to_str().unwrap().to_owned()
        };
        let inputs = ["one/a.pcap", "two/a.pcap", "two/results/a.pcap", "two/results/a.pcapng", "no/where/a.pcap"];
        let outputs: BTreeSet<String> = inputs.iter().map(|input| place("", input)).collect();
        assert_eq!(outputs.len(), inputs.len(), "{outputs:?}");
        for output in &outputs {
            assert!(output.starts_with("results/a-") && output.ends_with(".plots"), "{output}");
            assert_eq!(output.len(), "results/a-123456.plots".len(), "{output}");
        }
        assert_eq!(place("", "two/../one/a.pcap"), place("", "one/a.pcap"));
        assert!(place("one", "a.pcap").starts_with("results/a-"));
        assert_eq!(place("one", "one/a.pcap"), "results/a.plots");
    }

    #[test]
    fn fingerprint_ignores_order_and_seed() {
        let set =
            |changes: &[&str]| scenario_fingerprint(&changes.iter().map(|&set| set.to_owned()).collect::<Vec<_>>());
        assert_eq!(set(&["a=1", "b=2", "seed=3"]), set(&["b = 2", "a=0", "a=1"]));
        assert_eq!((set(&[]).as_str(), set(&["seed=1"]).as_str(), set(&["a=1"]).len()), ("", "", 7));
    }
}
