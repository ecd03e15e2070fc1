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
    let own = context.network.flows.iter().filter(without).map(warning);
    own.chain(context.network.flows.iter().filter_map(warn_without_peer)).collect()
}

/// The warning about a flow whose receiving end does not offer SACK.
fn warn_without_peer(flow: &FlowSpec) -> Option<Problem> {
    let peer = flow.peer.as_ref().filter(|peer| flow.tcp.offers_sack() && !peer.offers_sack())?;
    let recovery = peer.recovery.name();
    let (key, found, hint) = if peer.sack {
        let hint = "write recovery = \"sack\" there: only an end whose recovery uses SACK offers it";
        ("tcp.recovery", format!("\"{recovery}\""), hint)
    } else {
        let hint = "leave out `sack` there, or write recovery = \"newreno\" at the sending end";
        ("tcp.sack", "false".to_owned(), hint)
    };
    let text = format!(
        "a receiving end that offers SACK, which {} of the sending end needs: without it losses are recovered as in \
         NewReno",
        flow.tcp.recovery.name()
    );
    Some(Problem::new(text).key(format!("flows.{}.peer.{key}", flow.name)).found(found).hint(hint))
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

    #[test]
    fn receiving_end_that_does_not_offer_sack_is_reported() {
        let with = |peer: &str| {
            let tcp = network_with_tcp("recovery = \"rack\"");
            tcp.replace("tcp = {", &format!("peer.tcp = {{ {peer} }}\ntcp = {{"))
        };
        assert_only_warning(
            &with("sack = false"),
            &["flows.down.peer.tcp.sack: found false", "rack of the sending end"],
        );
        let key = "flows.down.peer.tcp.recovery: found \"reno\"";
        assert_only_warning(&with("variant = \"reno\""), &[key, "only an end whose recovery uses SACK offers it"]);
        assert_no_warnings(&with("variant = \"linux\""));
    }
}
