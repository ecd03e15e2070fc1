//! Counts words and phrases in the repository's prose for which the field has standard terms.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace;

/// The words, one per line, with the replacement after " | ".
const WORDS: &str = "xtask/dialect-words.txt";

/// Maximum number of occurrences per 1000 words of prose. It is the last measurement, rounded up, and is only lowered.
/// The goal is 0.15.
const LIMIT: f64 = 0.07;

/// The places with prose: comments and messages of the crates, and the documentation.
const PLACES: [&str; 8] =
    ["crates", "xtask/src", "examples", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "fuzz/inputs"];

/// Counts the words of the list, and fails if there are more than the limit.
pub fn check_words() -> Result<(), String> {
    let list = fs::read_to_string(workspace::root_folder().join(WORDS)).map_err(|error| format!("{WORDS}: {error}"))?;
    let phrases = parse_phrases(&list);
    let mut files = Vec::new();
    PLACES.iter().for_each(|place| collect_files(&workspace::root_folder().join(place), &mut files));
    let (mut words, mut by_phrase, mut by_file) = (0, BTreeMap::new(), Vec::new());
    for file in &files {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let prose = match file.extension().and_then(|ending| ending.to_str()) {
            Some("rs") => of_rust(&text),
            Some("toml") => of_toml(&text),
            _ => of_markdown(&text),
        };
        let prose = words_of(&prose);
        words += prose.len();
        let mut here = 0;
        for phrase in &phrases {
            let count = count_occurrences(&prose, phrase);
            here += count;
            *by_phrase.entry(phrase.join(" ")).or_insert(0) += count;
        }
        by_file.push((here, file));
    }
    let found: usize = by_phrase.values().sum();
    let rate = 1000.0 * found as f64 / words.max(1) as f64;
    let mut report = format!("{found} of {words} words: {rate:.2} per 1000, at most {LIMIT}\n\n");
    let mut most: Vec<_> = by_phrase.iter().filter(|(_, count)| **count > 0).collect();
    most.sort_by_key(|(phrase, count)| (std::cmp::Reverse(**count), *phrase));
    most.iter().for_each(|(phrase, count)| report += &format!("{count:6} {phrase}\n"));
    by_file.sort_by_key(|(count, file)| (std::cmp::Reverse(*count), *file));
    report += "\n";
    for (count, file) in by_file.iter().take(10).filter(|(count, _)| *count > 0) {
        report += &format!("{count:6} {}\n", file.strip_prefix(workspace::root_folder()).unwrap_or(file).display());
    }
    workspace::print_text(&report)?;
    if rate <= LIMIT {
        Ok(())
    } else {
        Err(format!("{rate:.2} words of {WORDS} per 1000 words of prose, at most {LIMIT}"))
    }
}

/// The phrases of the list, each as its words.
fn parse_phrases(list: &str) -> Vec<Vec<String>> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| words_of(line.split(" | ").next().unwrap_or(line))).collect()
}

fn collect_files(place: &Path, files: &mut Vec<PathBuf>) {
    if place.is_dir() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        // Output of programs is not prose, and neither are lists of words.
        let written = |path: &Path| {
            let skipped = ["golden", "corpus", "words.rs", "phrases.rs"];
            path.file_name().is_some_and(|name| skipped.iter().any(|skipped| name == *skipped))
        };
        entries.iter().filter(|path| !written(path)).for_each(|path| collect_files(path, files));
    } else if place.extension().is_some_and(|ending| ["rs", "toml", "md"].iter().any(|known| ending == *known)) {
        files.push(place.to_owned());
    }
}

/// Comments and string literals.
fn of_rust(text: &str) -> String {
    let mut prose = String::new();
    for line in text.lines() {
        let (code, comment) = match line.find("//") {
            Some(at) if line[..at].matches('"').count() % 2 == 0 => (&line[..at], &line[at..]),
            _ => (line, ""),
        };
        code.split('"').skip(1).step_by(2).for_each(|message| prose += &format!("{message}\n"));
        prose += &format!("{comment}\n");
    }
    prose
}

/// Comments and titles.
fn of_toml(text: &str) -> String {
    let kept = |line: &&str| line.starts_with('#') || line.starts_with("title");
    text.lines().filter(kept).collect::<Vec<_>>().join("\n")
}

/// All text outside of code blocks.
fn of_markdown(text: &str) -> String {
    text.split("```").step_by(2).collect::<Vec<_>>().join("\n")
}

/// The words of a text in lower case, without code between backticks.
fn words_of(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| match line.matches('`').count() % 2 {
        0 => line.split('`').step_by(2).collect::<Vec<_>>().join(" ` "),
        _ => line.to_owned(),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_');
    words.filter(|word| word.chars().any(char::is_alphabetic)).map(str::to_lowercase).collect()
}

fn count_occurrences(words: &[String], phrase: &[String]) -> usize {
    words.windows(phrase.len().max(1)).filter(|window| *window == phrase).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(prose: &str, phrase: &str) -> usize {
        count_occurrences(&words_of(prose), &words_of(phrase))
    }

    #[test]
    fn phrases_are_found_as_whole_words_in_any_case_across_lines() {
        assert_eq!(count("Nobody\n/// knows, nobody.", "nobody"), 2);
        assert_eq!(count("/// It waits for\n/// ever and forever", "for ever"), 1);
        assert_eq!(count("renewed", "anew"), 0);
    }

    #[test]
    fn code_is_not_counted() {
        let rust = "let nobody = 3; // anew\nlet text = \"so many\"; nobody();\n";
        assert_eq!([count(&of_rust(rust), "nobody"), count(&of_rust(rust), "anew")], [0, 1]);
        assert_eq!(count(&of_rust(rust), "so many"), 1);
        assert_eq!(count(&of_markdown("nobody\n```sh\nnobody\n```\nnobody\n"), "nobody"), 2);
        assert_eq!([count("`None` if missing", "none if"), count("none if `missing`", "none if")], [0, 1]);
        assert_eq!(count(&of_toml("# nobody\nnobody = 3\ntitle = \"nobody\"\n"), "nobody"), 2);
    }

    #[test]
    fn list_lines_are_parsed_as_phrases_with_replacements() {
        assert_eq!(parse_phrases("# words\n\nfor ever | forever\nanew\n"), [vec!["for", "ever"], vec!["anew"]]);
    }
}
