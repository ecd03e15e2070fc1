//! Assignments in a tree: sets the value of a key and creates the tables on its path.

use indexmap::IndexMap;

use crate::bare_names::expand_bare_name;
use crate::key_path::{PathStep, child_path, join_steps};
use crate::keys::Shape;
use crate::model::directed;
use crate::problem::Problem;
use crate::tree::{Value, ValueData, ValueSource};

/// Maximum number of steps of a path: a tree is read, written and dropped by recursion.
const MAX_STEPS: usize = 64;

/// Sets the value at the end of `path`. Missing tables and lists are created; a shorthand, such as the name of a
/// registry's member, is expanded to its table.
pub(crate) fn assign_value(tree: &mut Value, path: &[PathStep], value: Value) -> Result<(), Problem> {
    if path.len() > MAX_STEPS {
        return Err(Problem::new(format!("a key of at most {MAX_STEPS} parts")).found(format!("one of {}", path.len())));
    }
    let path = resolve_indices(path);
    let Some((last, parents)) = path.split_last() else { return Err(Problem::new("no such key: it is empty")) };
    let (mut at, mut shape) = (tree, Shape::scenario());
    for (number, step) in parents.iter().enumerate() {
        let inner = shape.below(step);
        let parent = Parent { path: &path[..=number], next: &path[number + 1], shape: &inner };
        let names = shape.has_names();
        let entry = get_or_create_entry(at, step, parent.path, || create_container(&parent, names, &value.source))?;
        expand_shorthand(entry, &parent)?;
        (at, shape) = (entry, inner);
    }
    let place = get_or_create_entry(at, last, &path, || Ok(value.clone()))?;
    *place = value;
    Ok(())
}

/// Writes indices of lists in brackets: `spikes.0` becomes `spikes[0]`.
fn resolve_indices(path: &[PathStep]) -> Vec<PathStep> {
    let mut shape = Shape::scenario();
    let number = |step: &PathStep| {
        let number = match step {
            PathStep::Key(key) if shape.takes_list() => key.parse().map(PathStep::Item).ok(),
            _ => None,
        };
        let step = number.unwrap_or_else(|| step.clone());
        shape = shape.below(&step);
        step
    };
    path.iter().map(number).collect()
}

/// A table or list on the path to the assigned key.
struct Parent<'a> {
    /// Path of the value at this step.
    path: &'a [PathStep],
    /// The step after it.
    next: &'a PathStep,
    shape: &'a Shape<'a>,
}

impl Parent<'_> {
    /// Returns whether the step after this one is a direction of a setting that may also have a single value for both
    /// directions.
    fn is_direction(&self) -> bool {
        let keys = self.shape.keys();
        let directed = directed::NAMES.iter().all(|name| keys.contains(name));
        directed && matches!(self.next, PathStep::Key(key) if directed::NAMES.contains(&key.as_str()))
    }

    /// Whether only tables with a value for each direction are allowed here.
    fn has_only_directions(&self) -> bool {
        self.shape.keys().iter().all(|key| directed::NAMES.contains(key))
    }
}

/// Whether a value has a value for each direction, or is empty.
fn is_directed(value: &Value) -> bool {
    match &value.data {
        ValueData::Table(table) => table.is_empty() || table.keys().any(|key| directed::NAMES.contains(&key.as_str())),
        _ => false,
    }
}

/// The value at `step` of `at`, created if missing.
fn get_or_create_entry<'t>(
    at: &'t mut Value,
    step: &PathStep,
    path: &[PathStep],
    make: impl FnOnce() -> Result<Value, Missing>,
) -> Result<&'t mut Value, Problem> {
    match (&mut at.data, step) {
        (ValueData::Table(table), PathStep::Key(key)) => {
            if !table.contains_key(key) {
                let made = make().map_err(|Missing| {
                    let problem = Problem::new(format!("there is no {}", join_steps(path)));
                    problem.nearest(key, table.keys().map(String::as_str))
                })?;
                table.insert(key.clone(), made);
            }
            Ok(&mut table[key])
        }
        (ValueData::List(items), PathStep::Item(number)) => {
            let length = items.len();
            if let (true, Ok(made)) = (*number == length, make()) {
                at.source = made.source.clone();
                items.push(made);
            }
            items.get_mut(*number).ok_or_else(|| {
                let problem = Problem::new(format!("there is no {}", join_steps(path)));
                problem.hint(format!("the list has {length} items; [{length}] adds one"))
            })
        }
        (data, step) => {
            let parent = join_steps(&path[..path.len() - 1]);
            let is = if matches!(data, ValueData::Table(_)) { "a table" } else { "a list" };
            Err(Problem::new(format!("{parent} is {is}, it has no {}", child_path("", step))))
        }
    }
}

/// The error that no entry has this name, and that a single key would not make a valid entry.
struct Missing;

/// An empty table or list for the next step.
fn create_container(parent: &Parent<'_>, names: bool, source: &ValueSource) -> Result<Value, Missing> {
    if names {
        return Err(Missing);
    }
    let data = match parent.next {
        PathStep::Item(_) => ValueData::List(Vec::new()),
        PathStep::Key(_) => ValueData::Table(IndexMap::new()),
    };
    Ok(Value { data, source: source.clone() })
}

/// Expands a shorthand to its table.
fn expand_shorthand(value: &mut Value, parent: &Parent<'_>) -> Result<(), Problem> {
    if parent.is_direction() && !is_directed(value) {
        // One value for both directions becomes a value for each direction.
        let each = directed::NAMES.map(|name| (name.to_owned(), value.clone()));
        value.data = ValueData::Table(IndexMap::from(each));
        return Ok(());
    }
    if expand_bare_name(value, parent.shape) {
        return Ok(());
    }
    let table = match &value.data {
        ValueData::Table(_) | ValueData::List(_) => return Ok(()),
        ValueData::Text(word) if parent.shape.kinds().contains(&word.as_str()) => {
            let kind = Value { data: ValueData::Text(word.clone()), source: value.source.clone() };
            IndexMap::from([(engine::tagged::KIND.to_owned(), kind)])
        }
        // A switch (true or false), or a number instead of the table.
        _ if parent.shape.kinds().is_empty() && parent.shape.takes_table() && !parent.has_only_directions() => {
            IndexMap::new()
        }
        _ => {
            let path = join_steps(parent.path);
            let problem =
                Problem::new(format!("{path} is a single value here, it has no {}", child_path("", parent.next)));
            return Err(problem.hint(format!("set {path} itself to a table")));
        }
    };
    value.data = ValueData::Table(table);
    Ok(())
}
