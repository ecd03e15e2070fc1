//! `link_loss` of disconnections2012, approach B: the TCP of a host uses information of the MAC of the same host. When
//! the link layer gives up a data packet that originated in this host, the agent notifies the host's sender; the
//! sender's part has the same name in `tcp`.
//!
//! The paper's flag is a variable "accessible at both layers". Here it is set by the message ICMP-RETRANSMIT that the
//! host sends to itself, with the meaning that it has in Refined ICMP after the last attempt; the message does not
//! leave the host. A sender thus receives all notifications through one interface. The flag is part of the sender.
//! Rules, readings and limits: `docs/models/link-loss.md`.

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::icmp::tell_sender;
use super::{Agent, AgentCx, Effect, SchemeAction, SchemeNode, Semantics, Traits};
use crate::outcome::RadioNotice;

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] = &[SchemeAction {
    event: "own_data_given_up",
    label: "report to the sender that the link layer gave up the segment",
    effect: Effect::ReportsLoss,
}];

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[],
        uploads: &[SchemeNode::Sender],
        needs_link_reports: true,
        actions: ACTIONS,
    }
}

/// Creates the agent.
pub fn build() -> Option<Box<dyn Agent>> {
    Some(Box::new(LinkLoss::default()))
}

#[derive(Default)]
struct LinkLoss {
    /// Number of data packets of this host that the link layer gave up.
    given_up: u64,
}

impl Agent for LinkLoss {
    fn acts_on_losses(&self) -> bool {
        true
    }

    fn on_radio(&mut self, notice: &RadioNotice, cx: &mut AgentCx<'_>) {
        let own = notice.packet.src == cx.here && notice.packet.data().is_some();
        if notice.last && own {
            self.given_up += 1;
            tell_sender(NoticeKind::Retransmit, &notice.packet, cx);
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![("own_data_given_up", self.given_up)]
    }
}
