//! A scenario with changes, and its runs.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ::figure::RunParts;
use ::scenario::load::{Loaded, to_toml};
use ::scenario::{MemoryFiles, Overrides, Source, flows};
use js_sys::Function;
use observe::explain::{Explain, report_to_json};
use observe::run::{Titled, run_into_sink, summarize_run};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::{Figure, problem};

/// A scenario: a text in TOML, or in the thesis's language, with files that it names and with changes.
#[wasm_bindgen]
pub struct Scenario {
    path: PathBuf,
    text: Vec<u8>,
    files: MemoryFiles,
    overrides: Overrides,
}

#[wasm_bindgen]
impl Scenario {
    /// Creates a scenario from its text. `path` is the name of the scenario in messages, and names of files in it are
    /// relative to the directory of `path`.
    #[wasm_bindgen(constructor)]
    pub fn new(path: &str, text: &[u8]) -> Scenario {
        let (files, overrides) = (MemoryFiles::default(), Overrides::default());
        Scenario { path: path.into(), text: text.to_vec(), files, overrides }
    }

    /// Adds a file that the scenario names.
    pub fn add_file(&mut self, name: &str, bytes: &[u8]) {
        let beside = self.path.parent().unwrap_or(Path::new(""));
        self.files.files.insert(beside.join(name), bytes.to_vec());
    }

    /// Adds a change, `KEY=VALUE`, as the command's `--set`.
    pub fn set(&mut self, change: &str) {
        self.overrides.set.push(change.to_owned());
    }

    /// Sets the scheme of every node.
    pub fn set_scheme(&mut self, scheme: Option<String>) {
        self.overrides.scheme = scheme;
    }

    /// Sets the seed.
    pub fn set_seed(&mut self, seed: Option<u64>) {
        self.overrides.seed = seed;
    }

    /// Returns the warnings of the scenario as JSON.
    ///
    /// # Errors
    /// The problems of the scenario as JSON.
    pub fn check(&self) -> Result<String, JsValue> {
        Ok(problem::problems_to_json(&self.load()?.warnings))
    }

    /// Returns the scenario with its changes as TOML.
    ///
    /// # Errors
    /// The problems of the scenario as JSON.
    pub fn toml(&self) -> Result<String, JsValue> {
        Ok(to_toml(&self.load()?.scenario))
    }

    /// Runs the scenario, and returns the summary as `lasthop run --json` prints it. `progress` is called with the
    /// completed share, from 0 to 1. The run ends when `progress` returns `false`.
    ///
    /// # Errors
    /// The problems of the scenario as JSON; `null` if `progress` has ended the run.
    pub fn run(&self, delays: bool, progress: &Function) -> Result<String, JsValue> {
        let loaded = self.load()?;
        let titled = Titled { title: loaded.title(), scenario: &loaded.scenario, network: &loaded.network };
        let summary = summarize_run(titled, delays, &mut |share| report_progress(progress, share));
        Ok(format!("{:#}\n", summary.map_err(|_| JsValue::NULL)?))
    }

    /// Runs the scenario; returns the series and marks of all flows over TCP, with the summary; with `reports` also what
    /// `lasthop explain --json` prints of each flow.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn figure(&self, reports: bool, progress: &Function) -> Result<Figure, JsValue> {
        let loaded = self.load()?;
        let titled = Titled { title: loaded.title(), scenario: &loaded.scenario, network: &loaded.network };
        let parts = RunParts { delays: reports, reports };
        let figure = ::figure::record_run(titled, parts, &mut |share| report_progress(progress, share));
        figure.map(Figure).map_err(|_| JsValue::NULL)
    }

    /// Explains the time of each flow over TCP, with at most `top` single findings: the JSON of
    /// `lasthop explain --json`.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn explain(&self, top: usize, progress: &Function) -> Result<String, JsValue> {
        let Loaded { network, .. } = self.load()?;
        let mut explain = Explain::new(&network);
        let results = run_into_sink(&network, &mut explain, |_| false, &mut |share| report_progress(progress, share));
        let reports = explain.finish(results.map_err(|_| JsValue::NULL)?.ended);
        let of_flow = |flow: usize| report_to_json(&network.flows[flow].name, &reports[flow], top);
        let reports: Vec<Value> = flows::over_tcp(&network).into_iter().map(of_flow).collect();
        Ok(format!("{:#}\n", Value::from(reports)))
    }
}

impl Scenario {
    pub(crate) fn load(&self) -> Result<Loaded, JsValue> {
        let source = self.source(&self.overrides)?;
        source.resolve(&source.document).map_err(|problems| problem::problems_to_exception(&problems))
    }

    /// The text with changes, not yet checked.
    pub(crate) fn source(&self, overrides: &Overrides) -> Result<Source, JsValue> {
        let stem = self.path.file_stem().map_or_else(|| "scenario".into(), |stem| stem.to_string_lossy());
        let (files, path) = (Rc::new(self.files.clone()), self.path.clone());
        let source = Source::of_text(files, stem.into_owned(), path, &self.text, overrides);
        source.map_err(|problems| problem::problems_to_exception(&problems))
    }

    /// The changes.
    pub(crate) fn overrides(&self) -> &Overrides {
        &self.overrides
    }
}

/// Calls a function of the page with the completed share of a run. An exception ends the run.
pub(crate) fn report_progress(progress: &Function, share: f64) -> ControlFlow<()> {
    match progress.call1(&JsValue::NULL, &share.into()) {
        Ok(answer) if answer != JsValue::FALSE => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    }
}
