//! The driver of a flow in an episode: actions from outside, a policy, or a built-in control.

use std::sync::Arc;

use engine::Stream;
use engine::members::{Custom, Factory, Member, Members, Unreadable, Unresolved};
use pyo3::prelude::*;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};
use tcp::cc::policy::{Evaluator, Network, ObservedControl, Policy, Rules};
use tcp::cc::{CongestionControl, ControlConfig, Start};

use super::tap::{MeasuredPolicy, Outside, Tap};
use super::{from_toml, refuse_faults};
use crate::error::BindingFailure;

/// Makes the decisions of a flow's congestion control.
#[derive(Clone)]
pub enum Driver {
    /// Actions from outside.
    Outside,
    /// A policy, with the rules used in its training.
    Network(Arc<Network>),
    /// A built-in control.
    Control(Box<ControlConfig>),
}

/// A driver as an argument: a policy, or the settings of a control as TOML.
#[derive(FromPyObject)]
pub enum DriverArgument {
    Policy(Py<super::Policy>),
    Control(String),
}

impl Driver {
    /// Returns the driver for an argument. A control may be a class of the scenario: see [`within`](Driver::within).
    pub fn of(given: &DriverArgument) -> Result<Self, BindingFailure> {
        Ok(match given {
            DriverArgument::Policy(policy) => Driver::Network(policy.get().network()),
            DriverArgument::Control(text) => Driver::Control(Box::new(from_toml(text, "control")?)),
        })
    }

    /// The checked driver in a scenario with these members.
    pub fn within(&self, members: &Members) -> Result<Self, BindingFailure> {
        let mut driver = self.clone();
        if let Driver::Control(control) = &mut driver {
            members.resolve(&mut **control).map_err(|error| describe_unresolved(control.name(), error))?;
            refuse_faults("control", control.check())?;
        }
        Ok(driver)
    }
}

fn describe_unresolved(name: &str, error: Unresolved) -> BindingFailure {
    BindingFailure::Text(match error {
        Unresolved::Unknown { name, known } => {
            format!("control: found \"{name}\", expected one of {}", known.join(", "))
        }
        Unresolved::Settings(error) => format!("control: {name}: {error:?}"),
    })
}

/// The control that a driver drives, and a tap measures.
#[derive(Clone)]
struct DrivenControl(Arc<DriverParts>);

struct DriverParts {
    rules: Rules,
    driver: Driver,
    tap: Arc<Tap>,
    /// The random numbers of the flow's sender. The receiver has a control too, which is not measured; each control is
    /// rebuilt when the connection is established.
    sender: Stream,
}

/// Name of the control class, in messages.
const NAME: &str = "external";

/// Builds the control as a member of its registry. `sender` is the random stream of the flow's sender.
pub fn build_driven_control(rules: &Rules, driver: &Driver, tap: &Arc<Tap>, sender: Stream) -> ControlConfig {
    let (rules, driver, tap) = (rules.clone(), driver.clone(), Arc::clone(tap));
    let driven = DrivenControl(Arc::new(DriverParts { rules, driver, tap, sender }));
    let mut members = Members::default();
    let mut control = ControlConfig::Custom(Custom::new(NAME, Map::new()));
    let added = members.add(driven).is_ok();
    let bound = added && members.resolve(&mut control).is_ok();
    debug_assert!(bound, "the name is free and there are no settings");
    control
}

impl Factory<ControlConfig> for DrivenControl {
    fn name(&self) -> &str {
        NAME
    }

    fn summary(&self) -> &str {
        "Driven by an environment"
    }

    fn version(&self) -> Option<&str> {
        None
    }

    fn schema(&self, _: &mut SchemaGenerator) -> Schema {
        false.into()
    }

    fn read(&self, _: &Map<String, Value>) -> Result<Arc<dyn Member<ControlConfig>>, Unreadable> {
        Ok(Arc::new(self.clone()))
    }
}

impl Member<ControlConfig> for DrivenControl {
    fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        let DriverParts { rules, driver, tap, sender } = &*self.0;
        let receiver = start.stream != *sender;
        match driver {
            Driver::Control(control) if receiver => control.build(start),
            Driver::Control(control) => {
                Box::new(ObservedControl::new(rules, Outside(Arc::clone(tap)), control.build(start), &start))
            }
            _ if receiver => Box::new(Policy::new(rules, Evaluator::new(Vec::new()), &start)),
            Driver::Network(trained) => {
                let network = Evaluator::new(trained.layers.clone());
                Box::new(Policy::new(&trained.rules, MeasuredPolicy { network, tap: Arc::clone(tap) }, &start))
            }
            Driver::Outside => Box::new(Policy::new(rules, Outside(Arc::clone(tap)), &start)),
        }
    }
}
