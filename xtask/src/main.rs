//! `cargo xtask`: the repository's tasks, the same on every machine.

#![allow(clippy::disallowed_macros, reason = "tasks print to the terminal")]

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
The repository's tasks.

    cargo xtask test [--full]
        Format, lints, WebAssembly, every test, and the documentation, in that order. With --full also the tests that take minutes, which
        are marked with `ignore`. A test that is skipped must be in xtask/allowed-skips.txt.

    cargo xtask dist
        The archive of a release, in target/dist: the command built with the profile `dist`, manual pages, completions, licences.

    cargo xtask package [--quick]
        The packages that crates.io would get, in target/package, each built from its package alone; with --quick not built.

    cargo xtask wasm
        Compiles the crates that need no disk for WebAssembly.

    cargo xtask book
        The documentation as a book, in target/book/html; checks every link. Needs mdBook.

    cargo xtask words
        Counts words in comments, messages and documentation for which the field has standard terms.

    cargo xtask cycles
        Checks that modules of a crate do not import each other in cycles; a test does this too.

    cargo xtask ns2 [senders | cell]
        Renews the tables of ns-2 with which tests compare our senders and our 802.11; needs ns-2, and ten minutes.

    cargo xtask kernel FILE.pkt...
        packetdrill scripts against this machine's own Linux; needs root and a TUN device. See its `--help`.

    cargo xtask mutants [sample | rules] [OPTIONS]
        Mutation tests: whether the tests of a crate detect changes of its code; needs cargo-mutants. See its `--help`.

    cargo xtask bench peers [OPTIONS]
        The speed of lasthop, ns-2 and ns-3 on the same workloads.

        --rows p1,p2-1,p2-10,p2-100,p2-1000,p3-10   the workloads; default all of these
        --repeat K     runs of each program, of which the median is used; default 3, 1 for ns-3
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
        words => Err(format!("there is no task `{}`\n\n{USAGE}", words.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}
