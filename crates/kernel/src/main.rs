//! Runs packetdrill scripts against the Linux kernel of this machine, in real time: `cargo xtask kernel`.
//!
//! Each script runs in its own network namespace with a TUN device, real sockets, and `struct tcp_info` from the
//! kernel. Only the host under test differs from `lasthop drill`: [`ScriptTarget`](drill::target::ScriptTarget). Results:
//! `docs/models/agreement-linux.md`.

#![allow(clippy::disallowed_macros, reason = "a command-line tool prints its progress")]
#![allow(clippy::disallowed_methods, reason = "the kernel under test runs in real time")]

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod command;
#[cfg(target_os = "linux")]
mod diag;
#[cfg(target_os = "linux")]
mod errno;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod options;
#[cfg(target_os = "linux")]
mod packet;
#[cfg(target_os = "linux")]
mod path;
#[cfg(target_os = "linux")]
mod tables;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    command::run_command()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("kernel: not supported: expected a Linux machine");
    ExitCode::from(3)
}
