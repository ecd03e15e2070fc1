//! Settings of TCP as people write them: the table `[flows.NAME.tcp]`.

pub(crate) mod values;

use engine::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tcp::cc::ControlConfig;
use tcp::config::{Arithmetic, BackOff, ClosedWindow, EcnMode, Floor, Growth, Nagle, Paws, Sampling, TimerRestart};
use tcp::differentiation::DifferentiationConfig;
use tcp::presets;
use tcp::recovery::RecoveryConfig;

use engine::Named;
pub use values::{DelayedAck, Retries, Tries, WindowScaling};

/// Settings of TCP, of both ends of a flow. What is not given is as the variant has it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// The variant, by the name papers use.
    #[serde(default = "reno")]
    #[schemars(extend("enum" = presets::names()))]
    pub variant: String,
    /// Loss recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Named<RecoveryConfig>>,
    /// Congestion control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Named<ControlConfig>>,
    /// How the sender guesses which losses are not congestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_differentiation: Option<Named<DifferentiationConfig>>,
    /// Whether the ends shake hands first; if not, they begin in ESTABLISHED.
    #[serde(default, skip_serializing_if = "is_false")]
    pub handshake: bool,
    /// Whether the sender closes after its last byte, and the receiver when it has come to the end.
    #[serde(default, skip_serializing_if = "is_false")]
    pub close: bool,
    /// First congestion window, in segments [RFC5681 s3.1, RFC6928].
    #[serde(default, deserialize_with = "values::initial_window", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub initial_window: Option<u32>,
    /// First slow start threshold; without one slow start goes on until the first loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_ssthresh: Option<Bytes>,
    /// When acknowledgments let the window grow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
    /// Whether the acknowledgment that ends fast recovery also opens the window (4.3BSD Reno).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_exit_growth: Option<bool>,
    /// Whether slow start begins anew when nothing was in flight for a retransmission timeout [RFC5681 s4.1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart_after_idle: Option<bool>,
    /// What a sender does when the other end's window closes over data in flight [RFC9293 s3.8.6].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_window: Option<ClosedWindow>,
    /// Which timestamps are too old [RFC7323 s5].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paws: Option<Paws>,
    /// The least time between two acknowledgments that answer segments which are not acceptable and carry no data
    /// [RFC5961 s7].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid_ratelimit: Option<Span>,
    /// Retransmission timeout before the first measurement [RFC6298 s2.1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_rto: Option<Span>,
    /// Least retransmission timeout [RFC6298 s2.4].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_rto: Option<Span>,
    /// Greatest retransmission timeout [RFC6298 s2.5].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rto: Option<Span>,
    /// What is never less than `min_rto`: the timeout, or what is added to the smoothed round trip for its variation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rto_floor: Option<Floor>,
    /// The tick of the clock that measures round trips and expires timers; exact if zero [RFC6298 s4].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rto_granularity: Option<Span>,
    /// The arithmetic of the round trip's estimate and of the timeout [RFC6298 s2.3, Jacobson1988 A.2].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rto_arithmetic: Option<Arithmetic>,
    /// How long a doubled timeout holds [RFC6298 s5.5].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rto_back_off: Option<BackOff>,
    /// What starts the retransmission timer again while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rto_restart: Option<TimerRestart>,
    /// Which segments are timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_sampling: Option<Sampling>,
    /// How often a segment is sent again before the connection is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<Retries>,
    /// Whether acknowledgments are kept back, and how long [RFC5681 s4.2].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed_ack: Option<DelayedAck>,
    /// Whether segments that are not full wait for company [RFC9293 s3.7.4].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nagle: Option<Nagle>,
    /// Whether the first two duplicates let a new segment out each (RFC 3042).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited_transmit: Option<bool>,
    /// Proportional rate reduction (RFC 9937).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prr: Option<bool>,
    /// Whether what comes back after a timeout may show that it was needless (F-RTO) (RFC 5682).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frto: Option<bool>,
    /// Whether timestamps may show that a retransmission was needless (Eifel) (RFC 3522, RFC 4015).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eifel: Option<bool>,
    /// Whether duplicates that SACK reports may show that retransmissions were needless (RFC 3708).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dsack_undo: Option<bool>,
    /// Selective acknowledgments (RFC 2018).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sack: Option<bool>,
    /// Whether SACK reports duplicates (RFC 2883).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dsack: Option<bool>,
    /// Timestamps [RFC7323 s3].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<bool>,
    /// Window scaling [RFC7323 s2].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_scaling: Option<WindowScaling>,
    /// Explicit congestion notification (RFC 3168).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecn: Option<EcnMode>,
    /// How long TIME-WAIT lasts, twice the life of a segment [RFC9293 s3.6.1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_wait: Option<Span>,
}

impl Default for Tcp {
    fn default() -> Self {
        Tcp {
            variant: reno(),
            recovery: None,
            control: None,
            loss_differentiation: None,
            handshake: false,
            close: false,
            initial_window: None,
            initial_ssthresh: None,
            growth: None,
            recovery_exit_growth: None,
            restart_after_idle: None,
            closed_window: None,
            paws: None,
            invalid_ratelimit: None,
            initial_rto: None,
            min_rto: None,
            max_rto: None,
            rto_floor: None,
            rto_granularity: None,
            rto_arithmetic: None,
            rto_back_off: None,
            rto_restart: None,
            rtt_sampling: None,
            retries: None,
            delayed_ack: None,
            nagle: None,
            limited_transmit: None,
            prr: None,
            frto: None,
            eifel: None,
            dsack_undo: None,
            sack: None,
            dsack: None,
            timestamps: None,
            window_scaling: None,
            ecn: None,
            time_wait: None,
        }
    }
}

impl Tcp {
    /// Puts what is given in the place of what the variant has.
    pub(crate) fn apply(&self, config: &mut tcp::Config) {
        fn put<T: Clone>(place: &mut T, given: &Option<T>) {
            if let Some(given) = given {
                place.clone_from(given);
            }
        }
        fn member<T: Clone>(place: &mut T, given: &Option<Named<T>>) {
            if let Some(Named(given)) = given {
                place.clone_from(given);
            }
        }
        member(&mut config.recovery, &self.recovery);
        member(&mut config.control, &self.control);
        member(&mut config.differentiation, &self.loss_differentiation);
        put(&mut config.initial_window, &self.initial_window);
        config.initial_ssthresh = self.initial_ssthresh.or(config.initial_ssthresh);
        put(&mut config.growth, &self.growth);
        put(&mut config.recovery_exit_growth, &self.recovery_exit_growth);
        put(&mut config.restart_after_idle, &self.restart_after_idle);
        put(&mut config.closed_window, &self.closed_window);
        put(&mut config.paws, &self.paws);
        put(&mut config.invalid_ratelimit, &self.invalid_ratelimit);
        put(&mut config.rto.initial, &self.initial_rto);
        put(&mut config.rto.min, &self.min_rto);
        put(&mut config.rto.max, &self.max_rto);
        put(&mut config.rto.floor, &self.rto_floor);
        put(&mut config.rto.granularity, &self.rto_granularity);
        put(&mut config.rto.arithmetic, &self.rto_arithmetic);
        put(&mut config.rto.back_off, &self.rto_back_off);
        put(&mut config.rto.restart, &self.rto_restart);
        put(&mut config.rto.sampling, &self.rtt_sampling);
        if let Some(retries) = &self.retries {
            put(&mut config.retries.syn, &retries.syn);
            put(&mut config.retries.steady_syn, &retries.steady_syn);
            put(&mut config.retries.data, &retries.data.map(Tries::most));
        }
        put(&mut config.acks, &self.delayed_ack.map(DelayedAck::acks));
        put(&mut config.nagle, &self.nagle);
        put(&mut config.limited_transmit, &self.limited_transmit);
        put(&mut config.prr, &self.prr);
        put(&mut config.spurious.frto, &self.frto);
        put(&mut config.spurious.eifel, &self.eifel);
        put(&mut config.spurious.duplicate_sack, &self.dsack_undo);
        put(&mut config.options.sack, &self.sack);
        put(&mut config.options.duplicate_sack, &self.dsack);
        put(&mut config.options.timestamps, &self.timestamps);
        put(&mut config.options.window_scale, &self.window_scaling.map(WindowScaling::shift));
        put(&mut config.options.ecn, &self.ecn);
        put(&mut config.time_wait, &self.time_wait);
    }
}

fn reno() -> String {
    "reno".into()
}

fn is_false(value: &bool) -> bool {
    !value
}
