//! What the application asks of a connection: data, socket options, reading.

use engine::{Span, Time};

use super::Connection;

impl Connection {
    /// The application hands over `bytes` more bytes; `u64::MAX` never ends. The buffer has no end. After the sending side
    /// was shut down nothing is taken.
    pub fn write(&mut self, bytes: u64) {
        if !self.sender.finishing() {
            self.sender.offer(bytes);
        }
    }

    /// Small segments go out at once, and what was held back (TCP_NODELAY).
    pub fn set_nodelay(&mut self, on: bool) {
        self.sender.set_nodelay(on, self.nagle);
    }

    /// Only full segments go out until this is taken back, or a retransmission timeout has gone by (TCP_CORK).
    pub fn set_cork(&mut self, on: bool) {
        self.sender.set_cork(on);
        self.uncork_at = Time::NEVER;
    }

    /// Acknowledgments may wait from now on, or the first ones go out at once and those that wait now do (TCP_QUICKACK).
    pub fn set_quick_acks(&mut self, on: bool) {
        self.receiver.set_quick(on);
    }

    /// Whether the application has said that more follows what it wrote last (MSG_MORE).
    pub fn set_more(&mut self, on: bool) {
        self.sender.set_more(on);
    }

    /// What was written last ends a record: no segment holds bytes of two (MSG_EOR).
    pub fn end_record(&mut self) {
        self.sender.end_record();
    }

    /// How long the other end may fail to answer what is sent again before the connection is given up (TCP_USER_TIMEOUT);
    /// none: as often as the settings say. The option of RFC 5482 by which ends tell each other is not sent.
    pub fn set_user_timeout(&mut self, timeout: Option<Span>) {
        self.sender.set_user_timeout(timeout);
        if let Some(handshake) = &mut self.handshake {
            handshake.user_timeout = timeout;
        }
    }

    /// The application reads by itself from now on; before that, as data comes.
    pub fn hold_reading(&mut self) {
        self.receiver.hold();
    }

    /// Bytes that may be read.
    pub fn readable(&self) -> u64 {
        self.receiver.readable()
    }

    /// Reads at most `max` bytes; returns how many were read.
    pub fn read(&mut self, max: u64) -> u64 {
        self.receiver.read(max)
    }

    /// Whether the other end has closed and everything before that was read.
    pub fn at_end(&self) -> bool {
        self.receiver.finished() && self.receiver.readable() == 0
    }

    /// Whether everything handed over has been acknowledged.
    pub fn done(&self) -> bool {
        self.sender.done()
    }
}
