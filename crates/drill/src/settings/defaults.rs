//! Default kernel parameters, for simulated hosts and for real kernels.

/// Defaults that Linux 6 sets on a host with enough memory (`tcp_init`, `tcp_sk_init` in `net/ipv4`). In a network
/// namespace these depend on its parent or on the memory size.
pub const LINUX: [(&str, &str); 2] =
    [("net.ipv4.tcp_rmem", "4096 131072 6291456"), ("net.ipv4.tcp_wmem", "4096 16384 4194304")];

/// Parameters that `defaults.sh` of the public suites sets, from <https://github.com/torvalds/linux> at commit
/// 261cb8b12376, `tools/testing/selftests/net/packetdrill/defaults.sh`. Omitted: Fast Open, SYN cookies and
/// `tcp_notsent_lowat`, which no supported script uses, and the congestion control ([`SUITE_CONTROL`]).
pub const SUITE: [(&str, &str); 17] = [
    ("net.ipv4.tcp_rmem", "4096 540000 15728640"),
    ("net.ipv4.tcp_wmem", "4096 262144 4194304"),
    ("net.ipv4.tcp_timestamps", "1"),
    ("net.ipv4.tcp_syn_retries", "5"),
    ("net.ipv4.tcp_synack_retries", "5"),
    ("net.ipv4.tcp_frto", "2"),
    ("net.ipv4.tcp_sack", "1"),
    ("net.ipv4.tcp_dsack", "1"),
    ("net.ipv4.tcp_fack", "0"),
    ("net.ipv4.tcp_reordering", "3"),
    ("net.ipv4.tcp_slow_start_after_idle", "0"),
    ("net.ipv4.tcp_early_retrans", "4"),
    ("net.ipv4.tcp_recovery", "1"),
    ("net.ipv4.tcp_tso_win_divisor", "3"),
    ("net.ipv4.tcp_ecn", "0"),
    ("net.ipv4.tcp_pacing_ss_ratio", "200"),
    ("net.ipv4.tcp_pacing_ca_ratio", "120"),
];

/// Congestion control that `defaults.sh` sets, also Linux's default.
pub const SUITE_CONTROL: &str = "cubic";
