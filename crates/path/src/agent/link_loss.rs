//! `link_loss` of disconnections2012, approach B: what the MAC of a host knows is known to the TCP of the same host.
//! When the link layer gives up a packet with data that was made here, its sender hears of it; what that means is in
//! `tcp`, by the same name.
//!
//! The paper's flag is a variable "accessible at both layers". Here it is set by a message that says exactly this, as
//! the last attempt's under Refined ICMP does, and does not leave the host: ICMP-RETRANSMIT to oneself. So a sender has
//! one door for all that the network tells. The flag itself is the sender's. Rules, readings and limits:
//! `docs/models/link-loss.md`.

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::icmp::tell_sender;
use super::{Agent, AgentCx, Place, Semantics, Traits};
use crate::station::RadioNotice;

/// The requirements of the scheme, and its effect on acknowledgments.
pub fn traits() -> Traits {
    Traits { semantics: Semantics::Kept, changes: &[], uploads: &[Place::Sender], hears_link_layer: true }
}

/// The agent.
pub fn build() -> Option<Box<dyn Agent>> {
    Some(Box::new(LinkLoss::default()))
}

#[derive(Default)]
struct LinkLoss {
    /// Packets with data of this host that were given up.
    given_up: u64,
}

impl Agent for LinkLoss {
    fn on_radio(&mut self, notice: &RadioNotice, cx: &mut AgentCx<'_>) {
        let own = notice.packet.src == cx.here && notice.packet.data().is_some();
        if notice.last && own {
            self.given_up += 1;
            tell_sender(NoticeKind::Retransmit, notice, cx);
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![("own_data_given_up", self.given_up)]
    }
}
