//! A broken contract.

use std::error::Error;
use std::fmt;

use engine::Open;
use engine::registry::Fault;

/// A contract.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Contract {
    /// The settings have no faults. A member is only built from such settings.
    Settings,
    /// The same sequence of calls gives the same results.
    Repeatable,
    /// Declared constants of a trait do not change.
    Constant,
    /// cwnd is finite and at least one segment.
    Cwnd,
    /// ssthresh is at least one segment.
    Ssthresh,
    /// A pacing rate is finite and positive.
    PacingRate,
    /// A loss for another reason than congestion changes neither cwnd nor ssthresh.
    NotifiedLoss,
    /// A timeout sets cwnd to one segment, and a loss of a sender without a recovery does so too.
    OneSegment,
    /// A loss sets ssthresh, and at the start of recovery cwnd is not above ssthresh.
    Reduction,
    /// ssthresh changes at most once in a loss episode.
    Episode,
    /// Every byte arrives, and acknowledged bytes have arrived.
    Arrival,
    /// A sender with unacknowledged data has a timer, and ends.
    Progress,
    /// No timer is due in the past. A wake-up moves the timer to a later time.
    Timer,
    /// Data stays within the receiver's window, in segments of at most the maximum size.
    Window,
    /// On a network without impairments nothing is sent twice.
    Duplicate,
    /// An agent forwards only data that it has received.
    Data,
    /// An agent that keeps end-to-end semantics forwards only acknowledgments that it has received.
    Acknowledgment,
    /// An agent's packets go to the ends of a connection.
    Destination,
    /// A message quotes a data segment whose transmission failed, and goes from the node to the segment's source.
    Message,
    /// An agent sends expedited packets only if it declares that it does.
    Expedited,
    /// Counter names are unique, of lower-case letters, digits and `_`, and constant in number and order.
    CounterNames,
    /// The state of an agent is bounded, and its counters report it.
    State,
}

impl Contract {
    /// Returns the rule in a few words.
    pub fn rule(self) -> &'static str {
        match self {
            Contract::Settings => "settings have no faults",
            Contract::Repeatable => "the same calls give the same results",
            Contract::Constant => "declared constants do not change",
            Contract::Cwnd => "cwnd is finite and at least one segment",
            Contract::Ssthresh => "ssthresh is at least one segment",
            Contract::PacingRate => "a pacing rate is finite and positive",
            Contract::NotifiedLoss => "a loss without congestion changes neither cwnd nor ssthresh",
            Contract::OneSegment => "a timeout or restart sets cwnd to one segment",
            Contract::Reduction => "a loss sets ssthresh, and cwnd to at most ssthresh",
            Contract::Episode => "ssthresh changes at most once in a loss episode",
            Contract::Arrival => "every byte arrives, and before it is acknowledged",
            Contract::Progress => "unacknowledged data has a timer, and the transfer ends",
            Contract::Timer => "no timer is due in the past, and a wake-up moves it to a later time",
            Contract::Window => "data stays within the receiver's window and the segment size",
            Contract::Duplicate => "without impairments nothing is sent twice",
            Contract::Data => "only received data is forwarded",
            Contract::Acknowledgment => "only received acknowledgments are forwarded, as the semantics are kept",
            Contract::Destination => "packets go to an end of the connection",
            Contract::Message => "a message informs the source of a data segment that its transmission failed",
            Contract::Expedited => "only an agent that declares it sends expedited packets",
            Contract::CounterNames => "counter names are valid, unique and constant",
            Contract::State => "the state is bounded, and reported by its counters",
        }
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule())
    }
}

/// A call of a member, or a step of a transfer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Number of the call since the member was built, from 1.
    pub number: u64,
    /// The method, with its relevant arguments, or the step with its time.
    pub what: String,
}

/// A contract that a member breaks. Its `Display` is one sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// The kind and the name of the member, such as `congestion control "cubic"`.
    pub member: String,
    /// The contract.
    pub contract: Contract,
    /// The last call before the breach was found; `None` if there was none, as for settings.
    pub call: Option<Call>,
    /// The value found.
    pub found: String,
    /// Expected value.
    pub expected: String,
}

impl Breach {
    /// Returns the first error of the settings as a breach.
    pub(crate) fn of_settings(member: String, faults: Vec<Fault>) -> Result<(), Self> {
        let Some(fault) = faults.into_iter().next() else { return Ok(()) };
        let found = format!("{} {}", fault.key, fault.found.as_deref().unwrap_or("unset"));
        Err(Breach { member, contract: Contract::Settings, call: None, found, expected: fault.expected })
    }
}

/// Returns the kind and the name of a member.
pub(crate) fn label_member<R: Open>(name: &str) -> String {
    format!("{} \"{name}\"", R::WHAT)
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} breaks the contract \"{}\"", self.member, self.contract)?;
        if let Some(Call { number, what }) = &self.call {
            write!(f, " at call {number}, {what}")?;
        }
        write!(f, ": found {}, expected {}", self.found, self.expected)
    }
}

impl Error for Breach {}
