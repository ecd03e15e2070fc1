//! Pictures of several runs, one below the other, with the same axes.

use crate::describe::Description;
use crate::history::FlowHistory;
use crate::ink::Picture;
use crate::layout;
use crate::options::PictureOptions;
use crate::record::FlowRecording;

/// A run to compare, with its recording, the description of its network, and options that name flow and heading.
pub struct PictureRun<'a> {
    /// The recorded run.
    pub recording: &'a FlowRecording,
    /// Names of its nodes, links and flows.
    pub description: &'a Description,
    /// The flow to draw, the heading, and the size of the run's part of the picture.
    pub options: PictureOptions,
}

/// Draws one flow of each run, one run below the other. All runs have the same time axis, from the earliest start to
/// the latest end unless options limit it. Panels of one kind have the same vertical axis. Returns `None` without runs.
pub fn draw_run_comparison(runs: &[PictureRun<'_>]) -> Option<Picture> {
    let nothing = FlowHistory::default();
    let subjects: Vec<_> =
        runs.iter().map(|run| run.recording.subject(&nothing, run.description, &run.options)).collect();
    let ends = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
    let times = subjects.iter().map(|subject| subject.times()).reduce(ends)?;
    let axes = layout::find_shared_axes(&subjects, times);
    let mut pictures = subjects.iter().map(|subject| layout::draw_flow_with_axes(*subject, times, Some(&axes)));
    let mut picture = pictures.next()?;
    pictures.for_each(|below| picture.append(below));
    Some(picture)
}
