//! The segments that a connection sends: queued answers and SYNs first, then data, then acknowledgments.

use engine::Time;
use wire::{CompactSegment, Ecn, Flags, Segment, SeqNum, Timestamps};

use super::{Connection, State};
use crate::sender::TxSegment;
use crate::timestamps;

/// The result of [`Connection::poll_compact`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Polled {
    /// No segment can be sent now.
    Nothing,
    /// A segment, and the ECN codepoint of its packet; another segment may follow.
    Segment(CompactSegment, Ecn),
    /// A segment, and the ECN codepoint of its packet; no further segment follows now.
    Last(CompactSegment, Ecn),
    /// A segment may have options: call [`Connection::poll_into`].
    WithOptions,
}

impl Connection {
    /// The next segment to send now, if any, and the ECN codepoint of its packet.
    pub fn poll_transmit(&mut self, now: Time) -> Option<(Segment, Ecn)> {
        let mut segment = Segment::default();
        self.poll_into(now, &mut segment).map(|ecn| (segment, ecn))
    }

    /// Polls as `poll_transmit` does, but writes the segment to `to`: a segment with space for options is large, and
    /// would otherwise be moved.
    #[inline(never)]
    pub fn poll_into(&mut self, now: Time, to: &mut Segment) -> Option<Ecn> {
        if self.handshake.is_some() || !self.answers.is_empty() {
            *to = self.answers.pop_front().or_else(|| self.poll_handshake(now))?;
            if to.flags.has(Flags::RST) && to.options.timestamps.is_some() {
                let stamp = self.clock.stamp(now);
                // An echo is valid only with an acknowledgment [RFC7323 s3.2].
                let echo = if to.flags.has(Flags::ACK) { stamp.echo } else { 0 };
                to.options.timestamps = Some(Timestamps { echo, ..stamp });
            }
            return Some(Ecn::NotEct);
        }
        let (segment, ecn) = self.poll_segment(now)?;
        segment.write_to(to);
        self.add_options(now, to);
        Some(ecn)
    }

    /// Polls as `poll_into` does, at an end whose segments currently have no options.
    #[inline(always)]
    pub fn poll_compact(&mut self, now: Time) -> Polled {
        if self.handshake.is_some() || !self.answers.is_empty() || self.timestamps || self.receiver.wants_sack() {
            return Polled::WithOptions;
        }
        match self.poll_segment(now) {
            Some((segment, ecn)) if self.sender.silent() && !self.receiver.owes() => Polled::Last(segment, ecn),
            Some((segment, ecn)) => Polled::Segment(segment, ecn),
            None => Polled::Nothing,
        }
    }

    /// The next segment after the handshake, without its options, if there is no queued answer.
    #[inline(always)]
    fn poll_segment(&mut self, now: Time) -> Option<(CompactSegment, Ecn)> {
        if self.state.sends() && !self.sender.silent() {
            let stamp = if self.timestamps { timestamps::timestamp_at(now) } else { 0 };
            match self.sender.poll(now, stamp) {
                Ok(tx) => {
                    self.receiver.on_data_sent(now);
                    return Some(self.data(&tx));
                }
                Err(reason) => self.sender.note_blocked(reason),
            }
            if self.sender.take_window_probe() {
                // The segment lies below the receive window: the other end must respond with its window [RFC9293
                // s3.10.7.4].
                let seq = self.sender.una().wrapping_sub(1);
                return Some((self.segment(seq, 0, Flags::ACK), Ecn::NotEct));
            }
            self.keep_cork(now);
        }
        if self.state == State::Closed || self.state == State::Listen || !self.receiver.take_owed(now) {
            return None;
        }
        Some((self.segment(self.sender.nxt(), 0, Flags::ACK), Ecn::NotEct))
    }

    fn poll_handshake(&mut self, now: Time) -> Option<Segment> {
        let handshake = self.handshake.as_mut()?;
        let due = matches!(self.state, State::SynSent | State::SynReceived) && handshake.wants(now);
        if !due || handshake.given_up(now) {
            return None;
        }
        let (flags, window, options) = handshake.syn(now, &self.clock);
        handshake.on_syn_sent(now);
        let answers = self.state == State::SynReceived;
        let flags = if answers { flags | Flags::ACK } else { flags };
        let ack = if answers { self.peer_origin } else { SeqNum(0) };
        self.last_ack = ack;
        Some(Segment {
            src_port: self.local_port,
            dst_port: self.remote_port,
            seq: SeqNum(self.origin.0.wrapping_sub(1)),
            ack,
            flags,
            window,
            options,
            ..Segment::default()
        })
    }

    /// A segment with data, or a FIN, or both.
    #[inline(always)]
    fn data(&mut self, tx: &TxSegment) -> (CompactSegment, Ecn) {
        let mut flags = Flags::ACK;
        if tx.fin {
            flags = flags | Flags::FIN;
        }
        if tx.push && tx.len > 0 {
            flags = flags | Flags::PSH;
        }
        if tx.new && tx.len > 0 && self.sender.take_reduced() {
            flags = flags | Flags::CWR;
        }
        // [RFC3168 s6.1.5]: retransmissions must not be ECN-capable.
        let ecn = if self.ecn && tx.new && tx.len > 0 { self.codepoint } else { Ecn::NotEct };
        (self.segment(tx.seq, tx.len, flags), ecn)
    }

    /// Returns a segment without options that acknowledges all received data.
    #[inline(always)]
    pub(super) fn segment(&mut self, seq: u64, len: u32, flags: Flags) -> CompactSegment {
        self.receiver.renew_window();
        let ack = self.peer_origin.at(self.receiver.next());
        self.last_ack = ack;
        let echoes = self.ecn && self.receiver.echoes();
        CompactSegment {
            src_port: self.local_port,
            dst_port: self.remote_port,
            seq: self.origin.at(seq),
            ack,
            flags: if echoes { flags | Flags::ECE } else { flags },
            window: u32::try_from(self.receiver.window()).unwrap_or(u32::MAX),
            window_shift: self.shift,
            len,
        }
    }

    /// Adds the options of the present time to a segment.
    #[inline(always)]
    pub(super) fn add_options(&mut self, now: Time, to: &mut Segment) {
        if self.timestamps {
            to.options.timestamps = Some(self.clock.stamp(now));
        }
        if self.receiver.wants_sack() {
            let max_blocks = if self.timestamps { 3 } else { wire::SackBlocks::MAX };
            to.options.sack = self.receiver.sack(self.peer_origin, max_blocks);
        }
    }

    fn keep_cork(&mut self, now: Time) {
        match self.sender.cork_time() {
            Some(time) if self.uncork_at == Time::NEVER => self.uncork_at = now + time,
            None => self.uncork_at = Time::NEVER,
            Some(_) => {}
        }
    }

    /// Acknowledges all received data immediately, even if it was already acknowledged.
    pub fn acknowledge(&mut self) {
        self.receiver.owe();
    }
}
