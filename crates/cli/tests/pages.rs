//! Files generated from the command's declarations: completions, manual pages, the JSON schema.

use crate::common;
use crate::reference;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use common::{fine, lasthop, root, scratch};

/// Returns the commands listed by --help, except `help` itself.
fn commands() -> Vec<String> {
    let help = fine(&scratch("pages-help"), &["--help"]);
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<String> = names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect();
    names.into_iter().filter(|name| name != "help").collect()
}

#[test]
fn completions_contain_every_command_and_its_options() {
    let dir = scratch("completions");
    let commands = commands();
    assert!(commands.len() > 15, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = fine(&dir, &["completions", shell]);
        for word in commands.iter().map(String::as_str).chain(["print-events", "no-out", "quiet", "replications"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let refused = lasthop(&dir, &["completions", "tcsh"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("bash, elvish, fish, powershell, zsh"), "{}", refused.err);
}

/// Bash completes `lasthop ste` with the generated script.
#[test]
fn completions_work_in_bash() {
    let dir = scratch("completions-bash");
    let script = fine(&dir, &["completions", "bash"])
        + "COMP_WORDS=(lasthop ste); COMP_CWORD=1; _lasthop lasthop ste lasthop; echo \"${COMPREPLY[*]}\"\n";
    let mut bash = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = bash.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "steady\n");
}

#[test]
fn manual_has_a_page_for_each_command_with_all_its_options() {
    let dir = scratch("man");
    let written = fine(&dir, &["man", "pages"]);
    let mut expected: Vec<String> = commands().iter().map(|name| format!("pages/lasthop-{name}.1")).collect();
    expected.push("pages/lasthop.1".to_owned());
    let mut written: Vec<&str> = written.lines().collect();
    written.sort_unstable();
    expected.sort_unstable();
    assert_eq!(written, expected);
    for name in commands() {
        let page = fs::read_to_string(dir.join(format!("pages/lasthop-{name}.1"))).unwrap().replace("\\-", "-");
        assert!(page.contains(&format!(".TH lasthop-{name} 1 ")), "{name}: {page}");
        let help = fine(&dir, &[&name, "--help"]);
        let options = help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2);
        for option in options.map(|word| word.split(['=', '[', ',', '`', ':']).next().unwrap()) {
            assert!(page.contains(option), "{name}: {option}");
        }
    }
    let page = fs::read_to_string(dir.join("pages/lasthop.1")).unwrap();
    assert_eq!(fine(&dir, &["man"]), page);
    assert!(page.contains("130 interrupted"), "{page}");
}

#[test]
fn version_names_the_model_version() {
    let dir = scratch("version");
    assert_eq!(fine(&dir, &["-V"]), "lasthop 0.1.0\n");
    let golden = fs::read_to_string(root().join("crates/sim/tests/golden/model-version.txt")).unwrap();
    let version = golden.lines().next().unwrap().rsplit(' ').next().unwrap();
    assert_eq!(fine(&dir, &["--version"]), format!("lasthop 0.1.0\nmodel version {version}\n"));
}

#[test]
fn schemata_in_the_docs_are_up_to_date() {
    assert_kept("docs/scenario.schema.json", &fine(&scratch("schema"), &["schema"]));
    assert_kept("docs/summary.schema.json", &fine(&scratch("schema-of-summaries"), &["schema", "summary"]));
}

#[test]
fn scenario_reference_follows_the_schema() {
    let schema = serde_json::from_str(&fine(&scratch("reference"), &["schema"])).unwrap();
    assert_kept("docs/reference/scenario.md", &reference::page(&schema));
}

/// Compares the generated text with the file of the repository; with `UPDATE_GOLDEN` writes the file.
fn assert_kept(name: &str, generated: &str) {
    let kept = root().join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&kept, generated).unwrap();
    }
    assert!(fs::read_to_string(&kept).unwrap_or_default() == generated, "{name} is out of date: UPDATE_GOLDEN=1");
}
