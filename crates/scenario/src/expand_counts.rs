//! Nodes with a `count`: `nodes.m = { kind = "host", count = 3 }` is expanded to m1, m2 and m3, and each link or flow
//! that names m to three copies, one for each node. Flows with a `count` are expanded in the same way. A flow whose
//! application uses several connections is expanded to one flow for each connection: web, web-2, web-3.

use std::collections::HashSet;

use engine::{Named, Stream};
use indexmap::IndexMap;
use sim::ApplicationConfig;

use crate::model::{Flow, Link, MAX_STATIONS, Node, Scenario};
use crate::problem::Problem;

/// The maximum count: the stations of a medium.
const MAX_COUNT: u32 = MAX_STATIONS as u32;

/// The scenario with all copies and connections expanded.
pub(super) fn expand_counts(scenario: Scenario) -> Result<Scenario, Vec<Problem>> {
    let mut scenario = expand_nodes(scenario)?;
    let mut problems = Vec::new();
    let flows = std::mem::take(&mut scenario.flows);
    for (name, count) in flows.iter().filter_map(|(name, flow)| Some((name, flow.count?))) {
        if !(1..=MAX_COUNT).contains(&count) {
            let problem = Problem::new(format!("1 to {MAX_COUNT} flows")).key(format!("flows.{name}.count"));
            problems.push(problem.found(count.to_string()));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let one = |flow: &mut Flow, _: u32| flow.count = None;
    let flows = expand_copies("flows", flows, |_, flow| Ok(flow.count), one, &mut problems);
    scenario.flows = expand_connections(flows, &mut problems);
    // Maps have grown by doubling, and stay for the whole run.
    scenario.nodes.shrink_to_fit();
    scenario.links.shrink_to_fit();
    scenario.flows.shrink_to_fit();
    if problems.is_empty() { Ok(scenario) } else { Err(problems) }
}

/// Expands the flows: a flow whose application uses several connections is followed by a flow for each further
/// connection.
fn expand_connections(flows: IndexMap<String, Flow>, problems: &mut Vec<Problem>) -> IndexMap<String, Flow> {
    let mut all = IndexMap::new();
    let mut names = flows.keys().cloned().collect::<HashSet<_>>();
    let expanded: HashSet<String> = flows.values().filter_map(|flow| flow.connection_of.clone()).collect();
    for (name, flow) in flows {
        let further = further_connections(&flow);
        all.insert(name.clone(), flow.clone());
        if flow.connection_of.is_some() || expanded.contains(&name) {
            continue;
        }
        for number in 2..further + 2 {
            let copy = format!("{name}-{number}");
            if !names.insert(copy.clone()) {
                let problem = Problem::new("another name: a further connection of another flow has this name");
                problems.push(problem.key(format!("flows.{copy}")).found(format!("\"{copy}\"")));
            }
            all.insert(copy, Flow { connection_of: Some(name.clone()), ..flow.clone() });
        }
    }
    all
}

/// The number of connections that a flow's application uses beyond the first.
fn further_connections(flow: &Flow) -> usize {
    match &flow.traffic {
        // An application is built only if its settings are valid; outside members are resolved later.
        Some(Named(traffic)) if !matches!(traffic, ApplicationConfig::Custom(_)) && traffic.check().is_empty() => {
            traffic.build(Stream::default()).connections() - 1
        }
        _ => 0,
    }
}

/// The name of a copy; the first is 1.
fn name_of(name: &str, number: u32) -> String {
    format!("{name}{number}")
}

/// Returns the key in the text for a key of a copy, such as `links.air3.rate`. `is_there` returns true for keys that
/// are in the text.
pub(super) fn key_of_original(key: &str, is_there: impl Fn(&str) -> bool) -> Option<String> {
    let mut parts = key.splitn(3, '.');
    let (table, name, rest) = (parts.next()?, parts.next()?, parts.next());
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let original = format!("{table}.{stem}");
    let is_copy = stem.len() < name.len() && !is_there(&format!("{table}.{name}")) && is_there(&original);
    is_copy.then(|| rest.map_or(original.clone(), |rest| format!("{original}.{rest}")))
}

/// The scenario with all copies of nodes expanded.
fn expand_nodes(mut scenario: Scenario) -> Result<Scenario, Vec<Problem>> {
    if scenario.nodes.values().all(|node| node.count.is_none()) {
        return Ok(scenario);
    }
    let counts: IndexMap<String, u32> =
        scenario.nodes.iter().filter_map(|(name, node)| Some((name.clone(), node.count?))).collect();
    let mut problems = Vec::new();
    for (name, count) in counts.iter().filter(|(_, count)| !(1..=MAX_COUNT).contains(*count)) {
        let problem = Problem::new(format!("1 to {MAX_COUNT} nodes")).key(format!("nodes.{name}.count"));
        problems.push(problem.found(count.to_string()));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let one = |node: &mut Node, _: u32| node.count = None;
    let nodes = expand_copies("nodes", scenario.nodes, |name, _| Ok(counts.get(name).copied()), one, &mut problems);
    let of_ends = |ends: [&String; 2]| match ends.map(|end| counts.get(end)) {
        [Some(here), Some(there)] if here != there => Err(Problem::new(format!(
            "equal counts at both ends, which are joined in pairs; there are {here} {} and {there} {}",
            ends[0], ends[1]
        ))),
        [here, there] => Ok(here.or(there).copied()),
    };
    let choose = |end: &mut String, number: u32| {
        if counts.contains_key(end) {
            *end = name_of(end, number);
        }
    };
    let between = |link: &mut Link, number: u32| link.between.iter_mut().for_each(|end| choose(end, number));
    let of_link = |_: &str, link: &Link| of_ends([&link.between[0], &link.between[1]]);
    let links = expand_copies("links", scenario.links, of_link, between, &mut problems);
    let ends =
        |flow: &mut Flow, number: u32| [&mut flow.from, &mut flow.to].into_iter().for_each(|end| choose(end, number));
    let of_flow = |_: &str, flow: &Flow| of_ends([&flow.from, &flow.to]);
    let flows = expand_copies("flows", scenario.flows, of_flow, ends, &mut problems);
    (scenario.nodes, scenario.links, scenario.flows) = (nodes, links, flows);
    if problems.is_empty() { Ok(scenario) } else { Err(problems) }
}

/// Returns the entries of a table. An entry with a count is replaced by its copies, which `change` changes.
fn expand_copies<T: Clone>(
    table: &str,
    entries: IndexMap<String, T>,
    count: impl Fn(&str, &T) -> Result<Option<u32>, Problem>,
    change: impl Fn(&mut T, u32),
    problems: &mut Vec<Problem>,
) -> IndexMap<String, T> {
    let mut all = IndexMap::new();
    for (name, entry) in &entries {
        match count(name, entry) {
            Err(problem) => problems.push(problem.key(format!("{table}.{name}"))),
            Ok(None) => {
                all.insert(name.clone(), entry.clone());
            }
            Ok(Some(count)) => {
                for number in 1..=count {
                    let copy = name_of(name, number);
                    if entries.contains_key(&copy) {
                        let problem = Problem::new("another name: a copy of another entry has this name");
                        let problem = problem.key(format!("{table}.{copy}")).found(format!("\"{copy}\""));
                        problems.push(problem.hint(format!("{table}.{name} stands for {name}1 to {name}{count}")));
                    }
                    let mut changed = entry.clone();
                    change(&mut changed, number);
                    all.insert(copy, changed);
                }
            }
        }
    }
    all
}
