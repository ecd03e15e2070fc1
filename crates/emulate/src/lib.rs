//! A simulated network in real time between real hosts.
//!
//! [`Emulator`] lets packets of real hosts cross a [`sim::World`]; [`drive()`] is the loop over a clock and devices, which
//! [`Host`] stands for, so that tests run in simulated time. [`session`] is the whole of `lasthop shell`: namespaces, devices
//! and commands on Linux.

mod addresses;
#[cfg(target_os = "linux")]
pub mod compare;
mod connections;
mod delivered;
mod drive;
mod emulator;
mod frame;
mod lateness;
mod rebuild;
#[cfg(target_os = "linux")]
pub mod session;
mod store;

pub use addresses::{ipv4, ipv6};
pub use delivered::Delivered;
pub use drive::{Host, drive};
pub use emulator::{Counts, Emulator, Outgoing, Settings};
pub use frame::{Frame, Payload};
pub use lateness::{BEHIND, Lateness, Period};
