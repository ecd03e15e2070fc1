//! Settings of TCP that say something and do nothing.

use path::queue::Limit;
use sim::{FlowSpec, Network};
use tcp::cc::Start;
use tcp::config::EcnMode;
use tcp::differentiation::DifferentiationConfig;
use tcp::recovery::RecoveryConfig;

use super::model::Scenario;
use super::routes::Way;
use crate::problem::Problem;

/// A warning about each; `ways` are those of the flows, there and back.
pub(super) fn settings(scenario: &Scenario, network: &Network, ways: &[[Way; 2]]) -> Vec<Problem> {
    let mut warnings = recoveries_without_sack(network);
    for ((flow, given), [there, _]) in network.flows.iter().zip(scenario.flows.values()).zip(ways) {
        let marks = there.hops.iter().any(|hop| network.links[hop / 2].ecn_threshold != Limit::None);
        let given = &given.tcp;
        warnings.extend(differentiation_that_is_not_asked(flow));
        warnings.extend(given.prr.filter(|prr| *prr).and_then(|_| reduction_of_nothing(flow)));
        warnings.extend(given.dsack_undo.filter(|undo| *undo).and_then(|_| reports_that_nobody_reads(flow)));
        warnings.extend(ecn_without_marks(flow, if given.ecn.is_some() { "ecn" } else { "variant" }, marks));
    }
    warnings
}

fn warning(flow: &FlowSpec, key: &str, text: String) -> Problem {
    Problem::new(text).key(format!("flows.{}.tcp.{key}", flow.name))
}

/// A differentiation is asked when fast recovery begins: Tahoe has none.
fn differentiation_that_is_not_asked(flow: &FlowSpec) -> Option<Problem> {
    let idle = flow.tcp.differentiation != DifferentiationConfig::default()
        && matches!(flow.tcp.recovery, RecoveryConfig::Tahoe(_));
    let text = "a recovery with fast recovery, before which it is asked: tahoe has none, so it has no effect";
    idle.then(|| {
        let warning = warning(flow, "loss_differentiation", text.to_owned());
        warning.found(format!("\"{}\"", flow.tcp.differentiation.name())).hint("write recovery = \"reno\"")
    })
}

/// Who regulates recovery himself has no cut that could be spread.
fn reduction_of_nothing(flow: &FlowSpec) -> Option<Problem> {
    let control = &flow.tcp.control;
    control.build(Start::trial()).regulates_recovery().then(|| {
        let text = format!(
            "false: {} decides in recovery itself how much it sends, so proportional rate reduction has no effect",
            control.name()
        );
        warning(flow, "prr", text).found("true")
    })
}

/// Only a recovery that lives on SACK reads the blocks in which duplicates are reported.
fn reports_that_nobody_reads(flow: &FlowSpec) -> Option<Problem> {
    let recovery = &flow.tcp.recovery;
    (!recovery.build().uses_sack()).then(|| {
        let text = format!(
            "a recovery that reads SACK's blocks, in which duplicates are reported: {} does not, so it has no effect",
            recovery.name()
        );
        warning(flow, "dsack_undo", text).found("true").hint("write recovery = \"sack\"")
    })
}

/// ECN that was asked for at `key`, on a way where nothing marks.
fn ecn_without_marks(flow: &FlowSpec, key: &str, marks: bool) -> Option<Problem> {
    (flow.tcp.options.ecn == EcnMode::Request && !marks).then(|| {
        let text =
            format!("flows.{} asks for ECN, and no link on its way has an ecn_threshold: nothing marks", flow.name);
        warning(flow, key, text).hint("give the bottleneck's link one, such as ecn_threshold = \"20 packets\"")
    })
}

/// Recoveries that live on SACK and have none.
fn recoveries_without_sack(network: &Network) -> Vec<Problem> {
    let without = |flow: &&FlowSpec| flow.tcp.recovery.build().uses_sack() && !flow.tcp.options.sack;
    let warning = |flow: &FlowSpec| {
        let text = format!("{} lives on SACK: without it losses are recovered as in NewReno", flow.tcp.recovery.name());
        let problem = Problem::new(text).key(format!("flows.{}.tcp.sack", flow.name)).found("false");
        problem.hint("leave out `sack`, or write recovery = \"newreno\"")
    };
    network.flows.iter().filter(without).map(warning).collect()
}
