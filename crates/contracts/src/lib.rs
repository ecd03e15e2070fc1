//! Checks of the contracts that all members of the registries keep, for members from any crate.
//!
//! [`control()`] calls a congestion control with random arguments, [`transfer()`] runs whole transfers over a bad network,
//! and [`agent()`] passes random traffic through an agent. Each result depends on the member and the seed only. A broken
//! contract is a [`Breach`], which states the contract, the call, what was found and what was expected. A panic of a
//! member is not caught.
//!
//! ```
//! use tcp::cc::ControlConfig;
//!
//! for (name, _) in ControlConfig::MEMBERS {
//!     let config: ControlConfig = engine::registry::by_name(name).expect("defaults");
//!     contracts::control(&config, 1)?;
//! }
//! # Ok::<(), contracts::Breach>(())
//! ```
//!
//! The modules of the same names have the parts: steps of one's own, options for members with exceptions, and what was
//! observed besides.

pub mod agent;
mod breach;
pub mod control;
mod draw;
pub mod transfer;

pub use agent::agent;
pub use breach::{Breach, Call, Contract};
pub use control::control;
pub use transfer::{transfer, transfers};
