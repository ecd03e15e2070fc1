//! The evidence for a value: a simulated run knows the value, a capture shows it, allows to infer it, or lacks it.
//!
//! [`Evidence`] has neither a default nor a text, so that a missing value cannot become a number on its way to a
//! reader: who prints it decides what to print for [`Evidence::Unknown`].

/// A value, and how it is known: by observation, by inference with bounds, or not at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence<T> {
    /// The value was observed where it occurs.
    Known(T),
    /// The value follows from other observations.
    Inferred {
        /// The most likely value.
        value: T,
        /// The smallest value that the rule permits.
        low: T,
        /// The largest value that the rule permits.
        high: T,
        /// The rule from which the value was derived.
        rule: Rule,
    },
    /// Nothing shows the value.
    Unknown(Unseen),
}

/// How a value was derived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The min RTT of the handshake, of segments sent once, and of echoed timestamps.
    LeastRoundTrip,
    /// The rate of runs of packets that waited behind each other; the bounds are the 10th and the 90th percentile.
    RunsOfWaiting,
    /// The rate at which closely spaced acknowledgments acknowledge data; the bounds are the 10th and the 90th
    /// percentile.
    CloseAcks,
    /// Half of (min RTT - transmission time of a segment).
    HalfRoundTrip,
    /// The place with the short round trip to one end.
    ShortRoundTrip,
    /// The place before the losses: lost segments were captured.
    CapturedBeforeLoss,
    /// The captures of both ends, whose clocks differ by an offset; among equal packets, those that keep the order are
    /// paired.
    BothCaptures,
    /// The acknowledgments of a segment and of its retransmissions.
    Acknowledgments,
    /// A segment without an acknowledgment for longer than round trips and the timer take.
    Silence,
    /// The cause of a retransmission, by timer and acknowledgments.
    RetransmissionCause,
    /// The data in flight, which is at most cwnd.
    DataInFlight,
    /// The reduction of cwnd after a loss to a half, as in Reno.
    LossReduction,
    /// The absence of any reduction.
    NoReduction,
    /// The timer of RFC 6298 without a minimum.
    Rfc6298,
    /// The next segment, or the fact that no segment follows. The bounds of a reason are in the order of
    /// [`tcp::Blocked::ALL`].
    NextSegment,
}

/// The reason why a value is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unseen {
    /// The sender has not reported the value yet.
    NotYet,
    /// Too few packets waited, and too few acknowledgments follow each other closely.
    TooFewSamples,
    /// Neither a segment with its acknowledgment nor a handshake was captured.
    NoRoundTrip,
    /// The options of the SYN were not captured.
    NoWindowScale,
    /// No segment of the receiver was captured.
    NoReceiver,
    /// The capture does not show where it was taken.
    NoPlace,
    /// The capture was not taken at the sender.
    NotAtSender,
    /// The value occurs on the path, which a capture at one place does not show.
    OnThePath,
    /// No FIN of the sender was captured.
    NoFin,
    /// The capture ends before it is decided.
    CaptureEnds,
}

impl<T> Evidence<T> {
    /// A value that the rule gives without a range.
    pub const fn infer(value: T, rule: Rule) -> Self
    where
        T: Copy,
    {
        Evidence::Inferred { value, low: value, high: value, rule }
    }

    /// The most likely value, if there is one.
    pub fn value(self) -> Option<T> {
        match self {
            Evidence::Known(value) | Evidence::Inferred { value, .. } => Some(value),
            Evidence::Unknown(_) => None,
        }
    }

    /// The value, if it was observed.
    pub fn known(self) -> Option<T> {
        match self {
            Evidence::Known(value) => Some(value),
            Evidence::Inferred { .. } | Evidence::Unknown(_) => None,
        }
    }

    /// The smallest and the largest possible value, if there are any.
    pub fn bounds(self) -> Option<(T, T)>
    where
        T: Copy,
    {
        match self {
            Evidence::Known(value) => Some((value, value)),
            Evidence::Inferred { low, high, .. } => Some((low, high)),
            Evidence::Unknown(_) => None,
        }
    }

    /// Whether the value is unknown.
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Evidence::Unknown(_))
    }

    /// Returns the evidence of a function of the value that increases with the value.
    pub fn map<U>(self, mut convert: impl FnMut(T) -> U) -> Evidence<U> {
        match self {
            Evidence::Known(value) => Evidence::Known(convert(value)),
            Evidence::Inferred { value, low, high, rule } => {
                Evidence::Inferred { value: convert(value), low: convert(low), high: convert(high), rule }
            }
            Evidence::Unknown(unseen) => Evidence::Unknown(unseen),
        }
    }

    /// Returns this evidence, or the other one if nothing shows this value.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.is_unknown() { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_value_stays_unknown() {
        let unknown: Evidence<u32> = Evidence::Unknown(Unseen::NoRoundTrip);
        assert_eq!((unknown.value(), unknown.known(), unknown.bounds()), (None, None, None));
        assert_eq!(unknown.map(|value| value + 1), Evidence::Unknown(Unseen::NoRoundTrip));
        assert_eq!(unknown.or(Evidence::Known(3)), Evidence::Known(3));
    }

    #[test]
    fn inferred_value_has_bounds_and_is_not_known() {
        let inferred = Evidence::Inferred { value: 5, low: 3, high: 9, rule: Rule::DataInFlight };
        assert_eq!((inferred.value(), inferred.known(), inferred.bounds()), (Some(5), None, Some((3, 9))));
        let doubled = Evidence::Inferred { value: 10, low: 6, high: 18, rule: Rule::DataInFlight };
        assert_eq!(inferred.map(|value| 2 * value), doubled);
        assert_eq!(inferred.or(Evidence::Known(1)), inferred);
        assert_eq!(Evidence::Known(4).bounds(), Some((4, 4)));
    }
}
