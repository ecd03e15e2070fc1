//! Compilation of a crate's test programs with cargo.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::tree::Tree;
use crate::workspace;

/// Argument of `cargo test` for the unit tests only.
pub const OWN: &str = "--lib";
/// Argument of `cargo test` for the unit tests and the programs in the folder `tests`.
pub const ALL: &str = "--tests";

/// Name of the program with the tests of all modules in the folder `tests`.
const SUITE: &str = "suite";

/// A compiled test program, or a module of [`SUITE`]: with few tests per program a detected mutant is known earlier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestProgram {
    /// "lib" for the unit tests, or the name of a module or of another program in the folder `tests`.
    pub name: String,
    pub path: PathBuf,
    /// Tests to run; all if empty.
    pub tests: Vec<String>,
}

/// An error message of the compiler.
#[derive(PartialEq, Eq, Debug)]
pub struct Complaint {
    /// Files and byte ranges of the error; may be empty. The definition of a macro comes before its use.
    pub places: Vec<(String, Range<usize>)>,
    pub text: String,
}

/// Result of a compilation.
pub enum Built {
    Programs(Vec<TestProgram>),
    /// The compiler reported errors.
    Refused(Vec<Complaint>),
    /// The compiler timed out. Code that the compiler evaluates for constants may loop.
    Late,
}

/// Timeout of cargo, in seconds.
const PATIENCE: &str = "3600";

/// Compiles the tests of a crate in the copy of the workspace. `Err` if cargo failed for a reason other than the code.
pub fn compile_tests(tree: &Tree, package: &str, which: &str) -> Result<Built, String> {
    let mut cargo = cargo_in_copy(tree);
    cargo.args(["test", "--quiet", "--no-run", "--message-format=json", "-p", package, which]);
    let output = cargo.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot run `{}`: {error}", workspace::spell_command(&cargo)))?;
    let messages: Vec<Value> =
        output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    if output.status.success() {
        let mut programs = Vec::new();
        for program in messages.iter().filter_map(parse_program) {
            match program.name.as_str() {
                SUITE => programs.extend(split_modules(&program.path, &list_tests(&program.path)?)),
                _ => programs.push(program),
            }
        }
        return Ok(Built::Programs(programs));
    }
    if matches!(output.status.code(), Some(124 | 137)) {
        return Ok(Built::Late);
    }
    let complaints: Vec<Complaint> = messages.iter().filter_map(parse_complaint).collect();
    if complaints.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{}` failed ({}): {said}", workspace::spell_command(&cargo), output.status));
    }
    Ok(Built::Refused(complaints))
}

fn cargo_in_copy(tree: &Tree) -> Command {
    let mut cargo = Command::new("timeout");
    cargo.args(["--kill-after=10", PATIENCE]).arg(workspace::cargo_command().get_program());
    // Optimized enough that statistical tests take seconds instead of minutes. Lints are capped, since mutants cause
    // warnings.
    let settings = [("OPT_LEVEL", "1"), ("DEBUG", "false"), ("INCREMENTAL", "true")];
    cargo.envs(settings.map(|(name, value)| (format!("CARGO_PROFILE_DEV_{name}"), value)));
    cargo.current_dir(&tree.root).env("CARGO_TARGET_DIR", &tree.build).env("RUSTFLAGS", "--cap-lints=allow");
    cargo
}

fn parse_program(message: &Value) -> Option<TestProgram> {
    let target = &message["target"];
    let wanted = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let own = target["kind"].as_array()?.iter().any(|kind| kind == "lib");
    let name = if own { "lib" } else { target["name"].as_str()? };
    let path = message["executable"].as_str()?.into();
    wanted.then_some(TestProgram { name: name.to_owned(), path, tests: Vec::new() })
}

/// Returns the list of tests printed by a test program, one line each.
fn list_tests(program: &Path) -> Result<String, String> {
    workspace::read_output(Command::new(program).args(["--list", "--format", "terse"]))
}

/// Returns each module of a program with its tests, from a list of lines `MODULE::TEST: test`.
fn split_modules(path: &Path, list: &str) -> Vec<TestProgram> {
    let mut modules: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for test in list.lines().filter_map(|line| line.strip_suffix(": test")) {
        let module = test.split("::").next().unwrap_or(test);
        modules.entry(module).or_default().push(test.to_owned());
    }
    modules
        .into_iter()
        .map(|(name, tests)| TestProgram { name: name.to_owned(), path: path.to_owned(), tests })
        .collect()
}

fn parse_complaint(message: &Value) -> Option<Complaint> {
    let message = &message["message"];
    let text = message["rendered"].as_str()?;
    // The last message only states the number of errors.
    if message["level"] != "error" || text.starts_with("error: aborting due to ") {
        return None;
    }
    let spans = message["spans"].as_array()?.iter().filter(|span| span["is_primary"] == true);
    let places = spans.flat_map(|span| {
        let around = std::iter::successors(Some(span), |span| Some(&span["expansion"]["span"]));
        around.map_while(parse_place).collect::<Vec<_>>()
    });
    Some(Complaint { places: places.collect(), text: text.to_owned() })
}

fn parse_place(span: &Value) -> Option<(String, Range<usize>)> {
    let at = |key: &str| Some(span[key].as_u64()? as usize);
    Some((span["file_name"].as_str()?.to_owned(), at("byte_start")?..at("byte_end")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_test_programs_are_listed() {
        let built = |kind: &str, test: bool| {
            parse_program(&serde_json::json!({
                "reason": "compiler-artifact", "target": { "kind": [kind], "name": "order" },
                "profile": { "test": test }, "executable": "/build/order-1"
            }))
        };
        assert_eq!(
            built("test", true),
            Some(TestProgram { name: "order".into(), path: "/build/order-1".into(), tests: Vec::new() })
        );
        assert_eq!(built("lib", true).unwrap().name, "lib");
        assert_eq!(built("lib", false), None);
    }

    #[test]
    fn suite_is_divided_into_its_modules() {
        let list = "order::first: test\norder::deep::second: test\nheap::third: test\nheap::fourth: benchmark\n";
        let module = |name: &str, tests: &[&str]| TestProgram {
            name: name.into(),
            path: "/build/suite-1".into(),
            tests: tests.iter().map(|test| (*test).to_owned()).collect(),
        };
        let modules = split_modules(Path::new("/build/suite-1"), list);
        assert_eq!(
            modules,
            [module("heap", &["heap::third"]), module("order", &["order::first", "order::deep::second"])]
        );
    }

    #[test]
    fn error_in_a_macro_includes_the_place_of_its_use() {
        let span = |file: &str, start: usize, around: Value| {
            serde_json::json!({ "file_name": file, "byte_start": start, "byte_end": start + 2, "is_primary": true,
                "expansion": around })
        };
        let used = serde_json::json!({ "span": span("used.rs", 7, Value::Null) });
        let message = serde_json::json!({ "message": { "level": "error", "rendered": "error: no",
            "spans": [span("macro.rs", 1, used)] } });
        let places = vec![("macro.rs".to_owned(), 1..3), ("used.rs".to_owned(), 7..9)];
        assert_eq!(parse_complaint(&message), Some(Complaint { places, text: "error: no".to_owned() }));
    }

    #[test]
    fn warnings_and_error_count_are_ignored() {
        let told = |level: &str, text: &str| {
            parse_complaint(&serde_json::json!({ "message": { "level": level, "rendered": text, "spans": [] } }))
        };
        assert_eq!(told("warning", "warning: unused"), None);
        assert_eq!(told("error", "error: aborting due to 2 previous errors"), None);
        assert!(told("error", "error: queries overflow the depth limit").is_some());
    }
}
