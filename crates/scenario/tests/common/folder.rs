//! A scenario and files next to it, in memory.

use std::path::Path;
use std::rc::Rc;

use scenario::load::load_scenario;
use scenario::problem::Problem;
use scenario::{Loaded, MemoryFiles, Overrides};

/// A folder with a scenario.
pub struct ScenarioFolder {
    scenario: &'static str,
    files: MemoryFiles,
}

impl ScenarioFolder {
    /// Creates the folder, named after its scenario, with files by name.
    pub fn new(scenario: &'static str, files: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Self {
        let files = files.into_iter().map(|(name, contents)| (name.into(), contents)).collect();
        ScenarioFolder { scenario, files: MemoryFiles { files, ..MemoryFiles::default() } }
    }

    /// Copies an example and its files.
    pub fn of_example(scenario: &'static str, files: &[&'static str]) -> Self {
        let copy = |name: &&'static str| (*name, std::fs::read(testkit::example_path(name)).expect("a file"));
        ScenarioFolder::new(scenario, files.iter().chain([&scenario]).map(copy))
    }

    /// Writes a file, or replaces it.
    pub fn write(&mut self, name: &str, contents: impl Into<Vec<u8>>) {
        self.files.files.insert(name.into(), contents.into());
    }

    /// Removes a file.
    pub fn remove(&mut self, name: &str) {
        assert!(self.files.files.remove(Path::new(name)).is_some(), "{name} is not there");
    }

    /// Returns the contents of a file.
    pub fn read(&self, name: &str) -> &[u8] {
        &self.files.files[Path::new(name)]
    }

    /// Loads the scenario with assignments.
    pub fn load(&self, set: &[&str]) -> Result<Loaded, Vec<Problem>> {
        let set = set.iter().map(|assignment| (*assignment).to_owned()).collect();
        load_scenario(Rc::new(self.files.clone()), Path::new(self.scenario), &Overrides { set, ..Overrides::default() })
    }
}
