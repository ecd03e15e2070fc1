//! Loading: from a path to a checked network.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::registry::Fault;
use engine::text::file_name;
use engine::{Members, Named, Span};
use path::LinkDirection;
use path::channel::ChannelConfig;
use sim::app::recorded;
use sim::size::cdf;
use sim::{ApplicationConfig, SizeConfig};
use tcp::cc::ControlConfig;
use tcp::cc::policy::{self, Network};
use toml::Table;

use crate::axes;
use crate::check::check_resolved;
use crate::goel1997::report::decode;
use crate::goel1997::{self, trace_file};
use crate::model::{Directed, Link, Recording};
use crate::outside::OutsideMember;
use crate::problem::Problem;
use crate::read::Reading;
use crate::recordings;
use crate::{Checked, Document, Files, Scenario, check_with, document, nearest_path};

/// The scenario in `text`, which refers to no files, as a network that [`sim::World`] runs: for programs that generate
/// scenarios.
///
/// # Errors
///
/// All errors, with line, key, the value found and the expected one; `name` is the file's name in messages.
pub fn from_toml(name: &str, text: &str) -> Result<Loaded, Vec<Problem>> {
    from_toml_with(name, text, &Members::default())
}

/// As [`from_toml`], for a scenario that also names members added by the program.
///
/// # Errors
///
/// As [`from_toml`].
pub fn from_toml_with(name: &str, text: &str, members: &Members) -> Result<Loaded, Vec<Problem>> {
    let files = Rc::new(crate::NoFiles);
    let source = Source::of_text(files, name.to_owned(), name.into(), text.as_bytes(), &Overrides::default())?;
    let source = source.with_members(members);
    source.resolve(&source.document)
}

/// Changes of a scenario by the command line.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `KEY=VALUE`, in order.
    pub set: Vec<String>,
    /// The scheme of every node, overriding the scenario.
    pub scheme: Option<String>,
    /// The random seed.
    pub seed: Option<u64>,
}

/// A checked scenario with the contents of all files that it refers to.
#[derive(Debug)]
pub struct Loaded {
    /// The path that was read, as the user wrote it.
    pub path: PathBuf,
    /// The name of the results: the file's name without its extension.
    pub stem: String,
    /// The scenario with all changes, from which the run can be repeated.
    pub scenario: Scenario,
    /// The network that runs.
    pub network: sim::Network,
    /// The outside members that it names.
    pub outside: Vec<OutsideMember>,
    /// Warnings.
    pub warnings: Vec<Problem>,
}

impl Loaded {
    /// The scenario's title, or the file's name.
    pub fn title(&self) -> &str {
        if self.scenario.title.is_empty() { &self.stem } else { &self.scenario.title }
    }

    /// Whether a run records the channel's states instead of reading them.
    pub fn records_air(&self) -> bool {
        let follows = |link: &Link| link.ways().any(|way| matches!(way.channel(), Some(ChannelConfig::Recorded(_))));
        let records = self.scenario.output.traces.iter().any(|name| name == "air" || name == "all");
        records && !self.scenario.links.values().any(follows)
    }
}

/// Reads and checks a TOML scenario, a `datafile.dat` of the thesis, or the scenario of a result directory.
pub fn load(files: Rc<dyn Files>, path: &Path, overrides: &Overrides) -> Result<Loaded, Vec<Problem>> {
    let source = Source::open(files, path, overrides)?;
    source.resolve(&source.document)
}

/// A scenario's text with the changes of the command line, not yet checked.
pub struct Source {
    /// The name of the results: the file's name without its extension.
    pub stem: String,
    /// The text, with its changes.
    pub document: Document,
    /// The path that was read, as the user wrote it.
    path: PathBuf,
    /// The file that contains the text.
    file: PathBuf,
    /// The file system for the files that it refers to.
    files: Rc<dyn Files>,
    datafile: Option<goel1997::Parsed>,
    /// The members added by the program.
    members: Members,
    /// Recordings read so far: a sweep resolves its scenario thousands of times.
    recordings: Recordings,
}

/// The recordings beside the scenario, by file.
#[derive(Default)]
struct Recordings {
    /// Recorded channels.
    channels: RefCell<BTreeMap<PathBuf, Vec<Span>>>,
    /// The text of other recordings, which were read without errors.
    texts: RefCell<BTreeMap<PathBuf, String>>,
    /// The parsed recordings.
    read: recordings::Read,
}

impl Source {
    /// Reads `path`.
    pub fn open(files: Rc<dyn Files>, path: &Path, overrides: &Overrides) -> Result<Self, Vec<Problem>> {
        let is_dir = files.is_dir(path);
        let file = if is_dir { scenario_in(&*files, path).map_err(|problem| vec![problem])? } else { path.to_owned() };
        let stem = if is_dir { path.file_name() } else { path.file_stem() };
        let stem = stem.map_or_else(|| "run".into(), |stem| file_name(&stem.to_string_lossy()));
        let text = read(&*files, &file).map_err(|problem| vec![with_nearest_path(problem, &*files, &file)])?;
        Ok(Source { path: path.to_owned(), ..Self::of_text(files, stem, file, &text, overrides)? })
    }

    /// The scenario in `text`, as if it had been read from `file`.
    pub fn of_text(
        files: Rc<dyn Files>,
        stem: String,
        file: PathBuf,
        text: &[u8],
        overrides: &Overrides,
    ) -> Result<Self, Vec<Problem>> {
        let name = file.display().to_string();
        let (mut document, datafile) = if speaks_goel1997(&file, text) {
            let parsed = goel1997::parse(&name, text)?;
            let document = Document::of(&name, &parsed.scenario).map_err(|problem| vec![problem])?;
            (document, Some(parsed))
        } else {
            (Document::parse(&name, text).map_err(|problem| vec![problem])?, None)
        };
        apply(&mut document, overrides).map_err(|problem| vec![problem])?;
        let (members, recordings) = (Members::default(), Recordings::default());
        Ok(Source { stem, document, path: file.clone(), file, files, datafile, members, recordings })
    }

    /// Adds members to the registries, which the scenario may name.
    pub fn with_members(self, members: &Members) -> Self {
        Source { members: members.clone(), ..self }
    }

    /// The members added to the registries.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// `table`, found at `key` of this source, with [patterns of files](crate::axes) replaced by the files that match.
    ///
    /// # Errors
    /// No file matches a pattern.
    pub fn with_files_listed(&self, table: &Table, key: &str) -> Result<Table, Problem> {
        axes::files::listed(table, key, &*self.files, &self.file)
    }

    /// Checks `document`, which is this source's or has further changes, and reads the files that it refers to.
    pub fn resolve(&self, document: &Document) -> Result<Loaded, Vec<Problem>> {
        let locate = |problem: Problem| match &self.datafile {
            Some(parsed) if !document.was_set(problem.key.as_deref()) => parsed.locate(problem),
            _ => document.locate(problem),
        };
        // All copies share an error.
        let located = |problems: Vec<Problem>| {
            let mut known = HashSet::new();
            let located = problems.into_iter().map(locate);
            located.filter(|problem| known.insert(problem.clone())).collect::<Vec<_>>()
        };
        let (mut scenario, outside) = match document.reading(&self.members) {
            Reading { scenario: Some(scenario), problems, outside, .. } if problems.is_empty() => (scenario, outside),
            reading => return Err(located(mistakes(document, reading, &self.members))),
        };
        let mut problems = include_traces(&mut scenario, &*self.files, &self.file, &self.recordings);
        problems.extend(include_recordings(&mut scenario, &*self.files, &self.file, &self.recordings));
        problems.extend(include_traffic(&mut scenario, &*self.files, &self.file));
        problems.extend(include_policies(&mut scenario, &*self.files, &self.file));
        if !problems.is_empty() {
            return Err(located(problems));
        }
        let Checked { network, warnings: advice } =
            check_resolved(&scenario, &self.recordings.read, &self.members).map_err(&located)?;
        let mut warnings = self.datafile.as_ref().map(|parsed| parsed.warnings.clone()).unwrap_or_default();
        warnings.extend(located(advice));
        Ok(Loaded { path: self.path.clone(), stem: self.stem.clone(), scenario, network, outside, warnings })
    }
}

/// The errors of reading, and those that a check finds in other values.
fn mistakes(document: &Document, reading: Reading, members: &Members) -> Vec<Problem> {
    let checked = reading.complete().map(|scenario| check_with(scenario, members));
    let of_values = checked.and_then(Result::err).into_iter().flatten().filter(|problem| {
        // A missing value may have been removed by a repair.
        let key = problem.key.as_deref().filter(|_| problem.found.is_some());
        key.is_some_and(|key| document.has_value(key) && reading.is_as_written(key))
    });
    let of_values = of_values.map(|problem| document.locate(problem));
    let mut problems: Vec<_> = reading.problems.iter().cloned().chain(of_values).collect();
    problems.sort_by_key(|problem| problem.place);
    problems
}

/// The scenario of a result directory.
fn scenario_in(files: &dyn Files, dir: &Path) -> Result<PathBuf, Problem> {
    let scenario = |dir: &Path| Some(dir.join("scenario.toml")).filter(|file| files.exists(file));
    scenario(dir).ok_or_else(|| {
        let problem = Problem::new("a scenario file, or a result directory, which has a scenario.toml");
        let problem = problem.in_file(dir.display().to_string()).found("a directory without one");
        let within = files.entries(dir).into_iter().filter(|dir| scenario(dir).is_some());
        let mut results: Vec<String> = within.map(|dir| dir.display().to_string()).collect();
        results.sort();
        match results.first() {
            Some(first) if results.len() == 1 => problem.hint(format!("did you mean {first}?")),
            Some(first) => problem.hint(format!("{} result directories are in it, such as {first}", results.len())),
            None => problem.hint("`lasthop run FILE` writes one"),
        }
    })
}

fn apply(document: &mut Document, overrides: &Overrides) -> Result<(), Problem> {
    if let Some(scheme) = &overrides.scheme {
        document.set_everywhere("scheme", scheme);
    }
    if let Some(seed) = overrides.seed {
        document.set(&format!("seed={seed}"))?;
    }
    overrides.set.iter().try_for_each(|assignment| document.set(assignment))
}

/// Larger than any scenario written by hand, and any recording.
const MAX_FILE_SIZE: u64 = 64 << 20;

/// A file's bytes.
fn read(files: &dyn Files, file: &Path) -> Result<Vec<u8>, Problem> {
    let name = file.display().to_string();
    match files.read(file, MAX_FILE_SIZE + 1) {
        Err(error) => Err(Problem::new(format!("cannot be read: {error}")).in_file(name)),
        Ok(bytes) if bytes.len() as u64 > MAX_FILE_SIZE => {
            Err(Problem::new("at most 64 MiB of text").in_file(name).found("more than that"))
        }
        Ok(bytes) => Ok(bytes),
    }
}

/// A problem with a file, with the path that is meant if the file does not exist.
fn with_nearest_path(problem: Problem, files: &dyn Files, file: &Path) -> Problem {
    match nearest_path(files, file) {
        Some(near) => problem.hint(format!("did you mean \"{}\"?", near.display())),
        None => problem,
    }
}

/// Whether a file is in the thesis's language: by its extension, or by its first component.
fn speaks_goel1997(file: &Path, text: &[u8]) -> bool {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("toml") => false,
        Some("dat") => true,
        _ => {
            let text = String::from_utf8_lossy(text);
            let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            lines.next().is_some_and(|first| !first.starts_with('[') && !first.contains('='))
        }
    }
}

/// Reads the files of recorded channels, relative to the scenario, into the scenario.
fn include_traces(scenario: &mut Scenario, files: &dyn Files, beside: &Path, recordings: &Recordings) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, link) in &mut scenario.links {
        let keys = LinkDirection::BOTH.map(|direction| link.way(direction).key("channel"));
        for (setting, Named(channel)) in keys.iter().zip(link.channel.iter_mut().flat_map(Directed::values_mut)) {
            let ChannelConfig::Recorded(config) = channel else { continue };
            let Some(file) = config.file.take() else { continue };
            let key = format!("links.{name}.{setting}.file");
            let path = trace_at(files, beside, &file);
            let shown = path.display().to_string();
            let known = recordings.channels.borrow().get(&path).cloned();
            match known.map_or_else(|| read(files, &path).and_then(|text| trace_file::parse(&shown, &text)), Ok) {
                Ok(switches) => {
                    recordings.channels.borrow_mut().insert(path, switches.clone());
                    config.switches = Some(switches);
                }
                Err(problem) if files.exists(&path) => problems.push(problem.key(key)),
                Err(_) => {
                    let problem = Problem::new(format!("the recorded channel {shown} does not exist"));
                    problems.push(problem.key(key).hint(where_traces_are(files, beside)));
                }
            }
        }
    }
    problems
}

/// The file of a channel's recording: relative to the scenario or, as a run names it when it writes one, to the working
/// directory. A result directory refers to its trace.
fn trace_at(files: &dyn Files, beside: &Path, file: &str) -> PathBuf {
    let in_directory = |path: PathBuf| if files.is_dir(&path) { path.join(goel1997::TRACE_FILE) } else { path };
    let near = in_directory(beside.parent().unwrap_or(Path::new("")).join(file));
    let here = in_directory(PathBuf::from(file));
    if !files.exists(&near) && files.exists(&here) { here } else { near }
}

/// A hint where to find the recording for the scenario in `file`: if runs of it have left some, by the name of the
/// first.
fn where_traces_are(files: &dyn Files, file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let results = files.entries(Path::new("results")).into_iter();
    let of_this = |dir: &PathBuf| dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&stem));
    let mut traces: Vec<PathBuf> =
        results.filter(of_this).map(|dir| dir.join(goel1997::TRACE_FILE)).filter(|trace| files.exists(trace)).collect();
    traces.sort();
    match traces.first() {
        Some(trace) if file.extension().is_some_and(|ending| ending == "dat") => {
            format!("a run has left one: write read_from_trace = 0 {}", trace.display())
        }
        Some(trace) => format!("a run has left one: write file = \"{}\"", trace.display()),
        None => {
            "it contains the changes of the channel's state, a line such as \"1233.5 BAD\" for each, in ms; a run with \
                 --trace air, or read_from_trace = 1, writes one into its result directory: name that file here"
                .to_owned()
        }
    }
}

/// Reads the other recordings of links, relative to the scenario, into the scenario.
fn include_recordings(
    scenario: &mut Scenario,
    files: &dyn Files,
    beside: &Path,
    recordings: &Recordings,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, link) in &mut scenario.links {
        for (key, recording) in link.recordings() {
            let Some(file) = recording.file.take_if(|_| recording.contents.is_none()) else { continue };
            let key_of_file = format!("links.{name}.{key}.file");
            let path = beside.parent().unwrap_or(Path::new("")).join(&file);
            let known = recordings.texts.borrow().get(&path).cloned();
            match known.map_or_else(|| recording_in(files, &path, (key, recording), &recordings.read), Ok) {
                Ok(text) => {
                    recordings.texts.borrow_mut().insert(path, text.clone());
                    recording.contents = Some(text);
                }
                Err(problem) if files.exists(&path) => problems.push(problem.key(key_of_file)),
                Err(_) => {
                    let problem = Problem::new(format!("the recording {} does not exist", path.display()));
                    problems.push(with_nearest_path(problem.key(key_of_file), files, &path));
                }
            }
        }
    }
    problems
}

/// Reads the files of applications and of size distributions, relative to the scenario, into the scenario.
fn include_traffic(scenario: &mut Scenario, files: &dyn Files, beside: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, flow) in &mut scenario.flows {
        match flow.traffic.as_mut().map(|named| &mut named.0) {
            Some(ApplicationConfig::Recorded(config)) => {
                let recorded::Config { file, writes } = config;
                let key = format!("flows.{name}.traffic.file");
                problems.extend(include(files, beside, &key, file, writes, recorded::parse));
            }
            Some(ApplicationConfig::Requests(config)) => {
                let key = format!("flows.{name}.traffic.sizes.file");
                problems.extend(include_sizes(files, beside, &key, &mut config.sizes));
            }
            _ => {}
        }
    }
    for (name, arrivals) in &mut scenario.arrivals {
        let key = format!("arrivals.{name}.sizes.file");
        problems.extend(include_sizes(files, beside, &key, &mut arrivals.sizes.0));
    }
    problems
}

/// Reads the files of trained policies, relative to the scenario, into the scenario.
fn include_policies(scenario: &mut Scenario, files: &dyn Files, beside: &Path) -> Vec<Problem> {
    let flows = scenario.flows.iter_mut().map(|(name, flow)| (format!("flows.{name}"), &mut flow.tcp));
    let arrivals = scenario.arrivals.iter_mut().map(|(name, arrivals)| (format!("arrivals.{name}"), &mut arrivals.tcp));
    let mut problems = Vec::new();
    for (key, tcp) in flows.chain(arrivals) {
        if let Some(Named(ControlConfig::Policy(policy::Config { file, network }))) = &mut tcp.control
            && network.is_none()
        {
            problems.extend(include(files, beside, &format!("{key}.tcp.control.file"), file, network, network_in));
        }
    }
    problems
}

/// The network in the text of a file; an error has the number of its line, from 1.
fn network_in(text: &str) -> Result<Network, (usize, String)> {
    let network: Network = toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        (before.matches('\n').count() + 1, format!("a network: {}", error.message()))
    })?;
    match network.check().into_iter().next() {
        Some(Fault { key, entry, found, expected, .. }) => {
            let key = entry.map_or_else(|| key.to_string(), |number| format!("{key}[{number}]"));
            let not = found.as_ref().map_or_else(String::new, |found| format!(", not {found}"));
            let problem = Problem { key: Some(key.clone()), found, ..Problem::default() };
            let place = Document::parse("", text.as_bytes()).ok().and_then(|document| document.locate(problem).place);
            Err((place.map_or(1, |(line, _)| line), format!("{key}: {expected}{not}")))
        }
        None => Ok(network),
    }
}

fn include_sizes(files: &dyn Files, beside: &Path, key: &str, sizes: &mut SizeConfig) -> Option<Problem> {
    let SizeConfig::Cdf(cdf::Config { file, points }) = sizes else { return None };
    include(files, beside, key, file, points, cdf::parse)
}

/// Replaces a `file`, named at `key`, by its contents.
fn include<T, E: Into<String>>(
    files: &dyn Files,
    beside: &Path,
    key: &str,
    file: &mut Option<String>,
    contents: &mut Option<T>,
    parse: impl FnOnce(&str) -> Result<T, (usize, E)>,
) -> Option<Problem> {
    let path = beside.parent().unwrap_or(Path::new("")).join(file.take()?);
    let shown = path.display().to_string();
    if !files.exists(&path) {
        return Some(Problem::new(format!("the file {shown} does not exist")).key(key));
    }
    let parsed = read(files, &path).and_then(|bytes| {
        let text = decode(&shown, &bytes)?;
        parse(text).map_err(|(line, expected)| {
            let text = text.lines().nth(line - 1).unwrap_or_default();
            Problem::new(expected).in_file(&shown).found(format!("line {line}: {}", crate::problem::shown(text)))
        })
    });
    match parsed {
        Ok(parsed) => {
            *contents = Some(parsed);
            None
        }
        Err(problem) => Some(problem.key(key)),
    }
}

/// The text of a recording, if it is valid.
fn recording_in(
    files: &dyn Files,
    path: &Path,
    (key, recording): (&str, &Recording),
    recordings: &recordings::Read,
) -> Result<String, Problem> {
    let shown = path.display().to_string();
    let bytes = read(files, path)?;
    let text = decode(&shown, &bytes)?;
    match key {
        "link_trace" => {
            let (_, recorded) = recordings.table(&shown, text, recording.format)?;
            if !recording.repeat {
                recorded.once(&shown, text)?;
            }
        }
        _ => recordings.opportunities(&shown, text).map(drop)?,
    }
    Ok(text.to_owned())
}

/// The scenario as TOML, for storage or conversion.
pub fn to_toml(scenario: &Scenario) -> String {
    document::write(scenario)
}

#[cfg(test)]
mod tests {
    use super::from_toml;

    const GOOD: &str = r#"
        duration = "10 s"
        nodes = { a = { kind = "host" }, b = { kind = "host" } }
        links.one = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms" }
        links.two = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms" }
        flows.down = { from = "a", to = "b", bytes = "1 MB" }
    "#;

    fn keys(changes: &[(&str, &str)]) -> Vec<String> {
        let text = changes.iter().fold(GOOD.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        let problems = from_toml("net.toml", &text).err().unwrap_or_default();
        problems.into_iter().map(|problem| problem.key.unwrap_or_default()).collect()
    }

    #[test]
    fn values_are_checked_in_spite_of_unknown_keys() {
        assert_eq!(keys(&[]), [""; 0]);
        let both = keys(&[("delay = \"50 ms\" }", "dealy = \"50 ms\" }"), ("bytes = \"1 MB\"", "bytes = \"0 B\"")]);
        assert_eq!(both, ["links.one.dealy", "flows.down.bytes"]);
        let both = keys(&[("8 Mbps", "8 mbps"), ("to = \"b\"", "to = \"c\""), ("bytes", "start = \"11 s\", bytes")]);
        assert_eq!(both, ["links.one.rate", "flows.down.to", "flows.down.start"]);
    }

    #[test]
    fn consequences_of_an_error_are_not_reported() {
        // A link without a rate, and one that does not exist, so that flows lack a route.
        assert_eq!(keys(&[("rate", "speeed")]), ["links.one.speeed"]);
        assert_eq!(
            keys(&[("between = [\"a\", \"b\"]", "between = 5"), ("links.two", "# links.two")]),
            ["links.one.between"]
        );
        // A value that is compared with an invalid one.
        assert_eq!(keys(&[("bytes", "mss = \"100 parsecs\", receive_window = \"10 B\", bytes")]), ["flows.down.mss"]);
    }
}
