//! The lessons of the examples. Each lesson can be done as described, and all results in its texts come from runs.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use figure::lesson::check::LessonChoice;
use figure::lesson::expression::evaluate_number;
use figure::lesson::text::{convert_to_unit, fill_results, remove_results};
use figure::lesson::{Lesson, LessonCheck, LessonStep, ReaderAnswer, VariantRuns, lesson_to_json};
use figure::{Figure, RunParts};
use observe::run::Titled;
use scenario::{MemoryFiles, Overrides, Source};
use serde_json::json;

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The files of the lessons in their order.
fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir(examples().join("lessons")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn read(file: &Path) -> Lesson {
    Lesson::parse(&fs::read_to_string(file).unwrap()).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()))
}

/// The lesson of a number.
fn lesson(number: usize) -> Lesson {
    read(&files()[number - 1])
}

/// A reader who works on a lesson.
struct Reader<'a> {
    lesson: &'a Lesson,
    /// The changes of each variant.
    changes: BTreeMap<&'a str, Vec<String>>,
    figures: Vec<(&'a str, Figure)>,
}

impl<'a> Reader<'a> {
    fn new(lesson: &'a Lesson) -> Reader<'a> {
        let changes = lesson.variants.iter().map(|variant| (variant.name.as_str(), variant.changes.clone())).collect();
        let mut reader = Reader { lesson, changes, figures: Vec::new() };
        reader.run();
        reader
    }

    /// Runs all variants as the page does: without delays and reports.
    fn run(&mut self) {
        let text = fs::read(examples().join(&self.lesson.example)).unwrap();
        let path = PathBuf::from(&self.lesson.example);
        let figure = |name: &str, scheme: Option<String>| {
            let overrides = Overrides { set: self.changes[name].clone(), scheme, ..Default::default() };
            let files: Rc<MemoryFiles> = Rc::default();
            let source = Source::of_text(files, "example".into(), path.clone(), &text, &overrides).unwrap();
            let loaded = source.resolve(&source.document).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
            let titled = Titled { title: loaded.title(), scenario: &loaded.scenario, network: &loaded.network };
            figure::record_run(titled, RunParts::default(), &mut |_| ControlFlow::Continue(())).unwrap()
        };
        let variants = self.lesson.variants.iter();
        self.figures =
            variants.map(|variant| (variant.name.as_str(), figure(&variant.name, variant.scheme.clone()))).collect();
    }

    /// Makes the changes of a step.
    fn follow(&mut self, step: &LessonStep) {
        for change in &step.r#do {
            let changes = self.changes.get_mut(change.variant.as_str()).expect("the variant exists");
            for set in &change.set {
                let (key, _) = set.split_once('=').expect("a change is KEY=VALUE");
                changes.retain(|other| other.split_once('=').is_none_or(|(other, _)| other != key));
                changes.push(set.clone());
            }
        }
        if !step.r#do.is_empty() {
            self.run();
        }
    }

    fn runs(&self) -> VariantRuns {
        let mut runs = VariantRuns::default();
        for (name, figure) in &self.figures {
            runs.add(name, figure.clone());
        }
        runs
    }

    /// Returns the marks of a kind in the shown flow, with their variants and times.
    fn marks(&self, kind: &str, flow: Option<&str>) -> Vec<(String, f64)> {
        let mut found = Vec::new();
        for (name, figure) in &self.figures {
            let flows = figure.head["flows"].as_array().unwrap();
            let shown =
                flows.iter().find(|head| flow.is_none_or(|flow| head["name"] == flow)).expect("the flow exists");
            let of_kind = shown["marks"].as_array().unwrap().iter().filter(|marks| marks["kind"] == kind);
            for column in of_kind.map(|marks| marks["points"]["column"].as_u64().unwrap() as usize) {
                found.extend(figure.columns[column].chunks(2).map(|point| ((*name).to_owned(), point[0])));
            }
        }
        found
    }
}

/// Whether digits of a text that are not results may stand there: in code, in names of documents and standards.
fn is_free_of_typed_numbers(text: &str) -> bool {
    let without_code: String = text.split('`').step_by(2).collect();
    let mut before = "";
    without_code.split_whitespace().all(|word| {
        let named = ["RFC", "Goel", "section", "sections", "equation", "to", "and"].contains(&before);
        before = word.trim_start_matches('(');
        named || word.starts_with("802.11") || !word.chars().any(|c| c.is_ascii_digit())
    })
}

fn assert_text(text: &str, runs: &VariantRuns) {
    fill_results(text, runs).unwrap_or_else(|fault| panic!("{fault} in: {text}"));
    assert!(is_free_of_typed_numbers(&remove_results(text)), "a number that is no result: {text}");
}

/// Follows a lesson step by step. No step counts as done before its reader has done it, and each counts as done
/// afterwards.
fn follow(number: usize) {
    let lesson = &lesson(number);
    let mut reader = Reader::new(lesson);
    let (mut flow, mut range) = (lesson.flow.as_deref(), lesson.range);
    let runs = reader.runs();
    assert_text(&lesson.introduction, &runs);
    assert_text(&lesson.question, &runs);
    assert!(lesson.steps.len() >= 3, "{}", lesson.title);
    for step in &lesson.steps {
        flow = step.flow.as_deref().or(flow);
        range = step.range.or(range);
        let runs = reader.runs();
        let place = format!("{}: {}", lesson.title, step.r#try);
        assert_text(&step.r#try, &runs);
        assert_text(&step.see, &runs);
        assert_eq!(step.check.judge(&runs, &ReaderAnswer::Nothing), Ok(false), "before: {place}");
        reader.follow(step);
        let (before, runs) = (runs, reader.runs());
        match &step.check {
            LessonCheck::Metric { not_yet, .. } => {
                assert!(!step.r#do.is_empty(), "{place}");
                assert_text(not_yet, &before);
                assert_eq!(step.check.judge(&runs, &ReaderAnswer::Nothing), Ok(true), "after: {place}");
            }
            LessonCheck::Mark { mark, variant, missed } => {
                assert_text(missed, &runs);
                let marks = reader.marks(mark, flow);
                let in_variant = |name: &str| variant.as_deref().is_none_or(|variant| variant == name);
                let in_range = |at: f64| range.is_none_or(|[from, to]| (from..=to).contains(&at));
                let shown = marks.iter().find(|(name, at)| in_variant(name) && in_range(*at));
                let (variant, _) = shown.unwrap_or_else(|| panic!("no such mark is shown: {place}"));
                let judge = |kind: &str| {
                    let given = ReaderAnswer::Mark { kind: kind.to_owned(), variant: variant.clone() };
                    step.check.judge(&runs, &given)
                };
                assert_eq!((judge(mark), judge("other")), (Ok(true), Ok(false)), "{place}");
            }
            LessonCheck::Answer { ask, value, unit, tolerance, hint } => {
                assert_text(ask, &runs);
                assert_text(hint, &runs);
                let right = convert_to_unit(self::evaluate_number(value, &runs).unwrap(), unit.as_deref()).unwrap();
                assert!(*tolerance <= right.abs() * 0.2, "{right} with a tolerance of {tolerance}: {place}");
                let judge = |number| step.check.judge(&runs, &ReaderAnswer::Number { number });
                assert_eq!([right, right * 1.5, 0.0].map(judge), [Ok(true), Ok(false), Ok(false)], "{right}: {place}");
            }
            LessonCheck::Choice { ask, choices, hint } => {
                assert_text(ask, &runs);
                assert_text(hint, &runs);
                choices.iter().for_each(|LessonChoice { text, .. }| assert_text(text, &runs));
                let judge = |choice| step.check.judge(&runs, &ReaderAnswer::Choice { choice }).unwrap();
                let right: Vec<usize> = (0..choices.len()).filter(|choice| judge(*choice)).collect();
                assert_eq!(right.len(), 1, "right are {right:?}: {place}");
            }
        }
        assert_text(&step.why, &runs);
    }
}

#[test]
fn lessons_are_numbered_and_equal_those_of_the_page_and_their_examples_exist() {
    let files = files();
    assert_eq!(files.len(), 10);
    for (number, file) in (1..).zip(&files) {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(&format!("{number:02}-")) && name.ends_with(".md"), "{name}");
        let lesson = read(file);
        let of_page: Lesson =
            serde_json::from_value(lesson_to_json(&fs::read_to_string(file).unwrap()).unwrap()).unwrap();
        assert_eq!(json!(of_page), json!(lesson), "{name}");
        assert!(examples().join(&lesson.example).is_file(), "{}", lesson.example);
    }
}

/// A test for each lesson.
macro_rules! lessons {
    ($($name:ident = $number:literal,)*) => {
        $(
            #[test]
            fn $name() {
                follow($number);
            }
        )*
    };
}

lessons! {
    slow_start_can_be_done = 1,
    timeout_can_be_done = 2,
    fast_retransmit_can_be_done = 3,
    burst_of_losses_can_be_done = 4,
    refined_icmp_can_be_done = 5,
    snoop_can_be_done = 6,
    hidden_terminals_can_be_done = 7,
    bufferbloat_can_be_done = 8,
    cubic_and_bbr_can_be_done = 9,
    handover_can_be_done = 10,
}

#[test]
fn numbers_in_code_and_in_names_of_documents_are_not_results() {
    for text in ["`a = 3`", "RFC 5681 (section 3.1)", "802.11 DCF", "Goel 1997 sections 5.4 to 5.6", "four"] {
        assert!(is_free_of_typed_numbers(text), "{text}");
    }
    for text in ["took 3 s", "`a` 3", "3.2"] {
        assert!(!is_free_of_typed_numbers(text), "{text}");
    }
}
