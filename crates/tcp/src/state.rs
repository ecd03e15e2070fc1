//! The states of a connection [RFC9293 s3.3.2].

/// The states of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// No connection: it was never opened, or has ended.
    Closed,
    /// Waiting for a SYN.
    Listen,
    /// A SYN was sent.
    SynSent,
    /// A SYN was received and one sent.
    SynReceived,
    /// Both ends may send data.
    Established,
    /// This end has closed; its FIN is not acknowledged.
    FinWait1,
    /// This end has closed and its FIN is acknowledged; the other end may still send.
    FinWait2,
    /// Both have closed at the same time; this end's FIN is not acknowledged.
    Closing,
    /// Both have closed; waiting until stray segments have left the network.
    TimeWait,
    /// The other end has closed; this end may still send.
    CloseWait,
    /// The other end has closed, then this end; this end's FIN is not acknowledged.
    LastAck,
}

impl State {
    /// Whether sequence numbers of both ends are known to both.
    pub fn synchronized(self) -> bool {
        !matches!(self, State::Closed | State::Listen | State::SynSent | State::SynReceived)
    }

    /// Whether data and FINs of this end may be sent or retransmitted.
    #[inline]
    pub fn sends(self) -> bool {
        matches!(self, State::Established | State::FinWait1 | State::Closing | State::CloseWait | State::LastAck)
    }

    /// Whether data of the other end is accepted.
    #[inline]
    pub fn receives(self) -> bool {
        matches!(self, State::Established | State::FinWait1 | State::FinWait2)
    }

    /// The name in RFC 9293.
    pub fn name(self) -> &'static str {
        match self {
            State::Closed => "CLOSED",
            State::Listen => "LISTEN",
            State::SynSent => "SYN-SENT",
            State::SynReceived => "SYN-RECEIVED",
            State::Established => "ESTABLISHED",
            State::FinWait1 => "FIN-WAIT-1",
            State::FinWait2 => "FIN-WAIT-2",
            State::Closing => "CLOSING",
            State::TimeWait => "TIME-WAIT",
            State::CloseWait => "CLOSE-WAIT",
            State::LastAck => "LAST-ACK",
        }
    }
}

/// The reason why a connection failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The other end refused the connection.
    Refused,
    /// The other end reset the connection.
    Reset,
    /// The other end did not respond.
    TimedOut,
}

impl Failure {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Failure::Refused => "refused",
            Failure::Reset => "reset",
            Failure::TimedOut => "timed-out",
        }
    }
}
