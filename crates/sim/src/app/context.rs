//! The context of the calls of an application.

use engine::Time;
use tcp::Connection;

/// The context of one call of an application.
pub struct AppCx<'a> {
    /// The current time.
    pub now: Time,
    access: Access<'a>,
    outcome: CallOutcome,
}

/// Ends of a session's connections: the sending end of connection n has the number 2 n, the receiving one 2 n + 1.
pub(crate) trait ConnectionEnds {
    fn end(&self, number: usize) -> &Connection;
    fn end_mut(&mut self, number: usize) -> &mut Connection;
}

/// The part of a flow that a call of its application can access.
pub(crate) enum Access<'a> {
    /// TCP.
    Connections(&'a mut dyn ConnectionEnds),
    /// Datagrams: the sizes of the datagrams to send, and the bytes received so far.
    Datagrams(&'a mut Vec<u32>, u64),
}

impl<'a> AppCx<'a> {
    pub(crate) fn new(now: Time, access: Access<'a>) -> Self {
        AppCx { now, access, outcome: CallOutcome::default() }
    }

    /// Writes `bytes` more at the sending end of a connection; `u64::MAX` for unlimited data. Without connections, a
    /// datagram of `bytes` bytes is sent.
    pub fn write(&mut self, connection: usize, bytes: u64) {
        match &mut self.access {
            Access::Connections(ends) => {
                ends.end_mut(2 * connection).write(bytes);
                self.outcome.written |= 1 << connection;
            }
            Access::Datagrams(sizes, _) => sizes.push(bytes.min(u64::from(u32::MAX)) as u32),
        }
    }

    /// Writes `bytes` from the receiving end of a connection to the sending end. No effect without connections.
    pub fn request(&mut self, connection: usize, bytes: u64) {
        if let Access::Connections(ends) = &mut self.access {
            ends.end_mut(2 * connection + 1).write(bytes);
            self.outcome.requested |= 1 << connection;
        }
    }

    /// Ends the data of the sending end.
    pub fn finish(&mut self) {
        self.outcome.finished = true;
    }

    /// Acknowledged bytes of the sending end of a connection; 0 without connections.
    pub fn acknowledged_bytes(&self, connection: usize) -> u64 {
        match &self.access {
            Access::Connections(ends) => ends.end(2 * connection).bytes_acknowledged(),
            Access::Datagrams(..) => 0,
        }
    }

    /// Bytes that the application has read at the receiving end of a connection, or bytes received in datagrams.
    pub fn delivered_bytes(&self, connection: usize) -> u64 {
        match &self.access {
            Access::Connections(ends) => ends.end(2 * connection + 1).bytes_read(),
            Access::Datagrams(_, received) => *received,
        }
    }

    /// Bytes received in order at the sending end of a connection; 0 without connections.
    pub fn requested_bytes(&self, connection: usize) -> u64 {
        match &self.access {
            Access::Connections(ends) => ends.end(2 * connection).bytes_received(),
            Access::Datagrams(..) => 0,
        }
    }

    pub(crate) fn outcome(&self) -> CallOutcome {
        self.outcome
    }
}

/// The actions of an application in one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CallOutcome {
    /// Connections whose sending ends have written, as bits.
    pub written: u64,
    /// Connections whose receiving ends have written, as bits.
    pub requested: u64,
    /// The sending end will write no more.
    pub finished: bool,
}
