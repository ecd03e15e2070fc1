//! Settings of an end.

use engine::{Bytes, Span, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cc::{self, ControlConfig};
use crate::differentiation::DifferentiationConfig;
use crate::recovery::{self, RecoveryConfig};
use crate::response::{self, ResponseConfig};

/// Settings of one end of a connection.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// Bytes of data in a full segment (SMSS), unless the other end asks for less or options take some of it.
    pub segment: u32,
    /// Bytes this end is willing to receive. An application that reads at once lets it be advertised unchanged.
    pub window: Bytes,
    /// Congestion window at the beginning, in segments [RFC5681 s3.1, RFC6928].
    pub initial_window: u32,
    /// Slow start threshold at the beginning; without one slow start goes on until the first loss.
    pub initial_ssthresh: Option<Bytes>,
    /// The retransmission timer.
    pub rto: RtoConfig,
    /// What is lost.
    pub recovery: RecoveryConfig,
    /// How much may fly.
    pub control: ControlConfig,
    /// What messages from the network bring about.
    pub response: ResponseConfig,
    /// Which losses are taken for congestion.
    pub differentiation: DifferentiationConfig,
    /// What the handshake offers; an end that starts in ESTABLISHED takes it as agreed on.
    pub options: Options,
    /// When acknowledgments go out.
    pub acks: Acks,
    /// Whether small segments wait for company.
    pub nagle: Nagle,
    /// Whether the first two duplicates let a new segment out each (RFC 3042).
    pub limited_transmit: bool,
    /// Whether recovery goes from the old window to the new one in proportion to what arrives (RFC 9937).
    pub prr: bool,
    /// How needless retransmissions are found out.
    pub spurious: Spurious,
    /// When acknowledgments let the window grow.
    pub growth: Growth,
    /// Whether the acknowledgment that ends fast recovery also opens the window, as any new acknowledgment does. It does in
    /// 4.3BSD Reno, whose input processing goes on, past the cut to ssthresh, with what opens the window (`tcp_input.c` 7.25,
    /// WS96); by the RFC cwnd stays at ssthresh [RFC5681 s3.2 step 6].
    pub recovery_exit_growth: bool,
    /// Whether slow start begins anew after nothing was in flight for a retransmission timeout [RFC5681 s4.1].
    pub restart_after_idle: bool,
    /// What a window does that closes over data in flight.
    pub closed_window: ClosedWindow,
    /// Which timestamps are too old.
    pub paws: Paws,
    /// The least time between two acknowledgments that answer segments which are not acceptable and carry no data
    /// [RFC5961 s7]; each is answered if zero.
    pub invalid_ratelimit: Span,
    /// How often a segment is sent again before the connection is given up.
    pub retries: Retries,
    /// How long TIME-WAIT lasts: twice the life of a segment [RFC9293 s3.6.1].
    pub time_wait: Span,
    /// Chance of this end's own.
    pub stream: Stream,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            segment: 1460,
            window: Bytes(65_535),
            initial_window: 1,
            initial_ssthresh: None,
            rto: RtoConfig::default(),
            recovery: RecoveryConfig::Reno(recovery::reno::Config::default()),
            control: ControlConfig::Reno(cc::reno::Config::default()),
            response: ResponseConfig::Unmodified(response::unmodified::Config::default()),
            differentiation: DifferentiationConfig::default(),
            options: Options::default(),
            acks: Acks::default(),
            nagle: Nagle::Off,
            limited_transmit: false,
            prr: false,
            spurious: Spurious::default(),
            growth: Growth::default(),
            recovery_exit_growth: false,
            restart_after_idle: true,
            closed_window: ClosedWindow::default(),
            paws: Paws::default(),
            // Ten in 5 s [RFC5961 s7]; tcp_invalid_ratelimit of Linux.
            invalid_ratelimit: Span::from_millis(500),
            retries: Retries::default(),
            time_wait: Span::from_secs(60),
            stream: Stream::default(),
        }
    }
}

/// The retransmission timer [RFC6298 s2].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RtoConfig {
    /// Before the first measurement [RFC6298 s2.1].
    pub initial: Span,
    /// Never less [RFC6298 s2.4].
    pub min: Span,
    /// What is never less than `min`.
    pub floor: Floor,
    /// Never more, however often it doubles [RFC6298 s2.5].
    pub max: Span,
    /// The clock's tick (G): round trips are measured in whole ticks and the timer expires at one; exact if zero
    /// [RFC6298 s4].
    pub granularity: Span,
    /// The arithmetic of the equations.
    pub arithmetic: Arithmetic,
    /// How long a doubled timeout holds.
    pub back_off: BackOff,
    /// What starts the timer again while it runs.
    pub restart: TimerRestart,
    /// Which segments are timed.
    pub sampling: Sampling,
}

/// What is never less than the least timeout.
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

impl Default for RtoConfig {
    fn default() -> Self {
        RtoConfig {
            initial: Span::from_secs(1),
            min: Span::from_secs(1),
            floor: Floor::default(),
            max: Span::from_secs(64),
            granularity: Span::ZERO,
            arithmetic: Arithmetic::default(),
            back_off: BackOff::default(),
            restart: TimerRestart::default(),
            sampling: Sampling::default(),
        }
    }
}

/// What the handshake offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Selective acknowledgments (RFC 2018). A recovery that lives on them falls back to NewReno without.
    pub sack: bool,
    /// Duplicates reported in SACK blocks (RFC 2883).
    pub duplicate_sack: bool,
    /// Timestamps, and protection against wrapped sequence numbers with them (RFC 7323).
    pub timestamps: bool,
    /// Window scaling [RFC7323 s2]; the shift, or the least that lets the whole window be said.
    pub window_scale: Option<Option<u8>>,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: EcnMode,
}

impl Default for Options {
    fn default() -> Self {
        Options { sack: true, duplicate_sack: true, timestamps: false, window_scale: Some(None), ecn: EcnMode::Off }
    }
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

/// When acknowledgments go out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Acks {
    /// With every so many full segments: 1 with each, 2 is the most there may be [RFC5681 s4.2].
    pub every: u32,
    /// How long an acknowledgment is kept back at most; at most 500 ms [RFC5681 s4.2].
    pub delay: Span,
    /// So many segments at the beginning are acknowledged one by one (Linux's quick acknowledgments).
    pub at_once: u32,
}

impl Default for Acks {
    fn default() -> Self {
        Acks { every: 1, delay: Span::from_millis(200), at_once: 0 }
    }
}

/// Whether small segments wait for company.
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

/// When acknowledgments let the window grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// Unless it is beyond the receiver's already: what the receiver does not take is no evidence of room in the network.
    #[default]
    BelowPeerWindow,
    /// If the sender was held back by it in the last window, or in slow start if it is less than twice what was in flight
    /// (Linux, after RFC 7661).
    WhenUsed,
}

/// What a sender does when the other end's window closes over data in flight. It probes the window in any case
/// [RFC9293 s3.8.6].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClosedWindow {
    /// It waits: the retransmission timer stops, and nothing is lost. When the window opens, all that was not acknowledged is sent
    /// again, without a cut, and the time it was closed was not idle (4.3BSD; Freeze-TCP and M-TCP live on it).
    #[default]
    Waits,
    /// The retransmission timer goes on, cuts the window and probes with what is sent again (Linux).
    TimesOut,
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

/// How needless retransmissions are found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spurious {
    /// What comes back after a timeout shows whether the originals had arrived (F-RTO) (RFC 5682).
    pub frto: bool,
    /// The timestamp echoed is that of the original (Eifel) [RFC3522, RFC4015].
    pub eifel: bool,
    /// Every retransmission is reported as a duplicate (RFC 3708).
    pub duplicate_sack: bool,
}

/// How often a segment is sent again before the connection is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retries {
    /// A SYN, with intervals that double; `steady_syn` come before.
    pub syn: u32,
    /// A SYN that nobody has answered, at intervals that do not double yet: not in RFC 6298 [Linux tcp_timer.c].
    pub steady_syn: u32,
    /// Data; never given up if not said, as in a simulation.
    pub data: Option<u32>,
}

impl Default for Retries {
    fn default() -> Self {
        Retries { syn: 6, steady_syn: 0, data: None }
    }
}
