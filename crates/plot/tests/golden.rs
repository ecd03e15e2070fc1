//! Pictures compared with files in `tests/golden`. `UPDATE_GOLDEN=1` rewrites the files, which must be inspected before
//! a commit.

use crate::common;

use common::{Path, bad, cell, dropping, simple_icmp, span, stop_and_wait};
use engine::Time;
use plot::{AirRecorder, MarkedInterval, Panel, PictureOptions, Theme};
use sim::Sink;

fn golden(name: &str, path: &Path, options: &PictureOptions) {
    let (description, events) = path.run();
    same(name, &plot::draw_events(&events, &description, options).svg());
}

fn same(name: &str, found: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, found).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    if let Some((line, (kept, found))) = kept.lines().zip(found.lines()).enumerate().find(|(_, (a, b))| a != b) {
        panic!("{name} line {}: expected\n{kept}\nfound\n{found}\nUPDATE_GOLDEN=1 rewrites the file", line + 1);
    }
    assert_eq!(kept.len(), found.len(), "{name}: unexpected length; UPDATE_GOLDEN=1 rewrites the file");
}

/// [goel1997 figures 2.1 and 2.2]
#[test]
fn two_losses_in_a_window_of_four_end_in_a_timeout() {
    let path = Path { channel: dropping(&[12, 13]), ..Path::default() };
    golden(
        "timeout.svg",
        &path,
        &PictureOptions { title: Some("Two of four segments lost".into()), ..PictureOptions::default() },
    );
}

/// [goel1997 figures 2.3 and 2.4]
#[test]
fn one_loss_in_a_large_window_ends_in_a_fast_retransmit() {
    let path = Path { channel: dropping(&[40]), window: 32_768, bytes: 90 * 1024, ..Path::default() };
    let options = |panel| PictureOptions { panels: vec![panel], height: 420, ..PictureOptions::default() };
    golden("fast-retransmit-sequence.svg", &path, &options(Panel::Sequence));
    golden("fast-retransmit-window.svg", &path, &options(Panel::Window));
}

/// [goel1997 figure 5.3]
#[test]
fn bad_interval_with_simple_icmp_matches_its_picture() {
    let path = Path {
        channel: bad(&[["1.3 s", "1.5 s"]]),
        arq: stop_and_wait(3),
        agent: simple_icmp(),
        bytes: 40 * 1024,
        ..Path::default()
    };
    golden("burst.svg", &path, &PictureOptions::default());
}

/// Round trips with the timeout, the queue of the slow link, and goodput, around a timeout.
#[test]
fn panels_below_the_window_match_their_picture() {
    let path = Path { channel: dropping(&[12, 13]), window: 16_384, bytes: 90 * 1024, ..Path::default() };
    let options = PictureOptions { panels: Panel::ALL.to_vec(), height: 1010, ..PictureOptions::default() };
    golden("panels.svg", &path, &options);
    let (from, to) = (Some(Time::ZERO + span("1.2 s")), Some(Time::ZERO + span("2.6 s")));
    let panels = vec![Panel::Rtt, Panel::Queue, Panel::Goodput];
    golden("panels-part-dark.svg", &path, &PictureOptions { from, to, panels, theme: Theme::Dark, ..options });
}

/// Marked intervals overlap, share a label, exceed the view, or lie outside of it. The picture also has a description
/// of the run.
#[test]
fn marked_intervals_are_numbered_and_explained() {
    let path = Path { channel: dropping(&[12, 13]), ..Path::default() };
    let mark = |from: &str, to: &str, label: &str| MarkedInterval {
        from: Time::ZERO + span(from),
        to: Time::ZERO + span(to),
        label: label.into(),
    };
    let spans = vec![
        mark("0 s", "0.3 s", "not in this picture"),
        mark("0.9 s", "1.0 s", "slow start"),
        mark("1.15 s", "2.35 s", "a timeout, because three duplicates never came"),
        mark("2.3 s", "2.31 s", "one segment in flight"),
        mark("2.6 s", "2.7 s", "slow start"),
        mark("3 s", "90 s", "slow start"),
    ];
    for theme in [Theme::Light, Theme::Dark] {
        let options = PictureOptions {
            from: Some(Time::ZERO + span("0.8 s")),
            to: Some(Time::ZERO + span("3.2 s")),
            panels: vec![Panel::Sequence],
            height: 420,
            theme,
            ran: vec!["unmodified".into(), "seed 1".into(), "profile exact".into()],
            spans: spans.clone(),
            ..PictureOptions::default()
        };
        golden(if theme == Theme::Light { "marked.svg" } else { "marked-dark.svg" }, &path, &options);
    }
}

/// The timeline of a cell with frames, a collision and back-offs.
#[test]
fn collision_in_a_cell_matches_its_picture() {
    let (description, events) = cell(3, "1 s");
    let time = |text: &str| Some(Time::ZERO + span(text));
    let options = PictureOptions { from: time("7 ms"), to: time("15 ms"), height: 480, ..PictureOptions::default() };
    let mut recorder = AirRecorder::new([(sim::MediumId::new(0), &description)], options.from, options.to);
    events.iter().for_each(|(at, event)| recorder.event(*at, event));
    same("collision.svg", &recorder.finish().draw(sim::MediumId::new(0), &description, &options).svg());
}

/// Nodes with a scheme, directions that differ, a map with motion and ranges.
#[test]
fn topology_with_a_walk_matches_its_picture() {
    for theme in [Theme::Light, Theme::Dark] {
        let options = PictureOptions { title: Some("A walk".into()), width: 760, theme, ..PictureOptions::default() };
        let name = if theme == Theme::Light { "topology.svg" } else { "topology-dark.svg" };
        same(name, &plot::draw_network(&common::walk(), &options).svg());
    }
}
