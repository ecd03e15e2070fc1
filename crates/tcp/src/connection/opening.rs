//! SYNs and the responses to them [RFC9293 s3.10.7.2, s3.10.7.3].

use engine::{Span, Time};
use wire::{Ecn, Flags, Segment};

use super::close::refuse_segment;
use super::{Connection, Failure, State};
use crate::receiver::SackReports;
use crate::timestamps::{self, Clock};

/// The first timeout for data if the handshake had retransmissions and measured no round trip [RFC6298 s5.7].
const UNMEASURED_RTO: Span = Span::from_secs(3);

impl Connection {
    /// [RFC9293 s3.10.7.2]
    pub(super) fn in_listen(&mut self, now: Time, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        self.remote_port = segment.src_port;
        if segment.flags.has(Flags::ACK) {
            self.answers.extend(refuse_segment(segment));
            return;
        }
        if segment.flags.has(Flags::SYN) {
            self.take_syn(now, segment, false);
            if let Some(handshake) = &mut self.handshake {
                handshake.passive = true;
            }
            self.enter(State::SynReceived);
        }
    }

    /// [RFC9293 s3.10.7.3]
    pub(super) fn in_syn_sent(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        let acknowledges = segment.flags.has(Flags::ACK);
        let ours = segment.ack == self.origin && self.handshake.as_ref().is_some_and(|handshake| handshake.tries > 0);
        if acknowledges && !ours {
            self.answers.extend(refuse_segment(segment));
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
            self.take_answer(now, segment, ecn);
        } else {
            // Simultaneous open [RFC9293 s3.5].
            self.enter(State::SynReceived);
        }
    }

    /// Whether a segment is the SYN-ACK of a simultaneous open [RFC9293 s3.5 figure 7], whose SYN was received before.
    pub(super) fn is_answer(&self, segment: &Segment) -> bool {
        self.state == State::SynReceived
            && segment.flags.has(Flags::SYN | Flags::ACK)
            && segment.seq + 1 == self.peer_origin
            && segment.ack == self.origin
    }

    /// Processes the answer to this end's SYN, with data and FIN if the answer has them [RFC9293 s3.10.7.3]; Linux
    /// waits for their retransmission. Returns whether there were data or a FIN. A single acknowledgment covers SYN,
    /// data and FIN.
    #[cold]
    pub(super) fn take_answer(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> bool {
        self.establish(now, segment);
        let taken = self.take_data(now, segment, 0, ecn);
        self.receiver.on_ack_sent();
        self.receiver.owe();
        taken
    }

    /// Processes the SYN of the other end, which is a SYN-ACK if `answer`.
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
            self.clock.take(now, &stamps, segment.seq, self.last_ack);
        }
    }

    /// Completes the handshake.
    pub(super) fn establish(&mut self, now: Time, segment: &Segment) {
        let Some(handshake) = self.handshake.take() else { return };
        let Some(agreed) = handshake.agreed else { return };
        let stamps = segment.options.timestamps.filter(|_| agreed.timestamps);
        // A timestamp shows which of several SYNs is answered [RFC7323 s4.1].
        let rtt = handshake.rtt(now).or_else(|| stamps.and_then(|stamps| Clock::age(now, &stamps)));
        let mut config = handshake.config;
        if rtt.is_none() {
            config.initial_rto = config.initial_rto.max(UNMEASURED_RTO);
        }
        config.segment = timestamps::left_for_data(config.segment.min(agreed.peer_mss), agreed.timestamps);
        config.sack = agreed.sack;
        config.timestamps = agreed.timestamps;
        if handshake.tries > 2 {
            // [RFC5681 s3.1]: a SYN was lost. A single retransmission may have been spurious [RFC6928 s2].
            config.initial_window = 1;
        }
        self.ecn = agreed.ecn;
        self.shift = agreed.shift;
        self.sender.rebuild(&config);
        let from = (segment.seq, self.origin);
        self.sender.on_handshake(agreed.ecn, u64::from(segment.window), Some(from), rtt.map(|rtt| (now, rtt)));
        let max_window = u32::from(u16::MAX) << agreed.shift;
        self.receiver.on_handshake(SackReports::of(&config), agreed.shift, max_window);
        self.enter(if self.sender.finishing() { State::FinWait1 } else { State::Established });
    }

    /// Whether the connection was opened by the other end.
    pub(super) fn is_passive(&self) -> bool {
        self.handshake.as_ref().is_some_and(|handshake| handshake.passive)
    }
}
