//! Trained policies.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use tcp::cc::policy::{Evaluator, Layer, Network, Rules};

use super::{from_toml, refuse_faults};
use crate::error::BindingFailure;

/// A network that is ready to compute actions.
#[pyclass(frozen, module = "lasthop._lasthop")]
pub struct Policy {
    network: Arc<Network>,
    evaluator: Mutex<Evaluator>,
}

impl Policy {
    fn of(network: Network) -> Result<Self, BindingFailure> {
        refuse_faults("policy", network.check())?;
        let evaluator = Mutex::new(Evaluator::new(network.layers.clone()));
        Ok(Policy { network: Arc::new(network), evaluator })
    }

    pub fn network(&self) -> Arc<Network> {
        Arc::clone(&self.network)
    }
}

#[pymethods]
impl Policy {
    /// A policy with these rules, as TOML, and these layers: weights and bias.
    #[new]
    fn new(py: Python<'_>, rules: &str, layers: Vec<(Vec<Vec<f64>>, Vec<f64>)>) -> PyResult<Self> {
        let made = || {
            let rules: Rules = from_toml(rules, "policy")?;
            let layers = layers.into_iter().map(|(weights, bias)| Layer { weights, bias }).collect();
            Policy::of(Network { rules, layers })
        };
        made().map_err(|failure: BindingFailure| failure.into_exception(py))
    }

    /// The policy in the text of a file.
    #[staticmethod]
    fn read(py: Python<'_>, text: &str) -> PyResult<Self> {
        from_toml(text, "policy").and_then(Policy::of).map_err(|failure| failure.into_exception(py))
    }

    /// Rules and layers of the policy, as in its file, but in JSON.
    fn json(&self) -> PyResult<String> {
        serde_json::to_string(&*self.network)
            .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
    }

    /// The action for these features.
    fn act(&self, py: Python<'_>, features: Vec<f64>) -> PyResult<f64> {
        let wanted = self.network.rules.observe.len();
        if features.len() != wanted {
            let text = format!("found {} features, expected {wanted}", features.len());
            return Err(BindingFailure::Text(text).into_exception(py));
        }
        // No Python code runs while the lock is held.
        Ok(self.evaluator.lock().unwrap_or_else(PoisonError::into_inner).act(&features))
    }
}
