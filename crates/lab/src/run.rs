//! Runs a scenario into a result directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use observe::output::{Outputs, PRINTER, Printers};
use observe::run::run_with_outputs;
pub use observe::run::{
    Interrupted, Titled, TraceError, Watch, run_into_sink, run_with_traces, simulate_network, summarize_run,
};
use observe::summary::{RecordedSummary, Summary, summarize_results};
use scenario::traces::Trace;
use sim::{Results, Sink};

use crate::disk::Directory;
use crate::load::{Loaded, to_toml};
use crate::result_dir::{EMULATION, PartialResult, format_origin, origin_of};
pub use crate::run_error::RunError;

/// Repeats the run whose result is in `dir`, and passes the events of the run to `sink`. Fails if this program computes
/// another result from the scenario. A run that the sink ended early by `enough` is not compared.
pub fn replay_result<S: Sink>(
    loaded: &Loaded,
    dir: &Path,
    sink: &mut S,
    enough: fn(&S) -> bool,
    watch: Watch<'_>,
) -> Result<Results, RunError> {
    if dir.join(EMULATION).exists() {
        return Err(RunError::Emulated(dir.to_owned()));
    }
    let path = dir.join("summary.json");
    let unreadable = |source| RunError::Unreadable { path: path.clone(), source };
    let kept = fs::read_to_string(&path).map_err(unreadable)?;
    let kept = RecordedSummary::parse(&kept).map_err(|error| unreadable(io::Error::other(error)))?;
    let results = run_into_sink(&loaded.network, sink, enough, watch)?;
    if enough(sink) {
        return Ok(results);
    }
    let again = summarize_results(loaded.title(), &loaded.scenario, &loaded.network, &results);
    if !kept.agrees_with(&again.into()) {
        return Err(RunError::OtherProgram(path));
    }
    Ok(results)
}

/// Returns the scenario file from which the result in `dir` was made; `None` if `dir` has no result, or if the result
/// was made from the file `loaded`.
pub fn made_of_another(loaded: &Loaded, dir: &Path) -> Option<String> {
    origin_of(dir).filter(|other| *other != format_origin(&loaded.path))
}

/// The outcome of a run.
pub struct RunOutcome {
    /// The summary, which is also written to the result directory, if there is one.
    pub summary: Summary,
    /// Whether the result replaced an earlier one.
    pub replaced: bool,
}

/// Runs without a result directory, and only prints traces. With `delays` the summary has delays.
pub fn run_without_directory(
    loaded: &Loaded,
    printers: Printers,
    delays: bool,
    watch: Watch<'_>,
) -> Result<RunOutcome, RunError> {
    let summary = run_with_traces(loaded, &[], Rc::new(Directory::default()), printers, delays, watch)?;
    Ok(RunOutcome { summary, replaced: false })
}

/// Runs, writes `summary.json`, `scenario.toml` and the selected traces to `dir`, and prints traces. With `delays` the
/// summary has delays.
pub fn run_into_directory(
    loaded: &Loaded,
    traces: &[&Trace],
    dir: &Path,
    printers: Printers,
    delays: bool,
    watch: Watch<'_>,
) -> Result<RunOutcome, RunError> {
    let open = |dir: &Path, printers| {
        let files = Rc::new(Directory(dir.to_owned()));
        Outputs::open(traces, &loaded.network, files, &loaded.scenario.output, printers)
    };
    // Checked before anything is written.
    if let Some(problem) = open(dir, Printers::default()).clash() {
        return Err(RunError::OneFile(Box::new(problem)));
    }
    let partial = PartialResult::create(dir)?;
    let outputs = open(&partial.dir, printers);
    let (summary, outputs, ended) = run_with_outputs(loaded, outputs, delays, watch)?;
    // Some traces have a file for each kind of event that occurred.
    let files: Vec<String> = outputs.file_names().collect();
    outputs.finish(ended).map_err(|(name, source)| {
        let path = if name == PRINTER { PathBuf::from(name) } else { partial.dir.join(name) };
        RunError::Unwritable { path, source }
    })?;
    partial.write("scenario.toml", to_toml(&loaded.scenario).as_bytes())?;
    partial.write("summary.json", format!("{summary:#}\n").as_bytes())?;
    let replaced = partial.complete(&files, &format_origin(&loaded.path))?;
    Ok(RunOutcome { summary, replaced })
}
