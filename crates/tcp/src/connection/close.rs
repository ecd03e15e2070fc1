//! The end of a connection [RFC9293 s3.6].

use engine::Time;
use wire::{Flags, Options, Segment, SeqNum, Timestamps};

use super::{Connection, Failure, State};
use crate::timestamps::Clock;

/// Returns the reset that answers a segment of no connection [RFC9293 s3.10.7.1]; `None` for a reset.
pub fn refuse_segment(segment: &Segment) -> Option<Segment> {
    if segment.flags.has(Flags::RST) {
        return None;
    }
    let to = Segment { src_port: segment.dst_port, dst_port: segment.src_port, ..Segment::default() };
    Some(if segment.flags.has(Flags::ACK) {
        Segment { seq: segment.ack, flags: Flags::RST, ..to }
    } else {
        Segment { seq: SeqNum(0), ack: segment.seq + segment.seq_len(), flags: Flags::RST | Flags::ACK, ..to }
    })
}

impl Connection {
    /// Closes the sending side: a FIN follows the data.
    pub fn shutdown_write(&mut self) {
        match self.state {
            State::SynReceived | State::Established => self.state_after_handshake(State::FinWait1),
            State::CloseWait => self.enter(State::LastAck),
            // The FIN is sent when the connection is established.
            State::SynSent => {}
            State::Listen => return self.enter(State::Closed),
            _ => return,
        }
        self.sender.finish();
    }

    /// Enters a state, or records it until the end of the handshake.
    fn state_after_handshake(&mut self, state: State) {
        if self.handshake.is_none() {
            self.enter(state);
        }
    }

    /// Closes both directions on behalf of the application. Unread or later data is answered with a reset [RFC9293
    /// s3.6.1, RFC2525 s2.17]. Before the handshake of a passive open has ended, this closes the listener, and the
    /// opening ends without a segment, as in Linux (`inet_csk_listen_stop`).
    pub fn close(&mut self) {
        self.orphan = true;
        match self.state {
            State::SynSent | State::Listen => self.enter(State::Closed),
            State::SynReceived if self.is_passive() => self.finish(State::Closed),
            State::FinWait2 => self.linger_until = Time::ZERO,
            _ if self.receiver.readable() > 0 => self.abort(),
            _ => self.shutdown_write(),
        }
    }

    /// Aborts the connection and resets the other end [RFC9293 s3.10.5].
    pub fn abort(&mut self) {
        self.orphan = true;
        if self.state.synchronized() && self.state != State::TimeWait || self.state == State::SynReceived {
            let seq = self.origin.at(self.sender.nxt());
            self.reset(seq, true);
        }
        self.finish(State::Closed);
    }

    /// Sends a reset; with an acknowledgment of everything received if `acknowledges`. Timestamps are added at its
    /// transmission [RFC7323 s3.2].
    pub(super) fn reset(&mut self, seq: SeqNum, acknowledges: bool) {
        let ack = self.peer_origin.at(self.receiver.next());
        self.answers.push_back(Segment {
            src_port: self.local_port,
            dst_port: self.remote_port,
            seq,
            ack: if acknowledges { ack } else { SeqNum(0) },
            flags: if acknowledges { Flags::RST | Flags::ACK } else { Flags::RST },
            options: Options { timestamps: self.timestamps.then(Timestamps::default), ..Options::default() },
            ..Segment::default()
        });
    }

    /// Ends the connection.
    pub(super) fn finish(&mut self, state: State) {
        self.enter(state);
        self.handshake = None;
        self.linger_until = Time::NEVER;
        self.uncork_at = Time::NEVER;
        self.receiver.on_ack_sent();
    }

    /// Returns to LISTEN after a failed opening by the other end [RFC9293 s3.10.7.4].
    pub(super) fn listen_again(&mut self) {
        if self.orphan {
            return self.finish(State::Closed);
        }
        if let Some(handshake) = &mut self.handshake {
            handshake.forget();
        }
        (self.peer_origin, self.last_ack, self.remote_port) = (SeqNum(0), SeqNum(0), 0);
        (self.clock, self.timestamps) = (Clock::default(), false);
        self.enter(State::Listen);
    }

    pub(super) fn fail(&mut self, failure: Failure) {
        self.failure = Some(failure);
        self.finish(State::Closed);
    }

    /// Waits for stray segments after both ends have closed [RFC9293 s3.6.1].
    pub(super) fn wait(&mut self, now: Time) {
        self.enter(State::TimeWait);
        self.linger_until = now + self.time_wait;
    }

    /// Ends TIME-WAIT, or FIN-WAIT-2 after the application has closed: the other end may never send its FIN. RFC 9293
    /// sets no limit to FIN-WAIT-2.
    pub(super) fn end_linger(&mut self, now: Time) {
        if self.linger_until == Time::ZERO {
            self.linger_until = now + self.fin_timeout;
        } else {
            self.finish(State::Closed);
        }
    }

    /// Checks whether this end's FIN was acknowledged.
    pub(super) fn after_ack(&mut self, now: Time) {
        if !self.sender.fin_acknowledged() {
            return;
        }
        match self.state {
            State::FinWait1 => {
                self.enter(State::FinWait2);
                if self.orphan {
                    self.linger_until = now + self.fin_timeout;
                }
            }
            State::Closing => self.wait(now),
            State::LastAck => self.finish(State::Closed),
            _ => {}
        }
    }

    /// Checks whether the other end's FIN was received in order.
    pub(super) fn after_data(&mut self, now: Time) {
        if !self.receiver.has_received_fin() {
            return;
        }
        match self.state {
            State::Established => self.enter(State::CloseWait),
            State::FinWait1 => self.enter(State::Closing),
            State::FinWait2 => self.wait(now),
            _ => {}
        }
    }
}
