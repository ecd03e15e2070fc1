//! What stations of a medium wait for.

/// What a station is waiting for. Its one wake-up is armed for that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Something to send. The back-off that follows every exchange is over when its zone has counted its slots, or runs
    /// apart from those of the others.
    Resting { until: Option<u64> },
    /// Its turn: when its zone has counted so many slots, or apart from the others. The wake-up belongs to the first of its
    /// zone.
    Contending { turn: Option<u64> },
    /// Its turn has come: it sends when it wakes, whatever it senses until then.
    Committed,
    /// The end of its frame.
    Sending(Step),
    /// The answer that will begin.
    AnswerDue(Step),
    /// The end of the answer.
    Listening(Step),
    /// The time at which no answer can begin any more.
    Unanswered(Step),
    /// The beginning of its next frame in the same exchange.
    NextDue,
    /// The end of its beacon.
    Announcing,
}

/// The part of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The request to send, answered by a clear-to-send.
    Request,
    /// Data, answered by an acknowledgment.
    Data,
}
