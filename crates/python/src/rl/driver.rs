//! What drives a flow of an episode: actions from outside, a policy, or a built-in control.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::members::{Custom, Factory, Member, Members, Unreadable};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};
use tcp::cc::policy::{Evaluator, Layer, Observed, Policy, Rules};
use tcp::cc::{CongestionControl, ControlConfig, Start};

use super::tap::{Measured, Outside, Tap};

/// Decides for a flow.
#[derive(Clone)]
pub enum Driver {
    /// Actions from outside.
    Outside,
    /// A policy, which acts by its own rules.
    Network(Rules, Vec<Layer>),
    /// A built-in control.
    Control(Box<ControlConfig>),
}

/// The control that a driver drives, and a tap measures.
#[derive(Clone)]
struct Driven(Arc<Parts>);

struct Parts {
    rules: Rules,
    driver: Driver,
    tap: Arc<Tap>,
    /// Whether the sender's control was built; the receiver's, which is built after it, is not measured.
    built: AtomicBool,
}

/// The name of these controls, in messages.
const NAME: &str = "external";

/// The control as a member of its registry.
pub fn control(rules: &Rules, driver: &Driver, tap: &Arc<Tap>) -> ControlConfig {
    let (rules, driver, tap) = (rules.clone(), driver.clone(), Arc::clone(tap));
    let driven = Driven(Arc::new(Parts { rules, driver, tap, built: AtomicBool::new(false) }));
    let mut members = Members::default();
    let mut control = ControlConfig::Custom(Custom::new(NAME, Map::new()));
    let added = members.add(driven).is_ok();
    let bound = added && members.resolve(&mut control).is_ok();
    debug_assert!(bound, "the name is free and there are no settings");
    control
}

impl Factory<ControlConfig> for Driven {
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

impl Member<ControlConfig> for Driven {
    fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        let Parts { rules, driver, tap, built } = &*self.0;
        let receiver = built.swap(true, Ordering::Relaxed);
        match driver {
            Driver::Control(control) if receiver => control.build(start),
            Driver::Control(control) => {
                Box::new(Observed::new(rules, Outside(Arc::clone(tap)), control.build(start), &start))
            }
            _ if receiver => Box::new(Policy::new(rules, Evaluator::new(Vec::new()), &start)),
            Driver::Network(rules, layers) => {
                let network = Evaluator::new(layers.clone());
                Box::new(Policy::new(rules, Measured { network, tap: Arc::clone(tap) }, &start))
            }
            Driver::Outside => Box::new(Policy::new(rules, Outside(Arc::clone(tap)), &start)),
        }
    }
}
