//! The examples and lessons that the page offers.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::tree::write_file;

/// Copies the examples, the files that they name and the lessons, each with an index that the page reads.
pub fn write_catalogue(from: &Path, to: &Path) -> Result<(), String> {
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let mut examples = Vec::new();
    for name in list_names(from, "toml")? {
        let bytes = read(&from.join(&name))?;
        let text = String::from_utf8_lossy(&bytes);
        let table: toml::Table = text.parse().map_err(|error| format!("examples/{name}: {error}"))?;
        let files = list_referenced_files(from, &table);
        for file in &files {
            write_file(&to.join(file), &read(&from.join(file))?)?;
        }
        write_file(&to.join(&name), &bytes)?;
        let title = table.get("title").and_then(toml::Value::as_str).unwrap_or(&name).to_owned();
        examples.push(json!({ "name": name, "title": title, "sentence": first_sentence(&text), "files": files }));
    }
    write_index(&to.join("index.json"), examples)?;
    let mut lessons = Vec::new();
    for file in list_names(&from.join("lessons"), "md")? {
        let bytes = read(&from.join("lessons").join(&file))?;
        let text = String::from_utf8_lossy(&bytes);
        let head = text.split("+++").nth(1).unwrap_or_default();
        let head: toml::Table = head.parse().map_err(|error| format!("examples/lessons/{file}: {error}"))?;
        let of = |key: &str| head.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
        write_file(&to.join("lessons").join(&file), &bytes)?;
        lessons.push(json!({ "file": file, "title": of("title"), "question": of("question") }));
    }
    write_index(&to.join("lessons/index.json"), lessons)
}

fn write_index(path: &Path, entries: Vec<Value>) -> Result<(), String> {
    write_file(path, format!("{:#}\n", Value::Array(entries)).as_bytes())
}

/// The files of a folder with an ending, sorted.
fn list_names(folder: &Path, ending: &str) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let chosen = paths.filter(|path| path.extension().is_some_and(|extension| extension == ending));
    let mut names: Vec<String> =
        chosen.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    names.sort();
    Ok(names)
}

/// Files in a scenario's folder that are named in its texts.
fn list_referenced_files(beside: &Path, table: &toml::Table) -> Vec<String> {
    fn texts(value: &toml::Value, found: &mut Vec<String>) {
        match value {
            toml::Value::String(text) => found.push(text.clone()),
            toml::Value::Array(list) => list.iter().for_each(|value| texts(value, found)),
            toml::Value::Table(table) => table.values().for_each(|value| texts(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    table.values().for_each(|value| texts(value, &mut found));
    found.retain(|text| text.contains(['.', '/']) && beside.join(text).is_file());
    found.sort();
    found.dedup();
    found
}

/// The first sentence of the comment at the head.
fn first_sentence(text: &str) -> String {
    let comments = text.lines().take_while(|line| line.starts_with('#')).filter(|line| !line.starts_with("#:"));
    let lines = comments.map(|line| line.trim_start_matches('#')).take_while(|line| !line.starts_with("   "));
    let whole = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let end = whole.find(". ").map_or(whole.len(), |at| at + 1);
    whole[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentence_ends_at_the_first_stop_before_commands() {
        let text = "#:schema x\n# How many stations can\n# a cell serve? Two draw 0.5 of them. More.\n#   lasthop run x\ntitle = 1\n";
        assert_eq!(first_sentence(text), "How many stations can a cell serve? Two draw 0.5 of them.");
        assert_eq!(first_sentence("# Only this\n#   lasthop run x\n"), "Only this");
        assert_eq!(first_sentence("title = 1\n"), "");
    }

    #[test]
    fn named_files_are_found_and_other_texts_are_not() {
        let examples = crate::workspace::root_folder().join("examples");
        let table: toml::Table =
            "a = [{ file = \"walk.csv\" }, { file = \"recordings/norway_bus_1\" }]\nrate = \"0.5 Mbps\"\n[b]\nc = \"absent.csv\"".parse().unwrap();
        assert_eq!(list_referenced_files(&examples, &table), ["recordings/norway_bus_1", "walk.csv"]);
    }
}
