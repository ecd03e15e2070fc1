//! Schemes that depend on predicted fades, on channels without states.

use engine::Stream;
use path::agent::{AgentConfig, SchemeNode};
use path::channel::ChannelConfig;

use super::Context;
use crate::followers::{Followers, scheme_key};
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let mut followers = Followers::new(context.scenario);
    let mut warnings = Vec::new();
    for (number, (name, node)) in context.scenario.nodes.iter().enumerate() {
        let scheme = &context.network.nodes[number].agent;
        if followers.requirements(&scheme.traits()).nodes.contains(name) && foresees_nothing(context, number, scheme) {
            let text = format!("a channel with states, on which it depends: no link of {name} has one");
            let problem = Problem::new(text).key(scheme_key(name, node)).found(format!("\"{}\"", scheme.name()));
            warnings.push(problem.hint("write channel = { kind = \"two-state\", ... }, or a scripted or recorded one"));
        }
    }
    warnings
}

fn foresees_nothing(context: &Context<'_>, node: usize, scheme: &AgentConfig) -> bool {
    let foresees = scheme.build().is_some_and(|agent| agent.foresight().is_some());
    let states = |channel: &ChannelConfig| channel.build(Stream::named(0, 0, "states")).has_states();
    let mut air = context.incidence.links(context.network, node).filter(|link| link.wireless);
    foresees
        && scheme.traits().changes(SchemeNode::Receiver)
        && !air.any(|link| link.directions().iter().any(|way| states(way.channel)))
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, at_node, modify_network};

    pub fn examples() -> [String; 2] {
        let still = "channel = { kind = \"gilbert-elliott\", p = 0.01, r = 0.5 }\n";
        let states = "channel = { kind = \"two-state\", mean_good = \"5 s\", mean_bad = \"1 s\" }\n";
        [still, states].map(|channel| {
            at_node(&modify_network(&[("arq = \"stop-and-wait\"\n", channel)]), "b", ", scheme = \"freeze-tcp\"")
        })
    }

    #[test]
    fn freezing_scheme_on_a_channel_without_states_is_reported() {
        let [still, states] = examples();
        assert_only_warning(&still, &["nodes.b.scheme: found \"freeze-tcp\"", "no link of b"]);
        assert_no_warnings(&states);
    }
}
