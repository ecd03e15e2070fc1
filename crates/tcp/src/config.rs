//! Settings of an end.

use engine::{Bytes, Span, Stream};

use crate::cc::{self, ControlConfig};
use crate::differentiation::DifferentiationConfig;
use crate::recovery::{self, RecoveryConfig};
use crate::response::{self, ResponseConfig};

/// Settings of one end of a connection.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// Bytes of data in a full segment (SMSS).
    pub segment: u32,
    /// Bytes this end is willing to receive; advertised unchanged, since applications read at once.
    pub window: Bytes,
    /// Congestion window at the beginning, in segments [RFC5681 s3.1, RFC6928].
    pub initial_window: u32,
    /// Slow start threshold at the beginning; without one slow start goes on until the first loss.
    pub initial_ssthresh: Option<Bytes>,
    /// Limits of the retransmission timer.
    pub rto: RtoConfig,
    /// What is lost.
    pub recovery: RecoveryConfig,
    /// How much may fly.
    pub control: ControlConfig,
    /// What messages from the network bring about.
    pub response: ResponseConfig,
    /// Which losses are taken for congestion.
    pub differentiation: DifferentiationConfig,
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
            stream: Stream::default(),
        }
    }
}

/// Limits of the retransmission timer [RFC6298 s2].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RtoConfig {
    /// Before the first measurement [RFC6298 s2.1].
    pub initial: Span,
    /// Never less [RFC6298 s2.4].
    pub min: Span,
    /// Never more, however often it doubles [RFC6298 s2.5].
    pub max: Span,
    /// How long a doubled timeout holds.
    pub back_off: BackOff,
}

/// How long a doubled timeout holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BackOff {
    /// Until a round trip has been measured, which takes a segment that was sent once only: with a round trip longer than
    /// the timeout no other rule ever gets to measure one [RFC6298 s5.5, Karn and Partridge 1987].
    #[default]
    UntilMeasured,
    /// Until new data is acknowledged, as in 4.3BSD.
    UntilAcknowledged,
}

impl Default for RtoConfig {
    fn default() -> Self {
        RtoConfig {
            initial: Span::from_secs(1),
            min: Span::from_secs(1),
            max: Span::from_secs(64),
            back_off: BackOff::default(),
        }
    }
}
