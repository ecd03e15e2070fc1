//! Kernel parameters and the settings that they change.

use engine::Span;

use super::{Ecn, HostSettings};
use crate::meant::suggest_name;

/// Parameters without effect on lasthop's TCP, with the reason.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("net.ipv4.tcp_fastopen", "Fast Open is not supported"),
    ("net.ipv4.tcp_fastopen_key", "Fast Open is not supported"),
    ("net.ipv4.tcp_fastopen_blackhole_timeout_sec", "Fast Open is not supported"),
    ("net.ipv4.tcp_ecn_fallback", "a SYN that requests ECN is always repeated without it after a timeout"),
    ("net.ipv4.tcp_no_metrics_save", "no metrics are kept between connections"),
    ("net.ipv4.tcp_no_ssthresh_metrics_save", "no metrics are kept between connections"),
    ("net.ipv4.tcp_fack", "Linux has ignored it since 4.15: RACK took its place"),
    ("net.ipv4.tcp_tso_win_divisor", "segments are never joined for offload"),
    ("net.ipv4.tcp_tso_rtt_log", "segments are never joined for offload"),
    ("net.ipv4.tcp_autocorking", "the device has no queue"),
    ("net.ipv4.tcp_limit_output_bytes", "the device has no queue"),
    ("net.ipv4.tcp_pacing_ss_ratio", "lasthop paces only congestion controls with a pacing rate"),
    ("net.ipv4.tcp_pacing_ca_ratio", "lasthop paces only congestion controls with a pacing rate"),
    ("net.ipv4.tcp_notsent_lowat", "the send buffer is unlimited"),
    ("net.ipv4.tcp_moderate_rcvbuf", "the receive buffer is not tuned automatically"),
    ("net.ipv4.tcp_max_syn_backlog", "the queue of a listener never overflows"),
    ("net.core.somaxconn", "the queue of a listener never overflows"),
    ("net.ipv4.ip_local_port_range", "ports are not compared"),
    ("net.mptcp.enabled", "Multipath TCP is not supported"),
];

/// Parameters of `net.ipv4` with an effect.
const WITH_EFFECT: [&str; 22] = [
    "tcp_congestion_control",
    "tcp_sack",
    "tcp_dsack",
    "tcp_timestamps",
    "tcp_window_scaling",
    "tcp_ecn",
    "tcp_recovery",
    "tcp_early_retrans",
    "tcp_reordering",
    "tcp_frto",
    "tcp_slow_start_after_idle",
    "tcp_syn_retries",
    "tcp_syn_linear_timeouts",
    "tcp_synack_retries",
    "tcp_retries2",
    "tcp_rmem",
    "tcp_wmem",
    "tcp_rto_min_us",
    "tcp_rto_max_ms",
    "tcp_invalid_ratelimit",
    "tcp_syncookies",
    "tcp_min_tso_segs",
];

/// Sets the parameter `name`, written with dots, to `value`. `Err` names an unsupported value.
pub(super) fn set_parameter(settings: &mut HostSettings, name: &str, value: &str) -> Result<(), String> {
    if WITHOUT_EFFECT.iter().any(|(known, _)| *known == name) {
        return Ok(());
    }
    let unsupported = || format!("{name}={value}");
    let number = |value: &str| value.parse::<u64>().map_err(|_| unsupported());
    let flag = || match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(unsupported()),
    };
    let small = || number(value).and_then(|number| u32::try_from(number).map_err(|_| unsupported()));
    let millis = |least: u64, most: u64| match number(value)? {
        number if (least..=most).contains(&number) => Ok(Span::from_millis(number)),
        _ => Err(unsupported()),
    };
    // The first of the three numbers applies under memory pressure, which does not occur.
    let memory = || {
        let numbers: Vec<u64> = value.split_whitespace().map(number).collect::<Result<_, _>>()?;
        match numbers[..] {
            [_, first, most] => Ok((first, most)),
            _ => Err(unsupported()),
        }
    };
    match name.strip_prefix("net.ipv4.").unwrap_or(name) {
        "tcp_congestion_control" => settings.control = value.to_owned(),
        "tcp_sack" => settings.sack = flag()?,
        "tcp_dsack" => settings.duplicate_sack = flag()?,
        // 2 differs from 1 only in the random offset.
        "tcp_timestamps" => settings.timestamps = value != "0" && (value == "2" || flag()?),
        "tcp_window_scaling" => settings.window_scaling = flag()?,
        "tcp_ecn" => {
            settings.ecn = match value {
                "0" => Ecn::Off,
                "1" => Ecn::Request,
                "2" => Ecn::Accept,
                "3" => Ecn::RequestAccurate,
                "4" => Ecn::RequestAcceptAccurate,
                "5" => Ecn::AcceptAccurate,
                _ => return Err(unsupported()),
            }
        }
        "tcp_recovery" => settings.rack = flag()?,
        "tcp_early_retrans" => {
            settings.tail_loss_probe = match value {
                "0" => false,
                "3" | "4" => true,
                _ => return Err(unsupported()),
            }
        }
        "tcp_reordering" => settings.reordering = small()?,
        "tcp_frto" => settings.frto = number(value)? > 0,
        "tcp_slow_start_after_idle" => settings.restart_after_idle = flag()?,
        "tcp_syn_retries" => settings.syn_retries = small()?,
        "tcp_syn_linear_timeouts" => settings.steady_syn_retries = small()?,
        "tcp_synack_retries" => settings.synack_retries = small()?,
        "tcp_retries2" => settings.retries = small()?,
        "tcp_rmem" => settings.receive_buffer = memory()?,
        "tcp_wmem" => settings.send_buffer = memory()?.0,
        "tcp_rto_max_ms" => settings.rto_max = Some(millis(1_000, 120_000)?),
        // The maximum is `INT_MAX`.
        "tcp_invalid_ratelimit" => settings.invalid_ratelimit = Some(millis(0, 0x7fff_ffff)?),
        // Segments leave one by one; the setting decides how many socket buffers they occupy.
        "tcp_min_tso_segs" => settings.min_offload = small()?.max(1),
        // With 0 and 1 a listener keeps the state of a SYN: its queue never overflows.
        "tcp_syncookies" => settings.always_cookies = value == "2" || flag().map(|_| false)?,
        "tcp_rto_min_us" => settings.rto_min = Some(Span::from_nanos(number(value)?.saturating_mul(1_000))),
        _ => {
            let with_effect = WITH_EFFECT.map(|known| format!("net.ipv4.{known}"));
            let known = WITHOUT_EFFECT.iter().map(|(known, _)| *known).chain(with_effect.iter().map(String::as_str));
            return Err(format!("the parameter {name}{}", suggest_name(name, known)));
        }
    }
    Ok(())
}

/// Sets parameter `name` of the kernel module of CUBIC.
pub(super) fn set_cubic(settings: &mut HostSettings, name: &str, value: &str) -> Result<(), String> {
    match (name, value) {
        ("hystart", "0" | "1") => settings.hystart = value == "1",
        ("hystart_detect", "1" | "2" | "3") => settings.hystart_detect = value.parse().unwrap_or(3),
        _ => return Err(format!("{value} for CUBIC's parameter {name}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_with_effect_are_recognized() {
        for name in WITH_EFFECT {
            let refused = set_parameter(&mut HostSettings::default(), &format!("net.ipv4.{name}"), "?").err();
            assert!(refused.is_none_or(|what| !what.starts_with("the parameter")), "{name}");
        }
    }
}
