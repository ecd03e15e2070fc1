//! Schemes made ineffective by their settings.

use super::Context;
use crate::followers::{Followers, scheme_key};
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let mut followers = Followers::new(context.scenario);
    let mut warnings = Vec::new();
    for (number, (name, node)) in context.scenario.nodes.iter().enumerate() {
        let scheme = &context.network.nodes[number].agent;
        let Some(expected) = scheme.without_effect() else { continue };
        if followers.requirements(&scheme.traits()).nodes.contains(name) {
            let problem = Problem::new(expected);
            warnings.push(problem.key(scheme_key(name, node)).found(format!("\"{}\"", scheme.name())));
        }
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, at_node, modify_network};

    pub fn examples() -> [String; 2] {
        ["false", "true"].map(|ack_filter| {
            let filters = format!("ack_filter = {ack_filter}, data_filter = false");
            at_node(&modify_network(&[]), "x", &format!(", scheme = {{ kind = \"packet-control\", {filters} }}"))
        })
    }

    #[test]
    fn packet_control_without_filters_is_reported() {
        let [none, one] = examples();
        assert_only_warning(&none, &["nodes.x.scheme: found \"packet-control\"", "without both"]);
        assert_no_warnings(&one);
    }
}
