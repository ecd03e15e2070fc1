//! The losses of a flow, and their recovery.

use std::collections::BTreeMap;

use engine::Time;
use tcp::Event;

use crate::sender_state::SenderState;

/// Where a packet was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossPlace {
    /// On a channel.
    Air,
    /// In a medium, by collisions.
    Collision,
    /// In a queue, or in the buffers of a node.
    Queue,
    /// At a mobile without a link, or a node without a route.
    Outage,
}

/// The losses of a flow that are not repaired.
#[derive(Default)]
pub struct Losses {
    /// Unacknowledged segments that were lost and that the receiver does not have, by first byte: the last loss of each.
    segments: BTreeMap<u64, (Time, LossPlace)>,
    /// The last loss of an acknowledgment since new data was acknowledged.
    ack: Option<LossPlace>,
    /// The end of the present recovery in the stream, and the loss that caused it, if there was one.
    recovery: Option<(u64, Option<LossPlace>)>,
}

impl Losses {
    /// Whether a segment was lost, and the receiver does not have it.
    pub fn has(&self, seq: u64) -> bool {
        self.segments.contains_key(&seq)
    }

    /// When a segment was lost on a channel or by a collision, if that was its last loss.
    pub fn lost_on_air(&self, seq: u64) -> Option<Time> {
        let (at, place) = self.segments.get(&seq)?;
        matches!(place, LossPlace::Air | LossPlace::Collision).then_some(*at)
    }

    /// Where the first of the lost segments was lost.
    pub fn first(&self) -> Option<LossPlace> {
        self.segments.first_key_value().map(|(_, (_, place))| *place)
    }

    /// The loss that the sender recovers from, if it is in recovery; `Some(None)` if nothing was lost.
    pub fn recovery(&self) -> Option<Option<LossPlace>> {
        self.recovery.map(|(_, loss)| loss)
    }

    /// A segment with a first byte that the receiver does not have was lost.
    pub(crate) fn lose_segment(&mut self, at: Time, seq: u64, place: LossPlace) {
        self.segments.insert(seq, (at, place));
    }

    /// An acknowledgment was lost.
    pub(crate) fn lose_ack(&mut self, place: LossPlace) {
        self.ack = Some(place);
    }

    /// Handles an event of the sender, whose state is that after the event; `news` if it acknowledges new data.
    pub(crate) fn apply(&mut self, event: &Event, sender: &SenderState, news: bool) {
        match *event {
            Event::AckReceived { .. } if news => {
                self.segments = self.segments.split_off(&sender.una);
                self.ack = None;
                self.recovery = self.recovery.filter(|(end, _)| sender.una < *end);
            }
            Event::FastRetransmit { seq } | Event::NotifiedRecovery { seq } | Event::Timeout { seq, .. } => {
                let loss = self.segments.get(&seq).map(|(_, place)| *place).or(self.ack);
                self.recovery = Some((sender.max, loss));
            }
            Event::RecoveryEnd | Event::Undone => self.recovery = None,
            _ => {}
        }
    }
}
