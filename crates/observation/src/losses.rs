//! The losses of a flow, and their recovery.

use std::collections::BTreeMap;

use engine::Time;

use crate::evidence::Evidence;
use crate::sender_fact::SenderFact;
use crate::sender_state::SenderState;

/// Where a packet was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossPlace {
    /// On a channel.
    Air,
    /// The segment was lost in a medium, by collisions.
    Collision,
    /// The segment was dropped in a queue, or in the buffers of a node.
    Queue,
    /// The segment was lost at a mobile without a link, or at a node without a route.
    Outage,
}

/// The losses of a flow that are not repaired.
#[derive(Default)]
pub struct Losses {
    /// The last loss of each unacknowledged segment that the receiver does not have, by the segment's first byte.
    segments: BTreeMap<u64, (Time, Evidence<LossPlace>)>,
    /// The last loss of an acknowledgment since new data was acknowledged.
    ack: Option<Evidence<LossPlace>>,
    /// The end of the current recovery in the stream, and the loss that caused it, if there was one.
    recovery: Option<(u64, Option<Evidence<LossPlace>>)>,
}

impl Losses {
    /// Whether a segment was lost, and the receiver does not have it.
    pub fn has(&self, seq: u64) -> bool {
        self.segments.contains_key(&seq)
    }

    /// Returns the time at which a segment was lost on a channel or by a collision, if that was its last loss.
    pub fn lost_on_air(&self, seq: u64) -> Option<Time> {
        let (at, place) = self.segments.get(&seq)?;
        matches!(place, Evidence::Known(LossPlace::Air | LossPlace::Collision)).then_some(*at)
    }

    /// Returns the place where the first of the lost segments was lost.
    pub fn first(&self) -> Option<Evidence<LossPlace>> {
        self.segments.first_key_value().map(|(_, (_, place))| *place)
    }

    /// Returns the loss from which the sender recovers, if it is in recovery; `Some(None)` if nothing was lost.
    pub fn recovery(&self) -> Option<Option<Evidence<LossPlace>>> {
        self.recovery.map(|(_, loss)| loss)
    }

    /// Records the loss of a segment with a first byte that the receiver does not have.
    pub(crate) fn lose_segment(&mut self, at: Time, seq: u64, place: Evidence<LossPlace>) {
        self.segments.insert(seq, (at, place));
    }

    /// Records the loss of an acknowledgment.
    pub(crate) fn lose_ack(&mut self, place: LossPlace) {
        self.ack = Some(Evidence::Known(place));
    }

    /// Handles a fact of the sender. `sender` is the sender's state after the fact. `news` is true if the fact
    /// acknowledges new data.
    pub(crate) fn apply(&mut self, fact: SenderFact, sender: &SenderState, news: bool) {
        match fact {
            SenderFact::Acked { .. } if news => {
                self.segments = self.segments.split_off(&sender.una);
                self.ack = None;
                self.recovery = self.recovery.filter(|(end, _)| sender.una < *end);
            }
            SenderFact::FastRetransmit { seq }
            | SenderFact::NotifiedRecovery { seq }
            | SenderFact::TimerExpired { seq, .. } => {
                let loss = self.segments.get(&seq).map(|(_, place)| *place).or(self.ack);
                self.recovery = Some((sender.max, loss));
            }
            SenderFact::RecoveryEnd | SenderFact::Undone => self.recovery = None,
            _ => {}
        }
    }
}
