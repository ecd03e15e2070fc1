//! A feed-forward network with tanh layers, evaluated with a fixed order of additions, so that results are equal on
//! every machine.

use engine::registry::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PolicyAgent, PolicyStep, Rules};

/// Maximum number of layers.
const MOST_LAYERS: usize = 8;
/// Maximum number of outputs of a layer.
const MOST_WIDTH: usize = 256;

/// A network: its observations, the meaning of its actions, and its layers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// Observations, and meaning of the actions.
    pub rules: Rules,
    /// Layers from the features to the action; the last layer has one output. Without layers the action is 0.
    pub layers: Vec<Layer>,
}

/// A layer: tanh(weights x inputs + bias).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// A row of weights for each output.
    pub weights: Vec<Vec<f64>>,
    /// A number for each output.
    pub bias: Vec<f64>,
}

impl Network {
    /// Returns the errors of its settings, with keys within the network.
    pub fn check(&self) -> Vec<Fault> {
        let mut faults = self.rules.check();
        let wrong =
            |number: usize, found: String, expected: String| Fault::new("layers", found, expected).entry(number);
        for fault in &mut faults {
            fault.key = format!("rules.{}", fault.key).into();
        }
        if self.layers.len() > MOST_LAYERS {
            faults.push(Fault::new("layers", self.layers.len(), format!("at most {MOST_LAYERS} layers")));
        }
        let mut inputs = self.rules.observe.len();
        for (number, layer) in self.layers.iter().enumerate() {
            let outputs = layer.bias.len();
            if layer.weights.len() != outputs || !(1..=MOST_WIDTH).contains(&outputs) {
                let found = format!("{} rows of weights and {outputs} numbers of bias", layer.weights.len());
                faults.push(wrong(number, found, format!("the same number of both, 1 to {MOST_WIDTH}")));
            }
            if let Some(row) = layer.weights.iter().find(|row| row.len() != inputs) {
                let expected = format!("{inputs}, one for each input");
                faults.push(wrong(number, format!("a row of {} weights", row.len()), expected));
            }
            if layer.weights.iter().flatten().chain(&layer.bias).any(|number| !number.is_finite()) {
                faults.push(wrong(number, "a number that is not finite".into(), "finite numbers".into()));
            }
            inputs = outputs;
        }
        if inputs != 1 && !self.layers.is_empty() {
            let expected = "1, the action".to_owned();
            faults.push(wrong(self.layers.len() - 1, format!("{inputs} outputs of the last layer"), expected));
        }
        faults
    }
}

/// A network with the memory for its evaluation.
pub struct Evaluator {
    layers: Vec<Layer>,
    /// Inputs of the layer evaluated last.
    inputs: Vec<f64>,
    /// Outputs of the layer evaluated last.
    outputs: Vec<f64>,
    action: f64,
}

impl Evaluator {
    /// Creates an evaluator of valid layers.
    pub fn new(layers: Vec<Layer>) -> Self {
        Evaluator { layers, inputs: Vec::new(), outputs: Vec::new(), action: 0.0 }
    }

    /// Returns the action for these features.
    pub fn act(&mut self, features: &[f64]) -> f64 {
        let Evaluator { layers, inputs, outputs, .. } = self;
        inputs.clear();
        inputs.extend(features);
        for layer in &*layers {
            outputs.clear();
            for (row, bias) in layer.weights.iter().zip(&layer.bias) {
                let sum = row.iter().zip(&*inputs).fold(*bias, |sum, (weight, input)| sum + weight * input);
                outputs.push(libm::tanh(sum));
            }
            std::mem::swap(inputs, outputs);
        }
        if layers.is_empty() { 0.0 } else { inputs[0] }
    }
}

impl PolicyAgent for Evaluator {
    fn observe(&mut self, _: &PolicyStep, features: &[f64]) {
        self.action = self.act(features);
    }

    fn action(&mut self) -> f64 {
        self.action
    }
}
