//! Settings of TCP. Each is declared once, with its default; a variant is a table of them (see [`presets`]) over
//! which the user's table is merged.

mod check;
mod choices;
pub mod presets;
mod settings;
mod values;

use engine::{Bytes, Named, Span, Stream};

use crate::cc::{self, ControlConfig};
use crate::differentiation::DifferentiationConfig;
use crate::recovery::{self, RecoveryConfig};
use crate::response::{self, ResponseConfig};
pub use choices::{
    Arithmetic, BackOff, CwndValidation, EcnMode, Floor, Nagle, Paws, Sampling, TimerRestart, ZeroWindow,
};
use settings::settings;
pub use values::{Delay, DelayedAck, PartialRetries, Retries, Tries, WindowScaling};

settings! {
    /// Settings of one end of a connection.
    #[derive(Clone, PartialEq, Debug, serde::Serialize)]
    pub struct Config {
        /// Bytes of data in a full segment (SMSS), unless the other end asks for less or options take some of it.
        segment: u32 = 1460,
        /// The receive buffer, in bytes. An application that reads at once lets it be advertised unchanged.
        window: Bytes = Bytes(65_535),
        /// The sender's part of a scheme: what messages from the network bring about.
        response: ResponseConfig = ResponseConfig::Unmodified(response::unmodified::Config::default()),
        /// Random numbers of this end.
        #[serde(skip)]
        stream: Stream = Stream::default(),
    }

    /// Settings of TCP, of both ends of a flow. Unset keys default to the variant's.
    #[derive(Clone, PartialEq, Debug)]
    #[schemars(rename = "Tcp")]
    pub struct PartialConfig {
        /// The variant, by the name papers use.
        #[serde(default = "default_variant")]
        #[schemars(extend("enum" = presets::names()))]
        variant: String = default_variant(),
    }

    keys {
        /// Loss recovery.
        recovery: RecoveryConfig as Named<RecoveryConfig> = RecoveryConfig::Reno(recovery::reno::Config::default()),
        /// Congestion control.
        control: ControlConfig as Named<ControlConfig> = ControlConfig::Reno(cc::reno::Config::default()),
        /// How the sender tells losses on the radio link from congestion.
        loss_differentiation: DifferentiationConfig as Named<DifferentiationConfig> = DifferentiationConfig::default(),
        /// Whether the connection is opened by a handshake; if not, both ends begin in ESTABLISHED.
        handshake: bool = false,
        /// Whether the sender closes after its last byte, and the receiver after the sender.
        close: bool = false,
        /// Initial congestion window (IW), in segments [RFC5681 s3.1, RFC6928].
        #[given(serde(deserialize_with = "values::initial_window"))]
        #[given(schemars(range(min = 1, max = 1000)))]
        initial_window: u32 = 1,
        /// Initial slow start threshold; without one slow start lasts until the first loss.
        initial_ssthresh: Option<Bytes> as Bytes = None,
        /// Congestion window validation: which acknowledgments let cwnd grow (RFC 7661).
        cwnd_validation: CwndValidation = CwndValidation::default(),
        /// Whether the acknowledgment that ends fast recovery also opens the window, as any new acknowledgment does. It does in
        /// 4.3BSD Reno, whose input processing goes on, past the cut to ssthresh, with what opens the window (`tcp_input.c` 7.25,
        /// WS96); by the RFC cwnd stays at ssthresh [RFC5681 s3.2 step 6].
        recovery_exit_growth: bool = false,
        /// Whether slow start begins again when nothing was in flight for a retransmission timeout [RFC5681 s4.1].
        restart_after_idle: bool = true,
        /// What a sender does when the receive window closes over data in flight [RFC9293 s3.8.6].
        zero_window: ZeroWindow = ZeroWindow::default(),
        /// Which timestamps are too old [RFC7323 s5].
        paws: Paws = Paws::default(),
        /// The minimum time between two acknowledgments that answer segments which are not acceptable and carry no data
        /// [RFC5961 s7]; each is answered if zero. By default ten in 5 s, as `tcp_invalid_ratelimit` of Linux.
        invalid_ratelimit: Span = Span::from_millis(500),
        /// Retransmission timeout before the first measurement [RFC6298 s2.1].
        initial_rto: Span = Span::from_secs(1),
        /// Minimum retransmission timeout [RFC6298 s2.4].
        min_rto: Span = Span::from_secs(1),
        /// Maximum retransmission timeout, however often it doubles [RFC6298 s2.5].
        max_rto: Span = Span::from_secs(64),
        /// What `min_rto` bounds: the timeout, or what is added to the smoothed round trip for its variation.
        rto_floor: Floor = Floor::default(),
        /// The tick of the clock (G): round trips are measured in whole ticks and the timer expires at one; exact if zero
        /// [RFC6298 s4].
        rto_granularity: Span = Span::ZERO,
        /// The arithmetic of the round trip's estimate and of the timeout [RFC6298 s2.3, Jacobson1988 A.2].
        rto_arithmetic: Arithmetic = Arithmetic::default(),
        /// How long a doubled timeout holds [RFC6298 s5.5].
        rto_back_off: BackOff = BackOff::default(),
        /// What restarts the retransmission timer while it runs.
        rto_restart: TimerRestart = TimerRestart::default(),
        /// Which segments are timed.
        rtt_sampling: Sampling = Sampling::default(),
        /// How often a segment is retransmitted before the connection is given up.
        retries: Retries as PartialRetries = Retries::default(),
        /// Whether acknowledgments are delayed, and for how long [RFC5681 s4.2].
        delayed_ack: DelayedAck = DelayedAck::default(),
        /// Whether segments that are not full wait for more data [RFC9293 s3.7.4].
        nagle: Nagle = Nagle::default(),
        /// Whether each of the first two duplicate acknowledgments lets a new segment out (RFC 3042).
        limited_transmit: bool = false,
        /// Proportional rate reduction: recovery goes from the old window to the new one in proportion to what arrives (RFC 9937).
        prr: bool = false,
        /// Whether what is acknowledged after a timeout may show that it was spurious (F-RTO) (RFC 5682).
        frto: bool = false,
        /// Whether timestamps may show that a retransmission was spurious (Eifel) [RFC3522, RFC4015].
        eifel: bool = false,
        /// Whether duplicates that SACK reports may show that retransmissions were spurious (RFC 3708).
        dsack_undo: bool = false,
        /// Selective acknowledgments (RFC 2018). A recovery that needs them falls back to NewReno without.
        sack: bool = true,
        /// Whether SACK reports duplicates (RFC 2883).
        dsack: bool = true,
        /// Timestamps, and protection against wrapped sequence numbers with them (RFC 7323).
        timestamps: bool = false,
        /// Window scaling [RFC7323 s2].
        window_scaling: WindowScaling = WindowScaling::default(),
        /// Explicit congestion notification (RFC 3168).
        ecn: EcnMode = EcnMode::default(),
        /// How long TIME-WAIT lasts, twice the maximum segment lifetime [RFC9293 s3.6.1].
        time_wait: Span = Span::from_secs(60),
    }
}

fn default_variant() -> String {
    presets::PRESETS[0].name.into()
}
