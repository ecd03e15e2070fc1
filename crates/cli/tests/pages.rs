//! Files generated from the command's declarations: manual pages, the JSON schema.

use crate::common;

use std::fs;

use common::{fine, root, scratch};

use crate::help::shown_commands;

#[test]
fn manual_has_a_page_for_each_command_with_all_its_options() {
    let dir = scratch("man");
    let written = fine(&dir, &["man", "--out", "pages"]);
    let mut expected: Vec<String> = shown_commands().iter().map(|name| format!("pages/lasthop-{name}.1")).collect();
    expected.push("pages/lasthop.1".to_owned());
    let mut written: Vec<&str> = written.lines().collect();
    written.sort_unstable();
    expected.sort_unstable();
    assert_eq!(written, expected);
    for name in shown_commands() {
        let page = fs::read_to_string(dir.join(format!("pages/lasthop-{name}.1"))).unwrap().replace("\\-", "-");
        assert!(page.contains(&format!(".TH lasthop-{name} 1 ")), "{name}: {page}");
        let help = fine(&dir, &[&name, "--help"]);
        let options = help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2);
        for option in options.map(|word| word.split(['=', '[', ',', '`', ':']).next().unwrap()) {
            assert!(page.contains(option), "{name}: {option}");
        }
        assert!(page.contains(&format!(".SH EXAMPLES\n.TP\n\\fBlasthop {name}")), "{name}: {page}");
    }
    let page = fs::read_to_string(dir.join("pages/lasthop.1")).unwrap();
    assert_eq!(fine(&dir, &["man"]), page);
    assert!(page.contains("130 interrupted"), "{page}");
    assert!(page.contains(".SS See a run\n.TP\n\\fBlasthop\\-new\\fR(1)\nWrite a commented"), "{page}");
    // Earlier name of the option --out.
    assert_eq!(fine(&dir, &["man", "old"]).lines().count(), expected.len());
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

/// Compares the generated text with the file of the repository; with `UPDATE_GOLDEN` writes the file.
fn assert_kept(name: &str, generated: &str) {
    let kept = root().join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&kept, generated).unwrap();
    }
    assert!(fs::read_to_string(&kept).unwrap_or_default() == generated, "{name} is out of date: UPDATE_GOLDEN=1");
}
