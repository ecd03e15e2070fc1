//! The release archive: the command, manual pages, completions, and licences.

mod notices;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{pgo, web, workspace};

/// Shells with the file names of their completion scripts.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "lasthop.bash"),
    ("zsh", "_lasthop"),
    ("fish", "lasthop.fish"),
    ("elvish", "lasthop.elv"),
    ("powershell", "_lasthop.ps1"),
];

/// Files of the repository that the archive contains unchanged.
const FILES: [&str; 5] = ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md", "CITATION.cff"];

/// Builds the command with the profile `dist`, and creates `target/dist/lasthop-VERSION-TARGET.tar.gz`; `trained` by a
/// profile of the examples. Fails unless the command contains the page.
pub fn build_archive(trained: bool) -> Result<(), String> {
    web::embed_page(web::Module::Released)?;
    let folder = workspace::target_folder().join("dist");
    let program = if trained { pgo::build_with_profile()? } else { build_command(&folder)? };
    web::check_embedded(&program)?;
    check_size(&program)?;
    let host = workspace::host_triple()?;
    // All packages of the workspace have one version.
    let name = format!("lasthop-{}-{host}", env!("CARGO_PKG_VERSION"));
    let whole = folder.join(&name);
    if whole.exists() {
        fs::remove_dir_all(&whole).map_err(|error| format!("{}: {error}", whole.display()))?;
    }
    fill_archive(&whole, &program, &host)?;
    let archive = format!("{name}.tar.gz");
    workspace::run_command(
        Command::new("tar").arg("-C").arg(&folder).args(["-czf"]).arg(folder.join(&archive)).arg(&name),
    )?;
    let size = fs::metadata(folder.join(&archive)).map_err(|error| format!("{archive}: {error}"))?.len();
    workspace::print_text(&format!("{}: {:.1} MB\n", folder.join(&archive).display(), size as f64 / 1e6))
}

/// Maximum size in bytes of the command of a release with the page in it. The aim is 13 MB. The command had 15.1 MB
/// when this limit was set. With rarely executed code at opt-level "z" it has 14.75 MB, and 14.63 MB with identical
/// code folded by the linker.
const MOST_BYTES: u64 = 15_500_000;

/// Prints the size of the command, and fails if it is above the limit.
fn check_size(program: &Path) -> Result<(), String> {
    let bytes = fs::metadata(program).map_err(|error| format!("{}: {error}", program.display()))?.len();
    let [size, most] = [bytes, MOST_BYTES].map(|bytes| format!("{:.2} MB", bytes as f64 / 1e6));
    workspace::print_text(&format!("{}: {size} of at most {most}\n", program.display()))?;
    if bytes > MOST_BYTES { Err(format!("{} has {size}, expected at most {most}", program.display())) } else { Ok(()) }
}

/// Builds the command into `folder`. Returns the path of the command.
fn build_command(folder: &Path) -> Result<PathBuf, String> {
    workspace::run_command(&mut workspace::release_build())?;
    Ok(folder.join(format!("lasthop{}", std::env::consts::EXE_SUFFIX)))
}

/// Fills the folder to be archived.
fn fill_archive(whole: &Path, program: &Path, host: &str) -> Result<(), String> {
    let copy = |from: &Path, to: &Path| {
        fs::copy(from, to).map(drop).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
    };
    let write =
        |path: &Path, bytes: &[u8]| fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()));
    let completions = whole.join("completions");
    fs::create_dir_all(&completions).map_err(|error| format!("{}: {error}", completions.display()))?;
    copy(program, &whole.join(program.file_name().unwrap_or_default()))?;
    for file in FILES {
        copy(&workspace::root_folder().join(file), &whole.join(file))?;
    }
    for (shell, name) in SHELLS {
        let script = workspace::read_output(Command::new(program).args(["completions", shell]))?;
        write(&completions.join(name), script.as_bytes())?;
    }
    workspace::read_output(Command::new(program).arg("man").arg(whole.join("man").join("man1")))?;
    write(&whole.join("THIRD-PARTY.txt"), notices::collect_notices("lasthop", host)?.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell script that prints its arguments replaces the command.
    #[cfg(unix)]
    #[test]
    fn archive_has_program_pages_completions_and_licences() {
        use std::os::unix::fs::PermissionsExt;

        let folder = workspace::target_folder().join("tmp").join("dist-of-no-program");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let program = folder.join("lasthop");
        fs::write(
            &program,
            "#!/bin/sh\nif [ $1 = man ]; then mkdir -p $2; echo page > $2/lasthop.1; else echo $1 $2; fi\n",
        )
        .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let whole = folder.join("whole");
        fill_archive(&whole, &program, &workspace::host_triple().unwrap()).unwrap();
        let read = |name: &str| fs::read_to_string(whole.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read("completions/_lasthop"), "completions zsh\n");
        assert_eq!(read("man/man1/lasthop.1"), "page\n");
        assert!(read("LICENSE-MIT").starts_with("MIT License") && read("LICENSE-APACHE").contains("Apache License"));
        assert_ne!(fs::metadata(whole.join("lasthop")).unwrap().permissions().mode() & 0o111, 0);
        // The font embedded in plots has its own licence, which must be distributed with it.
        let notices = read("THIRD-PARTY.txt");
        assert!(notices.contains("SIL OPEN FONT LICENSE") && notices.contains("\nclap "), "{}", notices.len());
        assert!(!notices.contains("\nproptest "), "the archive must not contain licences of test dependencies");
    }
}
