//! Phases of a station of a medium.

/// Phase of a station, named by the event that it waits for; the station's timer is set for that event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MediumPhase {
    /// The arrival of a packet to send. The back-off after the last exchange ends at slot number `until` of the
    /// carrier-sense group; `None` while the station counts its slots apart from the group.
    Resting { until: Option<u64> },
    /// Its turn, at slot number `turn` of the group; `None` while the station counts its slots apart from the group.
    /// The group's timer serves its first station.
    Contending { turn: Option<u64> },
    /// Its transmission: its turn has come, and it transmits at the timer regardless of frames that begin before.
    Committed,
    /// The end of its frame.
    Sending(ExchangeStep),
    /// The start of the response.
    AnswerDue(ExchangeStep),
    /// The end of the response.
    Listening(ExchangeStep),
    /// The time after which no response can begin.
    Unanswered(ExchangeStep),
    /// The start of the next frame of its exchange.
    NextDue,
    /// The end of its beacon.
    Announcing,
}

/// Step of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExchangeStep {
    /// An RTS, answered by a CTS.
    Request,
    /// Data, answered by an acknowledgment.
    Data,
}
