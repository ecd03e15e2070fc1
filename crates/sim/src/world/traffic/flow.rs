//! A flow, and the transport of its data.

use engine::Time;

use crate::ids::FlowId;
use crate::results::ShortFlow;
use crate::world::ids::SessionId;
use crate::world::ids::{DatagramFlowId, EndId};

/// A flow: one TCP connection, or datagrams, and the progress of the transfer.
pub(in crate::world) struct TrafficFlow {
    /// Number of the flow in events. Flows that arrive during the run have the numbers after the network's flows.
    pub(super) number: FlowId,
    /// Session of the flow, and its number among the session's connections; `None` for a flow that arrived during the
    /// run.
    pub(super) session: Option<(SessionId, usize)>,
    /// The result of a flow that arrived during the run.
    pub(super) short: Option<ShortFlow>,
    /// Whether the application was notified that the sending end has closed.
    pub(super) closed: bool,
    /// The total bytes of the transfer, once known.
    pub(super) bytes: Option<u64>,
    pub(super) start: Time,
    pub(super) carrier: Carrier,
    pub(super) completed: Option<Time>,
    /// Whether the flow has ended.
    pub(super) over: bool,
    /// Whether the run waits for the flow's end.
    pub(super) awaited: bool,
}

/// The transport of a flow.
#[derive(Clone, Copy)]
pub(in crate::world) enum Carrier {
    /// The sending end of the flow. If `close`, both ends close.
    Connection {
        sender: EndId,
        close: bool,
    },
    Datagrams(DatagramFlowId),
}

impl TrafficFlow {
    /// A flow that starts at `start`.
    pub fn new(
        number: FlowId,
        session: Option<(SessionId, usize)>,
        bytes: Option<u64>,
        start: Time,
        carrier: Carrier,
    ) -> Self {
        let (short, closed, completed, over, awaited) = (None, false, None, false, true);
        TrafficFlow { number, session, short, closed, bytes, start, carrier, completed, over, awaited }
    }

    /// Returns the number of the flow in events.
    pub fn number(&self) -> FlowId {
        self.number
    }

    pub fn carrier(&self) -> Carrier {
        self.carrier
    }

    /// Sending end of the flow, over TCP.
    pub fn sender(&self) -> Option<EndId> {
        match self.carrier {
            Carrier::Connection { sender, .. } => Some(sender),
            Carrier::Datagrams(_) => None,
        }
    }

    pub fn start(&self) -> Time {
        self.start
    }

    /// The total bytes of the transfer, once known.
    pub fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    pub fn completion_time(&self) -> Option<Time> {
        self.completed
    }

    /// The result of a flow that arrived during the run.
    pub fn short(&self) -> Option<ShortFlow> {
        self.short
    }
}
