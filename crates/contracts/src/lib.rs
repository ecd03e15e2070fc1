//! Checks of the contracts that all members of the registries keep, for members from any crate.
//!
//! [`check_control`] calls a congestion control with random arguments, [`check_transfer`] runs whole transfers over a bad network,
//! and [`check_agent`] passes random traffic through an agent. Each result depends on the member and the seed only. A broken
//! contract is a [`Breach`], which states the contract, the call, and the values found and expected. A panic of a
//! member is not caught.
//!
//! ```
//! use tcp::cc::ControlConfig;
//!
//! for (name, _) in ControlConfig::MEMBERS {
//!     let config: ControlConfig = engine::registry::by_name(name).expect("defaults");
//!     contracts::check_control(&config, 1)?;
//! }
//! # Ok::<(), contracts::Breach>(())
//! ```
//!
//! Modules contain the parts: single steps, options for members with exceptions, and observations.

pub mod agent;
mod breach;
pub mod control;
mod draw;
pub mod transfer;

pub use agent::check_agent;
pub use breach::{Breach, Call, Contract};
pub use control::check_control;
pub use transfer::{check_transfer, check_transfers};
