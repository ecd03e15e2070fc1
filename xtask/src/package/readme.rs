//! The line in the README of the command that installs it from crates.io.

use std::fs;

use crate::workspace;

/// The README that the package of the command has.
const README: &str = "crates/cli/README.md";

/// How the line begins.
const BEGIN: &str = "cargo install lasthop ";

/// Reads the README of the command.
pub fn of_command() -> Result<String, String> {
    fs::read_to_string(workspace::root_folder().join(README)).map_err(|error| format!("{README}: {error}"))
}

/// Returns the options of the line that installs the command.
pub fn install_line(readme: &str) -> Result<Vec<String>, String> {
    let lines: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix(BEGIN)).collect();
    let [options] = lines[..] else {
        return Err(format!("{README}: expected one line `{BEGIN}OPTIONS`, found {}", lines.len()));
    };
    // Characters that a shell would expand are refused, not interpreted.
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_.=".contains(c);
    if !options.chars().all(plain) {
        return Err(format!("{README}: expected options without quotes and other signs of shells, found `{options}`"));
    }
    Ok(options.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readme_has_one_line_that_installs_the_command() {
        let options = install_line(&of_command().unwrap()).unwrap();
        assert_eq!(options[0], "--locked");
        assert!(options.contains(&"profile.release.strip=true".to_owned()), "{options:?}");
    }

    #[test]
    fn line_that_is_missing_or_not_plain_is_an_error() {
        assert_eq!(install_line("text\ncargo install lasthop --locked\n").unwrap(), ["--locked"]);
        let none = install_line("cargo install other --locked").unwrap_err();
        assert!(none.ends_with("expected one line `cargo install lasthop OPTIONS`, found 0"), "{none}");
        let quoted = install_line("cargo install lasthop --config 'a=\"s\"'").unwrap_err();
        assert!(quoted.contains("without quotes"), "{quoted}");
    }
}
