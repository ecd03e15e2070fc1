//! What is taken for lost, and what of it is to be sent again.

use std::cmp::Reverse;

use super::{Scoreboard, Sent};

impl Scoreboard {
    /// Takes every segment below `edge` for lost that is not SACKed; `edge` is a segment's beginning. What was looked at by
    /// an earlier call is not looked at again.
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

    /// Takes the segment at `seq` for lost, unless it is SACKed or already taken for lost and not sent again since.
    /// Whether any of it was not.
    pub fn lose_at(&mut self, seq: u64) -> bool {
        let Some(place) = self.place(seq) else { return false };
        if self.segments[place].sacked {
            return false;
        }
        self.lose_again(place)
    }

    /// Takes the segment for lost, or its retransmission if it was sent again.
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

    /// The retransmission timer has expired: everything not SACKed is lost, and so is what was sent again
    /// [RFC6675 s5.1, RFC5681 s3.1].
    pub fn lose_all(&mut self) {
        self.lose_where(|_, _| true);
        self.inferred_to = self.nxt;
    }

    /// Everything not SACKed is lost of which `lost` says so, told whether it is the first one.
    pub fn lose_where(&mut self, lost: impl Fn(&Sent, bool) -> bool) {
        for place in 0..self.segments.len() {
            let sent = &self.segments[place];
            if !sent.sacked && lost(sent, place == 0) {
                self.lose_again(place);
            }
        }
    }

    /// Nothing is lost after all: what was taken for lost and not sent again is in flight as before.
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

    /// The receiver has thrown away what it had SACKed [RFC2018 s8].
    pub fn renege(&mut self) {
        self.sacked.clear();
        for sent in &mut self.segments {
            sent.sacked = false;
        }
        (self.sacked_bytes, self.sacked_segments) = (0, 0);
    }

    /// Whether there may be lost segments to send again.
    #[inline]
    pub fn has_losses(&self) -> bool {
        !self.to_resend.is_empty()
    }

    /// The lowest lost segment that has not been sent again.
    pub fn next_to_resend(&mut self) -> Option<Sent> {
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

    pub(super) fn forget_loss(&mut self, sent: &Sent) {
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
