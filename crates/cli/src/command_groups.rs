//! The table of commands: groups and examples, for help and manual pages.

use clap::Command;

/// An example: the command line and its effect.
pub type Example = (&'static str, &'static str);

/// Commands under one title.
pub struct CommandGroup {
    /// The title.
    pub title: &'static str,
    /// The commands, in the order of `lasthop --help`.
    pub commands: &'static [ShownCommand],
}

/// A command in help.
pub struct ShownCommand {
    /// The name.
    pub name: &'static str,
    /// Examples in the command's help.
    pub examples: &'static [Example],
    /// Where its results go.
    #[cfg(test)]
    pub output: CommandOutput,
}

/// Where the results of a command go.
#[cfg(test)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandOutput {
    /// To standard output.
    Prints,
    /// Also to files, whose place the option `--out` changes.
    Writes,
}

/// Declares the enum of commands, their execution, and their groups in help.
///
/// A row is the text of help, then the variant, the module, the function of the module that executes the command, and the
/// variant of `CommandOutput`. The name of the command is that of the module, which has `Args` and `EXAMPLES`. After `+`
/// stands a command that clap adds, with its examples. Commands in `hidden` are not in help.
macro_rules! commands {
    (
        $($title:literal {
            $($(#[$about:meta])* $variant:ident $module:ident::$run:ident $output:ident,)*
            $(+ $added:ident $examples:ident,)?
        })*
        hidden { $($(#[$hidden_about:meta])* $hidden:ident $hidden_module:ident::$hidden_run:ident,)* }
    ) => {
        /// A command with its arguments.
        #[derive(clap::Subcommand)]
        pub enum Command {
            $($($(#[$about])* $variant($crate::deferred::Deferred<$module::Args>),)*)*
            $($(#[$hidden_about])* $hidden($crate::deferred::Deferred<$hidden_module::Args>),)*
        }

        impl Command {
            /// Executes the command.
            pub fn execute(&self) -> Result<(), $crate::CommandFailure> {
                match self {
                    $($(Command::$variant(args) => $module::$run(args),)*)*
                    $(Command::$hidden(args) => $hidden_module::$hidden_run(args),)*
                }
            }
        }

        /// All commands that help shows.
        pub const GROUPS: &[$crate::command_groups::CommandGroup] = &[
            $($crate::command_groups::CommandGroup {
                title: $title,
                commands: &[
                    $($crate::command_groups::ShownCommand {
                        name: stringify!($module),
                        examples: $module::EXAMPLES,
                        #[cfg(test)]
                        output: $crate::command_groups::CommandOutput::$output,
                    },)*
                    $($crate::command_groups::ShownCommand {
                        name: stringify!($added),
                        examples: $examples,
                        #[cfg(test)]
                        output: $crate::command_groups::CommandOutput::Prints,
                    },)?
                ],
            },)*
        ];
    };
}

pub(crate) use commands;

/// Returns the examples of a command; empty for a command without a group.
pub fn examples_of(groups: &[CommandGroup], name: &str) -> &'static [Example] {
    let mut all = groups.iter().flat_map(|group| group.commands);
    all.find(|command| command.name == name).map_or(&[], |command| command.examples)
}

/// Returns the description of a command, in one line.
pub fn describe_command(command: &Command, name: &str) -> String {
    command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string).unwrap_or_default()
}
