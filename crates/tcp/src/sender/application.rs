//! What the application asks of a sender.

use engine::Span;

use super::Sender;
use crate::config::Nagle;

impl Sender {
    /// `bytes` more are handed over.
    pub fn offer(&mut self, bytes: u64) {
        self.buffer.write(bytes);
    }

    /// A FIN follows what has been handed over.
    pub fn finish(&mut self) {
        self.buffer.finish();
    }

    /// TCP_NODELAY; off, small segments wait as `default` says.
    pub fn set_nodelay(&mut self, on: bool, default: Nagle) {
        self.buffer.set_nodelay(on, default, self.board.nxt());
    }

    /// TCP_CORK.
    pub fn set_cork(&mut self, on: bool) {
        self.buffer.set_cork(on, self.board.nxt());
    }

    /// Whether the application has said that more follows what it handed over last. It holds that back until the next
    /// acknowledgment comes, and takes the push mark off it.
    pub fn set_more(&mut self, on: bool) {
        self.buffer.set_more(on);
    }

    /// What is held back goes out, however small.
    pub fn push(&mut self) {
        self.buffer.push();
    }

    /// What was handed over last ends a record (MSG_EOR).
    pub fn end_record(&mut self) {
        self.buffer.end_record();
    }

    /// How long the other end may fail to answer before the connection is given up (TCP_USER_TIMEOUT).
    pub fn set_user_timeout(&mut self, timeout: Option<Span>) {
        self.timer.set_user_timeout(timeout);
    }

    /// Whether the other end has been silent for longer than is allowed.
    pub fn given_up(&self) -> bool {
        self.timer.given_up()
    }

    /// How long a cork may hold back what there is, if it does.
    pub fn cork_time(&self) -> Option<Span> {
        self.buffer.waits_for_more(self.nxt()).then(|| self.timer.rtt().rto())
    }
}
