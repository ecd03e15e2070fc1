//! Look-ups by name in a scenario that is being checked: what names a node or a medium, and what a wrong name may have meant.

use std::collections::HashMap;

use crate::model::{Link, Scenario};
use crate::problem::Problem;

/// Suggestions for this many different wrong names: each is compared with all names that there are.
const MAX_SUGGESTIONS: usize = 20;

/// The links of a scenario by what they name, in the order of the text.
pub(super) struct Names<'a> {
    by_end: HashMap<&'a str, Vec<&'a Link>>,
    by_medium: HashMap<&'a str, Vec<&'a Link>>,
    /// Whether every medium that a link names exists.
    pub(super) media_exist: bool,
    suggestions: HashMap<String, Option<String>>,
}

impl<'a> Names<'a> {
    /// Of a scenario.
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
        Names { by_end, by_medium, media_exist, suggestions: HashMap::new() }
    }

    /// The links with an end at the node called `name`.
    pub(super) fn links_at(&self, name: &str) -> Vec<&'a Link> {
        self.by_end.get(name).cloned().unwrap_or_default()
    }

    /// The links in the medium called `name`.
    pub(super) fn links_in(&self, name: &str) -> Vec<&'a Link> {
        self.by_medium.get(name).cloned().unwrap_or_default()
    }

    /// `problem`, about the wrong name `name`, with a hint which of `known` it may have meant. The same name has the same hint,
    /// so that copies have the same problem.
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
