//! The members of registries in a scenario.

use std::fmt::Arguments;

use engine::Open;
use engine::registry::MemberVisitor;
use path::agent::AgentConfig;
use path::queue::QueueConfig;
use tcp::PartialConfig;

use crate::Scenario;

/// Visits the members of a scenario.
pub(crate) trait ScenarioVisitor: MemberVisitor + Sized {
    /// Visits a scheme.
    fn visit_scheme(&mut self, key: Arguments<'_>, scheme: &mut AgentConfig) {
        scheme.visit(key, self);
    }

    /// Visits a queue.
    fn visit_queue(&mut self, key: Arguments<'_>, queue: &mut QueueConfig) {
        queue.visit(key, self);
    }
}

/// Visits every place of a scenario where a member of a registry is allowed.
pub(crate) fn visit_members(scenario: &mut Scenario, visitor: &mut impl ScenarioVisitor) {
    if let Some(scheme) = &mut scenario.scheme {
        visitor.visit_scheme(format_args!("scheme"), &mut scheme.0);
    }
    for (name, node) in &mut scenario.nodes {
        if let Some(scheme) = &mut node.scheme {
            visitor.visit_scheme(format_args!("nodes.{name}.scheme"), &mut scheme.0);
        }
        if let Some(scheduler) = &mut node.scheduler {
            scheduler.0.visit(format_args!("nodes.{name}.scheduler"), visitor);
        }
    }
    for (name, link) in &mut scenario.links {
        for (direction, queue) in link.queue.iter_mut().flat_map(|queues| queues.entries_mut()) {
            visitor.visit_queue(format_args!("links.{name}.queue{direction}"), &mut queue.0);
        }
        for (direction, channel) in link.channel.iter_mut().flat_map(|channels| channels.entries_mut()) {
            channel.0.visit(format_args!("links.{name}.channel{direction}"), visitor);
        }
        if let Some(jitter) = &mut link.jitter {
            jitter.delay.visit(format_args!("links.{name}.jitter.delay"), visitor);
        }
        for (direction, arq) in link.arq.iter_mut().flat_map(|arqs| arqs.entries_mut()) {
            arq.0.visit(format_args!("links.{name}.arq{direction}"), visitor);
        }
    }
    for (name, medium) in &mut scenario.media {
        if let Some(control) = &mut medium.rate_control {
            control.0.visit(format_args!("media.{name}.rate_control"), visitor);
        }
    }
    for (name, flow) in &mut scenario.flows {
        if let Some(traffic) = &mut flow.traffic {
            traffic.0.visit(format_args!("flows.{name}.traffic"), visitor);
        }
        visit_tcp(format_args!("flows.{name}.tcp"), &mut flow.tcp, visitor);
        if let Some(tcp) = flow.peer.as_mut().and_then(|peer| peer.tcp.as_mut()) {
            visit_tcp(format_args!("flows.{name}.peer.tcp"), tcp, visitor);
        }
    }
    for (name, arrivals) in &mut scenario.arrivals {
        arrivals.sizes.0.visit(format_args!("arrivals.{name}.sizes"), visitor);
        visit_tcp(format_args!("arrivals.{name}.tcp"), &mut arrivals.tcp, visitor);
        if let Some(tcp) = arrivals.peer.as_mut().and_then(|peer| peer.tcp.as_mut()) {
            visit_tcp(format_args!("arrivals.{name}.peer.tcp"), tcp, visitor);
        }
    }
}

fn visit_tcp(key: Arguments<'_>, tcp: &mut PartialConfig, visitor: &mut impl ScenarioVisitor) {
    if let Some(recovery) = &mut tcp.recovery {
        recovery.0.visit(format_args!("{key}.recovery"), visitor);
    }
    if let Some(control) = &mut tcp.control {
        control.0.visit(format_args!("{key}.control"), visitor);
    }
    if let Some(differentiation) = &mut tcp.loss_differentiation {
        differentiation.0.visit(format_args!("{key}.loss_differentiation"), visitor);
    }
}
