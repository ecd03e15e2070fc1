//! Several runs in one picture.

use std::path::{Path, PathBuf};

use engine::{Span, Time};
use lab::load::Loaded;
use lab::run::{self, RunError, Watch};
use observe::explain::{Explain, FlowReport};
use plot::{Description, FlowRecording, Panel, PictureOptions, PictureRun, Recorder};
use scenario::flows;
use scenario::ran::label_run;
use sim::FlowId;

use super::compute_cause_shares;
use super::error::{PictureError, SingleRunChoice};
use super::single::too_many_events;
use super::view::{Drawn, PictureView};

/// Maximum number of runs in one picture.
pub const MAX_RUNS: usize = 8;
/// Height in pixels of each run's part, if the view has no size.
const HEIGHT: u32 = 560;
/// Panels if the view states none.
const PANELS: [Panel; 3] = [Panel::Sequence, Panel::Window, Panel::Goodput];

/// One of the runs to compare.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComparedRun {
    /// The scenario's file.
    pub file: PathBuf,
    /// The scheme of every node; `None` for the schemes of the scenario.
    pub scheme: Option<String>,
    /// Labels that distinguish the run from the other runs.
    label: Vec<String>,
}

/// Returns each file with each scheme; without schemes, each file once.
pub fn combine_files_and_schemes(files: &[&Path], schemes: &[String]) -> Vec<ComparedRun> {
    let shown = |file: &Path| file.display().to_string();
    let name = |file: &Path| file.file_stem().map_or_else(|| shown(file), |stem| stem.to_string_lossy().into_owned());
    let label = |file: &Path| {
        let same = files.iter().filter(|other| name(other) == name(file)).count();
        // Files of the same name in different directories are distinguished by their paths.
        (files.len() > 1).then(|| if same > 1 { shown(file) } else { name(file) })
    };
    let schemes: Vec<Option<&String>> =
        if schemes.is_empty() { vec![None] } else { schemes.iter().map(Some).collect() };
    let run = |file: &Path, scheme: Option<&String>| ComparedRun {
        file: file.to_owned(),
        scheme: scheme.cloned(),
        label: label(file).into_iter().chain(scheme.cloned()).collect(),
    };
    files.iter().flat_map(|file| schemes.iter().map(move |scheme| run(file, *scheme))).collect()
}

/// The pictures of several runs. There is one picture for each flow that all runs have.
pub struct ComparedPictures<'a> {
    runs: &'a [ComparedRun],
    loaded: &'a [Loaded],
    view: &'a PictureView,
    flows: Vec<String>,
    panels: Vec<Panel>,
    descriptions: Vec<Description>,
}

/// A recorded run.
pub struct RecordedComparison {
    recording: FlowRecording,
    /// End of the run.
    ended: Span,
    /// Time budgets of the flows; empty if only a part of the run is drawn.
    reports: Vec<FlowReport>,
}

impl<'a> ComparedPictures<'a> {
    /// Checks that this number of runs can be drawn with the view, before they are loaded.
    ///
    /// # Errors
    /// There are too many runs, or the view is for a single run.
    pub fn check(view: &PictureView, runs: usize) -> Result<(), PictureError> {
        if runs > MAX_RUNS {
            return Err(PictureError::ManyRuns(runs));
        }
        if view.together {
            return Err(PictureError::OneRun(SingleRunChoice::Together, runs));
        }
        match view.medium {
            Some(_) => Err(PictureError::OneRun(SingleRunChoice::Medium, runs)),
            None => Ok(()),
        }
    }

    /// Selects the flows and panels of these runs to draw, each run with its scenario.
    ///
    /// # Errors
    /// The errors of [`check`](ComparedPictures::check), a run does not have a flow of the view, or there are too many flows.
    pub fn new(runs: &'a [ComparedRun], loaded: &'a [Loaded], view: &'a PictureView) -> Result<Self, PictureError> {
        Self::check(view, runs.len())?;
        Ok(ComparedPictures {
            runs,
            loaded,
            view,
            flows: select_common_flows(view, loaded)?,
            panels: view.panels(&PANELS),
            descriptions: loaded.iter().map(|loaded| Description::of(&loaded.network)).collect(),
        })
    }

    /// Returns sentences about runs whose duration or random numbers differ from the first run: such runs differ in
    /// more than the compared setting.
    pub fn differences(&self) -> Vec<String> {
        let Some(Loaded { network: first, .. }) = self.loaded.first() else { return Vec::new() };
        let mut found = Vec::new();
        for (run, Loaded { network: other, .. }) in self.runs.iter().zip(self.loaded).skip(1) {
            let file = run.file.display();
            if other.duration != first.duration {
                found.push(format!("{file} lasts {} at most, the first run {}", other.duration, first.duration));
            }
            if (other.seed, other.replication) != (first.seed, first.replication) {
                found.push(format!(
                    "{file} has seed {} and the first run seed {}: their channels differ",
                    other.seed, first.seed
                ));
            }
        }
        found
    }

    /// Records and explains the run with this number. If `kept` is a result directory, the run of that result is
    /// repeated.
    ///
    /// # Errors
    /// The run fails or is cancelled, or has too many events.
    pub fn record(
        &self,
        number: usize,
        kept: Option<&Path>,
        watch: Watch<'_>,
    ) -> Result<RecordedComparison, PictureError> {
        let (loaded, description) = (&self.loaded[number], &self.descriptions[number]);
        let numbers = self.flows.iter().map(|name| find_compared_flow(loaded, name).map(FlowId::from_index));
        let numbers = numbers.collect::<Result<Vec<FlowId>, PictureError>>()?;
        let (from, to) = self.view.times();
        let recorder =
            Recorder::new(numbers, from, to).with_panels(&self.panels, description).with_schemes(description);
        let explain = (from, to) == (None, None);
        let mut sink = (recorder, explain.then(|| Explain::new(&loaded.network)));
        let results = match kept {
            Some(dir) => run::replay_result(loaded, dir, &mut sink, |(recorder, _)| recorder.has_overflowed(), watch)?,
            None => {
                let enough = |(recorder, _): &(Recorder, _)| recorder.has_overflowed() || recorder.is_complete();
                run::run_into_sink(&loaded.network, &mut sink, enough, watch).map_err(RunError::from)?
            }
        };
        let (ended, (recorder, explain)) = (results.ended, sink);
        if recorder.has_overflowed() {
            return Err(too_many_events(self.flows.len(), 0, ended.since(Time::ZERO)));
        }
        let reports = explain.map(|explain| explain.finish(ended)).unwrap_or_default();
        Ok(RecordedComparison { recording: recorder.finish(), ended: ended.since(Time::ZERO), reports })
    }

    /// Draws the recorded runs, all of them in their order: one picture at a time.
    ///
    /// # Errors
    /// All runs end before the view starts.
    pub fn pictures(&self, recorded: &[RecordedComparison]) -> Result<impl Iterator<Item = Drawn>, PictureError> {
        self.view.check_times(recorded.iter().map(|run| run.ended).max().unwrap_or(Span::ZERO))?;
        let common = PictureOptions { height: self.view.height(HEIGHT), ..self.view.options(&self.panels) };
        Ok(self.flows.iter().filter_map(move |name| {
            let part = |(number, recorded)| self.part(number, recorded, name, &common);
            let parts: Option<Vec<PictureRun<'_>>> = recorded.iter().enumerate().map(part).collect();
            let picture = plot::draw_run_comparison(&parts?)?;
            Some(Drawn { name: format!("{name}.compared{}", self.view.part()), picture })
        }))
    }

    /// Returns the part of a run in the picture of the flow called `name`, which the run must have.
    fn part<'b>(
        &'b self,
        number: usize,
        recorded: &'b RecordedComparison,
        name: &str,
        common: &PictureOptions,
    ) -> Option<PictureRun<'b>> {
        let loaded = &self.loaded[number];
        let flow = find_compared_flow(loaded, name).ok()?;
        let mut title = self.runs[number].label.clone();
        title.push(loaded.title().to_owned());
        if loaded.network.flows.len() > 1 {
            title.push(format!("flow {name}"));
        }
        let budget = recorded.reports.get(flow).map(|report| compute_cause_shares(&report.causes(), report.took));
        let options = PictureOptions {
            flow: FlowId::from_index(flow),
            title: Some(title.join(": ")),
            ran: label_run(loaded),
            budget: budget.unwrap_or_default(),
            ..common.clone()
        };
        Some(PictureRun { recording: &recorded.recording, description: &self.descriptions[number], options })
    }
}

fn find_compared_flow(loaded: &Loaded, name: &str) -> Result<usize, PictureError> {
    flows::tcp_flow(&loaded.network, name).map_err(PictureError::Flow)
}

/// Returns the names of the flows to draw: the chosen ones, or the flows that all runs have.
fn select_common_flows(view: &PictureView, loaded: &[Loaded]) -> Result<Vec<String>, PictureError> {
    let Some(first) = loaded.first() else { return Ok(Vec::new()) };
    // The limit applies to flows common to all runs, not to all flows of the first run.
    let unlimited = PictureView { max_flows: None, ..view.clone() };
    let Some(every) = unlimited.every_flow(&first.network)? else {
        for loaded in loaded {
            view.flows.iter().try_for_each(|name| find_compared_flow(loaded, name).map(drop))?;
        }
        return Ok(view.flows.clone());
    };
    let names = every.into_iter().map(|number| first.network.flows[number].name.clone());
    let names: Vec<String> =
        names.filter(|name| loaded.iter().all(|loaded| find_compared_flow(loaded, name).is_ok())).collect();
    match names.len() {
        0 => Err(PictureError::NoCommonFlow),
        many if view.flows.is_empty() && view.max_flows.is_some_and(|max| many > max) => {
            Err(PictureError::ManyFlows(many))
        }
        _ => Ok(names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(files: &[&str], schemes: &[&str]) -> Vec<String> {
        let files: Vec<&Path> = files.iter().map(Path::new).collect();
        let schemes: Vec<String> = schemes.iter().map(|&scheme| scheme.to_owned()).collect();
        combine_files_and_schemes(&files, &schemes).iter().map(|run| run.label.join(": ")).collect()
    }

    #[test]
    fn label_contains_only_differences_between_runs() {
        assert_eq!(labels(&["a/x.toml"], &[]), [""]);
        assert_eq!(labels(&["a/x.toml"], &["snoop", "split"]), ["snoop", "split"]);
        assert_eq!(labels(&["a/x.toml", "a/y.toml"], &["snoop"]), ["x: snoop", "y: snoop"]);
        assert_eq!(labels(&["a/x.toml", "b/x.toml", "y.toml"], &[]), ["a/x.toml", "b/x.toml", "y"]);
    }

    #[test]
    fn picture_of_several_runs_refuses_a_medium_and_all_flows_together() {
        let refused = |view: &PictureView, runs| ComparedPictures::check(view, runs).unwrap_err();
        let together = PictureView { together: true, ..PictureView::default() };
        let medium = PictureView { medium: Some("air".to_owned()), ..PictureView::default() };
        assert!(matches!(refused(&together, 2), PictureError::OneRun(SingleRunChoice::Together, 2)));
        assert!(matches!(refused(&medium, 3), PictureError::OneRun(SingleRunChoice::Medium, 3)));
        assert!(matches!(refused(&PictureView::default(), MAX_RUNS + 1), PictureError::ManyRuns(9)));
        assert!(ComparedPictures::check(&PictureView::default(), MAX_RUNS).is_ok());
    }
}
