//! The Debian packages of programs that tests use.

use std::process::Command;

use skip::{PROGRAMS, Program};

use crate::workspace;

/// Programs that are not installed for the tests: LaTeX has 300 MB, and a golden file shows changes of its tables.
const LARGE: [&str; 1] = ["pdflatex"];

/// Installs the missing packages with apt-get.
pub fn install_missing() -> Result<(), String> {
    let missing =
        PROGRAMS.iter().filter(|program| !LARGE.contains(&program.names[0]) && why_missing(program).is_some());
    let packages: Vec<&str> = missing.flat_map(|program| program.packages.iter().copied()).collect();
    if packages.is_empty() {
        return Ok(());
    }
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        workspace::run(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], &packages[..]].concat())
}

/// Returns the reason for skipping a step that needs these programs, if one is missing.
pub fn missing(names: &[&str]) -> Option<String> {
    names.iter().filter_map(|name| skip::program_named(name)).find_map(why_missing)
}

/// Returns the packages without which tests were skipped, by lines such as `NAME: needs tshark`.
pub fn of_skips(skipped: &[String]) -> Vec<&'static str> {
    let needed = |program: &&Program| {
        skipped
            .iter()
            .any(|line| line.split_once(": needs ").is_some_and(|(_, name)| name.starts_with(program.names[0])))
    };
    PROGRAMS.iter().filter(needed).flat_map(|program| program.packages.iter().copied()).collect()
}

fn why_missing(program: &Program) -> Option<String> {
    let name = program.names[0];
    if program.find_on_path().is_none() {
        return Some(format!("needs {name}"));
    }
    let venv = || Command::new("python3").args(["-c", "import ensurepip, venv"]).output();
    let lacks_venv = name == "python3" && !venv().is_ok_and(|output| output.status.success());
    lacks_venv.then(|| "needs python3-venv".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_skipped_tests_are_named_once() {
        let lines = ["a::b: needs tshark", "a::c: needs tshark", "python: needs python3-venv", "d: no root"];
        assert_eq!(of_skips(&lines.map(str::to_owned)), ["python3", "python3-venv", "tshark"]);
        assert!(of_skips(&[]).is_empty());
    }

    #[test]
    fn program_of_every_machine_is_not_missing() {
        assert_eq!(missing(&[]), None);
    }
}
