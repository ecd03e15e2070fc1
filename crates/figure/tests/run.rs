//! The figure of a run against its summary.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::rc::Rc;

use figure::{Figure, RunParts};
use observe::run::Titled;
use path::LinkEvent;
use scenario::{MemoryFiles, Overrides, Source};
use sim::Event;
use testkit::{constructed_cases, record_events};

/// The figure of an example.
fn figure(name: &str) -> Figure {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let text = std::fs::read(&path).unwrap();
    let files: Rc<MemoryFiles> = Rc::default();
    let source = Source::of_text(files, "example".into(), PathBuf::from(name), &text, &Overrides::default()).unwrap();
    let loaded = source.resolve(&source.document).unwrap();
    let titled = Titled { title: loaded.title(), scenario: &loaded.scenario, network: &loaded.network };
    figure::record_run(titled, RunParts { delays: true, reports: true }, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// The rows of a column that the head of the first flow names.
fn rows<'a>(figure: &'a Figure, series: &str) -> Vec<&'a [f64]> {
    let column = &figure.head["flows"][0][series];
    let number = |key: &str| column[key].as_u64().unwrap() as usize;
    figure.columns[number("column")].chunks(number("width")).collect()
}

#[test]
fn series_agree_with_the_summary() {
    let figure = figure("timeout.toml");
    let flow = &figure.head["summary"]["flows"][0];
    let sent = rows(&figure, "sent");
    assert_eq!(Some(sent.len() as u64), flow["segments_sent"].as_u64(), "{flow}");
    let resent = sent.iter().filter(|row| row[3] == 1.0).count() as u64;
    assert_eq!(Some(resent), flow["segments_retransmitted"].as_u64(), "{flow}");
    let last = rows(&figure, "acks").last().unwrap()[1];
    assert_eq!(Some(last), flow["bytes_delivered"].as_f64(), "{flow}");
    // Bits of all bins are the acknowledged bytes.
    let bits: f64 = rows(&figure, "goodput").iter().map(|row| (row[1] - row[0]) * row[2]).sum();
    assert!((bits / 8.0 - last).abs() < 1.0, "{bits} bits, {last} bytes");
}

#[test]
fn marks_have_a_reason_and_as_many_points_as_events() {
    let figure = figure("timeout.toml");
    let flow = &figure.head["flows"][0];
    let timeouts = figure.head["summary"]["flows"][0]["timeouts"].as_u64().unwrap();
    assert!(timeouts > 0);
    let marks = flow["marks"].as_array().unwrap();
    let of_kind = |kind: &str| marks.iter().find(|marks| marks["kind"] == kind).unwrap();
    let points = &of_kind("timeout")["points"];
    let column = &figure.columns[points["column"].as_u64().unwrap() as usize];
    assert_eq!(column.len() as u64, 2 * timeouts);
    assert!(of_kind("timeout")["rule"].as_str().unwrap().contains("RFC 6298"));
    assert!(marks.iter().all(|marks| !marks["why"].as_str().unwrap().is_empty()));
    assert_eq!(flow["report"]["timeouts"].as_u64(), Some(timeouts));
}

#[test]
fn number_of_packets_in_the_queue_ends_at_zero() {
    let figure = figure("goel-refined.toml");
    let queue = rows(&figure, "queue");
    assert_eq!(queue.last().unwrap()[1], 0.0);
    assert!(queue.iter().all(|row| row[1] >= 0.0) && queue.iter().any(|row| row[1] > 1.0));
    assert_eq!(figure.head["flows"][0]["queue_name"], "air: station to mobile");
    // The report's bad air is that of the scenario's channel.
    assert!(rows(&figure, "bad").len() > 20);
}

/// Until the first drop both disciplines hold the same packets. A packet that is dropped at the head later was among
/// them.
#[test]
fn queues_that_drop_at_the_head_or_the_tail_are_equal_before_the_first_drop() {
    let cases = constructed_cases();
    let case = |name: &str| cases.iter().find(|case| case.name == name).unwrap();
    let is_drop = |event: &Event| matches!(event, Event::Link { event: LinkEvent::QueueFull { .. }, .. });
    let (_, events) = record_events(case("queue-head-drop").network());
    let first = events.iter().find(|(_, event)| is_drop(event)).unwrap().0.as_secs_f64();
    let before = |name: &str| {
        let case = case(name);
        let titled = Titled { title: name, scenario: &case.loaded.scenario, network: case.network() };
        let figure = figure::record_run(titled, RunParts::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        rows(&figure, "queue").into_iter().filter(|row| row[0] < first).map(<[f64]>::to_vec).collect::<Vec<_>>()
    };
    let head_drop = before("queue-head-drop");
    assert!(head_drop.iter().any(|row| row[1] >= 20.0), "{head_drop:?}");
    assert_eq!(head_drop, before("queue-drop-tail"));
}
