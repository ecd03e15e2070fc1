//! Loss differentiation with a recovery that has no fast recovery. Loss differentiation is only used when fast recovery
//! begins.

use tcp::differentiation::DifferentiationConfig;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let idle = context.network.flows.iter().filter(|flow| {
        flow.tcp.loss_differentiation != DifferentiationConfig::default()
            && !flow.tcp.recovery.build().has_fast_recovery()
    });
    let warning = idle.map(|flow| {
        let text = format!(
            "a recovery with fast recovery, which loss differentiation needs: {} has none, so it has no effect",
            flow.tcp.recovery.name()
        );
        let problem = Problem::new(text).key(format!("flows.{}.tcp.loss_differentiation", flow.name));
        problem.found(format!("\"{}\"", flow.tcp.loss_differentiation.name())).hint("write recovery = \"reno\"")
    });
    warning.collect()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, network_with_tcp};

    pub fn examples() -> [String; 2] {
        ["tahoe", "reno"]
            .map(|variant| network_with_tcp(&format!("variant = \"{variant}\", loss_differentiation = \"zigzag\"")))
    }

    #[test]
    fn differentiation_with_tahoe_is_reported() {
        let [tahoe, reno] = examples();
        assert_only_warning(&tahoe, &["flows.down.tcp.loss_differentiation: found \"zigzag\"", "tahoe has none"]);
        assert_only_warning(
            &network_with_tcp("recovery = \"tahoe\", loss_differentiation = \"biaz\""),
            &["found \"biaz\"", "no effect"],
        );
        assert_no_warnings(&reno);
        assert_no_warnings(&network_with_tcp("variant = \"bbr\", loss_differentiation = \"zigzag\""));
    }
}
