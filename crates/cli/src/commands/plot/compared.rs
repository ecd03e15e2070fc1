//! Several runs in one picture.

use std::path::{Path, PathBuf};

use engine::{Span, Time};
use lab::load::Loaded;
use lab::run::{self, Watch};
use observe::explain::{Explain, FlowReport};
use plot::{Description, Options, Panel, Recorder, Recording, Run};
use scenario::flows;
use scenario::problem::Problem;
use scenario::ran::what_ran;

use super::super::shares::shares;
use super::super::{ScenarioArgs, flow_named, listed, print, shown};
use super::{Args, MANY, check_times, common_options, panels, part, too_much, write};
use crate::Failure;
use crate::progress::Progress;
use crate::talk::note;

/// The most runs in one picture.
pub(in super::super) const MAX_RUNS: usize = 8;
/// The height of each run's part, if `--size` does not set it.
const HEIGHT: u32 = 560;

/// The runs that the arguments name: each file with each scheme.
pub(super) fn runs(args: &Args) -> Vec<ScenarioArgs> {
    let files = std::iter::once(&args.scenario.file).chain(&args.others);
    let schemes: Vec<Option<String>> = match &args.scenario.scheme {
        Some(schemes) => schemes.split(',').map(|scheme| Some(scheme.trim().to_owned())).collect(),
        None => vec![None],
    };
    let run = |file: &PathBuf, scheme: &Option<String>| ScenarioArgs {
        file: file.clone(),
        set: args.scenario.set.clone(),
        scheme: scheme.clone(),
        seed: args.scenario.seed,
    };
    files.flat_map(|file| schemes.iter().map(move |scheme| run(file, scheme))).collect()
}

/// Draws all runs, in one picture for each flow that all of them have.
pub(super) fn draw(args: &Args, runs: &[ScenarioArgs]) -> Result<(), Failure> {
    if runs.len() > MAX_RUNS {
        return Err(refused(format!("at most {MAX_RUNS} runs in one picture"), &format!("{}", runs.len())));
    }
    if args.all_flows {
        return Err(refused("one run, because all flows are drawn together".into(), &format!("{} runs", runs.len())));
    }
    if args.medium.is_some() {
        return Err(refused("one run, because a medium is drawn".into(), &format!("{} runs", runs.len())));
    }
    let out = out(args, runs)?;
    let loaded = runs.iter().map(ScenarioArgs::load).collect::<Result<Vec<Loaded>, Failure>>()?;
    let flows = flows(args, &loaded)?;
    compare_settings(runs, &loaded);
    let panels = panels(args, &[Panel::Sequence, Panel::Window, Panel::Goodput]);
    let mut recordings = Vec::new();
    for (run, loaded) in runs.iter().zip(&loaded) {
        recordings.push(record(args, run, loaded, &flows, &panels)?);
    }
    let latest = recordings.iter().map(|run| run.ended).max().unwrap_or(Span::ZERO);
    check_times(args, latest)?;
    let descriptions: Vec<Description> = loaded.iter().map(|loaded| Description::of(&loaded.network)).collect();
    let common = common_options(args, &panels);
    let height = args.size.map_or(HEIGHT, |(_, height)| height);
    for name in &flows {
        let part_of = |index: usize| {
            let loaded = &loaded[index];
            let flow = flow_named(&loaded.network, name)? as u32;
            let title = Some(title(args, &runs[index], loaded, name));
            let budget = recordings[index].reports.get(flow as usize).map(shares).unwrap_or_default();
            let options = Options { flow, title, height, ran: what_ran(loaded), budget, ..common.clone() };
            Ok(Run { recording: &recordings[index].recording, description: &descriptions[index], options })
        };
        let parts = (0..runs.len()).map(part_of).collect::<Result<Vec<_>, Failure>>()?;
        let Some(picture) = plot::beside(&parts) else { continue };
        let files = write(&picture, &out, &format!("{name}.compared{}", part(args)))?;
        files.iter().try_for_each(|path| print(&format!("{}\n", shown(path))))?;
    }
    Ok(())
}

/// The heading of a run: what distinguishes it from the others, and its title.
fn title(args: &Args, run: &ScenarioArgs, loaded: &Loaded, flow: &str) -> String {
    let mut parts = Vec::new();
    if !args.others.is_empty() {
        let name =
            |file: &Path| file.file_stem().map_or_else(|| shown(file), |stem| stem.to_string_lossy().into_owned());
        let files = || std::iter::once(&args.scenario.file).chain(&args.others);
        let same = files().filter(|file| name(file) == name(&run.file)).count();
        // Files of the same name in different directories are told apart by their paths.
        parts.push(if same > 1 { shown(&run.file) } else { name(&run.file) });
    }
    parts.extend(run.scheme.clone());
    parts.push(loaded.title().to_owned());
    if loaded.network.flows.len() > 1 {
        parts.push(format!("flow {flow}"));
    }
    parts.join(": ")
}

/// The names of the flows to draw: the chosen one, or those of all runs.
fn flows(args: &Args, loaded: &[Loaded]) -> Result<Vec<String>, Failure> {
    if let Some(name) = args.flow.as_ref().filter(|name| *name != "all") {
        for loaded in loaded {
            flow_named(&loaded.network, name)?;
        }
        return Ok(vec![name.clone()]);
    }
    let in_all = |name: &&String| loaded.iter().all(|loaded| flow_named(&loaded.network, name).is_ok());
    let network = &loaded[0].network;
    let names = flows::over_tcp(network).into_iter().map(|flow| &network.flows[flow].name);
    let names: Vec<&String> = names.filter(in_all).collect();
    match names.len() {
        0 => Err(refused("runs that have a flow of the same name".into(), "none")),
        many if many > MANY && args.flow.is_none() => {
            let problem = Problem::new(format!("--flow NAME is missing: there are {many} flows"));
            Err(Failure::Input(listed(&[problem.hint("--flow all draws every one, two files for each")])))
        }
        _ => Ok(names.into_iter().cloned().collect()),
    }
}

/// Warns if the runs do not share duration and random numbers: then they differ in more than what is compared.
fn compare_settings(runs: &[ScenarioArgs], loaded: &[Loaded]) {
    let first = &loaded[0].network;
    for (run, other) in runs.iter().zip(loaded).skip(1) {
        let other = &other.network;
        let file = shown(&run.file);
        if other.duration != first.duration {
            note(format_args!("warning: {file} lasts {} at most, the first run {}", other.duration, first.duration));
        }
        if (other.seed, other.replication) != (first.seed, first.replication) {
            note(format_args!(
                "warning: {file} has seed {} and the first run seed {}: their channels differ",
                other.seed, first.seed
            ));
        }
    }
}

/// A recorded run.
struct Recorded {
    recording: Recording,
    /// When it ended.
    ended: Span,
    /// What each flow's time was spent on; empty if only a part of the run is drawn.
    reports: Vec<FlowReport>,
}

/// Records and explains a run.
fn record(
    args: &Args,
    scenario: &ScenarioArgs,
    loaded: &Loaded,
    flows: &[String],
    panels: &[Panel],
) -> Result<Recorded, Failure> {
    let numbers = flows.iter().map(|name| Ok(flow_named(&loaded.network, name)? as u32));
    let numbers = numbers.collect::<Result<Vec<u32>, Failure>>()?;
    let (from, to) = (args.from.map(|from| Time::ZERO + from), args.to.map(|to| Time::ZERO + to));
    let description = Description::of(&loaded.network);
    let recorder = Recorder::new(numbers, from, to).with_panels(panels, &description).with_schemes(&description);
    let explain = (from, to) == (None, None);
    let mut sink = (recorder, explain.then(|| Explain::new(&loaded.network)));
    let progress = Progress::new(&loaded.stem);
    let watch: Watch<'_> = &mut |share| progress.set(share);
    let results = match scenario.kept() {
        Some(dir) => run::replay(loaded, dir, &mut sink, |(recorder, _)| recorder.overflowed(), watch),
        None => {
            let full = |(recorder, _): &(Recorder, _)| recorder.overflowed() || recorder.is_complete();
            run::record(&loaded.network, &mut sink, full, watch)
        }
    };
    progress.finish();
    let (ended, (recorder, explain)) = (results?.ended, sink);
    if recorder.overflowed() {
        return Err(too_much(flows.len(), 0, ended.since(Time::ZERO)));
    }
    let reports = explain.map(|explain| explain.finish(ended)).unwrap_or_default();
    Ok(Recorded { recording: recorder.finish(), ended: ended.since(Time::ZERO), reports })
}

/// The directory for the pictures.
fn out(args: &Args, runs: &[ScenarioArgs]) -> Result<PathBuf, Failure> {
    if let Some(out) = &args.out {
        return Ok(out.clone());
    }
    let kept: Option<Vec<_>> = runs.iter().map(ScenarioArgs::kept).collect();
    match kept.as_deref() {
        Some([first, ..]) => Ok(first.join("plots")),
        _ => {
            let problem = Problem::new("--out DIR is missing: the picture shows runs that have no result directory");
            Err(Failure::Input(listed(&[problem])))
        }
    }
}

fn refused(expected: String, found: &str) -> Failure {
    Failure::Input(listed(&[Problem::new(expected).found(found)]))
}
