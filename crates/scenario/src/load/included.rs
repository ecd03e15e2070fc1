//! Files that a scenario refers to: files of registry members, and recordings of links.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::path::{Path, PathBuf};

use engine::registry::{ContentFault, Fault, FileReader, FileSetting, MemberVisitor};
use engine::{Open, Span};
use serde::de::DeserializeOwned;

use crate::goel1997::report::decode_text;
use crate::goel1997::{self, trace_file};
use crate::members::{ScenarioVisitor, visit_members};
use crate::model::Recording;
use crate::problem::{Problem, sanitize_input};
use crate::recordings;
use crate::{Document, Files, Scenario, nearest_path};

/// The recordings of a scenario by file. They are cached because a sweep resolves its scenario thousands of times.
#[derive(Default)]
pub(super) struct Recordings {
    /// Recorded states of channels.
    states: RefCell<BTreeMap<PathBuf, Vec<Span>>>,
    /// The text of other recordings, which were read without errors.
    texts: RefCell<BTreeMap<PathBuf, String>>,
    /// The parsed recordings.
    parsed: recordings::RecordingCache,
}

impl Recordings {
    /// The parsed recordings.
    pub(super) fn parsed_recordings(&self) -> &recordings::RecordingCache {
        &self.parsed
    }
}

/// Place of a scenario, the base of relative file names.
#[derive(Clone, Copy)]
pub(super) struct Folder<'a> {
    /// The file system.
    pub(super) files: &'a dyn Files,
    /// The file of the scenario.
    pub(super) scenario: &'a Path,
    /// Recordings read so far.
    pub(super) recordings: &'a Recordings,
}

impl Folder<'_> {
    /// Replaces the names of files in a scenario by their contents.
    ///
    /// # Errors
    /// Every file that is missing or invalid.
    pub(super) fn include_files(self, scenario: &mut Scenario) -> Result<(), Vec<Problem>> {
        let mut loader = FileLoader { folder: self, problems: Vec::new() };
        visit_members(scenario, &mut loader);
        let mut problems = loader.problems;
        problems.extend(self.include_recordings(scenario));
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Reads the recordings of links into the scenario.
    fn include_recordings(self, scenario: &mut Scenario) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (name, link) in &mut scenario.links {
            for (key, recording) in link.recordings() {
                let Some(file) = recording.file.take_if(|_| recording.contents.is_none()) else { continue };
                let key_of_file = format!("links.{name}.{key}.file");
                let path = self.path_of(&file);
                let known = self.recordings.texts.borrow().get(&path).cloned();
                match known.map_or_else(|| self.read_recording(&path, (key, recording)), Ok) {
                    Ok(text) => {
                        self.recordings.texts.borrow_mut().insert(path, text.clone());
                        recording.contents = Some(text);
                    }
                    Err(problem) if self.files.exists(&path) => problems.push(problem.key(key_of_file)),
                    Err(_) => {
                        let problem = Problem::new(format!("the recording {} does not exist", path.display()));
                        problems.push(with_nearest_path(problem.key(key_of_file), self.files, &path));
                    }
                }
            }
        }
        problems
    }

    /// The text of a recording, if it is valid.
    fn read_recording(self, path: &Path, (key, recording): (&str, &Recording)) -> Result<String, Problem> {
        let shown = path.display().to_string();
        let bytes = read_file(self.files, path)?;
        let text = decode_text(&shown, &bytes)?;
        let parsed = &self.recordings.parsed;
        match key {
            "link_trace" => {
                let (_, recorded) = parsed.table(&shown, text, recording.format)?;
                if !recording.repeat {
                    recorded.once(&shown, text)?;
                }
            }
            _ => parsed.opportunities(&shown, text).map(drop)?,
        }
        Ok(text.to_owned())
    }

    /// The path of a file that the scenario names.
    fn path_of(self, file: &str) -> PathBuf {
        self.scenario.parent().unwrap_or(Path::new("")).join(file)
    }

    /// Returns the file of a trace. The path is relative to the scenario or, in the form printed by a run, to the
    /// working directory. A result directory stands for the trace in it.
    fn path_of_trace(self, file: &str) -> PathBuf {
        let Folder { files, .. } = self;
        let in_directory = |path: PathBuf| if files.is_dir(&path) { path.join(goel1997::TRACE_FILE) } else { path };
        let (near, here) = (in_directory(self.path_of(file)), in_directory(PathBuf::from(file)));
        if !files.exists(&near) && files.exists(&here) { here } else { near }
    }

    /// A hint where to find a trace: if runs of the scenario have written some, the name of the first.
    fn hint_of_trace(self) -> String {
        let stem = self.scenario.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let results = self.files.entries(Path::new("results")).into_iter();
        let of_this = |dir: &PathBuf| dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&stem));
        let traces = results.filter(of_this).map(|dir| dir.join(goel1997::TRACE_FILE));
        let mut traces: Vec<PathBuf> = traces.filter(|trace| self.files.exists(trace)).collect();
        traces.sort();
        match traces.first() {
            Some(trace) if self.scenario.extension().is_some_and(|ending| ending == "dat") => {
                format!("a run has written one: write read_from_trace = 0 {}", trace.display())
            }
            Some(trace) => format!("a run has written one: write file = \"{}\"", trace.display()),
            None => {
                "it contains the changes of the channel's state, a line such as \"1233.5 BAD\" for each, in ms; a run with \
                 --trace air, or read_from_trace = 1, writes one into its result directory: name that file here"
                    .to_owned()
            }
        }
    }
}

/// Reads the files of members into their settings.
struct FileLoader<'a> {
    folder: Folder<'a>,
    problems: Vec<Problem>,
}

impl MemberVisitor for FileLoader<'_> {
    fn visit_member<R: Open>(&mut self, key: Arguments<'_>, member: &mut R) {
        member.read_files(key, self);
    }
}

impl ScenarioVisitor for FileLoader<'_> {}

impl FileReader for FileLoader<'_> {
    fn read_text<T>(&mut self, setting: FileSetting<'_, T>, parse: impl FnOnce(&str) -> Result<T, ContentFault>) {
        let FileSetting { key, file, content } = setting;
        let Some(path) = file.take().map(|file| self.folder.path_of(&file)) else { return };
        match read_content(self.folder.files, &path, parse) {
            Ok(read) => *content = Some(read),
            Err(problem) => self.problems.push(problem.key(key.to_string())),
        }
    }

    fn read_toml<T: DeserializeOwned>(
        &mut self,
        setting: FileSetting<'_, T>,
        what: &str,
        check: impl FnOnce(&T) -> Vec<Fault>,
    ) {
        self.read_text(setting, |text| parse_toml(text, what, check));
    }

    fn read_states(&mut self, setting: FileSetting<'_, Vec<Span>>) {
        let FileSetting { key, file, content } = setting;
        let Some(path) = file.take().map(|file| self.folder.path_of_trace(&file)) else { return };
        let (files, states) = (self.folder.files, &self.folder.recordings.states);
        let shown = path.display().to_string();
        let known = states.borrow().get(&path).cloned();
        match known
            .map_or_else(|| read_file(files, &path).and_then(|text| trace_file::parse_switches(&shown, &text)), Ok)
        {
            Ok(switches) => {
                states.borrow_mut().insert(path, switches.clone());
                *content = Some(switches);
            }
            Err(problem) if files.exists(&path) => self.problems.push(problem.key(key.to_string())),
            Err(_) => {
                let problem = Problem::new(format!("the recorded channel {shown} does not exist"));
                self.problems.push(problem.key(key.to_string()).hint(self.folder.hint_of_trace()));
            }
        }
    }

    fn refuse(&mut self, key: Arguments<'_>, expected: String) {
        self.problems.push(Problem::new(expected).key(key.to_string()));
    }
}

/// The content of a text file.
fn read_content<T>(
    files: &dyn Files,
    path: &Path,
    parse: impl FnOnce(&str) -> Result<T, ContentFault>,
) -> Result<T, Problem> {
    let name = path.display().to_string();
    if !files.exists(path) {
        return Err(Problem::new(format!("the file {name} does not exist")));
    }
    let bytes = read_file(files, path)?;
    let text = decode_text(&name, &bytes)?;
    parse(text).map_err(|ContentFault { line, expected }| {
        let text = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        Problem::new(expected).in_file(&name).found(format!("line {line}: {}", sanitize_input(text)))
    })
}

/// Parses the values in a TOML document. `what` describes the expected document.
fn parse_toml<T: DeserializeOwned>(
    text: &str,
    what: &str,
    check: impl FnOnce(&T) -> Vec<Fault>,
) -> Result<T, ContentFault> {
    let values: T = toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        ContentFault::new(before.matches('\n').count() + 1, format!("{what}: {}", error.message()))
    })?;
    match check(&values).into_iter().next() {
        Some(Fault { key, entry, found, expected, .. }) => {
            let key = entry.map_or_else(|| key.to_string(), |number| format!("{key}[{number}]"));
            let not = found.as_ref().map_or_else(String::new, |found| format!(", not {found}"));
            let problem = Problem { key: Some(key.clone()), found, ..Problem::default() };
            let place = Document::parse("", text.as_bytes()).ok().and_then(|document| document.locate(problem).place);
            Err(ContentFault::new(place.map_or(1, |(line, _)| line), format!("{key}: {expected}{not}")))
        }
        None => Ok(values),
    }
}

/// Larger than any scenario written by hand, and any recording.
const MAX_FILE_SIZE: u64 = 64 << 20;

/// A file's bytes.
pub(super) fn read_file(files: &dyn Files, file: &Path) -> Result<Vec<u8>, Problem> {
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
pub(super) fn with_nearest_path(problem: Problem, files: &dyn Files, file: &Path) -> Problem {
    match nearest_path(files, file) {
        Some(near) => problem.hint(format!("did you mean \"{}\"?", near.display())),
        None => problem,
    }
}
