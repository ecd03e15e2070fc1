//! The runs on which a lesson's expressions are evaluated.

use serde_json::Value as Json;

use super::LessonFault;
use super::value::{ExpressionValue, Series};
use crate::{Figure, marks};

/// The runs of a lesson's variants, by name.
#[derive(Clone, Debug, Default)]
pub struct VariantRuns(Vec<(String, Figure)>);

impl VariantRuns {
    /// Adds the figure of a variant's run.
    pub fn add(&mut self, variant: &str, figure: Figure) {
        self.0.push((variant.to_owned(), figure));
    }

    /// Adds a column to the run that was added last. A page passes its columns one by one.
    pub fn add_column(&mut self, values: Vec<f64>) {
        if let Some((_, figure)) = self.0.last_mut() {
            figure.columns.push(values);
        }
    }

    /// The value to which a path leads.
    pub(super) fn evaluate_path(&self, path: &[String]) -> Result<ExpressionValue, LessonFault> {
        let whole = path.join(".");
        let fault = |what: &str| LessonFault::new(format!("{whole}: {what}"));
        let [variant, keys @ ..] = path else { return Err(fault("no variant")) };
        let named = self.0.iter().find(|(name, _)| name == variant);
        let (_, figure) = named.ok_or_else(|| fault(&format!("no variant is called {variant}")))?;
        let [root, flow, rest @ ..] = keys else {
            return read_number(&figure.head["summary"], keys).map_err(|key| fault(&key));
        };
        if !["series", "marks", "report"].contains(&root.as_str()) {
            return read_number(&figure.head["summary"], keys).map_err(|key| fault(&key));
        }
        let head = find_entry(&figure.head["flows"], flow)
            .ok_or_else(|| fault(&format!("no flow over TCP is called {flow}")))?;
        match (root.as_str(), rest) {
            ("report", keys) => read_number(&head["report"], keys).map_err(|key| fault(&key)),
            ("series", [name]) => {
                let rows =
                    read_series(figure, head, name).ok_or_else(|| fault(&format!("no series is called {name}")))?;
                Ok(ExpressionValue::Series(rows))
            }
            ("marks", [kind]) if marks::list_mark_kinds().any(|known| known == kind) => {
                let marks = head["marks"].as_array().into_iter().flatten();
                let of_kind = marks.filter(|marks| marks["kind"] == kind.as_str());
                let mut rows: Series = of_kind.flat_map(|marks| read_rows(figure, &marks["points"], 1)).collect();
                rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
                Ok(ExpressionValue::Series(rows))
            }
            ("marks", [kind]) => Err(fault(&format!("no kind of mark is called {kind}"))),
            _ => Err(fault(&format!("{root} takes a flow and a name"))),
        }
    }
}

/// Finds an entry of an object by its key, or of a list by its name.
fn find_entry<'a>(json: &'a Json, key: &str) -> Option<&'a Json> {
    match json {
        Json::Array(list) => list.iter().find(|item| item["name"] == key),
        _ => json.get(key),
    }
}

/// The number or truth to which keys lead.
fn read_number(root: &Json, keys: &[String]) -> Result<ExpressionValue, String> {
    let mut json = root;
    for key in keys {
        json = find_entry(json, key).ok_or_else(|| format!("no key or name {key}"))?;
    }
    match json {
        Json::Bool(truth) => Ok(ExpressionValue::Truth(*truth)),
        Json::Null => Err("has no value in this run".to_owned()),
        other => other.as_f64().map(ExpressionValue::Number).ok_or_else(|| "is not a number".to_owned()),
    }
}

/// Reads the rows of a column, with one of the fields as value.
fn read_rows(figure: &Figure, column: &Json, field: usize) -> Series {
    let number = |key: &str| column[key].as_u64().and_then(|number| usize::try_from(number).ok());
    let Some((values, width)) = number("column").and_then(|it| figure.columns.get(it)).zip(number("width")) else {
        return Series::new();
    };
    let row = |row: &[f64]| row.get(field).map(|value| [row[0], *value]);
    values.chunks_exact(width.max(1)).filter_map(row).collect()
}

/// A series of a flow.
fn read_series(figure: &Figure, head: &Json, name: &str) -> Option<Series> {
    let of = |key: &str, field: usize| read_rows(figure, &head[key], field);
    // A column's rows that have a flag.
    let flagged = |key: &str, flag: usize, set: bool| {
        let flags = of(key, flag);
        let both = of(key, 1).into_iter().zip(flags);
        both.filter(|(_, flag)| (flag[1] != 0.0) == set).map(|(row, _)| row).collect()
    };
    Some(match name {
        "sent" => of("sent", 1),
        "resent" => flagged("sent", 3, true),
        "acks" => flagged("acks", 2, false),
        "duplicates" => flagged("acks", 2, true),
        "cwnd" => of("windows", 1),
        "ssthresh" => of("windows", 2),
        "rtt" => of("rtts", 1),
        "srtt" => of("rtts", 2),
        "rto" => of("rtos", 1),
        "queue" => of("queue", 1),
        "goodput" => of("goodput", 2),
        "bad" => of("bad", 1),
        _ => return None,
    })
}
