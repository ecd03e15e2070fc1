//! Members of `struct tcp_info` that the end under test does not know: they follow from its segments, its settings and
//! its times.

use engine::{Span, Time};

use super::life::Life;
use crate::code::PyValue;

/// Bits of `tcpi_options` (`include/uapi/linux/tcp.h`).
pub const OPTION_BITS: [(&str, i64); 8] = [
    ("TCPI_OPT_TIMESTAMPS", 1),
    ("TCPI_OPT_SACK", 2),
    ("TCPI_OPT_WSCALE", 4),
    ("TCPI_OPT_ECN", 8),
    ("TCPI_OPT_ECN_SEEN", 16),
    ("TCPI_OPT_SYN_DATA", 32),
    ("TCPI_OPT_USEC_TS", 64),
    ("TCPI_OPT_TFO_CHILD", 128),
];

/// Full segments of the initial window that `tcpi_rcv_space` begins with (`TCP_INIT_CWND`).
const INITIAL_SEGMENTS: i64 = 10;

/// A member: its name without `tcpi_`, and the function that reads it at a time.
type HostMember = (&'static str, fn(&Life, Time) -> i64);

/// Members with a value of the whole connection, in the order of the structure.
const MEMBERS: [HostMember; 43] = [
    ("probes", |life, _| life.tally.probes as i64),
    ("options", |life, _| collect_option_bits(life)),
    ("snd_wscale", |life, _| life.tally.scales().map_or(0, |(theirs, _)| theirs.into())),
    ("rcv_wscale", |life, _| life.tally.scales().map_or(0, |(_, ours)| ours.into())),
    ("delivery_rate_app_limited", |life, _| life.tally.delivery.rate.map_or(0, |rate| rate.is_limited.into())),
    // Fast Open is not supported.
    ("fastopen_client_fail", |_, _| 0),
    ("ato", |life, _| life.tally.ack_delay.map_or(0, whole_micros)),
    ("rcv_mss", |life, _| life.tally.receive_segment.into()),
    // Linux has not counted it since 4.15, and never remembers the time of an acknowledgment sent.
    ("fackets", |_, _| 0),
    ("last_ack_sent", |_, _| 0),
    ("last_data_sent", |life, now| whole_millis(now.since(life.tally.last_data_sent))),
    ("last_data_recv", |life, now| whole_millis(now.since(life.tally.last_data_received))),
    ("last_ack_recv", |life, now| whole_millis(now.since(life.tally.last_ack_received))),
    ("pmtu", |life, _| life.tally.mtu().into()),
    ("advmss", |life, _| life.tally.advertised_mss().into()),
    // The receive buffer is not tuned: no round trip is measured for it, and its space stays the initial one.
    ("rcv_rtt", |_, _| 0),
    ("rcv_space", |life, _| {
        let space = INITIAL_SEGMENTS * i64::from(life.tally.advertised_mss());
        space.min(life.number("tcpi_rcv_ssthresh") as i64)
    }),
    ("pacing_rate", compute_pacing_rate),
    ("segs_out", |life, _| life.tally.segs_out as i64),
    ("segs_in", |life, _| life.tally.segs_in as i64),
    ("data_segs_in", |life, _| life.tally.data_segs_in as i64),
    ("delivery_rate", |life, _| compute_delivery_rate(life)),
    ("busy_time", |life, now| whole_micros(life.times.busy(now))),
    ("rwnd_limited", |life, now| whole_micros(life.times.window_limited(now))),
    ("sndbuf_limited", |life, now| whole_micros(life.times.buffer_limited(now))),
    ("delivered", |life, _| life.tally.delivery.delivered as i64),
    ("delivered_ce", |life, _| life.tally.delivery.delivered_marked as i64),
    ("bytes_sent", |life, _| life.tally.bytes_sent as i64),
    ("bytes_retrans", |life, _| life.tally.bytes_retransmitted as i64),
    ("dsack_dups", |life, _| life.tally.dsack_duplicates as i64),
    ("rcv_ooopack", |life, _| life.tally.ooo_segments as i64),
    ("rcv_wnd", |life, _| life.tally.receive_window.into()),
    // Linux draws another flow label after each timeout (`sk_rethink_txhash`).
    ("rehash", |life, _| life.tally.timeouts as i64),
    ("total_rto", |life, _| life.tally.timeouts as i64),
    ("total_rto_recoveries", |life, _| life.tally.timeout_recoveries as i64),
    ("total_rto_time", |life, now| whole_millis(life.tally.timeout_time(now))),
    // AccECN is not supported, and no option of it is ever seen.
    ("received_ce", |_, _| 0),
    ("delivered_e1_bytes", |_, _| 0),
    ("delivered_e0_bytes", |_, _| 0),
    ("delivered_ce_bytes", |_, _| 0),
    ("received_e1_bytes", |_, _| 0),
    ("received_e0_bytes", |_, _| 0),
    ("received_ce_bytes", |_, _| 0),
];

/// Returns the names of the members of `struct tcp_info` that the host computes, without `tcpi_`.
pub fn list_host_members() -> impl Iterator<Item = &'static str> {
    MEMBERS.iter().map(|(name, _)| *name).chain(["max_pacing_rate"])
}

impl Life {
    /// Returns a member of `struct tcp_info` at `now`, by its Linux name; `None` for an unknown name.
    pub fn info(&self, name: &str, now: Time) -> Option<PyValue> {
        // `~0`, which no integer of an assertion can hold: no limit.
        if name == "tcpi_max_pacing_rate" {
            return Some(PyValue::Float(u64::MAX as f64));
        }
        let member = MEMBERS.iter().find(|(known, _)| name.strip_prefix("tcpi_") == Some(*known));
        member.map(|(_, read)| PyValue::Int(read(self, now))).or_else(|| self.end.info(name))
    }
}

fn collect_option_bits(life: &Life) -> i64 {
    let tally = &life.tally;
    let set = [tally.has_timestamps(), tally.has_sack(), tally.scales().is_some(), tally.has_ecn(), tally.ecn_seen];
    OPTION_BITS.iter().zip(set).map(|((_, bit), is_set)| if is_set { *bit } else { 0 }).sum()
}

/// Returns the rate at which `fq` would pace, in bytes per second (`tcp_update_pacing_rate`).
fn compute_pacing_rate(life: &Life, _: Time) -> i64 {
    let number = |name| u128::from(life.number(name));
    let (cwnd, rtt) = (number("tcpi_snd_cwnd"), number("tcpi_rtt").max(1));
    let percent = if cwnd < number("tcpi_snd_ssthresh") / 2 { 200 } else { 120 };
    let segments = cwnd.max(number("tcpi_unacked"));
    (number("tcpi_snd_mss") * segments * percent * 10_000 / rtt) as i64
}

/// Returns the delivery rate in bytes per second (`tcp_compute_delivery_rate`).
fn compute_delivery_rate(life: &Life) -> i64 {
    life.tally.delivery.rate.map_or(0, |rate| {
        let micros = u128::from(rate.interval.as_nanos() / 1_000).max(1);
        (u128::from(rate.segments) * u128::from(life.number("tcpi_snd_mss")) * 1_000_000 / micros) as i64
    })
}

fn whole_micros(span: Span) -> i64 {
    (span.as_nanos() / 1_000) as i64
}

fn whole_millis(span: Span) -> i64 {
    (span.as_nanos() / 1_000_000) as i64
}
