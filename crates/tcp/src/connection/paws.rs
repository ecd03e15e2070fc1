//! Protection against wrapped sequence numbers [RFC7323 s5].

use engine::{Span, Time};
use wire::{Flags, Segment};

use super::Connection;
use crate::config::Paws;

impl Connection {
    /// Returns whether a segment is too old by its timestamp [RFC7323 s5.3 R1]. If so, an acknowledgment is sent.
    #[inline]
    pub(super) fn is_old(&mut self, now: Time, segment: &Segment, seq: Option<u64>) -> bool {
        let behind = segment.options.timestamps.map_or(0, |stamps| self.clock.behind(now, &stamps));
        behind > 0 && self.refuse_old(now, segment, seq, behind)
    }

    /// Handles a segment whose timestamp is `behind` by some ticks.
    #[cold]
    fn refuse_old(&mut self, now: Time, segment: &Segment, seq: Option<u64>, behind: u32) -> bool {
        if self.paws == Paws::Linux {
            // [Linux TCP_PAWS_WINDOW]
            if behind <= 1 {
                return false;
            }
            let bare = segment.flags.has(Flags::ACK) && segment.seq_len() == 0;
            if bare && let Some(seq) = seq {
                let (next, una) = (self.receiver.next(), self.sender.una());
                let ack = segment.ack.offset_from(self.origin, una);
                // The segment was overtaken by data or a newer acknowledgment, so no response is needed. Linux sends
                // none for data (SKB_DROP_REASON_TCP_RFC7323_PAWS_ACK), and at most one per `invalid_ratelimit` for an
                // acknowledgment.
                if seq < next || ack.is_none_or(|ack| ack < una) {
                    return true;
                }
                // A recent duplicate counts as a duplicate acknowledgment [Linux tcp_disordered_ack_check].
                let replay = self.sender.rtt().rto().times(6).as_nanos() / 5;
                let recent = Span::from_millis(u64::from(behind)).as_nanos() <= replay;
                let same_window = u64::from(segment.window) == self.sender.peer_window();
                if seq == next && ack == Some(una) && same_window && recent {
                    return false;
                }
            }
        }
        self.answer_invalid(now, segment);
        true
    }
}
