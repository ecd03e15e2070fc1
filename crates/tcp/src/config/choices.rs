//! Settings that are one of several words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Congestion window validation: which acknowledgments let cwnd grow (RFC 7661).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CwndValidation {
    /// Those that come while cwnd is below the receive window: what the receiver does not take says nothing about the network.
    #[default]
    ReceiveWindow,
    /// Those of a round trip in which cwnd limited the sender; in slow start also while cwnd is less than twice what was in flight
    /// (Linux: `tcp_is_cwnd_limited`).
    CwndLimited,
}

/// What a sender does when the receive window closes over data in flight. It probes the window in any case [RFC9293 s3.8.6].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ZeroWindow {
    /// Only the persist timer runs: the retransmission timer stops, and nothing is lost. When the window opens, all that was not
    /// acknowledged is retransmitted without a reduction of cwnd, and the time it was closed does not count as idle (4.3BSD;
    /// Freeze-TCP and M-TCP need it).
    #[default]
    Persist,
    /// The retransmission timer runs on and reduces cwnd; its retransmissions are the probes (Linux).
    Retransmit,
}

/// Which timestamps are too old: protection against wrapped sequence numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Paws {
    /// All that are older than the newest of what came in order [RFC7323 s5.3 R1].
    #[default]
    Strict,
    /// Those that are older by more than one tick, and not those of pure acknowledgments that the network has reordered
    /// [Linux net/ipv4/tcp_input.c: TCP_PAWS_WINDOW, tcp_disordered_ack_check].
    Linux,
}

/// What the minimum timeout bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Floor {
    /// The timeout [RFC6298 s2.4].
    #[default]
    Timeout,
    /// What is added to the smoothed round trip for its variation (Linux).
    Variation,
}

/// The arithmetic of the round trip's estimate and of the timeout [RFC6298 s2.3].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// Nanoseconds; a timer expires at a tick of the clock.
    #[default]
    Exact,
    /// Whole ticks, with three and two bits behind the point [Jacobson1988 A.2], as in ns-2 (`TcpAgent::rtt_update`,
    /// `rtt_timeout`): a round trip is the number of ticks in it, at least one; a variation below a tick is shifted to 0, so it
    /// decays no further. A timer runs for whole ticks, at least two, from when it is started; those of 4.3BSD, whose
    /// arithmetic is the same, expire at a tick.
    ScaledTicks,
}

/// How long a doubled timeout holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackOff {
    /// Until a round trip has been measured, which takes a segment that was sent once only: with a round trip longer than
    /// the timeout no other rule ever gets to measure one [RFC6298 s5.5, Karn and Partridge 1987].
    #[default]
    UntilMeasured,
    /// Until new data is acknowledged, as in 4.3BSD before Karn's rule of August 1987 (`tcp_input.c` 7.10).
    UntilAcknowledged,
}

/// What starts the retransmission timer again while it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimerRestart {
    /// Acknowledgments of new data [RFC6298 s5.3].
    #[default]
    Acknowledgments,
    /// Also a fast retransmit, as in 4.3BSD and ns-2: the segment sent again has a round trip of its own to go (WS96). A
    /// recovery that begins without a retransmission leaves the timer as it is.
    Recovery,
    /// Also each retransmission of the first unacknowledged segment, whatever asks for it: a fast retransmit, recovery, a message
    /// (Linux: `tcp_xmit_retransmit_queue`).
    Retransmissions,
}

/// Which segments are timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// One at a time, as in 4.3BSD; at least one a round trip [RFC6298 s3].
    #[default]
    OneAtATime,
    /// The oldest that an acknowledgment covers, each time (Linux).
    EachAcknowledgment,
}

/// Whether segments that are not full wait for more data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Nagle {
    /// They never wait.
    #[default]
    Off,
    /// They wait while anything is unacknowledged [RFC9293 s3.7.4].
    On,
    /// They wait while a small one is unacknowledged (Minshall, Linux).
    Minshall,
}

/// Whether explicit congestion notification is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcnMode {
    /// No.
    #[default]
    Off,
    /// If the other end asks for it.
    Accept,
    /// This end asks for it, and accepts it.
    Request,
}
