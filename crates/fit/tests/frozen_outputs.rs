//! Results from captures of runs at both ends, compared with committed digests: fits, explanations, and the values of
//! runs by the definitions of captures.

use std::fmt::Write as _;
use std::path::PathBuf;

use capture::transfer::Replay;
use fit::comparison::try_variants;
use fit::measured::{GivenSettings, fit_to_transfer};
use fit::path::Bottleneck;
use fit::transfer::MeasuredTransfer;
use observe::explain::{ExplainCapture, captured_report_to_json};
use testkit::{CaptureAtNode, FrozenOutputs, ObservedCase, constructed_cases, run_with_sink};

fn render_fit(file: &[u8]) -> String {
    let transfer = match MeasuredTransfer::read(|| Ok(file), None, None) {
        Ok(transfer) => transfer,
        Err(error) => return error.to_string(),
    };
    let bottleneck = Bottleneck::measure(&transfer);
    let mut text = format!("{bottleneck:#?}\n");
    // Runs of the fitted path have the same definitions as the measurement.
    let given = GivenSettings { variant: None, rate: None, sender: None, source: "capture".to_owned() };
    if let Ok((fitted, values)) = fit_to_transfer(&transfer, &bottleneck, &given) {
        let runs = try_variants(&fitted, &values, &["newreno", "linux"]).unwrap();
        for run in runs {
            let values = run.values;
            let counts = (values.retransmitted, values.timeouts);
            writeln!(text, "{} {:?} {:?} {counts:?}", run.fitted.variant, values.goodput, values.rtt).unwrap();
            writeln!(text, "{:?}", run.goodputs).unwrap();
        }
    }
    for sent in &transfer.transmissions {
        writeln!(text, "{} {} {} {} {:?}", sent.sent.as_nanos(), sent.seq, sent.len, sent.retransmission, sent.fate())
            .unwrap();
    }
    write!(text, "{:#?}", MeasuredTransfer { transmissions: Vec::new(), ..transfer }).unwrap();
    text
}

fn render_explanation(file: &[u8]) -> String {
    let Ok(MeasuredTransfer { survey, .. }) = MeasuredTransfer::read(|| Ok(file), None, None) else {
        return String::new();
    };
    let mut replay = Replay::new(&survey, ExplainCapture::new(&survey.connection()));
    for packet in capture::Capture::open(file).unwrap().map_while(Result::ok) {
        replay.on_packet(&packet);
    }
    let (explain, counts, end) = replay.finish();
    let mut text = format!("{counts:#?}\n");
    if let Some(report) = explain.finish(end) {
        let json = captured_report_to_json("flow", &report, usize::MAX);
        writeln!(text, "{json:#}").unwrap();
    }
    text
}

fn add_outputs(case: &ObservedCase, frozen: &mut FrozenOutputs) {
    let flow = case.network().flows.iter().find(|flow| flow.name == "flow").unwrap();
    let mut ends = (CaptureAtNode::new(flow.from), CaptureAtNode::new(flow.to));
    run_with_sink(case.network(), &mut ends);
    for (end, file) in [("sender", ends.0.finish()), ("receiver", ends.1.finish())] {
        frozen.add(&format!("{}/{end}/fit", case.name), &render_fit(&file));
        frozen.add(&format!("{}/{end}/explain", case.name), &render_explanation(&file));
    }
}

#[test]
fn outputs_of_captured_cases_equal_the_committed_digests() {
    let mut frozen = FrozenOutputs::default();
    constructed_cases().iter().for_each(|case| add_outputs(case, &mut frozen));
    frozen.assert_unchanged(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/captured.txt"));
}
