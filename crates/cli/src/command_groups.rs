//! Groups of commands, and their examples, for help and manual pages.

use clap::Command;

/// An example: the command line and its effect.
pub type Example = (&'static str, &'static str);

/// Commands under one title.
pub struct CommandGroup {
    /// The title.
    pub title: &'static str,
    /// Each command with its examples, in the order of `lasthop --help`.
    pub commands: &'static [(&'static str, &'static [Example])],
}

/// Returns the examples of a command; empty for a command without a group.
pub fn examples_of(groups: &[CommandGroup], command: &str) -> &'static [Example] {
    let all = groups.iter().flat_map(|group| group.commands);
    all.clone().find(|(name, _)| *name == command).map_or(&[], |(_, examples)| *examples)
}

/// Returns the description of a command, in one line.
pub fn describe_command(command: &Command, name: &str) -> String {
    command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string).unwrap_or_default()
}
