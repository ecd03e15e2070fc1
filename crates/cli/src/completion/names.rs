//! The names that an argument accepts.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};
use clap_complete::engine::CompletionCandidate;
use lab::catalogue::{CATALOGUE, Section};
use lab::features::is_available;
use lab::load::{Overrides, open_from_disk};
use scenario::controls::{Control, Widget, find_bare_name_key, list_controls};

/// Number of keys above which keys are completed step by step.
const MAX_KEYS: usize = 40;

/// Arguments that name an entry of a table of the scenario, each with the table and what follows the name.
const ENTRIES: [(&str, &str, &str); 5] = [
    ("flow", "flows", ""),
    ("node", "nodes", ""),
    ("medium", "media", ""),
    ("and", "nodes", "="),
    ("tun", "nodes", "="),
];

/// The kind of names that an argument accepts.
pub enum ArgumentNames {
    /// A member of the catalogue.
    Member(&'static Section),
    /// A section of the catalogue.
    Sections,
    /// A key of the scenario, and its value.
    Assignment,
    /// An entry of a table of the scenario, with the text that follows the entry.
    Entry(&'static str, &'static str),
}

impl ArgumentNames {
    /// Returns the kind of names that an argument of a command accepts; `None` for any other argument, such as a file.
    pub fn of_argument(command: &str, arg: &Arg) -> Option<Self> {
        let id = arg.get_id().as_str();
        if let Some(section) = CATALOGUE.iter().find(|section| is_accepted(section, command, arg)) {
            return Some(ArgumentNames::Member(section));
        }
        let entry = ENTRIES.iter().find(|(name, ..)| *name == id);
        match (command, id) {
            ("list", "kind") => Some(ArgumentNames::Sections),
            (_, "set") => Some(ArgumentNames::Assignment),
            _ => entry.map(|(_, table, end)| ArgumentNames::Entry(table, end)),
        }
    }

    /// Candidates that begin with a word; the word may be a comma-separated list of names.
    pub fn candidates(&self, word: &OsStr, typed: Option<&ArgMatches>) -> Vec<CompletionCandidate> {
        let Some(word) = word.to_str() else { return Vec::new() };
        let assignment = matches!(self, ArgumentNames::Assignment);
        let list = word.rfind(',').filter(|_| !assignment).map_or("", |comma| &word[..=comma]);
        let all = match self {
            ArgumentNames::Member(section) => (section.members)()
                .into_iter()
                .filter(|(name, _)| is_available(section.plural, name))
                .map(|(name, summary)| {
                    CompletionCandidate::new(format!("{list}{name}")).help(Some(first_line(&summary).into()))
                })
                .collect(),
            ArgumentNames::Sections => {
                CATALOGUE.iter().map(|section| CompletionCandidate::new(section.plural)).collect()
            }
            ArgumentNames::Assignment => complete_assignment(word, &controls_of(typed)),
            ArgumentNames::Entry(table, end) => list_entries(table, &controls_of(typed))
                .iter()
                .map(|name| CompletionCandidate::new(format!("{list}{name}{end}")))
                .collect(),
        };
        let begins = |candidate: &CompletionCandidate| candidate.get_value().to_string_lossy().starts_with(word);
        all.into_iter().filter(begins).collect()
    }
}

/// Whether a section says that an argument accepts its names: `--trace` in any command, `lasthop reproduce`, or `lasthop
/// export --format`.
fn is_accepted(section: &Section, command: &str, arg: &Arg) -> bool {
    let option = arg.get_long().map(|long| format!("--{long}"));
    section.place.split(", ").any(|place| match place.strip_prefix("lasthop ") {
        Some(place) => {
            let (name, wanted) = place.split_once(' ').map_or((place, None), |(name, wanted)| (name, Some(wanted)));
            name == command && wanted == option.as_deref() && (option.is_some() || arg.is_positional())
        }
        None => option.as_deref() == Some(place),
    })
}

/// A single line, as some shells require.
fn first_line(summary: &str) -> String {
    summary.lines().next().unwrap_or_default().to_owned()
}

/// Returns the controls of the scenario on the line; empty without a scenario, or if the text of the scenario is not
/// TOML.
fn controls_of(typed: Option<&ArgMatches>) -> Vec<Control> {
    // Names of the argument in different commands.
    let path = |id: &&str| typed?.try_get_one::<PathBuf>(id).ok().flatten();
    let Some(path) = ["file", "scenario"].iter().find_map(path) else { return Vec::new() };
    if !is_regular(path) {
        // Reading a pipe would consume input of the command.
        return Vec::new();
    }
    let unchanged = Overrides::default();
    open_from_disk(path, &unchanged).map(|source| list_controls(&source, &unchanged)).unwrap_or_default()
}

fn is_regular(path: &Path) -> bool {
    path.is_file() || path.is_dir()
}

/// The names in a table.
fn list_entries(table: &str, controls: &[Control]) -> BTreeSet<String> {
    let below = |control: &Control| {
        let path = control.path.strip_prefix(table)?.strip_prefix('.')?;
        path.split_once('.').map(|(name, _)| name.to_owned())
    };
    controls.iter().filter_map(below).collect()
}

/// The completions of a word: keys that begin with the word, or values if the word is `KEY=`.
fn complete_assignment(word: &str, controls: &[Control]) -> Vec<CompletionCandidate> {
    if let Some((key, _)) = word.split_once('=') {
        let bare = find_bare_name_key(key);
        let has_values = |control: &&Control| control.path == key || Some(&control.path) == bare.as_ref();
        return controls.iter().filter(has_values).flat_map(|control| complete_values(key, control)).collect();
    }
    // A union and all its members have one key. Items of lists are set together.
    let mut known = BTreeSet::new();
    let mut keys: Vec<&Control> = controls.iter().filter(|control| control.path.starts_with(word)).collect();
    keys.retain(|control| !control.path.contains('[') && known.insert(control.path.as_str()));
    if keys.len() <= MAX_KEYS {
        let key = |control: &&Control| {
            CompletionCandidate::new(format!("{}=", control.path)).help(Some(first_line(&control.meaning).into()))
        };
        return keys.iter().map(key).collect();
    }
    let next_step = |control: &&Control| match control.path[word.len()..].find('.') {
        Some(dot) => control.path[..=word.len() + dot].to_owned(),
        None => format!("{}=", control.path),
    };
    keys.iter().map(next_step).collect::<BTreeSet<_>>().into_iter().map(CompletionCandidate::new).collect()
}

/// The values of a control as values of `key`, each as `KEY=VALUE` in one word for the shell.
fn complete_values(key: &str, control: &Control) -> Vec<CompletionCandidate> {
    let value = |value: &str, meaning: &str| {
        let help = Some(first_line(meaning)).filter(|help| !help.is_empty());
        CompletionCandidate::new(format!("{key}={value}")).help(help.map(Into::into))
    };
    match &control.widget {
        Widget::Menu { choices } => {
            let plain = |value: &str| value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
            let choices = choices.iter().map(|choice| (choice.value.trim_matches('"'), &choice.meaning));
            choices.filter(|(value, _)| plain(value)).map(|(name, meaning)| value(name, meaning)).collect()
        }
        Widget::Switch => ["true", "false"].map(|name| value(name, "")).into(),
        Widget::Slider { .. } | Widget::Text { .. } => Vec::new(),
    }
}
