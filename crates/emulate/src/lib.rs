//! A simulated network in real time between real hosts.
//!
//! [`Emulator`] lets packets of real hosts cross a [`sim::World`]; [`drive_emulator`] is the loop over a clock and
//! devices. [`Host`] abstracts both, so that tests run in simulated time. [`session`] is the whole of `lasthop shell`:
//! namespaces, devices and commands on Linux.

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

pub use addresses::{ipv4_of_node, ipv6_of_node};
pub use delivered::DeliveredData;
pub use drive::{Host, drive_emulator};
pub use emulator::{Counts, Emulator, EmulatorSettings, Outgoing};
pub use frame::{IpFrame, Payload};
pub use lateness::{BEHIND, Lateness, Period};
