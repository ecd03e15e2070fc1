//! The measures of each crate.

use std::collections::{BTreeMap, BTreeSet};

use super::phrases::{count_words, find_phrases};
use super::source::SourceFile;

/// Maximum number of lines of a function.
const LONGEST: usize = 80;

/// Number of files from which on a name counts as shared.
const SHARED: usize = 3;

/// Functions with which every member of a registry is made, described and checked.
const REGISTRY_VERBS: [&str; 3] = ["build", "check", "traits"];

/// Types that any module may declare.
const COMMON_TYPES: [&str; 3] = ["Config", "Error", "Args"];

/// Participles that do not end in `ed`.
const IRREGULAR: [&str; 24] = [
    "shown", "written", "given", "kept", "held", "sent", "taken", "known", "told", "made", "found", "begun", "gone",
    "drawn", "chosen", "seen", "left", "met", "built", "run", "spent", "won", "hidden", "broken",
];

/// Verbs and nouns that end in `ed`.
const NOT_PARTICIPLES: [&str; 6] = ["need", "feed", "seed", "speed", "shed", "embed"];

/// A measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    OneWord,
    SharedFunctions,
    SharedTypes,
    Participles,
    Phrases,
    Long,
}

impl Measure {
    /// All measures, in the order of tables.
    pub const ALL: [Measure; 6] = [
        Measure::OneWord,
        Measure::SharedFunctions,
        Measure::SharedTypes,
        Measure::Participles,
        Measure::Phrases,
        Measure::Long,
    ];

    /// Returns the measure's name in the file of limits.
    pub fn key(self) -> &'static str {
        match self {
            Measure::OneWord => "one-word",
            Measure::SharedFunctions => "shared-functions",
            Measure::SharedTypes => "shared-types",
            Measure::Participles => "participles",
            Measure::Phrases => "phrases",
            Measure::Long => "long",
        }
    }

    /// Returns the number of declarations or words that a figure is relative to; 0 for a plain count.
    fn unit(self) -> f64 {
        match self {
            Measure::OneWord | Measure::SharedFunctions | Measure::SharedTypes => 100.0,
            Measure::Participles | Measure::Phrases => 1000.0,
            Measure::Long => 0.0,
        }
    }
}

/// A declaration or phrase that is counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Offender {
    pub path: String,
    pub line: usize,
    pub text: String,
    /// Number of files that share the name, or of a function's lines.
    pub weight: usize,
}

/// A crate, the page, or all together.
#[derive(Debug, Default)]
pub struct Area {
    pub name: String,
    functions: usize,
    free_functions: usize,
    types: usize,
    words: usize,
    offenders: [Vec<Offender>; Measure::ALL.len()],
}

impl Area {
    /// Returns the counted items of a measure, the worst first.
    pub fn offenders(&self, measure: Measure) -> Vec<Offender> {
        let mut sorted = self.offenders[measure as usize].clone();
        sorted.sort_by(|a, b| (b.weight, &a.path, a.line).cmp(&(a.weight, &b.path, b.line)));
        sorted
    }

    /// Returns the figure with one decimal; `None` if nothing was counted.
    pub fn figure(&self, measure: Measure) -> Option<f64> {
        let count = self.offenders[measure as usize].len() as f64;
        let whole = match measure {
            Measure::OneWord | Measure::SharedFunctions => self.free_functions,
            Measure::SharedTypes => self.types,
            Measure::Participles => self.functions,
            Measure::Phrases => self.words,
            Measure::Long => return Some(count),
        };
        let rounded = format!("{:.1}", measure.unit() * count / whole as f64);
        if whole == 0 { None } else { rounded.parse().ok() }
    }

    /// Returns the figure as text, `-` without one.
    pub fn render_figure(&self, measure: Measure) -> String {
        let decimals = usize::from(measure.unit() > 0.0);
        self.figure(measure).map_or_else(|| "-".to_owned(), |figure| format!("{figure:.decimals$}"))
    }

    fn add_offender(&mut self, measure: Measure, offender: &Offender) {
        self.offenders[measure as usize].push(offender.clone());
    }

    /// Adds a file, with the numbers of files that declare a name.
    fn add_file(&mut self, file: &SourceFile, shared: &SharedNames<'_>) {
        let offender =
            |line, text: &str, weight| Offender { path: file.path.clone(), line, text: text.to_owned(), weight };
        for function in &file.functions {
            let name = function.name.as_str();
            if function.length > LONGEST {
                self.add_offender(Measure::Long, &offender(function.line, name, function.length));
            }
            if !file.path.ends_with(".rs") {
                continue;
            }
            let is_one_word = !name.contains('_');
            self.functions += 1;
            if is_one_word && is_participle(name) {
                self.add_offender(Measure::Participles, &offender(function.line, name, 1));
            }
            if function.is_free {
                self.free_functions += 1;
                let files = shared.count_function(name);
                if is_one_word {
                    self.add_offender(Measure::OneWord, &offender(function.line, name, 1));
                }
                if files >= SHARED {
                    self.add_offender(Measure::SharedFunctions, &offender(function.line, name, files));
                }
            }
        }
        for declared in &file.types {
            self.types += 1;
            let files = shared.count_type(&declared.name);
            if files >= SHARED {
                self.add_offender(Measure::SharedTypes, &offender(declared.line, &declared.name, files));
            }
        }
        self.words += count_words(&file.comments);
        for found in find_phrases(&file.comments) {
            self.add_offender(Measure::Phrases, &offender(found.line, &format!("\"{}\"", found.phrase), 1));
        }
    }
}

/// The files that declare each name.
#[derive(Default)]
struct SharedNames<'a> {
    functions: BTreeMap<&'a str, BTreeSet<&'a str>>,
    types: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> SharedNames<'a> {
    fn collect(files: &'a [SourceFile]) -> Self {
        let mut shared = SharedNames::default();
        for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
            for function in file.functions.iter().filter(|function| function.is_free) {
                shared.functions.entry(&function.name).or_default().insert(&file.path);
            }
            for declared in &file.types {
                shared.types.entry(&declared.name).or_default().insert(&file.path);
            }
        }
        shared
    }

    fn count_function(&self, name: &str) -> usize {
        let files = self.functions.get(name).map_or(0, BTreeSet::len);
        if REGISTRY_VERBS.contains(&name) { 0 } else { files }
    }

    fn count_type(&self, name: &str) -> usize {
        let files = self.types.get(name).map_or(0, BTreeSet::len);
        if COMMON_TYPES.contains(&name) { 0 } else { files }
    }
}

fn is_participle(name: &str) -> bool {
    IRREGULAR.contains(&name) || name.ends_with("ed") && !NOT_PARTICIPLES.contains(&name)
}

/// Measures files by crate, and all of them together as `all`.
pub fn measure_areas(files: &[SourceFile]) -> Vec<Area> {
    let shared = SharedNames::collect(files);
    let mut areas: BTreeMap<&str, Area> = BTreeMap::new();
    let mut all = Area { name: "all".to_owned(), ..Area::default() };
    for file in files {
        let name = name_area(&file.path);
        areas.entry(name).or_default().add_file(file, &shared);
        all.add_file(file, &shared);
    }
    let named = areas.into_iter().map(|(name, area)| Area { name: name.to_owned(), ..area });
    named.chain([all]).collect()
}

/// Returns the crate of a file; `page` for the page's TypeScript.
fn name_area(path: &str) -> &str {
    let mut folders = path.split('/');
    match (folders.next(), folders.next()) {
        (Some("crates"), Some(name)) => name,
        (Some("web"), _) => "page",
        (first, _) => first.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(texts: &[(&str, &str)]) -> Vec<Area> {
        measure_areas(&texts.iter().map(|(path, text)| SourceFile::parse(path, text)).collect::<Vec<_>>())
    }

    fn figures(area: &Area) -> [Option<f64>; 6] {
        Measure::ALL.map(|measure| area.figure(measure))
    }

    #[test]
    fn crates_are_measured_separately_and_together() {
        let a = "//! Time of those of two.\nfn one() {}\n\nfn two_words() {}\nimpl X {\n    fn shown() {}\n    fn need() {}\n}\n";
        let areas = measure(&[("crates/a/src/lib.rs", a), ("xtask/src/main.rs", "fn main_loop() {}\n")]);
        assert_eq!(areas.iter().map(|area| area.name.as_str()).collect::<Vec<_>>(), ["a", "xtask", "all"]);
        assert_eq!(figures(&areas[0]), [Some(50.0), Some(0.0), None, Some(250.0), Some(200.0), Some(0.0)]);
        assert_eq!(figures(&areas[1]), [Some(0.0), Some(0.0), None, Some(0.0), None, Some(0.0)]);
        assert_eq!(areas[2].figure(Measure::OneWord), Some(33.3));
    }

    #[test]
    fn names_in_three_files_are_shared_except_registry_verbs_and_common_types() {
        let text = "fn run() {}\nfn build() {}\nstruct Row;\nstruct Config;\n";
        let two = [("crates/a/src/a.rs", text), ("crates/b/src/b.rs", text)];
        let shared = |texts: &[(&str, &str)]| {
            let areas = measure(texts);
            [Measure::SharedFunctions, Measure::SharedTypes].map(|measure| areas[0].figure(measure))
        };
        assert_eq!(shared(&two), [Some(0.0), Some(0.0)]);
        assert_eq!(shared(&[&two[..], &[("xtask/src/c.rs", text)]].concat()), [Some(50.0), Some(50.0)]);
    }

    #[test]
    fn functions_of_more_than_80_lines_are_counted_in_both_languages() {
        let body = |lines: usize| format!("{{\n{}}}\n", "    work();\n".repeat(lines - 2));
        let [rust, script] = [80, 81].map(|lines| format!("fn work() {}", body(lines))).map(|text| text + "\n");
        let page = script.replace("fn ", "function ");
        let areas = measure(&[("crates/a/src/a.rs", &rust), ("crates/b/src/b.rs", &script), ("web/src/c.ts", &page)]);
        let long: Vec<_> = areas.iter().map(|area| (area.name.as_str(), area.figure(Measure::Long))).collect();
        assert_eq!(long, [("a", Some(0.0)), ("b", Some(1.0)), ("page", Some(1.0)), ("all", Some(2.0))]);
    }

    #[test]
    fn worst_offender_is_first_with_its_line() {
        let text = "\nfn run() {}\nfn read() {}\n";
        let areas = measure(&[
            ("crates/a/src/a.rs", text),
            ("crates/a/src/b.rs", text),
            ("crates/a/src/c.rs", text),
            ("crates/a/src/d.rs", "fn run() {}\n"),
        ]);
        let worst = areas[0].offenders(Measure::SharedFunctions);
        let expected = Offender { path: "crates/a/src/a.rs".to_owned(), line: 2, text: "run".to_owned(), weight: 4 };
        assert_eq!((worst.len(), &worst[0]), (7, &expected));
    }
}
