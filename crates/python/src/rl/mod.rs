//! Reinforcement learning: transfers that stop at each decision of a congestion control, and episodes of policies and
//! built-in controls with the same channel states.

mod driver;
mod environments;
mod episode;
mod policy;
mod tap;
mod threads;

use engine::Span;
use pyo3::prelude::*;
use serde::Deserialize;
use tcp::cc::policy::{Feature, Rules};

use crate::error::BindingFailure;
pub use environments::Environments;
pub use policy::Policy;

/// The settings of environments, as `lasthop.rl` writes them in TOML.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Setup {
    rules: Rules,
    reward: Weights,
    /// Time between simultaneous decisions of all flows. If it is not given, each decision of a flow ends a step.
    #[serde(skip)]
    period: Option<Span>,
}

/// The weights of the reward.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Weights {
    delay: f64,
    loss: f64,
}

/// Reads TOML written by this package, or a user's file.
fn from_toml<T: for<'de> Deserialize<'de>>(text: &str, what: &str) -> Result<T, BindingFailure> {
    toml::from_str(text).map_err(|error| BindingFailure::Text(format!("{what}: {}", error.to_string().trim_end())))
}

/// The names of all features with their ranges.
#[pyfunction]
pub fn features() -> Vec<(&'static str, f64, f64)> {
    Feature::ALL.iter().map(|(_, name, least, most)| (*name, *least, *most)).collect()
}

/// Refuses settings with errors.
fn refuse_faults(what: &str, faults: Vec<engine::registry::Fault>) -> Result<(), BindingFailure> {
    match faults.into_iter().next() {
        Some(fault) => {
            let found = fault.found.unwrap_or_else(|| "nothing".into());
            Err(BindingFailure::Text(format!("{what}: {}: found {found}, expected {}", fault.key, fault.expected)))
        }
        None => Ok(()),
    }
}
