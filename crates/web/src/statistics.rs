//! Statistics of replications, and the axes of small sweeps.

use ::figure::collect_readings;
use ::figure::protocol::{AxisPlace, MetricData, SweepAxis, SweepSuggestion};
use ::scenario::axes::suggest::{from_text, suggest_axes};
use ::scenario::problem::Problem;
use js_sys::Function;
use observe::metric::{self, METRICS, Metric};
use observe::replications::{self, Case};
use observe::run::Titled;
use serde_json::{Value, json};
use stats::Level;
use stats::precise::Rule;
use wasm_bindgen::prelude::*;

use crate::scenario::report_progress;
use crate::{Figure, Scenario, problem};

/// All metrics as JSON: name, unit, subject, whether high or low values are better, definition, and whether they have
/// values only if delays are measured.
#[wasm_bindgen]
pub fn metrics() -> String {
    json!(METRICS.iter().map(|metric| MetricData::from(*metric)).collect::<Vec<_>>()).to_string()
}

/// Reads the values of an axis from a text; returns for each, as JSON, its displayed text and the change `KEY=VALUE`.
///
/// # Errors
/// The problem as JSON.
#[wasm_bindgen]
pub fn axis(key: &str, values: &str) -> Result<String, JsValue> {
    let places = from_text(key, values).map_err(|problem| problem_to_exception(&problem))?.into_iter();
    let places = places.map(|((key, value), shown)| AxisPlace { shown, change: format!("{key}={value}") });
    Ok(json!(places.collect::<Vec<_>>()).to_string())
}

fn problem_to_exception(problem: &Problem) -> JsValue {
    problem::problems_to_exception(std::slice::from_ref(problem))
}

#[wasm_bindgen]
impl Scenario {
    /// The leading metric of the scenario's sweep, and suggested axes with their values as text, as JSON.
    ///
    /// # Errors
    /// Problems of the scenario as JSON.
    pub fn sweep(&self) -> Result<String, JsValue> {
        let scenario = self.load()?.scenario;
        let sweep = scenario.sweep.clone().unwrap_or_default();
        let metrics =
            replications::select_metrics(&sweep, &scenario).map_err(|problem| problem_to_exception(&problem))?;
        let axes = suggest_axes(&scenario).into_iter().map(SweepAxis::from).collect();
        Ok(json!(SweepSuggestion { metric: metrics.first().map(|metric| metric.name), axes }).to_string())
    }

    /// Runs the scenario; returns all of its metrics.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn readings(&self, delays: bool, progress: &Function) -> Result<Figure, JsValue> {
        let loaded = self.load()?;
        let titled = Titled { title: loaded.title(), scenario: &loaded.scenario, network: &loaded.network };
        collect_readings(titled, delays, &mut |share| report_progress(progress, share))
            .map(Figure)
            .map_err(|_| JsValue::NULL)
    }
}

/// One metric of cases, by replication.
#[wasm_bindgen]
pub struct Replications {
    metric: &'static Metric,
    cases: Vec<Case>,
}

#[wasm_bindgen]
impl Replications {
    /// Statistics of the metric with this number for these cases. `undefined` if no metric has the number.
    pub fn of(metric: &str, cases: usize) -> Option<Replications> {
        Some(Replications { metric: metric::find_metric(metric)?, cases: vec![Case::new(); cases] })
    }

    /// Adds the values of replications for a subject of a case: NaN for a replication without a value.
    pub fn add(&mut self, case: usize, subject: &str, replications: &[u32], values: &[f64]) {
        let Some(case) = self.cases.get_mut(case) else { return };
        let series = case.entry(subject.to_owned()).or_default();
        for (replication, value) in replications.iter().zip(values) {
            series.insert(u64::from(*replication), Some(*value));
        }
    }

    /// The statistics of each subject in each case as JSON, with the keys of `lasthop sweep --json`.
    pub fn entries(&self) -> String {
        let entries = replications::compute_entries(&self.cases, self.metric, Level::default());
        entries.map(|entry| entry.to_json()).collect::<Value>().to_string()
    }

    /// Returns the number of further runs that every case needs for the precision, after `runs` runs of each case. The
    /// settings are as in the sweep's `replications = { precision, min, max }`. `undefined` if the settings are
    /// invalid.
    pub fn runs_needed(&self, precision: f64, min: u32, max: u32, runs: u32) -> Option<u32> {
        let rule = Rule::new(precision, Level::default(), min.into(), max.into()).ok()?;
        u32::try_from(replications::runs_needed(&self.cases, &rule, runs.into())).ok()
    }
}
