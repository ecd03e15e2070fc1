//! A segment arrives [RFC9293 s3.10.7].

use engine::{Span, Time};
use wire::{Ecn, Flags, Segment};

use super::close::refusal;
use super::timestamps::{self, Clock};
use super::{Connection, Failure, State};
use crate::receiver::Data;
use crate::sender::Arrival;

/// The first timeout for data if the handshake, repeated, has measured nothing [RFC6298 s5.7].
const UNMEASURED_RTO: Span = Span::from_secs(3);

impl Connection {
    /// A segment has come, in a packet that says `ecn` about congestion.
    #[inline]
    pub fn handle_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        match self.state {
            State::Closed => self.answers.extend(refusal(segment)),
            State::Listen => self.in_listen(now, segment),
            State::SynSent => self.in_syn_sent(now, segment),
            _ => self.in_others(now, segment, ecn),
        }
    }

    /// [RFC9293 s3.10.7.2]
    fn in_listen(&mut self, now: Time, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        self.remote_port = segment.src_port;
        if segment.flags.has(Flags::ACK) {
            self.answers.extend(refusal(segment));
            return;
        }
        if segment.flags.has(Flags::SYN) {
            self.take_syn(now, segment, false);
            self.enter(State::SynReceived);
        }
    }

    /// [RFC9293 s3.10.7.3]
    fn in_syn_sent(&mut self, now: Time, segment: &Segment) {
        let acknowledges = segment.flags.has(Flags::ACK);
        let ours = segment.ack == self.origin && self.handshake.as_ref().is_some_and(|handshake| handshake.tries > 0);
        if acknowledges && !ours {
            self.answers.extend(refusal(segment));
            return;
        }
        if segment.flags.has(Flags::RST) {
            if acknowledges {
                self.fail(Failure::Refused);
            }
            return;
        }
        if !segment.flags.has(Flags::SYN) {
            return;
        }
        self.take_syn(now, segment, acknowledges);
        if acknowledges {
            self.establish(now, segment);
            self.receiver.owe();
        } else {
            // Both ends have asked at the same time [RFC9293 s3.5].
            self.enter(State::SynReceived);
        }
    }

    /// Takes the other end's SYN; `answer` if it answers ours.
    fn take_syn(&mut self, now: Time, segment: &Segment, answer: bool) {
        self.peer_origin = segment.seq + 1;
        self.last_ack = self.peer_origin;
        let Some(handshake) = &mut self.handshake else { return };
        let agreed = handshake.agree(segment, answer);
        if !answer {
            handshake.repeat(now);
        }
        self.timestamps = agreed.timestamps;
        if let Some(stamps) = segment.options.timestamps.filter(|_| agreed.timestamps) {
            self.clock.take(&stamps, segment.seq, self.last_ack);
        }
    }

    /// The handshake is over.
    fn establish(&mut self, now: Time, segment: &Segment) {
        let Some(handshake) = self.handshake.take() else { return };
        let Some(agreed) = handshake.agreed else { return };
        let stamps = segment.options.timestamps.filter(|_| agreed.timestamps);
        // A time stamp says which of several SYNs is answered [RFC7323 s4.1].
        let rtt = handshake.rtt(now).or_else(|| stamps.and_then(|stamps| Clock::age(now, &stamps)));
        let mut config = handshake.config;
        if rtt.is_none() {
            config.rto.initial = config.rto.initial.max(UNMEASURED_RTO);
        }
        config.segment = timestamps::left_for_data(config.segment.min(agreed.peer_mss), agreed.timestamps);
        config.options.sack = agreed.sack;
        config.options.timestamps = agreed.timestamps;
        if handshake.tries > 2 {
            // [RFC5681 s3.1]: a SYN was lost. One repetition may have been needless [RFC6928 s2].
            config.initial_window = 1;
        }
        self.ecn = agreed.ecn;
        self.shift = agreed.shift;
        self.sender.rebuild(&config);
        self.sender.agreed(agreed.ecn, u64::from(segment.window), rtt);
        let sack = agreed.sack;
        let most = u64::from(u16::MAX) << agreed.shift;
        self.receiver.agreed(sack, config.options.duplicate_sack, agreed.shift, most);
        self.window_from = Some((segment.seq, 0));
        self.enter(if self.sender.finishing() { State::FinWait1 } else { State::Established });
    }

    /// [RFC9293 s3.10.7.4]
    #[inline]
    fn in_others(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        let next = self.receiver.next();
        let seq = segment.seq.offset_from(self.peer_origin, next);
        let reset = segment.flags.has(Flags::RST);
        if self.timestamps && !reset && self.is_old(segment) {
            // [RFC7323 s5.3 R1]
            self.receiver.owe();
            return;
        }
        if self.is_answer(segment) {
            self.establish(now, segment);
            return self.receiver.owe();
        }
        if !self.acceptable(seq, segment.seq_len()) {
            return self.answer_unacceptable(now, segment, seq, ecn);
        }
        if reset {
            return self.take_reset(seq == Some(next));
        }
        if segment.flags.has(Flags::SYN) {
            // [RFC5961 s4.2]
            return self.receiver.owe();
        }
        if !segment.flags.has(Flags::ACK) {
            return;
        }
        if let Some(stamps) = segment.options.timestamps.filter(|_| self.timestamps) {
            self.clock.take(&stamps, segment.seq, self.last_ack);
        }
        if self.state == State::SynReceived {
            if segment.ack != self.origin {
                self.answers.extend(refusal(segment));
                return;
            }
            self.establish(now, segment);
        }
        if !self.take_ack(now, segment) {
            // [RFC9293 s3.10.7.4]: it acknowledges what was never sent, or long ago.
            self.receiver.owe();
            return;
        }
        if let Some(seq) = seq {
            self.take_data(now, segment, seq, ecn);
        }
    }

    fn is_old(&self, segment: &Segment) -> bool {
        segment.options.timestamps.is_some_and(|stamps| self.clock.is_old(&stamps))
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
            // Its acknowledgment counts even if there is no room for its data.
            (_, 0) => seq == next,
            (_, _) => end > next && seq < next + window,
        }
    }

    /// Old and impossible segments are answered with an acknowledgment; what an old one acknowledges counts.
    fn answer_unacceptable(&mut self, now: Time, segment: &Segment, seq: Option<u64>, ecn: Ecn) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        let next = self.receiver.next();
        let old = seq.is_none_or(|seq| seq < next);
        if self.state == State::SynReceived {
            if segment.flags.has(Flags::SYN)
                && let Some(handshake) = &mut self.handshake
            {
                // Our answer was lost.
                handshake.repeat(now);
            }
            return;
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
            None => self.receiver.owe(),
        }
    }

    /// [RFC5961 s3.2]
    fn take_reset(&mut self, exact: bool) {
        if !exact {
            return self.receiver.owe();
        }
        match self.state {
            State::SynReceived => self.fail(Failure::Refused),
            State::TimeWait | State::Closing | State::LastAck => self.finish(State::Closed),
            _ => self.fail(Failure::Reset),
        }
    }

    /// Whether a segment is the answer to our SYN after both ends have asked at the same time [RFC9293 s3.5 figure 7]. The
    /// SYN in it has come before.
    fn is_answer(&self, segment: &Segment) -> bool {
        self.state == State::SynReceived
            && segment.flags.has(Flags::SYN | Flags::ACK)
            && segment.seq + 1 == self.peer_origin
            && segment.ack == self.origin
    }

    /// Whether what a segment acknowledges could be.
    #[inline]
    fn take_ack(&mut self, now: Time, segment: &Segment) -> bool {
        if self.sender.silent() && segment.ack == self.origin {
            // Nothing was ever sent, as at an end that only receives: the window is all that can be news.
            if self.newest_window(segment, 0) {
                self.sender.note_window(u64::from(segment.window));
            }
            return true;
        }
        let una = self.sender.una();
        let behind = i64::from(self.origin.at(una).since(segment.ack));
        if behind > 0 && behind as u64 > self.sender.most_peer_window() {
            // [RFC5961 s5.2]: older than anything that could still come.
            return false;
        }
        let Some(ack) = segment.ack.offset_from(self.origin, una) else { return true };
        let echo = match segment.options.timestamps {
            Some(stamps) if self.timestamps => Clock::age(now, &stamps).map(|age| (stamps.echo, age)),
            _ => None,
        };
        let window = self.newest_window(segment, ack).then(|| u64::from(segment.window));
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

    /// Whether a segment is newer than the one that spoke of the window last [RFC9293 s3.10.7.4].
    #[inline]
    fn newest_window(&mut self, segment: &Segment, ack: u64) -> bool {
        let newer = match self.window_from {
            None => true,
            Some((seq, last)) => {
                let later = segment.seq.since(seq);
                ack >= self.sender.una() && (later > 0 || (later == 0 && ack >= last))
            }
        };
        if newer {
            self.window_from = Some((segment.seq, ack));
        }
        newer
    }

    #[inline]
    fn take_data(&mut self, now: Time, segment: &Segment, seq: u64, ecn: Ecn) {
        let fin = segment.flags.has(Flags::FIN);
        if segment.len == 0 && !fin {
            return;
        }
        if !self.state.receives() {
            // After the other end's FIN there is no data; a FIN that comes again is acknowledged again.
            return self.receiver.owe();
        }
        let data = Data { seq, len: segment.len, fin, ecn, reduced: segment.flags.has(Flags::CWR) };
        let new = seq + u64::from(segment.len) > self.receiver.next();
        if self.orphan && segment.len > 0 && new {
            // [RFC9293 s3.6.1]: nobody is left to read it.
            let number = self.origin.at(self.sender.nxt());
            self.reset(number, false);
            self.finish(State::Closed);
            return;
        }
        if self.ecn && self.receiver.parts(ecn) {
            self.acknowledge_before(now);
        }
        self.receiver.on_data(now, &data);
        self.after_data(now);
    }

    /// Acknowledges what has come so far, with the marks as they were: it goes out before whatever the next segment brings.
    fn acknowledge_before(&mut self, now: Time) {
        let mut segment = Segment::default();
        self.segment(now, self.sender.nxt(), 0, Flags::ACK, &mut segment);
        self.receiver.acknowledged();
        self.answers.push_back(segment);
    }
}
