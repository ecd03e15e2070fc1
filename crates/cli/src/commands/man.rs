//! `lasthop man`.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Command, CommandFactory};
use clap_mangen::Man;

use super::{GROUPS, format_path, print_visible, write_whole};
use crate::command_groups::{Example, describe_command, examples_of};
use crate::{Cli, CommandFailure};

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop man > lasthop.1", "Write the manual page of the program"),
    ("lasthop man -o ~/.local/share/man/man1", "Write the pages of all commands, where `man lasthop-run` finds them"),
];

/// Arguments of `lasthop man`.
#[derive(ClapArgs)]
pub struct Args {
    /// Where to write lasthop.1 and a page for each command, such as lasthop-run.1 [default: lasthop.1 to standard
    /// output]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Earlier name of --out
    #[arg(hide = true, conflicts_with = "out")]
    dir: Option<PathBuf>,
}

/// Prints or writes manual pages.
pub fn write_manual(args: &Args) -> Result<(), CommandFailure> {
    let mut whole = Cli::command().disable_help_subcommand(true);
    // Gives commands their full names.
    whole.build();
    let Some(dir) = args.out.as_ref().or(args.dir.as_ref()) else {
        return print_visible(&render_page(&whole)?.1);
    };
    let shown_commands = whole.get_subcommands().filter(|command| !command.is_hide_set());
    for command in std::iter::once(&whole).chain(shown_commands) {
        let (name, text) = render_page(command)?;
        let path = dir.join(name);
        write_whole(&path, text.as_bytes())?;
        print_visible(&format!("{}\n", format_path(&path)))?;
    }
    Ok(())
}

/// The file name and the text of a command's page.
fn render_page(command: &Command) -> io::Result<(String, String)> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if command.has_subcommands() {
        text.extend(render_commands(command).into_bytes());
    }
    man.render_options_section(&mut text)?;
    text.extend(render_examples(examples_of(GROUPS, command.get_name())).into_bytes());
    if command.get_after_help().is_some() {
        man.render_extra_section(&mut text)?;
    }
    if command.get_version().or(command.get_long_version()).is_some() {
        man.render_version_section(&mut text)?;
    }
    let text = String::from_utf8_lossy(&text);
    // Each section of a page begins with the same definitions.
    let definitions = text.find(".TH ").map_or("", |end| &text[..end]);
    Ok((man.get_filename(), format!("{definitions}{}", text.replace(definitions, ""))))
}

/// The commands in their groups, as a section of a page.
fn render_commands(command: &Command) -> String {
    let mut text = ".SH COMMANDS\n".to_owned();
    for group in GROUPS {
        // Writing to a text in memory does not fail.
        let _ = writeln!(text, ".SS {}", escape_roff(group.title));
        let names = group.commands.iter().map(|shown| shown.name);
        // Manual pages have no command `help`.
        for name in names.filter(|name| command.find_subcommand(name).is_some()) {
            let about = escape_roff(&describe_command(command, name));
            let _ = writeln!(text, ".TP\n\\fBlasthop\\-{}\\fR(1)\n{about}", escape_roff(name));
        }
    }
    text
}

/// Examples, as a section of a page.
fn render_examples(examples: &[Example]) -> String {
    if examples.is_empty() {
        return String::new();
    }
    examples.iter().fold(".SH EXAMPLES\n".to_owned(), |mut text, (line, meaning)| {
        let _ = writeln!(text, ".TP\n\\fB{}\\fR\n{}", escape_roff(line), escape_roff(meaning));
        text
    })
}

/// Formats a line for roff: without escapes, and without hyphens that roff would change.
fn escape_roff(line: &str) -> String {
    let plain = line.replace('\\', "\\e").replace('-', "\\-");
    // A line that begins with one of these characters is a request.
    if plain.starts_with(['.', '\'']) { format!("\\&{plain}") } else { plain }
}
