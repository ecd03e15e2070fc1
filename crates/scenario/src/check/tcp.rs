//! From what is written about TCP to settings of both ends, or to what is wrong with it.

use engine::registry::by_name;
use engine::{Bytes, Span};
use path::agent::AgentConfig;
use tcp::cc::Start;
use tcp::config::{Arithmetic, BackOff, EcnMode, Floor, TimerRestart};
use tcp::presets::{self, PRESETS};
use tcp::recovery::RecoveryConfig;
use tcp::response::ResponseConfig;
use wire::{Packet, Segment};

use super::Checker;
use crate::model::tcp::values::{Delay, INITIAL_WINDOW};
use crate::model::tcp::{DelayedAck, Tries};
use crate::model::{Flow, Profile, Tcp};
use crate::problem::Problem;
use crate::routes::data_options;

/// The largest data of an IPv4 packet behind its headers.
const LARGEST_SEGMENT: u64 = 65_535 - (Packet::HEADER + Segment::HEADER) as u64;
/// The largest window that can be advertised [RFC7323 s2.3].
const LARGEST_WINDOW: u64 = 1 << 30;
/// The largest window that can be said without scaling.
const LARGEST_UNSCALED: u64 = 65_535;
/// The first threshold of 4.3BSD: the largest unscaled window.
const BSD_SSTHRESH: Bytes = Bytes(65_535);
/// The longest that an acknowledgment may be kept back [RFC5681 s4.2].
const LONGEST_ACK_DELAY: Span = Span::from_millis(500);
/// Acknowledgments that come much more seldom than every second segment belong to offloading, which comes in such sizes.
const MOST_SEGMENTS_AN_ACK: u32 = 64;
/// Nobody tries longer: with the timeout doubled each time this is years.
const MOST_RETRIES: u32 = 255;
/// An hour.
const LONGEST_TIME_WAIT: Span = Span::from_secs(3600);

impl Checker<'_> {
    /// Settings of both ends of `flow`, which stand at `key`; the sender follows `scheme`.
    pub fn tcp(&mut self, key: &str, flow: &Flow, scheme: &AgentConfig) -> tcp::Config {
        let given = &flow.tcp;
        let variant = &given.variant;
        let preset = presets::find(variant).unwrap_or_else(|| {
            let known = PRESETS.iter().map(|preset| preset.name);
            let problem = Problem::new("a TCP variant").key(format!("{key}.tcp.variant")).found(quoted(variant));
            self.wrong(problem.nearest(variant, known));
            &PRESETS[0]
        });
        let mut config = tcp::Config::default();
        (preset.configure)(&mut config);
        given.apply(&mut config);
        config.segment = flow.segment.0.min(LARGEST_SEGMENT) as u32;
        config.window = flow.window;
        config.response = sender_part(scheme);
        self.faults(&format!("{key}.tcp.recovery"), config.recovery.check());
        self.faults(&format!("{key}.tcp.control"), config.control.check());
        self.faults(&format!("{key}.tcp.loss_differentiation"), config.differentiation.check());
        self.sizes(key, flow, &config);
        self.times(&format!("{key}.tcp"), given, &config);
        self.tries(&format!("{key}.tcp"), given);
        self.combinations(key, flow, &config);
        if self.scenario.profile == Profile::Goel1997 {
            config.recovery.goel1997();
            config.control.goel1997();
            config.initial_ssthresh.get_or_insert(BSD_SSTHRESH);
            if given.rto_back_off.is_none() {
                config.rto.back_off = BackOff::UntilAcknowledged;
            }
            if given.rto_restart.is_none() {
                config.rto.restart = TimerRestart::Retransmissions;
            }
            if given.recovery_exit_growth.is_none() {
                config.recovery_exit_growth = true;
            }
            if given.invalid_ratelimit.is_none() {
                // 4.3BSD answers each.
                config.invalid_ratelimit = Span::ZERO;
            }
        }
        config
    }

    fn sizes(&mut self, key: &str, flow: &Flow, config: &tcp::Config) {
        // What the handshake makes room for, an end that begins in ESTABLISHED adds to the segment.
        let options = if flow.tcp.handshake { 0 } else { u64::from(data_options(config)) };
        let largest = LARGEST_SEGMENT - options;
        let sound = (1..=largest).contains(&flow.segment.0);
        if !sound {
            let expected = format!("1 to {largest} bytes");
            self.wrong(Problem::new(expected).key(format!("{key}.segment")).found(flow.segment.to_string()));
        }
        // A window is not measured by a segment that is wrong itself.
        if (sound && flow.window < flow.segment) || flow.window.0 > LARGEST_WINDOW {
            let expected = format!("at least one segment ({} B) and at most 1 GiB", flow.segment.0);
            self.wrong(Problem::new(expected).key(format!("{key}.window")).found(flow.window.to_string()));
        }
        if !(1..=1000).contains(&config.initial_window) {
            let problem = Problem::new(INITIAL_WINDOW).key(format!("{key}.tcp.initial_window"));
            self.wrong(problem.found(config.initial_window.to_string()));
        }
    }

    fn times(&mut self, key: &str, given: &Tcp, config: &tcp::Config) {
        let rto = &config.rto;
        // What is not given cannot be wrong: then the greatest is too small for it.
        for (name, given, value) in
            [("min_rto", given.min_rto, rto.min), ("initial_rto", given.initial_rto, rto.initial)]
        {
            if given.is_some() && (value > rto.max || value == Span::ZERO) {
                let expected = format!("more than nothing and at most max_rto ({})", rto.max);
                self.wrong(Problem::new(expected).key(format!("{key}.{name}")).found(value.to_string()));
            } else if value > rto.max {
                let problem = Problem::new(format!("at least {name} ({value})")).key(format!("{key}.max_rto"));
                self.wrong(problem.found(rto.max.to_string()).hint(format!("or a smaller {name}")));
            }
        }
        if rto.granularity > rto.max {
            let expected = format!("at most max_rto ({})", rto.max);
            let problem = Problem::new(expected).key(format!("{key}.rto_granularity"));
            self.wrong(problem.found(rto.granularity.to_string()));
        }
        if rto.arithmetic == Arithmetic::ScaledTicks && rto.granularity == Span::ZERO {
            let problem = Problem::new("a tick, such as `rto_granularity = \"500 ms\"` beside it");
            self.wrong(problem.key(format!("{key}.rto_arithmetic")).found("scaled-ticks"));
        }
        if rto.arithmetic == Arithmetic::ScaledTicks && rto.floor == Floor::Variation {
            let problem =
                Problem::new("`rto_floor = \"timeout\"` beside it: in ticks the least timeout bounds the timeout");
            self.wrong(problem.key(format!("{key}.rto_arithmetic")).found("scaled-ticks"));
        }
        if config.time_wait > LONGEST_TIME_WAIT {
            let problem = Problem::new("at most an hour").key(format!("{key}.time_wait"));
            self.wrong(problem.found(config.time_wait.to_string()));
        }
    }

    fn tries(&mut self, key: &str, given: &Tcp) {
        if let Some(DelayedAck::On(Delay { every, delay, .. })) = given.delayed_ack {
            if !(1..=MOST_SEGMENTS_AN_ACK).contains(&every) {
                let problem = Problem::new(format!("1 to {MOST_SEGMENTS_AN_ACK} segments"));
                self.wrong(problem.key(format!("{key}.delayed_ack.every")).found(every.to_string()));
            }
            if delay > LONGEST_ACK_DELAY {
                let problem = Problem::new("at most 500 ms [RFC5681 s4.2]").key(format!("{key}.delayed_ack.delay"));
                self.wrong(problem.found(delay.to_string()));
            }
        }
        let Some(retries) = given.retries else { return };
        let data = retries.data.and_then(Tries::most);
        for (name, times) in [("syn", retries.syn), ("steady_syn", retries.steady_syn), ("data", data)] {
            if let Some(times) = times.filter(|times| *times > MOST_RETRIES) {
                let problem = Problem::new(format!("0 to {MOST_RETRIES} times")).key(format!("{key}.retries.{name}"));
                let problem = problem.found(times.to_string());
                self.wrong(if name == "data" {
                    problem.hint("write \"unlimited\" to go on for ever")
                } else {
                    problem
                });
            }
        }
    }

    /// Settings that are right by themselves and make no sense together.
    fn combinations(&mut self, key: &str, flow: &Flow, config: &tcp::Config) {
        let given = &flow.tcp;
        let options = &config.options;
        let tcp = format!("{key}.tcp");
        if given.close && flow.bytes.is_none() {
            let problem = Problem::new("a flow with an end (`bytes`): after what never ends nobody closes");
            self.wrong(problem.key(format!("{tcp}.close")).found("true"));
        }
        let sayable = match options.window_scale {
            None => LARGEST_UNSCALED,
            Some(Some(shift)) => LARGEST_UNSCALED << shift,
            Some(None) => LARGEST_WINDOW,
        };
        if given.handshake && (sayable + 1..=LARGEST_WINDOW).contains(&flow.window.0) {
            let expected = format!("at most {sayable} B, which is all that can be said with this window_scaling");
            let problem = Problem::new(expected).key(format!("{key}.window")).found(flow.window.to_string());
            self.wrong(problem.hint("write tcp.window_scaling = true"));
        }
        let mut needs = |name: &str, asked: Option<bool>, has: bool, expected: &str, hint: &str| {
            if asked == Some(true) && !has {
                let problem = Problem::new(expected).key(format!("{tcp}.{name}")).found("true");
                self.wrong(problem.hint(hint));
            }
        };
        let tahoe = matches!(config.recovery, RecoveryConfig::Tahoe(_));
        let reports = options.sack && options.duplicate_sack;
        let fast = "a recovery that reduces the window step by step: tahoe falls to one segment at once";
        needs("prr", given.prr, !tahoe, fast, "write recovery = \"reno\", or leave out prr");
        needs(
            "eifel",
            given.eifel,
            options.timestamps,
            "timestamps = true: Eifel goes by them",
            "write timestamps = true",
        );
        needs(
            "dsack",
            given.dsack,
            options.sack,
            "sack = true: duplicates are reported in its blocks",
            "write sack = true",
        );
        let reported = "sack = true and dsack = true: duplicates are reported in SACK's blocks";
        needs("dsack_undo", given.dsack_undo, reports, reported, "write sack = true, dsack = true");
        self.wants_of_control(&tcp, given, config);
    }

    /// What a congestion control cannot do without.
    fn wants_of_control(&mut self, tcp: &str, given: &Tcp, config: &tcp::Config) {
        let control = config.control.build(Start::trial());
        let name = config.control.name();
        let chosen = if given.control.is_some() { "control" } else { "variant" };
        let found = |key: &str| match key {
            "sack" => "false".to_owned(),
            "recovery" => quoted(config.recovery.name()),
            "ecn" => written(&config.options.ecn),
            "control" => quoted(name),
            _ => quoted(&given.variant),
        };
        if control.regulates_recovery() {
            let by_time = format!("{name} goes by when each segment was delivered");
            if !config.recovery.build().uses_sack() {
                let key = if given.recovery.is_some() { "recovery" } else { chosen };
                let expected = format!("a recovery that lives on SACK, not {}: {by_time}", config.recovery.name());
                let problem = Problem::new(expected).key(format!("{tcp}.{key}")).found(found(key));
                self.wrong(problem.hint("write recovery = \"rack\" (or \"sack\", \"fack\")"));
            } else if !config.options.sack {
                let key = if given.sack.is_some() { "sack" } else { chosen };
                let problem = Problem::new(format!("sack = true: {by_time}")).key(format!("{tcp}.{key}"));
                self.wrong(problem.found(found(key)).hint("write sack = true"));
            }
        }
        if control.precise_ecn() && config.options.ecn != EcnMode::Request {
            let key = if given.ecn.is_some() { "ecn" } else { chosen };
            let expected = format!("ecn = \"request\": {name} goes by marks, and both ends have these settings");
            let problem = Problem::new(expected).key(format!("{tcp}.{key}")).found(found(key));
            self.wrong(problem.hint("write ecn = \"request\", and an ecn_threshold at the bottleneck's link"));
        }
    }
}

/// The sender's part in a scheme; one that asks nothing of the sender has no member of its name among the responses.
fn sender_part(scheme: &AgentConfig) -> ResponseConfig {
    let registered = ResponseConfig::MEMBERS.iter().any(|(name, _)| *name == scheme.name());
    let name = if registered { scheme.name() } else { "unmodified" };
    by_name(name).expect("a response needs no settings: the contract tests make each by its name")
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// A value as scenarios write it.
fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
