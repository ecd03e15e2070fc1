//! The course of a sweep's runs: the first replication of some cases, side by side.

use std::ops::ControlFlow;

use engine::Time;
use figure::RunParts;
use lab::run::{self, RunError};
use lab::sweep::again;
use lab::sweep::analysis::{Analysis, CellRuns};
use lab::sweep::plan::SweepCell;
use observe::run::Titled;
use plot::{Description, FlowRecording, Panel, PictureOptions, PictureRun, Recorder};
use scenario::flows;
use sim::{FlowId, Network};

use super::budgets::label_cell;
use crate::course::Course;
use crate::page::PageBlock;

/// Maximum number of runs: more are too narrow to read side by side.
const MAX_RUNS: usize = 3;
/// Height in pixels of each run's part of the picture.
const HEIGHT: u32 = 420;
/// The panels of the picture.
const PANELS: [Panel; 2] = [Panel::Sequence, Panel::Window];

/// Runs the first stored replication of some cells again: of the cases at the first point, or without cases of the first
/// and the last point. `None` if the sweep cannot be run again, has no flow over TCP, or has runs with too many events.
/// `watch` receives the numbers of finished and of all runs.
///
/// # Errors
///
/// If `watch` cancels.
pub fn record_course(
    analysis: &Analysis,
    watch: &dyn Fn(u64, u64) -> ControlFlow<()>,
) -> Result<Option<Course>, RunError> {
    let Ok(cells) = again::rebuild_cells(analysis) else { return Ok(None) };
    let with_runs: Vec<(&CellRuns, &SweepCell)> =
        analysis.cells.iter().zip(&cells).filter(|(kept, _)| !kept.runs.is_empty()).collect();
    let shown = select_course_cells(&with_runs);
    let mut recorded = Vec::new();
    for (number, (kept, cell)) in shown.iter().enumerate() {
        let replication = kept.runs.first().map_or(0, |(replication, _)| *replication);
        let network = Network { replication, ..cell.network.clone() };
        let mut go_on = |_: f64| watch(number as u64, shown.len() as u64);
        let Some(run) = record_course_run(analysis, kept, cell, network, &mut go_on)? else { return Ok(None) };
        recorded.push(run);
    }
    let parts: Vec<PictureRun<'_>> = recorded.iter().map(RecordedCourse::part).collect();
    let (Some(picture), Some(first)) = (plot::draw_run_comparison(&parts), recorded.first()) else { return Ok(None) };
    let caption = format!(
        "Flow {} in one run of each case (replication {}, seed {}): no mean. The runs of the same replication have the same \
         random streams.",
        first.description.flows[first.flow].name, first.network.replication, first.network.seed
    );
    let svg = picture.svg();
    Ok(Some(Course { svg, caption, runs: recorded.into_iter().map(|run| (run.name, run.figure)).collect() }))
}

/// Returns the blocks of a section about a course.
pub(super) fn render_course_blocks(course: &Course) -> Vec<PageBlock> {
    vec![PageBlock::Words("# How single runs went".into()), PageBlock::Course(course.clone())]
}

fn select_course_cells<'a>(cells: &[(&'a CellRuns, &'a SweepCell)]) -> Vec<(&'a CellRuns, &'a SweepCell)> {
    let Some((first, _)) = cells.first() else { return Vec::new() };
    let of_first = cells.iter().filter(|(kept, _)| kept.cell.point == first.cell.point);
    let cases: Vec<_> = of_first.take(MAX_RUNS).copied().collect();
    match cells.last() {
        Some(last) if cases.len() == 1 && cells.len() > 1 => vec![cells[0], *last],
        _ => cases,
    }
}

/// A recorded run.
struct RecordedCourse {
    name: String,
    flow: FlowId,
    network: Network,
    description: Description,
    recording: FlowRecording,
    figure: figure::Figure,
}

impl RecordedCourse {
    fn part(&self) -> PictureRun<'_> {
        let options = PictureOptions {
            flow: self.flow,
            title: Some(self.name.clone()),
            height: HEIGHT,
            panels: PANELS.to_vec(),
            ..PictureOptions::default()
        };
        PictureRun { recording: &self.recording, description: &self.description, options }
    }
}

fn record_course_run(
    analysis: &Analysis,
    kept: &CellRuns,
    cell: &SweepCell,
    network: Network,
    watch: run::Watch<'_>,
) -> Result<Option<RecordedCourse>, RunError> {
    let Some(flow) = flows::over_tcp(&network).first().copied().map(FlowId::from_index) else { return Ok(None) };
    let description = Description::of(&network);
    let mut recorder =
        Recorder::new([flow], None::<Time>, None).with_panels(&PANELS, &description).with_schemes(&description);
    run::run_into_sink(&network, &mut recorder, Recorder::has_overflowed, watch)?;
    if recorder.has_overflowed() {
        return Ok(None);
    }
    let titled = Titled { title: super::sweep_title(analysis), scenario: &cell.scenario, network: &network };
    let figure = figure::record_run(titled, RunParts { delays: false, reports: true }, watch)?;
    let (name, recording) =
        (label_cell(&kept.cell).unwrap_or_else(|| description.flows[flow].name.clone()), recorder.finish());
    Ok(Some(RecordedCourse { name, flow, network, description, recording, figure }))
}
