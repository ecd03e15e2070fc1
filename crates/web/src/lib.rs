//! The laboratory as WebAssembly: functions on texts and arrays, for a worker of a page. It has no logic of its own: what
//! the page shows is computed by the crates below.

mod problem;
mod scenario;

use wasm_bindgen::prelude::*;

pub use scenario::Scenario;

/// The version of the program.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The version of the model, which is raised when results change.
#[wasm_bindgen]
pub fn model_version() -> u32 {
    sim::MODEL_VERSION
}

/// The JSON Schema of scenarios: all keys with their types, units, ranges and defaults.
#[wasm_bindgen]
pub fn schema() -> String {
    ::scenario::schema().to_string()
}
