//! Scripts by which shells request candidates.
//!
//! bash and zsh have separate scripts: the scripts of clap_complete do not complete after `=`, or add a space there.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};

/// Shells with completion.
pub const SHELLS: [&dyn EnvCompleter; 5] = [
    &Scripted { shell: &Bash, script: include_str!("bash.sh") },
    &Elvish,
    &Fish,
    &Powershell,
    &Scripted { shell: &Zsh, script: include_str!("zsh.sh") },
];

/// A shell of clap_complete with a different script.
struct Scripted {
    shell: &'static (dyn EnvCompleter + Sync),
    script: &'static str,
}

impl EnvCompleter for Scripted {
    fn name(&self) -> &'static str {
        self.shell.name()
    }

    fn is(&self, name: &str) -> bool {
        self.shell.is(name)
    }

    fn write_registration(
        &self,
        variable: &str,
        _name: &str,
        _bin: &str,
        _completer: &str,
        out: &mut dyn Write,
    ) -> Result<(), io::Error> {
        out.write_all(self.script.replace("VARIABLE", variable).as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        here: Option<&Path>,
        out: &mut dyn Write,
    ) -> Result<(), io::Error> {
        self.shell.write_complete(command, words, here, out)
    }
}
