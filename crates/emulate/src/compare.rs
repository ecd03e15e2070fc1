//! Comparison of schemes with real ends, where the same commands run behind the network with each scheme.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use host::Error;
use lab::compare::{Cost, MeasuredScheme};
use lab::load::{Loaded, to_toml};
use lab::result_dir::COMPARISON;
use lab::sweep;
use observe::summary::RecordedSummary;
use scenario::Scenario;
use serde_json::{Value, json};
use sim::Network;

use crate::session::{self, LOG, Plan, REPORT, needs_sender};

/// A comparison with real ends.
pub struct RealComparison<'a> {
    /// The schemes, as cases of the comparison's only point.
    pub plan: &'a sweep::Plan,
    /// The scenario's file.
    pub path: PathBuf,
    /// Runs of each scheme, each with its own random streams.
    pub replications: u64,
    /// The commands and the nodes at which they run.
    pub commands: Plan,
    /// The directory of all results, from [`choose_directory`]. A run has the subdirectory `SCHEME/REPLICATION`.
    pub dir: PathBuf,
}

/// Returns `wanted` if it is new or has results of this comparison, otherwise the first such directory of `wanted-2`,
/// `wanted-3` and so on.
///
/// # Errors
/// The directory cannot be written.
pub fn choose_directory(wanted: &Path, plan: &sweep::Plan, commands: &Plan) -> Result<PathBuf, CompareError> {
    let scenario = to_toml(&Scenario { sweep: None, ..plan.scenario.clone() });
    let identity =
        json!({ "model": sim::MODEL_VERSION, "nodes": session::report_nodes(commands), "scenario": scenario });
    let name = wanted.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..).map(|number| wanted.with_file_name(format!("{name}-{number}")));
    for dir in std::iter::once(wanted.to_owned()).chain(numbered) {
        let path = dir.join(COMPARISON);
        if !dir.exists() {
            let text = format!("{identity:#}\n");
            let written = fs::create_dir_all(&dir).and_then(|()| fs::write(&path, text));
            written.map_err(|source| CompareError::Unreadable { path, source })?;
            return Ok(dir);
        }
        let found = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
        if found.as_ref() == Some(&identity) {
            return Ok(dir);
        }
    }
    Ok(wanted.to_owned())
}

/// The reason why a comparison ended early. Finished runs are stored, and the same comparison does not repeat them.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The machine does not permit a run.
    #[error(transparent)]
    Host(#[from] Error),
    /// The command failed.
    #[error("{scheme}, replication {replication}: the command ended with exit code {code}\n{output}")]
    Command {
        /// The scheme.
        scheme: String,
        /// The number of the run, from 0.
        replication: u64,
        /// The exit code.
        code: u64,
        /// The end of the command's output, and the file with the whole output.
        output: String,
    },
    /// Emulation ended before the command.
    #[error("{scheme}, replication {replication}: {what}")]
    Early {
        /// The scheme.
        scheme: String,
        /// The number of the run, from 0.
        replication: u64,
        /// What happened.
        what: String,
    },
    /// A result cannot be read or written.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Cancelled by the progress callback.
    #[error("interrupted: {finished} of {all} emulated runs are finished and stored")]
    Interrupted {
        /// Finished runs.
        finished: u64,
        /// Planned runs.
        all: u64,
    },
}

/// The progress callback, called with the numbers of finished and of planned runs, without stored ones. `Break`
/// cancels.
pub type Watch<'a> = &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>;

/// The outcome of a comparison.
#[derive(Debug, Default)]
pub struct ComparisonOutcome {
    /// Measurements by case; none for a scheme that needs a part in the sender.
    pub measured: Vec<MeasuredScheme>,
    /// Runs stored by an earlier comparison.
    pub found: u64,
    /// Runs that were made.
    pub made: u64,
    /// The release of the kernel and the congestion control of its TCP, as of the first run.
    pub kernel: String,
    /// Runs in which emulation fell behind real time, and the maximum lateness of all runs in milliseconds.
    pub behind: (u64, f64),
}

impl RealComparison<'_> {
    /// Executes the missing runs sequentially, and measures all runs.
    ///
    /// # Errors
    /// See [`CompareError`].
    pub fn measure_all(&self, watch: Watch<'_>) -> Result<ComparisonOutcome, CompareError> {
        let cases = 0..self.plan.cases.len();
        let able: Vec<usize> = cases.filter(|case| !needs_sender(&self.plan.cases[*case].name)).collect();
        // All schemes of a replication run before the next replication, so that other load on the machine affects all
        // schemes equally.
        let all: Vec<(u64, usize)> =
            (0..self.replications).flat_map(|number| able.iter().map(move |case| (number, *case))).collect();
        let missing: Vec<(u64, usize)> =
            all.iter().copied().filter(|(number, case)| self.read_finished_report(*number, *case).is_none()).collect();
        let mut compared =
            ComparisonOutcome { found: (all.len() - missing.len()) as u64, ..ComparisonOutcome::default() };
        let wanted = missing.len() as u64;
        for (number, case) in missing {
            if watch(compared.made, wanted).is_break() || !self.make(number, case)? {
                let finished = compared.found + compared.made;
                return Err(CompareError::Interrupted { finished, all: all.len() as u64 });
            }
            compared.made += 1;
        }
        compared.measured = vec![MeasuredScheme::default(); self.plan.cases.len()];
        for (number, case) in all {
            let report = self.read_finished_report(number, case).unwrap_or_default();
            if compared.kernel.is_empty() {
                let text = |key: &str| report[key].as_str().unwrap_or_default().to_owned();
                compared.kernel = format!("Linux {}, {}", text("kernel"), text("congestion_control"));
            }
            let measured = &mut compared.measured[case];
            measured.goodput.insert(number, report["goodput_bps"].as_f64());
            measured.costs.push(self.cost(number, case, &report)?);
            let late = report["behind"].as_array().into_iter().flatten().filter_map(|period| period["max_ms"].as_f64());
            if let Some(worst) = late.reduce(f64::max) {
                compared.behind = (compared.behind.0 + 1, compared.behind.1.max(worst));
            }
        }
        Ok(compared)
    }

    /// The result directory of a run.
    fn dir_of(&self, number: u64, case: usize) -> PathBuf {
        self.dir.join(&self.plan.cases[case].name).join(number.to_string())
    }

    /// The report of a finished run, with real-time priority if requested. [`choose_directory`] compares the other
    /// settings.
    fn read_finished_report(&self, number: u64, case: usize) -> Option<Value> {
        let text = fs::read_to_string(self.dir_of(number, case).join(REPORT)).ok()?;
        let report: Value = serde_json::from_str(&text).ok()?;
        let finished = report["exit_code"] == 0 && report["interrupted"] == false;
        (finished && (report["real_time"] == true || !self.commands.real_time)).then_some(report)
    }

    fn load_case(&self, number: u64, case: usize) -> Loaded {
        let cell = &self.plan.points[0].cells[case];
        Loaded {
            path: self.path.clone(),
            stem: self.plan.stem.clone(),
            scenario: Scenario { replication: number, sweep: None, ..cell.scenario.clone() },
            network: Network { replication: number, ..cell.network.clone() },
            outside: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Makes a run. Returns false if the run was interrupted.
    fn make(&self, number: u64, case: usize) -> Result<bool, CompareError> {
        let dir = self.dir_of(number, case);
        let plan = Plan { out: Some(dir.clone()), logged: true, ..self.commands.clone() };
        let ended = session::run_shell(&self.load_case(number, case), &plan, &mut |_| {})?;
        let (scheme, replication) = (self.plan.cases[case].name.clone(), number);
        match (ended.failure, ended.code) {
            _ if ended.report.interrupted => Ok(false),
            (Some(what), _) => Err(CompareError::Early { scheme, replication, what }),
            (None, 0) => Ok(true),
            (None, code) => {
                let log = dir.join(LOG);
                let output = format!("{}  hint: its output is in {}", session::last_lines(&log), log.display());
                Err(CompareError::Command { scheme, replication, code: u64::from(code), output })
            }
        }
    }

    fn cost(&self, number: u64, case: usize, report: &Value) -> Result<Cost, CompareError> {
        let path = self.dir_of(number, case).join("summary.json");
        let unreadable = |source| CompareError::Unreadable { path: path.clone(), source };
        let text = fs::read_to_string(&path).map_err(unreadable)?;
        let summary = RecordedSummary::parse(&text).map_err(|error| unreadable(io::Error::other(error)))?;
        let delivered = report["bytes_delivered"].as_f64().unwrap_or(0.0);
        let cost = Cost::of(&self.plan.points[0].cells[case].scenario, &summary);
        // The scenario's flows did not run.
        let connections = report["connections"].as_f64().unwrap_or(0.0).max(1.0);
        Ok(Cost { delivered, state_bytes_per_flow: summary.max_state_bytes() as f64 / connections, ..cost })
    }
}
