//! Marking segments lost, and selecting those to retransmit.

use std::cmp::Reverse;

use super::{Scoreboard, SentSegment};

impl Scoreboard {
    /// Marks every segment below `edge` lost that is not SACKed; `edge` is the first byte of a segment. Segments that
    /// an earlier call examined are skipped.
    pub fn lose_below(&mut self, edge: u64) {
        let from = self.inferred_to.max(self.una);
        if edge <= from {
            return;
        }
        self.inferred_to = edge;
        let Some(mut place) = self.place(from) else { return };
        while place < self.segments.len() && self.segments[place].seq < edge {
            if !self.segments[place].sacked {
                self.lose(place);
            }
            place += 1;
        }
    }

    /// Marks the segment at `seq` lost, unless the segment is SACKed, or was marked before and not retransmitted since.
    /// Returns whether the segment was marked.
    pub fn lose_at(&mut self, seq: u64) -> bool {
        let Some(place) = self.place(seq) else { return false };
        if self.segments[place].sacked {
            return false;
        }
        self.lose_again(place)
    }

    /// Marks a segment lost, or marks its retransmission lost if there was one.
    fn lose_again(&mut self, place: usize) -> bool {
        let sent = &mut self.segments[place];
        if sent.resent {
            sent.resent = false;
            self.resent_bytes -= u64::from(sent.len);
            self.resent_segments -= 1;
            self.total_lost += u64::from(sent.len);
            self.to_resend.push(Reverse(sent.seq));
            return true;
        }
        self.lose(place)
    }

    pub(super) fn lose(&mut self, place: usize) -> bool {
        let sent = &mut self.segments[place];
        if sent.lost {
            return false;
        }
        sent.lost = true;
        self.lost_bytes += u64::from(sent.len);
        self.lost_segments += 1;
        self.total_lost += u64::from(sent.len);
        self.to_resend.push(Reverse(sent.seq));
        true
    }

    /// Marks everything not SACKed as lost at an expiry of the retransmission timer, including retransmissions [RFC6675
    /// s5.1, RFC5681 s3.1].
    pub fn lose_all(&mut self) {
        self.lose_where(|_, _| true);
        self.inferred_to = self.nxt;
    }

    /// Marks the segments lost that are not SACKed and for which `lost` is true; the second argument of `lost` states
    /// whether the segment is the first one.
    pub fn lose_where(&mut self, lost: impl Fn(&SentSegment, bool) -> bool) {
        for place in 0..self.segments.len() {
            let sent = &self.segments[place];
            if !sent.sacked && lost(sent, place == 0) {
                self.lose_again(place);
            }
        }
    }

    /// Clears all losses: segments marked lost and not retransmitted are in flight as before.
    pub fn find_all(&mut self) {
        for sent in &mut self.segments {
            if sent.lost && !sent.sacked {
                sent.lost = false;
                self.lost_bytes -= u64::from(sent.len);
                self.lost_segments -= 1;
                if sent.resent {
                    sent.resent = false;
                    self.resent_bytes -= u64::from(sent.len);
                    self.resent_segments -= 1;
                }
            }
        }
        self.to_resend.clear();
        self.inferred_to = self.una;
    }

    /// Handles SACKed data that the receiver has discarded [RFC2018 s8].
    pub fn renege(&mut self) {
        self.sacked.clear();
        for sent in &mut self.segments {
            sent.sacked = false;
        }
        (self.sacked_bytes, self.sacked_segments) = (0, 0);
    }

    /// Whether there may be lost segments to retransmit.
    #[inline]
    pub fn has_losses(&self) -> bool {
        !self.to_resend.is_empty()
    }

    /// The lowest lost segment not yet retransmitted.
    pub fn next_to_resend(&mut self) -> Option<SentSegment> {
        while let Some(Reverse(seq)) = self.to_resend.peek() {
            if let Some(place) = self.place(*seq) {
                let sent = self.segments[place];
                if sent.lost && !sent.resent && !sent.sacked {
                    return Some(sent);
                }
            }
            self.to_resend.pop();
        }
        None
    }

    pub(super) fn forget_loss(&mut self, sent: &SentSegment) {
        if sent.lost {
            self.lost_bytes -= u64::from(sent.len);
            self.lost_segments -= 1;
        }
        if sent.resent {
            self.resent_bytes -= u64::from(sent.len);
            self.resent_segments -= 1;
        }
    }
}
