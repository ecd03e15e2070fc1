//! The help, which lists the commands in groups and shows examples of each. It is built only when help is requested.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::builder::{StyledStr, Styles};
use clap::error::{Error, ErrorKind};
use clap::{Command, CommandFactory};

use crate::Cli;
use crate::command_groups::{ShownCommand, describe_command, examples_of};
use crate::commands::GROUPS;

/// The longest line of a text in help.
const MAX_WIDTH: usize = 100;

/// Whether an error is a text of help.
fn is_help(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand)
}

/// The error for `arguments`; a request for help includes groups and examples.
pub fn complete_help(error: Error, arguments: &[OsString]) -> Error {
    if !is_help(&error) {
        return error;
    }
    build_command().try_get_matches_from(arguments).err().unwrap_or(error)
}

/// The command with groups and examples in its help.
pub fn build_command() -> Command {
    let mut command = Cli::command();
    // Adds `help`.
    command.build();
    let command = command.mut_subcommands(add_examples);
    let template = render_template(&command);
    command.help_template(template).max_term_width(MAX_WIDTH)
}

/// Adds the examples between the options and the text after them.
fn add_examples(command: Command) -> Command {
    let examples = examples_of(GROUPS, command.get_name());
    if examples.is_empty() {
        return command;
    }
    let mut text = StyledStr::new();
    let header = Styles::styled().get_header().to_owned();
    // Writing to a text in memory does not fail.
    let _ = write!(text, "{header}Examples:{header:#}");
    for (line, meaning) in examples {
        let _ = write!(text, "\n  {line}\n          {meaning}");
    }
    if let Some(after) = command.get_after_help() {
        let _ = write!(text, "\n\n{}", after.ansi());
    }
    command.after_help(text)
}

/// Help of the program: clap's own help, with the commands in groups.
fn render_template(command: &Command) -> StyledStr {
    let styles = Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let width = GROUPS.iter().flat_map(|group| group.commands).map(|command| command.name.len()).max().unwrap_or(0);
    let mut text = StyledStr::new();
    let _ = writeln!(text, "{{about-with-newline}}\n{{usage-heading}} {{usage}}");
    for group in GROUPS {
        let _ = writeln!(text, "\n{header}{}:{header:#}", group.title);
        for ShownCommand { name, .. } in group.commands {
            let _ = writeln!(text, "  {literal}{name:width$}{literal:#}  {}", describe_command(command, name));
        }
    }
    let _ = write!(text, "\n{header}Options:{header:#}\n{{options}}{{after-help}}");
    text
}

#[cfg(test)]
mod tests {
    use lab::features::FEATURES;

    use super::*;
    use crate::command_groups::CommandOutput;

    /// Commands listed by the help.
    fn shown_commands() -> Vec<String> {
        let mut command = Cli::command();
        command.build();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        shown.map(|command| command.get_name().to_owned()).collect()
    }

    #[test]
    fn every_shown_command_is_in_exactly_one_group() {
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.commands).map(|command| command.name).collect();
        let mut shown = shown_commands();
        grouped.sort_unstable();
        shown.sort_unstable();
        assert_eq!(grouped, shown);
    }

    #[test]
    fn every_command_has_two_examples_that_parse() {
        for ShownCommand { name, examples, .. } in GROUPS.iter().flat_map(|group| group.commands) {
            assert!(examples.len() >= 2, "{name} has {} examples", examples.len());
            for (line, _) in *examples {
                let words = shlex::split(line).unwrap_or_else(|| panic!("{line}: quotes"));
                let end = words.iter().position(|word| ["<", ">", "|"].contains(&word.as_str())).unwrap_or(words.len());
                assert_eq!(words[..2], ["lasthop", *name], "{line}");
                if let Err(error) = Cli::command().try_get_matches_from(&words[..end]) {
                    assert!(*name == "help" && is_help(&error), "{line}: {error}");
                }
            }
        }
    }

    /// All commands that write have the same option for the destination.
    #[test]
    fn every_command_that_writes_has_the_option_out() {
        let command = build_command();
        for ShownCommand { name, output, .. } in GROUPS.iter().flat_map(|group| group.commands) {
            let mut arguments = command.find_subcommand(name).unwrap().get_arguments();
            let has_out =
                arguments.any(|argument| (argument.get_short(), argument.get_long()) == (Some('o'), Some("out")));
            assert_eq!(has_out, *output == CommandOutput::Writes, "{name}");
        }
    }

    /// True if a word of the line, or an item of a list in it, is one of the names.
    fn uses(line: &str, names: &[&str]) -> bool {
        shlex::split(line).unwrap().iter().flat_map(|word| word.split([',', '='])).any(|part| names.contains(&part))
    }

    /// Tests are built with every feature, an install with the default features.
    #[test]
    fn no_example_needs_a_feature_that_the_default_build_lacks() {
        let manifest: toml::Table = include_str!("../Cargo.toml").parse().unwrap();
        let default = manifest["features"].get("default").and_then(toml::Value::as_array);
        let is_default = |name: &str| default.is_some_and(|names| names.iter().any(|one| one.as_str() == Some(name)));
        let absent = FEATURES.iter().filter(|feature| !is_default(feature.name));
        let names: Vec<&str> = absent.flat_map(|feature| feature.members).map(|(_, name)| *name).collect();
        for (line, _) in GROUPS.iter().flat_map(|group| group.commands).flat_map(|command| command.examples) {
            assert!(!uses(line, &names), "{line} needs a feature of {names:?}");
        }
        assert!(uses("lasthop export s --format=csv,x", &["x"]) && !uses("lasthop export x.s --format csv", &["x"]));
    }

    #[test]
    fn summaries_of_commands_and_examples_fit_in_a_line() {
        let mut command = build_command();
        let help = command.render_help().to_string();
        let about = command.get_subcommands().filter(|command| !command.is_hide_set());
        let about: Vec<String> = about.filter_map(Command::get_about).map(ToString::to_string).collect();
        let examples = GROUPS.iter().flat_map(|group| group.commands).flat_map(|command| command.examples);
        let examples = examples.flat_map(|(line, meaning)| [format!("  {line}"), format!("          {meaning}")]);
        for line in help.lines().map(str::to_owned).chain(examples) {
            assert!(line.chars().count() <= MAX_WIDTH, "{line}");
        }
        // A summary is one sentence without a full stop; details belong in the help of the command.
        assert!(about.iter().all(|about| !about.contains('\n') && (!about.ends_with('.') || about.ends_with("..."))));
    }
}
