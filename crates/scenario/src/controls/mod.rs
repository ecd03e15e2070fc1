//! The control of each key of a scenario: type, range, choices and description, from the JSON Schema.
//!
//! Every table in a scenario contributes its keys: the named entries, and the registry members that the scenario
//! chooses. Values do not need to be valid.

mod forms;
mod important;
mod start;
mod stops;
mod variants;

use path::mac::dcf::Standard;
use serde::Serialize;
use serde_json::Value as Json;

use crate::axes::format_axis_value;
use crate::bare_names::expand_bare_names;
use crate::key_path::{PathStep, parse_key_path};
use crate::keys::Shape;
use crate::model::directed;
use crate::tree::{Value, ValueData};
use crate::{Overrides, Source};
use forms::{Forms, required_settings, setting_keys};
use stops::{SliderScale, Stops};
pub use variants::{Variant, list_variants};

/// Maximum number of steps of a path: mixtures of mixtures have no limit.
const MAX_STEPS: usize = 9;

/// Maximum length of a list whose items have controls.
const MAX_ITEMS: usize = 32;

/// Maximum length of a displayed value, in bytes.
const MAX_SHOWN: usize = 2_000;

/// Keys whose value is the name of an entry of a table.
const NAMES_OF: [(&str, &str); 4] = [("between", "nodes"), ("from", "nodes"), ("to", "nodes"), ("medium", "media")];

/// The key of a recording's file.
const FILE: &str = "file";

/// A key without effect on a run, shown only if the text sets it.
const SWEEP: &str = "sweep";

/// The control of a key.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Control {
    /// The key: `links.air.rate`.
    pub path: String,
    /// Table that contains the key, such as `links.air`; empty at the top level.
    pub group: String,
    /// The key within the group, in words.
    pub title: String,
    /// Description of the key in the schema.
    pub meaning: String,
    /// How it is shown.
    pub widget: Widget,
    /// Default in the notation of scenarios; `None` without a default.
    pub default: Option<String>,
    /// Value in the text; `None` if the text does not set the key.
    pub written: Option<String>,
    /// Value with all changes; `None` if the key is not set.
    pub current: Option<String>,
    /// Whether a change has set a value different from the text.
    pub changed: bool,
    /// Whether the key is optional.
    pub optional: bool,
    /// Rank of the key among the important keys, from 0.
    pub important: Option<usize>,
}

/// The form of a control.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Widget {
    /// A quantity or number.
    Slider {
        /// Positions of the slider, in the notation of `KEY=VALUE`.
        stops: Vec<String>,
        /// The position nearest to the current value, or to the default.
        at: usize,
    },
    /// One of several values.
    Menu {
        /// The values.
        choices: Vec<Choice>,
    },
    /// True or false.
    Switch,
    /// Anything else.
    Text {
        /// Whether a value is text, written in quotes; otherwise it is TOML.
        quoted: bool,
        /// An example.
        example: String,
    },
}

/// An entry of a menu.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Choice {
    /// Label of a choice. If the choice is selected, [`Control::current`] has this value.
    pub label: String,
    /// The choice as it is written in `KEY=VALUE`.
    pub value: String,
    /// Description of the control.
    pub meaning: String,
}

/// Lists the controls of a scenario with changes. `source` has been opened without the changes. Changes that cannot be
/// applied are omitted.
pub fn list_controls(source: &Source, overrides: &Overrides) -> Vec<Control> {
    let (text, mut changed) = (&source.document, source.document.clone());
    if let Some(scheme) = &overrides.scheme {
        changed.set_everywhere("scheme", scheme);
    }
    let seed = overrides.seed.map(|seed| format!("seed={seed}"));
    for assignment in seed.iter().chain(&overrides.set) {
        // The run reports errors of the changes.
        changed.set(assignment).ok();
    }
    let [written, current] = [text, &changed].map(|document| {
        let mut tree = document.tree().clone();
        expand_bare_names(&mut tree, &Shape::scenario());
        tree
    });
    let mut walk = Walk { text: &written, changed: &current, controls: Vec::new() };
    if let Some(schema) = Shape::scenario().alternatives().first() {
        walk.table(&mut Vec::new(), schema, Some(&current));
    }
    let mut controls = walk.controls;
    let written = controls.iter().map(|control| (control.path.as_str(), control.written.is_some()));
    let ranks = important::rank_important_keys(text.text(), text.tree(), written);
    for control in &mut controls {
        control.important = ranks.iter().position(|path| *path == control.path);
    }
    controls
}

/// The key whose value a text is that stands for the table at `key`, such as `flows.down.tcp.variant` for
/// `flows.down.tcp`; `None` for other keys.
pub fn find_bare_name_key(key: &str) -> Option<String> {
    let shape = Shape::at(&parse_key_path(key));
    shape.bare_name().map(|name| format!("{key}.{name}"))
}

/// Collects the controls of a tree.
struct Walk<'a> {
    text: &'a Value,
    changed: &'a Value,
    controls: Vec<Control>,
}

impl Walk<'_> {
    /// The keys of a table.
    fn table(&mut self, path: &mut Vec<PathStep>, table: &'static Json, value: Option<&Value>) {
        let needed: Vec<&str> = required_settings(table).collect();
        // The kind of a node or link is an ordinary key; the kind of a registry member is set by the member's menu.
        let kind = Some(engine::tagged::KIND).filter(|kind| table["properties"][kind]["const"].is_null());
        let kind = kind.filter(|kind| table["properties"].get(kind).is_some());
        for key in kind.into_iter().chain(setting_keys(table)) {
            let is_shown = !path.is_empty() || key != SWEEP || value.is_some_and(|value| value.at(SWEEP).is_some());
            if !is_shown {
                continue;
            }
            path.push(PathStep::Key(key.to_owned()));
            let inner = value.and_then(|value| value.as_table()?.get(key));
            self.key(path, &table["properties"][key], inner, needed.contains(&key) || Some(key) == kind);
            path.pop();
        }
    }

    fn key(&mut self, path: &mut Vec<PathStep>, schema: &'static Json, value: Option<&Value>, is_needed: bool) {
        if path.len() > MAX_STEPS {
            return;
        }
        let forms = Forms::of(schema);
        let table = value.and_then(Value::as_table);
        if let Some(entry) = forms.names {
            for (name, value) in table.into_iter().flatten().filter(|(name, _)| is_plain(name)) {
                path.push(PathStep::Key(name.clone()));
                self.item(path, entry, value);
                path.pop();
            }
            return;
        }
        if forms.directed && table.is_some_and(|table| directed::NAMES.iter().any(|name| table.contains_key(*name))) {
            for name in directed::NAMES {
                path.push(PathStep::Key(name.to_owned()));
                self.key(path, schema, table.and_then(|table| table.get(name)), false);
                path.pop();
            }
            return;
        }
        let is_optional = !is_needed && forms.default.is_none();
        if !forms.kinds.is_empty() {
            self.add(path, &forms, kinds_menu(&forms), is_optional);
            let name = match table {
                Some(table) => table.get(engine::tagged::KIND).and_then(Value::text),
                None => value.and_then(Value::text),
            };
            if let Some(kind) = name.and_then(|name| forms.kind(name)) {
                self.table(path, kind.table, value);
            } else if forms.limit && table.is_none() {
                // A limit without a kind belongs to the default discipline.
                let slider = self.slider(path, &forms, SliderScale::Limit, &["unlimited"]);
                let limit = self.control(path, &forms, slider, is_optional);
                self.controls.push(Control { title: format!("{} limit", limit.title), ..limit });
            }
            return;
        }
        if let Some(inner) = forms.table {
            let is_on = forms.boolean && value.is_some_and(|value| matches!(value.data, ValueData::Bool(true)));
            let is_table_only = !forms.boolean && forms.integer.is_none();
            // A recording without a file is no choice.
            let is_absent = (forms.optional || !forms.words.is_empty()) && setting_keys(inner).all(|key| key != FILE);
            let is_always_there = is_table_only && !is_absent && required_settings(inner).next().is_none();
            if table.is_some() || is_on || is_always_there {
                if forms.boolean {
                    self.add(path, &forms, Widget::Switch, is_optional);
                }
                return self.table(path, inner, value);
            }
            if is_table_only {
                let start = start::initial_value(last_key(path), schema).to_string();
                return self.add(path, &forms, table_menu(&forms, start), is_optional);
            }
        }
        if let Some(list) = forms.list {
            let example = start::initial_value(last_key(path), list).to_string();
            self.add(path, &forms, Widget::Text { quoted: false, example }, is_optional);
            let items = value.and_then(Value::as_list).unwrap_or_default();
            // Items of lists that have no effect on a run have no controls.
            let is_of_run = path.len() > 2 && items.len() <= MAX_ITEMS;
            for (number, item) in items.iter().enumerate().filter(|_| is_of_run) {
                path.push(PathStep::Item(number));
                self.item(path, &list["items"], item);
                path.pop();
            }
            return;
        }
        let widget = self.scalar(path, &forms);
        self.add(path, &forms, widget, is_optional);
    }

    /// The control of a value that is no table and no list.
    fn scalar(&self, path: &[PathStep], forms: &Forms) -> Widget {
        let words: Vec<&str> = forms.words.iter().map(|word| word.word).collect();
        let scale = forms.dimension.map(SliderScale::Quantity).or(forms.limit.then_some(SliderScale::Limit));
        let scale = scale.or(forms.integer.map(SliderScale::Integer)).or(forms.number.map(SliderScale::Number));
        match scale {
            Some(SliderScale::Limit) => self.slider(path, forms, SliderScale::Limit, &["unlimited"]),
            // A class of packets is a number or one of many names.
            Some(_) if forms.text => Widget::Text { quoted: false, example: String::new() },
            Some(SliderScale::Integer(ends)) if forms.boolean => {
                let numbers = ends.min.unwrap_or(0.0) as u32..=ends.max.unwrap_or(0.0) as u32;
                let texts = ["false".to_owned(), "true".to_owned()].into_iter().chain(numbers.map(|n| n.to_string()));
                Widget::Menu { choices: texts.map(|text| build_choice(&text, text.clone(), "")).collect() }
            }
            Some(scale) => match self.rates(path) {
                Some(rates) => {
                    let current = self.changed.at_path(path).and_then(Value::text);
                    let at = rates.iter().position(|rate| Some(rate.as_str()) == current);
                    Widget::Slider { at: at.unwrap_or(rates.len() - 1), stops: rates }
                }
                None => self.slider(path, forms, scale, &words),
            },
            None if forms.boolean => Widget::Switch,
            None if forms.free => Widget::Text { quoted: false, example: String::new() },
            None if !words.is_empty() => {
                let choices =
                    forms.words.iter().map(|word| build_choice(word.word, quote_toml(word.word), word.meaning));
                Widget::Menu { choices: choices.collect() }
            }
            None => match self.entries(path) {
                Some(names) => Widget::Menu {
                    choices: names.iter().map(|name| build_choice(name, quote_toml(name), "")).collect(),
                },
                None => Widget::Text { quoted: true, example: String::new() },
            },
        }
    }

    fn slider(&self, path: &[PathStep], forms: &Forms, scale: SliderScale, words: &[&str]) -> Widget {
        let default = forms.default.map(format_default);
        let of = |tree: &Value| tree.at_path(path).map(format_tree_value).or(default.clone());
        let Stops { texts, at } = scale.stops(of(self.text).as_deref(), of(self.changed).as_deref(), words);
        Widget::Slider { stops: texts, at }
    }

    fn add(&mut self, path: &[PathStep], forms: &Forms, widget: Widget, optional: bool) {
        let control = self.control(path, forms, widget, optional);
        self.controls.push(control);
    }

    /// Adds an entry of a table of names, or an item of a list: the keys of a table, or a value.
    fn item(&mut self, path: &mut Vec<PathStep>, schema: &'static Json, value: &Value) {
        match Forms::of(schema).table {
            Some(table) => self.table(path, table, Some(value)),
            None => self.key(path, schema, Some(value), true),
        }
    }

    fn control(&self, path: &[PathStep], forms: &Forms, widget: Widget, optional: bool) -> Control {
        let at = |tree: &Value| tree.at_path(path).map(Value::to_toml);
        let (written, current) = (self.text.at_path(path), self.changed.at_path(path));
        let depth = group_depth(path);
        let words = path[depth..].iter().map(|step| match step {
            PathStep::Key(key) => key.replace('_', " "),
            PathStep::Item(number) => (number + 1).to_string(),
        });
        Control {
            path: format_assignment_path(path),
            group: format_assignment_path(&path[..depth]),
            title: words.collect::<Vec<_>>().join(" "),
            meaning: forms.meaning.split_whitespace().collect::<Vec<_>>().join(" "),
            widget,
            default: forms.default.map(format_default),
            written: written.map(format_tree_value),
            current: current.map(format_tree_value),
            changed: at(self.text) != at(self.changed),
            optional,
            important: None,
        }
    }

    /// The rates of a medium's standard, if the path is the rate of the medium or of a link in it.
    fn rates(&self, path: &[PathStep]) -> Option<Vec<String>> {
        let [PathStep::Key(part), named, PathStep::Key(key)] = path else { return None };
        let is_rate = key == "rate";
        let at = |part: &str, name: &PathStep, key: &str| {
            self.changed.at_path(&[PathStep::Key(part.to_owned()), name.clone(), PathStep::Key(key.to_owned())])
        };
        let medium = match part.as_str() {
            "media" if is_rate => named.clone(),
            "links" if is_rate => PathStep::Key(at("links", named, "medium")?.text()?.to_owned()),
            _ => return None,
        };
        if at("media", &medium, "any_rate").is_some_and(|any| matches!(any.data, ValueData::Bool(true))) {
            return None;
        }
        let standard: Standard = at("media", &medium, "standard")?.to_toml().try_into().ok()?;
        Some(standard.modes().iter().map(|mode| mode.rate.to_string()).collect())
    }

    /// Returns the names that a key may have as its value, if its value names an entry of a table.
    fn entries(&self, path: &[PathStep]) -> Option<Vec<&str>> {
        let key =
            path.iter().rev().find_map(|step| if let PathStep::Key(key) = step { Some(key.as_str()) } else { None })?;
        let (_, part) = NAMES_OF.iter().find(|(known, _)| *known == key).filter(|_| path.len() >= 3)?;
        Some(self.changed.at(part)?.as_table()?.keys().map(String::as_str).collect())
    }
}

/// The menu of the kinds of a tagged union, and of the words that the key accepts in addition.
fn kinds_menu(forms: &Forms) -> Widget {
    let kinds = forms.kinds.iter().map(|kind| {
        let value = start::initial_member(kind.name, kind.table, forms.named).to_string();
        build_choice(kind.name, value, kind.meaning)
    });
    let words = forms.words.iter().map(|word| build_choice(word.word, quote_toml(word.word), word.meaning));
    Widget::Menu { choices: kinds.chain(words).collect() }
}

/// The menu for creating a missing table.
fn table_menu(forms: &Forms, start: String) -> Widget {
    let words = forms.words.iter().map(|word| build_choice(word.word, quote_toml(word.word), word.meaning));
    Widget::Menu { choices: words.chain([build_choice("on", start, "")]).collect() }
}

/// The last key of a path.
fn last_key(path: &[PathStep]) -> &str {
    path.iter()
        .rev()
        .find_map(|step| match step {
            PathStep::Key(key) => Some(key.as_str()),
            PathStep::Item(_) => None,
        })
        .unwrap_or_default()
}

fn build_choice(label: &str, value: String, meaning: &str) -> Choice {
    let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
    Choice { label: label.to_owned(), value, meaning }
}

/// A text in the quotes of TOML.
fn quote_toml(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A value in readable form: text without quotes, and the name of a member.
fn format_tree_value(value: &Value) -> String {
    let text = match &value.data {
        ValueData::Table(table) => match table.get(engine::tagged::KIND).and_then(Value::text) {
            Some(kind) => kind.to_owned(),
            None => value.to_toml().to_string(),
        },
        _ => format_axis_value(&value.to_toml()),
    };
    if text.len() > MAX_SHOWN { format!("({} characters)", text.chars().count()) } else { text }
}

fn format_default(default: &Json) -> String {
    match default {
        Json::String(text) => text.clone(),
        Json::Object(table) if table.contains_key(engine::tagged::KIND) => format_default(&table[engine::tagged::KIND]),
        other => toml::Value::try_from(other).map_or_else(|_| other.to_string(), |value| value.to_string()),
    }
}

/// The number of steps to the group of a key: links, flows and the like have a group for each name.
fn group_depth(path: &[PathStep]) -> usize {
    let part = Shape::at(&path[..1]);
    match path.len() {
        3.. if part.has_names() => 2,
        2.. if part.kinds().is_empty() => 1,
        _ => 0,
    }
}

/// Whether an assignment can name an entry.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '"', '\''])
}

/// Formats a path as in assignments: a name with a dot or bracket is in quotes.
fn format_assignment_path(path: &[PathStep]) -> String {
    path.iter().fold(String::new(), |mut written, step| {
        match step {
            PathStep::Key(key) => {
                if !written.is_empty() {
                    written.push('.');
                }
                if key.contains(['.', '[', ' ']) {
                    written.push_str(&format!("\"{key}\""));
                } else {
                    written.push_str(key);
                }
            }
            PathStep::Item(number) => written.push_str(&format!("[{number}]")),
        }
        written
    })
}
