//! Check for import cycles between modules.
//!
//! A module and its descendants may use each other. The children of one module must have an order in which each child
//! uses only earlier children. A child includes its descendants. Test code is not checked.

mod graph;
mod source;

use std::fs;
use std::path::Path;

use graph::{Use, collect_siblings, find_cycles};
use source::{ModulePath, Modules};

use crate::workspace;

/// Fails if a crate of the workspace has an import cycle.
pub fn check_cycles() -> Result<(), String> {
    let mut found = Vec::new();
    for folder in list_packages()? {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let modules = Modules::read(&folder.join("src"))?;
        found
            .extend(collect_siblings(&modules).values().flat_map(find_cycles).map(|cycle| render_cycle(&name, &cycle)));
    }
    match found.len() {
        0 => Ok(()),
        count => Err(format!("{count} import cycles:\n\n{}", found.join("\n"))),
    }
}

/// Returns the folders of the workspace's packages.
fn list_packages() -> Result<Vec<std::path::PathBuf>, String> {
    let crates = workspace::root_folder().join("crates");
    let entries = fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))?;
    let mut folders: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.push(workspace::root_folder().join("xtask"));
    folders.retain(|folder| folder.join("src").is_dir());
    folders.sort();
    Ok(folders)
}

fn render_cycle(name: &str, cycle: &[(ModulePath, Use)]) -> String {
    let mut text = format!("{name}:\n");
    for (path, Use { file, line, path: used }) in cycle {
        let file = file.strip_prefix(workspace::root_folder()).unwrap_or(file);
        text.push_str(&format!("    {}: {}:{line} names {used}\n", path.join("::"), Path::display(file)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the modules on the first cycle of a crate with these files; empty if there is no cycle.
    fn cycle(files: &[(&str, &str)]) -> Vec<String> {
        let mut modules = Modules::default();
        for (path, text) in files {
            let module = path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
            modules.add(module, Path::new(path), text).unwrap();
        }
        let modules = modules.without_tests();
        let first = collect_siblings(&modules).values().flat_map(find_cycles).next().unwrap_or_default();
        first.into_iter().map(|(path, _)| path.join("::")).collect()
    }

    #[test]
    fn two_modules_that_import_each_other_are_a_cycle() {
        let a = ("a", "use crate::b::B; pub struct A;");
        assert_eq!(cycle(&[("", "mod a; mod b;"), a, ("b", "use super::a::A; pub struct B;")]), ["a", "b"]);
        assert_eq!(cycle(&[("", "mod a; mod b;"), a, ("b", "pub struct B;")]), [""; 0]);
    }

    #[test]
    fn uses_between_parent_and_child_are_no_cycle() {
        let child = "use super::Parent; pub struct Child;";
        assert_eq!(
            cycle(&[("", "mod a;"), ("a", "mod b; use b::Child; pub struct Parent;"), ("a::b", child)]),
            [""; 0]
        );
    }

    #[test]
    fn uses_by_descendants_count_for_the_module() {
        let files = [
            ("", "mod a; mod b;"),
            ("a", "pub mod inner; pub struct A;"),
            ("a::inner", "fn f() { crate::b::g() }"),
            ("b", "use crate::a::A; pub fn g() {}"),
        ];
        assert_eq!(cycle(&files), ["a", "b"]);
    }

    #[test]
    fn reexported_names_resolve_to_their_definition() {
        let a = ("a", "fn f(b: crate::B) {} pub struct A;");
        let b = ("b", "use crate::*; pub struct B(A);");
        assert_eq!(cycle(&[("", "mod a; mod b; pub use a::A; pub use b::B;"), a, b]), ["a", "b"]);
        // Without the glob import, `A` is not in scope in module b. Therefore module a is not used.
        assert_eq!(cycle(&[("", "mod a; mod b; pub use b::B;"), a, ("b", "pub struct B(A);")]), [""; 0]);
    }

    #[test]
    fn paths_in_bodies_macros_and_attributes_are_uses() {
        for a in [
            "fn f() -> bool { let x = vec![crate::b::B]; true }",
            "#[serde(with = \"crate::b::text\")] struct A;",
            "use crate::b as other; fn f() { other::g() }",
            "use crate::{b::{self, B}};",
            "mod inline { use super::super::b::B; }",
        ] {
            let b = ("b", "pub struct B; use crate::a; pub mod text {}");
            assert_eq!(cycle(&[("", "mod a; mod b;"), ("a", a), b]), ["a", "b"], "{a}");
        }
    }

    #[test]
    fn comments_strings_and_tests_are_no_uses() {
        let b = ("b", "pub struct B; use crate::a;");
        for a in [
            "/// As [`crate::b::B`].\nstruct A;",
            "fn f() { g(\"crate::b::B\") } // crate::b::B",
            "#[cfg(test)]\nmod tests { use crate::b::B; }",
            "#[cfg(test)] use crate::b::B;",
        ] {
            assert_eq!(cycle(&[("", "mod a; mod b;"), ("a", a), b]), [""; 0], "{a}");
        }
        let testing = ("a::testing", "use crate::b::B;");
        assert_eq!(cycle(&[("", "mod a; mod b;"), ("a", "#[cfg(test)] mod testing;"), testing, b]), [""; 0]);
    }

    #[test]
    fn workspace_has_no_import_cycles() {
        assert_eq!(check_cycles(), Ok(()));
    }
}
