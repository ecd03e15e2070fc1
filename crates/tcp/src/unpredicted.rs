//! Reasons for which header prediction does not apply to a segment.

/// The reason why header prediction does not apply to a segment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unpredicted {
    /// The segment does not begin with the next expected byte.
    Sequence,
    /// The segment has flags other than ACK and PSH.
    Flags,
    /// The segment comes from another port.
    Port,
    /// The connection is not established, or is being closed.
    State,
    /// The segment's packet has the CE mark.
    Marked,
    /// The ends use timestamps or ECN.
    Negotiated,
    /// The segment carries data, and this end has sent data too.
    BothSend,
    /// The segment's data exceeds the window, or holes precede received data, or a mark is being echoed.
    Receiver,
    /// The segment acknowledges nothing new, or unsent data.
    Acknowledgment,
    /// The segment closes the window, or the window was closed over data in flight.
    ClosedWindow,
    /// Recovery is in progress, or recovery or the congestion control needs every acknowledgment.
    Sender,
}
