//! `dsack_undo` with a recovery that does not read SACK blocks, which report duplicates.

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let flows = context.network.flows.iter().zip(context.scenario.flows.values());
    let unused = flows.filter_map(|(flow, written)| {
        let recovery = &flow.tcp.recovery;
        let unread = written.tcp.dsack_undo == Some(true) && !recovery.build().uses_sack();
        unread.then(|| {
            let text = format!(
                "a recovery that reads SACK blocks, which report duplicates: {} does not, so dsack_undo has no effect",
                recovery.name()
            );
            let problem = Problem::new(text).key(format!("flows.{}.tcp.dsack_undo", flow.name)).found("true");
            problem.hint("write recovery = \"sack\"")
        })
    });
    unused.collect()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, network_with_tcp};

    pub fn examples() -> [String; 2] {
        ["newreno", "sack"].map(|variant| network_with_tcp(&format!("variant = \"{variant}\", dsack_undo = true")))
    }

    #[test]
    fn dsack_undo_without_sack_is_reported_if_the_scenario_sets_it() {
        let key = "flows.down.tcp.dsack_undo: found true";
        assert_only_warning(&network_with_tcp("variant = \"newreno\", dsack_undo = true"), &[key, "newreno does not"]);
        assert_only_warning(
            &network_with_tcp("variant = \"linux\", recovery = \"reno\", dsack_undo = true"),
            &[key, "reno does not"],
        );
        assert_no_warnings(&network_with_tcp("variant = \"sack\", prr = true, dsack_undo = true"));
        // The default of the variant is not reported.
        assert_no_warnings(&network_with_tcp("variant = \"linux\", recovery = \"reno\""));
    }
}
