//! `lasthop list`.

use clap::Args as ClapArgs;
use lab::catalogue::CATALOGUE;
use scenario::problem::Problem;

use super::{format_problems, nearest_of_many, print_visible};
use crate::CommandFailure;
use crate::command_groups::Example;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[("lasthop list", "List all names"), ("lasthop list schemes", "List the schemes")];

/// Arguments of `lasthop list`.
#[derive(ClapArgs)]
pub struct Args {
    /// One kind only, such as `traces`
    kind: Option<String>,
}

/// Lists every registered name with one line about it.
pub fn list_catalogue(args: &Args) -> Result<(), CommandFailure> {
    let kinds = || CATALOGUE.iter().map(|section| section.plural);
    if let Some(kind) = args.kind.as_ref().filter(|kind| !kinds().any(|known| known == **kind)) {
        let problem =
            nearest_of_many(Problem::new("a kind of name").in_file("list").found(format!("\"{kind}\"")), kind, kinds());
        return Err(CommandFailure::Input(format_problems(&[problem])));
    }
    let mut text = String::new();
    for section in CATALOGUE.iter().filter(|section| args.kind.as_ref().is_none_or(|kind| section.plural == kind)) {
        text.push_str(&format!("{} ({})\n", section.plural, section.place));
        let members = (section.members)();
        let width = members.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, summary) in members {
            text.push_str(&format!("  {name:width$}  {summary}\n"));
        }
    }
    print_visible(&text)
}
