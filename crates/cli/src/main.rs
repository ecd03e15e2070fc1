//! The `lasthop` command: see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::program(std::env::args_os()).into()
}
