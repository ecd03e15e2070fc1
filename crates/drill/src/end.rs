//! The end of a TCP connection that scripts run against, and its configuration.

use engine::{Span, Time};
use wire::{Ecn, Segment, SeqNum};

use crate::code::Value;
use crate::settings::Settings;

/// How an end begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It sends the first SYN.
    Active,
    /// It waits for one.
    Passive,
}

/// Ports of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ports {
    /// Of the end under test.
    pub local: u16,
    /// Of the script's end.
    pub remote: u16,
}

/// Makes an end; called with the settings that hold when the connection begins, and its initial sequence number.
/// `Err` says which setting it does not support.
pub type Opener<'a> = dyn Fn(Role, &Settings, Ports, SeqNum) -> Result<Box<dyn End>, String> + 'a;

/// Where a connection is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The handshake goes on.
    Opening,
    /// It is there, whole or half closed.
    Open,
    /// Nothing is left of it.
    Gone,
}

/// Why a connection went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The SYN was answered with RST.
    Refused,
    /// RST came.
    Reset,
    /// No answer came in time.
    TimedOut,
}

/// One end of a connection, whose application reads when the script says so. After every command and every `handle_*`
/// the runner calls `poll_transmit` until it gives `None`, then reads `poll_timeout`. `now` never runs backwards.
pub trait End {
    /// Where the connection is.
    fn stage(&self) -> Stage;
    /// Why it went, if it failed.
    fn failure(&self) -> Option<Failure>;
    /// The application hands over bytes.
    fn write(&mut self, bytes: u64);
    /// Nagle's algorithm off or on; off pushes what is held back.
    fn set_nodelay(&mut self, on: bool);
    /// Only full segments until it is off again.
    fn set_cork(&mut self, on: bool);
    /// Acknowledgments go out at once, as at the beginning and with those that wait now, or may wait from now on.
    fn set_quick_acks(&mut self, on: bool);
    /// More follows what was written last, or not.
    fn set_more(&mut self, on: bool);
    /// The last write ends a record: no segment holds bytes of two records.
    fn end_record(&mut self);
    /// How long the other end may fail to answer what is sent again before the connection is given up.
    fn set_user_timeout(&mut self, timeout: Option<Span>);
    /// No more data from here.
    fn shutdown_write(&mut self);
    /// The application has gone.
    fn close(&mut self);
    /// Reset the connection.
    fn abort(&mut self);
    /// Bytes that can be read.
    fn readable(&self) -> u64;
    /// Reads `most` bytes at most; gives how many.
    fn read(&mut self, most: u64) -> u64;
    /// Whether everything before the other end's FIN has been read.
    fn at_end(&self) -> bool;
    /// Bytes handed over that are not acknowledged yet.
    fn unacknowledged(&self) -> u64;
    /// A member of `struct tcp_info`, by its Linux name.
    fn info(&self, name: &str) -> Option<Value>;
    /// A segment has come.
    fn handle_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn);
    /// The time that `poll_timeout` gave has come.
    fn handle_timeout(&mut self, now: Time);
    /// The next segment to send now.
    fn poll_transmit(&mut self, now: Time) -> Option<(Segment, Ecn)>;
    /// When `handle_timeout` is to be called; [`Time::NEVER`] if not at all.
    fn poll_timeout(&self) -> Time;
}
