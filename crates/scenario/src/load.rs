//! Loading: from a path to a checked network.

mod included;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::Members;
use engine::text::file_name;
use toml::Table;

use crate::axes;
use crate::check::check_resolved;
use crate::goel1997;
use crate::model::Link;
use crate::outside::OutsideMember;
use crate::problem::Problem;
use crate::read::Reading;
use crate::{Checked, Document, Files, Scenario, check_with, document};
use included::{Folder, Recordings, read_file, with_nearest_path};

/// Returns the scenario in `text`, which refers to no files, as a network that [`sim::World`] runs. The function is for
/// programs that generate scenarios.
///
/// # Errors
///
/// All errors, with line, key, the value found and the expected one; `name` is the file's name in messages.
pub fn from_toml(name: &str, text: &str) -> Result<Loaded, Vec<Problem>> {
    from_toml_with(name, text, &Members::default())
}

/// Loads a scenario as [`from_toml`] does. The scenario may also name members added by the program.
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
    /// Path that was read, as given by the user.
    pub path: PathBuf,
    /// The name of the results: the file's name without its extension.
    pub stem: String,
    /// The scenario with all changes, sufficient to repeat the run.
    pub scenario: Scenario,
    /// The network that runs.
    pub network: sim::Network,
    /// Outside members named by the scenario.
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
        let follows = |link: &Link| link.ways().any(|way| way.channel().is_some_and(|it| it.traits().recorded));
        let records = self.scenario.output.traces.iter().any(|name| name == "air" || name == "all");
        records && !self.scenario.links.values().any(follows)
    }
}

/// Reads and checks a TOML scenario, a `datafile.dat` of the thesis, or the scenario of a result directory.
pub fn load_scenario(files: Rc<dyn Files>, path: &Path, overrides: &Overrides) -> Result<Loaded, Vec<Problem>> {
    let source = Source::open(files, path, overrides)?;
    source.resolve(&source.document)
}

/// A scenario's text with the changes of the command line, not yet checked.
pub struct Source {
    /// The name of the results: the file's name without its extension.
    pub stem: String,
    /// Text of the scenario with the changes applied.
    pub document: Document,
    /// Path that was read, as given by the user.
    path: PathBuf,
    /// The file that contains the text.
    file: PathBuf,
    /// File system for files named by the scenario.
    files: Rc<dyn Files>,
    datafile: Option<goel1997::Parsed>,
    /// The members added by the program.
    members: Members,
    /// Recordings read so far. They are kept because a sweep resolves its scenario thousands of times.
    recordings: Recordings,
}

impl Source {
    /// Reads `path`.
    pub fn open(files: Rc<dyn Files>, path: &Path, overrides: &Overrides) -> Result<Self, Vec<Problem>> {
        let is_dir = files.is_dir(path);
        let file = if is_dir { scenario_in(&*files, path).map_err(|problem| vec![problem])? } else { path.to_owned() };
        let stem = if is_dir { path.file_name() } else { path.file_stem() };
        let stem = stem.map_or_else(|| "run".into(), |stem| file_name(&stem.to_string_lossy()));
        let text = read_file(&*files, &file).map_err(|problem| vec![with_nearest_path(problem, &*files, &file)])?;
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
            (Document::parse_completely(&name, text)?, None)
        };
        apply_overrides(&mut document, overrides).map_err(|problem| vec![problem])?;
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

    /// Returns `table`, found at `key` of this source, with [patterns of files](crate::axes) replaced by the matching
    /// files.
    ///
    /// # Errors
    /// No file matches a pattern.
    pub fn with_files_listed(&self, table: &Table, key: &str) -> Result<Table, Problem> {
        axes::files::expand_file_patterns(table, key, &*self.files, &self.file)
    }

    /// Checks `document`, the document of this source with or without further changes, and reads the files named in it.
    pub fn resolve(&self, document: &Document) -> Result<Loaded, Vec<Problem>> {
        let locate = |problem: Problem| match &self.datafile {
            Some(parsed) if !document.was_set(problem.key.as_deref()) => parsed.locate(problem),
            _ => document.locate(problem),
        };
        // All copies of an entry share an error.
        let located = |problems: Vec<Problem>| {
            let mut known = HashSet::new();
            let located = problems.into_iter().map(locate);
            located.filter(|problem| known.insert(problem.clone())).collect::<Vec<_>>()
        };
        let (mut scenario, outside) = match document.reading(&self.members) {
            Reading { scenario: Some(scenario), problems, outside, .. } if problems.is_empty() => (scenario, outside),
            reading => return Err(located(collect_errors(document, reading, &self.members))),
        };
        let folder = Folder { files: &*self.files, scenario: &self.file, recordings: &self.recordings };
        folder.include_files(&mut scenario).map_err(&located)?;
        let Checked { network, warnings: advice } =
            check_resolved(&scenario, self.recordings.parsed_recordings(), &self.members).map_err(&located)?;
        let mut warnings = self.datafile.as_ref().map(|parsed| parsed.warnings.clone()).unwrap_or_default();
        warnings.extend(located(advice));
        Ok(Loaded { path: self.path.clone(), stem: self.stem.clone(), scenario, network, outside, warnings })
    }
}

/// Errors of reading, and errors of a check of the other values.
fn collect_errors(document: &Document, reading: Reading, members: &Members) -> Vec<Problem> {
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

fn apply_overrides(document: &mut Document, overrides: &Overrides) -> Result<(), Problem> {
    if let Some(scheme) = &overrides.scheme {
        document.set_everywhere("scheme", scheme);
    }
    if let Some(seed) = overrides.seed {
        document.set(&format!("seed={seed}"))?;
    }
    overrides.set.iter().try_for_each(|assignment| document.set(assignment))
}

/// Returns whether a file is in the thesis's language, by its extension or its first component.
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

/// The scenario as TOML, for storage or conversion.
pub fn to_toml(scenario: &Scenario) -> String {
    document::render_scenario(scenario)
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
    fn errors_after_a_missing_key_and_in_later_items_are_reported_too() {
        // A link without `kind` and `between`, with a wrong rate, and a wrong duration.
        let all = keys(&[
            ("\"10 s\"", "\"10 parsecs\""),
            (
                "links.one = { kind = \"wired\", between = [\"a\", \"b\"], rate = \"8 Mbps\"",
                "links.one = { rate = \"8 mbps\"",
            ),
            ("to = \"b\"", "too = \"b\""),
        ]);
        assert_eq!(all, ["duration", "links.one.kind", "links.one.between", "links.one.rate", "flows.down.too"]);
        let outages = "outages = [{ from = \"1 parsec\", to = \"2 s\", packets = \"wait\" }, \
                       { from = \"3 s\", to = \"x\", packets = \"wat\" }]";
        let items = keys(&[("delay = \"50 ms\"", &format!("delay = \"50 ms\", {outages}"))]);
        let expected = ["links.one.outages[0].from", "links.one.outages[1].to", "links.one.outages[1].packets"];
        assert_eq!(items, expected);
    }

    #[test]
    fn all_syntax_errors_are_reported_with_the_wrong_values_of_other_lines() {
        let text = GOOD.replace("\"10 s\"", "10 s").replace("bytes = \"1 MB\"", "bytes = 1 MB");
        let text = text.replacen("rate = \"8 Mbps\"", "rate = \"8 mbps\"", 1);
        let problems = from_toml("net.toml", &text).err().unwrap_or_default();
        let lines: Vec<_> = problems.iter().filter_map(|problem| problem.place).map(|(line, _)| line).collect();
        assert_eq!(lines, [2, 4, 6], "{problems:?}");
        assert_eq!(problems[0].hint.as_deref(), Some("write \"10 s\", in quotes"));
        assert_eq!(problems[1].hint.as_deref(), Some("did you mean \"8 Mbps\"?"));
    }

    #[test]
    fn names_of_directions_are_explained_by_the_nodes() {
        let text = GOOD.replacen("\"8 Mbps\"", "{ down = \"8 Mbps\", up = \"1 Mbps\" }", 1);
        let problems = from_toml("net.toml", &text).err().unwrap_or_default();
        let expected = "write forward, from \"a\" to \"b\", or backward, from \"b\" to \"a\"";
        assert_eq!(problems[0].hint.as_deref(), Some(expected), "{problems:?}");
        let mixed = GOOD.replacen("\"8 Mbps\"", "{ forward = \"8 Mbps\", up = \"1 Mbps\" }", 1);
        let problems = from_toml("net.toml", &mixed).err().unwrap_or_default();
        assert_eq!(
            (problems[0].key.as_deref(), problems[0].hint.as_deref()),
            (Some("links.one.rate.up"), Some(expected))
        );
    }

    #[test]
    fn consequences_of_an_error_are_not_reported() {
        // The first case has a link without a rate, the second a link that does not exist, so that flows have no route.
        assert_eq!(keys(&[("rate", "speeed")]), ["links.one.speeed"]);
        assert_eq!(
            keys(&[("between = [\"a\", \"b\"]", "between = 5"), ("links.two", "# links.two")]),
            ["links.one.between"]
        );
        // A value that is compared with an invalid one.
        assert_eq!(keys(&[("bytes", "mss = \"100 parsecs\", receive_window = \"10 B\", bytes")]), ["flows.down.mss"]);
    }
}
