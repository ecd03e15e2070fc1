//! Programs that tests use, and the Debian packages that contain them.

use std::process::Command;

use crate::workspace;

/// Program and packages. The tests that need a missing one are skipped.
const PROGRAMS: [(&str, &str); 7] = [
    ("tshark", "tshark"),
    ("gnuplot", "gnuplot-nox"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("chromium", "chromium fonts-dejavu-core"),
    ("pasta", "passt"),
    ("python3-venv", "python3 python3-venv"),
];

/// Installs the missing packages with apt-get.
pub fn install_missing() -> Result<(), String> {
    let missing: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(program, _)| !is_installed(program))
        .flat_map(|(_, package)| package.split(' '))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        workspace::run(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], &missing[..]].concat())
}

/// Returns the packages without which tests were skipped, by lines such as `NAME: needs tshark`.
pub fn missing_for(skipped: &[String]) -> Vec<&'static str> {
    let needs = |program: &str| skipped.iter().any(|line| line.ends_with(&format!("needs {program}")));
    PROGRAMS.iter().filter(|(program, _)| needs(program)).map(|(_, package)| *package).collect()
}

fn is_installed(program: &str) -> bool {
    match program {
        "python3-venv" => {
            let venv = Command::new("python3").args(["-c", "import ensurepip, venv"]).output();
            venv.is_ok_and(|output| output.status.success())
        }
        program => workspace::on_path(program),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_skipped_tests_are_named_once() {
        let lines = ["a::b: needs tshark", "a::c: needs tshark", "python: needs python3-venv", "d: no root"];
        assert_eq!(missing_for(&lines.map(str::to_owned)), ["tshark", "python3 python3-venv"]);
        assert!(missing_for(&[]).is_empty());
    }
}
