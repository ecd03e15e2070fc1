//! The Simple ICMP scheme at the base station [goel1997 5.4.1]: ICMP-DEFER after the first failed local attempt at a
//! segment, and no further message for that segment.

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::icmp::tell_sender;
use super::{Agent, AgentCx, Effect, SchemeAction, SchemeNode, Semantics, Traits};
use crate::outcome::RadioNotice;

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] =
    &[SchemeAction { event: "icmp_defers", label: "ICMP-DEFER sent", effect: Effect::Pauses }];

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
    Some(Box::new(SimpleIcmp))
}

struct SimpleIcmp;

impl Agent for SimpleIcmp {
    fn acts_on_losses(&self) -> bool {
        true
    }

    fn on_radio(&mut self, notice: &RadioNotice, cx: &mut AgentCx<'_>) {
        if notice.attempt == 1 {
            tell_sender(NoticeKind::Defer, &notice.packet, cx);
        }
    }
}
