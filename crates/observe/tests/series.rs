//! The trace `series`.

use std::rc::Rc;

use engine::Span;
use observe::output::Outputs;
use scenario::traces::TRACES;
use testkit::{read_scenario, run_with_sink, wire_text};

use crate::common::MemoryTraces;

/// Returns the end and the bytes of each interval of a transfer over 8 Mbps and 50 ms.
fn intervals(flow: &str, every: Span) -> Vec<(f64, u64)> {
    let text = wire_text("8 Mbps", "50 ms", flow);
    let network = testkit::build_network(&text);
    let trace = TRACES.iter().find(|trace| trace.name == "series").unwrap();
    let files = Rc::new(MemoryTraces::default());
    let output = scenario::model::Output { series_interval: Some(every), ..read_scenario(&text).output };
    let mut outputs = Outputs::open(&[trace], &network, files.clone(), &output, Default::default());
    let results = run_with_sink(&network, &mut outputs);
    outputs.finish(results.ended).unwrap();
    let text = String::from_utf8(files.0.borrow()["series.csv"].clone()).unwrap();
    let line = |line: &str| {
        let values: Vec<&str> = line.split(',').collect();
        (values[1].parse().unwrap(), values[3].parse().unwrap())
    };
    text.lines().skip(1).map(line).collect()
}

#[test]
fn bytes_of_a_closed_transfer_are_its_data_without_the_fin() {
    let bytes: u64 =
        intervals("bytes = \"100 kB\"\ntcp.close = true", Span::from_secs(1)).iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(bytes, 100_000);
}

/// One segment of 1040 bytes is acknowledged after 101.08 ms.
#[test]
fn acknowledgment_at_the_end_of_an_interval_belongs_to_it() {
    let found = intervals("bytes = \"1000 B\"", Span::from_nanos(50_540_000));
    assert_eq!(found, [(0.05054, 0), (0.10108, 1000)]);
}
