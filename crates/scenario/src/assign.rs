//! Assignments in a tree: sets the value of a key and creates the tables on its path.

use indexmap::IndexMap;

use crate::key_path::{Step, below, joined};
use crate::keys::Shape;
use crate::model::directed;
use crate::problem::Problem;
use crate::tree::{Data, Source, Value};

/// Maximum number of steps of a path: a tree is read, written and dropped by recursion.
const MAX_STEPS: usize = 64;

/// Sets the value at the end of `path`. Missing tables and lists are created; a shorthand, such as the name of a
/// registry's member, is expanded to its table.
pub(crate) fn assign(tree: &mut Value, path: &[Step], value: Value) -> Result<(), Problem> {
    if path.len() > MAX_STEPS {
        return Err(Problem::new(format!("a key of at most {MAX_STEPS} parts")).found(format!("one of {}", path.len())));
    }
    let path = numbered(path);
    let Some((last, parents)) = path.split_last() else { return Err(Problem::new("no such key: it is empty")) };
    let (mut at, mut shape) = (tree, Shape::scenario());
    for (number, step) in parents.iter().enumerate() {
        let inner = shape.below(step);
        let parent = Parent { path: &path[..=number], next: &path[number + 1], shape: &inner };
        let names = shape.has_names();
        let entry = entry(at, step, parent.path, || made(&parent, names, &value.source))?;
        open(entry, &parent)?;
        (at, shape) = (entry, inner);
    }
    let place = entry(at, last, &path, || Ok(value.clone()))?;
    *place = value;
    Ok(())
}

/// The path with indices of lists as such: `spikes.0` is `spikes[0]`.
fn numbered(path: &[Step]) -> Vec<Step> {
    let mut shape = Shape::scenario();
    let number = |step: &Step| {
        let number = match step {
            Step::Key(key) if shape.takes_list() => key.parse().map(Step::Item).ok(),
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
    /// The path of the value at this step.
    path: &'a [Step],
    /// The step after it.
    next: &'a Step,
    shape: &'a Shape<'a>,
}

impl Parent<'_> {
    /// Whether the step after it is a direction of a setting that may have one value for both.
    fn is_direction(&self) -> bool {
        let keys = self.shape.keys();
        let directed =
            directed::NAMES.iter().all(|name| keys.contains(name)) && self.path.last().is_some_and(is_setting);
        directed && matches!(self.next, Step::Key(key) if directed::NAMES.contains(&key.as_str()))
    }

    /// Whether the only tables that are allowed here have a value for each direction.
    fn has_only_directions(&self) -> bool {
        self.shape.keys().iter().all(|key| directed::NAMES.contains(key))
    }
}

/// Whether a key is a setting that may have a value for each direction, not a table of directions only.
fn is_setting(step: &Step) -> bool {
    matches!(step, Step::Key(key) if key != "delivery_trace")
}

/// Whether a value has a value for each direction, or is empty.
fn is_directed(value: &Value) -> bool {
    match &value.data {
        Data::Table(table) => table.is_empty() || table.keys().any(|key| directed::NAMES.contains(&key.as_str())),
        _ => false,
    }
}

/// The value at `step` of `at`, created if missing.
fn entry<'t>(
    at: &'t mut Value,
    step: &Step,
    path: &[Step],
    make: impl FnOnce() -> Result<Value, Missing>,
) -> Result<&'t mut Value, Problem> {
    match (&mut at.data, step) {
        (Data::Table(table), Step::Key(key)) => {
            if !table.contains_key(key) {
                let made = make().map_err(|Missing| {
                    let problem = Problem::new(format!("there is no {}", joined(path)));
                    problem.nearest(key, table.keys().map(String::as_str))
                })?;
                table.insert(key.clone(), made);
            }
            Ok(&mut table[key])
        }
        (Data::List(items), Step::Item(number)) => {
            let length = items.len();
            if let (true, Ok(made)) = (*number == length, make()) {
                at.source = made.source.clone();
                items.push(made);
            }
            items.get_mut(*number).ok_or_else(|| {
                let problem = Problem::new(format!("there is no {}", joined(path)));
                problem.hint(format!("the list has {length} items; [{length}] adds one"))
            })
        }
        (data, step) => {
            let parent = joined(&path[..path.len() - 1]);
            let is = if matches!(data, Data::Table(_)) { "a table" } else { "a list" };
            Err(Problem::new(format!("{parent} is {is}, it has no {}", below("", step))))
        }
    }
}

/// There is no entry of that name, and a single key would not make a valid one.
struct Missing;

/// An empty table or list for the next step.
fn made(parent: &Parent<'_>, names: bool, source: &Source) -> Result<Value, Missing> {
    if names {
        return Err(Missing);
    }
    let data = match parent.next {
        Step::Item(_) => Data::List(Vec::new()),
        Step::Key(_) => Data::Table(IndexMap::new()),
    };
    Ok(Value { data, source: source.clone() })
}

/// Expands a shorthand to its table.
fn open(value: &mut Value, parent: &Parent<'_>) -> Result<(), Problem> {
    if parent.is_direction() && !is_directed(value) {
        // One value for both directions becomes one for each.
        let each = directed::NAMES.map(|name| (name.to_owned(), value.clone()));
        value.data = Data::Table(IndexMap::from(each));
        return Ok(());
    }
    let table = match &value.data {
        Data::Table(_) | Data::List(_) => return Ok(()),
        Data::Text(word) if parent.shape.kinds().contains(&word.as_str()) => {
            let kind = Value { data: Data::Text(word.clone()), source: value.source.clone() };
            IndexMap::from([(engine::tagged::KIND.to_owned(), kind)])
        }
        // A switch (true or false), or a number instead of the table.
        _ if parent.shape.kinds().is_empty() && parent.shape.takes_table() && !parent.has_only_directions() => {
            IndexMap::new()
        }
        _ => {
            let path = joined(parent.path);
            let problem = Problem::new(format!("{path} is a single value here, it has no {}", below("", parent.next)));
            return Err(problem.hint(format!("set {path} itself to a table")));
        }
    };
    value.data = Data::Table(table);
    Ok(())
}
