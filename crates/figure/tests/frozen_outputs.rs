//! Outputs of runs, compared with committed digests: series, marks, explanations, journeys of packets, and the lines of
//! the trace `series`.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::rc::Rc;

use engine::Span;
use figure::{Figure, RunParts};
use observe::output::{Outputs, TraceFiles};
use observe::run::Titled;
use scenario::traces::TRACES;
use testkit::{FrozenOutputs, ObservedCase, constructed_cases, run_with_sink, shortened_examples};

/// The contents of a trace file.
#[derive(Default)]
struct TraceText(RefCell<Vec<u8>>);

impl TraceFiles for TraceText {
    fn append(&self, _: &str, bytes: &[u8]) -> io::Result<()> {
        self.0.borrow_mut().extend(bytes);
        Ok(())
    }
}

/// Writes the head, and each row of each column.
fn render_figure(figure: &Figure) -> String {
    let mut text = serde_json::to_string_pretty(&figure.head).unwrap();
    for (number, column) in figure.columns.iter().enumerate() {
        write!(text, "\ncolumn {number}").unwrap();
        for value in column {
            write!(text, "\n{value:?}").unwrap();
        }
    }
    text
}

fn render_series(case: &ObservedCase) -> String {
    let trace = TRACES.iter().find(|trace| trace.name == "series").unwrap();
    let files = Rc::new(TraceText::default());
    let output = scenario::model::Output {
        series_interval: Some(Span::from_millis(500)),
        ..case.loaded.scenario.output.clone()
    };
    let mut outputs =
        Outputs::open(&[trace], case.network(), Rc::clone(&files) as Rc<dyn TraceFiles>, &output, Default::default());
    let results = run_with_sink(case.network(), &mut outputs);
    outputs.finish(results.ended).unwrap();
    String::from_utf8(files.0.take()).unwrap()
}

fn freeze_cases(cases: &[ObservedCase], file: &str) {
    let mut frozen = FrozenOutputs::default();
    for case in cases {
        let titled = Titled { title: &case.name, scenario: &case.loaded.scenario, network: case.network() };
        let run =
            figure::record_run(titled, RunParts { delays: true, reports: true }, &mut |_| ControlFlow::Continue(()))
                .unwrap();
        frozen.add(&format!("{}/run", case.name), &render_figure(&run));
        let way = figure::record_journeys(titled, [0.0, 3.0], 200_000, &mut |_| ControlFlow::Continue(())).unwrap();
        frozen.add(&format!("{}/journeys", case.name), &render_figure(&way));
        frozen.add(&format!("{}/series", case.name), &render_series(case));
    }
    frozen.assert_unchanged(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/frozen").join(file));
}

#[test]
fn outputs_of_constructed_cases_equal_the_committed_digests() {
    freeze_cases(&constructed_cases(), "constructed.txt");
}

#[test]
#[ignore = "takes 30 s: cargo xtask test --full"]
fn outputs_of_examples_equal_the_committed_digests() {
    freeze_cases(&shortened_examples(), "examples.txt");
}
