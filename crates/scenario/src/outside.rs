//! Outside members named by a scenario.

use std::fmt::Arguments;

use engine::members::{Members, Open, Unreadable, Unresolved};
use engine::registry::{MemberVisitor, by_name};
use path::agent::AgentConfig;
use path::queue::QueueConfig;
use serde_json::{Map, Value};
use tcp::response::ResponseConfig;

use crate::Scenario;
use crate::members::{ScenarioVisitor, visit_members};
use crate::problem::Problem;

/// A member of a [`Members`] table, as a scenario names it.
#[derive(Clone, PartialEq, Debug)]
pub struct OutsideMember {
    /// Key of the member, such as `flows.download.tcp.control`.
    pub key: String,
    /// Kind of the member's registry, such as `congestion control`.
    pub registry: &'static str,
    /// Name of the member.
    pub name: String,
    /// Version of the member; stores refuse members without one.
    pub version: Option<String>,
    /// Settings of the member as given in the scenario.
    pub settings: Map<String, Value>,
}

/// Binds all outside members to the entries of `members`, and returns the members.
///
/// # Errors
///
/// Each member that is not in the table or whose settings cannot be read, with its key.
pub fn resolve_members(
    scenario: &mut Scenario,
    members: &Members,
) -> Result<Vec<OutsideMember>, Vec<(String, Unresolved)>> {
    let mut resolver = Resolver { members, found: Vec::new(), unresolved: Vec::new() };
    visit_members(scenario, &mut resolver);
    if resolver.unresolved.is_empty() { Ok(resolver.found) } else { Err(resolver.unresolved) }
}

/// The problem of the member at `key`.
pub(crate) fn explain_unresolved(key: String, error: Unresolved) -> Problem {
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

impl MemberVisitor for Resolver<'_> {
    fn visit_member<R: Open>(&mut self, key: Arguments<'_>, member: &mut R) {
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
}

impl ScenarioVisitor for Resolver<'_> {
    /// Visits the scheme, and the sender's part with the same name, which is a member too if the table has one.
    fn visit_scheme(&mut self, key: Arguments<'_>, scheme: &mut AgentConfig) {
        scheme.visit(key, self);
        if by_name::<ResponseConfig>(scheme.name()).is_some() {
            return;
        }
        match self.members.by_name::<ResponseConfig>(scheme.name()) {
            Ok(None) => {}
            Ok(Some(mut response)) => self.visit_member(key, &mut response),
            Err(Unreadable { message, .. }) => {
                let message = format!("a response \"{}\" with a default for each setting: {message}", scheme.name());
                let error = Unresolved::Settings(Unreadable { path: String::new(), message });
                self.unresolved.push((key.to_string(), error));
            }
        }
    }

    /// Resolves a queue, whose text may also be a limit.
    fn visit_queue(&mut self, key: Arguments<'_>, queue: &mut QueueConfig) {
        let before = self.unresolved.len();
        queue.visit(key, self);
        for (_, error) in &mut self.unresolved[before..] {
            if let Unresolved::Unknown { known, .. } = error {
                known.extend(["unlimited".into(), "a limit such as \"50 packets\"".into()]);
            }
        }
    }
}
