//! Programs that tests run, and whether they are installed.

use std::env;
use std::path::PathBuf;

/// A program that some tests run.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The name in [`need!`](crate::need) and in the reason of a skip, and other names under which the program may be
    /// installed.
    pub names: &'static [&'static str],
    /// Debian packages with the program and other needs of the tests.
    pub packages: &'static [&'static str],
}

/// All programs that tests may request.
pub const PROGRAMS: [Program; 11] = [
    Program { names: &["bash"], packages: &["bash"] },
    Program { names: &["chromium", "chromium-browser", "google-chrome"], packages: &["chromium", "fonts-dejavu-core"] },
    Program { names: &["g++"], packages: &["g++", "libns3-dev"] },
    Program { names: &["gnuplot"], packages: &["gnuplot-nox"] },
    Program { names: &["node"], packages: &["nodejs"] },
    Program { names: &["npm"], packages: &["npm"] },
    Program { names: &["pasta"], packages: &["passt"] },
    Program { names: &["pdflatex"], packages: &["texlive-latex-recommended"] },
    Program { names: &["python3"], packages: &["python3", "python3-venv"] },
    Program { names: &["tshark"], packages: &["tshark"] },
    Program { names: &["unshare"], packages: &["util-linux"] },
];

impl Program {
    /// The name under which the program is on `PATH`.
    pub fn find_name(&self) -> Option<&'static str> {
        self.names.iter().copied().find(|name| is_on_path(name))
    }
}

/// Returns the entry of a program in [`PROGRAMS`].
pub fn program_named(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.names[0] == name)
}

/// Returns the name under which a program is on `PATH`.
///
/// # Errors
/// The program is not installed: the reason for a skip.
///
/// # Panics
/// If the program is not in [`PROGRAMS`], because its package would be unknown.
pub fn find_program(name: &str) -> Result<&'static str, String> {
    let program = program_named(name).unwrap_or_else(|| panic!("{name}: expected a program of skip::PROGRAMS"));
    program.find_name().ok_or_else(|| format!("needs {name}"))
}

/// Returns true if the shell would find `program`.
pub fn is_on_path(program: &str) -> bool {
    find_on_path(program).is_some()
}

/// Returns the path of the program that the shell would find.
pub fn find_on_path(program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(&file)).find(|path| path.is_file())
}
