//! Pictures of runs.

use engine::{Span, Time};
use lab::run::record;
use path::MediumId;
use plot::{AirRecorder, Description, MediumDescription, Options, Panel, Picture, Recorder, Theme, Unit};
use pyo3::prelude::*;
use scenario::flows;
use scenario::problem::Problem;
use scenario::ran::what_ran;

use crate::error::Failure;
use crate::schemes::catch;
use crate::spec::Spec;
use crate::watch::Watch;

/// How a picture looks, by the attributes of `lasthop.Look`.
#[derive(FromPyObject)]
pub struct Look {
    /// The flows; all if empty.
    flows: Vec<String>,
    /// Times with a unit.
    start: Option<String>,
    end: Option<String>,
    panels: Vec<String>,
    segments: bool,
    blocked: bool,
    dark: bool,
    size: Option<(u32, u32)>,
}

/// A picture's name, SVG and PNG.
type Drawn = (String, String, Vec<u8>);

fn wrong(key: &str, found: impl ToString, expected: &str) -> Failure {
    Problem::new(expected).in_file(key).found(found.to_string()).into()
}

impl Look {
    fn panels(&self) -> Result<Vec<Panel>, Failure> {
        let panel = |name: &String| {
            let found = Panel::ALL.iter().copied().find(|panel| panel.name() == name);
            found.ok_or_else(|| wrong("panels", format!("\"{name}\""), "sequence, window, rtt, queue or goodput"))
        };
        if self.panels.is_empty() { Ok(Panel::ALL.to_vec()) } else { self.panels.iter().map(panel).collect() }
    }

    fn time(key: &str, text: Option<&String>) -> Result<Option<Time>, Failure> {
        let time = |text: &String| {
            let span: Result<Span, _> = text.parse();
            span.map(|span| Time::ZERO + span).map_err(|_| wrong(key, text, "a time such as \"1.2 s\""))
        };
        text.map(time).transpose()
    }

    fn size(&self, panels: &[Panel]) -> Result<(u32, u32), Failure> {
        let Some((width, height)) = self.size else { return Ok((plot::DEFAULT_SIZE.0, plot::default_height(panels))) };
        let (least, most) = (plot::MIN_SIZE, plot::MAX_SIDE);
        if !(least.0..=most).contains(&width) || !(least.1..=most).contains(&height) {
            let expected = format!("width {} to {most}, height {} to {most}", least.0, least.1);
            return Err(wrong("size", format!("{width}x{height}"), &expected));
        }
        Ok((width, height))
    }
}

fn drawn(name: &str, picture: &Picture) -> Result<Drawn, Failure> {
    let png = picture.png(plot::PNG_SCALE).map_err(|error| Failure::Text(format!("{name}: {error}")))?;
    Ok((name.to_owned(), picture.svg(), png))
}

/// Draws flows of a run: name, SVG and PNG of one picture each, after those of the media unless flows are named; or one of
/// all flows if `together`.
#[pyfunction]
pub fn pictures(
    py: Python<'_>,
    spec: Spec,
    look: Look,
    together: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Drawn>> {
    py.detach(|| catch(|| draw(&spec, &look, progress, together))).map_err(|failure| failure.into_exception(py))
}

fn draw(spec: &Spec, look: &Look, progress: Option<Py<PyAny>>, all: bool) -> Result<Vec<Drawn>, Failure> {
    let loaded = spec.load()?;
    let network = &loaded.network;
    let named = |name: &String| flows::tcp_flow(network, name).map_err(|problem| problem.in_file("flows"));
    let chosen: Vec<usize> = match look.flows.is_empty() {
        true => flows::over_tcp(network),
        false => look.flows.iter().map(named).collect::<Result<_, _>>()?,
    };
    let panels = if all { vec![Panel::Goodput] } else { look.panels()? };
    let (from, to) = (Look::time("start", look.start.as_ref())?, Look::time("end", look.end.as_ref())?);
    let (width, height) = look.size(&panels)?;
    let description = Description::of(network);
    let numbers = chosen.iter().map(|flow| *flow as u32);
    let recorder = Recorder::new(numbers, from, to).with_panels(&panels, &description).with_schemes(&description);
    let media = if all || !look.flows.is_empty() { Vec::new() } else { MediumDescription::of(network) };
    let numbered = || media.iter().enumerate().map(|(number, medium)| (MediumId(number as u32), medium));
    let mut recorder = (recorder, AirRecorder::new(numbered(), from, to));
    let mut watch = Watch::new(progress);
    let results = record(network, &mut recorder, enough, &mut |share| watch.report(|| (share,)));
    let ended = results.map_err(|error| watch.failure(error))?.ended;
    if recorder.0.overflowed() || recorder.1.overflowed() {
        let text =
            format!("by {} s the run has too many events to draw: choose flows, or a part of it", ended.as_secs_f64());
        return Err(Failure::Text(text));
    }
    if from.is_some_and(|from| from >= to.unwrap_or(ended).min(ended)) {
        return Err(wrong(
            "start",
            look.start.as_deref().unwrap_or("0 s"),
            "a time before the end of the view and of the run",
        ));
    }
    let (recording, air) = (recorder.0.finish(), recorder.1.finish());
    let common = Options {
        from,
        to,
        width,
        height,
        panels,
        blocked: look.blocked,
        theme: if look.dark { Theme::Dark } else { Theme::Light },
        unit: if look.segments { Unit::Segments } else { Unit::Bytes },
        ran: what_ran(&loaded),
        ..Options::default()
    };
    let title = loaded.title();
    if all {
        let height = look.size.map_or(plot::DEFAULT_SIZE.1, |(_, height)| height);
        let options = Options { title: Some(title.to_owned()), height, ..common };
        return Ok(vec![drawn("all.flows", &recording.draw_all(&description, &options))?]);
    }
    let of_medium = |(number, medium): (MediumId, &MediumDescription)| {
        let (name, height) = (&medium.name, look.size.map_or(plot::DEFAULT_SIZE.1, |(_, height)| height));
        let options = Options { title: Some(format!("{title}: medium {name}")), height, ..common.clone() };
        drawn(&format!("{name}.air"), &air.draw(number, medium, &options))
    };
    let of_flow = |flow: &usize| {
        let name = &network.flows[*flow].name;
        let title = if network.flows.len() > 1 { format!("{title}: flow {name}") } else { title.to_owned() };
        let options = Options { flow: *flow as u32, title: Some(title), ..common.clone() };
        drawn(name, &recording.draw(&description, &options))
    };
    numbered().map(of_medium).chain(chosen.iter().map(of_flow)).collect()
}

/// Whether one of them can take no more, or no later event can change a picture.
fn enough((flows, air): &(Recorder, AirRecorder)) -> bool {
    flows.overflowed() || air.overflowed() || (flows.is_complete() && air.is_complete())
}
