//! The sender's reaction to messages from the network.

pub mod eln;
pub mod link_loss;
pub mod refined_icmp;
pub mod simple_icmp;
pub mod unmodified;

use wire::NoticeKind;

use crate::recovery::Notified;

engine::registry! {
    /// The sender's parts of schemes. The base station's part is registered in `path` under the same name.
    pub enum ResponseConfig: "response" => build() -> Box<dyn NoticeResponse> {
        Unmodified => unmodified, "unmodified", "Messages are silently discarded", no settings;
        SimpleIcmp => simple_icmp, "simple-icmp", "DEFER postpones the timer; a deferred segment is resent without a reduction of cwnd [goel1997 5.4]", no settings;
        RefinedIcmp => refined_icmp, "refined-icmp", "DEFER postpones the timer, RETRANSMIT resends without a reduction of cwnd [goel1997 5.5]", no settings;
        LinkLoss => link_loss, "link-loss", "Recovery keeps cwnd after the sender's own link layer has given up a packet (disconnections2012)", no settings;
        Eln => eln, "eln", "A marked duplicate resends the segment without a reduction of cwnd (balakrishnan1998)", no settings;
    }
}

impl Default for ResponseConfig {
    fn default() -> Self {
        ResponseConfig::Unmodified(unmodified::Config::default())
    }
}

/// The sender's immediate reaction to a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reaction {
    /// The retransmission timer restarts, if it runs for this segment.
    pub postpone: bool,
    /// The segment is retransmitted.
    pub resend: bool,
}

/// A sender's part of a scheme. It keeps the messages received about segments; `seq` is a segment's first byte.
///
/// The sender calls `on_notice` only for messages about unacknowledged data; `on_resent` for each retransmission;
/// `on_advance` when data has been acknowledged, once any message was received; and `on_duplicate` and `on_timeout`
/// when it is about to respond to a loss.
pub trait NoticeResponse: Send {
    /// Processes a message.
    fn on_notice(&mut self, kind: NoticeKind, seq: u64) -> Reaction;
    /// Called, before `on_duplicate`, for a duplicate acknowledgment which reports that the segment at `una` was lost
    /// on the radio link.
    fn on_loss_in_air(&mut self, _una: u64) -> Reaction {
        Reaction::default()
    }
    /// Returns the treatment of a duplicate acknowledgment for the segment at `una`; `None` for the standard rule.
    fn on_duplicate(&mut self, una: u64) -> Option<Notified>;
    /// Handles the start of a recovery that resulted from `on_duplicate`.
    fn on_recovery(&mut self, una: u64);
    /// Whether a timeout for the segment at `una` retransmits only that segment, without a reduction.
    fn on_timeout(&mut self, una: u64) -> bool;
    /// Handles a retransmission of the segment at `seq`: earlier messages refer to its previous transmission.
    fn on_resent(&mut self, seq: u64);
    /// Handles the acknowledgment of all data before `una`.
    fn on_advance(&mut self, una: u64);
}

/// The segments that messages referred to, sorted. Usually few.
#[derive(Clone, Debug, Default)]
struct Marked(Vec<u64>);

impl Marked {
    fn insert(&mut self, seq: u64) {
        if let Err(place) = self.0.binary_search(&seq) {
            self.0.insert(place, seq);
        }
    }

    fn contains(&self, seq: u64) -> bool {
        self.0.binary_search(&seq).is_ok()
    }

    fn remove(&mut self, seq: u64) {
        if let Ok(place) = self.0.binary_search(&seq) {
            self.0.remove(place);
        }
    }

    #[inline]
    fn forget_before(&mut self, una: u64) {
        if self.0.first().is_some_and(|seq| *seq < una) {
            self.0.retain(|seq| *seq >= una);
        }
    }
}
