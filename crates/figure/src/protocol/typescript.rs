//! The types of the page, generated, and compared with the file of the page.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use observe::metric;
use observe::replications::{Case, compute_entries};
use observe::run::Titled;
use scenario::controls;
use serde_json::Value;
use stats::Level;
use ts_rs::{Config, TS};

use super::shapes::{self, Entry, Report, Summary};
use crate::{cell, columns, journeys, lesson, marks, places, readings, run};

const HEAD: &str = "\
// Generated from the Rust types of the crates figure and scenario. After a change of these:
// UPDATE_GOLDEN=1 cargo test -p lasthop-figure protocol
";

/// Longer arrays are lists, not tuples.
const PAIR: usize = 2;

/// The declaration of a type with its comment.
fn render_declaration<T: TS>(config: &Config) -> String {
    let docs = T::docs().unwrap_or_default();
    format!("\n{docs}export {}\n", T::decl(config))
}

/// Puts each comment with a single line of text into one line.
fn join_short_comments(types: &str) -> String {
    let mut pieces = types.split("/**\n * ");
    let head = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(head, |out, piece| match piece.split_once("\n */") {
        Some((text, rest)) if !text.contains('\n') => format!("{out}/** {text} */{rest}"),
        _ => format!("{out}/**\n * {piece}"),
    })
}

/// The declarations of types, in this order.
macro_rules! declarations {
    ($($type:ty),+ $(,)?) => {{
        let config = Config::new().with_large_int("number").with_array_tuple_limit(PAIR);
        join_short_comments(&[HEAD.to_owned(), $(render_declaration::<$type>(&config)),+].concat())
    }};
}

/// All types that the page reads.
fn render_types() -> String {
    declarations![
        super::ProblemData<'static>,
        columns::Column,
        marks::Marks,
        shapes::Finding,
        shapes::FindingKind,
        shapes::Report,
        run::RunFlowHead,
        shapes::FlowSummary,
        shapes::Summary,
        run::RunHead,
        journeys::JourneyNodeHead,
        journeys::JourneyLinkHead,
        journeys::JourneyFlowHead,
        cell::Cell,
        cell::CellNames,
        places::JourneyRanges,
        places::JourneyMap,
        journeys::JourneysHead,
        super::MetricData,
        readings::ReadingsHead,
        shapes::Quantile,
        shapes::AgainstFirst,
        shapes::Entry,
        super::AxisPlace,
        super::SweepAxis,
        super::SweepSuggestion,
        controls::Choice,
        controls::Widget,
        controls::Control,
        controls::Variant,
        lesson::LessonChange,
        lesson::check::LessonChoice,
        lesson::LessonCheck,
        lesson::LessonStep,
        lesson::LessonVariant,
        lesson::Lesson,
    ]
}

#[test]
fn generated_types_of_the_page_equal_the_types_in_rust() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/protocol-types.ts");
    let types = render_types();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&kept, &types).unwrap();
    }
    assert!(
        fs::read_to_string(&kept).unwrap_or_default() == types,
        "{} is out of date: UPDATE_GOLDEN=1",
        kept.display()
    );
}

/// A flow with losses, which has findings, and a flow that never completes.
const TEXT: &str = r#"
    duration = "20 s"
    nodes = { a = { kind = "host" }, b = { kind = "host" } }
    links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms", loss = 0.02 }
    flows.one = { from = "a", to = "b", bytes = "1 MB" }
    flows.two = { from = "b", to = "a" }
"#;

#[test]
fn summaries_and_reports_have_the_declared_keys() {
    let loaded = scenario::from_toml("a.toml", TEXT).unwrap();
    let titled = Titled { title: loaded.title(), scenario: &loaded.scenario, network: &loaded.network };
    let parts = run::RunParts { delays: true, reports: true };
    let mut head = run::record_run(titled, parts, &mut |_| ControlFlow::Continue(())).unwrap().head;
    let summary: Summary = serde_json::from_value(head["summary"].take()).unwrap();
    assert_eq!(summary.flows.len(), 2);
    for flow in head["flows"].as_array_mut().unwrap() {
        let report: Report = serde_json::from_value(flow["report"].take()).unwrap();
        assert!(!report.findings.is_empty());
    }
}

#[test]
fn statistics_have_the_declared_keys() {
    let metric = metric::find_metric("goodput_bps").unwrap();
    let mut cases = vec![Case::new(); 2];
    for (number, case) in cases.iter_mut().enumerate() {
        let series = case.entry("one".to_owned()).or_default();
        (0..5_u32).for_each(|at| series.insert(at.into(), Some(f64::from(at) + number as f64)));
    }
    let entries: Vec<Value> = compute_entries(&cases, metric, Level::default()).map(|entry| entry.to_json()).collect();
    let entries: Vec<Entry> = entries.into_iter().map(|entry| serde_json::from_value(entry).unwrap()).collect();
    assert_eq!(entries.iter().filter(|entry| entry.against_first.is_some()).count(), 1);
}
