//! Transmission: retransmissions first, then new data, as windows, Nagle and pacing allow.

use engine::Time;

use super::Sender;
use super::segmentation::{LargeSegmentInputs, compute_pacing_rate};
use super::send_buffer::Draft;
use crate::event::{Blocked, Reason};
use crate::scoreboard::{SentSegment, Snapshot};

/// A segment to send, with data, a FIN, or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TxSegment {
    /// First byte.
    pub seq: u64,
    /// Bytes of data.
    pub len: u32,
    /// Whether a FIN follows the data.
    pub fin: bool,
    /// Whether the segment ends the data written by the application [RFC9293 s3.9.1].
    pub push: bool,
    /// Whether the segment carries data sent for the first time.
    pub new: bool,
}

impl Sender {
    /// The next segment to send, or the reason why the sender is blocked. `stamp` is the timestamp of the segment.
    #[inline(always)]
    pub fn poll(&mut self, now: Time, stamp: u32) -> Result<TxSegment, Blocked> {
        let repairs = self.episodes.recovering()
            || self.board.has_losses()
            || !self.resends.is_empty()
            || self.spurious.watching();
        if !repairs && !self.pacer.paces() {
            return self.poll_new(now, stamp);
        }
        self.poll_any(now, stamp)
    }

    /// The next segment in all cases but the common one of new data.
    fn poll_any(&mut self, now: Time, stamp: u32) -> Result<TxSegment, Blocked> {
        if self.peer.is_frozen() {
            return Err(Blocked::PeerWindow);
        }
        while let Some((seq, reason)) = self.resends.pop() {
            if let Some(sent) = self.board.get(seq).copied() {
                return Ok(self.send_again(now, &sent, reason, stamp));
            }
        }
        if self.resends.take_probe()
            && let Some(probe) = self.send_probe(now, stamp)
        {
            return Ok(probe);
        }
        if self.pacing_holds(now) {
            return Err(Blocked::Pacing);
        }
        if !self.spurious.probing()
            && let Some(sent) = self.board.next_to_resend()
        {
            // Lost data is sent before new data.
            let reason = self.episodes.going_back().unwrap_or(Reason::FastRetransmit);
            self.fits(&sent)?;
            return Ok(self.send_again(now, &sent, reason, stamp));
        }
        let blocked = match self.poll_new(now, stamp) {
            Err(blocked) => blocked,
            new => return new,
        };
        if self.spurious.probing() {
            // [RFC5682 s2.1 step 2b]: if there is no new data to send, conventional recovery follows.
            if self.board.next_to_resend().is_some() && !self.has_new() && self.spurious.stop_probing() {
                return self.poll_any(now, stamp);
            }
            return Err(blocked);
        }
        let spare = self.episodes.recovering() && self.within_cwnd_limit(self.buffer.mss());
        if spare && let Some(sent) = self.episodes.spare(&self.board).and_then(|seq| self.board.get(seq).copied()) {
            return Ok(self.send_again(now, &sent, Reason::FastRetransmit, stamp));
        }
        Err(blocked)
    }

    /// Whether a segment may be retransmitted. The first segment may be retransmitted even beyond the window: after the
    /// window has shrunk it is the probe [RFC9293 s3.8.6, s3.8.6.1].
    fn fits(&mut self, sent: &SentSegment) -> Result<(), Blocked> {
        if sent.seq != self.una() && sent.end() - self.una() > self.peer.size() {
            return Err(Blocked::PeerWindow);
        }
        // A FIN without data counts as one byte, as at its first transmission.
        if self.within_cwnd_limit((sent.len - u32::from(sent.fin)).max(1)) { Ok(()) } else { Err(Blocked::Cwnd) }
    }

    /// Whether `len` more bytes may be in the network. A FIN with data takes a sequence number, but no bytes.
    fn within_cwnd_limit(&mut self, len: u32) -> bool {
        let rides = self.board.last().is_some_and(|last| last.fin && last.len > 1);
        self.board.pipe() + u64::from(len) <= self.cwnd.limit() + u64::from(rides)
    }

    /// Whether the receive window allows new data.
    fn has_new(&self) -> bool {
        self.buffer.has_next(self.nxt()) && self.nxt() < self.una() + self.peer.size()
    }

    /// The next segment of new data, or a FIN without data.
    #[inline(always)]
    fn poll_new(&mut self, now: Time, stamp: u32) -> Result<TxSegment, Blocked> {
        let nxt = self.nxt();
        let Some(mut draft) = self.buffer.next(nxt).or_else(|| self.draft_from_backlog(nxt)) else {
            self.validate_unblocked();
            let pipe = self.board.pipe();
            if let Some(rate) = self.rate.as_mut().filter(|_| pipe < self.cwnd.limit()) {
                rate.on_app_limited(pipe);
            }
            return Err(if self.buffer.has_backlog() { Blocked::SendBuffer } else { Blocked::Data });
        };
        let usable = self.peer.usable(self.board.una(), nxt);
        if draft.len > usable {
            if !self.peer.admits_part(usable) {
                self.persist_if_stuck(now);
                self.validate_unblocked();
                return Err(Blocked::PeerWindow);
            }
            draft.cut_to(usable);
        }
        self.buffer.add_fin(&mut draft, usable);
        if draft.fin_only() && !draft.fin {
            self.persist_if_stuck(now);
            return Err(Blocked::PeerWindow);
        }
        if self.buffer.holds_back(&draft, self.board.una(), self.board.is_empty()) {
            self.validate_unblocked();
            return Err(Blocked::Nagle);
        }
        if self.board.is_empty() {
            self.cwnd.leave_idle(now, self.timer.rtt().rto());
        }
        let len = draft.len;
        if len > 0 && self.board.pipe() + len > self.cwnd.limit() {
            self.cwnd.validate(true, &self.board);
            return Err(Blocked::Cwnd);
        }
        let mut push = self.buffer.on_sent(&draft, nxt);
        if self.large.is_some() && len > 0 {
            push |= self.ends_large_segment(now, &draft, usable);
        }
        self.buffer.on_less_unsent(self.board.una(), nxt + len);
        self.episodes.on_new_data(len);
        Ok(self.send_new(now, TxSegment { seq: nxt, len: len as u32, fin: draft.fin, push, new: true }, stamp))
    }

    /// Expands an autotuned send buffer whose data does not fill cwnd, while the application waits [Linux
    /// `tcp_should_expand_sndbuf`]. Returns the next segment if the buffer has accepted data.
    #[cold]
    fn draft_from_backlog(&mut self, nxt: u64) -> Option<Draft> {
        if !self.buffer.has_backlog() || self.board.pipe() >= self.cwnd.limit() {
            return None;
        }
        let segments = (self.cwnd.cwnd() / f64::from(self.buffer.mss())) as u64;
        let segments = segments.max(u64::from(self.episodes.reordering().0) + 1);
        self.buffer.expand(self.cwnd.send_buffer_windows(), segments, [self.board.una(), nxt]);
        self.buffer.next(nxt)
    }

    /// Adds a segment of new data to the present large segment. Returns whether the segment ends a large segment of
    /// several segments. The receive window accepts `usable` bytes.
    fn ends_large_segment(&mut self, now: Time, draft: &Draft, usable: u64) -> bool {
        let full = u64::from(self.buffer.mss());
        let next = full.min(draft.rest());
        let more = next > 0
            && draft.len == full
            && draft.len + next <= usable
            && self.board.pipe() + draft.len + next <= self.cwnd.limit();
        let (cwnd, rtt) = (&self.cwnd, self.timer.rtt());
        let Some(large) = &mut self.large else { return false };
        large.add_segment(now, more, || LargeSegmentInputs {
            mss: full as f64,
            cwnd: cwnd.cwnd(),
            ssthresh: cwnd.ssthresh(),
            srtt: rtt.measured_srtt(),
            min_rtt: rtt.min_rtt(),
        })
    }

    /// Records that something other than cwnd ended a series of transmissions. If another full segment exceeded cwnd,
    /// cwnd was a limit too [Linux `tcp_write_xmit`].
    #[inline]
    fn validate_unblocked(&mut self) {
        let full = self.board.pipe() + u64::from(self.buffer.mss()) > self.cwnd.limit();
        self.cwnd.validate(full, &self.board);
    }

    /// Sends a segment of new data, which begins at `nxt`.
    #[inline(always)]
    fn send_new(&mut self, now: Time, tx: TxSegment, stamp: u32) -> TxSegment {
        let TxSegment { seq, len, fin, .. } = tx;
        let taken = len + u32::from(fin);
        let snapshot = self.snapshot(now, taken);
        self.board.record_new(now, taken, fin, snapshot);
        if len > 0 {
            self.timer.begin_sample(seq + u64::from(taken), now);
        }
        self.spurious.on_new();
        self.on_sent(now, seq, len, Reason::New, stamp);
        tx
    }

    fn send_again(&mut self, now: Time, sent: &SentSegment, reason: Reason, stamp: u32) -> TxSegment {
        let seq = sent.seq;
        let len = sent.len - u32::from(sent.fin);
        let snapshot = self.snapshot(now, sent.len);
        self.board.record_retransmission(now, seq, snapshot);
        self.on_sent(now, seq, len, reason, stamp);
        TxSegment { seq, len, fin: sent.fin, push: self.buffer.ends_at(sent.end()), new: false }
    }

    /// A tail loss probe: new data if the receive window allows, otherwise a retransmission of the last segment
    /// [RFC8985 s7.3].
    fn send_probe(&mut self, now: Time, stamp: u32) -> Option<TxSegment> {
        self.telemetry.on_probe();
        let (nxt, edge) = (self.nxt(), self.una() + self.peer.size());
        let new = self.buffer.next(nxt).filter(|draft| draft.len > 0 && nxt + draft.len <= edge);
        let segment = if let Some(draft) = new {
            self.episodes.on_probe(now, None, nxt + draft.len);
            let push = self.buffer.on_probe(&draft);
            self.send_new(now, TxSegment { seq: nxt, len: draft.len as u32, fin: false, push, new: true }, stamp)
        } else {
            let last = *self.board.last()?;
            let snapshot = self.snapshot(now, last.len);
            self.board.record_probe(now, last.seq, snapshot);
            self.episodes.on_probe(now, Some(last.seq), self.nxt());
            let len = last.len - u32::from(last.fin);
            self.on_sent(now, last.seq, len, Reason::Probe, stamp);
            TxSegment { seq: last.seq, len, fin: last.fin, push: self.buffer.ends_at(last.end()), new: false }
        };
        // [RFC8985 s7.3]
        self.timer.start(now);
        Some(segment)
    }

    /// The snapshot of the delivery rate for a segment of `len` bytes sent now.
    #[inline]
    fn snapshot(&mut self, now: Time, len: u32) -> Option<Snapshot> {
        let rate = self.rate.as_mut()?;
        Some(rate.on_sent(now, self.board.pipe(), len, self.board.total_lost()))
    }

    /// Does the bookkeeping that is common to all transmissions.
    #[inline]
    fn on_sent(&mut self, now: Time, seq: u64, len: u32, reason: Reason, stamp: u32) {
        let again = reason != Reason::New;
        self.cwnd.on_sent(now, len, !again, self.board.outstanding());
        if again {
            self.notices.on_resent(seq);
            self.spurious.on_resent(seq, stamp);
            let prompted = matches!(reason, Reason::FastRetransmit | Reason::Notice) && seq == self.una();
            self.timer.on_resent(now, prompted);
        }
        self.timer.on_sent(now);
        if self.pacer.paces()
            && let Some(rate) = self.pacing_rate()
        {
            self.pacer.on_sent(now, len, rate);
        }
        if self.episodes.watches() {
            let view = self.view();
            if reason != Reason::Probe {
                self.episodes.on_sent(now, seq, again, &self.board, &view);
            }
        }
        self.telemetry.on_sent(seq, len, reason);
        self.emit_window();
    }

    /// The rate at which segments are paced, in bytes per second; `None` for no pacing.
    fn pacing_rate(&self) -> Option<f64> {
        self.pacer.rate(self.cwnd.pacing_rate(), || {
            let srtt = self.timer.rtt().measured_srtt()?;
            Some(compute_pacing_rate(self.cwnd.cwnd(), self.cwnd.ssthresh(), srtt))
        })
    }

    /// Whether pacing delays a segment that may be sent otherwise.
    #[inline]
    fn pacing_holds(&mut self, now: Time) -> bool {
        let held = self.pacer.is_early(now) && self.has_something() && self.pacing_rate().is_some();
        self.pacer.hold(held);
        held
    }

    /// Whether anything remains to be sent, regardless of limits.
    fn has_something(&mut self) -> bool {
        self.buffer.has_next(self.nxt()) || self.board.next_to_resend().is_some()
    }

    /// Starts the persist timer if the window is too small for the next segment and no data is in flight.
    fn persist_if_stuck(&mut self, now: Time) {
        if self.board.is_empty() {
            self.peer.persist(now, self.timer.rtt().rto());
        }
    }
}
