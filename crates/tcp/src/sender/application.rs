//! Commands of the application to the sender.

use engine::Span;

use super::Sender;
use crate::config::Nagle;

impl Sender {
    /// Adds `bytes` that the application writes.
    pub fn offer(&mut self, bytes: u64) {
        self.buffer.write(bytes, [self.board.una(), self.board.nxt()]);
    }

    /// Discards all unsent data.
    pub fn discard_unsent(&mut self) {
        self.buffer.discard_after(self.board.nxt());
    }

    /// Bytes written by the application.
    pub fn bytes_written(&self) -> u64 {
        self.buffer.bytes_written()
    }

    /// Makes a FIN follow the data written.
    pub fn finish(&mut self) {
        self.buffer.finish();
    }

    /// Sets TCP_NODELAY. If the option is off, small segments follow `default`.
    pub fn set_nodelay(&mut self, on: bool, default: Nagle) {
        self.buffer.set_nodelay(on, default, self.board.nxt());
    }

    /// TCP_CORK.
    pub fn set_cork(&mut self, on: bool) {
        self.buffer.set_cork(on, self.board.nxt());
    }

    /// Sets whether the application has announced more data (MSG_MORE). This holds back the last bytes written until
    /// the next acknowledgment, and clears its PSH flag.
    pub fn set_more(&mut self, on: bool) {
        self.buffer.set_more(on);
    }

    /// Sends all data held back, however small.
    pub fn push(&mut self) {
        self.buffer.push();
    }

    /// Ends a record with the data written last (MSG_EOR).
    pub fn end_record(&mut self) {
        self.buffer.end_record();
    }

    /// Sets the time for which the other end may be silent before the connection fails (TCP_USER_TIMEOUT).
    pub fn set_user_timeout(&mut self, timeout: Option<Span>) {
        self.timer.set_user_timeout(timeout);
    }

    /// Whether the other end has been silent for longer than allowed.
    pub fn given_up(&self) -> bool {
        self.timer.given_up()
    }

    /// Returns the maximum time for which a cork may hold back the current data, if a cork is set.
    pub fn cork_time(&self) -> Option<Span> {
        self.buffer.waits_for_more(self.nxt()).then(|| self.timer.rtt().rto())
    }
}
