//! Cargo features: parts of lasthop that a build may omit.

#[cfg(not(feature = "parquet"))]
use std::io;

use scenario::problem::Problem;
use scenario::traces::{self, Trace};

/// A part of lasthop that a build may omit.
#[derive(Debug)]
pub struct Feature {
    /// The name of the Cargo feature.
    pub name: &'static str,
    /// The noun in messages.
    pub about: &'static str,
    /// Names that need the feature, each with its section of the catalogue.
    pub members: &'static [(&'static str, &'static str)],
    /// Whether this build includes the feature.
    pub is_on: bool,
}

/// Parquet files: the trace `parquet`, and the format `parquet` of exports.
pub const PARQUET: Feature = Feature {
    name: "parquet",
    about: "Parquet files",
    members: &[("traces", "parquet"), ("formats", "parquet")],
    is_on: cfg!(feature = "parquet"),
};

/// All features.
pub const FEATURES: [&Feature; 1] = [&PARQUET];

/// Returns false for a name in the catalogue that needs a feature missing in this build.
pub fn is_available(section: &str, name: &str) -> bool {
    !FEATURES.iter().any(|feature| feature.withholds(section, name))
}

/// The remedy, in one line.
const REMEDY: &str = "releases and wheels include the feature";

impl Feature {
    /// Returns the error for using the feature at the place `found` in a build without the feature; `None` if the build
    /// includes it.
    pub fn missing(&self, found: &str) -> Option<Problem> {
        let expected = format!("a build of lasthop with the feature `{}`, for {}", self.name, self.about);
        (!self.is_on).then(|| Problem::new(expected).found(found.to_owned()).hint(self.hint()))
    }

    fn withholds(&self, section: &str, name: &str) -> bool {
        !self.is_on && self.members.contains(&(section, name))
    }

    /// The error of a write that needs the feature.
    #[cfg(not(feature = "parquet"))]
    pub(crate) fn unsupported(&self) -> io::Error {
        let text = format!("this build of lasthop has no feature `{}`: {}", self.name, self.hint());
        io::Error::new(io::ErrorKind::Unsupported, text)
    }

    fn hint(&self) -> String {
        format!("`cargo install --path crates/cli --features {}` installs it; {REMEDY}", self.name)
    }
}

/// Selects traces by name, as [`traces::parse_trace_names`] does. `all` omits the traces that this build cannot write.
/// The second value is a note about the omitted traces.
///
/// # Errors
/// An unknown name, or the name of a trace that this build cannot write.
pub fn select_traces(names: &[String]) -> Result<(Vec<&'static Trace>, Option<String>), Problem> {
    let mut selected = traces::parse_trace_names(names)?;
    let is_parquet = |trace: &&Trace| trace.name == PARQUET.name;
    if PARQUET.is_on || !selected.iter().any(is_parquet) {
        return Ok((selected, None));
    }
    if names.iter().any(|name| name == PARQUET.name)
        && let Some(problem) = PARQUET.missing("parquet")
    {
        return Err(problem);
    }
    selected.retain(|trace| !is_parquet(trace));
    let note = format!("note: `all` omits the trace parquet: this build has no feature `parquet`; {}", PARQUET.hint());
    Ok((selected, Some(note)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::CATALOGUE;

    const ABSENT: Feature = Feature { name: "x", about: "X files", members: &[("formats", "x")], is_on: false };

    #[test]
    fn absent_feature_names_itself_and_the_command_that_installs_it() {
        let text = ABSENT.missing("x").map(|problem| problem.to_string()).unwrap_or_default();
        assert!(text.contains("feature `x`, for X files") && text.contains("--features x`"), "{text}");
        assert!(Feature { is_on: true, ..ABSENT }.missing("x").is_none());
    }

    #[test]
    fn disabled_feature_excludes_its_members() {
        assert!(ABSENT.withholds("formats", "x"));
        assert!(!ABSENT.withholds("formats", "y") && !ABSENT.withholds("paths", "x"));
        assert!(!Feature { is_on: true, ..ABSENT }.withholds("formats", "x"));
    }

    #[test]
    fn members_of_features_are_in_the_catalogue() {
        for (section, name) in FEATURES.iter().flat_map(|feature| feature.members) {
            let known = CATALOGUE.iter().find(|known| known.plural == *section).unwrap();
            assert!((known.members)().iter().any(|(member, _)| member == name), "{section} {name}");
            assert_eq!(is_available(section, name), PARQUET.is_on);
        }
        assert!(is_available("formats", "csv"));
    }

    #[test]
    fn traces_all_selects_every_trace_that_the_build_supports() {
        let (selected, note) = select_traces(&["all".to_owned()]).unwrap();
        assert_eq!(selected.iter().any(|trace| trace.name == "parquet"), PARQUET.is_on);
        assert_eq!(note.is_none(), PARQUET.is_on);
        assert_eq!(select_traces(&["parquet".to_owned()]).is_ok(), PARQUET.is_on);
        assert!(select_traces(&["parkuet".to_owned()]).is_err());
    }
}
