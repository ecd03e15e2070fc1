//! Tips for arguments of `lasthop shell` that clap rejects without saying what to type.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// The error with what to type instead; `arguments` begin with the program's name.
pub fn with_tip(mut error: Error, arguments: &[OsString]) -> Error {
    if let Some(tip) = tip(&error, arguments) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    }
    error
}

fn tip(error: &Error, arguments: &[OsString]) -> Option<String> {
    let words: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let shell = words.iter().position(|word| word == "shell")?;
    // An option that it does not know is no command.
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
            let place = behind + words[behind..].iter().position(|word| word.starts_with(invalid))?;
            let quoted = |word: &String| match word.contains(char::is_whitespace) {
                true => format!("'{word}'"),
                false => word.clone(),
            };
            let [before, command] = [&words[shell..place], &words[place..]]
                .map(|words| words.iter().map(quoted).collect::<Vec<_>>().join(" "));
            Some(format!("a command stands behind --: `lasthop {before} -- {command}`"))
        }
        _ => None,
    }
}
