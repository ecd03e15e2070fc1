//! Messages have the same coloured labels as clap's messages, and no other colours.

use crate::common;

use std::path::Path;
use std::process::Output;

use common::{command, file, scratch};

/// The command with an environment that decides on colours.
fn run(dir: &Path, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = command(dir, args);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn labels_of_messages_have_the_colours_of_clap() {
    let dir = scratch("colours");
    let example = file("examples/snoop.toml");
    let forced = |args: &[&str]| {
        let output = run(&dir, args, &[("CLICOLOR_FORCE", "1")]);
        String::from_utf8(output.stderr).unwrap()
    };
    // The first is an error of clap, the second one of a scenario.
    let [clap, own] = [&["run"][..], &["run", &example, "--scheme", "snop"]].map(forced);
    let error = "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m ";
    assert!(clap.starts_with(error), "{clap:?}");
    assert!(own.starts_with(error) && own.contains("\n  \u{1b}[32mhint:\u{1b}[0m did you mean"), "{own:?}");
    let warned = forced(&["run", &example, "--no-out", "--events", "state"]);
    assert!(warned.starts_with("\u{1b}[1m\u{1b}[33mwarning:\u{1b}[0m --events has"), "{warned:?}");
}

#[test]
fn messages_that_are_piped_or_unwanted_have_no_colours() {
    let dir = scratch("colours-none");
    let example = file("examples/snoop.toml");
    for args in [&["run"][..], &["run", &example, "--scheme", "snop"]] {
        for variables in [&[][..], &[("NO_COLOR", "1")], &[("CLICOLOR", "1")]] {
            let output = run(&dir, args, variables);
            assert!(output.stderr.starts_with(b"error: ") && !output.stderr.contains(&0x1b), "{args:?} {variables:?}");
        }
    }
}

/// Escape codes of an input are printed as text, never passed to the terminal, also in coloured output.
#[test]
fn control_characters_of_inputs_are_escaped_in_coloured_output() {
    let dir = scratch("colours-escapes");
    let output = run(&dir, &["run", "\u{1b}[35merror: x.toml"], &[("CLICOLOR_FORCE", "1")]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("\\u001b[35merror: x.toml") && !text.contains("\u{1b}[35m"), "{text:?}");
}
