//! The Debian packages of programs that tests use.

use std::process::Command;

use skip::{PROGRAMS, Program};

use crate::bench::ns3;
use crate::workspace;

/// Programs that are not installed for the tests. LaTeX has 300 MB, and a golden file shows changes of its tables.
const LARGE: [&str; 1] = ["pdflatex"];

/// Installs the missing packages with apt-get.
pub fn install_missing() -> Result<(), String> {
    let missing =
        PROGRAMS.iter().filter(|program| !LARGE.contains(&program.names[0]) && what_is_missing(program).is_some());
    let packages: Vec<&str> = missing.flat_map(|program| program.packages.iter().copied()).collect();
    if packages.is_empty() {
        return Ok(());
    }
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        workspace::run_command(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], &packages[..]].concat())
}

/// Returns the reason for skipping a step that needs these programs, such as `needs node, npm`, if some are missing.
///
/// # Panics
/// If a program is not in [`PROGRAMS`].
pub fn explain_missing(names: &[&str]) -> Option<String> {
    let program = |name: &&str| skip::program_named(name).unwrap_or_else(|| panic!("{name}: expected a known program"));
    let missing: Vec<&str> = names.iter().map(program).filter_map(what_is_missing).collect();
    (!missing.is_empty()).then(|| format!("needs {}", missing.join(", ")))
}

/// Returns the packages whose absence caused skips, from lines such as `NAME: needs node, npm`.
pub fn packages_of_skips(skipped: &[String]) -> Vec<&'static str> {
    let words = |line: &str| line.split_once(": needs ").map(|(_, names)| names.replace(',', " "));
    let named: Vec<String> = skipped.iter().filter_map(|line| words(line)).collect();
    let is_named = |program: &&Program| {
        named.iter().flat_map(|names| names.split(' ')).any(|name| name.trim_end_matches("-venv") == program.names[0])
    };
    PROGRAMS.iter().filter(is_named).flat_map(|program| program.packages.iter().copied()).collect()
}

/// Returns the missing parts of a program: the program itself, or a part that a distribution packages separately.
fn what_is_missing(program: &Program) -> Option<&'static str> {
    let name = program.names[0];
    if program.find_name().is_none() {
        return Some(name);
    }
    let venv = || Command::new("python3").args(["-c", "import ensurepip, venv"]).output();
    match name {
        "python3" => (!venv().is_ok_and(|output| output.status.success())).then_some("python3-venv"),
        "g++" => (!ns3::has_headers()).then_some("g++ with ns-3"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_skipped_tests_are_named_once() {
        let lines = [
            "a::b: needs tshark",
            "a::c: needs tshark",
            "a::d: needs g++ with ns-3",
            "python: needs node, python3-venv",
            "d: no root",
        ];
        let packages = ["g++", "libns3-dev", "nodejs", "python3", "python3-venv", "tshark"];
        assert_eq!(packages_of_skips(&lines.map(str::to_owned)), packages);
        assert!(packages_of_skips(&[]).is_empty());
    }

    #[test]
    fn installed_programs_are_not_reported_missing() {
        assert_eq!(what_is_missing(&Program { names: &["cargo"], packages: &[] }), None);
        assert_eq!(what_is_missing(&Program { names: &["no-such-program"], packages: &[] }), Some("no-such-program"));
    }

    #[test]
    #[should_panic(expected = "nodejs: expected a known program")]
    fn unknown_program_is_refused() {
        explain_missing(&["nodejs"]);
    }
}
