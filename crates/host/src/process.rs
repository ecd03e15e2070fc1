//! Processes that end with their parent.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;

use crate::user;

/// Replaces this process by a command, which is killed when the parent's thread ends. Unless the command keeps its
/// privileges over namespaces, it has only the privileges of the user. Returns only if the command cannot be run.
pub fn become_command(words: &[OsString], keep_rights: bool) -> io::Error {
    let Some((program, arguments)) = words.split_first() else { return io::ErrorKind::InvalidInput.into() };
    if !keep_rights {
        user::drop_rights();
    }
    if let Err(error) = set_pdeathsig(Signal::SIGKILL) {
        return error.into();
    }
    Command::new(program).args(arguments).exec()
}
