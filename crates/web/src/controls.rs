//! The controls of a scenario's keys.

use ::scenario::Overrides;
use ::scenario::controls::{list_controls, list_variants};
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::Scenario;

#[wasm_bindgen]
impl Scenario {
    /// Returns the control of each key that the scenario can set, as JSON. Values need not be valid.
    ///
    /// # Errors
    /// The text has no keys, or is not valid: its problems as JSON.
    pub fn controls(&self) -> Result<String, JsValue> {
        let source = self.source(&Overrides::default())?;
        Ok(json!(list_controls(&source, self.overrides())).to_string())
    }

    /// The variants to show side by side when the scenario is opened, as JSON.
    ///
    /// # Errors
    /// As [`controls`](Self::controls).
    pub fn variants(&self) -> Result<String, JsValue> {
        Ok(json!(list_variants(&self.source(&Overrides::default())?.document)).to_string())
    }
}
