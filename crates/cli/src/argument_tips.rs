//! Tips for arguments that clap rejects: the nearest command, and the place of `--` in `lasthop shell`.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use engine::near::nearest_name;

use crate::commands::GROUPS;

/// Adds a tip to the error; `arguments` begin with the program's name.
pub fn with_tip(mut error: Error, arguments: &[OsString]) -> Error {
    if let Some(name) = nearest_command(&error) {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![name]));
    }
    if let Some(tip) = suggest_tip(&error, arguments) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    }
    error
}

/// Returns the command whose name is nearest to an unknown one. clap lists several commands, in ascending order of
/// similarity.
fn nearest_command(error: &Error) -> Option<String> {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let names = GROUPS.iter().flat_map(|group| group.commands).map(|command| command.name);
    nearest_name(found, names).map(str::to_owned)
}

fn suggest_tip(error: &Error, arguments: &[OsString]) -> Option<String> {
    let words: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    // The name of the command is the first word that is no option.
    let name = 1 + words.get(1..)?.iter().position(|word| !word.starts_with('-'))?;
    let shell = Some(name).filter(|place| words[*place] == "shell")?;
    // An unknown option does not begin the command.
    let is_separated = words.iter().any(|word| word == "--");
    let invalid = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(invalid)) => invalid.as_str(),
        _ => "",
    };
    match error.kind() {
        ErrorKind::ArgumentConflict if words.iter().any(|word| word == "--check") => Some(
            "`lasthop shell --check`, without a scenario, tries what this machine permits; `lasthop check FILE` checks a scenario"
                .to_owned(),
        ),
        ErrorKind::UnknownArgument if !is_separated && !invalid.starts_with("--") => {
            let behind = shell + 1;
            let of = |is_it: &dyn Fn(&str) -> bool| words[behind..].iter().position(|word| is_it(word));
            // An option may stand in a word with other options, such as -nc.
            let place = of(&|word| word == invalid).or_else(|| of(&|word| word.starts_with(invalid)))?;
            let place = behind + place;
            let quoted =
                |word: &String| if word.contains(char::is_whitespace) { format!("'{word}'") } else { word.clone() };
            let [before, command] = [&words[shell..place], &words[place..]]
                .map(|words| words.iter().map(quoted).collect::<Vec<_>>().join(" "));
            Some(format!("put -- before the command: `lasthop {before} -- {command}`"))
        }
        _ => None,
    }
}
