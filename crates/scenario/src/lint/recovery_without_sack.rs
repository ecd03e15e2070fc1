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
    use crate::lint::testing::{silent, tcp, warned};

    pub fn examples() -> [String; 2] {
        ["false", "true"].map(|sack| tcp(&format!("recovery = \"rack\", sack = {sack}")))
    }

    #[test]
    fn recovery_that_needs_sack_is_reported_without_it() {
        for recovery in ["sack", "fack", "rack"] {
            let text = tcp(&format!("recovery = \"{recovery}\", sack = false"));
            warned(&text, &["flows.down.tcp.sack", &format!("{recovery} needs SACK")]);
        }
        for settings in ["recovery = \"newreno\", sack = false", "recovery = \"rack\"", "sack = false"] {
            silent(&tcp(settings));
        }
    }
}
