//! TCP variants by the names that papers use. A variant is a table of settings: a recovery, a congestion control, and
//! the settings that belong to them.

use engine::{Bytes, Named, Span};

use super::{
    BackOff, Config, CwndValidation, DelayedAck, EcnMode, Floor, Nagle, PartialConfig, PartialRetries, Paws, Sampling,
    TimerRestart, Tries, ZeroWindow,
};
use crate::cc::{ControlConfig, cubic, hystart, reno, window};
use crate::recovery::RecoveryConfig;

/// A variant: its name, one line about it, and its settings.
pub struct Preset {
    /// The name papers use.
    pub name: &'static str,
    /// Description of the variant in one line.
    pub summary: &'static str,
    settings: fn() -> PartialConfig,
}

impl Preset {
    /// Returns the settings of the variant. Keys that the variant does not set are unset.
    pub fn table(&self) -> PartialConfig {
        PartialConfig { variant: Some(self.name.into()), ..(self.settings)() }
    }

    /// Returns the default settings, with the variant's settings merged over them.
    pub fn config(&self) -> Config {
        let mut config = Config::default();
        config.merge(&self.table());
        config
    }
}

/// Every variant; the first is the default.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "reno",
        summary: "Slow start, congestion avoidance, fast retransmit and fast recovery (RFC 5681)",
        settings: || pair_recovery_with_control(RecoveryConfig::Reno(Default::default()), default_reno()),
    },
    Preset {
        name: "tahoe",
        summary: "Slow start after every loss [Jacobson 1988]",
        settings: || pair_recovery_with_control(RecoveryConfig::Tahoe(Default::default()), default_reno()),
    },
    Preset {
        name: "newreno",
        summary: "Reno that recovers one loss per round trip (RFC 6582)",
        settings: || pair_recovery_with_control(RecoveryConfig::NewReno(Default::default()), default_reno()),
    },
    Preset {
        name: "sack",
        summary: "Reno with selective acknowledgments (RFC 6675)",
        settings: || pair_recovery_with_control(RecoveryConfig::Sack(Default::default()), default_reno()),
    },
    Preset {
        name: "fack",
        summary: "Reno with forward acknowledgment [Mathis and Mahdavi 1996]",
        settings: || pair_recovery_with_control(RecoveryConfig::Fack(Default::default()), default_reno()),
    },
    Preset {
        name: "rack",
        summary: "Reno with RACK-TLP (RFC 8985)",
        settings: || pair_recovery_with_control(RecoveryConfig::Rack(Default::default()), default_reno()),
    },
    Preset {
        name: "vegas",
        summary: "Holds a few segments in the bottleneck's queue (Brakmo and Peterson 1995), with Reno's recovery",
        settings: || timing_each(RecoveryConfig::Reno(Default::default()), ControlConfig::Vegas(Default::default())),
    },
    Preset {
        name: "westwood",
        summary: "Westwood+: reduces cwnd to the measured bandwidth-delay product (Mascolo et al. 2004), with NewReno's recovery",
        settings: || {
            timing_each(RecoveryConfig::NewReno(Default::default()), ControlConfig::Westwood(Default::default()))
        },
    },
    Preset {
        name: "veno",
        summary: "Veno: reduces cwnd by a fifth if the queue is short (Fu and Liew 2003), with NewReno's recovery",
        settings: || timing_each(RecoveryConfig::NewReno(Default::default()), ControlConfig::Veno(Default::default())),
    },
    Preset {
        name: "cubic",
        summary: "cwnd is a cubic function of the time since the last reduction (RFC 9438), HyStart++ (RFC 9406), with SACK",
        settings: || timing_each(RecoveryConfig::Sack(Default::default()), ControlConfig::Cubic(Default::default())),
    },
    Preset {
        name: "bbr",
        summary: "Sends at the measured rate with a bandwidth-delay product in flight (Cardwell et al. 2016), with RACK-TLP",
        settings: || timing_each(RecoveryConfig::Rack(Default::default()), ControlConfig::Bbr(Default::default())),
    },
    Preset {
        name: "bbr3",
        summary: "BBR version 3, which also responds to losses [draft-ietf-ccwg-bbr], with RACK-TLP",
        settings: || timing_each(RecoveryConfig::Rack(Default::default()), ControlConfig::Bbr3(Default::default())),
    },
    Preset {
        name: "dctcp",
        summary: "DCTCP: reduces cwnd in proportion to the share of marked bytes (RFC 8257), with SACK and ECN",
        settings: || PartialConfig {
            ecn: Some(EcnMode::Request),
            ..timing_each(RecoveryConfig::Sack(Default::default()), ControlConfig::Dctcp(Default::default()))
        },
    },
    Preset {
        name: "linux",
        summary: "As Linux: CUBIC with Linux's arithmetic and HyStart, RACK-TLP, proportional rate reduction",
        settings: || {
            build_linux_table(ControlConfig::Cubic(cubic::Config {
                arithmetic: cubic::Arithmetic::Linux,
                hystart: hystart::Kind::Linux,
                hystart_rounds: Some(hystart::linux::Rounds::AboveLowWindow),
                ..cubic::Config::default()
            }))
        },
    },
    Preset {
        name: "linux-reno",
        summary: "As Linux with tcp_congestion_control = reno",
        settings: || {
            build_linux_table(ControlConfig::Reno(reno::Config {
                growth: Some(window::Growth::Counted),
                ssthresh_from: Some(reno::Basis::Cwnd),
                ..reno::Config::default()
            }))
        },
    },
];

/// The variant called `name`.
pub fn find_preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The names of all variants.
pub fn list_variants() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// Returns the settings of 4.3BSD that the profile goel1997 merges over the settings `variant` of the variant: rules
/// that the thesis states, or that follow from its event times. The initial ssthresh is the maximum unscaled window,
/// each unacceptable segment is answered, and a variant without a rule of its own does not validate cwnd.
pub fn build_goel1997_table(variant: &Config) -> PartialConfig {
    let validates = variant.cwnd_validation != CwndValidation::default();
    PartialConfig {
        initial_ssthresh: Some(Bytes(65_535)),
        cwnd_validation: (!validates).then_some(CwndValidation::ReceiveWindow),
        recovery_exit_growth: Some(true),
        invalid_ratelimit: Some(Span::ZERO),
        rto_back_off: Some(BackOff::UntilAcknowledged),
        rto_restart: Some(TimerRestart::Retransmissions),
        ..PartialConfig::default()
    }
}

fn default_reno() -> ControlConfig {
    ControlConfig::Reno(reno::Config::default())
}

fn pair_recovery_with_control(recovery: RecoveryConfig, control: ControlConfig) -> PartialConfig {
    PartialConfig { recovery: Some(Named(recovery)), control: Some(Named(control)), ..PartialConfig::default() }
}

/// Returns a recovery and a control, with a measurement of the round trip time by each acknowledgment.
fn timing_each(recovery: RecoveryConfig, control: ControlConfig) -> PartialConfig {
    PartialConfig { rtt_sampling: Some(Sampling::EachAcknowledgment), ..pair_recovery_with_control(recovery, control) }
}

/// Returns the settings of current Linux: RACK-TLP with proportional rate reduction, an initial window of ten segments,
/// a minimum variation of 200 ms, quick acknowledgments at first and then delays of 40 ms [Linux net/ipv4: tcp_input.c,
/// tcp_output.c, tcp_timer.c].
fn build_linux_table(control: ControlConfig) -> PartialConfig {
    PartialConfig {
        initial_window: Some(10),
        cwnd_validation: Some(CwndValidation::CwndLimited),
        restart_after_idle: Some(true),
        zero_window: Some(ZeroWindow::Retransmit),
        paws: Some(Paws::Linux),
        initial_rto: Some(Span::from_secs(1)),
        min_rto: Some(Span::from_millis(200)),
        max_rto: Some(Span::from_secs(120)),
        rto_floor: Some(Floor::Variation),
        rto_restart: Some(TimerRestart::Retransmissions),
        retries: Some(PartialRetries { syn: Some(6), syn_linear_timeouts: Some(4), data: Some(Tries::Max(15)) }),
        delayed_ack: Some(DelayedAck::Linux),
        nagle: Some(Nagle::Minshall),
        limited_transmit: Some(true),
        prr: Some(true),
        tso: Some(true),
        frto: Some(true),
        eifel: Some(true),
        dsack_undo: Some(true),
        timestamps: Some(true),
        ecn: Some(EcnMode::Accept),
        ..timing_each(RecoveryConfig::Rack(Default::default()), control)
    }
}
