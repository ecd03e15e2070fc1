//! `lasthop shell` and `lasthop emulate` on systems without namespaces and TUN devices.

use std::ffi::OsString;

use clap::Args as ClapArgs;

pub use super::shell_examples::{EMULATE_EXAMPLES, EXAMPLES};
use crate::CommandFailure;

/// Arguments of both commands, which this build does not read.
#[derive(ClapArgs)]
pub struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<OsString>,
}

pub type EmulateArgs = Args;
pub type HereArgs = Args;

/// Refuses to run.
pub fn run_in_shell(_: &Args) -> Result<(), CommandFailure> {
    Err(CommandFailure::Unsupported(format!("error: {}", host::Error::NotLinux)))
}

pub use run_in_shell as emulate;
pub use run_in_shell as here;
