//! `lasthop plot`.

mod captured;
mod compared;
pub(super) mod failure;
mod target;
mod topology;

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use engine::Span;
use lab::load::Loaded;
use plot::{AxisUnit, MAX_SIDE, Panel, Theme};
use report::pictures::{Drawn, MAX_FLOWS, PictureView, Single};

use super::captured::CaptureArgs;
use super::places::{in_results, name_run};
use super::{ScenarioArgs, write_whole};
use crate::CommandFailure;
use crate::command_groups::Example;
use crate::progress::ProgressReport;
use failure::convert_picture_error;
use target::PictureTarget;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop plot results/snoop-seed1 --from \"2 s\" --to \"4 s\"", "Draw two seconds of a run"),
    ("lasthop plot examples/timeout.toml --scheme unmodified,refined-icmp", "Draw two schemes on one time axis"),
    ("lasthop plot examples/handover.toml --topology -o handover.svg", "Draw the network"),
];

/// Arguments of `lasthop plot`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    pub(super) scenario: ScenarioArgs,
    #[command(flatten)]
    pub(super) capture: CaptureArgs,
    /// A capture of the same connection from its other end; or further runs, drawn below the first run with the same
    /// axes, as are several schemes in --scheme unmodified,snoop
    #[arg(value_name = "OTHER")]
    pub(super) others: Vec<PathBuf>,
    /// The flow to draw, or `all` [default: every flow, if there are at most 16]
    #[arg(long, value_name = "NAME")]
    pub(super) flow: Option<String>,
    /// Draw one picture of all flows: goodput one above the other, and fairness over time
    #[arg(long, conflicts_with_all = ["flow", "medium", "others", "panels", "segments", "blocked"])]
    pub(super) all_flows: bool,
    /// Draw the network instead of a run: nodes, links, media and flows, and a map if nodes have positions
    #[arg(long, conflicts_with_all = ["flow", "all_flows", "medium", "from", "to", "panels", "segments", "blocked"])]
    pub(super) topology: bool,
    /// The medium to draw, or `all` [default: every one, unless --flow is given]. With --medium alone no flow is drawn
    #[arg(long, value_name = "NAME")]
    pub(super) medium: Option<String>,
    /// Start of the picture's time axis, such as "1.2 s"
    #[arg(long, value_name = "TIME")]
    from: Option<Span>,
    /// End of the picture's time axis
    #[arg(long, value_name = "TIME")]
    to: Option<Span>,
    /// The panels to draw, from top to bottom [default: all, and of several runs sequence,window,goodput]
    #[arg(long, value_parser = panel_parser(), value_delimiter = ',', value_name = "LIST")]
    panels: Vec<Panel>,
    /// Count segments instead of bytes
    #[arg(long)]
    segments: bool,
    /// Show below the panels why the sender was blocked: no data, receive window, Nagle, cwnd, or pacing
    #[arg(long)]
    blocked: bool,
    /// Light lines on dark ground
    #[arg(long)]
    dark: bool,
    /// Width and height of the SVG, at least 500x400; the PNG has twice the width and height in pixels [default:
    /// 1000x680, and 110 higher for each panel beyond two]
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(u32, u32)>,
    /// Where to write: a directory, or for one picture a file, .svg or .png [default: plots/ in the result directory;
    /// otherwise results/RUN.plots, results/CAPTURE.plots or, of several runs, results/NAME-compared]
    #[arg(short, long, value_name = "PATH")]
    pub(super) out: Option<PathBuf>,
}

/// Parses the name of a panel; help lists all of them.
fn panel_parser() -> impl TypedValueParser<Value = Panel> {
    let values = Panel::ALL.map(|panel| PossibleValue::new(panel.name()).help(panel.help()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Panel>())
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let in_range = |number: &str, least| number.parse().ok().filter(|pixels| (least..=MAX_SIDE).contains(pixels));
    let (width, height) = plot::MIN_SIZE;
    let size = text.split_once('x').and_then(|(w, h)| Some((in_range(w, width)?, in_range(h, height)?)));
    size.ok_or_else(|| {
        format!("expected WIDTHxHEIGHT, width {width} to {MAX_SIDE}, height {height} to {MAX_SIDE}, such as 1000x680")
    })
}

/// Draws the first run of a scenario under each of these schemes in one picture.
pub(super) fn plot_schemes(
    file: &Path,
    schemes: &[&str],
    set: &[String],
    seed: Option<u64>,
    out: PathBuf,
) -> Result<(), CommandFailure> {
    let scenario = ScenarioArgs { file: file.to_owned(), set: set.to_vec(), scheme: Some(schemes.join(",")), seed };
    plot_runs(&Args {
        scenario,
        capture: CaptureArgs { stream: None, at: None },
        others: Vec::new(),
        flow: None,
        medium: None,
        from: None,
        to: None,
        panels: Vec::new(),
        all_flows: false,
        topology: false,
        segments: false,
        blocked: false,
        dark: false,
        size: None,
        out: Some(out),
    })
}

/// Draws a run.
pub fn plot_runs(args: &Args) -> Result<(), CommandFailure> {
    let (runs, view) = (compared::list_compared_runs(args), select_view(args));
    if args.capture.reads_capture(&args.scenario.file, &args.scenario)? {
        return captured::plot_capture(args, &view);
    }
    if args.topology {
        return topology::plot_topology(args, runs.len(), &view);
    }
    if runs.len() > 1 {
        return compared::draw_compared_runs(args, &runs, &view);
    }
    let loaded = args.scenario.load()?;
    let target = args.target(|| choose_plot_directory(args, &loaded))?;
    let single = Single::new(&loaded, &view).map_err(convert_picture_error)?;
    let progress = ProgressReport::new(&loaded.stem);
    let recorded = single.record(args.scenario.result_directory(), &mut |share| progress.set(share));
    progress.finish();
    let recorded = recorded.map_err(convert_picture_error)?;
    target.admit(recorded.count())?;
    let mut pictures = recorded.pictures();
    for done in 0..recorded.count() {
        progress.fail_if_interrupted(done, recorded.count())?;
        pictures.next().map_or(Ok(()), |drawn| target.save(&drawn))?;
    }
    Ok(())
}

/// The view that the options choose.
fn select_view(args: &Args) -> PictureView {
    PictureView {
        flows: args.flow.iter().cloned().collect(),
        max_flows: Some(MAX_FLOWS),
        medium: args.medium.clone(),
        together: args.all_flows,
        from: args.from,
        to: args.to,
        panels: args.panels.clone(),
        unit: if args.segments { AxisUnit::Segments } else { AxisUnit::Bytes },
        blocked: args.blocked,
        theme: if args.dark { Theme::Dark } else { Theme::Light },
        size: args.size,
    }
}

/// Writes a picture as SVG and PNG; returns the paths of the files.
pub(super) fn write_picture(Drawn { name, picture }: &Drawn, dir: &Path) -> Result<[PathBuf; 2], CommandFailure> {
    let png = picture.png(plot::PNG_SCALE).map_err(|error| CommandFailure::Run(format!("{name}: {error}")))?;
    let files = ["svg", "png"].map(|ending| dir.join(format!("{name}.{ending}")));
    write_whole(&files[0], picture.svg().as_bytes())?;
    write_whole(&files[1], &png)?;
    Ok(files)
}

impl Args {
    /// The target of pictures: the path of --out, or the `default` directory.
    fn target(&self, default: impl FnOnce() -> PathBuf) -> Result<PictureTarget, CommandFailure> {
        self.out.as_deref().map_or_else(|| Ok(PictureTarget::Directory(default())), PictureTarget::of_option)
    }
}

/// Chooses the directory for the pictures of one run: in the run's result directory, or in `results/` under the name of
/// the run.
fn choose_plot_directory(args: &Args, loaded: &Loaded) -> PathBuf {
    match args.scenario.result_directory() {
        Some(dir) => dir.join("plots"),
        None => in_results(name_run(loaded, &args.scenario) + ".plots"),
    }
}
