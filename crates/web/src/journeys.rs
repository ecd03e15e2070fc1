//! The positions of packets in an interval of a run.

use js_sys::Function;
use observe::run::Titled;
use wasm_bindgen::prelude::*;

use crate::scenario::report_progress;
use crate::{Figure, Scenario};

#[wasm_bindgen]
impl Scenario {
    /// Runs the scenario; returns the places of packets, frames and nodes from `from` to `to` (seconds). If that takes
    /// more than about `max_entries` rows, the interval ends early.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn journeys(&self, from: f64, to: f64, max_entries: usize, progress: &Function) -> Result<Figure, JsValue> {
        let loaded = self.load()?;
        let titled = Titled { title: loaded.title(), scenario: &loaded.scenario, network: &loaded.network };
        let figure =
            ::figure::record_journeys(titled, [from, to], max_entries, &mut |share| report_progress(progress, share));
        figure.map(Figure).map_err(|_| JsValue::NULL)
    }
}
