//! Axes over files: `{ files = "traces/*.log" }` is the list of files with matching names, relative to the scenario.

use std::path::{Path, PathBuf};

use toml::{Table, Value};
use wildmatch::WildMatch;

use crate::Files;
use crate::problem::Problem;

/// Returns `table`, found at `key`, with each pattern of files replaced by the names of the matching files, in order.
/// Patterns are relative to the scenario's file.
///
/// # Errors
/// No file matches a pattern.
pub fn expand_file_patterns(table: &Table, key: &str, files: &dyn Files, beside: &Path) -> Result<Table, Problem> {
    let mut all = Table::new();
    for (name, value) in table {
        let key = format!("{key}.{name}");
        let value = match value {
            Value::Table(inner) => match parse_file_pattern(inner) {
                Some(pattern) => Value::Array(list_matching_files(pattern, &key, files, beside)?),
                None => Value::Table(expand_file_patterns(inner, &key, files, beside)?),
            },
            other => other.clone(),
        };
        all.insert(name.clone(), value);
    }
    Ok(all)
}

/// The pattern of a table with the key `files` alone.
fn parse_file_pattern(table: &Table) -> Option<&str> {
    table.get("files").filter(|_| table.len() == 1)?.as_str()
}

fn list_matching_files(pattern: &str, key: &str, files: &dyn Files, beside: &Path) -> Result<Vec<Value>, Problem> {
    let (dir, name) = pattern.rsplit_once('/').map_or(("", pattern), |(dir, name)| (dir, name));
    let folder = beside.parent().unwrap_or(Path::new("")).join(dir);
    let wanted = WildMatch::new(name);
    let is_wanted = |path: &PathBuf| path.file_name().is_some_and(|name| wanted.matches(&name.to_string_lossy()));
    let found = files.entries(&folder).into_iter().filter(|path| is_wanted(path) && !files.is_dir(path));
    let mut names: Vec<String> =
        found.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    names.sort();
    if names.is_empty() {
        let problem = Problem::new(format!("files in {} that match; * is any text, ? a character", folder.display()));
        return Err(problem.key(key).found(format!("\"{pattern}\"")));
    }
    let beside_scenario = |name: String| if dir.is_empty() { name } else { format!("{dir}/{name}") };
    Ok(names.into_iter().map(|name| Value::String(beside_scenario(name))).collect())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    struct Folder;

    impl Files for Folder {
        fn read(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn exists(&self, _: &Path) -> bool {
            true
        }

        fn is_dir(&self, path: &Path) -> bool {
            path.ends_with("c.log")
        }

        fn entries(&self, dir: &Path) -> Vec<PathBuf> {
            assert_eq!(dir, Path::new("here/traces"));
            ["b.log", "a.log", "c.log", "a.txt"].map(|name| dir.join(name)).to_vec()
        }
    }

    fn of(text: &str) -> Result<Table, Problem> {
        expand_file_patterns(&text.parse().expect("TOML"), "sweep.axes", &Folder, Path::new("here/x.toml"))
    }

    #[test]
    fn pattern_is_replaced_by_the_sorted_names_of_files() {
        let found = of("links.air.link_trace.file = { files = \"traces/*.log\" }\nseed = [1, 2]").expect("files match");
        let expected = "links.air.link_trace.file = [\"traces/a.log\", \"traces/b.log\"]\nseed = [1, 2]";
        assert_eq!(found, expected.parse::<Table>().expect("TOML"));
    }

    #[test]
    fn pattern_without_a_file_is_an_error_with_its_key() {
        let problem = of("a.b = { files = \"traces/*.csv\" }").expect_err("no file matches");
        assert_eq!(problem.key.as_deref(), Some("sweep.axes.a.b"));
        assert!(problem.to_string().contains("here/traces"), "{problem}");
    }
}
