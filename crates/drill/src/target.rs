//! Interface of the host that scripts run against, with its system calls and its network interface.

use engine::{Span, Time};
use wire::{Ecn, Segment};

use crate::code::PyValue;
use crate::outbox::Outbox;
use crate::settings::HostSetting;
use crate::syntax::ast::Call;

/// The kind of a host's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostClock {
    /// Simulated time: exact, and waiting costs no real time.
    Simulated,
    /// Real time: processing and waiting take time.
    Wall,
}

impl HostClock {
    /// Returns the time to wait for a packet that the script allows at any time.
    pub fn patience(self) -> Span {
        match self {
            HostClock::Simulated => Span::from_secs(3600),
            HostClock::Wall => Span::from_secs(20),
        }
    }

    /// Returns the factor by which a script's tolerance is multiplied; above 1 on a wall clock, since a busy machine
    /// delays packets.
    pub fn allowance(self) -> u64 {
        match self {
            HostClock::Simulated => 1,
            HostClock::Wall => 2,
        }
    }

    /// Returns how long after its due time a missing packet is awaited, to report when it was sent.
    pub fn beyond(self) -> Span {
        match self {
            HostClock::Simulated => Span::from_secs(10),
            HostClock::Wall => Span::from_secs(1),
        }
    }
}

/// Outcome of a system call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallAnswer {
    /// The call returns this value.
    Returns(i64),
    /// The call returns -1 with this errno.
    Fails(&'static str),
    /// The call blocks.
    Blocks,
    /// The call returns, but an output argument differs from the value that the script expects.
    Differs {
        /// Name of the argument.
        what: String,
        /// Value that the script expects.
        expected: String,
        /// Value that the host returned.
        found: String,
    },
    /// The call or an argument is not supported. The text is for an error message.
    Unsupported(String),
}

/// The error that a timer expires repeatedly at one time, so that simulated time does not advance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck;

/// A host under test. Segments are those on its network interface, except that its sequence numbers begin at
/// [`LOCAL_ISS`](crate::host::LOCAL_ISS). After `inject`, `call` and `advance` the outbox holds the segments sent since
/// then.
pub trait ScriptTarget {
    /// Returns the kind of the host's clock.
    fn clock(&self) -> HostClock;
    /// Returns the current time, which never decreases.
    fn now(&self) -> Time;
    /// Returns the time of the next timer; [`Time::NEVER`] if no timer runs or the time is unknown.
    fn next_timeout(&self) -> Time;
    /// Returns the admissible delay of a timer of length `span`.
    fn lateness(&self, span: Span) -> Span;
    /// Advances the time to `until`, or with `stop` to the next segment sent. Returns `Err` if a timer expires
    /// repeatedly at one time, so that the time does not advance.
    fn advance(&mut self, until: Time, stop: bool) -> Result<(), Stuck>;
    /// Applies a setting to future connections. Returns a note for the user, if there is one. `Err` names an
    /// unsupported value.
    fn set(&mut self, setting: &HostSetting) -> Result<Option<String>, String>;
    /// Sets the tolerance of times that calls return.
    fn set_tolerance(&mut self, _tolerance: Span) {}
    /// Delivers a segment to the host. `Err` names an unsupported flag or option.
    fn inject(&mut self, segment: &Segment, ecn: Ecn) -> Result<(), String>;
    /// Makes a system call, or retries a call that blocked.
    fn call(&mut self, call: &Call) -> CallAnswer;
    /// Returns true if a connection exists that is not closed.
    fn has_connection(&self) -> bool;
    /// Returns a member of `struct tcp_info` of the latest connection.
    fn info(&self, name: &str) -> Option<PyValue>;
    /// Returns the sent segments.
    fn outbox(&self) -> &Outbox;
    /// Returns the sent segments, to be marked as read.
    fn outbox_mut(&mut self) -> &mut Outbox;
}
