//! The translation of components to a scenario, in which references are resolved.

use std::collections::BTreeMap;

use engine::{Bytes, Span};
use indexmap::IndexMap;

use super::components::{Component, Medium, NodeComponent, SimulatorComponent, SourceTransfer};
use super::origins::Origins;
use super::parser::ComponentBlock;
use super::quantities::TraceMode;
use super::report::Report;
use super::{Parsed, TRACE_FILE, TraceUse};
use crate::model::{self, Flow, Output, Profile, Scenario};
use crate::problem::Problem;
use engine::Named;
use tcp::config::ReceiveWindow;

/// The scenario of well-formed `components`, or the errors of their combination.
pub(super) fn translate_components(
    blocks: &[ComponentBlock<'_>],
    components: &[Component<'_>],
    report: Report<'_>,
) -> Result<Parsed, Vec<Problem>> {
    let warnings = report.another();
    let mut translator =
        Translator { blocks, components, nodes: BTreeMap::new(), report, warnings, origins: Origins::default() };
    let parsed = translator.scenario();
    let Translator { report, warnings, origins, .. } = translator;
    match parsed {
        Some((scenario, uses_trace)) if report.is_empty() => {
            let file = report.file.to_owned();
            Ok(Parsed { scenario, uses_trace, warnings: warnings.finish(), file, origins })
        }
        _ => Err(report.finish()),
    }
}

/// The components, and the translation so far.
pub(super) struct Translator<'c, 'a, 'f> {
    /// The components in the order of the text.
    blocks: &'c [ComponentBlock<'a>],
    pub(super) components: &'c [Component<'a>],
    /// By id.
    pub(super) nodes: BTreeMap<u64, &'c NodeComponent<'a>>,
    pub(super) report: Report<'f>,
    pub(super) warnings: Report<'f>,
    origins: Origins,
}

/// The nearest of `known` to `id`, as a hint. Not for large networks, where similar ids are not misspellings.
pub(super) fn suggest_id(problem: Problem, id: u64, known: impl Iterator<Item = u64>) -> Problem {
    let known: Vec<String> = known.take(100).map(|id| id.to_string()).collect();
    problem.nearest(&id.to_string(), known.iter().map(String::as_str))
}

impl<'c, 'a> Translator<'c, 'a, '_> {
    /// Translates the components. Returns `None` after reporting an error.
    fn scenario(&mut self) -> Option<(Scenario, Option<TraceUse>)> {
        let simulator = self.simulator();
        let nodes = self.nodes();
        let flows = self.flows();
        let mode = simulator.and_then(|simulator| Some(simulator.trace?.value));
        let file = simulator.and_then(|simulator| simulator.trace_file.as_deref()).unwrap_or(TRACE_FILE);
        let mut links = self.links(mode, file);
        let media = self.shared_links(&mut links);
        let simulator = simulator?;
        let uses_trace = self.trace(simulator);
        let mut traces: Vec<String> = simulator.traces.iter().map(|name| (*name).to_owned()).collect();
        // A trace that was read is written again, so that a result contains the channel's states during its run.
        if uses_trace.is_some() {
            traces.push("air".into());
        }
        let scenario = Scenario {
            title: String::new(),
            profile: Profile::Goel1997,
            scheme: simulator.scheme.clone().map(Named),
            duration: simulator.duration,
            seed: simulator.seed.unwrap_or(1),
            replication: 0,
            nodes,
            links,
            media,
            flows,
            arrivals: IndexMap::new(),
            output: Output {
                traces,
                events: simulator.without_events.iter().map(|kind| format!("-{kind}")).collect(),
                print_interval: simulator.print_interval.filter(|every| *every > Span::ZERO),
                series_interval: None,
            },
            sweep: None,
        };
        Some((scenario, uses_trace))
    }

    /// Records that `key` of the scenario came from the component at byte `at`.
    pub(super) fn place(&mut self, key: &str, at: usize) {
        if let Ok(block) = self.blocks.binary_search_by_key(&at, |block| block.name.at) {
            self.origins.component(key, &self.blocks[block], &self.report);
        }
    }

    fn simulator(&mut self) -> Option<&'c SimulatorComponent> {
        let mut simulators = self.components.iter().filter_map(|component| match component {
            Component::Simulator(simulator) => Some(simulator),
            _ => None,
        });
        let Some(first) = simulators.next() else {
            let problem = Problem::new("a simulator component; there is none").key("simulator");
            self.report.whole(problem.hint("add simulator { system_simulation_time = 4300000 }"));
            return None;
        };
        for again in simulators {
            let line = self.report.line(first.at);
            let problem = Problem::new(format!("simulator once; there is one on line {line} already")).key("simulator");
            self.report.at(again.at, problem.found("simulator again").hint("remove one of them"));
        }
        self.place("", first.at);
        for (name, missing, assumed) in [
            ("print_interval", first.print_interval.is_none(), "0: node states are never printed"),
            ("read_from_trace", first.trace.is_none(), "neither read nor record trace.dat"),
        ] {
            if missing {
                let problem = Problem::new(format!("{name} is missing; assumed {assumed}"));
                self.warnings.at(first.at, problem.key(format!("simulator.{name}")));
            }
        }
        Some(first)
    }

    fn nodes(&mut self) -> IndexMap<String, model::Node> {
        let mut nodes = IndexMap::new();
        for component in self.components {
            let Component::Node(node) = component else { continue };
            let id = node.id.value;
            if let Some(first) = self.nodes.get(&id) {
                let expected =
                    format!("a unique id: {id} is the {} on line {}", first.component, self.report.line(first.at));
                let problem = Problem::new(expected).key(format!("{}.node_id", node.component)).found(id.to_string());
                self.report.at(node.id.at, problem.hint("give every node another node_id"));
                continue;
            }
            self.nodes.insert(id, node);
            self.place(&format!("nodes.{id}"), node.at);
            let node = model::Node {
                kind: node.kind,
                count: None,
                buffer: node.buffer,
                processing_delay: node.processing_delay,
                radio: node.radio,
                scheduler: node.scheduler.clone().map(Named),
                scheme: node.scheme.clone().map(Named),
                position: None,
                motion: None,
                association: None,
            };
            nodes.insert(id.to_string(), node);
        }
        nodes
    }

    /// The problem of a reference to a node that does not exist.
    pub(super) fn no_node(&self, id: u64) -> Problem {
        let problem = Problem::new("the node_id of a node").found(id.to_string());
        suggest_id(problem, id, self.nodes.keys().copied())
    }

    fn flows(&mut self) -> IndexMap<String, Flow> {
        let mut flows = IndexMap::new();
        // Sinks, with the sources that send to them.
        let mut taken: BTreeMap<u64, u64> = BTreeMap::new();
        let mut sources = 0;
        for component in self.components {
            let Component::Node(node @ NodeComponent { transfer: Some(transfer), .. }) = component else { continue };
            sources += 1;
            self.destination(node, transfer, &mut taken);
            let id = node.id.value;
            self.place(&format!("flows.{id}"), node.at);
            flows.insert(id.to_string(), self.flow(node, transfer));
        }
        if sources == 0 {
            let problem = Problem::new("a wired_source_node or wireless_source_node; there is none");
            self.report.whole(problem.hint("without a source nothing is sent"));
        }
        flows
    }

    fn destination(&mut self, node: &NodeComponent<'_>, transfer: &SourceTransfer, taken: &mut BTreeMap<u64, u64>) {
        let to = transfer.to;
        let key = format!("{}.dest_id", node.component);
        match self.nodes.get(&to.value) {
            None => {
                let problem = self.no_node(to.value).key(key);
                self.report.at(to.at, problem);
            }
            Some(there) if !there.is_sink() => {
                let problem = Problem::new("the node_id of a wired_sink_node or wireless_sink_node").key(key);
                let problem = problem.found(format!("{}, a {}", to.value, there.component));
                let sinks = self.nodes.values().filter(|node| node.is_sink()).map(|node| node.id.value);
                self.report.at(to.at, suggest_id(problem, to.value, sinks));
            }
            Some(_) => {
                if let Some(other) = taken.insert(to.value, node.id.value) {
                    let problem = Problem::new(format!("a separate sink: node {other} sends to {}", to.value)).key(key);
                    let problem = problem.found(to.value.to_string()).hint("add a sink for each source");
                    self.report.at(to.at, problem);
                }
            }
        }
    }

    fn flow(&mut self, node: &NodeComponent<'_>, transfer: &SourceTransfer) -> Flow {
        let SourceTransfer { to, packets, size, window, start } = transfer;
        let bytes = packets.value.checked_mul(*size);
        if bytes.is_none() {
            let problem = Problem::new("fewer packets").key(format!("{}.num_of_pkts_to_send", node.component));
            let problem = problem.found(packets.value.to_string());
            self.report.at(packets.at, problem.hint(format!("with {size} bytes each, their bytes exceed 64 bits")));
        }
        if window.value.0 < *size {
            let expected = format!("at least one packet, which has {size} bytes of data");
            let problem = Problem::new(expected).key(format!("{}.recv_wnd_size", node.component));
            let problem = problem.found(format!("{} bytes", window.value.0));
            self.report.at(window.at, problem.hint("it is given in KB of 1024 bytes"));
        }
        Flow {
            bytes: bytes.map(Bytes),
            mss: Bytes(*size),
            receive_window: ReceiveWindow::Fixed(window.value),
            start: *start,
            ..Flow::between([node.id.value.to_string(), to.value.to_string()])
        }
    }

    fn links(&mut self, mode: Option<TraceMode>, file: &str) -> IndexMap<String, model::Link> {
        let mut links = IndexMap::new();
        let mut seen = BTreeMap::new();
        for component in self.components {
            let Component::Link(link) = component else { continue };
            let id = link.id.value;
            if let Some(first) = seen.insert(id, link.at) {
                let line = self.report.line(first);
                let problem = Problem::new(format!("a unique id: {id} is the link on line {line}"));
                let problem = problem.key(format!("{}.link_id", link.component)).found(id.to_string());
                self.report.at(link.id.at, problem.hint("give every link another link_id"));
                continue;
            }
            self.place(&format!("links.{id}"), link.at);
            let link = self.link(link, mode, file);
            links.insert(id.to_string(), link);
        }
        links
    }

    /// The use of the trace file, which holds one link's states [goel1997 B.3.1].
    fn trace(&mut self, simulator: &SimulatorComponent) -> Option<TraceUse> {
        let mode = simulator.trace?;
        let air = |component: &'c Component<'a>| match component {
            Component::Link(link) if matches!(link.medium, Medium::Air(_)) => Some(link.id.value.to_string()),
            _ => None,
        };
        let mut links: Vec<String> = self.components.iter().filter_map(air).collect();
        let key = "simulator.read_from_trace";
        match (mode.value, links.len()) {
            (TraceMode::Read, 1) => {
                let (file, report) = (format!("links.{}.channel.file", links[0]), &self.report);
                self.origins.attribute(file, "simulator", "read_from_trace", mode.at, report);
                Some(TraceUse::Read { link: links.remove(0) })
            }
            (TraceMode::Record | TraceMode::Script, 1) => Some(TraceUse::Record { link: links.remove(0) }),
            (TraceMode::Record, count) => {
                let problem =
                    Problem::new(format!("{TRACE_FILE} holds one wireless_link and there are {count}; not recorded"));
                self.warnings.at(mode.at, problem.key(key));
                None
            }
            (TraceMode::Read | TraceMode::Script, count) => {
                let found = format!("{} with {count} of them", if mode.value == TraceMode::Read { "0" } else { "2" });
                let problem = Problem::new("exactly one wireless_link").key(key).found(found);
                self.report
                    .at(mode.at, problem.hint("write read_from_trace = 1 for a channel with the configured means"));
                None
            }
        }
    }
}
