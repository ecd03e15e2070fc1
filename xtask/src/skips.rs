//! Skipped tests, and the permitted skips.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace;

/// List of tests that may be skipped, with the reasons.
const ALLOWED: &str = include_str!("../allowed-skips.txt");

/// The skipped tests of a lane.
pub struct Skips {
    directory: PathBuf,
}

impl Skips {
    /// Records skips in `directory`, which is emptied.
    pub fn in_directory(directory: PathBuf) -> Result<Self, String> {
        if directory.exists() {
            fs::remove_dir_all(&directory).map_err(|error| unreadable_record(&directory, &error))?;
        }
        Ok(Skips { directory })
    }

    /// Makes the tests that `command` runs record their skips.
    pub fn record<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env(skip::DIRECTORY, &self.directory)
    }

    /// Returns `NAME: REASON` of each skipped test.
    pub fn read_skips(&self) -> Result<BTreeSet<String>, String> {
        let mut lines = BTreeSet::new();
        if !self.directory.exists() {
            return Ok(lines);
        }
        for entry in
            fs::read_dir(&self.directory).map_err(|error| unreadable_record(&self.directory, &error))?.flatten()
        {
            let text = fs::read_to_string(entry.path()).map_err(|error| unreadable_record(&entry.path(), &error))?;
            lines.extend(text.lines().map(str::to_owned));
        }
        Ok(lines)
    }
}

fn unreadable_record(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Returns the names in a list of allowed skips, with the reasons.
fn parse_allowed(list: &str) -> Result<BTreeMap<&str, &str>, String> {
    let lines = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let entry = line.split_once(": ").map(|(name, reason)| (name.trim(), reason.trim()));
            entry
                .filter(|(_, reason)| !reason.is_empty())
                .ok_or_else(|| format!("allowed-skips.txt: expected a reason after the name: {line}"))
        })
        .collect()
}

/// Refuses skips that xtask/allowed-skips.txt does not list.
///
/// # Errors
/// The forbidden skips, by name.
pub fn refuse_unlisted(skipped: &[String]) -> Result<(), String> {
    check_skips(&skipped.iter().cloned().collect(), &parse_allowed(ALLOWED)?)
}

/// Returns an error that names every skipped test that is not allowed.
fn check_skips(skipped: &BTreeSet<String>, allowed: &BTreeMap<&str, &str>) -> Result<(), String> {
    let name = |line: &str| line.split_once(": ").map_or(line, |(name, _)| name).to_owned();
    let others: Vec<&str> =
        skipped.iter().filter(|line| !allowed.contains_key(name(line).as_str())).map(String::as_str).collect();
    if others.is_empty() {
        return Ok(());
    }
    Err(format!("tests were skipped that xtask/allowed-skips.txt does not allow:\n  {}", others.join("\n  ")))
}

/// Returns the directory in which skipped tests are recorded.
pub fn skips_directory() -> PathBuf {
    workspace::target_folder().join("tmp").join("skipped-tests")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::list_files;

    #[test]
    fn list_is_parsed_with_its_reasons() {
        assert_eq!(parse_allowed("# x\n\na::b: no root: 1\n").unwrap(), BTreeMap::from([("a::b", "no root: 1")]));
        assert!(parse_allowed("a::b").unwrap_err().ends_with("expected a reason after the name: a::b"));
        assert!(parse_allowed("a::b: ").is_err());
    }

    #[test]
    fn skip_outside_of_the_list_is_refused() {
        let skipped = BTreeSet::from(["a::b: no root".to_owned(), "c::d: no tshark".to_owned()]);
        let both = BTreeMap::from([("a::b", "x"), ("c::d", "y")]);
        assert_eq!(check_skips(&skipped, &both), Ok(()));
        let error = check_skips(&skipped, &BTreeMap::from([("a::b", "x")])).unwrap_err();
        assert!(error.ends_with("does not allow:\n  c::d: no tshark"), "{error}");
    }

    /// Shell commands replace tests. One command records skips from two processes, and the next one records none.
    #[cfg(unix)]
    #[test]
    fn skips_of_all_processes_are_read_and_earlier_ones_removed() {
        let run = |script: &str| {
            let skips = Skips::in_directory(workspace::target_folder().join("tmp").join("skipped-no-tests")).unwrap();
            let mut command = Command::new("sh");
            assert!(skips.record(command.args(["-c", script])).status().unwrap().success());
            skips.read_skips().unwrap()
        };
        let noted = run("mkdir -p $LASTHOP_SKIPS; echo 'a: 1' > $LASTHOP_SKIPS/7; echo 'b: 2' > $LASTHOP_SKIPS/8");
        assert_eq!(noted, BTreeSet::from(["a: 1".to_owned(), "b: 2".to_owned()]));
        assert_eq!(run("true"), BTreeSet::new());
    }

    /// An entry for a removed test would permit a new test of the same name to be skipped.
    #[test]
    fn every_test_in_the_list_exists() {
        let folders = ["crates", "xtask/src"].map(|name| list_files(&workspace::root_folder().join(name)).unwrap());
        let files = folders.concat().into_iter().filter(|path| path.extension() == Some("rs".as_ref()));
        let sources: String = files.map(|path| fs::read_to_string(path).unwrap()).collect();
        for name in parse_allowed(ALLOWED).unwrap().keys() {
            let function = name.rsplit("::").next().unwrap();
            assert!(sources.contains(&format!("fn {function}()")), "{name} is in the list, but no such test exists");
        }
    }
}
