//! `lasthop check`.

use std::rc::Rc;

use clap::Args as ClapArgs;
use lab::disk::Directory;
use lab::load::{Loaded, Source};
use lab::sweep::Plan;
use observe::output::Outputs;
use scenario::model::Link;
use scenario::problem::Problem;
use scenario::traces;

use super::{
    ScenarioArgs, format_count, format_path, format_problems, import, print_visible, print_warnings, refuse_input,
    resolve_source,
};
use crate::CommandFailure;
use crate::command_groups::Example;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop check examples/snoop.toml", "Look for errors and doubtful values"),
    ("lasthop check examples/snoop.toml --set links.air.rate=\"1 Mbps\"", "Check a change before a run"),
];

/// Arguments of `lasthop check`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
}

/// Prints the errors, or a note that there are none.
pub fn check_scenario(args: &Args) -> Result<(), CommandFailure> {
    let source = args.scenario.open()?;
    let loaded = resolve_source(&source)?;
    print_warnings(&loaded.warnings);
    let network = &loaded.network;
    let traces = traces::parse_trace_names(&loaded.scenario.output.traces).unwrap_or_default();
    if let Some(problem) =
        Outputs::open(&traces, network, Rc::new(Directory::default()), &loaded.scenario.output, Default::default())
            .clash()
    {
        return Err(CommandFailure::Input(format_problems(&[problem
            .in_file(format_path(&loaded.path))
            .key("output.traces")])));
    }
    let sweep =
        loaded.scenario.sweep.is_some().then(|| describe_sweep_size(&source, &loaded)).transpose()?.unwrap_or_default();
    let nodes = format_count(network.nodes.len(), "node");
    let links = format_count(network.links.len(), "link");
    let flows = format_count(network.flows.len(), "flow");
    let arrivals = match network.arrivals.len() {
        0 => String::new(),
        number => format!(", {}", format_count(number, "arrival process")),
    };
    print_visible(&format!("{}: ok: {nodes}, {links}, {flows}{arrivals}{sweep}\n", format_path(&loaded.path)))?;
    print_visible(&describe_default_queues(&loaded))?;
    print_visible(&describe_recordings(&loaded))
}

/// The recordings of the links' properties, with the format of each.
fn describe_recordings(loaded: &Loaded) -> String {
    let line = |(name, link): (&String, &Link)| {
        let recording = link.link_trace.as_ref()?;
        let text = recording.contents.as_deref()?;
        let reader = recording.format.reader(name, text).ok()?;
        let recorded = reader.read(name, text).ok()?;
        Some(format!("links.{name}.link_trace: {}\n", import::describe_recording(reader, &recorded)))
    };
    loaded.scenario.links.iter().filter_map(line).collect()
}

/// The links with the default queue, and its limit.
fn describe_default_queues(loaded: &Loaded) -> String {
    let links = loaded.scenario.links.iter().zip(&loaded.network.links).filter(|((_, link), _)| link.queue.is_none());
    let names: Vec<&str> = links.clone().map(|((name, _), _)| name.as_str()).collect();
    let Some(limit) = links.clone().map(|(_, link)| link.queue.limit()).next() else { return String::new() };
    const SHOWN: usize = 5;
    let more = match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!(" and {more} more"),
        _ => String::new(),
    };
    format!("default queue: drop-tail, {limit}, of {}{more}\n", names[..names.len().min(SHOWN)].join(", "))
}

/// The size of the sweep. The sweep is checked by creating its plan.
fn describe_sweep_size(source: &Source, loaded: &Loaded) -> Result<String, CommandFailure> {
    let plan = Plan::of(source).map_err(refuse_input)?;
    // Defaults of the scenario itself are printed already.
    let more: Vec<&Problem> = plan.warnings.iter().filter(|warning| !loaded.warnings.contains(warning)).collect();
    print_warnings(&more);
    let replications = match plan.replications() {
        (least, most) if least == most => format_count(least as usize, "replication"),
        (least, most) => format!("{least} to {most} replications"),
    };
    let (points, cases) = (format_count(plan.points.len(), "point"), format_count(plan.cases.len(), "case"));
    Ok(format!("; sweep: {points} x {cases} x {replications}"))
}
