//! `lasthop plot`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};
use engine::{Span, Time};
use lab::problem::Problem;
use lab::run;
use plot::{Description, Options, Panel, Theme, Unit};

use super::{ScenarioArgs, listed, print, shown};
use crate::Failure;
use crate::progress::Progress;

/// Arguments of `lasthop plot`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// The flow to draw [default: every flow]
    #[arg(long, value_name = "NAME")]
    flow: Option<String>,
    /// Where the picture begins, such as "1.2 s"
    #[arg(long, value_name = "TIME")]
    from: Option<Span>,
    /// Where it ends
    #[arg(long, value_name = "TIME")]
    to: Option<Span>,
    /// What to draw
    #[arg(long, value_enum, default_value = "both")]
    panel: PanelChoice,
    /// Count segments instead of bytes
    #[arg(long)]
    segments: bool,
    /// Light lines on dark ground
    #[arg(long)]
    dark: bool,
    /// Width and height of the SVG; the PNG has twice as many pixels each way
    #[arg(long, value_name = "WxH", default_value = "1000x680", value_parser = size)]
    size: (u32, u32),
    /// Where to write [default: plots/ in the result directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What to draw.
#[derive(Clone, Copy, ValueEnum)]
enum PanelChoice {
    /// Sequence and acknowledgment numbers
    Sequence,
    /// Congestion window and slow start threshold
    Window,
    /// Both, one above the other
    Both,
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parse = |number: &str| number.parse().ok().filter(|pixels| (200..=8000).contains(pixels));
    let size = text.split_once('x').and_then(|(width, height)| Some((parse(width)?, parse(height)?)));
    size.ok_or_else(|| "expected WIDTHxHEIGHT, each 200 to 8000, such as 1000x680".to_owned())
}

/// Pixels of the PNG for each unit of the SVG.
const PNG_SCALE: f32 = 2.0;

/// Draws a run.
pub fn run(args: &Args) -> Result<(), Failure> {
    let loaded = args.scenario.load()?;
    let result_dir = args.scenario.file.is_dir().then(|| args.scenario.file.clone());
    let Some(out) = args.out.clone().or(result_dir.as_ref().map(|dir| dir.join("plots"))) else {
        let problem = Problem::new("--out DIR is missing: a scenario has no result directory of its own");
        return Err(Failure::Input(listed(&[problem.hint("or run it first, and plot the result directory")])));
    };
    let flows = chosen(args, &loaded.network)?;
    let unchanged = args.scenario.set.is_empty() && args.scenario.scheme.is_none() && args.scenario.seed.is_none();
    let progress = Progress::new(&loaded.stem);
    let recorded = match result_dir.filter(|_| unchanged) {
        Some(dir) => run::replay(&loaded, &dir, &mut |share| progress.set(share)),
        None => run::record(&loaded.network, &mut |share| progress.set(share)),
    };
    progress.finish();
    let (_, events) = recorded?;
    let description = Description::of(&loaded.network);
    let title = if loaded.scenario.title.is_empty() { &loaded.stem } else { &loaded.scenario.title };
    fs::create_dir_all(&out).map_err(|error| unwritable(&out, &error))?;
    for flow in flows {
        let name = &loaded.network.flows[flow].name;
        let title = if loaded.network.flows.len() > 1 { format!("{title}: flow {name}") } else { title.clone() };
        let options = Options {
            flow: flow as u32,
            panel: match args.panel {
                PanelChoice::Sequence => Panel::Sequence,
                PanelChoice::Window => Panel::Window,
                PanelChoice::Both => Panel::Both,
            },
            from: args.from.map(|from| Time::ZERO + from),
            to: args.to.map(|to| Time::ZERO + to),
            width: args.size.0,
            height: args.size.1,
            theme: if args.dark { Theme::Dark } else { Theme::Light },
            unit: if args.segments { Unit::Segments } else { Unit::Bytes },
            title: Some(title),
            ..Options::default()
        };
        let picture = plot::draw(&events, &description, &options);
        let png = picture.png(PNG_SCALE).map_err(|error| Failure::Run(format!("flow {name}: {error}")))?;
        for (ending, bytes) in [("svg", picture.svg().into_bytes()), ("png", png)] {
            let path = out.join(format!("{name}.{ending}"));
            write_whole(&path, &bytes)?;
            print(&format!("{}\n", shown(&path)))?;
        }
    }
    Ok(())
}

/// The numbers of the flows to draw.
fn chosen(args: &Args, network: &sim::Network) -> Result<Vec<usize>, Failure> {
    if let (Some(from), Some(to)) = (args.from, args.to)
        && from >= to
    {
        let problem = Problem::new(format!("a time after --from ({from})")).in_file("--to").found(to.to_string());
        return Err(Failure::Input(listed(&[problem])));
    }
    let Some(name) = &args.flow else { return Ok((0..network.flows.len()).collect()) };
    let known = || network.flows.iter().map(|flow| flow.name.as_str());
    known().position(|flow| flow == name).map(|flow| vec![flow]).ok_or_else(|| {
        let problem = Problem::new("a flow").in_file("--flow").found(format!("\"{name}\"")).nearest(name, known());
        Failure::Input(listed(&[problem]))
    })
}

/// Writes beside and renames: an interrupted write leaves the old picture or none.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let partial = path.with_added_extension("partial");
    let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&partial);
        unwritable(path, &error)
    })
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Run(format!("{}: cannot be written: {error}", shown(path)))
}
