//! Adds a dummy member to every registry in a copy of the tree, and checks that one file and its lines suffice: the
//! dummy changes the results of a scenario that names it, is listed, appears in schema and reference, and passes the
//! contract tests.

mod registries;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::tree::{self, write_file};
use crate::workspace;
use registries::{DUMMIES, Dummy, Registry};

/// Modules of tests that run every member of the registries.
const CONTRACTS: [(&str, &[&str]); 3] = [
    ("lasthop-tcp", &["contracts", "control_contracts", "settings"]),
    (
        "lasthop-path",
        &[
            "contracts",
            "agent_contracts",
            "arq_contracts",
            "queue_contracts",
            "scheduler_contracts",
            "settings",
            "traits",
        ],
    ),
    ("lasthop-sim", &["app_contracts"]),
];

/// Runs the census.
pub fn run_census() -> Result<(), String> {
    let folder = workspace::target_folder().join("census");
    let tree = folder.join("tree");
    tree::copy_tracked(&tree)?;
    let registries = registries::find_registries(&tree)?;
    for registry in &registries {
        let dummy = registries::dummy_of(registry)?;
        add_dummy(&tree, registry, dummy)?;
    }
    let cargo = || {
        let mut cargo = workspace::cargo_command();
        cargo.current_dir(&tree).env("CARGO_TARGET_DIR", folder.join("target"));
        cargo
    };
    workspace::run_command(cargo().args(["build", "--profile", "quick", "--package", "lasthop"]))?;
    let program = folder.join("target/quick/lasthop");
    let mut wrong = Vec::new();
    for dummy in &DUMMIES {
        wrong.extend(compare_results(&program, &folder, dummy)?);
    }
    let listed = workspace::read_output(Command::new(&program).arg("list"))?;
    let lines = listed.lines().filter(|line| line.split_whitespace().next() == Some("dummy")).count();
    if lines != registries.len() {
        wrong.push(format!("`lasthop list` shows {lines} of {} dummies", registries.len()));
    }
    // The pages in the copy are regenerated from its code.
    let pages = ["test", "--profile", "quick", "--package", "lasthop-scenario", "--test", "suite", "defaults::"];
    workspace::run_command(cargo().args(pages).env("UPDATE_GOLDEN", "1"))?;
    wrong.extend(find_undocumented(&tree)?);
    for (package, modules) in CONTRACTS {
        let modules = modules.iter().map(|module| format!("{module}::")).collect::<Vec<_>>();
        let contracts = ["test", "--profile", "quick", "--package", package, "--test", "suite", "--"];
        let listed = workspace::read_output(cargo().args(contracts).args(["--list", "--format", "terse"]))?;
        wrong.extend(
            modules
                .iter()
                .filter(|module| !listed.lines().any(|test| test.starts_with(module.as_str())))
                .map(|module| format!("{package} has no tests in {module}")),
        );
        if let Err(error) = workspace::run_command(cargo().args(contracts).args(&modules)) {
            wrong.push(error);
        }
    }
    workspace::print_text(&format!("\n{}", registries::render_registries(&registries)?))?;
    if wrong.is_empty() {
        workspace::print_text(&format!("{} registries, each extended by one file and its lines\n", registries.len()))
    } else {
        Err(wrong.join("\n"))
    }
}

/// Adds the file and the lines of the dummy.
fn add_dummy(tree: &Path, registry: &Registry, dummy: &Dummy) -> Result<(), String> {
    let file = tree.join(&registry.file);
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    write_file(&file, registries::with_dummy(&text, registry)?.as_bytes())?;
    write_file(&file.with_file_name("dummy.rs"), dummy.source.as_bytes())
}

/// Runs a scenario with the dummy and without it. The results must differ.
fn compare_results(program: &Path, folder: &Path, dummy: &Dummy) -> Result<Option<String>, String> {
    let run = |name: &str, set: Option<&str>| {
        let file = folder.join(name);
        write_file(&file, dummy.scenario.as_bytes())?;
        let mut command = Command::new(program);
        command.arg("run").arg(&file).args(["--json", "--no-out", "--quiet"]);
        command.args(set.iter().flat_map(|set| ["--set", set]));
        let summary = workspace::read_output(&mut command)?;
        extract_results(&summary).map(str::to_owned)
    };
    let (without, with) = (run("census.toml", dummy.beside)?, run("census.toml", Some(dummy.set))?);
    Ok((without == with).then(|| format!("`--set {}` changes nothing", dummy.set)))
}

/// The results in a summary: the text after the title and the names of schemes.
fn extract_results(summary: &str) -> Result<&str, String> {
    let results = summary.split_once("\"simulated_s\"").map(|(_, results)| results);
    results.ok_or_else(|| format!("no \"simulated_s\" in this summary:\n{summary}"))
}

/// Returns which of the schema and the reference lack dummies after both were regenerated.
fn find_undocumented(tree: &Path) -> Result<Vec<String>, String> {
    let read = |name: &str| fs::read_to_string(tree.join(name)).map_err(|error| format!("{name}: {error}"));
    let (schema, reference) = (read("docs/scenario.schema.json")?, read("docs/reference/scenario.md")?);
    // The sender's part of a scheme has no key.
    let expected = DUMMIES.iter().filter(|dummy| dummy.what != "response").count();
    let count = |text: &str, of: &str| text.matches(of).count();
    let found = [
        ("schema", count(&schema, "\"const\": \"dummy\"")),
        ("reference", count(&reference, "`\"dummy\"`").max(count(&reference, "`dummy`"))),
    ];
    Ok(found
        .iter()
        .filter(|(_, found)| *found < expected)
        .map(|(page, found)| format!("the {page} shows {found} of {expected} dummies"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_registry_has_a_dummy_member_that_adds_two_lines() {
        let registries = registries::find_registries(&workspace::root_folder()).unwrap();
        assert!(registries.len() >= 13, "{registries:?}");
        assert_eq!(registries.len(), DUMMIES.len());
        for registry in &registries {
            registries::dummy_of(registry).unwrap();
            let text = fs::read_to_string(workspace::root_folder().join(&registry.file)).unwrap();
            let with = registries::with_dummy(&text, registry).unwrap();
            assert_eq!(with.lines().count(), text.lines().count() + 2, "{registry:?}");
        }
    }

    #[test]
    fn summary_without_results_is_an_error() {
        assert_eq!(extract_results("{\"title\": 1, \"simulated_s\": 2}"), Ok(": 2}"));
        assert!(extract_results("{}").is_err());
    }

    #[test]
    fn table_of_files_equals_the_table_in_the_docs() {
        let table =
            registries::render_registries(&registries::find_registries(&workspace::root_folder()).unwrap()).unwrap();
        let page = fs::read_to_string(workspace::root_folder().join("CONTRIBUTING.md")).unwrap();
        assert!(page.contains(&table), "CONTRIBUTING.md lacks this table:\n{table}");
    }
}
