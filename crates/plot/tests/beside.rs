//! Several runs in one picture.

use crate::common;

use common::{Path, dropping, snoop};
use plot::{Description, FlowRecording, Panel, PictureOptions, PictureRun, Recorder};
use sim::{FlowId, Sink};

fn recorded(path: &Path) -> (Description, FlowRecording) {
    let (description, events) = path.run();
    let mut recorder = Recorder::new([FlowId::new(0)], None, None).with_panels(&Panel::ALL, &description);
    events.iter().for_each(|(at, event)| recorder.event(*at, event));
    (description, recorder.finish())
}

fn both(options: &PictureOptions) -> plot::Picture {
    let path = Path { channel: dropping(&[20, 21, 40]), window: 8192, bytes: 60 * 1024, ..Path::default() };
    let [unmodified, snoop] = [recorded(&path), recorded(&Path { agent: snoop(), ..path })];
    let part = |of: &'static str, (description, recording)| PictureRun {
        recording,
        description,
        options: PictureOptions { title: Some(of.into()), ..options.clone() },
    };
    let parts = [part("unmodified", (&unmodified.0, &unmodified.1)), part("Snoop", (&snoop.0, &snoop.1))];
    plot::draw_run_comparison(&parts).unwrap()
}

/// The labels of the axes, in the order in which they are drawn.
fn labels(svg: &str) -> Vec<&str> {
    let texts = svg.lines().filter(|line| line.starts_with("<text") && line.contains("font-size=\"11\""));
    texts.filter_map(|line| line.split_once('>')?.1.split_once('<')).map(|(label, _)| label).collect()
}

#[test]
fn two_runs_have_equal_axes_one_below_the_other() {
    let options = PictureOptions { panels: Panel::ALL.to_vec(), height: 900, ..PictureOptions::default() };
    let picture = both(&options);
    assert_eq!(picture.size(), (1000, 1800));
    let svg = picture.svg();
    let labels = labels(&svg);
    assert!(labels.len() > 30 && labels.len().is_multiple_of(2), "{}", labels.len());
    assert_eq!(labels[..labels.len() / 2], labels[labels.len() / 2..]);
    assert!(svg.contains(">unmodified<") && svg.contains(">Snoop<") && svg.contains("unmodified; Snoop"));
}

#[test]
fn no_runs_give_no_picture() {
    assert!(plot::draw_run_comparison(&[]).is_none());
}

#[test]
fn comparison_of_one_run_equals_its_own_picture() {
    let path = Path { channel: dropping(&[12, 13]), ..Path::default() };
    let (description, recording) = recorded(&path);
    let options = PictureOptions { panels: Panel::ALL.to_vec(), ..PictureOptions::default() };
    let alone = recording.draw(&description, &options).svg();
    let beside = plot::draw_run_comparison(&[PictureRun { recording: &recording, description: &description, options }])
        .unwrap()
        .svg();
    assert!(alone == beside);
}
