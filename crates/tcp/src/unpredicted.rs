//! Reasons for which header prediction does not apply to a segment.

/// Why header prediction does not apply to a segment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unpredicted {
    /// It does not begin with the next byte expected.
    Sequence,
    /// It has other flags than ACK and PSH.
    Flags,
    /// It comes from another port.
    Port,
    /// The connection is not established, or is being closed.
    State,
    /// Its packet has the CE mark.
    Marked,
    /// The ends use timestamps or ECN.
    Negotiated,
    /// It carries data, and this end has sent data too.
    BothSend,
    /// Its data exceeds the window, or there are holes before data received, or a mark is being echoed.
    Receiver,
    /// It acknowledges nothing new, or data never sent.
    Acknowledgment,
    /// It closes the window, or the window was closed over data in flight.
    ClosedWindow,
    /// Recovery is in progress, or recovery or the congestion control needs every acknowledgment.
    Sender,
}
