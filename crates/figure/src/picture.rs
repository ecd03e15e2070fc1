//! The picture of one flow for a file, as `lasthop plot --flow` draws it.

use engine::{Span, Time};
use observe::run::{Interrupted, Watch, run_into_sink};
use plot::{DEFAULT_SIZE, Description, Panel, Picture, PictureOptions, Recorder, Theme, choose_default_height};
use scenario::load::Loaded;
use scenario::ran::label_run;
use sim::FlowId;

/// The reason why there is no picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PictureError {
    /// Cancelled by the progress callback.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// More events than a picture shows.
    #[error("by {until} the run has more than {max} events to draw: choose a part of it", max = Recorder::MAX_ENTRIES)]
    TooManyEvents {
        /// Simulated time at which the recorder was full.
        until: Span,
    },
}

/// The title of a flow's picture: the scenario's, with the flow's name if there are several.
pub fn compose_flow_title(loaded: &Loaded, flow: usize) -> String {
    let (title, flows) = (loaded.title(), &loaded.network.flows);
    if flows.len() > 1 { format!("{title}: flow {}", flows[flow].name) } else { title.to_owned() }
}

/// Runs the scenario and draws all panels of a flow over TCP, from and to these times or over the whole run.
///
/// # Errors
/// Cancelled, or too many events.
pub fn draw_flow_picture(
    loaded: &Loaded,
    flow: usize,
    (from, to): (Option<Time>, Option<Time>),
    theme: Theme,
    watch: Watch<'_>,
) -> Result<Picture, PictureError> {
    let network = &loaded.network;
    let description = Description::of(network);
    let recorder = Recorder::new([FlowId::from_index(flow)], from, to);
    let mut recorder = recorder.with_panels(&Panel::ALL, &description).with_schemes(&description);
    let enough = |recorder: &Recorder| recorder.has_overflowed() || recorder.is_complete();
    let results = run_into_sink(network, &mut recorder, enough, watch)?;
    if recorder.has_overflowed() {
        return Err(PictureError::TooManyEvents { until: results.ended.since(Time::ZERO) });
    }
    let options = PictureOptions {
        flow: FlowId::from_index(flow),
        title: Some(compose_flow_title(loaded, flow)),
        ran: label_run(loaded),
        from,
        to,
        width: DEFAULT_SIZE.0,
        height: choose_default_height(&Panel::ALL),
        panels: Panel::ALL.to_vec(),
        theme,
        ..PictureOptions::default()
    };
    Ok(recorder.finish().draw(&description, &options))
}
