//! Bare names in a tree, written as the tables for which they stand.

use indexmap::IndexMap;

use crate::key_path::PathStep;
use crate::keys::Shape;
use crate::tree::{Value, ValueData};

/// Replaces each bare name in `value`, a value of the shape `shape`, by its table: `tcp = "cubic"` by `tcp = { variant =
/// "cubic" }`. Names of a registry's members stay.
pub(crate) fn expand_bare_names(value: &mut Value, shape: &Shape<'_>) {
    expand_bare_name(value, shape);
    match &mut value.data {
        ValueData::Table(table) => {
            for (key, value) in table {
                expand_bare_names(value, &shape.below(&PathStep::Key(key.clone())));
            }
        }
        ValueData::List(items) => {
            let shape = shape.below(&PathStep::Item(0));
            items.iter_mut().for_each(|item| expand_bare_names(item, &shape));
        }
        _ => {}
    }
}

/// Replaces a bare name by its table; false for any other value.
pub(crate) fn expand_bare_name(value: &mut Value, shape: &Shape<'_>) -> bool {
    let (ValueData::Text(_), Some(key)) = (&value.data, shape.bare_name()) else { return false };
    let name = value.clone();
    value.data = ValueData::Table(IndexMap::from([(key.to_owned(), name)]));
    true
}

#[cfg(test)]
mod tests {
    use crate::Document;
    use crate::keys::Shape;

    #[test]
    fn names_become_tables_where_a_table_has_a_bare_name() {
        let text = "title = \"t\"\nnodes.a = \"host\"\nmedia.cell = \"802.11n\"\n\
                    links.l = { kind = \"wired\", link_trace = \"walk.csv\", arq = \"stop-and-wait\" }\n\
                    flows.f = { from = \"a\", tcp = \"cubic\" }";
        let mut tree = Document::parse("a.toml", text.as_bytes()).unwrap().tree().clone();
        super::expand_bare_names(&mut tree, &Shape::scenario());
        let expected = "title = \"t\"\nnodes.a.kind = \"host\"\nmedia.cell.standard = \"802.11n\"\n\
                        links.l = { kind = \"wired\", link_trace.file = \"walk.csv\", arq = \"stop-and-wait\" }\n\
                        flows.f = { from = \"a\", tcp.variant = \"cubic\" }";
        assert_eq!(tree.to_toml(), toml::Value::Table(expected.parse().unwrap()));
    }
}
