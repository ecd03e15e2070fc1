//! Proportional rate reduction with a congestion control that regulates recovery itself, so that PRR is not used.

use tcp::cc::Start;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let flows = context.network.flows.iter().zip(context.scenario.flows.values());
    let unused = flows.filter_map(|(flow, written)| {
        let control = &flow.tcp.control;
        let regulates = written.tcp.prr == Some(true) && control.build(Start::trial()).regulates_recovery();
        regulates.then(|| {
            let text = format!(
                "false: {} regulates sending during recovery itself, so proportional rate reduction has no effect",
                control.name()
            );
            Problem::new(text).key(format!("flows.{}.tcp.prr", flow.name)).found("true")
        })
    });
    unused.collect()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, network_with_tcp};

    pub fn examples() -> [String; 2] {
        ["bbr", "sack"].map(|variant| network_with_tcp(&format!("variant = \"{variant}\", prr = true")))
    }

    #[test]
    fn prr_with_bbr_is_reported_if_the_scenario_sets_it() {
        for variant in ["bbr", "bbr3"] {
            let text = network_with_tcp(&format!("variant = \"{variant}\", prr = true"));
            assert_only_warning(
                &text,
                &["flows.down.tcp.prr: found true", &format!("{variant} regulates sending during recovery itself")],
            );
        }
        assert_no_warnings(&network_with_tcp("variant = \"sack\", prr = true"));
        // The default of the variant is not reported.
        assert_no_warnings(&network_with_tcp("variant = \"linux\", control = \"bbr\""));
    }
}
