//! Settings whose values are names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Congestion window validation: the acknowledgments that let cwnd grow (RFC 7661).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CwndValidation {
    /// Acknowledgments that arrive while cwnd is below the receive window, and below the cwnd that one round trip with
    /// the largest flight since the last reduction would give: twice this flight in slow start, a segment more above
    /// ssthresh [draft-ietf-ccwg-ratelimited-increase s3]. CUBIC grows above ssthresh only in a round trip in which
    /// cwnd limited the sender [RFC9438 s5.8].
    #[default]
    RateLimited,
    /// Acknowledgments that arrive while cwnd is below the receive window, even if the application sends less than cwnd
    /// allows (4.3BSD).
    ReceiveWindow,
    /// Acknowledgments of a round trip in which cwnd limited the sender; in slow start also while cwnd is less than
    /// twice the maximum flight (Linux: `tcp_is_cwnd_limited`).
    CwndLimited,
}

/// Behaviour of a sender when the receive window closes while data is in flight. In both cases the sender probes the
/// window [RFC9293 s3.8.6].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ZeroWindow {
    /// Only the persist timer runs, and the retransmission timer is stopped. When the window opens, all unacknowledged
    /// data is retransmitted without a reduction of cwnd, and the time for which it was closed does not count as idle
    /// (4.3BSD; required by Freeze-TCP and M-TCP).
    #[default]
    Persist,
    /// The retransmission timer keeps running and its expiry reduces cwnd; its retransmissions are the probes (Linux).
    Retransmit,
}

/// Rule for timestamps that are too old: protection against wrapped sequence numbers (PAWS) [RFC7323 s5].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Paws {
    /// Timestamps older than the timestamp of the last segment received in order (TS.Recent) [RFC7323 s5.3 R1].
    #[default]
    Strict,
    /// Timestamps older by more than one tick, except on pure acknowledgments reordered by the network [Linux
    /// net/ipv4/tcp_input.c: TCP_PAWS_WINDOW, tcp_disordered_ack_check].
    Linux,
}

/// Quantity bounded by the minimum timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Floor {
    /// The timeout [RFC6298 s2.4].
    #[default]
    Timeout,
    /// The part of the timeout beyond SRTT, 4 RTTVAR (Linux).
    Variation,
}

/// Arithmetic of SRTT, RTTVAR and the timeout [RFC6298 s2.3].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// Nanoseconds; the timer expires at a tick of the clock.
    #[default]
    Exact,
    /// Fixed-point numbers of ticks, SRTT with three fractional bits and RTTVAR with two [Jacobson1988 A.2], as in ns-2
    /// (`TcpAgent::rtt_update`, `rtt_timeout`). A round trip is the number of ticks in it, at least one. A variation
    /// below a tick is truncated to 0, so that it does not decay further. The timer runs for whole ticks, at least two,
    /// from its start; in 4.3BSD, whose arithmetic is the same, timers expire at a tick.
    ScaledTicks,
}

/// End of the exponential back-off of the timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackOff {
    /// At the next measurement of a round trip, which needs a segment that was sent only once [RFC6298 s5, Karn and
    /// Partridge 1987]. With another rule no round trip longer than the timeout would be measured.
    #[default]
    UntilMeasured,
    /// At the acknowledgment of new data, as in 4.3BSD before Karn's rule of August 1987 (`tcp_input.c` 7.10).
    UntilAcknowledged,
}

/// Events that restart the running retransmission timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimerRestart {
    /// Acknowledgments of new data [RFC6298 s5.3].
    #[default]
    Acknowledgments,
    /// In addition a fast retransmit, as in 4.3BSD and ns-2: the retransmitted segment needs a whole round trip (WS96).
    /// A recovery that begins without a retransmission does not change the timer.
    Recovery,
    /// In addition each retransmission of the first unacknowledged segment, by a fast retransmit, recovery or a message
    /// of a scheme (Linux: `tcp_xmit_retransmit_queue`).
    Retransmissions,
}

/// Segments whose round trip time is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// Segments are timed one at a time, as in 4.3BSD: at least one per round trip [RFC6298 s3].
    #[default]
    OneAtATime,
    /// The oldest segment covered by each acknowledgment (Linux).
    EachAcknowledgment,
}

/// Nagle's algorithm: whether segments that are not full wait for more data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Nagle {
    /// They never wait.
    #[default]
    Off,
    /// Small segments wait while any data is unacknowledged [RFC9293 s3.7.4].
    On,
    /// Small segments wait while a segment that is not full is unacknowledged (Minshall, Linux).
    Minshall,
}

/// The codepoint of ECN-capable packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcnCodepoint {
    /// ECT(0): a flow that responds to a mark with the reduction for a loss [RFC3168 s5].
    #[default]
    Ect0,
    /// ECT(1): a scalable flow, which L4S queues mark early and often [RFC9331 s4.1].
    Ect1,
}

impl EcnCodepoint {
    /// Returns the ECN codepoint as a value of the IP header.
    pub const fn ecn(self) -> wire::Ecn {
        match self {
            EcnCodepoint::Ect0 => wire::Ecn::Ect0,
            EcnCodepoint::Ect1 => wire::Ecn::Ect1,
        }
    }
}

/// Use of explicit congestion notification (RFC 3168).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcnMode {
    /// Not used.
    #[default]
    Off,
    /// Used if the other end requests ECN.
    Accept,
    /// Requested by this end, and accepted if the other end requests ECN.
    Request,
}
