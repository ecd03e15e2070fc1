//! The test programs of a crate, compiled by cargo, or what the compiler refused.

use std::ops::Range;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::tree::Tree;
use crate::workspace;

/// The tests in a crate's own files.
pub const OWN: &str = "--lib";
/// These, and the programs in its folder `tests`.
pub const ALL: &str = "--tests";

/// A program of tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// "lib", or a program's in the folder `tests`.
    pub name: String,
    pub path: PathBuf,
}

/// A complaint of the compiler.
#[derive(PartialEq, Eq, Debug)]
pub struct Complaint {
    /// Files and bytes in them; those in which a macro is written before those in which it is used. It may have none.
    pub places: Vec<(String, Range<usize>)>,
    pub text: String,
}

/// What came of compiling.
pub enum Built {
    Programs(Vec<Program>),
    /// By the compiler, which complains.
    Refused(Vec<Complaint>),
    /// The compiler took too long: it computes constants, and their code may loop.
    Late,
}

/// How long cargo may take, in seconds.
const PATIENCE: &str = "3600";

/// Compiles the tests of a crate of the copy. That cargo failed for another reason than the code is an error.
pub fn build(tree: &Tree, package: &str, which: &str) -> Result<Built, String> {
    let mut cargo = cargo(tree);
    cargo.args(["test", "--quiet", "--no-run", "--message-format=json", "-p", package, which]);
    let output = cargo.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot run `{}`: {error}", workspace::spelled(&cargo)))?;
    let messages: Vec<Value> =
        output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    if output.status.success() {
        return Ok(Built::Programs(messages.iter().filter_map(program).collect()));
    }
    if matches!(output.status.code(), Some(124 | 137)) {
        return Ok(Built::Late);
    }
    let complaints: Vec<Complaint> = messages.iter().filter_map(complaint).collect();
    if complaints.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{}` failed ({}): {said}", workspace::spelled(&cargo), output.status));
    }
    Ok(Built::Refused(complaints))
}

fn cargo(tree: &Tree) -> Command {
    let mut cargo = Command::new("timeout");
    cargo.args(["--kill-after=10", PATIENCE]).arg(workspace::cargo().get_program());
    // Compiled as fast as may be while the tests of chance still take seconds, not minutes. What mutants never reach is warned of.
    let settings = [("OPT_LEVEL", "1"), ("DEBUG", "false"), ("INCREMENTAL", "true")];
    cargo.envs(settings.map(|(name, value)| (format!("CARGO_PROFILE_DEV_{name}"), value)));
    cargo.current_dir(&tree.root).env("CARGO_TARGET_DIR", &tree.build).env("RUSTFLAGS", "--cap-lints=allow");
    cargo
}

fn program(message: &Value) -> Option<Program> {
    let target = &message["target"];
    let wanted = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let own = target["kind"].as_array()?.iter().any(|kind| kind == "lib");
    let name = if own { "lib" } else { target["name"].as_str()? };
    wanted.then_some(Program { name: name.to_owned(), path: message["executable"].as_str()?.into() })
}

fn complaint(message: &Value) -> Option<Complaint> {
    let message = &message["message"];
    let text = message["rendered"].as_str()?;
    // The last one only says how many there were.
    if message["level"] != "error" || text.starts_with("error: aborting due to ") {
        return None;
    }
    let spans = message["spans"].as_array()?.iter().filter(|span| span["is_primary"] == true);
    let places = spans.flat_map(|span| {
        let around = std::iter::successors(Some(span), |span| Some(&span["expansion"]["span"]));
        around.map_while(place).collect::<Vec<_>>()
    });
    Some(Complaint { places: places.collect(), text: text.to_owned() })
}

fn place(span: &Value) -> Option<(String, Range<usize>)> {
    let at = |key: &str| Some(span[key].as_u64()? as usize);
    Some((span["file_name"].as_str()?.to_owned(), at("byte_start")?..at("byte_end")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_program_is_told_from_what_else_is_built() {
        let built = |kind: &str, test: bool| {
            program(&serde_json::json!({
                "reason": "compiler-artifact", "target": { "kind": [kind], "name": "order" },
                "profile": { "test": test }, "executable": "/build/order-1"
            }))
        };
        assert_eq!(built("test", true), Some(Program { name: "order".into(), path: "/build/order-1".into() }));
        assert_eq!(built("lib", true).unwrap().name, "lib");
        assert_eq!(built("lib", false), None);
    }

    #[test]
    fn a_complaint_within_a_macro_has_the_place_of_its_use_too() {
        let span = |file: &str, start: usize, around: Value| {
            serde_json::json!({ "file_name": file, "byte_start": start, "byte_end": start + 2, "is_primary": true,
                "expansion": around })
        };
        let used = serde_json::json!({ "span": span("used.rs", 7, Value::Null) });
        let message = serde_json::json!({ "message": { "level": "error", "rendered": "error: no",
            "spans": [span("macro.rs", 1, used)] } });
        let places = vec![("macro.rs".to_owned(), 1..3), ("used.rs".to_owned(), 7..9)];
        assert_eq!(complaint(&message), Some(Complaint { places, text: "error: no".to_owned() }));
    }

    #[test]
    fn neither_warnings_nor_the_number_of_errors_are_complaints() {
        let told = |level: &str, text: &str| {
            complaint(&serde_json::json!({ "message": { "level": level, "rendered": text, "spans": [] } }))
        };
        assert_eq!(told("warning", "warning: unused"), None);
        assert_eq!(told("error", "error: aborting due to 2 previous errors"), None);
        assert!(told("error", "error: queries overflow the depth limit").is_some());
    }
}
