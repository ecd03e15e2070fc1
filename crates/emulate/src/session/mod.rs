//! Commands in network namespaces that are nodes of a scenario (`lasthop shell`), and devices that are nodes (`lasthop
//! emulate`).

mod commands;
mod files;
mod gateway;
mod machine;
mod nodes;
mod peers;
mod report;
mod signals;
mod spawn;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use engine::Time;
use host::tun::Tun;
use host::{Error, clock, user};
use lab::load::Loaded;
use observe::summary::Summary;
use path::LinkId;
use sim::NullSink;

use crate::drive::drive_emulator;
use crate::emulator::{Counts, Emulator, EmulatorSettings};
use commands::Commands;
use files::Files;
pub use files::{LOG, REPORT, last_lines};
use gateway::Gateway;
pub use gateway::gateway_place;
use machine::Machine;
use nodes::NodeNamespace;
pub use nodes::{Device, RealHost, parse_devices, parse_hosts};
pub use report::{Behind, EmulationReport, LatenessReport, NodeReport, needs_sender, report_nodes, without_sender};
use signals::Signals;
pub use spawn::{HERE, run_here};

/// Commands by node.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The nodes that are real hosts. The command runs at the first one.
    pub places: Vec<RealHost>,
    /// The program and its arguments; empty for none.
    pub command: Vec<OsString>,
    /// MTU of the devices in bytes.
    pub mtu: u16,
    /// Whether emulation runs with real-time priority.
    pub real_time: bool,
    /// Whether the scenario's flows run as cross traffic.
    pub flows: bool,
    /// Directory of the results; `None` for no results.
    pub out: Option<PathBuf>,
    /// Whether the commands have no input, and their output goes to [`LOG`] in the result directory.
    pub logged: bool,
    /// Index of the place whose node is the gateway to the machine's own network.
    pub outside: Option<usize>,
    /// Reports problems to the user while the emulation runs.
    pub warn: Option<fn(&str)>,
    /// The program of this process, if it is `lasthop`. It starts the commands, so that they end when it ends.
    pub program: Option<PathBuf>,
}

/// Default MTU of devices.
pub const MTU: u16 = 1500;
impl Plan {
    fn warn(&self, text: &str) {
        if let Some(warn) = self.warn {
            warn(text);
        }
    }
}

/// The state of a running emulation.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    /// Time since its start.
    pub now: Time,
    /// Numbers of packets so far.
    pub counts: Counts,
    /// Bits per second that left the network since the last state.
    pub rate_bps: f64,
    /// Packets in queues of links.
    pub queued: usize,
    /// Packets that links have lost.
    pub lost: u64,
}

/// How an emulation ended.
#[derive(Debug)]
pub struct EmulationEnd {
    /// The exit code of the command: 128 plus the signal's number if a signal ended the command, and 0 without a
    /// command.
    pub code: u8,
    /// What happened.
    pub report: EmulationReport,
    /// Links and nodes.
    pub summary: Summary,
    /// Cause of an end of the session before the command ended; `None` if the command ended first.
    pub failure: Option<String>,
}

/// Acquires the privileges required for an emulation. Must be called while the process has a single thread.
///
/// # Errors
///
/// If the system does not permit it.
pub fn prepare_namespaces() -> Result<(), Error> {
    user::enter_user_namespace()
}

/// The nodes that are real hosts, with their addresses.
pub fn render_introduction(plan: &Plan) -> String {
    let place = |(index, place): (usize, &RealHost)| {
        let outside = if plan.outside == Some(index) { ", the gateway" } else { "" };
        format!(
            "{} is {} and {}{outside}",
            place.name,
            crate::ipv4_of_node(place.node),
            crate::ipv6_of_node(place.node)
        )
    };
    plan.places.iter().enumerate().map(place).collect::<Vec<_>>().join(", ")
}

/// Runs the commands of `plan` in namespaces until the first one ends. `watch` is called about twice a second.
///
/// # Errors
///
/// If the machine does not permit namespaces or devices, or a command cannot be started. Nothing of the session then
/// remains.
pub fn run_shell(loaded: &Loaded, plan: &Plan, watch: &mut dyn FnMut(&Status)) -> Result<EmulationEnd, Error> {
    let signals = Signals::catch()?;
    let names: Vec<(usize, &str)> =
        loaded.network.nodes.iter().enumerate().map(|(number, node)| (number, node.name.as_str())).collect();
    let resolver = plan.outside.map(|_| host::outside::RESOLVER);
    let nodes = plan.places.iter().map(|place| NodeNamespace::new(place, plan.mtu, &names, resolver));
    let nodes: Vec<NodeNamespace> = nodes.collect::<Result<_, _>>()?;
    for (node, error) in nodes.iter().filter_map(|node| Some((node, node.unnamed.as_ref()?))) {
        plan.warn(&format!("programs at {} find nodes by address only: {error}", node.place.name));
    }
    let devices = nodes.iter().map(NodeNamespace::device).collect();
    run_emulation(loaded, plan, devices, &nodes, signals, watch)
}

/// Lets packets of devices cross the network until a signal ends the emulation. `devices` are at the plan's places, in
/// order.
///
/// # Errors
/// If the machine does not permit the devices, or the result directory cannot be made.
pub fn emulate_network(
    loaded: &Loaded,
    plan: &Plan,
    devices: &[Device],
    watch: &mut dyn FnMut(&Status),
) -> Result<EmulationEnd, Error> {
    let devices = devices.iter().map(|device| Tun::open(&device.name).map(Arc::new)).collect::<Result<_, _>>()?;
    run_emulation(loaded, plan, devices, &[], Signals::catch()?, watch)
}

fn run_emulation(
    loaded: &Loaded,
    plan: &Plan,
    devices: Vec<Arc<Tun>>,
    nodes: &[NodeNamespace],
    signals: Signals,
    watch: &mut dyn FnMut(&Status),
) -> Result<EmulationEnd, Error> {
    let numbers: Vec<usize> = plan.places.iter().map(|place| place.node).collect();
    let gateway = plan.outside.map(|index| plan.places[index].node);
    let settings = EmulatorSettings { flows: plan.flows, gateway, ..EmulatorSettings::of(numbers) };
    let mut emulator = Emulator::new(&loaded.network, settings);
    let gateway = Gateway::open(plan, nodes, loaded.network.nodes.len())?;
    let files = Files::create(loaded, plan)?;
    clock::wake_exactly()?;
    if plan.real_time {
        // Commands do not inherit the descriptor.
        clock::real_time()?;
    }
    let commands = Commands::start(plan, nodes, signals, files.log()).map_err(|error| files.with_log(error))?;
    let mut machine = Machine::new(devices, commands, files, gateway);
    let (mut next, mut left) = (Time::ZERO, 0);
    let mut watched = |emulator: &Emulator, now: Time| {
        if now >= next {
            next = now + machine::WATCH;
            let state = measure_status(emulator, loaded, now, left);
            left = state.counts.bytes_left;
            watch(&state);
        }
    };
    let (lateness, ended) = drive_emulator(&mut emulator, &mut machine, &mut NullSink, &mut watched);
    let (mut commands, files) = machine.into_parts();
    let code = commands.finish(nodes);
    let report = EmulationReport::of(loaded, plan, &emulator, &lateness, code, &commands);
    let summary = summarize_network(loaded, &emulator, plan.flows);
    files.finish(&report, &summary)?;
    let failure = ended.err().map(|error| format!("a device was removed: {error}"));
    Ok(EmulationEnd { code, report, summary, failure })
}

/// The summary of the network's links and nodes, and of the scenario's flows if these ran.
fn summarize_network(loaded: &Loaded, emulator: &Emulator, flows: bool) -> Summary {
    let (mut scenario, mut network) = (loaded.scenario.clone(), loaded.network.clone());
    if !flows {
        scenario.flows.clear();
        scenario.arrivals.clear();
        network.flows.clear();
        network.arrivals.clear();
    }
    observe::summary::summarize_results(loaded.title(), &scenario, &network, &emulator.world().results())
}

fn measure_status(emulator: &Emulator, loaded: &Loaded, now: Time, before: u64) -> Status {
    let world = emulator.world();
    let results = world.results();
    let lost = results.links.iter().flat_map(|link| link.directions).map(|counters| counters.packets_dropped).sum();
    let links = (0..loaded.network.links.len()).map(LinkId::from_index);
    let queued = links.flat_map(LinkId::hops).map(|hop| world.hop_state(hop.id()).waiting).sum();
    let counts = emulator.counts();
    let rate_bps = (counts.bytes_left - before) as f64 * 8.0 / machine::WATCH.as_secs_f64();
    Status { now, counts, rate_bps, queued, lost }
}
