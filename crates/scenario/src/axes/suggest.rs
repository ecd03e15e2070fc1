//! Axes that a page offers: declared by a scenario, suggested from its quantities, and parsed from a text.

use toml::{Table, Value};

use super::range::{self, AxisQuantity};
use super::{Change, WITHOUT_EFFECT, format_axis_value, parse_axes};
use crate::Scenario;
use crate::document::{render_scenario, value_of};
use crate::problem::Problem;

/// Keys at the top level that affect results, but are not quantities of the network.
const NOT_SUGGESTED: [&str; 2] = ["seed", "profile"];

/// Factors around the present value of a key.
const FACTORS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

/// A key with values.
#[derive(Clone, PartialEq, Debug)]
pub struct SuggestedAxis {
    /// The key.
    pub key: String,
    /// Values of the axis, in order.
    pub values: Vec<Value>,
    /// Whether the scenario has this axis.
    pub declared: bool,
}

/// Suggests axes: first those in `[sweep.axes]`, then all keys of the scenario with a quantity, with values from a
/// quarter of the current value to four times the value.
pub fn suggest_axes(scenario: &Scenario) -> Vec<SuggestedAxis> {
    let declared = scenario.sweep.iter().filter_map(|sweep| parse_axes(&sweep.axes, &[]).ok()).flatten();
    let mut found: Vec<SuggestedAxis> = declared
        .filter_map(|axis| {
            let values = axis.places.into_iter().flatten().map(|(_, value)| value).collect();
            Some(SuggestedAxis { key: axis.keys.into_iter().next()?, values, declared: true })
        })
        .collect();
    // The output of `render_scenario` is valid TOML.
    let table: Table = render_scenario(scenario).parse().unwrap_or_default();
    for (key, value) in &table {
        if !WITHOUT_EFFECT.contains(&key.as_str()) && !NOT_SUGGESTED.contains(&key.as_str()) {
            collect_suggestions(key.clone(), value, &mut found);
        }
    }
    found
}

fn collect_suggestions(key: String, value: &Value, found: &mut Vec<SuggestedAxis>) {
    if let Value::Table(table) = value {
        for (name, value) in table {
            collect_suggestions(format!("{key}.{name}"), value, found);
        }
    } else if !found.iter().any(|known| known.key == key) {
        let values = suggest_values(value);
        if values.len() > 1 {
            found.push(SuggestedAxis { key, values, declared: false });
        }
    }
}

/// Values around a quantity, or both values of a switch; empty for any other value.
fn suggest_values(value: &Value) -> Vec<Value> {
    if value.is_bool() {
        return vec![false.into(), true.into()];
    }
    let Some(quantity) = AxisQuantity::read(value).filter(|quantity| quantity.is_positive()) else { return Vec::new() };
    let mut values: Vec<Value> = Vec::new();
    for factor in FACTORS {
        let Some(other) = quantity.times(factor) else { continue };
        if !values.contains(&other) {
            values.push(other);
        }
    }
    values
}

/// The values of a key, as changes with their texts, from a text: values with commas between them, each in TOML or without
/// quotes, or a range `{ from, to, count }`.
///
/// # Errors
/// The values are not valid for an axis, or no result depends on the key.
pub fn from_text(key: &str, text: &str) -> Result<Vec<(Change, String)>, Problem> {
    let about = |problem: Problem| Problem { place: None, source: None, hint: None, ..problem }.key(key);
    let text = text.trim();
    let range = value_of(text).ok().filter(|value| value.as_table().is_some_and(range::is_range));
    // Unquoted text is not TOML. Therefore the parts of the text are parsed one by one.
    let list = range.map_or_else(|| value_of(&format!("[{text}]")), Ok).or_else(|_| {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(value_of).collect::<Result<Vec<Value>, _>>().map(Value::Array)
    });
    let table = Table::from_iter([(key.to_owned(), list.map_err(about)?)]);
    let places = parse_axes(&table, &[]).map_err(about)?.into_iter().flat_map(|axis| axis.places);
    Ok(places.flatten().map(|change| (change.clone(), format_axis_value(&change.1))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::from_toml;

    const TEXT: &str = r#"
        title = "a title"
        duration = "10 s"
        nodes = { a = { kind = "host" }, b = { kind = "host" } }
        links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms", loss = 0.5 }
        flows.flow = { from = "a", to = "b", bytes = "1 MB" }
        [sweep]
        axes.links.wire.delay = ["1 ms", "9 ms"]
    "#;

    fn texts(values: &[Value]) -> Vec<String> {
        values.iter().map(format_axis_value).collect()
    }

    #[test]
    fn axes_of_the_scenario_come_first_then_its_other_quantities() {
        let found = suggest_axes(&from_toml("a.toml", TEXT).unwrap().scenario);
        assert_eq!(
            (found[0].key.as_str(), texts(&found[0].values)),
            ("links.wire.delay", texts(&["1 ms".into(), "9 ms".into()]))
        );
        assert!(found[0].declared && !found[1].declared);
        let values = |key: &str| found.iter().find(|other| other.key == key).map(|found| texts(&found.values));
        let rates = ["2 Mbps", "4 Mbps", "8 Mbps", "16 Mbps", "32 Mbps"].map(str::to_owned);
        assert_eq!(values("links.wire.rate"), Some(rates.to_vec()));
        // A number below 1 could be a share.
        assert_eq!(values("links.wire.loss"), Some(["0.125", "0.25", "0.5", "1.0"].map(str::to_owned).to_vec()));
        for without in ["title", "seed", "profile", "nodes.a.kind"] {
            assert_eq!(values(without), None, "{without}");
        }
        assert_eq!(found.iter().filter(|other| other.key == "links.wire.delay").count(), 1);
    }

    #[test]
    fn text_is_a_list_with_or_without_quotes_or_a_range() {
        let read = |text: &str| {
            from_text("links.wire.rate", text)
                .map(|places| places.into_iter().map(|(_, shown)| shown).collect::<Vec<_>>())
        };
        assert_eq!(read("1 Mbps, 2 Mbps").unwrap(), ["1 Mbps", "2 Mbps"]);
        assert_eq!(read("\"1 Mbps\", \"2 Mbps\"").unwrap(), ["1 Mbps", "2 Mbps"]);
        assert_eq!(read("1, 2.5, true").unwrap(), ["1", "2.5", "true"]);
        assert_eq!(read("codel, fq-codel,").unwrap(), ["codel", "fq-codel"]);
        assert_eq!(read("{ from = \"1 Mbps\", to = \"3 Mbps\", count = 3 }").unwrap(), ["1 Mbps", "2 Mbps", "3 Mbps"]);
        assert_eq!(from_text("a.b", "1, 2").unwrap()[1].0, ("a.b".to_owned(), Value::Integer(2)));
    }

    #[test]
    fn wrong_text_is_a_problem_of_the_key() {
        for (key, text, expected) in [
            ("seed", "", "at least one value"),
            ("seed", "1, 1", "each value once"),
            ("title", "a, b", "a key on which results depend"),
            ("seed", "{ from = 1, to = 2, step = 0 }", "a positive step, and `from` at most `to`"),
        ] {
            let problem = from_text(key, text).unwrap_err();
            assert_eq!((problem.key.as_deref(), problem.expected.as_str()), (Some(key), expected));
        }
    }
}
