//! Ranges of counts, which are known only to the check of a scenario.

use engine::Members;

use super::{read_resolved, words};
use crate::check::check_resolved;
use crate::key_path::{PathStep, parse_key_path};
use crate::problem::Problem;
use crate::recordings::RecordingCache;
use crate::tree::{Value, ValueData, ValueSource};

/// Replaces the range of the type in a message by the range of the check. The check is called with the minimum and maximum
/// of the type.
pub(super) fn refine_range(problem: &mut Problem, tree: &Value, members: &Members) {
    let Some(key) = problem.key.as_deref().filter(|_| problem.expected == words::U32) else { return };
    let refused = [0, u32::MAX].into_iter().find_map(|number| find_checked_range(tree, members, key, number));
    if let Some(expected) = refused {
        problem.expected = format!("a whole number, {expected}");
    }
}

/// The check's expectation at `key` if it refuses `number`.
fn find_checked_range(tree: &Value, members: &Members, key: &str, number: u32) -> Option<String> {
    let mut tree = tree.clone();
    let steps = parse_key_path(key);
    let (PathStep::Key(last), parent) = steps.split_last()? else { return None };
    let number = Value { data: ValueData::Integer(number.into()), source: ValueSource::Elsewhere };
    tree.at_path_mut(parent)?.as_table_mut()?.insert(last.clone(), number);
    let (scenario, _) = read_resolved(&tree, members).ok()?;
    let problems = check_resolved(&scenario, &RecordingCache::default(), members).err()?;
    problems.into_iter().find(|problem| problem.key.as_deref() == Some(key)).map(|problem| problem.expected)
}
