//! Applications: what the sending end of a flow writes, and when.
//!
//! An application is one file here and one line of the registry below.

pub mod bulk;

use engine::{Stream, Time};
use tcp::Connection;

engine::registry! {
    /// The registry of applications.
    pub enum ApplicationConfig: "application" => build(stream: Stream) -> Box<dyn Application> {
        Bulk => bulk, "bulk", "All bytes at once when the flow starts, or data without end";
    }
}

impl Default for ApplicationConfig {
    /// Endless data.
    fn default() -> Self {
        ApplicationConfig::Bulk(bulk::Config::default())
    }
}

impl ApplicationConfig {
    /// A transfer of `bytes`, or an endless one.
    pub fn bulk(bytes: Option<u64>) -> Self {
        ApplicationConfig::Bulk(bulk::Config { bytes: bytes.map(engine::Bytes) })
    }

    /// The total number of bytes that the application writes; `None` if unknown at the flow's start.
    pub fn total(&self) -> Option<u64> {
        self.build(Stream::default()).total()
    }
}

/// The application at both ends of a flow: writes data at either end and observes what arrives.
///
/// The world calls [`start`](Self::start) first, at the flow's start, and then [`wake`](Self::wake) at each
/// [`deadline`](Self::deadline). The other calls are made only if [`observes`](Self::observes) is true. After each call
/// the written data is sent, and the deadline is read again.
pub trait Application {
    /// The total number of bytes of the sending end, if known before the start. The flow is complete when they are
    /// acknowledged; without a known total, when all data written before [`AppCx::finish`] is acknowledged.
    fn total(&self) -> Option<u64> {
        None
    }

    /// The flow starts.
    fn start(&mut self, cx: &mut AppCx<'_>);

    /// The next wake-up, later than now; `Time::NEVER` for none.
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// The deadline has been reached.
    fn wake(&mut self, cx: &mut AppCx<'_>) {
        let _ = cx;
    }

    /// Whether it needs the calls below.
    fn observes(&self) -> bool {
        false
    }

    /// More bytes were acknowledged to the sending end, in total [`AppCx::acknowledged`]: it may write more.
    fn writable(&mut self, cx: &mut AppCx<'_>) {
        let _ = cx;
    }

    /// The receiving end received more bytes in order, in total [`AppCx::delivered`].
    fn delivered(&mut self, cx: &mut AppCx<'_>) {
        let _ = cx;
    }

    /// The receiving end has received all bytes and the close of the sending end.
    fn closed(&mut self, cx: &mut AppCx<'_>) {
        let _ = cx;
    }
}

/// The context of one call of an application.
pub struct AppCx<'a> {
    /// The current time.
    pub now: Time,
    sender: &'a mut Connection,
    receiver: &'a mut Connection,
    outcome: Outcome,
}

impl<'a> AppCx<'a> {
    pub(crate) fn new(now: Time, sender: &'a mut Connection, receiver: &'a mut Connection) -> Self {
        AppCx { now, sender, receiver, outcome: Outcome::default() }
    }

    /// The sending end writes `bytes` more; `u64::MAX` for endless data.
    pub fn write(&mut self, bytes: u64) {
        self.sender.write(bytes);
        self.outcome.written = self.outcome.written.saturating_add(bytes);
    }

    /// The receiving end writes `bytes` back.
    pub fn respond(&mut self, bytes: u64) {
        self.receiver.write(bytes);
        self.outcome.responded = true;
    }

    /// The sending end will write no more.
    pub fn finish(&mut self) {
        self.outcome.finished = true;
    }

    /// Acknowledged bytes of the sending end.
    pub fn acknowledged(&self) -> u64 {
        self.sender.bytes_acknowledged()
    }

    /// Bytes received in order at the receiving end.
    pub fn delivered(&self) -> u64 {
        self.receiver.bytes_received()
    }

    /// Bytes of a response received in order at the sending end.
    pub fn response(&self) -> u64 {
        self.sender.bytes_received()
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.outcome
    }
}

/// The actions of an application in one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Outcome {
    /// Bytes written at the sending end.
    pub written: u64,
    /// The sending end will write no more.
    pub finished: bool,
    /// The receiving end has written.
    pub responded: bool,
}
