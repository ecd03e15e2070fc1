//! packetdrill scripts against this machine's own Linux, in real time: `cargo xtask kernel`.
//!
//! Each script gets a network namespace and a TUN device of its own, real sockets, and what TCP says of itself. Only the
//! host under test differs from `lasthop drill`: [`Target`](drill::target::Target). Told in
//! `docs/models/agreement-linux.md`.

#![allow(clippy::disallowed_macros, reason = "a chore, watched to the end")]
#![allow(clippy::disallowed_methods, reason = "the kernel under test runs by the clock on the wall")]

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod chore;
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
    chore::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("kernel: not supported: scripts run against the machine's own Linux, and this is none");
    ExitCode::from(3)
}
