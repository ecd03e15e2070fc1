//! TCP variants by the names papers use: a recovery and a congestion control, and what else belongs to them.

use engine::{Bytes, Span};

use crate::cc::{ControlConfig, cubic, hystart, reno, window};
use crate::config::{
    Acks, ClosedWindow, Config, EcnMode, Floor, Growth, Nagle, Paws, Retries, Sampling, Spurious, TimerRestart,
};
use crate::recovery::{RecoveryConfig, fack, newreno, rack, sack, tahoe};

/// A variant: its name, one line about it, and its parts.
pub struct Preset {
    /// The name papers use.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Makes settings those of the variant; what does not belong to it stays as it is.
    pub configure: fn(&mut Config),
}

/// Every variant.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "reno",
        summary: "Slow start, congestion avoidance, fast retransmit and fast recovery [RFC5681]",
        configure: |config| pair(config, RecoveryConfig::Reno(Default::default()), reno()),
    },
    Preset {
        name: "tahoe",
        summary: "Slow start after every loss [Jacobson 1988]",
        configure: |config| pair(config, RecoveryConfig::Tahoe(tahoe::Config::default()), reno()),
    },
    Preset {
        name: "newreno",
        summary: "Reno that fills one hole a round trip [RFC6582]",
        configure: |config| pair(config, RecoveryConfig::NewReno(newreno::Config::default()), reno()),
    },
    Preset {
        name: "sack",
        summary: "Reno with selective acknowledgments [RFC6675]",
        configure: |config| pair(config, RecoveryConfig::Sack(sack::Config::default()), reno()),
    },
    Preset {
        name: "fack",
        summary: "Reno with forward acknowledgment [Mathis and Mahdavi 1996]",
        configure: |config| pair(config, RecoveryConfig::Fack(fack::Config::default()), reno()),
    },
    Preset {
        name: "rack",
        summary: "Reno with RACK-TLP [RFC8985]",
        configure: |config| pair(config, RecoveryConfig::Rack(rack::Config::default()), reno()),
    },
    Preset {
        name: "vegas",
        summary: "Holds a few segments in the bottleneck's queue (Brakmo and Peterson 1995), with Reno's recovery",
        configure: |config| {
            pair(config, RecoveryConfig::Reno(Default::default()), ControlConfig::Vegas(Default::default()));
            config.rto.sampling = Sampling::EachAcknowledgment;
        },
    },
    Preset {
        name: "westwood",
        summary: "Westwood+: cuts to what the path was seen to carry (Mascolo et al. 2004), with NewReno's recovery",
        configure: |config| {
            pair(config, RecoveryConfig::NewReno(Default::default()), ControlConfig::Westwood(Default::default()));
            config.rto.sampling = Sampling::EachAcknowledgment;
        },
    },
    Preset {
        name: "veno",
        summary: "Cuts by a fifth when the queue is short (Fu and Liew 2003), with NewReno's recovery",
        configure: |config| {
            pair(config, RecoveryConfig::NewReno(Default::default()), ControlConfig::Veno(Default::default()));
            config.rto.sampling = Sampling::EachAcknowledgment;
        },
    },
    Preset {
        name: "cubic",
        summary: "Grows with the cube of the time since the last cut [RFC9438], HyStart++ [RFC9406], with SACK",
        configure: |config| {
            pair(config, RecoveryConfig::Sack(Default::default()), ControlConfig::Cubic(Default::default()));
            config.rto.sampling = Sampling::EachAcknowledgment;
        },
    },
    Preset {
        name: "bbr",
        summary: "Sends at the measured rate with a path's worth in flight (Cardwell et al. 2016), with RACK-TLP",
        configure: |config| {
            pair(config, RecoveryConfig::Rack(Default::default()), ControlConfig::Bbr(Default::default()));
            config.rto.sampling = Sampling::EachAcknowledgment;
        },
    },
    Preset {
        name: "bbr3",
        summary: "BBR version 3, which learns from losses too [draft-ietf-ccwg-bbr], with RACK-TLP",
        configure: |config| {
            pair(config, RecoveryConfig::Rack(Default::default()), ControlConfig::Bbr3(Default::default()));
            config.rto.sampling = Sampling::EachAcknowledgment;
        },
    },
    Preset {
        name: "dctcp",
        summary: "Cuts in proportion to the fraction of bytes marked [RFC8257], with SACK and ECN",
        configure: |config| {
            pair(config, RecoveryConfig::Sack(Default::default()), ControlConfig::Dctcp(Default::default()));
            config.rto.sampling = Sampling::EachAcknowledgment;
            config.options.ecn = EcnMode::Request;
        },
    },
    Preset {
        name: "linux",
        summary: "What Linux does: CUBIC with its own arithmetic and HyStart, RACK-TLP, proportional rate reduction",
        configure: |config| {
            let cubic = cubic::Config {
                arithmetic: cubic::Arithmetic::Linux,
                hystart: hystart::Kind::Linux,
                hystart_rounds: Some(hystart::linux::Rounds::AboveLowWindow),
                ..cubic::Config::default()
            };
            linux(config, ControlConfig::Cubic(cubic));
        },
    },
    Preset {
        name: "linux-reno",
        summary: "What Linux does with tcp_congestion_control = reno",
        configure: |config| {
            let reno = reno::Config {
                growth: Some(window::Growth::Counted),
                ssthresh_from: Some(reno::Basis::Cwnd),
                ..reno::Config::default()
            };
            linux(config, ControlConfig::Reno(reno));
        },
    },
];

/// The variant called `name`.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The names of all variants.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

fn reno() -> ControlConfig {
    ControlConfig::Reno(reno::Config::default())
}

fn pair(config: &mut Config, recovery: RecoveryConfig, control: ControlConfig) {
    config.recovery = recovery;
    config.control = control;
}

/// Today's Linux: RACK-TLP with proportional rate reduction, an initial window of ten segments, the least variation 200 ms,
/// quick acknowledgments at first and then delayed by 40 ms [Linux net/ipv4: tcp_input.c, tcp_output.c, tcp_timer.c].
fn linux(config: &mut Config, control: ControlConfig) {
    pair(config, RecoveryConfig::Rack(rack::Config::default()), control);
    config.initial_window = 10;
    config.rto.initial = Span::from_secs(1);
    config.rto.min = Span::from_millis(200);
    config.rto.max = Span::from_secs(120);
    config.rto.floor = Floor::Variation;
    config.rto.sampling = Sampling::EachAcknowledgment;
    config.rto.restart = TimerRestart::Retransmissions;
    config.options.timestamps = true;
    config.options.ecn = EcnMode::Accept;
    config.acks = Acks { every: 2, delay: Span::from_millis(40), at_once: 16 };
    config.nagle = Nagle::Minshall;
    config.limited_transmit = true;
    config.prr = true;
    config.spurious = Spurious { frto: true, eifel: true, duplicate_sack: true };
    config.growth = Growth::WhenUsed;
    config.restart_after_idle = true;
    config.closed_window = ClosedWindow::TimesOut;
    config.paws = Paws::Linux;
    config.retries = Retries { syn: 6, steady_syn: 4, data: Some(15) };
    config.window = Bytes(config.window.0.max(65_535));
}
