//! `cargo xtask`: the repository's own chores, so that they are the same on every machine.

#![allow(clippy::disallowed_macros, reason = "chores are watched to the end")]

mod agreement;
mod bench;
mod book;
mod cycles;
mod dist;
mod kernel;
mod mutants;
mod package;
mod skips;
mod test;
mod wasm;
mod words;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
The repository's chores.

    cargo xtask test [--full]
        Format, lints, WebAssembly, every test, and the documentation, in that order. With --full also the tests that take minutes, which
        are marked with `ignore`. A test that is skipped must be in xtask/allowed-skips.txt.

    cargo xtask dist
        The archive of a release, in target/dist: the command built with the profile `dist`, manual pages, completions, licences.

    cargo xtask package [--quick]
        The packages that crates.io would get, in target/package, each built from its package alone; with --quick not built.

    cargo xtask wasm
        Whether the crates that need no disk compile for a browser.

    cargo xtask book
        The documentation as a book, in target/book/html; checks every link. Needs mdBook.

    cargo xtask words
        How many words of comments, messages and documentation are of a dialect for which the field has better ones.

    cargo xtask cycles
        Whether modules of a crate import each other in a circle; a test does this too.

    cargo xtask ns2 [senders | cell]
        The tables of ns-2 that tests hold our senders and our 802.11 against, made anew; needs ns-2, and ten minutes.

    cargo xtask kernel FILE.pkt...
        packetdrill scripts against this machine's own Linux; needs root and a TUN device. `--help` tells more.

    cargo xtask mutants [sample | rules] [OPTIONS]
        Whether the tests of a crate notice changes of its code; needs cargo-mutants. `--help` tells more.

    cargo xtask bench peers [OPTIONS]
        How fast lasthop is beside ns-2 and ns-3 on the same workloads.

        --rows p1,p2-1,p2-10,p2-100,p2-1000,p3-10   which workloads; all of these if not given
        --repeat K     runs of each program, of which the median counts; 3 if not given, 1 for ns-3
        --json         the result as JSON
        --check        fail if lasthop misses a goal of speed or memory
";

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();

    let outcome = match words.as_slice() {
        [] => workspace::print(USAGE),
        // Has a help of its own.
        ["kernel", options @ ..] => match kernel::run(options) {
            Ok(code) => return code,
            Err(problem) => Err(problem),
        },
        ["mutants", options @ ..] => mutants::run(options),
        words if words.contains(&"--help") || words.contains(&"-h") => workspace::print(USAGE),
        ["test"] => test::run(false),
        ["test", "--full"] => test::run(true),
        ["book"] => book::run(),
        ["dist"] => dist::run(),
        ["package"] => package::run(false),
        ["package", "--quick"] => package::run(true),
        ["wasm"] => wasm::run(),
        ["words"] => words::run(),
        ["cycles"] => cycles::run(),
        ["ns2", which @ ..] => agreement::run(which),
        ["bench", "peers", options @ ..] => bench::Options::parse(options).and_then(|it| bench::peers(&it)),
        words => Err(format!("there is no chore `{}`\n\n{USAGE}", words.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}
