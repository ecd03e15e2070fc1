//! Settings of TCP. Each setting is declared once, with its default. A variant is a table of settings ([`presets`]),
//! which is merged over the defaults; the user's table is merged over both.

mod check;
mod choices;
mod negotiation;
pub mod presets;
pub mod receive_window;
pub mod send_buffer_size;
mod settings;
mod values;

use engine::{Bytes, Named, Rate, Span, Stream};

use crate::cc::{self, ControlConfig};
use crate::differentiation::DifferentiationConfig;
use crate::recovery::{self, RecoveryConfig};
use crate::response::{self, ResponseConfig};
pub use choices::{
    Arithmetic, BackOff, CwndValidation, EcnCodepoint, EcnMode, Floor, Nagle, Paws, Sampling, TimerRestart, ZeroWindow,
};
pub use receive_window::{BufferSizes, ReceiveWindow};
pub use send_buffer_size::{SendBufferSize, SendBufferSizes};
use settings::settings;
pub use values::{
    Delay, DelayedAck, PartialReceiverSettings, PartialRetries, ReceiverSettings, Retries, Tries, WindowScaling,
};

settings! {
    /// Settings of one end of a connection.
    #[derive(Clone, PartialEq, Debug, serde::Serialize)]
    pub struct Config {
        /// Data of a full segment (SMSS) in bytes, from which options are deducted [RFC9293 s3.7.1]; a smaller MSS
        /// option of the other end limits it.
        segment: u32 = 1460,
        /// Receive window, at most 1 GiB.
        window: ReceiveWindow = ReceiveWindow::Fixed(Bytes(65_535)),
        /// Response of the sender to messages of a scheme.
        response: ResponseConfig = ResponseConfig::Unmodified(response::unmodified::Config::default()),
        /// Random stream of this end.
        #[serde(skip)]
        stream: Stream = Stream::default(),
    }

    /// Settings of TCP, of both ends of a flow. Unset keys default to the settings of the variant.
    #[derive(Clone, PartialEq, Debug)]
    #[serde(remote = "Self")]
    #[schemars(rename = "Tcp", transform = engine::bare_name::accept_name::<PartialConfig>)]
    pub struct PartialConfig {
        /// The variant, by the name papers use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String", extend("enum" = presets::list_variants(), "default" = default_variant()))]
        variant: Option<String> = Some(default_variant()),
    }

    keys {
        /// Loss recovery.
        recovery: RecoveryConfig as Named<RecoveryConfig> = RecoveryConfig::Reno(recovery::reno::Config::default()),
        /// Congestion control.
        control: ControlConfig as Named<ControlConfig> = ControlConfig::Reno(cc::reno::Config::default()),
        /// Rule by which the sender distinguishes losses on the radio link from congestion.
        loss_differentiation: DifferentiationConfig as Named<DifferentiationConfig> = DifferentiationConfig::default(),
        /// Whether a handshake opens the connection [RFC9293 s3.5]; if not, both ends start in ESTABLISHED.
        handshake: bool = false,
        /// Whether the sender closes after its last byte, and the receiver after the sender's FIN [RFC9293 s3.6].
        close: bool = false,
        /// Initial congestion window (IW), 1 to 1000 segments [RFC5681 s3.1, RFC6928].
        #[given(serde(deserialize_with = "values::initial_window"))]
        #[given(schemars(range(min = 1, max = 1000)))]
        initial_window: u32 = 1,
        /// Initial slow start threshold. If unset, slow start lasts until the first loss [RFC5681 s3.1].
        initial_ssthresh: Option<Bytes> as Bytes = None,
        /// Congestion window validation: the acknowledgments that let cwnd grow (RFC 7661).
        cwnd_validation: CwndValidation = CwndValidation::default(),
        /// Whether the acknowledgment that ends fast recovery also increases cwnd, as any acknowledgment of new data
        /// does. Otherwise cwnd equals ssthresh after it [RFC5681 s3.2 step 6]. 4.3BSD Reno increases it (`tcp_input.c`
        /// 7.25, WS96).
        recovery_exit_growth: bool = false,
        /// Whether slow start begins again after an idle period of a retransmission timeout [RFC5681 s4.1].
        restart_after_idle: bool = true,
        /// Behaviour of the sender when the receive window closes over data in flight [RFC9293 s3.8.6].
        zero_window: ZeroWindow = ZeroWindow::default(),
        /// Rule for timestamps that are too old: protection against wrapped sequence numbers (PAWS) [RFC7323 s5].
        paws: Paws = Paws::default(),
        /// Minimum time between two acknowledgments in response to unacceptable segments without data [RFC5961 s7]; 0
        /// for no limit. The default is the value of Linux (`tcp_invalid_ratelimit`).
        invalid_ratelimit: Span = Span::from_millis(500),
        /// Retransmission timeout before the first measurement, more than 0 and at most `max_rto` [RFC6298 s2.1].
        initial_rto: Span = Span::from_secs(1),
        /// Minimum retransmission timeout, more than 0 and at most `max_rto` [RFC6298 s2.4].
        min_rto: Span = Span::from_secs(1),
        /// Maximum retransmission timeout, also after doubling [RFC6298 s2.5].
        max_rto: Span = Span::from_secs(64),
        /// Quantity bounded by `min_rto`: the timeout, or its part for the variation of the RTT.
        rto_floor: Floor = Floor::default(),
        /// Clock granularity G, at most `max_rto`: the RTT is measured in whole ticks and the timer expires at a tick
        /// [RFC6298 s4]; 0 for an exact clock.
        rto_granularity: Span = Span::ZERO,
        /// Arithmetic of SRTT, RTTVAR and the timeout [RFC6298 s2.3, Jacobson1988 A.2].
        rto_arithmetic: Arithmetic = Arithmetic::default(),
        /// End of the exponential back-off of the timeout [RFC6298 s5].
        rto_back_off: BackOff = BackOff::default(),
        /// Events that restart the running retransmission timer [RFC6298 s5.3].
        rto_restart: TimerRestart = TimerRestart::default(),
        /// Segments whose round trip time is measured [RFC6298 s3].
        rtt_sampling: Sampling = Sampling::default(),
        /// Maximum numbers of retransmissions before the connection is aborted [RFC9293 s3.8.3].
        retries: Retries as PartialRetries = Retries::default(),
        /// Whether acknowledgments are delayed, and for how long [RFC5681 s4.2].
        delayed_ack: DelayedAck = DelayedAck::default(),
        /// Nagle's algorithm: whether segments that are not full wait for more data [RFC9293 s3.7.4].
        nagle: Nagle = Nagle::default(),
        /// Limited transmit: whether each of the first two duplicate acknowledgments allows a new segment (RFC 3042).
        limited_transmit: bool = false,
        /// Proportional rate reduction: during recovery cwnd decreases in proportion to the delivered data (RFC 9937).
        prr: bool = false,
        /// Segmentation offload of Linux: segments that are sent together are built as one, and the last of several
        /// has PSH.
        tso: bool = false,
        /// F-RTO: whether spurious timeouts are detected from the acknowledgments that follow them (RFC 5682).
        frto: bool = false,
        /// Eifel: whether spurious retransmissions are detected from timestamps [RFC3522, RFC4015].
        eifel: bool = false,
        /// Whether spurious retransmissions are detected from duplicates reported by DSACK (RFC 3708).
        dsack_undo: bool = false,
        /// Selective acknowledgments (RFC 2018). Without them a recovery that uses SACK works as NewReno does.
        sack: bool = true,
        /// DSACK: whether the receiver reports duplicate segments in SACK blocks (RFC 2883).
        dsack: bool = true,
        /// Timestamps option, with PAWS (RFC 7323).
        timestamps: bool = false,
        /// Window scale option [RFC7323 s2].
        window_scaling: WindowScaling = WindowScaling::default(),
        /// Explicit congestion notification (RFC 3168).
        ecn: EcnMode = EcnMode::default(),
        /// Duration of TIME-WAIT, twice the maximum segment lifetime; at most an hour [RFC9293 s3.6.1].
        time_wait: Span = Span::from_secs(60),
        /// Maximum duration of FIN-WAIT-2 after the application has closed, at most an hour. RFC 9293 sets no limit;
        /// Linux does (`tcp_fin_timeout`).
        fin_timeout: Span = Span::from_secs(60),
        /// Codepoint of ECN-capable packets: `ect1` for scalable flows in an L4S network (RFC 9331); `ect0` if unset.
        ecn_codepoint: Option<EcnCodepoint> as EcnCodepoint = None,
        /// Parameters of Linux's receiver.
        receiver: ReceiverSettings as PartialReceiverSettings = ReceiverSettings::default(),
        /// Size of the send buffer, at least one segment: written and unacknowledged data.
        send_buffer: SendBufferSize = SendBufferSize::default(),
        /// The application writes only while less than this is unsent (TCP_NOTSENT_LOWAT); no limit if unset.
        notsent_lowat: Option<Bytes> as Bytes = None,
        /// Maximum rate of data at which the sender paces, also if the control does not pace otherwise
        /// (SO_MAX_PACING_RATE); no limit if unset.
        max_pacing_rate: Option<Rate> as Rate = None,
    }
}

engine::bare_name! { PartialConfig, "variant" }

impl PartialConfig {
    /// The name of the variant; the default variant if the table has none.
    pub fn variant(&self) -> &str {
        self.variant.as_deref().unwrap_or(presets::PRESETS[0].name)
    }

    /// Reads the table of a flow, whose variant is the default one if the table names none.
    ///
    /// # Errors
    /// Errors of the deserializer.
    pub fn read_with_variant<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut table = <Self as serde::Deserialize>::deserialize(deserializer)?;
        table.variant.get_or_insert_with(default_variant);
        Ok(table)
    }
}

impl Config {
    /// Bytes of data in a full segment: [`segment`](Self::segment) less the bytes of options (RFC 6691).
    pub fn segment_data(&self) -> u32 {
        crate::timestamps::left_for_data(self.segment, self.timestamps)
    }

    /// Bytes of options in each segment with data, once the connection is established.
    pub fn data_options(&self) -> u32 {
        let timestamps = self.timestamps.then(wire::Timestamps::default);
        wire::Options { timestamps, ..wire::Options::default() }.size()
    }
}

fn default_variant() -> String {
    presets::PRESETS[0].name.into()
}
