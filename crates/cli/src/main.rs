//! The `lasthop` command: see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main_as_program(std::env::args_os()).into()
}
