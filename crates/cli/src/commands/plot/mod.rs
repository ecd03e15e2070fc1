//! `lasthop plot`.

mod compared;
mod topology;

pub(super) use compared::MAX_RUNS;

use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};
use engine::{Span, Time};
use lab::run::{self, Watch};
use plot::{
    AirRecorder, DEFAULT_SIZE, Description, MAX_SIDE, MediumDescription, Options, Panel, Recorder, Theme, Unit,
    default_height,
};
use scenario::flows;
use scenario::problem::Problem;
use scenario::ran::what_ran;
use sim::{MediumId, Network};

use super::{ScenarioArgs, flow_named, listed, print, shown, write_whole};
use crate::Failure;
use crate::progress::Progress;

/// Arguments of `lasthop plot`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Further runs, drawn below the first in the same picture with the same axes; so are several schemes, as in
    /// --scheme unmodified,snoop
    #[arg(value_name = "OTHER")]
    others: Vec<PathBuf>,
    /// The flow to draw, or `all` [default: every flow, if there are at most 16]
    #[arg(long, value_name = "NAME")]
    flow: Option<String>,
    /// Draw one picture of all flows: goodput one above the other, and fairness over time
    #[arg(long, conflicts_with_all = ["flow", "medium", "others", "panels", "segments", "blocked"])]
    all_flows: bool,
    /// Draw the network instead of a run: nodes, links, media and flows, and a map if nodes have positions
    #[arg(long, conflicts_with_all = ["flow", "all_flows", "medium", "from", "to", "panels", "segments", "blocked"])]
    topology: bool,
    /// The medium to draw, or `all` [default: every one, unless --flow is given]. Without --flow no flow is drawn then
    #[arg(long, value_name = "NAME")]
    medium: Option<String>,
    /// Where the picture begins, such as "1.2 s"
    #[arg(long, value_name = "TIME")]
    from: Option<Span>,
    /// Where it ends
    #[arg(long, value_name = "TIME")]
    to: Option<Span>,
    /// The panels to draw, from top to bottom [default: all, and of several runs sequence,window,goodput]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    panels: Vec<PanelChoice>,
    /// Count segments instead of bytes
    #[arg(long)]
    segments: bool,
    /// Show below the panels why the sender was blocked: no data, receive window, Nagle, cwnd, or pacing
    #[arg(long)]
    blocked: bool,
    /// Light lines on dark ground
    #[arg(long)]
    dark: bool,
    /// Width and height of the SVG, at least 500x400; the PNG has twice as many pixels each way [default: 1000x680, and
    /// 110 higher for each panel beyond two]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Where to write [default: plots/ in the result directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// With --topology: the file to write, .svg or .png
    #[arg(short, long, value_name = "FILE", requires = "topology", conflicts_with = "out")]
    output: Option<PathBuf>,
}

/// A panel of a flow's picture.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum PanelChoice {
    /// Sequence and acknowledgment numbers
    Sequence,
    /// Congestion window and slow start threshold
    Window,
    /// Round trips and the retransmission timeout
    Rtt,
    /// Packets at the bottleneck of the flow
    Queue,
    /// Acknowledged data
    Goodput,
}

impl From<PanelChoice> for Panel {
    fn from(choice: PanelChoice) -> Panel {
        match choice {
            PanelChoice::Sequence => Panel::Sequence,
            PanelChoice::Window => Panel::Window,
            PanelChoice::Rtt => Panel::Rtt,
            PanelChoice::Queue => Panel::Queue,
            PanelChoice::Goodput => Panel::Goodput,
        }
    }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let in_range = |number: &str, least| number.parse().ok().filter(|pixels| (least..=MAX_SIDE).contains(pixels));
    let (width, height) = plot::MIN_SIZE;
    let size = text.split_once('x').and_then(|(w, h)| Some((in_range(w, width)?, in_range(h, height)?)));
    size.ok_or_else(|| {
        format!("expected WIDTHxHEIGHT, width {width} to {MAX_SIDE}, height {height} to {MAX_SIDE}, such as 1000x680")
    })
}

/// The most flows that are drawn without `--flow all`.
pub(super) const MANY: usize = 16;

/// Draws the first run of a scenario under each of these schemes in one picture.
pub(super) fn schemes(
    file: &Path,
    schemes: &[&str],
    set: &[String],
    seed: Option<u64>,
    out: PathBuf,
) -> Result<(), Failure> {
    let scenario = ScenarioArgs { file: file.to_owned(), set: set.to_vec(), scheme: Some(schemes.join(",")), seed };
    run(&Args {
        scenario,
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
        output: None,
    })
}

/// Draws a run.
pub fn run(args: &Args) -> Result<(), Failure> {
    let runs = compared::runs(args);
    if args.topology {
        return topology::draw(args, runs.len());
    }
    if runs.len() > 1 {
        return compared::draw(args, &runs);
    }
    let loaded = args.scenario.load()?;
    let (kept, out) = places(args)?;
    let flows = chosen(args, &loaded.network)?;
    let media = if args.all_flows { Vec::new() } else { chosen_media(args, &loaded.network)? };
    check_times(args, loaded.network.duration)?;
    let (from, to) = (args.from.map(|from| Time::ZERO + from), args.to.map(|to| Time::ZERO + to));
    let described = MediumDescription::of(&loaded.network);
    let air = AirRecorder::new(media.iter().map(|medium| (MediumId(*medium as u32), &described[*medium])), from, to);
    let description = Description::of(&loaded.network);
    let panels = if args.all_flows { vec![Panel::Goodput] } else { panels(args, &Panel::ALL) };
    let recorder = Recorder::new(flows.iter().map(|flow| *flow as u32), from, to)
        .with_panels(&panels, &description)
        .with_schemes(&description);
    let mut recorder = (recorder, air);
    let progress = Progress::new(&loaded.stem);
    let watch: Watch<'_> = &mut |share| progress.set(share);
    let results = match kept {
        Some(dir) => run::replay(&loaded, dir, &mut recorder, overflowed, watch),
        None => run::record(&loaded.network, &mut recorder, |both| overflowed(both) || is_complete(both), watch),
    };
    progress.finish();
    let ended = results?.ended.since(Time::ZERO);
    if overflowed(&recorder) {
        return Err(too_much(flows.len(), media.len(), ended));
    }
    check_times(args, ended)?;
    let (recording, air) = (recorder.0.finish(), recorder.1.finish());
    let title = loaded.title();
    let part = part(args);
    let common = Options { ran: what_ran(&loaded), ..common_options(args, &panels) };
    let pictures = media.len() + flows.len();
    for (done, medium) in media.iter().copied().enumerate() {
        progress.drawn(done, pictures)?;
        let description = &described[medium];
        let name = &description.name;
        let height = args.size.unwrap_or(DEFAULT_SIZE).1;
        let options = Options { title: Some(format!("{title}: medium {name}")), height, ..common.clone() };
        // No flow's name has a dot.
        let files =
            write(&air.draw(MediumId(medium as u32), description, &options), &out, &format!("{name}.air{part}"))?;
        files.iter().try_for_each(|path| print(&format!("{}\n", shown(path))))?;
    }
    if args.all_flows {
        let options =
            Options { title: Some(title.to_owned()), height: args.size.unwrap_or(DEFAULT_SIZE).1, ..common.clone() };
        // No flow's name has a dot.
        let files = write(&recording.draw_all(&description, &options), &out, &format!("all.flows{part}"))?;
        files.iter().try_for_each(|path| print(&format!("{}\n", shown(path))))?;
    }
    let each = if args.all_flows { Vec::new() } else { flows };
    for (done, flow) in (media.len()..).zip(each) {
        progress.drawn(done, pictures)?;
        let name = &loaded.network.flows[flow].name;
        let title = if loaded.network.flows.len() > 1 { format!("{title}: flow {name}") } else { title.to_owned() };
        let options = Options { flow: flow as u32, title: Some(title), ..common.clone() };
        let files = write(&recording.draw(&description, &options), &out, &format!("{name}{part}"))?;
        files.iter().try_for_each(|path| print(&format!("{}\n", shown(path))))?;
    }
    Ok(())
}

/// The panels that the option names, or these.
fn panels(args: &Args, default: &[Panel]) -> Vec<Panel> {
    match args.panels.is_empty() {
        true => default.to_vec(),
        false => args.panels.iter().copied().map(Panel::from).collect(),
    }
}

/// What the options say about every picture.
fn common_options(args: &Args, panels: &[Panel]) -> Options {
    Options {
        from: args.from.map(|from| Time::ZERO + from),
        to: args.to.map(|to| Time::ZERO + to),
        width: args.size.unwrap_or(DEFAULT_SIZE).0,
        height: args.size.map_or_else(|| default_height(panels), |(_, height)| height),
        panels: panels.to_vec(),
        blocked: args.blocked,
        theme: if args.dark { Theme::Dark } else { Theme::Light },
        unit: if args.segments { Unit::Segments } else { Unit::Bytes },
        ..Options::default()
    }
}

/// The ending of the file names of a picture of a part of the run, such as ".1.2s-to-3s"; empty for the whole run.
fn part(args: &Args) -> String {
    let compact = |time: Span| time.to_string().replace(' ', "");
    match (args.from, args.to) {
        (None, None) => String::new(),
        (Some(from), None) => format!(".from-{}", compact(from)),
        (None, Some(to)) => format!(".to-{}", compact(to)),
        (Some(from), Some(to)) => format!(".{}-to-{}", compact(from), compact(to)),
    }
}

/// Writes a picture as SVG and PNG; gives the files.
pub fn write(picture: &plot::Picture, dir: &Path, name: &str) -> Result<[PathBuf; 2], Failure> {
    let png = picture.png(plot::PNG_SCALE).map_err(|error| Failure::Run(format!("{name}: {error}")))?;
    let files = ["svg", "png"].map(|ending| dir.join(format!("{name}.{ending}")));
    write_whole(&files[0], picture.svg().as_bytes())?;
    write_whole(&files[1], &png)?;
    Ok(files)
}

/// The result directory whose run is drawn, if there is one, and the directory for the pictures.
fn places(args: &Args) -> Result<(Option<&Path>, PathBuf), Failure> {
    let (kept, file) = (args.scenario.kept(), &args.scenario.file);
    let problem = match (&args.out, kept) {
        (Some(out), _) => return Ok((kept, out.clone())),
        (None, Some(dir)) => return Ok((kept, dir.join("plots"))),
        (None, None) if file.is_dir() => {
            let other = "--out DIR is missing: --scheme, --set and --seed make another run than the one kept in";
            Problem::new(format!("{other} {}", shown(file))).hint("its plots/ is for pictures of that run alone")
        }
        (None, None) => Problem::new("--out DIR is missing: a scenario has no result directory of its own")
            .hint("or run it first, and plot the result directory"),
    };
    Err(Failure::Input(listed(&[problem])))
}

/// The numbers of the flows to draw.
fn chosen(args: &Args, network: &Network) -> Result<Vec<usize>, Failure> {
    let flows = flows::over_tcp(network);
    let all = flows.len();
    let Some(name) = &args.flow else {
        if args.medium.is_some() {
            return Ok(Vec::new());
        }
        if all <= MANY || args.all_flows {
            return Ok(flows);
        }
        let problem = Problem::new(format!("--flow NAME is missing: there are {all} flows"));
        return Err(Failure::Input(listed(&[problem.hint("--flow all draws every one, two files for each")])));
    };
    match flow_named(network, name) {
        // No flow has this name: every one.
        Err(_) if name == "all" => Ok(flows),
        found => Ok(vec![found?]),
    }
}

/// The numbers of the media to draw.
fn chosen_media(args: &Args, network: &Network) -> Result<Vec<usize>, Failure> {
    let names = || network.media.iter().map(|medium| medium.name.as_str());
    let Some(name) = &args.medium else {
        return Ok(if args.flow.is_none() { (0..network.media.len()).collect() } else { Vec::new() });
    };
    match names().position(|known| known == name) {
        Some(medium) => Ok(vec![medium]),
        // No medium has this name: every one.
        None if name == "all" => Ok((0..network.media.len()).collect()),
        None => {
            let problem = Problem::new("a medium of the scenario").in_file("--medium").found(format!("\"{name}\""));
            let problem = match network.media.is_empty() {
                true => problem.hint("it has none"),
                false => problem.nearest(name, names()),
            };
            Err(Failure::Input(listed(&[problem])))
        }
    }
}

/// Whether one of them can take no more.
fn overflowed((flows, air): &(Recorder, AirRecorder)) -> bool {
    flows.overflowed() || air.overflowed()
}

/// Whether no later event can change a picture.
fn is_complete((flows, air): &(Recorder, AirRecorder)) -> bool {
    flows.is_complete() && air.is_complete()
}

/// Whether the view from `--from` to `--to` overlaps a run that ends at `end`.
fn check_times(args: &Args, end: Span) -> Result<(), Failure> {
    let Some(from) = args.from else { return Ok(()) };
    let problem = match args.to {
        Some(to) if to <= from => {
            Problem::new(format!("a time after --from ({from})")).in_file("--to").found(to.to_string())
        }
        _ if from >= end => Problem::new(format!("a time before the end of the run ({})", seconds(end)))
            .in_file("--from")
            .found(from.to_string()),
        _ => return Ok(()),
    };
    Err(Failure::Input(listed(&[problem])))
}

/// The recorder was full at `until`.
fn too_much(flows: usize, media: usize, until: Span) -> Failure {
    let narrower = match flows + media {
        1 => "draw a part of it with --from and --to",
        _ if media > 0 => {
            "draw one flow with --flow NAME or one medium with --medium NAME, or a part of the run with --from and --to"
        }
        _ => "draw one flow with --flow NAME, or a part of the run with --from and --to",
    };
    let most = if media > 0 { AirRecorder::MAX_ENTRIES } else { Recorder::MAX_ENTRIES } / 1_000_000;
    Failure::Run(format!(
        "by {} the run has more than {most} million events to draw\n  hint: {narrower}",
        seconds(until)
    ))
}

/// A time that was simulated, not written by a person: to the microsecond.
fn seconds(span: Span) -> String {
    format!("{} s", (span.as_secs_f64() * 1e6).round() / 1e6)
}
