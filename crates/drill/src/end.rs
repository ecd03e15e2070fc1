//! Interface of the TCP connection end that scripts run against.

use engine::{Span, Time};
use wire::{Ecn, Segment, SeqNum};

use crate::code::PyValue;
use crate::settings::HostSettings;

/// The role in which a connection end opens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenRole {
    /// Active open: the end sends the first SYN.
    Active,
    /// Passive open: the end waits for a SYN.
    Passive,
}

/// Port numbers of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ports {
    /// Port of the end under test.
    pub local: u16,
    /// Port of the script's side.
    pub remote: u16,
}

/// Creates a connection end from its role, the settings in force when the connection begins, its ports, and its initial
/// sequence number. `Err` names a setting that the end does not support.
pub type Opener<'a> = dyn Fn(OpenRole, &HostSettings, Ports, SeqNum) -> Result<Box<dyn ConnectionEnd>, String> + 'a;

/// Phase of a connection's life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionStage {
    /// The handshake is not complete.
    Opening,
    /// The connection is established. One direction may be closed.
    Open,
    /// The connection is closed.
    Gone,
}

/// The reason why a connection failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionFailure {
    /// The SYN was answered with a RST.
    Refused,
    /// A RST arrived.
    Reset,
    /// Retransmissions went unanswered until the connection was given up.
    TimedOut,
}

/// One end of a connection. Its application reads only when the script calls read. After every command and every
/// `handle_*` the runner calls `poll_transmit` until the result is `None`, and then reads `poll_timeout`. `now` never
/// decreases.
pub trait ConnectionEnd {
    /// Returns the phase of the connection.
    fn stage(&self) -> ConnectionStage;
    /// Returns why the connection failed; `None` if it did not fail.
    fn failure(&self) -> Option<ConnectionFailure>;
    /// Appends `bytes` bytes of application data to the send buffer.
    fn write(&mut self, bytes: u64);
    /// Sets TCP_NODELAY; `true` disables Nagle's algorithm and sends the data that it holds back.
    fn set_nodelay(&mut self, on: bool);
    /// Sets TCP_CORK; while set, only full segments are sent.
    fn set_cork(&mut self, on: bool);
    /// Sets TCP_QUICKACK; `true` sends a pending acknowledgment now and following ones at once, `false` allows delayed
    /// acknowledgments.
    fn set_quick_acks(&mut self, on: bool);
    /// Sets whether more data follows the last write (`MSG_MORE`).
    fn set_more(&mut self, on: bool);
    /// Marks the last write as the end of a record: no segment carries bytes of two records.
    fn end_record(&mut self);
    /// Sets how long retransmissions may stay unanswered before the connection is given up; `None` for the default.
    fn set_user_timeout(&mut self, timeout: Option<Span>);
    /// Closes the sending direction (`SHUT_WR`).
    fn shutdown_write(&mut self);
    /// Closes the connection, as the application's `close` does.
    fn close(&mut self);
    /// Resets the connection.
    fn abort(&mut self);
    /// Returns the number of bytes that the application can read.
    fn readable(&self) -> u64;
    /// Reads up to `most` bytes; returns the number of bytes read.
    fn read(&mut self, most: u64) -> u64;
    /// Returns true if everything before the peer's FIN has been read.
    fn at_end(&self) -> bool;
    /// Returns the number of written bytes that are not acknowledged yet.
    fn unacknowledged_bytes(&self) -> u64;
    /// Returns a member of `struct tcp_info`, by its Linux name.
    fn info(&self, name: &str) -> Option<PyValue>;
    /// Processes an arriving segment with its ECN codepoint.
    fn handle_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn);
    /// Processes the expiry of a timer, at the time that `poll_timeout` returned.
    fn handle_timeout(&mut self, now: Time);
    /// Returns the next segment to send at `now`; `None` if there is none.
    fn poll_transmit(&mut self, now: Time) -> Option<(Segment, Ecn)>;
    /// Returns the time at which `handle_timeout` is to be called; [`Time::NEVER`] if no timer runs.
    fn poll_timeout(&self) -> Time;
}
