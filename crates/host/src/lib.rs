//! Services of the machine for an emulation: network and user namespaces, TUN devices, and its clock.
//!
//! Linux only: on other systems the crate is empty except for [`Error`], and [`check_machine`] reports the unsupported
//! system. The host's own network is never changed, and namespaces and devices end with the process that created them.

mod check;
#[cfg(target_os = "linux")]
pub mod clock;
mod error;
#[cfg(target_os = "linux")]
pub mod ip;
#[cfg(target_os = "linux")]
pub mod namespace;
#[cfg(target_os = "linux")]
pub mod outside;
#[cfg(target_os = "linux")]
pub mod process;
#[cfg(target_os = "linux")]
pub mod tun;
#[cfg(target_os = "linux")]
pub mod user;

pub use check::{MachineFinding, check_machine};
pub use error::Error;
