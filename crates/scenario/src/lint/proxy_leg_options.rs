//! Legs of a split connection whose variant needs SACK, without SACK.
//!
//! A leg uses the options that the two ends have negotiated: SACK if both SYNs permit it (RFC 2018 s2). Without a
//! handshake the node has seen no SYN, and `assume_sack` decides (docs/models/split.md). Without SACK a recovery that
//! reads SACK blocks works as NewReno does.

use std::collections::BTreeSet;

use super::Context;
use super::paths::{collect_flow_paths, find_split_legs};
use super::proxy_window::scheme_key;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let mut reported = BTreeSet::new();
    let mut warnings = Vec::new();
    for path in &collect_flow_paths(context) {
        let Some(split) = find_split_legs(context, path) else { continue };
        let (tcp, flow) = (&path.flow.tcp, &path.flow.name);
        let has_sack = if tcp.handshake { tcp.sack && path.flow.receiver_tcp().sack } else { split.legs.assume_sack };
        for (side, leg) in [("wired", &split.legs.wired), ("wireless", &split.legs.wireless)] {
            if has_sack || !leg.recovery.build().uses_sack() || !reported.insert((split.node, side)) {
                continue;
            }
            let node = &context.network.nodes[split.node].name;
            let recovery = leg.recovery.name();
            let (why, hint) = if tcp.handshake {
                (format!("flows.{flow} has sack = false"), format!("leave out flows.{flow}.tcp.sack"))
            } else {
                let assume = "or assume_sack = true in the scheme";
                ("the node sees no handshake".to_owned(), format!("write flows.{flow}.tcp.handshake = true, {assume}"))
            };
            let text =
                format!("SACK on the {side} leg at {node}: {why}, so its recovery {recovery} works as NewReno does");
            warnings.push(Problem::new(text).key(scheme_key(context, split.node)).hint(hint));
        }
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, at_node, modify_network};

    /// The station splits with these settings; the flow's TCP has these.
    fn split(scheme: &str, tcp: &str) -> String {
        let scheme = format!(", scheme = {{ kind = \"split\", {scheme} }}");
        at_node(&modify_network(&[]), "x", &scheme) + &format!("tcp = {{ {tcp} }}\n")
    }

    pub fn examples() -> [String; 2] {
        ["false", "true"].map(|handshake| split("wireless = \"rack\"", &format!("handshake = {handshake}")))
    }

    #[test]
    fn leg_that_needs_sack_is_reported_without_it() {
        let parts = ["nodes.x.scheme", "SACK on the wireless leg at x", "sees no handshake", "assume_sack = true"];
        assert_only_warning(&split("wireless = \"linux\"", ""), &parts);
        let parts = ["SACK on the wired leg at x", "flows.down has sack = false"];
        assert_only_warning(&split("wired = \"sack\"", "handshake = true, sack = false"), &parts);
        for (scheme, tcp) in [
            ("wireless = \"rack\", assume_sack = true", ""),
            ("wireless = \"rack\"", "handshake = true"),
            ("wireless = \"newreno\"", ""),
        ] {
            assert_no_warnings(&split(scheme, tcp));
        }
    }
}
