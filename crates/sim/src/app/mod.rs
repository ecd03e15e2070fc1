//! Applications: what the sending end of a flow writes, and when.
//!
//! An application is one file here and one line of the registry below.

pub mod bulk;

use engine::{Stream, Time};
use tcp::Connection;

engine::registry! {
    /// The applications.
    pub enum TrafficConfig: "traffic" => build(stream: Stream) -> Box<dyn Application> {
        Bulk => bulk, "bulk", "All bytes at once when the flow starts, or data without end";
    }
}

impl Default for TrafficConfig {
    /// Data without end.
    fn default() -> Self {
        TrafficConfig::Bulk(bulk::Config::default())
    }
}

impl TrafficConfig {
    /// A transfer of `bytes`, or without end.
    pub fn bulk(bytes: Option<u64>) -> Self {
        TrafficConfig::Bulk(bulk::Config { bytes: bytes.map(engine::Bytes) })
    }

    /// The bytes that the sending end writes in all; `None` if that is not known when the flow starts.
    pub fn total(&self) -> Option<u64> {
        self.build(Stream::default()).total()
    }
}

/// The two ends of a flow as an application: it writes at either end and learns what arrives.
///
/// The world calls [`start`](Self::start) first, at the flow's start, and then [`wake`](Self::wake) at each
/// [`deadline`](Self::deadline). The other calls are made only if [`observes`](Self::observes). After each call what was
/// written is sent, and the deadline is read again.
pub trait Application {
    /// The bytes that the sending end writes in all, if that is known before the start. The flow is complete when they are
    /// acknowledged; of another flow when all is acknowledged that had been written when it called [`AppCx::finish`].
    fn total(&self) -> Option<u64> {
        None
    }

    /// The flow starts.
    fn start(&mut self, cx: &mut AppCx<'_>);

    /// When it wants to wake, later than now; `Time::NEVER` if it does not.
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// Its deadline has come.
    fn wake(&mut self, cx: &mut AppCx<'_>) {
        let _ = cx;
    }

    /// Whether it follows the transfer.
    fn observes(&self) -> bool {
        false
    }

    /// The sending end has learned that more bytes have arrived, in all [`AppCx::acknowledged`]: there is room to write.
    fn writable(&mut self, cx: &mut AppCx<'_>) {
        let _ = cx;
    }

    /// The receiving end has got more bytes in order, in all [`AppCx::delivered`].
    fn delivered(&mut self, cx: &mut AppCx<'_>) {
        let _ = cx;
    }

    /// The receiving end has got all bytes, and that the sending end has closed.
    fn closed(&mut self, cx: &mut AppCx<'_>) {
        let _ = cx;
    }
}

/// The context of one call of an application.
pub struct AppCx<'a> {
    /// Now.
    pub now: Time,
    sender: &'a mut Connection,
    receiver: &'a mut Connection,
    outcome: Outcome,
}

impl<'a> AppCx<'a> {
    pub(crate) fn new(now: Time, sender: &'a mut Connection, receiver: &'a mut Connection) -> Self {
        AppCx { now, sender, receiver, outcome: Outcome::default() }
    }

    /// The sending end writes `bytes` more; `u64::MAX` is data without end.
    pub fn write(&mut self, bytes: u64) {
        self.sender.write(bytes);
        self.outcome.written = self.outcome.written.saturating_add(bytes);
    }

    /// The receiving end writes `bytes` back.
    pub fn respond(&mut self, bytes: u64) {
        self.receiver.write(bytes);
        self.outcome.responded = true;
    }

    /// The sending end writes no more.
    pub fn finish(&mut self) {
        self.outcome.finished = true;
    }

    /// Bytes of the sending end that are acknowledged.
    pub fn acknowledged(&self) -> u64 {
        self.sender.bytes_acknowledged()
    }

    /// Bytes that have come to the receiving end in order.
    pub fn delivered(&self) -> u64 {
        self.receiver.bytes_received()
    }

    /// Bytes of a response that have come to the sending end in order.
    pub fn response(&self) -> u64 {
        self.sender.bytes_received()
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.outcome
    }
}

/// What an application did in a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Outcome {
    /// Bytes written at the sending end.
    pub written: u64,
    /// The sending end writes no more.
    pub finished: bool,
    /// The receiving end has written.
    pub responded: bool,
}
