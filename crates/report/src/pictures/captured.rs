//! The picture of a connection of a capture.

use engine::Time;
use lab::captures::ExplainedConnection;
use plot::{Description, FlowRecording, MarkedInterval, Panel, PictureOptions};

use super::compute_captured_shares;
use super::error::PictureError;
use super::view::{Drawn, PictureView};

/// Maximum number of finding marks in a picture: they have distinct labels.
const MAX_MARKS: usize = 12;

/// Default panels: a capture shows neither cwnd nor queues.
const PANELS: [Panel; 3] = [Panel::Sequence, Panel::Rtt, Panel::Goodput];

/// Draws a connection of a capture. With `findings`, the costliest are marked.
///
/// # Errors
/// The view is outside of the connection.
pub fn draw_captured_connection(
    explained: &ExplainedConnection,
    recording: &FlowRecording,
    view: &PictureView,
    findings: bool,
) -> Result<Drawn, PictureError> {
    let ExplainedConnection { survey, report, .. } = explained;
    view.check_times(survey.stream.start.since(Time::ZERO) + report.took)?;
    let marks = if findings { report.lost_time().marks(MAX_MARKS) } else { Vec::new() };
    let options = PictureOptions {
        title: Some(explained.name()),
        ran: vec![format!("captured at {}", explained.survey.describe_place())],
        spans: marks.into_iter().map(|(from, to, label)| MarkedInterval { from, to, label }).collect(),
        budget: if findings { compute_captured_shares(report) } else { Vec::new() },
        ..view.options(&view.panels(&PANELS))
    };
    let name = format!("stream-{}{}", survey.number, if findings { "-explained".to_owned() } else { view.part() });
    Ok(Drawn { name, picture: recording.draw(&Description::of_capture(&survey.connection()), &options) })
}
