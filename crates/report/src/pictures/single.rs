//! Pictures of one run.

use std::path::Path;

use engine::{Span, Time};
use lab::load::Loaded;
use lab::run::{self, RunError, Watch};
use plot::{
    AirRecorder, AirRecording, DEFAULT_SIZE, Description, FlowRecording, MediumDescription, Panel, PictureOptions,
    Recorder,
};
use scenario::flows;
use scenario::problem::Problem;
use scenario::ran::label_run;
use sim::{FlowId, MediumId, Network};

use super::error::PictureError;
use super::view::{Drawn, PictureView};

/// The pictures of one run: one for each chosen medium and flow, or a single one of all flows.
pub struct Single<'a> {
    loaded: &'a Loaded,
    view: &'a PictureView,
    flows: Vec<usize>,
    media: Vec<usize>,
    panels: Vec<Panel>,
    description: Description,
    described: Vec<MediumDescription>,
}

impl<'a> Single<'a> {
    /// Selects the flows, media and panels of a scenario to draw.
    ///
    /// # Errors
    /// A flow or medium of the view is not in the scenario, there are too many flows, or the view is outside of the
    /// run.
    pub fn new(loaded: &'a Loaded, view: &'a PictureView) -> Result<Self, PictureError> {
        let network = &loaded.network;
        let named = |name: &String| flows::tcp_flow(network, name).map_err(PictureError::Flow);
        let flows = match view.every_flow(network)? {
            Some(every) => every,
            None => view.flows.iter().map(named).collect::<Result<_, _>>()?,
        };
        let media = if view.together { Vec::new() } else { select_media(view, network)? };
        view.check_times(network.duration)?;
        Ok(Single {
            loaded,
            view,
            flows,
            media,
            panels: if view.together { vec![Panel::Goodput] } else { view.panels(&Panel::ALL) },
            description: Description::of(network),
            described: MediumDescription::of(network),
        })
    }

    /// Runs the scenario; with `kept`, a result directory, repeats the run of its result.
    ///
    /// # Errors
    /// The run fails or is cancelled, has too many events, or ends before the view starts.
    pub fn record(self, kept: Option<&Path>, watch: Watch<'_>) -> Result<RecordedRun<'a>, PictureError> {
        let (from, to) = self.view.times();
        let media = self.media.iter().map(|medium| (MediumId::from_index(*medium), &self.described[*medium]));
        let air = AirRecorder::new(media, from, to);
        let recorder = Recorder::new(self.flows.iter().map(|flow| FlowId::from_index(*flow)), from, to)
            .with_panels(&self.panels, &self.description)
            .with_schemes(&self.description);
        let mut recorder = (recorder, air);
        let results = match kept {
            Some(dir) => run::replay_result(self.loaded, dir, &mut recorder, has_overflowed, watch)?,
            None => {
                let enough = |both: &_| has_overflowed(both) || is_complete(both);
                run::run_into_sink(&self.loaded.network, &mut recorder, enough, watch).map_err(RunError::from)?
            }
        };
        let ended = results.ended.since(Time::ZERO);
        if has_overflowed(&recorder) {
            return Err(too_many_events(self.flows.len(), self.media.len(), ended));
        }
        self.view.check_times(ended)?;
        let (recording, air) = (recorder.0.finish(), recorder.1.finish());
        Ok(RecordedRun { of: self, recording, air })
    }
}

/// A recorded run, to be drawn.
pub struct RecordedRun<'a> {
    of: Single<'a>,
    recording: FlowRecording,
    air: AirRecording,
}

impl RecordedRun<'_> {
    /// Returns the number of pictures.
    pub fn count(&self) -> usize {
        if self.of.view.together { 1 } else { self.of.media.len() + self.of.flows.len() }
    }

    /// Draws the pictures, one at a time: the media, then the flows.
    pub fn pictures(&self) -> impl Iterator<Item = Drawn> {
        let Single { flows, media, view, panels, loaded, .. } = &self.of;
        let common = PictureOptions { ran: label_run(loaded), ..view.options(panels) };
        (0..self.count()).map(move |number| match (media.get(number), view.together) {
            (_, true) => self.together(&common),
            (Some(medium), _) => self.medium(*medium, &common),
            (None, _) => self.flow(flows[number - media.len()], &common),
        })
    }

    // The names of files rely on names of flows and media without dots.

    fn medium(&self, medium: usize, common: &PictureOptions) -> Drawn {
        let Single { view, loaded, described, .. } = &self.of;
        let description = &described[medium];
        let name = &description.name;
        let title = Some(format!("{}: medium {name}", loaded.title()));
        let options = PictureOptions { title, height: view.height(DEFAULT_SIZE.1), ..common.clone() };
        let picture = self.air.draw(MediumId::from_index(medium), description, &options);
        Drawn { name: format!("{name}.air{}", view.part()), picture }
    }

    fn together(&self, common: &PictureOptions) -> Drawn {
        let Single { view, loaded, description, .. } = &self.of;
        let title = Some(loaded.title().to_owned());
        let options = PictureOptions { title, height: view.height(DEFAULT_SIZE.1), ..common.clone() };
        Drawn { name: format!("all.flows{}", view.part()), picture: self.recording.draw_all(description, &options) }
    }

    fn flow(&self, flow: usize, common: &PictureOptions) -> Drawn {
        let Single { view, loaded, description, .. } = &self.of;
        let (name, title) = (&loaded.network.flows[flow].name, figure::compose_flow_title(loaded, flow));
        let options = PictureOptions { flow: FlowId::from_index(flow), title: Some(title), ..common.clone() };
        Drawn { name: format!("{name}{}", view.part()), picture: self.recording.draw(description, &options) }
    }
}

/// Returns the numbers of the media to draw.
fn select_media(view: &PictureView, network: &Network) -> Result<Vec<usize>, PictureError> {
    let names = || network.media.iter().map(|medium| medium.name.as_str());
    let all = || (0..network.media.len()).collect();
    let Some(name) = &view.medium else {
        return Ok(if view.flows.is_empty() { all() } else { Vec::new() });
    };
    match names().position(|known| known == name) {
        Some(medium) => Ok(vec![medium]),
        // The scenario has no medium with this name.
        None if name == "all" => Ok(all()),
        None => {
            let problem = Problem::new("a medium of the scenario").found(format!("\"{name}\""));
            Err(PictureError::Medium(if network.media.is_empty() {
                problem.hint("it has none")
            } else {
                problem.nearest(name, names())
            }))
        }
    }
}

/// True if one of the recorders is full.
fn has_overflowed((flows, air): &(Recorder, AirRecorder)) -> bool {
    flows.has_overflowed() || air.has_overflowed()
}

/// True if no later event can change a picture.
fn is_complete((flows, air): &(Recorder, AirRecorder)) -> bool {
    flows.is_complete() && air.is_complete()
}

/// The error of recorders that were full at `until`.
pub(super) fn too_many_events(flows: usize, media: usize, until: Span) -> PictureError {
    let max = if media > 0 { AirRecorder::MAX_ENTRIES } else { Recorder::MAX_ENTRIES };
    PictureError::TooManyEvents { until, max, flows, media }
}
