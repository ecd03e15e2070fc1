//! `cargo xtask`: maintenance commands of the repository, the same on every machine.

#![allow(clippy::disallowed_macros, reason = "commands print their progress")]

mod agreement;
mod bench;
mod book;
mod census;
mod checks;
mod cycles;
mod dist;
mod kernel;
mod mutants;
mod names;
mod package;
mod packages;
mod pgo;
mod python;
mod skips;
mod test;
mod tree;
mod wasm;
mod web;
mod words;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
Maintenance commands of the repository.

    cargo xtask test [--full] [--install]
        The fast lane: format, lints, all tests that take seconds, the Python package and the page at small size. Tests that need
        a missing program are skipped and counted. With --full also the tests that take minutes, which are marked with
        `ignore`, wheels, fuzz targets, the census, WebAssembly and the documentation.

        --install      installs missing programs with apt-get; skips must then be listed in xtask/allowed-skips.txt

    cargo xtask dist [--pgo]
        Creates the release archive in target/dist: the command built with the profile `dist`, manual pages,
        completions, and licences. With --pgo optimized by the profile of `pgo`.

    cargo xtask pgo
        Builds the command with the profile `dist`, and again with a profile of what the examples execute; prints the CPU
        time of both on the workloads of `bench peers`. Installs rustup's llvm-tools if missing.

    cargo xtask package [--quick]
        Creates the packages for crates.io in target/package, and builds each from its package alone. Installs the command
        from the packages, with cargo's default profile and by the line in crates/cli/README.md, and compares the sizes of
        packages, and CPU seconds, size, memory and instructions of the command with bench/budget.toml. --quick omits the
        builds.

    cargo xtask python [--full]
        Builds the Python package in target/python, checks its types, and runs its tests in a virtual environment with
        python/tests/requirements.txt. With --full over all examples.

    cargo xtask wheels
        Builds a small wheel in target/wheels, and checks its size and its use of Python's stable interface.

    cargo xtask web [--parts | --out FOLDER | --check PROGRAM]
        Builds the page for browsers, and compresses it into crates/cli/bundle: the next build of the command serves it by
        `lasthop web`. Needs npm. With --parts only what `npm run dev` in web/ needs: the module and the examples. With
        --out into a folder, compiled faster and less optimized: `lasthop web` builds a missing page so. With
        --check only whether a program contains the page that was built last.

    cargo xtask web test [--full]
        Builds the page as the tests do, runs the module in Node and compares it with the command, with --full on all
        examples; then the tests of the page in Chromium.

    cargo xtask wasm
        Checks that the crates without file access compile for a browser.

    cargo xtask book
        The documentation as a book, in target/book/html; checks every link. Needs mdBook.

    cargo xtask words
        Counts the words in comments, messages and documentation for which a standard term exists.

    cargo xtask names [--lower | --list CRATE]
        Measures names and comments by crate, and compares them with bench/names.toml. With --lower lowers the limits there to
        the present figures; with --list prints the names that count in a crate.

    cargo xtask cycles
        Checks for import cycles between the modules of a crate; a test does this too.

    cargo xtask census
        Adds a dummy member to every registry in a copy of the tree and checks that its file and its lines are enough.

    cargo xtask ns2 [senders | cell | snoop]
        Regenerates the ns-2 tables with which tests compare senders, 802.11 and snoop; needs ns-2 and ten minutes.

    cargo xtask linux [--program PATH] [--paths LIST]
        Regenerates the table of Linux's goodput with which a test compares our variants: its TCP behind `lasthop shell` on
        the built-in paths, in real time; needs root and half an hour.

    cargo xtask kernel FILE.pkt...
        Runs packetdrill scripts against this machine's Linux kernel; needs root and a TUN device. See `--help`.

    cargo xtask mutants [sample | rules] [OPTIONS]
        Tests whether a crate's tests detect changes of its code; needs cargo-mutants. See `--help`.

    cargo xtask bench peers [OPTIONS]
        Measures the speed of lasthop, ns-2 and ns-3 on the same workloads.

        --rows p1,p2-1,p2-10,p2-100,p2-1000,p3-10   workloads; default: all of these
        --repeat K     runs of each program, of which the median is reported; default: 3, and 1 for ns-3
        --json         prints the result as JSON
        --check        fails if lasthop needs too much memory or exceeds bench/budget.toml

    cargo xtask bench budget
        Counts instructions of lasthop with cachegrind, which it installs if missing, and compares them with
        bench/budget.toml.

    cargo xtask bench build
        Builds the command from an empty cache; prints CPU seconds and code by crate, and compares them, the size of the
        command, and its memory and instructions at the start with bench/budget.toml.

    cargo xtask bench emulate [--rates 10,50,100] [--seconds 10] [--normal-priority] [--program PATH]
        Measures rate, delay and lateness of `lasthop shell` with datagrams of 1500 bytes in both directions, at these
        rates in Mbps; needs Linux, and root for real-time priority.
";

fn main() -> ExitCode {
    if let Some(code) = bench::build::wrap_rustc().or_else(checks::wrap_rustc) {
        return code;
    }
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();

    let outcome = match words.as_slice() {
        [] => workspace::print_text(USAGE),
        // This command has its own help text.
        ["kernel", options @ ..] => match kernel::run_kernel(options) {
            Ok(code) => return code,
            Err(problem) => Err(problem),
        },
        ["mutants", options @ ..] => mutants::test_mutants(options),
        words if words.contains(&"--help") || words.contains(&"-h") => workspace::print_text(USAGE),
        #[cfg(unix)]
        [test::RUN_TESTS, words @ ..] => test::run_program(words),
        ["test", options @ ..] => test::LaneOptions::parse(options).and_then(test::run_lane),
        ["book"] => book::build_book(),
        ["dist"] => dist::build_archive(false),
        ["dist", "--pgo"] => dist::build_archive(true),
        ["pgo"] => pgo::compare_profiles(),
        ["package"] => package::check_packages(false),
        ["package", "--quick"] => package::check_packages(true),
        ["census"] => census::run_census(),
        ["python"] => python::test_package(false),
        ["python", "--full"] => python::test_package(true),
        ["wheels"] => python::check_wheels(),
        ["web"] => web::embed_page(web::Module::Released),
        ["web", "--parts"] => web::build_parts(web::Module::Released),
        ["web", "--out", folder] => web::build_into(folder),
        ["web", "--check", program] => web::check_embedded(program.as_ref()),
        ["web", "test"] => web_test(false),
        ["web", "test", "--full"] => web_test(true),
        ["wasm"] => wasm::check_wasm(),
        ["words"] => words::check_words(),
        ["names"] => names::check_names(),
        ["names", "--lower"] => names::lower_limits(),
        ["names", "--list", name] => names::list_offenders(name),
        ["cycles"] => cycles::check_cycles(),
        ["linux", options @ ..] => agreement::linux::write_linux_table(options),
        ["ns2", which @ ..] => agreement::write_tables(which),
        ["bench", "build"] => bench::build::measure_build(),
        ["bench", "budget"] => bench::budget::check_budget(),
        ["bench", "emulate", options @ ..] => bench::emulate::measure_emulation(options),
        [bench::measure::PEAK_MEMORY, words @ ..] => bench::measure::print_peak_memory(words),
        [bench::emulate::DATAGRAMS, options @ ..] => bench::emulate::exchange_datagrams(options),
        ["bench", "peers", options @ ..] => bench::PeerOptions::parse(options).and_then(|it| bench::compare_peers(&it)),
        words => Err(format!("unknown command `{}`\n\n{USAGE}", words.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn web_test(full: bool) -> Result<(), String> {
    web::embed_page(web::Module::of_tests(full))?;
    web::compare_with_command(full)?;
    web::test_page(full)
}
