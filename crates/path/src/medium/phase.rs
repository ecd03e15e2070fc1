//! Phases of a station of a medium.

/// Phase of a station, named by the awaited event; the station's timer is set for that event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MediumPhase {
    /// The arrival of a packet to send. The back-off after the last exchange ends at slot number `until` of the
    /// carrier-sense group; `None` while the station has a separate countdown.
    Resting { until: Option<u64> },
    /// The station's turn, at slot number `turn` of the group; `None` while the station has a separate countdown. The
    /// group's timer serves its first station.
    Contending { turn: Option<u64> },
    /// Transmission: the station's turn has come. The station transmits when its timer expires, even if other frames
    /// begin earlier.
    Committed,
    /// End of the station's frame.
    Sending(ExchangeStep),
    /// The start of the response.
    AnswerDue(ExchangeStep),
    /// The end of the response.
    Listening(ExchangeStep),
    /// End of the time in which a response can begin.
    Unanswered(ExchangeStep),
    /// Start of the next frame of the station's exchange.
    NextDue,
    /// End of the station's beacon.
    Announcing,
}

/// Step of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExchangeStep {
    /// An RTS, to be followed by a CTS.
    Request,
    /// Data, to be followed by an acknowledgment.
    Data,
}
