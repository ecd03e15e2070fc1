//! Folder that mdBook reads.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::links::{PageLink, read_page};
use super::{SUMMARY, page};

const SETTINGS: &str = r#"[book]
title = "lasthop"
language = "en"
src = "src"

[build]
build-dir = "html"
create-missing = false

[output.html]
no-section-label = true
"#;

/// Writes `book.toml` and `src` in `folder`, from the repository at `root`.
pub fn write_stage(root: &Path, folder: &Path) -> Result<(), String> {
    let sources = folder.join("src");
    if sources.exists() {
        fs::remove_dir_all(&sources).map_err(|error| format!("{}: {error}", sources.display()))?;
    }
    for file in list_linked_files(root)? {
        if file.extension().is_some_and(|ending| ending == "md") {
            let page = link_to_index(&without_folders(root, &file, &read_page(&root.join(&file))?));
            write_bytes(&sources.join(place_of_page(&file)), page.as_bytes())?;
            continue;
        }
        let bytes = fs::read(root.join(&file)).map_err(|error| format!("{}: {error}", file.display()))?;
        write_bytes(&sources.join(&file), &bytes)?;
    }
    write_bytes(&sources.join("SUMMARY.md"), rewrite_summary(&read_page(&root.join(SUMMARY))?)?.as_bytes())?;
    write_bytes(&folder.join("book.toml"), SETTINGS.as_bytes())
}

/// The pages of the book, from the root of the repository.
fn list_chapters(root: &Path) -> Result<BTreeSet<PathBuf>, String> {
    let targets = page::list_targets(&read_page(&root.join(SUMMARY))?);
    Ok(targets.iter().filter_map(|target| PageLink::of(Path::new(SUMMARY), target)).map(|link| link.path).collect())
}

/// The pages, and the files linked from them.
fn list_linked_files(root: &Path) -> Result<BTreeSet<PathBuf>, String> {
    let chapters = list_chapters(root)?;
    let mut files = chapters.clone();
    for chapter in &chapters {
        let links = page::list_targets(&read_page(&root.join(chapter))?);
        let linked = links.iter().filter_map(|target| PageLink::of(chapter, target)).map(|link| link.path);
        files.extend(linked.filter(|path| root.join(path).is_file()));
    }
    Ok(files)
}

/// Rewrites the list of pages, with paths from the root of the repository instead of from the list's own folder.
fn rewrite_summary(text: &str) -> Result<String, String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let link = line.strip_suffix(')').and_then(|line| line.rsplit_once("]("));
        let Some((title, target)) = link.filter(|(_, target)| !target.is_empty()) else {
            lines.push(line.to_owned());
            continue;
        };
        let link = PageLink::of(Path::new(SUMMARY), target).ok_or(format!("{SUMMARY}: {target} is no page"))?;
        lines.push(format!("{title}]({})", link.path.display()));
    }
    Ok(link_to_index(&(lines.join("\n") + "\n")))
}

/// Makes links to a README lead to `index.md`: mdBook makes `index.html` of a README, but keeps links to `README.html`.
fn link_to_index(text: &str) -> String {
    text.replace("README.md)", "index.md)").replace("README.md#", "index.md#")
}

/// Replaces links to folders by the names of the folders, because a book has no page for a folder.
fn without_folders(root: &Path, page: &Path, text: &str) -> String {
    let leads_to_folder = |target: &str| PageLink::of(page, target).is_some_and(|link| root.join(link.path).is_dir());
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("](") {
        let link = after.split_once(')').zip(before.rsplit_once('['));
        match link.filter(|((target, _), _)| leads_to_folder(target)) {
            Some(((_, after), (before, name))) => {
                plain.extend([before, name]);
                rest = after;
            }
            None => {
                plain.extend([before, "]("]);
                rest = after;
            }
        }
    }
    plain + rest
}

/// Returns the path of a page, which is `index.md` for a README.
fn place_of_page(page: &Path) -> PathBuf {
    if page.ends_with("README.md") { page.with_file_name("index.md") } else { page.to_owned() }
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let written = fs::create_dir_all(path.parent().unwrap_or(path)).and_then(|()| fs::write(path, bytes));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::links;
    use crate::workspace;

    #[test]
    fn every_page_of_the_documentation_is_in_the_book() {
        let root = workspace::root_folder();
        let chapters = list_chapters(&root).unwrap();
        let pages = links::list_pages(&root, Path::new("docs")).unwrap();
        let missing: Vec<_> =
            pages.iter().filter(|page| page.as_path() != Path::new(SUMMARY) && !chapters.contains(*page)).collect();
        assert!(missing.is_empty(), "not in {SUMMARY}: {missing:?}");
    }

    #[test]
    fn links_to_folders_become_names() {
        let text = "See [docs](docs), [the `tutorial`](docs/tutorial.md) and [both](docs/) (in `a[0]`).\n";
        let plain = without_folders(&workspace::root_folder(), Path::new("README.md"), text);
        assert_eq!(plain, "See docs, [the `tutorial`](docs/tutorial.md) and both (in `a[0]`).\n");
    }

    #[test]
    fn staged_book_has_its_pages_and_linked_files() {
        let folder = tempfile::tempdir().unwrap();
        write_stage(&workspace::root_folder(), folder.path()).unwrap();
        let sources = folder.path().join("src");
        for file in ["SUMMARY.md", "index.md", "docs/adr/index.md", "docs/tutorial.md", "docs/scenario.schema.json"] {
            assert!(sources.join(file).is_file(), "{file}");
        }
        let summary = fs::read_to_string(sources.join("SUMMARY.md")).unwrap();
        assert!(summary.contains("](docs/tutorial.md)") && summary.contains("](CHANGELOG.md)"), "{summary}");
        assert!(summary.contains("](docs/adr/index.md)") && !summary.contains("README"), "{summary}");
    }
}
