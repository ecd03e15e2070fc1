//! Variants to show side by side when a scenario is opened.

use serde::Serialize;
use toml::Table;

use crate::Document;
use crate::axes::{Case, parse_cases};
use crate::tree::Value;

/// Maximum number of variants side by side.
const MOST: usize = 4;

/// A scheme without effect.
const PLAIN: &str = "unmodified";

/// A variant of a scenario.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its changes `KEY=VALUE`.
    pub changes: Vec<String>,
    /// The scheme of all nodes.
    #[cfg_attr(feature = "ts", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
}

/// Lists the cases that the sweep compares, if there are several. Otherwise lists the scenario as written and, if it
/// has a scheme, the scenario without the scheme.
pub fn list_variants(document: &Document) -> Vec<Variant> {
    let tree = document.tree();
    let compare = tree.at("sweep.compare").map(Value::to_toml);
    let compare: Table = compare.and_then(|compare| compare.as_table().cloned()).unwrap_or_default();
    let cases = parse_cases(&compare, &[]).unwrap_or_default();
    if cases.len() > 1 {
        return cases.into_iter().take(MOST).map(of_case).collect();
    }
    let written = Variant { name: "as written".to_owned(), changes: Vec::new(), scheme: None };
    if !has_scheme(tree) {
        return vec![written];
    }
    let plain = Variant { name: PLAIN.to_owned(), changes: Vec::new(), scheme: Some(PLAIN.to_owned()) };
    vec![written, plain]
}

fn of_case(case: Case) -> Variant {
    let changes = case.changes.into_iter().map(|(key, value)| format!("{key}={value}"));
    Variant { name: case.name, changes: changes.collect(), scheme: None }
}

/// Whether any node has a scheme that changes something.
fn has_scheme(tree: &Value) -> bool {
    let nodes = tree.at("nodes").and_then(Value::as_table).into_iter().flatten();
    let of_nodes = nodes.filter_map(|(_, node)| node.at("scheme"));
    let name = |scheme: &Value| {
        let name = scheme.at(engine::tagged::KIND).unwrap_or(scheme).to_toml();
        name.as_str().map(str::to_owned)
    };
    tree.at("scheme").into_iter().chain(of_nodes).filter_map(name).any(|name| name != PLAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(String, usize, bool)> {
        let document = Document::parse("a.toml", text.as_bytes()).unwrap();
        list_variants(&document).into_iter().map(|one| (one.name, one.changes.len(), one.scheme.is_some())).collect()
    }

    #[test]
    fn cases_compare_variants_or_a_scheme_with_the_unmodified_path() {
        assert_eq!(of("duration = \"1 s\""), [("as written".to_owned(), 0, false)]);
        let plain = [("as written".to_owned(), 0, false), ("unmodified".to_owned(), 0, true)];
        assert_eq!(of("scheme = \"snoop\""), plain);
        assert_eq!(of("nodes.x.scheme = { kind = \"snoop\" }"), plain);
        assert_eq!(of("scheme = \"unmodified\"").len(), 1);
        let cases = of("scheme = \"snoop\"\n[sweep]\ncompare.seed = [1, 2, 3, 4, 5]");
        assert_eq!(cases.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(), ["1", "2", "3", "4"]);
    }
}
