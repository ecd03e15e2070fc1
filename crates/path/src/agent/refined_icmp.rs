//! The Refined ICMP scheme at the base station [goel1997 5.5.2]: ICMP-DEFER after the first failed local attempt at a
//! segment, ICMP-RETRANSMIT after the last one.

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::icmp::tell_sender;
use super::{Agent, AgentCx, Effect, SchemeAction, SchemeNode, Semantics, Traits};
use crate::outcome::RadioNotice;

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] = &[
    SchemeAction { event: "icmp_defers", label: "ICMP-DEFER sent", effect: Effect::Pauses },
    SchemeAction { event: "icmp_retransmits", label: "ICMP-RETRANSMIT sent", effect: Effect::ReportsLoss },
];

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[SchemeNode::Sender, SchemeNode::BaseStation],
        uploads: &[SchemeNode::Sender],
        needs_link_reports: true,
        actions: ACTIONS,
    }
}

/// Creates the agent.
pub fn build() -> Option<Box<dyn Agent>> {
    Some(Box::new(RefinedIcmp))
}

struct RefinedIcmp;

impl Agent for RefinedIcmp {
    fn acts_on_losses(&self) -> bool {
        true
    }

    fn on_radio(&mut self, notice: &RadioNotice, cx: &mut AgentCx<'_>) {
        if notice.attempt == 1 {
            tell_sender(NoticeKind::Defer, &notice.packet, cx);
        }
        if notice.last {
            tell_sender(NoticeKind::Retransmit, &notice.packet, cx);
        }
    }
}
