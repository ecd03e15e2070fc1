//! The contracts of all members, checked for a class.

use engine::members::Open;
use engine::{Custom, Members};
use path::agent::AgentConfig;
use pyo3::prelude::*;
use serde_json::{Map, Value};
use tcp::cc::ControlConfig;

use super::{Class, MemberKind, catch_exception, collect_members};
use crate::error::BindingFailure;

/// Checks a class with settings, which are a JSON object, against the contracts of its registry, with inputs drawn from
/// each seed from 1 to `seeds`. Signals are checked only after each seed.
#[pyfunction]
#[pyo3(signature = (checked: "Class", settings, seeds))]
pub fn check_member(py: Python<'_>, checked: Class, settings: &str, seeds: u64) -> PyResult<()> {
    let settings: Map<String, Value> = serde_json::from_str(settings)
        .map_err(|error| BindingFailure::Text(format!("settings: {error}")).into_exception(py))?;
    let check = || -> Result<(), BindingFailure> {
        let table = collect_members(std::slice::from_ref(&checked))?;
        let broken = |breach: contracts::Breach| BindingFailure::Text(breach.to_string());
        for seed in 1..=seeds {
            match checked.kind {
                MemberKind::Control => {
                    let config: ControlConfig = resolve_member(&table, &checked, &settings)?;
                    contracts::check_control(&config, seed).map_err(broken)?;
                    contracts::check_transfers(&config, seed).map_err(broken)?;
                }
                MemberKind::Agent => {
                    let config: AgentConfig = resolve_member(&table, &checked, &settings)?;
                    contracts::check_agent(&config, seed).map_err(broken)?;
                }
            }
            Python::attach(|py| py.check_signals())?;
        }
        Ok(())
    };
    py.detach(|| catch_exception(check)).map_err(|failure| failure.into_exception(py))
}

/// The member with these settings.
fn resolve_member<R: Open>(table: &Members, class: &Class, settings: &Map<String, Value>) -> Result<R, BindingFailure> {
    let mut member = R::from(Custom::new(&class.name, settings.clone()));
    table.resolve(&mut member).map_err(|error| BindingFailure::Text(format!("{}: {error}", class.name)))?;
    Ok(member)
}
