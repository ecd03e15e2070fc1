//! Look-ups by name in a checked scenario, with suggestions for unknown names.

use std::collections::HashMap;

use crate::model::{Link, Scenario};
use crate::problem::Problem;

/// Maximum number of different unknown names with suggestions: each is compared with all known names.
const MAX_SUGGESTIONS: usize = 20;

/// The links of a scenario by node and medium, in the order of the text.
pub(super) struct NameIndex<'a> {
    by_end: HashMap<&'a str, Vec<&'a Link>>,
    by_medium: HashMap<&'a str, Vec<&'a Link>>,
    /// Whether all media named by links exist.
    pub(super) media_exist: bool,
    suggestions: HashMap<String, Option<String>>,
}

impl<'a> NameIndex<'a> {
    /// Creates the index of a scenario.
    pub(super) fn new(scenario: &'a Scenario) -> Self {
        let (mut by_end, mut by_medium): (HashMap<_, Vec<_>>, HashMap<_, Vec<_>>) = Default::default();
        for link in scenario.links.values() {
            let [a, b] = link.between.each_ref().map(String::as_str);
            by_end.entry(a).or_default().push(link);
            if a != b {
                by_end.entry(b).or_default().push(link);
            }
            if let Some(medium) = &link.medium {
                by_medium.entry(medium.as_str()).or_default().push(link);
            }
        }
        let media_exist = by_medium.keys().all(|name| scenario.media.contains_key(*name));
        NameIndex { by_end, by_medium, media_exist, suggestions: HashMap::new() }
    }

    /// The links with an end at the node called `name`.
    pub(super) fn links_at(&self, name: &str) -> Vec<&'a Link> {
        self.by_end.get(name).cloned().unwrap_or_default()
    }

    /// The links in the medium called `name`.
    pub(super) fn links_in(&self, name: &str) -> Vec<&'a Link> {
        self.by_medium.get(name).cloned().unwrap_or_default()
    }

    /// Adds a hint to `problem`, which concerns the unknown name `name`: the name in `known` that is probably meant.
    /// Equal names get equal hints, so that copies have equal problems.
    pub(super) fn suggest<'k>(
        &mut self,
        problem: Problem,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Problem {
        let hint = match self.suggestions.get(name) {
            Some(hint) => hint.clone(),
            None if self.suggestions.len() >= MAX_SUGGESTIONS => None,
            None => {
                let hint = Problem::default().nearest(name, known).hint;
                self.suggestions.insert(name.to_owned(), hint.clone());
                hint
            }
        };
        Problem { hint, ..problem }
    }
}
