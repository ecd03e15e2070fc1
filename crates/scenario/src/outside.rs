//! Outside members that a scenario names.

use std::fmt::Arguments;

use engine::members::{Members, Open, Unreadable, Unresolved};
use engine::registry::by_name;
use path::agent::AgentConfig;
use path::link::jitter::DelayConfig;
use path::queue::QueueConfig;
use serde_json::{Map, Value};
use sim::ApplicationConfig;
use tcp::PartialConfig;
use tcp::response::ResponseConfig;

use crate::Scenario;
use crate::model::Directed;
use crate::problem::Problem;

/// A member of a [`Members`] table, as a scenario names it.
#[derive(Clone, PartialEq, Debug)]
pub struct OutsideMember {
    /// The key that names it, such as `flows.download.tcp.control`.
    pub key: String,
    /// The kind of its registry, such as `congestion control`.
    pub registry: &'static str,
    /// Its name.
    pub name: String,
    /// Its version; stores refuse members without one.
    pub version: Option<String>,
    /// Its settings as the scenario gives them.
    pub settings: Map<String, Value>,
}

/// Binds all outside members to those of `members`, and returns them.
///
/// # Errors
///
/// Each member that is not in the table or whose settings cannot be read, with its key.
pub fn resolve(scenario: &mut Scenario, members: &Members) -> Result<Vec<OutsideMember>, Vec<(String, Unresolved)>> {
    let mut resolver = Resolver { members, found: Vec::new(), unresolved: Vec::new() };
    visit(scenario, &mut resolver);
    if resolver.unresolved.is_empty() { Ok(resolver.found) } else { Err(resolver.unresolved) }
}

/// The problem of the member at `key`.
pub(crate) fn problem(key: String, error: Unresolved) -> Problem {
    match error {
        Unresolved::Unknown { name, known } => {
            let problem = Problem::new(format!("one of: {}", known.join(", "))).key(key).found(format!("\"{name}\""));
            problem.did_you_mean(&name, known.iter().map(String::as_str))
        }
        Unresolved::Settings(Unreadable { path, message }) => {
            Problem::new(message).key(if path.is_empty() { key } else { format!("{key}.{path}") })
        }
    }
}

struct Resolver<'a> {
    members: &'a Members,
    found: Vec<OutsideMember>,
    unresolved: Vec<(String, Unresolved)>,
}

impl Resolver<'_> {
    fn member<R: Open>(&mut self, key: Arguments<'_>, member: &mut R) {
        if let Err(error) = self.members.resolve(member) {
            self.unresolved.push((key.to_string(), error));
        } else if let Some(custom) = member.custom() {
            self.found.push(OutsideMember {
                key: key.to_string(),
                registry: R::WHAT,
                name: custom.name().to_owned(),
                version: custom.version().map(str::to_owned),
                settings: custom.settings().clone(),
            });
        }
    }

    /// A scheme, and the sender's part of the same name, if the table has one.
    fn scheme(&mut self, key: Arguments<'_>, scheme: &mut AgentConfig) {
        self.member(key, scheme);
        if by_name::<ResponseConfig>(scheme.name()).is_some() {
            return;
        }
        match self.members.by_name::<ResponseConfig>(scheme.name()) {
            Ok(None) => {}
            Ok(Some(mut response)) => self.member(key, &mut response),
            Err(Unreadable { message, .. }) => {
                let message = format!("a response \"{}\" with a default for each setting: {message}", scheme.name());
                let error = Unresolved::Settings(Unreadable { path: String::new(), message });
                self.unresolved.push((key.to_string(), error));
            }
        }
    }

    /// The text of a queue may also be a limit.
    fn queue(&mut self, key: Arguments<'_>, queue: &mut QueueConfig) {
        let before = self.unresolved.len();
        self.member(key, queue);
        for (_, error) in &mut self.unresolved[before..] {
            if let Unresolved::Unknown { known, .. } = error {
                known.extend(["unlimited".into(), "a limit such as \"50 packets\"".into()]);
            }
        }
    }

    fn delay_distribution(&mut self, key: Arguments<'_>, delay: &mut DelayConfig) {
        if let DelayConfig::Mixture(mixture) = delay {
            for (number, part) in mixture.parts.iter_mut().enumerate() {
                self.delay_distribution(format_args!("{key}.parts[{number}].delay"), &mut part.delay);
            }
        }
        self.member(key, delay);
    }

    fn traffic(&mut self, key: Arguments<'_>, traffic: &mut ApplicationConfig) {
        match traffic {
            ApplicationConfig::OnOff(config) => {
                self.delay_distribution(format_args!("{key}.on"), &mut config.on);
                self.delay_distribution(format_args!("{key}.off"), &mut config.off);
            }
            ApplicationConfig::Requests(config) => {
                self.member(format_args!("{key}.sizes"), &mut config.sizes);
                self.delay_distribution(format_args!("{key}.think"), &mut config.think);
            }
            _ => {}
        }
        self.member(key, traffic);
    }

    fn tcp(&mut self, key: Arguments<'_>, tcp: &mut PartialConfig) {
        if let Some(recovery) = &mut tcp.recovery {
            self.member(format_args!("{key}.recovery"), &mut recovery.0);
        }
        if let Some(control) = &mut tcp.control {
            self.member(format_args!("{key}.control"), &mut control.0);
        }
        if let Some(differentiation) = &mut tcp.loss_differentiation {
            self.member(format_args!("{key}.loss_differentiation"), &mut differentiation.0);
        }
    }
}

/// Visits every place of a scenario where a member of a registry is allowed.
fn visit(scenario: &mut Scenario, resolver: &mut Resolver<'_>) {
    if let Some(scheme) = &mut scenario.scheme {
        resolver.scheme(format_args!("scheme"), &mut scheme.0);
    }
    for (name, node) in &mut scenario.nodes {
        if let Some(scheme) = &mut node.scheme {
            resolver.scheme(format_args!("nodes.{name}.scheme"), &mut scheme.0);
        }
        if let Some(scheduler) = &mut node.scheduler {
            resolver.member(format_args!("nodes.{name}.scheduler"), &mut scheduler.0);
        }
    }
    for (name, link) in &mut scenario.links {
        for queue in link.queue.iter_mut().flat_map(Directed::values_mut) {
            resolver.queue(format_args!("links.{name}.queue"), &mut queue.0);
        }
        for channel in link.channel.iter_mut().flat_map(Directed::values_mut) {
            resolver.member(format_args!("links.{name}.channel"), &mut channel.0);
        }
        if let Some(jitter) = &mut link.jitter {
            resolver.delay_distribution(format_args!("links.{name}.jitter.delay"), &mut jitter.delay);
        }
        for arq in link.arq.iter_mut().flat_map(Directed::values_mut) {
            resolver.member(format_args!("links.{name}.arq"), &mut arq.0);
        }
    }
    for (name, medium) in &mut scenario.media {
        if let Some(control) = &mut medium.rate_control {
            resolver.member(format_args!("media.{name}.rate_control"), &mut control.0);
        }
    }
    for (name, flow) in &mut scenario.flows {
        if let Some(traffic) = &mut flow.traffic {
            resolver.traffic(format_args!("flows.{name}.traffic"), &mut traffic.0);
        }
        resolver.tcp(format_args!("flows.{name}.tcp"), &mut flow.tcp);
    }
    for (name, arrivals) in &mut scenario.arrivals {
        resolver.member(format_args!("arrivals.{name}.sizes"), &mut arrivals.sizes.0);
        resolver.tcp(format_args!("arrivals.{name}.tcp"), &mut arrivals.tcp);
    }
}
