//! Header prediction [Jacobson1990]: most segments are data in order at an end that only receives, or acknowledgments
//! that only advance. A few comparisons recognize them, and only the relevant part of the rules in `arrives` is
//! executed, with the same result.

use engine::Time;
use wire::{CompactSegment, Ecn, Flags};

use super::{Connection, State};
use crate::unpredicted::Unpredicted;

impl Connection {
    /// Processes a received segment without options if header prediction applies. Otherwise returns the reason without
    /// any change, and the caller must call [`handle_segment`](Self::handle_segment).
    #[inline]
    pub fn handle_predicted(&mut self, now: Time, segment: &CompactSegment, ecn: Ecn) -> Result<(), Unpredicted> {
        if segment.seq != self.peer_origin.at(self.receiver.next()) {
            return Err(Unpredicted::Sequence);
        }
        if segment.flags.0 & !Flags::PSH.0 != Flags::ACK.0 {
            return Err(Unpredicted::Flags);
        }
        if segment.src_port != self.remote_port {
            return Err(Unpredicted::Port);
        }
        if self.state != State::Established {
            return Err(Unpredicted::State);
        }
        debug_assert!(self.handshake.is_none() && !self.orphan && !self.sender.finishing());
        if ecn == Ecn::Ce {
            return Err(Unpredicted::Marked);
        }
        if self.timestamps || self.ecn {
            return Err(Unpredicted::Negotiated);
        }
        if segment.len > 0 { self.take_next_data(now, segment) } else { self.take_next_ack(now, segment) }
    }

    /// Processes data in order at an end that has never sent data.
    #[inline]
    fn take_next_data(&mut self, now: Time, segment: &CompactSegment) -> Result<(), Unpredicted> {
        if !self.sender.silent() {
            return Err(Unpredicted::BothSend);
        }
        if segment.ack != self.origin {
            return Err(Unpredicted::Acknowledgment);
        }
        if !self.receiver.take_next(now, segment.len) {
            return Err(Unpredicted::Receiver);
        }
        if let Some(window) = self.sender.newer_window((segment.seq, segment.ack), segment.window, 0) {
            self.sender.note_window(window);
        }
        Ok(())
    }

    /// An acknowledgment of new data.
    #[inline]
    fn take_next_ack(&mut self, now: Time, segment: &CompactSegment) -> Result<(), Unpredicted> {
        let una = self.sender.una();
        match segment.ack.offset_from(self.origin, una) {
            Some(ack) if ack > una => self.sender.on_next_ack(now, ack, (segment.seq, segment.ack), segment.window),
            _ => Err(Unpredicted::Acknowledgment),
        }
    }
}
