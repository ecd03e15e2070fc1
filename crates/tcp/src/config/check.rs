//! Checks of values and combinations of settings.

use engine::registry::Fault;
use engine::{Bytes, Span};

use super::values::{Delay, INITIAL_WINDOW};
use super::{
    Arithmetic, Config, DelayedAck, EcnMode, Floor, PartialConfig, ReceiverSettings, SendBufferSize, SendBufferSizes,
    Tries,
};
use crate::cc::Start;
use crate::recovery::RecoveryConfig;

/// Maximum delay of an acknowledgment [RFC5681 s4.2].
const MAX_ACK_DELAY: Span = Span::from_millis(500);
/// Maximum number of segments per acknowledgment, of the order of an aggregate of receive offload.
const MAX_SEGMENTS_PER_ACK: u32 = 64;
/// Maximum number of retransmissions: with exponential back-off up to 64 s more than four hours.
const MAX_RETRIES: u32 = 255;
/// Maximum time for which duplicate acknowledgments are held back.
const MAX_COMPRESSION: Span = Span::from_millis(100);

/// Maximum time for which segments wait to be joined.
const MAX_OFFLOAD_WAIT: Span = Span::from_millis(100);
/// Maximum duration of TIME-WAIT, and of FIN-WAIT-2 after the application has closed.
const MAX_LINGER: Span = Span::from_secs(3600);

impl PartialConfig {
    /// Returns the faults of `config`, the result of merging this table over the settings of its variant. Each names a
    /// key of the table, or `variant` if the table does not set the key concerned. The settings of recovery, control
    /// and loss differentiation are checked by the members.
    pub fn check(&self, config: &Config) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(1..=1000).contains(&config.initial_window) {
            faults.push(Fault::new("initial_window", config.initial_window, INITIAL_WINDOW));
        }
        self.check_times(config, &mut faults);
        check_counts(config, &mut faults);
        self.check_needs(config, &mut faults);
        // Members are built only if their settings are valid. The tables of the members report the errors of these
        // settings.
        if config.control.check().is_empty() && config.recovery.check().is_empty() {
            self.check_control(config, &mut faults);
        }
        faults
    }

    fn check_times(&self, config: &Config, faults: &mut Vec<Fault>) {
        let max_rto = config.max_rto;
        // If the table does not set the lower bound, the fault is of `max_rto`.
        for (key, given, value) in
            [("min_rto", self.min_rto, config.min_rto), ("initial_rto", self.initial_rto, config.initial_rto)]
        {
            if given.is_some() && (value > max_rto || value == Span::ZERO) {
                faults.push(Fault::new(key, value, format!("more than 0 and at most max_rto ({max_rto})")));
            } else if value > max_rto {
                let fault = Fault::new("max_rto", max_rto, format!("at least {key} ({value})"));
                faults.push(fault.hint(format!("or a smaller {key}")));
            }
        }
        if config.rto_granularity > max_rto {
            let expected = format!("at most max_rto ({max_rto})");
            faults.push(Fault::new("rto_granularity", config.rto_granularity, expected));
        }
        if config.rto_arithmetic == Arithmetic::ScaledTicks {
            let mut needs = |expected: &str| faults.push(Fault::new("rto_arithmetic", "scaled-ticks", expected));
            if config.rto_granularity == Span::ZERO {
                needs("a tick as well, such as `rto_granularity = \"500 ms\"`");
            }
            if config.rto_floor == Floor::Variation {
                needs("`rto_floor = \"timeout\"` as well: with scaled ticks min_rto bounds the RTO");
            }
        }
        for (key, value) in [("time_wait", config.time_wait), ("fin_timeout", config.fin_timeout)] {
            if value > MAX_LINGER {
                faults.push(Fault::new(key, value, "at most an hour"));
            }
        }
    }

    /// Checks the options on which other settings depend.
    fn check_needs(&self, config: &Config, faults: &mut Vec<Fault>) {
        let mut needs = |key, asked: Option<bool>, has: bool, expected: &str, hint: &str| {
            if asked == Some(true) && !has {
                faults.push(Fault::new(key, true, expected).hint(hint));
            }
        };
        let tahoe = matches!(config.recovery, RecoveryConfig::Tahoe(_));
        let gradual = "a recovery other than tahoe, which reduces cwnd to one segment at once";
        needs("prr", self.prr, !tahoe, gradual, "write recovery = \"reno\", or leave out prr");
        let stamps = "timestamps = true, which Eifel needs";
        needs("eifel", self.eifel, config.timestamps, stamps, "write timestamps = true");
        let blocks = "sack = true: SACK blocks report duplicates";
        needs("dsack", self.dsack, config.sack, blocks, "write sack = true");
        let reports = "sack = true and dsack = true: SACK blocks report duplicates";
        let hint = "write sack = true, dsack = true";
        needs("dsack_undo", self.dsack_undo, config.sack && config.dsack, reports, hint);
    }

    /// Checks the settings on which the congestion control depends.
    fn check_control(&self, config: &Config, faults: &mut Vec<Fault>) {
        let control = config.control.build(Start::trial());
        let name = config.control.name();
        let recovery = config.recovery.name();
        // The fault names the key that does not fit the control if the table sets that key, otherwise the key that
        // selects the control.
        let fault = |key, given: bool, found: &str, expected: String| {
            if given {
                Fault::new(key, found, expected)
            } else if self.control.is_some() {
                Fault::new("control", quote_name(name), expected)
            } else {
                Fault::new("variant", quote_name(self.variant()), expected)
            }
        };
        if control.regulates_recovery() {
            let by_time = format!("{name} needs the delivery time of each segment");
            if !config.recovery.build().uses_sack() {
                let expected = format!("a recovery that needs SACK, not {recovery}: {by_time}");
                let fault = fault("recovery", self.recovery.is_some(), &quote_name(recovery), expected);
                faults.push(fault.hint("write recovery = \"rack\" (or \"sack\", \"fack\")"));
            } else if !config.sack {
                let fault = fault("sack", self.sack.is_some(), "false", format!("sack = true: {by_time}"));
                faults.push(fault.hint("write sack = true"));
            }
        }
        if control.precise_ecn() && config.ecn != EcnMode::Request {
            let found = if config.ecn == EcnMode::Off { "off" } else { "accept" };
            let expected =
                format!("ecn = \"request\": {name} responds to ECN marks, and the setting applies to both ends");
            let fault = fault("ecn", self.ecn.is_some(), &quote_name(found), expected);
            faults.push(fault.hint("write ecn = \"request\", and an ecn_threshold at the bottleneck's link"));
        }
    }
}

fn check_counts(config: &Config, faults: &mut Vec<Fault>) {
    if let DelayedAck::On(Delay { every, delay, .. }) = config.delayed_ack {
        if !(1..=MAX_SEGMENTS_PER_ACK).contains(&every) {
            faults.push(Fault::new("delayed_ack.every", every, format!("1 to {MAX_SEGMENTS_PER_ACK} segments")));
        }
        if delay > MAX_ACK_DELAY {
            faults.push(Fault::new("delayed_ack.delay", delay, "at most 500 ms [RFC5681 s4.2]"));
        }
    }
    check_receiver(&config.receiver, faults);
    check_send_buffer(config, faults);
    if config.receiver.gro && config.delayed_ack != DelayedAck::Linux {
        let expected = "delayed_ack = \"linux\": segments are joined by Linux's receiver only";
        faults.push(Fault::new("receiver.gro", "true", expected).hint("write delayed_ack = \"linux\""));
    }
    let fault = |key, times: u32| Fault::new(key, times, format!("0 to {MAX_RETRIES} times"));
    let retries = &config.retries;
    for (key, times) in [("retries.syn", retries.syn), ("retries.syn_linear_timeouts", retries.syn_linear_timeouts)] {
        if times > MAX_RETRIES {
            faults.push(fault(key, times));
        }
    }
    if let Tries::Max(times) = retries.data
        && times > MAX_RETRIES
    {
        faults.push(fault("retries.data", times).hint("write \"unlimited\" to never give up"));
    }
}

fn check_receiver(receiver: &ReceiverSettings, faults: &mut Vec<Fault>) {
    let ReceiverSettings { tcp_pingpong_thresh, tcp_comp_sack_nr, tcp_comp_sack_delay, .. } = *receiver;
    let ReceiverSettings { tcp_comp_sack_rtt_percent, gro, gro_flush_timeout, .. } = *receiver;
    if !(1..=255).contains(&tcp_pingpong_thresh) {
        faults.push(Fault::new("receiver.tcp_pingpong_thresh", tcp_pingpong_thresh, "1 to 255"));
    }
    if tcp_comp_sack_nr > 255 {
        faults.push(Fault::new("receiver.tcp_comp_sack_nr", tcp_comp_sack_nr, "0 to 255"));
    }
    if tcp_comp_sack_delay > MAX_COMPRESSION {
        faults.push(Fault::new("receiver.tcp_comp_sack_delay", tcp_comp_sack_delay, "at most 100 ms"));
    }
    if !(1..=100).contains(&tcp_comp_sack_rtt_percent) {
        let percent = tcp_comp_sack_rtt_percent;
        faults.push(Fault::new("receiver.tcp_comp_sack_rtt_percent", percent, "1 to 100 percent"));
    }
    if gro_flush_timeout > MAX_OFFLOAD_WAIT {
        faults.push(Fault::new("receiver.gro_flush_timeout", gro_flush_timeout, "at most 100 ms"));
    }
    if gro_flush_timeout > Span::ZERO && !gro {
        let expected = "gro = true: only then segments wait to be joined";
        faults.push(Fault::new("receiver.gro_flush_timeout", gro_flush_timeout, expected).hint("write gro = true"));
    }
}

fn check_send_buffer(config: &Config, faults: &mut Vec<Fault>) {
    let segment = u64::from(config.segment);
    let found = config.send_buffer;
    let whole = "a full segment would never fit in the buffer";
    match found {
        SendBufferSize::Fixed(size) if size.0 < segment => {
            faults.push(Fault::new("send_buffer", found, format!("at least one segment ({segment} B)")).hint(whole));
        }
        SendBufferSize::Autotuned(SendBufferSizes { initial, max }) if initial.0 < segment || max < initial => {
            let expected = format!("an initial size of at least one segment ({segment} B), and a max of at least it");
            faults.push(Fault::new("send_buffer", found, expected).hint(whole));
        }
        _ => {}
    }
    if let Some(rate) = config.max_pacing_rate.filter(|rate| rate.bits_per_sec() < 8) {
        faults.push(Fault::new("max_pacing_rate", rate, "at least 8 bps, a byte per second"));
    }
    if config.notsent_lowat == Some(Bytes(0)) {
        faults
            .push(Fault::new("notsent_lowat", Bytes(0), "at least one byte").hint("the application would never write"));
    }
}

fn quote_name(text: &str) -> String {
    format!("\"{text}\"")
}
