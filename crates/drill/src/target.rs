//! The target of scripts: a host whose applications make calls, and the line in front of it.

use engine::{Span, Time};
use wire::{Ecn, Segment};

use crate::code::Value;
use crate::outbox::Outbox;
use crate::settings::Setting;
use crate::syntax::ast::Call;

/// Whose time it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// Ours: exact, and waiting costs nothing.
    Simulated,
    /// The wall's: what runs takes time, and so does waiting.
    Wall,
}

impl Clock {
    /// How long is waited for a packet that may come at any time.
    pub fn patience(self) -> Span {
        match self {
            Clock::Simulated => Span::from_secs(3600),
            Clock::Wall => Span::from_secs(20),
        }
    }

    /// By how much what a script allows is multiplied: a machine that is busy has its scripts wait for it.
    pub fn allowance(self) -> u64 {
        match self {
            Clock::Simulated => 1,
            Clock::Wall => 2,
        }
    }

    /// How far beyond its time a packet that is missing is looked for, to say when it would have come.
    pub fn beyond(self) -> Span {
        match self {
            Clock::Simulated => Span::from_secs(10),
            Clock::Wall => Span::from_secs(1),
        }
    }
}

/// What a system call comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It returns this.
    Returns(i64),
    /// It returns -1 and this error.
    Fails(&'static str),
    /// It waits.
    Blocks,
    /// It returns, but not with the value that the script expects in an argument.
    Differs {
        /// Of what.
        what: String,
        /// What the script says.
        expected: String,
        /// What is.
        found: String,
    },
    /// It is not supported.
    Unsupported(String),
}

/// A timer is due at once, however often it expires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck;

/// A host under test. Segments on both sides are as on its wire, but sequence numbers of the host begin at
/// [`LOCAL_ISS`](crate::host::LOCAL_ISS). After `inject`, `call` and `advance` the outbox has what was sent since.
pub trait Target {
    /// Whose time `now` is.
    fn clock(&self) -> Clock;
    /// The time. It never runs backwards.
    fn now(&self) -> Time;
    /// When something is due, at the latest; [`Time::NEVER`] if nothing is, or if that is unknown.
    fn next_timeout(&self) -> Time;
    /// How late a timer of this length may expire and still be on time.
    fn lateness(&self, span: Span) -> Span;
    /// Advances the time to `until`, or with `stop` to the next segment that is sent and unread. `Err` if the time does
    /// not advance because a timer is due again and again.
    fn advance(&mut self, until: Time, stop: bool) -> Result<(), Stuck>;
    /// Puts a setting into effect, for connections to come. Gives what a reader should know; `Err` says what is not
    /// supported.
    fn set(&mut self, setting: &Setting) -> Result<Option<String>, String>;
    /// A segment comes in. `Err` says what is not supported.
    fn inject(&mut self, segment: &Segment, ecn: Ecn) -> Result<(), String>;
    /// The application makes the call, or tries it again if it blocked.
    fn call(&mut self, call: &Call) -> Answer;
    /// Whether a connection has begun and is not over.
    fn has_connection(&self) -> bool;
    /// A member of `struct tcp_info` of the latest connection.
    fn info(&self, name: &str) -> Option<Value>;
    /// The sent packets.
    fn outbox(&self) -> &Outbox;
    /// The sent packets, to be marked as read.
    fn outbox_mut(&mut self) -> &mut Outbox;
}
