//! Processing of received segments [RFC9293 s3.10.7].

use engine::Time;
use wire::{Ecn, Flags, Segment};

use super::close::refuse_segment;
use super::{Connection, Failure, State};
use crate::receiver::{JoinedSegments, ReceiveOffload, ReceivedData};
use crate::sender::AckArrival;
use crate::timestamps::{self, Clock};

impl Connection {
    /// Processes a received segment, whose packet has the ECN codepoint `ecn`.
    #[inline]
    pub fn handle_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        // During the handshake nothing is held: its timer is the only one.
        if self.receiver.has_offload() && self.handshake.is_none() {
            return self.offload_segment(now, segment, ecn);
        }
        self.process_segment(now, segment, ecn);
    }

    /// Processes a segment that is not held to be joined with others.
    #[inline]
    fn process_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        match self.state {
            State::Closed => self.answers.extend(refuse_segment(segment)),
            State::Listen => self.in_listen(now, segment),
            State::SynSent => self.in_syn_sent(now, segment, ecn),
            _ => self.in_others(now, segment, ecn),
        }
    }

    /// Joins a segment with earlier ones, and processes the segments that need not wait.
    #[cold]
    fn offload_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        let Some(offload) = self.receiver.offload() else { return };
        let arrival = offload.take_segment(now, segment, ecn);
        if let Some(joined) = arrival.complete {
            self.process_joined(now, &joined);
        }
        if arrival.passes {
            self.process_segment(now, segment, ecn);
        }
    }

    /// Processes the segments that wait to be joined.
    #[cold]
    pub(super) fn flush_offload(&mut self, now: Time) {
        if let Some(joined) = self.receiver.offload().and_then(ReceiveOffload::take_held) {
            self.process_joined(now, &joined);
        }
    }

    fn process_joined(&mut self, now: Time, joined: &JoinedSegments) {
        self.receiver.set_joined_size(Some(joined.size));
        self.process_segment(now, &joined.segment, joined.ecn);
        self.receiver.set_joined_size(None);
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

    /// Processes a segment; returns whether its data, if any, was processed. `seq` is the offset of the segment's first
    /// byte.
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
        match self.state {
            State::SynReceived if segment.ack != self.origin => {
                self.answers.extend(refuse_segment(segment));
                return false;
            }
            State::SynReceived => self.establish(now, segment),
            // The other end sends only repetitions, which are answered. RFC 9293 answers a FIN and data; Linux and
            // FreeBSD also an acknowledgment that is not the next segment.
            State::TimeWait if segment.seq_len() == 0 && seq != Some(next) => {
                self.answer_invalid(now, segment);
                return false;
            }
            _ => {}
        }
        if !self.take_ack(now, segment) {
            // [RFC9293 s3.10.7.4]: the segment acknowledges unsent data, or its acknowledgment is too old.
            self.answer_invalid(now, segment);
            return false;
        }
        // An invalid segment must not change TS.Recent.
        self.take_stamps(now, segment);
        match seq {
            Some(seq) => self.take_data(now, segment, seq, ecn),
            None => false,
        }
    }

    /// Answers a segment that is not acceptable with an acknowledgment. A segment without data is not answered if the
    /// last answer was recent: otherwise two ends could answer each other endlessly [RFC5961 s7].
    #[cold]
    pub(super) fn answer_invalid(&mut self, now: Time, segment: &Segment) {
        if segment.seq_len() == 0 || segment.flags.has(Flags::SYN) {
            let now = timestamps::timestamp_at(now);
            if now.wrapping_sub(self.answered_at) < self.invalid_ratelimit {
                return;
            }
            self.answered_at = now;
        }
        match self.handshake.as_ref().and_then(|handshake| handshake.agreed) {
            // Acknowledgments due wait for the handshake.
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

    /// Whether a segment lies at least partly in the window [RFC9293 s3.10.7.4].
    #[inline]
    fn acceptable(&self, seq: Option<u64>, len: u32) -> bool {
        let Some(seq) = seq else { return false };
        let (next, window) = (self.receiver.next(), self.receiver.window());
        let end = seq + u64::from(len);
        match (len, window) {
            (0, 0) => seq == next,
            (0, _) => next <= seq && seq < next + window,
            // The acknowledgment of the segment counts even if the window is closed.
            (_, 0) => seq == next,
            (_, _) => end > next && seq < next + window,
        }
    }

    /// Answers old and impossible segments with an acknowledgment. The acknowledgment number of an old segment is
    /// processed. Returns whether the segment's data was processed.
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
            let valid = self.take_ack(now, segment);
            // A duplicate of the last segment in order, whose acknowledgment was lost, sets TS.Recent: otherwise its
            // sender measures the timeout as part of the round trip. Earlier segments do not [Linux `tcp_sequence`].
            if valid && (segment.seq + segment.seq_len()).since(self.last_ack) >= 0 {
                self.take_stamps(now, segment);
            }
        }
        match seq.filter(|_| segment.seq_len() > 0 && old && self.state.receives()) {
            Some(seq) => self.take_data(now, segment, seq, ecn),
            None => {
                self.answer_invalid(now, segment);
                false
            }
        }
    }

    /// Updates TS.Recent from a segment with a valid acknowledgment.
    #[inline]
    fn take_stamps(&mut self, now: Time, segment: &Segment) {
        if let Some(stamps) = segment.options.timestamps.filter(|_| self.timestamps) {
            self.clock.take(now, &stamps, segment.seq, self.last_ack);
        }
    }

    /// Processes a reset in the window, `exact` if its number is exactly the next one [RFC5961 s3.2].
    #[cold]
    fn take_reset(&mut self, now: Time, segment: &Segment, exact: bool) {
        if !exact {
            return self.answer_invalid(now, segment);
        }
        match self.state {
            State::SynReceived if self.is_passive() => self.listen_again(),
            State::SynReceived => self.fail(Failure::Refused),
            State::TimeWait | State::Closing | State::LastAck => self.finish(State::Closed),
            _ => self.fail(Failure::Reset),
        }
    }

    /// Processes a SYN in the window [RFC9293 s3.10.7.4]: the SYN is handled like an inexact reset [RFC5961 s4.2],
    /// except at an end that listened and is not synchronized yet.
    #[cold]
    fn take_stray_syn(&mut self, now: Time, segment: &Segment) {
        if self.state == State::SynReceived && self.is_passive() {
            return self.listen_again();
        }
        self.answer_invalid(now, segment);
    }

    /// Processes the acknowledgment number; returns whether it is valid.
    #[inline]
    fn take_ack(&mut self, now: Time, segment: &Segment) -> bool {
        if self.sender.silent() && segment.ack == self.origin {
            // No data was ever sent, as at an end that only receives. Therefore only the window can have changed.
            if let Some(window) = self.sender.newer_window((segment.seq, segment.ack), segment.window, 0) {
                self.sender.note_window(window);
            }
            return true;
        }
        let una = self.sender.una();
        let behind = i64::from(self.origin.at(una).since(segment.ack));
        if behind > 0 && behind as u64 > self.sender.max_peer_window() {
            // [RFC5961 s5.2]: older than any valid acknowledgment.
            return false;
        }
        let Some(ack) = segment.ack.offset_from(self.origin, una) else { return true };
        let echo = match segment.options.timestamps {
            Some(stamps) if self.timestamps => Clock::age(now, &stamps).map(|age| (stamps.echo, age)),
            _ => None,
        };
        let window = self.sender.newer_window((segment.seq, segment.ack), segment.window, ack);
        let taken = self.sender.on_ack(&AckArrival {
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

    /// Processes the data and the FIN of a segment. Returns whether the segment had data or a FIN, and the application
    /// still reads.
    #[inline]
    pub(super) fn take_data(&mut self, now: Time, segment: &Segment, seq: u64, ecn: Ecn) -> bool {
        let fin = segment.flags.has(Flags::FIN);
        if segment.len == 0 && !fin {
            return false;
        }
        if !self.state.receives() {
            // No data is valid after the other end's FIN; a repeated FIN is acknowledged again.
            self.receiver.owe();
            return false;
        }
        let stamps = segment.options.timestamps.filter(|_| self.timestamps && self.receiver.measures_echoes());
        let rtt = self.receiver.needs_times().then(|| self.sender.rtt());
        let data = ReceivedData {
            seq,
            len: segment.len,
            fin,
            ecn,
            reduced: segment.flags.has(Flags::CWR),
            push: segment.flags.has(Flags::PSH),
            closing: matches!(self.state, State::FinWait1 | State::FinWait2),
            echo: stamps.and_then(|stamps| Clock::age(now, &stamps).map(|age| (stamps.echo, age))),
            times: rtt.map(|rtt| (rtt.srtt(), rtt.rto())),
        };
        let new = seq + u64::from(segment.len) > self.receiver.next();
        if self.orphan && segment.len > 0 && new {
            // [RFC9293 s3.6.1]: the application no longer reads. The number is SEG.ACK, which precedes SND.NXT while
            // data or the FIN are not acknowledged [RFC9293 s3.5.2 group 2].
            self.reset(segment.ack, false);
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

    /// Acknowledges the data received so far, with its ECN marks, before the next segment is processed.
    fn acknowledge_before(&mut self, now: Time) {
        let mut segment = Segment::default();
        self.segment(self.sender.nxt(), 0, Flags::ACK).write_to(&mut segment);
        self.add_options(now, &mut segment);
        self.receiver.on_ack_sent();
        self.answers.push_back(segment);
    }
}
