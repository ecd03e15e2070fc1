//! Loss recoveries that need SACK, with SACK disabled.

use sim::FlowSpec;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let without = |flow: &&FlowSpec| flow.tcp.recovery.build().uses_sack() && !flow.tcp.sack;
    let warning = |flow: &FlowSpec| {
        let text = format!("{} needs SACK: without it losses are recovered as in NewReno", flow.tcp.recovery.name());
        let problem = Problem::new(text).key(format!("flows.{}.tcp.sack", flow.name)).found("false");
        problem.hint("leave out `sack`, or write recovery = \"newreno\"")
    };
    context.network.flows.iter().filter(without).map(warning).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, network_with_tcp};

    pub fn examples() -> [String; 2] {
        ["false", "true"].map(|sack| network_with_tcp(&format!("recovery = \"rack\", sack = {sack}")))
    }

    #[test]
    fn recovery_that_needs_sack_is_reported_without_it() {
        for recovery in ["sack", "fack", "rack"] {
            let text = network_with_tcp(&format!("recovery = \"{recovery}\", sack = false"));
            assert_only_warning(&text, &["flows.down.tcp.sack", &format!("{recovery} needs SACK")]);
        }
        for settings in ["recovery = \"newreno\", sack = false", "recovery = \"rack\"", "sack = false"] {
            assert_no_warnings(&network_with_tcp(settings));
        }
    }
}
