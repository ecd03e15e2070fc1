//! The check of a scenario, which returns the network that the scenario describes, or all errors.

mod changes;
mod link;
mod media;
mod names;
mod peer;
mod places;
mod tcp;

use ::tcp::PartialConfig;
use ::tcp::config::EcnCodepoint;
use ::tcp::response::ResponseConfig;
use engine::registry::{Fault, Settings};
use engine::{Members, Open, Span, Stream, Time};
use path::agent::{AgentConfig, SchemeNode};
use sim::{
    ApplicationConfig, ArrivalSpec, FlowSpec, Network, NodeKind, NodeSetting, NodeSpec, ReaderConfig, Transport,
};
use wire::Addr;

use crate::incidence::Incidence;
use crate::lint;
use crate::model::{Arrivals, Flow, Node, Scenario};
use crate::outside;
use crate::problem::Problem;
use crate::recordings::RecordingCache;
use crate::routes::check_routes;
use crate::traces;
use engine::Named;
use names::NameIndex;
use places::check_places;

/// A network that can run, and warnings about it.
#[derive(Debug)]
pub struct Checked {
    /// The network.
    pub network: Network,
    /// Warnings: valid settings that are probably not intended.
    pub warnings: Vec<Problem>,
}

/// Maximum duration, which the clock can represent.
const MAX_DURATION: Span = Span::from_secs(366 * 24 * 3600);
/// Maximum propagation delay, longer than to Mars and back.
const MAX_DELAY: Span = Span::from_secs(3600);
/// Checks a scenario that names members of the registries only.
///
/// # Errors
///
/// Every problem, not only the first.
pub fn check(scenario: &Scenario) -> Result<Checked, Vec<Problem>> {
    check_with(scenario, &Members::default())
}

/// Checks a scenario as [`check`] does. The scenario may name `members` in addition to the registries' own.
///
/// # Errors
///
/// As [`check`].
pub fn check_with(scenario: &Scenario, members: &Members) -> Result<Checked, Vec<Problem>> {
    let mut scenario = scenario.clone();
    let resolved = outside::resolve_members(&mut scenario, members);
    resolved.map_err(|all| {
        all.into_iter().map(|(key, error)| outside::explain_unresolved(key, error)).collect::<Vec<_>>()
    })?;
    check_resolved(&scenario, &RecordingCache::default(), members)
}

/// Checks a scenario as `check` does. The members of the scenario are resolved in `members`, and its recordings have
/// been read.
pub(crate) fn check_resolved(
    scenario: &Scenario,
    recordings: &RecordingCache,
    members: &Members,
) -> Result<Checked, Vec<Problem>> {
    let mut checker = Checker { scenario, recordings, members, names: NameIndex::new(scenario), problems: Vec::new() };
    let network = checker.network();
    if !checker.problems.is_empty() {
        return Err(checker.problems);
    }
    let incidence = Incidence::new(&network);
    let (routes, problems) = (check_routes(&network), check_places(scenario, &network, &incidence));
    match routes {
        Ok(routes) if problems.is_empty() => {
            let context =
                lint::Context { scenario, members, network: &network, routes: &routes, incidence: &incidence };
            let warnings = lint::warnings(&context);
            Ok(Checked { network, warnings })
        }
        routes => Err(routes.err().into_iter().flatten().chain(problems).collect()),
    }
}

pub(super) struct Checker<'a> {
    scenario: &'a Scenario,
    recordings: &'a RecordingCache,
    members: &'a Members,
    names: NameIndex<'a>,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    pub(super) fn report_problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn network(&mut self) -> Network {
        let scenario = self.scenario;
        if scenario.duration == Span::ZERO || scenario.duration > MAX_DURATION {
            self.report_problem(out_of_range(
                "duration",
                scenario.duration,
                "more than 0 and at most 8784 h, 366 days",
            ));
        }
        if let Err(problem) = traces::parse_trace_names(&scenario.output.traces) {
            self.report_problem(problem.key("output.traces"));
        }
        if let Err(problem) = crate::EventKinds::select(&scenario.output.events) {
            self.report_problem(problem.key("output.events"));
        }
        let intervals =
            [("print_interval", scenario.output.print_interval), ("series_interval", scenario.output.series_interval)];
        for (key, _) in intervals.into_iter().filter(|(_, interval)| *interval == Some(Span::ZERO)) {
            self.report_problem(Problem::new("more than 0").key(format!("output.{key}")).found("0 s"));
        }
        if scenario.nodes.len() > Addr::MAX_NODES {
            self.report_problem(Problem::new(format!("at most {} nodes", Addr::MAX_NODES)).key("nodes"));
        }
        if let Some(Named(scheme)) = &scenario.scheme {
            self.faults("scheme", scheme.check());
        }
        if scenario.flows.is_empty() && scenario.arrivals.is_empty() {
            self.report_problem(
                Problem::new("at least one flow").key("flows").hint("add a table such as [flows.download]"),
            );
        }
        self.connections();
        Network {
            nodes: scenario.nodes.iter().map(|(name, node)| self.node(name, node)).collect(),
            links: scenario.links.iter().map(|(name, link)| self.link(name, link)).collect(),
            media: scenario.media.iter().map(|(name, medium)| self.medium_spec(name, medium)).collect(),
            flows: scenario.flows.iter().map(|(name, flow)| self.flow(name, flow)).collect(),
            duration: scenario.duration,
            seed: scenario.seed,
            replication: scenario.replication,
            arrivals: scenario.arrivals.iter().map(|(name, arrivals)| self.arrivals(name, arrivals)).collect(),
        }
    }

    /// Checks a name that becomes part of file names.
    pub(super) fn name(&mut self, key: &str, name: &str) {
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
            let expected = "a name of at most 64 letters, digits, - and _ (it becomes part of file names and keys)";
            self.report_problem(Problem::new(expected).key(key).found(format!("\"{name}\"")));
        }
    }

    /// The scheme of a node: the setting of the node, otherwise the setting of the scenario. An outside scheme of the
    /// scenario applies to the nodes that its traits list, and to hosts if it has a sender's part. Schemes of this
    /// project apply to all nodes: an agent without a part at a node has no effect there.
    fn scheme(&self, node: &Node) -> AgentConfig {
        let has_part = |name: &str| matches!(self.members.by_name::<ResponseConfig>(name), Ok(Some(_)) | Err(_));
        let lists = |scheme: &AgentConfig| match scheme.custom() {
            Some(custom) if custom.is_resolved() => {
                if node.kind.is_base_station() {
                    custom.traits().changes(SchemeNode::BaseStation)
                } else {
                    let at_hosts =
                        [SchemeNode::Sender, SchemeNode::Receiver].iter().any(|place| custom.traits().changes(*place));
                    at_hosts || has_part(custom.name())
                }
            }
            _ => true,
        };
        let own = node.scheme.as_ref().map(|Named(scheme)| scheme);
        let common = self.scenario.scheme.as_ref().map(|Named(scheme)| scheme).filter(|scheme| lists(scheme));
        own.or(common).cloned().unwrap_or_default()
    }

    fn node(&mut self, name: &str, node: &Node) -> NodeSpec {
        let key = format!("nodes.{name}");
        self.name(&key, name);
        for setting in NodeSetting::ALL.into_iter().filter(|setting| !node.kind.accepts(*setting)) {
            let Some(found) = node.format_setting(setting) else { continue };
            let problem = Problem::new(format!("no value: only valid for {}", setting.kinds()));
            let problem = problem.key(format!("{key}.{}", setting.key())).found(found);
            self.report_problem(match node.kind.alternative(setting) {
                Some(kind) => problem.hint(format!("write kind = \"{}\"", kind.name())),
                None => problem.hint("leave it out"),
            });
        }
        if let Some(Named(scheme)) = &node.scheme {
            self.faults(&format!("{key}.scheme"), scheme.check());
        }
        let scheduler = node.scheduler.as_ref().map_or_else(Default::default, |Named(scheduler)| scheduler.clone());
        self.faults(&format!("{key}.scheduler"), scheduler.check());
        let processing_delay = node.processing_delay.unwrap_or_default();
        if processing_delay > MAX_DELAY {
            self.report_problem(out_of_range(&format!("{key}.processing_delay"), processing_delay, "at most an hour"));
        }
        NodeSpec {
            name: name.to_owned(),
            kind: node.kind,
            buffer: node.buffer,
            processing_delay,
            radio: node.radio,
            scheduler,
            agent: if node.kind.runs_agent() { self.scheme(node) } else { AgentConfig::default() },
            place: self.place(&key, node),
            association: self.association(&key, name, node),
        }
    }

    /// The number of the node called `name`.
    fn node_number(&mut self, key: &str, name: &str) -> usize {
        self.scenario.nodes.get_index_of(name).unwrap_or_else(|| {
            let known = self.scenario.nodes.keys().map(String::as_str);
            let problem = Problem::new("a node").key(key).found(format!("\"{name}\""));
            let problem = self.names.suggest(problem, name, known);
            self.report_problem(problem);
            0
        })
    }

    /// Reports the fault of the setting at `key`.
    pub(super) fn fault(&mut self, key: String, Fault { found, expected, hint, .. }: Fault) {
        self.report_problem(Problem { key: Some(key), found, expected, hint, ..Problem::default() });
    }

    /// Reports the faults of a member of a registry, whose settings are at `key`.
    pub(super) fn faults(&mut self, key: &str, faults: Vec<Fault>) {
        for Fault { key: setting, entry, found, expected, hint } in faults {
            let entry = entry.map_or_else(String::new, |number| format!("[{number}]"));
            let key = Some(format!("{key}.{setting}{entry}"));
            self.report_problem(Problem { key, found, expected, hint, ..Problem::default() });
        }
    }

    /// Checks that the flows of an application with several connections follow each other. Loaded scenarios satisfy
    /// this; only a text that sets `connection_of` explicitly can have another order.
    fn connections(&mut self) {
        let flows: Vec<(&String, &Flow)> = self.scenario.flows.iter().collect();
        let mut at = 0;
        while let Some((name, flow)) = flows.get(at) {
            if let Some(of) = &flow.connection_of {
                let problem = Problem::new("a directly preceding flow whose application has this connection");
                self.report_problem(problem.key(format!("flows.{name}.connection_of")).found(format!("\"{of}\"")));
                return;
            }
            let of_this = |(_, flow): &&(&String, &Flow)| flow.connection_of.as_ref() == Some(*name);
            let found = 1 + flows[at + 1..].iter().take_while(of_this).count();
            let application = flow.traffic.as_ref().map(|Named(traffic)| traffic);
            let application = application.filter(|traffic| traffic.check().is_empty());
            let connections = application.map_or(found, |traffic| traffic.build(Stream::default()).connections());
            if connections != found {
                let problem = Problem::new(format!("an application with as many connections as flows, {found}"));
                let problem = problem.key(format!("flows.{name}.traffic")).found(format!("{connections} connections"));
                self.report_problem(problem.hint("applications from outside have one connection"));
            }
            at += found;
        }
    }

    /// The application of a flow; `bytes` is short for a bulk transfer.
    fn traffic(&mut self, key: &str, flow: &Flow) -> ApplicationConfig {
        let Some(Named(traffic)) = &flow.traffic else {
            let bulk = ApplicationConfig::bulk(flow.bytes.map(|bytes| bytes.0));
            // The setting has the name of the flow's key.
            self.faults(key, bulk.check());
            return bulk;
        };
        if let Some(bytes) = flow.bytes {
            let problem = Problem::new("either `bytes` or `traffic`, not both").key(format!("{key}.bytes"));
            self.report_problem(problem.found(bytes.to_string()));
        }
        self.faults(&format!("{key}.traffic"), traffic.check());
        traffic.clone()
    }

    /// Checks the ends and times of a flow or of flows at `key`. Returns the nodes between which they run; the
    /// application runs from `start` to `stop`.
    fn ends(&mut self, key: &str, flow: &Flow) -> [usize; 2] {
        let from = self.node_number(&format!("{key}.from"), &flow.from);
        let to = self.node_number(&format!("{key}.to"), &flow.to);
        for (end, node) in [("from", &flow.from), ("to", &flow.to)] {
            if self.scenario.nodes.get(node).is_some_and(|node| !node.kind.ends_flows()) {
                let problem =
                    Problem::new(format!("a node of kind {}", NodeKind::flow_ends())).key(format!("{key}.{end}"));
                self.report_problem(problem.found(format!("\"{node}\"")));
            }
        }
        if flow.from == flow.to {
            self.report_problem(
                Problem::new("another host than `from`").key(format!("{key}.to")).found(format!("\"{}\"", flow.to)),
            );
        }
        // A zero duration is reported separately.
        if flow.start >= self.scenario.duration && self.scenario.duration > Span::ZERO {
            let problem = Problem::new("a time before the end (`duration`)").key(format!("{key}.start"));
            self.report_problem(problem.found(flow.start.to_string()));
        }
        if let Some(stop) = flow.stop.filter(|stop| *stop <= flow.start) {
            let problem = Problem::new(format!("a time after the start at {}", flow.start));
            self.report_problem(problem.key(format!("{key}.stop")).found(stop.to_string()));
        }
        [from, to]
    }

    /// Returns the TCP settings of a flow, and those of its receiving end if they differ. The sender has the sender's part
    /// of its node's scheme.
    fn tcp_of(&mut self, key: &str, flow: &Flow) -> (::tcp::Config, Option<Box<::tcp::Config>>) {
        let response = match self.scenario.nodes.get(&flow.from) {
            Some(node) => self.scheme(node),
            None => AgentConfig::default(),
        };
        let sender = self.tcp(key, flow, &response);
        let peer = self.peer_tcp(key, flow, &sender);
        (sender, peer)
    }

    fn flow(&mut self, name: &str, flow: &Flow) -> FlowSpec {
        let key = format!("flows.{name}");
        self.name(&key, name);
        let [from, to] = self.ends(&key, flow);
        let traffic = self.traffic(&key, flow);
        let (tcp, peer) = self.tcp_of(&key, flow);
        FlowSpec {
            name: name.to_owned(),
            from,
            to,
            transport: self.transport(&key, flow, &traffic),
            ecn_codepoint: flow.ecn_codepoint,
            traffic,
            start: Time::ZERO + flow.start,
            tcp,
            class: flow.class,
            stop: flow.stop.map_or(Time::NEVER, |stop| Time::ZERO + stop),
            further_connection: flow.connection_of.is_some(),
            peer,
            reader: self.reader(&key, flow),
        }
    }

    /// The transport protocol of a flow, which its application must support.
    fn transport(&mut self, key: &str, flow: &Flow, traffic: &ApplicationConfig) -> Transport {
        // An application is built only if its settings are valid.
        if !traffic.check().is_empty() {
            return Transport::Tcp;
        }
        let application = traffic.build(Stream::default());
        let transport = flow.transport.unwrap_or(application.usual_transport());
        if !application.transports().contains(&transport) {
            let names = application.transports().iter().map(|transport| format!("\"{}\"", transport.name()));
            let names = names.collect::<Vec<_>>().join(" or ");
            let problem = Problem::new(format!("{names}: {} traffic uses no other", traffic.name()));
            let problem = problem.key(format!("{key}.transport")).found(format!("\"{}\"", transport.name()));
            self.report_problem(problem);
        }
        if transport != Transport::Tcp && flow.tcp != PartialConfig::default() {
            let problem = Problem::new(format!("settings of TCP, which a flow over {} does not use", transport.name()));
            self.report_problem(problem.key(format!("{key}.tcp")).found("a table"));
        }
        if transport != Transport::Tcp && flow.peer.is_some() {
            let problem = Problem::new(format!("settings of TCP, which a flow over {} does not use", transport.name()));
            self.report_problem(problem.key(format!("{key}.peer")).found("a table"));
        }
        if let Some(reader) = flow.reader.filter(|_| transport != Transport::Tcp) {
            let problem = Problem::new(format!("no value: a flow over {} has no receive buffer", transport.name()));
            self.report_problem(problem.key(format!("{key}.reader")).found(reader.to_string()));
        }
        if let Some(codepoint) = flow.ecn_codepoint.filter(|_| transport == Transport::Tcp) {
            let problem = Problem::new("no value: a flow over TCP negotiates ECN").key(format!("{key}.ecn_codepoint"));
            let name = if codepoint == EcnCodepoint::Ect1 { "ect1" } else { "ect0" };
            let hint = format!("write tcp = {{ ecn = \"request\", ecn_codepoint = \"{name}\" }}");
            self.report_problem(problem.found(format!("\"{name}\"")).hint(hint));
        }
        transport
    }

    /// Checks the reader of the flow at `key`, and returns it.
    fn reader(&mut self, key: &str, flow: &Flow) -> Option<ReaderConfig> {
        if let Some(reader) = flow.reader {
            self.faults(&format!("{key}.reader"), reader.check());
        }
        flow.reader
    }

    fn arrivals(&mut self, name: &str, arrivals: &Arrivals) -> ArrivalSpec {
        let key = format!("arrivals.{name}");
        self.name(&key, name);
        let flow = arrivals.flow();
        let [from, to] = self.ends(&key, &flow);
        self.faults(&format!("{key}.sizes"), arrivals.sizes.0.check());
        if arrivals.max_flows == Some(0) {
            self.report_problem(Problem::new("at least one flow").key(format!("{key}.max_flows")).found("0"));
        }
        let (tcp, peer) = self.tcp_of(&key, &flow);
        ArrivalSpec {
            name: name.to_owned(),
            from,
            to,
            rate: arrivals.rate,
            sizes: arrivals.sizes.0.clone(),
            start: Time::ZERO + arrivals.start,
            stop: arrivals.stop.map_or(Time::NEVER, |stop| Time::ZERO + stop),
            count: arrivals.max_flows,
            tcp,
            class: arrivals.class,
            peer,
            reader: self.reader(&key, &flow),
        }
    }
}

fn out_of_range(key: &str, found: Span, expected: &str) -> Problem {
    Problem::new(expected).key(key).found(found.to_string())
}
