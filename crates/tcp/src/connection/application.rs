//! Commands of the application: data, socket options, reading.

use engine::{Span, Time};

use super::Connection;

impl Connection {
    /// Writes `bytes` more bytes; `u64::MAX` is unlimited. The buffer is unlimited. After the sending side was shut
    /// down nothing is accepted.
    pub fn write(&mut self, bytes: u64) {
        if !self.sender.finishing() {
            self.sender.offer(bytes);
        }
    }

    /// Discards all unsent data, which an application that stops early would not have written.
    pub fn discard_unsent(&mut self) {
        self.sender.discard_unsent();
    }

    /// Returns the number of bytes written; `u64::MAX` for unlimited data.
    pub fn bytes_written(&self) -> u64 {
        self.sender.bytes_written()
    }

    /// Sends small segments immediately, and also data that was held back (TCP_NODELAY).
    pub fn set_nodelay(&mut self, on: bool) {
        self.sender.set_nodelay(on, self.nagle);
    }

    /// Sends only full segments until the option is cleared, or a retransmission timeout has passed (TCP_CORK).
    pub fn set_cork(&mut self, on: bool) {
        self.sender.set_cork(on);
        self.uncork_at = Time::NEVER;
    }

    /// Allows delayed acknowledgments, or sends the first acknowledgments and currently delayed ones immediately
    /// (TCP_QUICKACK).
    pub fn set_quick_acks(&mut self, on: bool) {
        self.receiver.set_quick(on);
    }

    /// Sets whether the application has announced more data after the last write (MSG_MORE).
    pub fn set_more(&mut self, on: bool) {
        self.sender.set_more(on);
    }

    /// Ends a record with the last write: no segment contains bytes of two records (MSG_EOR).
    pub fn end_record(&mut self) {
        self.sender.end_record();
    }

    /// Sets the time for which retransmissions may remain unanswered before the connection fails (TCP_USER_TIMEOUT);
    /// `None` for the number in the settings. The option of RFC 5482, which announces it to the other end, is not sent.
    pub fn set_user_timeout(&mut self, timeout: Option<Span>) {
        self.sender.set_user_timeout(timeout);
        if let Some(handshake) = &mut self.handshake {
            handshake.user_timeout = timeout;
        }
    }

    /// Makes the application read explicitly from now on; before that, data is read on arrival.
    pub fn hold_reading(&mut self) {
        self.receiver.hold();
    }

    /// Reads all data, and makes the application read on arrival from now on, as before `hold_reading`.
    pub fn read_on_arrival(&mut self) {
        self.receiver.read_on_arrival();
    }

    /// Bytes available to read.
    pub fn readable(&self) -> u64 {
        self.receiver.readable()
    }

    /// Reads at most `max` bytes; returns how many were read.
    pub fn read(&mut self, max: u64) -> u64 {
        self.receiver.read(max)
    }

    /// Bytes that the application has read. Data that it reads on arrival counts when it was received in order.
    #[inline]
    pub fn bytes_read(&self) -> u64 {
        self.receiver.bytes_received() - self.receiver.readable()
    }

    /// Whether the other end has closed and everything before its FIN was read.
    pub fn at_end(&self) -> bool {
        self.receiver.has_received_fin() && self.receiver.readable() == 0
    }

    /// Whether everything written was acknowledged.
    pub fn done(&self) -> bool {
        self.sender.done()
    }
}
