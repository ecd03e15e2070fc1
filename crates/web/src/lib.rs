//! The laboratory as WebAssembly: functions on texts and arrays, for a worker of a page. The crate contains no logic,
//! and the crates below compute all results.

mod controls;
mod figure;
mod journeys;
mod lesson;
mod picture;
mod problem;
mod scenario;
mod statistics;

use wasm_bindgen::prelude::*;

pub use figure::Figure;
pub use lesson::{LessonRuns, lesson};
pub use scenario::Scenario;
pub use statistics::{Replications, axis, metrics};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// Writes the text of a panic, which is a defect of this program, to the console before the module traps.
#[wasm_bindgen(start)]
pub fn begin() {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
}

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
