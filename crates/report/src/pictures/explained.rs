//! The picture of an explanation.

use lab::load::Loaded;
use observe::explain::FlowReport;
use plot::{Description, FlowRecording, MarkedInterval, PictureOptions};
use scenario::ran::label_run;
use sim::FlowId;

use super::compute_cause_shares;
use super::view::Drawn;

/// Maximum number of finding marks in a picture: they have distinct labels.
const MAX_MARKS: usize = 12;

/// Draws a flow with its costliest findings marked, and its time budget.
pub fn draw_explained_flow(loaded: &Loaded, recording: &FlowRecording, flow: usize, report: &FlowReport) -> Drawn {
    let name = &loaded.network.flows[flow].name;
    let spans = report.marks(MAX_MARKS).into_iter().map(|(from, to, label)| MarkedInterval { from, to, label });
    let options = PictureOptions {
        flow: FlowId::from_index(flow),
        title: Some(format!("Delays of {name}")),
        ran: label_run(loaded),
        spans: spans.collect(),
        budget: compute_cause_shares(&report.causes(), report.took),
        ..PictureOptions::default()
    };
    let picture = recording.draw(&Description::of(&loaded.network), &options);
    Drawn { name: format!("{name}-explained"), picture }
}
