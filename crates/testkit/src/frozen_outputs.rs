//! Outputs with committed digests, which show unintended effects of a change that must not alter any output.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The folder to which the outputs are written, to compare two programs.
const FOLDER: &str = "FROZEN_OUTPUTS";

/// Outputs by name, with their digests.
#[derive(Default)]
pub struct FrozenOutputs {
    digests: BTreeMap<String, String>,
}

impl FrozenOutputs {
    /// Adds the output with this name.
    ///
    /// # Panics
    /// `FROZEN_OUTPUTS` is set, and the output cannot be written there.
    pub fn add(&mut self, name: &str, output: &str) {
        if let Some(folder) = std::env::var_os(FOLDER) {
            let path = Path::new(&folder).join(name);
            fs::create_dir_all(path.parent().unwrap_or(&path)).expect("the folder can be created");
            fs::write(&path, output).expect("the output can be written");
        }
        let mut digest = String::new();
        for byte in &Sha256::digest(output.as_bytes())[..8] {
            let _ = write!(digest, "{byte:02x}");
        }
        self.digests.insert(name.to_owned(), digest);
    }

    /// Compares the digests with those in the file. With `UPDATE_GOLDEN=1` writes the file instead.
    ///
    /// # Panics
    /// An output differs, or the names of the outputs differ from those in the file.
    pub fn assert_unchanged(&self, file: &PathBuf) {
        let found: String = self.digests.iter().map(|(name, digest)| format!("{digest} {name}\n")).collect();
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(file, &found).expect("the file can be written");
            return;
        }
        let committed = fs::read_to_string(file).unwrap_or_default();
        let changed: Vec<&str> = found
            .lines()
            .filter(|line| !committed.lines().any(|other| other == *line))
            .map(|line| &line[17..])
            .collect();
        assert!(
            found == committed,
            "these differ from {}: {changed:?}. {FOLDER}=FOLDER writes the outputs to a folder; UPDATE_GOLDEN=1 accepts them",
            file.display()
        );
    }
}
