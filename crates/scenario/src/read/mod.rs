//! From a tree of values to a scenario.
//!
//! serde stops at the first error. To find further errors, the tree is repaired at the first error and read again. The
//! repair replaces an unknown key or word by the probable one, inserts a placeholder for a missing value, and removes an
//! invalid one.

mod deserializer;
mod error;
mod explain;
mod placeholder;
mod ranges;
mod words;

use std::borrow::Cow;

use engine::members::{Members, Unreadable, Unresolved};
use serde::Deserialize;

use crate::expand_counts;
use crate::key_path::{self, PathStep, join_steps};
use crate::meant_name::find_meant_name;
use crate::model::Scenario;
use crate::outside::{self, OutsideMember};
use crate::problem::Problem;
use crate::tree::{Value, ValueData};
use deserializer::{TreeReader, ValuePath};
use error::{Error, Mistake};

/// Maximum number of errors: each needs a pass over the whole tree.
const MAX_PROBLEMS: usize = 20;

/// The result of reading a tree.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The scenario, with errors repaired; `None` if that was impossible.
    pub scenario: Option<Scenario>,
    /// Outside members in the scenario.
    pub outside: Vec<OutsideMember>,
    /// The errors. Without any, the scenario is as written.
    pub problems: Vec<Problem>,
    repairs: Repairs,
}

/// What was changed in a tree to read it further.
#[derive(Debug, Default)]
struct Repairs {
    /// The keys whose values differ from the text.
    keys: Vec<String>,
    /// The keys with a placeholder.
    placeholders: Vec<String>,
}

impl Reading {
    /// The scenario, if no repair has changed the graph of nodes and links.
    pub fn complete(&self) -> Option<&Scenario> {
        let is_within_entry = |key: &String| {
            let steps: Vec<&str> = key.split('.').collect();
            steps.len() > 2
                && !matches!(steps[..], ["nodes", _, "kind"] | ["links", _, "kind" | "medium"])
                && !(steps[0] == "links" && steps[2].starts_with("between"))
        };
        self.scenario.as_ref().filter(|_| self.repairs.keys.iter().all(is_within_entry))
    }

    /// Returns whether the value at `key`, and all others in the same table of the scenario, such as `links.air`, are
    /// as written.
    pub fn is_as_written(&self, key: &str) -> bool {
        let part = |key: &str| key.splitn(3, '.').take(2).map(str::to_owned).collect::<Vec<_>>();
        let beside = part(key);
        !self.repairs.keys.iter().any(|repaired| part(repaired) == beside)
    }
}

/// Reads a tree that may name `members` in addition to the members of the registries.
pub(crate) fn read_tree(tree: &Value, members: &Members) -> Reading {
    let (mut tree, mut problems, mut repairs) = (Cow::Borrowed(tree), Vec::new(), Repairs::default());
    let scenario = loop {
        let error = match read_resolved(&tree, members) {
            Ok(read) => break Some(read),
            Err(error) => error.at_its_key(),
        };
        // Consequences of an error are not reported.
        if !is_consequence(&error, &repairs.keys) {
            problems.push(explain::explain_error(&tree, members, &error));
        }
        if problems.len() == MAX_PROBLEMS || !repair_error(tree.to_mut(), error, &mut repairs) {
            break None;
        }
    };
    let (scenario, outside) = scenario.unzip();
    let scenario = match scenario.map(expand_counts::expand_counts).transpose() {
        Ok(scenario) => scenario,
        Err(wrong) => {
            problems.extend(wrong);
            None
        }
    };
    if scenario.is_some() {
        problems.iter_mut().for_each(|problem| ranges::refine_range(problem, &tree, members));
    }
    Reading { scenario, outside: outside.unwrap_or_default(), problems, repairs }
}

/// Reads a tree without errors. Members from outside in the result cannot be built.
pub(crate) fn read_unresolved(tree: &Value) -> Option<Scenario> {
    expand_counts::expand_counts(deserialize_scenario(tree).ok()?).ok()
}

fn deserialize_scenario(tree: &Value) -> Result<Scenario, Error> {
    Scenario::deserialize(TreeReader { value: tree, path: ValuePath::Whole })
}

/// The scenario with each outside member bound to its entry in `members`.
fn read_resolved(tree: &Value, members: &Members) -> Result<(Scenario, Vec<OutsideMember>), Error> {
    let mut scenario = deserialize_scenario(tree)?;
    let outside =
        outside::resolve_members(&mut scenario, members).map_err(|mut all| unresolved_error(tree, all.remove(0)))?;
    Ok((scenario, outside))
}

/// Returns the error of a member that is not in a table, or of the settings of a member.
fn unresolved_error(tree: &Value, (key, error): (String, Unresolved)) -> Error {
    let mut at = key_path::parse_key_path(&key);
    match error {
        Unresolved::Unknown { name, known } => {
            if tree.at_path(&at).is_some_and(|member| member.as_table().is_some()) {
                at.push(PathStep::Key(engine::tagged::KIND.to_owned()));
            }
            Error { mistake: Mistake::UnknownWord { name, known }, at: Some(at) }
        }
        Unresolved::Settings(Unreadable { path, message }) => {
            at.extend(key_path::parse_key_path(&path));
            Error { mistake: Mistake::Unreadable { message }, at: Some(at) }
        }
    }
}

/// The path of the error; for a missing key, the path of the key.
fn path_of(error: &Error) -> Vec<PathStep> {
    let mut path = error.at.clone().unwrap_or_default();
    if let Mistake::MissingKey(name) = error.mistake {
        path.push(PathStep::Key(name.to_owned()));
    }
    path
}

/// Returns whether an error is the consequence of a repair at the same path, below it or above it.
fn is_consequence(error: &Error, repaired: &[String]) -> bool {
    let key = join_steps(&path_of(error));
    repaired.iter().any(|other| key_path::is_within(&key, other) || key_path::is_within(other, &key))
}

/// Repairs the error so that the tree can be read further; false if that is impossible.
fn repair_error(tree: &mut Value, error: Error, repairs: &mut Repairs) -> bool {
    let at = error.at.unwrap_or_default();
    match (error.mistake, at.split_last()) {
        (Mistake::MissingKey(name), _) if placeholder::insert_missing(tree, &at, name, repairs) => true,
        (_, None) => false,
        (Mistake::UnknownKey { name, known }, Some((_, parent))) => {
            let meant = explain::meant_key(&name, parent, known);
            let Some(table) = tree.at_path_mut(parent).and_then(Value::as_table_mut) else { return false };
            let Some(value) = table.shift_remove(&name) else { return false };
            let below = |key: &str| key_path::child_path(&join_steps(parent), &PathStep::Key(key.to_owned()));
            match meant.filter(|meant| !table.contains_key(meant)) {
                Some(meant) => {
                    repairs.keys.push(below(&meant));
                    table.insert(meant, value);
                }
                // The error may concern any of the missing keys.
                None => {
                    repairs.keys.extend(known.iter().filter(|key| !table.contains_key(**key)).map(|key| below(key)));
                }
            }
            true
        }
        (Mistake::UnknownWord { name, known }, Some((last, parent))) => {
            // Settings depend on the kind.
            let is_kind = *last == PathStep::Key(engine::tagged::KIND.to_owned());
            repairs.keys.push(join_steps(if is_kind { parent } else { &at }));
            match (find_meant_name(&name, known.iter().map(String::as_str)), tree.at_path_mut(&at)) {
                (Some(meant), Some(value)) => {
                    value.data = ValueData::Text(meant.to_owned());
                    true
                }
                _ => tree.remove(&at),
            }
        }
        (Mistake::Type { .. } | Mistake::Refused { .. }, _) if placeholder::replace_in_list(tree, &at, repairs) => true,
        (Mistake::MissingKey(_) | Mistake::Type { .. } | Mistake::Refused { .. } | Mistake::Unreadable { .. }, _) => {
            repairs.keys.push(join_steps(key_path::without_items(&at)));
            tree.remove(&at)
        }
    }
}
