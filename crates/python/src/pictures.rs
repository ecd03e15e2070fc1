//! Pictures of runs.

use std::path::Path;

use engine::Span;
use engine::quantity::format_moment;
use lab::load::Loaded;
use plot::{AxisUnit, Theme};
use pyo3::prelude::*;
use report::pictures::{
    ComparedPictures, Drawn, MAX_RUNS, PictureError, PictureView, Single, SingleRunChoice, combine_files_and_schemes,
};
use scenario::problem::Problem;

use crate::error::BindingFailure;
use crate::schemes::catch_exception;
use crate::spec::Spec;
use crate::watch::Watch;

/// Contents and style of a picture, as attributes of `lasthop._picture.Look`.
#[derive(FromPyObject)]
pub struct Look {
    flows: Vec<String>,
    medium: Option<String>,
    /// Times with a unit.
    start: Option<String>,
    end: Option<String>,
    panels: Vec<String>,
    segments: bool,
    blocked: bool,
    dark: bool,
    size: Option<(u32, u32)>,
    together: bool,
}

/// A picture's name, SVG and PNG.
type Written = (String, String, Vec<u8>);

fn refuse_argument(key: &str, found: impl ToString, expected: impl Into<String>) -> Problem {
    Problem::new(expected).in_file(key).found(found.to_string())
}

impl Look {
    fn view(&self) -> Result<PictureView, BindingFailure> {
        let panel = |name: &String| {
            name.parse().map_err(|expected: String| refuse_argument("panels", format!("\"{name}\""), expected))
        };
        let time = |key: &str, text: &Option<String>| {
            let span = |text: &String| text.parse().map_err(|_| refuse_argument(key, text, "a time such as \"1.2 s\""));
            text.as_ref().map(span).transpose()
        };
        let ((min_width, min_height), max) = (plot::MIN_SIZE, plot::MAX_SIDE);
        if let Some((width, height)) = self.size
            && !((min_width..=max).contains(&width) && (min_height..=max).contains(&height))
        {
            let expected = format!("width {min_width} to {max}, height {min_height} to {max}");
            return Err(refuse_argument("size", format!("{width}x{height}"), expected).into());
        }
        Ok(PictureView {
            flows: self.flows.clone(),
            max_flows: None,
            medium: self.medium.clone(),
            together: self.together,
            from: time("start", &self.start)?,
            to: time("end", &self.end)?,
            panels: self.panels.iter().map(panel).collect::<Result<_, _>>()?,
            unit: if self.segments { AxisUnit::Segments } else { AxisUnit::Bytes },
            blocked: self.blocked,
            theme: if self.dark { Theme::Dark } else { Theme::Light },
            size: self.size,
        })
    }
}

fn encode_picture(Drawn { name, picture }: Drawn) -> Result<Written, BindingFailure> {
    let png = picture.png(plot::PNG_SCALE).map_err(|error| BindingFailure::Text(format!("{name}: {error}")))?;
    Ok((name, picture.svg(), png))
}

/// Draws a run, or a run with each of several schemes, as `lasthop plot`: name, SVG and PNG of each picture.
#[pyfunction]
#[pyo3(signature = (spec: "Spec", look: "Look", schemes, progress: "Callable[[float], object] | None"))]
pub fn pictures(
    py: Python<'_>,
    spec: Spec,
    look: Look,
    schemes: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Written>> {
    let draw = || {
        let (view, mut watch) = (look.view()?, Watch::new(progress));
        match &schemes[..] {
            [] => draw_single_run(&spec.load()?, &view, &mut watch),
            [scheme] => draw_single_run(&spec.with_scheme(scheme).load()?, &view, &mut watch),
            several => draw_compared_schemes(&spec, several, &view, &mut watch),
        }
    };
    py.detach(|| catch_exception(draw)).map_err(|failure| failure.into_exception(py))
}

/// Draws the network of a scenario.
#[pyfunction]
#[pyo3(signature = (spec: "Spec", look: "Look"))]
pub fn topology(py: Python<'_>, spec: Spec, look: Look) -> PyResult<Written> {
    let draw = || encode_picture(report::pictures::draw_topology(&spec.load()?, &look.view()?));
    py.detach(|| catch_exception(draw)).map_err(|failure| failure.into_exception(py))
}

fn draw_single_run(loaded: &Loaded, view: &PictureView, watch: &mut Watch) -> Result<Vec<Written>, BindingFailure> {
    let recorded = Single::new(loaded, view)?.record(None, &mut |share| watch.report(|| (share,)));
    recorded.map_err(|error| watch.failure(error))?.pictures().map(encode_picture).collect()
}

fn draw_compared_schemes(
    spec: &Spec,
    schemes: &[String],
    view: &PictureView,
    watch: &mut Watch,
) -> Result<Vec<Written>, BindingFailure> {
    ComparedPictures::check(view, schemes.len())?;
    let runs = combine_files_and_schemes(&[Path::new(&spec.name())], schemes);
    let loaded = schemes.iter().map(|scheme| spec.with_scheme(scheme).load());
    let loaded = loaded.collect::<Result<Vec<Loaded>, BindingFailure>>()?;
    let compared = ComparedPictures::new(&runs, &loaded, view)?;
    let all = runs.len() as f64;
    let record = |number: usize| {
        let done = number as f64;
        let run = compared.record(number, None, &mut |share| watch.report(|| ((done + share) / all,)));
        run.map_err(|error| watch.failure(error))
    };
    let recorded = (0..runs.len()).map(record).collect::<Result<Vec<_>, BindingFailure>>()?;
    compared.pictures(&recorded)?.map(encode_picture).collect()
}

/// Converts the error to a problem that names the argument.
impl From<PictureError> for BindingFailure {
    fn from(error: PictureError) -> Self {
        let seconds = |span: Span| format_moment(span.as_secs_f64());
        let problem = match error {
            PictureError::Flow(problem) => problem.in_file("flows"),
            PictureError::Medium(problem) => problem.in_file("medium"),
            PictureError::ManyFlows(flows) => refuse_argument("flows", flows, "the name of one"),
            PictureError::NoCommonFlow => refuse_argument("flows", "none", "a flow over TCP"),
            PictureError::ManyRuns(found) => {
                refuse_argument("schemes", found, format!("at most {MAX_RUNS} runs in one picture"))
            }
            PictureError::OneRun(SingleRunChoice::Together, found) => {
                refuse_argument("together", true, format!("False for {found} runs"))
            }
            PictureError::OneRun(SingleRunChoice::Medium, found) => {
                refuse_argument("medium", "one", format!("None for {found} runs"))
            }
            PictureError::Backwards { from, to } => {
                refuse_argument("end", to, format!("a time after the start ({from})"))
            }
            PictureError::AfterEnd { from, end } => {
                refuse_argument("start", from, format!("a time before the end of the run ({})", seconds(end)))
            }
            PictureError::TooManyEvents { until, max, .. } => {
                let (until, max) = (seconds(until), max / 1_000_000);
                let text = format!("by {until} the run has more than {max} million events to draw");
                return BindingFailure::Text(format!(
                    "{text}\n  hint: choose flows, or a part of the run by start and end"
                ));
            }
            PictureError::Run(error) => return error.into(),
        };
        problem.into()
    }
}
