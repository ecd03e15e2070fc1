//! Flows with ECN on a route without marking.

use tcp::config::EcnMode;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { scenario, network, routes, .. } = *context;
    let mut warnings = Vec::new();
    for ((flow, written), [there, _]) in network.flows.iter().zip(scenario.flows.values()).zip(routes) {
        let marks = there.hops.iter().any(|hop| network.links[hop / 2].queue.marks());
        if flow.tcp.ecn == EcnMode::Request && !marks {
            let key = if written.tcp.ecn.is_some() { "ecn" } else { "variant" };
            let text = format!("flows.{} requests ECN, and no queue on its route marks packets", flow.name);
            let problem = Problem::new(text).key(format!("flows.{}.tcp.{key}", flow.name));
            warnings.push(problem.hint("give the bottleneck's link a queue that marks: ecn_threshold = \"20 packets\", or queue = \"fq-codel\""));
        }
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, network_with_tcp};

    fn marking(settings: &str) -> String {
        network_with_tcp(settings).replacen(
            "delay = \"100 ms\"",
            "delay = \"100 ms\"\nqueue = \"50 packets\"\necn_threshold = \"20 packets\"",
            1,
        )
    }

    pub fn examples() -> [String; 2] {
        [network_with_tcp("ecn = \"request\""), marking("ecn = \"request\"")]
    }

    #[test]
    fn ecn_without_a_threshold_is_reported() {
        for (settings, key) in [("variant = \"dctcp\"", "variant"), ("ecn = \"request\"", "ecn")] {
            assert_only_warning(
                &network_with_tcp(settings),
                &[&format!("flows.down.tcp.{key}: flows.down requests ECN"), "no queue on its route marks"],
            );
        }
        assert_no_warnings(&network_with_tcp("ecn = \"accept\""));
        assert_no_warnings(&marking("variant = \"dctcp\""));
    }
}
