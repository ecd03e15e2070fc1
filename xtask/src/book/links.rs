//! Check of the links between files of the repository.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::page;
use crate::workspace;

/// Folders whose Markdown files are not part of the repository, or not documentation.
const LEFT_OUT: [&str; 5] = ["target", ".git", "corpus", "golden", "node_modules"];

/// A link to a file or folder of the repository.
pub struct PageLink {
    /// Path from the root of the repository.
    pub path: PathBuf,
    pub anchor: Option<String>,
}

impl PageLink {
    /// The link that `target` is on the page at `page`; `None` for addresses of the Web.
    pub fn of(page: &Path, target: &str) -> Option<Self> {
        if target.contains("://") || target.starts_with("mailto:") {
            return None;
        }
        let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
        let path = if path.is_empty() { page.to_owned() } else { normalize_path(&page.parent()?.join(path))? };
        Some(PageLink { path, anchor: anchor.map(str::to_owned) })
    }
}

/// Returns a path without `.` and `..`; `None` if the path leaves the repository.
fn normalize_path(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => plain.pop().then_some(())?,
            Component::Normal(name) => plain.push(name),
            _ => {}
        }
    }
    Some(plain)
}

/// Fails if a link of any Markdown file leads nowhere.
pub fn check_links() -> Result<(), String> {
    let root = workspace::root_folder();
    let mut broken = Vec::new();
    for page in list_pages(&root, Path::new(""))? {
        let text = read_page(&root.join(&page))?;
        for target in page::list_targets(&text) {
            if let Some(reason) = find_fault(&root, &page, &target)? {
                broken.push(format!("{}: [{target}]: {reason}", page.display()));
            }
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(format!("broken links:\n{}", broken.join("\n"))) }
}

/// The fault of a link.
fn find_fault(root: &Path, page: &Path, target: &str) -> Result<Option<String>, String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(None);
    }
    let Some(link) = PageLink::of(page, target) else { return Ok(Some("outside of the repository".to_owned())) };
    let file = root.join(&link.path);
    if !file.exists() {
        return Ok(Some(format!("there is no {}", link.path.display())));
    }
    let Some(anchor) = link.anchor.filter(|_| file.extension().is_some_and(|ending| ending == "md")) else {
        return Ok(None);
    };
    let anchors = page::list_anchors(&read_page(&file)?);
    Ok((!anchors.contains(&anchor)).then(|| format!("{} has no heading #{anchor}", link.path.display())))
}

/// Returns the paths of all Markdown files below `folder`, relative to the root, without symbolic links.
pub fn list_pages(root: &Path, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let failed = |error| format!("{}: {error}", root.join(folder).display());
    for entry in fs::read_dir(root.join(folder)).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let path = folder.join(entry.file_name());
        if kind.is_dir() && !LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
            found.extend(list_pages(root, &path)?);
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

pub fn read_page(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_leads_to_a_file_and_a_heading() {
        check_links().unwrap();
    }

    #[test]
    fn broken_links_are_named_with_the_reason() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("docs")).unwrap();
        fs::write(root.path().join("README.md"), "# Title\n").unwrap();
        let fault =
            |target: &str| find_fault(root.path(), Path::new("docs/page.md"), target).unwrap().unwrap_or_default();
        assert_eq!(fault("../README.md#title"), "");
        assert_eq!(fault("https://example.org/none"), "");
        assert_eq!(fault("../README.md#other"), "README.md has no heading #other");
        assert_eq!(fault("other.md"), "there is no docs/other.md");
        assert_eq!(fault("../../outside.md"), "outside of the repository");
    }
}
