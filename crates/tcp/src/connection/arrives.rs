//! A segment arrives [RFC9293 s3.10.7].

use engine::Time;
use wire::{Ecn, Flags, Segment};

use super::close::refusal;
use super::{Connection, Failure, State};
use crate::receiver::Data;
use crate::sender::Arrival;
use crate::timestamps::{self, Clock};

impl Connection {
    /// A segment has come, in a packet that says `ecn` about congestion.
    #[inline]
    pub fn handle_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        match self.state {
            State::Closed => self.answers.extend(refusal(segment)),
            State::Listen => self.in_listen(now, segment),
            State::SynSent => self.in_syn_sent(now, segment, ecn),
            _ => self.in_others(now, segment, ecn),
        }
    }

    /// [RFC9293 s3.10.7.4]
    #[inline]
    fn in_others(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        let next = self.receiver.next();
        let seq = segment.seq.offset_from(self.peer_origin, next);
        if !self.take_segment(now, segment, ecn, seq) && segment.len > 0 {
            self.receiver.discard(seq.unwrap_or_default(), segment.len);
        }
    }

    /// Whether the segment's data, if it has any, was looked at. `seq` is the offset of its first byte.
    #[inline]
    fn take_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn, seq: Option<u64>) -> bool {
        let next = self.receiver.next();
        let reset = segment.flags.has(Flags::RST);
        if self.timestamps && !reset && self.is_old(now, segment, seq) {
            return false;
        }
        if self.is_answer(segment) {
            return self.take_answer(now, segment, ecn);
        }
        if !self.acceptable(seq, segment.seq_len()) {
            return self.answer_unacceptable(now, segment, seq, ecn);
        }
        if reset {
            self.take_reset(now, segment, seq == Some(next));
            return false;
        }
        if segment.flags.has(Flags::SYN) {
            self.take_stray_syn(now, segment);
            return false;
        }
        if !segment.flags.has(Flags::ACK) {
            return false;
        }
        if self.state == State::SynReceived {
            if segment.ack != self.origin {
                self.answers.extend(refusal(segment));
                return false;
            }
            self.establish(now, segment);
        }
        if !self.take_ack(now, segment) {
            // [RFC9293 s3.10.7.4]: it acknowledges what was never sent, or long ago.
            self.answer_invalid(now, segment);
            return false;
        }
        // Not before: what is refused says nothing about the other end's clock.
        if let Some(stamps) = segment.options.timestamps.filter(|_| self.timestamps) {
            self.clock.take(now, &stamps, segment.seq, self.last_ack);
        }
        match seq {
            Some(seq) => self.take_data(now, segment, seq, ecn),
            None => false,
        }
    }

    /// Answers a segment that is not acceptable with an acknowledgment. One without data is not answered a moment after
    /// another was: two ends that answer each other would not come to an end [RFC5961 s7].
    #[cold]
    pub(super) fn answer_invalid(&mut self, now: Time, segment: &Segment) {
        if segment.seq_len() == 0 || segment.flags.has(Flags::SYN) {
            let now = timestamps::value(now);
            if now.wrapping_sub(self.answered_at) < self.invalid_ratelimit {
                return;
            }
            self.answered_at = now;
        }
        match self.handshake.as_ref().and_then(|handshake| handshake.agreed) {
            // What is owed waits for the handshake.
            Some(agreed) => {
                self.acknowledge_before(now);
                if let Some(answer) = self.answers.back_mut() {
                    answer.window_shift = agreed.shift;
                    answer.window = answer.window >> agreed.shift << agreed.shift;
                }
            }
            None => self.receiver.owe(),
        }
    }

    /// Whether a segment lies in the window, if only in part [RFC9293 s3.10.7.4].
    #[inline]
    fn acceptable(&self, seq: Option<u64>, len: u32) -> bool {
        let Some(seq) = seq else { return false };
        let (next, window) = (self.receiver.next(), self.receiver.window());
        let end = seq + u64::from(len);
        match (len, window) {
            (0, 0) => seq == next,
            (0, _) => next <= seq && seq < next + window,
            // Its acknowledgment counts even if the window is closed to its data.
            (_, 0) => seq == next,
            (_, _) => end > next && seq < next + window,
        }
    }

    /// Old and impossible segments are answered with an acknowledgment; what an old one acknowledges counts.
    /// Whether its data was looked at.
    #[cold]
    fn answer_unacceptable(&mut self, now: Time, segment: &Segment, seq: Option<u64>, ecn: Ecn) -> bool {
        if segment.flags.has(Flags::RST) {
            return false;
        }
        let next = self.receiver.next();
        let old = seq.is_none_or(|seq| seq < next);
        if self.state == State::SynReceived {
            let repeated = segment.flags.has(Flags::SYN) && segment.seq + 1 == self.peer_origin;
            match &mut self.handshake {
                // Our answer was lost.
                Some(handshake) if repeated => handshake.repeat(now),
                _ => self.answer_invalid(now, segment),
            }
            return false;
        }
        if self.state == State::TimeWait && segment.flags.has(Flags::FIN) {
            // [RFC9293 s3.10.7.4]: the acknowledgment of the FIN was lost.
            self.wait(now);
        }
        if old && segment.flags.has(Flags::ACK) && !segment.flags.has(Flags::SYN) {
            self.take_ack(now, segment);
        }
        match seq.filter(|_| segment.seq_len() > 0 && old && self.state.receives()) {
            Some(seq) => self.take_data(now, segment, seq, ecn),
            None => {
                self.answer_invalid(now, segment);
                false
            }
        }
    }

    /// A reset in the window, perhaps of exactly the next number [RFC5961 s3.2].
    #[cold]
    fn take_reset(&mut self, now: Time, segment: &Segment, exact: bool) {
        if !exact {
            return self.answer_invalid(now, segment);
        }
        match self.state {
            State::SynReceived if self.listened() => self.listen_again(),
            State::SynReceived => self.fail(Failure::Refused),
            State::TimeWait | State::Closing | State::LastAck => self.finish(State::Closed),
            _ => self.fail(Failure::Reset),
        }
    }

    /// A SYN in the window [RFC9293 s3.10.7.4]: answered as a reset that is not exact [RFC5961 s4.2], but for an end that
    /// listened and is not synchronized yet.
    #[cold]
    fn take_stray_syn(&mut self, now: Time, segment: &Segment) {
        if self.state == State::SynReceived && self.listened() {
            return self.listen_again();
        }
        self.answer_invalid(now, segment);
    }

    /// Whether what a segment acknowledges could be.
    #[inline]
    fn take_ack(&mut self, now: Time, segment: &Segment) -> bool {
        if self.sender.silent() && segment.ack == self.origin {
            // Nothing was ever sent, as at an end that only receives: only the window can have changed.
            if let Some(window) = self.sender.newer_window(segment, 0) {
                self.sender.note_window(window);
            }
            return true;
        }
        let una = self.sender.una();
        let behind = i64::from(self.origin.at(una).since(segment.ack));
        if behind > 0 && behind as u64 > self.sender.max_peer_window() {
            // [RFC5961 s5.2]: older than anything that could still come.
            return false;
        }
        let Some(ack) = segment.ack.offset_from(self.origin, una) else { return true };
        let echo = match segment.options.timestamps {
            Some(stamps) if self.timestamps => Clock::age(now, &stamps).map(|age| (stamps.echo, age)),
            _ => None,
        };
        let window = self.sender.newer_window(segment, ack);
        let taken = self.sender.on_ack(&Arrival {
            now,
            ack,
            window,
            bare: segment.seq_len() == 0,
            sack: &segment.options.sack,
            origin: self.origin,
            echo,
            ecn_echo: segment.flags.has(Flags::ECE),
            lost_in_air: segment.flags.has(Flags::ELN),
        });
        self.after_ack(now);
        taken
    }

    /// Takes the data and the FIN of a segment. Whether there was any, and the application still reads.
    #[inline]
    pub(super) fn take_data(&mut self, now: Time, segment: &Segment, seq: u64, ecn: Ecn) -> bool {
        let fin = segment.flags.has(Flags::FIN);
        if segment.len == 0 && !fin {
            return false;
        }
        if !self.state.receives() {
            // After the other end's FIN there is no data; a FIN that comes again is acknowledged again.
            self.receiver.owe();
            return false;
        }
        let data = Data { seq, len: segment.len, fin, ecn, reduced: segment.flags.has(Flags::CWR) };
        let new = seq + u64::from(segment.len) > self.receiver.next();
        if self.orphan && segment.len > 0 && new {
            // [RFC9293 s3.6.1]: the application no longer reads.
            let number = self.origin.at(self.sender.nxt());
            self.reset(number, false);
            self.finish(State::Closed);
            return false;
        }
        if self.ecn && self.receiver.parts(ecn) {
            self.acknowledge_before(now);
        }
        self.receiver.on_data(now, &data);
        self.after_data(now);
        true
    }

    /// Acknowledges what has come so far, with the marks as they were: it is sent before the next segment is processed.
    fn acknowledge_before(&mut self, now: Time) {
        let mut segment = Segment::default();
        self.segment(now, self.sender.nxt(), 0, Flags::ACK, &mut segment);
        self.receiver.acknowledged();
        self.answers.push_back(segment);
    }
}
