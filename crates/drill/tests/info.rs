//! What the host adds to lasthop's TCP, by hand: members of `struct tcp_info`, control messages, the send buffer, and
//! connections one after another.

use drill::endpoint::open_endpoint;
use engine::Span;

/// A passive open with SACK, timestamps and window scaling at 0.1 s.
const OPEN: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 32792 <mss 1012,sackOK,TS val 100 ecr 0,nop,wscale 5>
+0 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 100 ecr 100,nop,wscale 7>
+.1 < . 1:1(0) ack 1 win 1000 <nop,nop,TS val 200 ecr 100>
+0 accept(3, ..., ...) = 4
";

/// A passive open with SACK only, and segments of 1000 bytes.
const PLAIN: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop>
+0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK>
+.1 < . 1:1(0) ack 1 win 32792
+0 accept(3, ..., ...) = 4
";

#[track_caller]
fn passes(text: &str) {
    let script = drill::parse_script(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let report = drill::run_script(&script, Some(Span::ZERO), &open_endpoint);
    if let Some(message) = report.message("a.pkt", text) {
        panic!("{message}");
    }
}

#[test]
fn handshake_gives_options_sizes_and_counts() {
    passes(&format!(
        "{OPEN}+0 %{{ assert tcpi_options == TCPI_OPT_TIMESTAMPS + TCPI_OPT_SACK + TCPI_OPT_WSCALE, tcpi_options
assert tcpi_snd_wscale == 5 and tcpi_rcv_wscale == 7
assert tcpi_advmss == 1448 and tcpi_pmtu == 1500 and tcpi_snd_mss == 1000
assert tcpi_rcv_mss == 536
assert tcpi_segs_in == 2 and tcpi_segs_out == 0 and tcpi_data_segs_in == 0 and tcpi_data_segs_out == 0
assert tcpi_delivered == 1 and tcpi_delivered_ce == 0 and tcpi_bytes_sent == 0 and tcpi_bytes_retrans == 0
assert tcpi_ato == 0 and tcpi_probes == 0 and tcpi_fackets == 0 and tcpi_rcv_ooopack == 0
assert tcpi_busy_time == 0 and tcpi_rwnd_limited == 0 and tcpi_sndbuf_limited == 0
assert tcpi_max_pacing_rate > 1000000 }}%
+.5 %{{ assert tcpi_last_data_sent == 500 and tcpi_last_data_recv == 500 and tcpi_last_ack_recv == 500 }}%"
    ));
}

/// An active end counts its own SYN and the SYN-ACK. 100 ms pass until the data is acknowledged.
#[test]
fn active_end_counts_its_syn_and_is_busy_until_the_acknowledgment() {
    passes(
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0...0.1 connect(3, ..., ...) = 0
+0 > S 0:0(0) <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 7>
+.1 < S. 0:0(0) ack 1 win 10000 <mss 1000,nop,nop,sackOK>
+0 > . 1:1(0) ack 1
+0 %{ assert tcpi_segs_out == 2 and tcpi_segs_in == 1 and tcpi_delivered == 1; assert tcpi_options == 2 }%
+0 write(3, ..., 1500) = 1500
+0 > P. 1:1501(1500) ack 1
+.05 %{ assert tcpi_busy_time == 50000 and tcpi_last_data_sent == 50, tcpi_busy_time }%
+.05 < . 1:1(0) ack 1501 win 10000
+1 %{ assert tcpi_busy_time == 100000 and tcpi_rwnd_limited == 0, tcpi_busy_time
assert tcpi_delivered == 3 and tcpi_data_segs_out == 2 and tcpi_bytes_sent == 1500
assert tcpi_segs_out == 4 and tcpi_segs_in == 2 and tcpi_last_ack_recv == 1000
assert tcpi_delivery_rate == 2 * 1000 * 10 and tcpi_delivery_rate_app_limited == 1, tcpi_delivery_rate }%",
    );
}

/// The window is closed for 200 ms, and too small for a segment for 100 ms.
#[test]
fn time_that_waits_for_the_receive_window_is_counted() {
    passes(
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0...0.01 connect(3, ..., ...) = 0
+0 > S 0:0(0) <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 7>
+.01 < S. 0:0(0) ack 1 win 0 <mss 1000,nop,nop,sackOK>
+0 > . 1:1(0) ack 1
+.01 write(3, ..., 1000) = 1000
+.1 %{ assert tcpi_rwnd_limited == 100000 and tcpi_busy_time == 100000, tcpi_rwnd_limited }%
+.1 < . 1:1(0) ack 1 win 2000
+0 > P. 1:1001(1000) ack 1
+.03 < . 1:1(0) ack 1001 win 10
+0 write(3, ..., 1000) = 1000
+.1 < . 1:1(0) ack 1001 win 2000
+0 > P. 1001:2001(1000) ack 1
+.02 %{ assert tcpi_rwnd_limited == 300000 and tcpi_busy_time == 350000, tcpi_busy_time }%",
    );
}

#[test]
fn received_data_sets_rcv_mss_and_counts_out_of_order_segments() {
    passes(&format!(
        "--mss=1000\n{PLAIN}+0 < . 1001:4001(3000) ack 1 win 32792
+0 > . 1:1(0) ack 1 <nop,nop,sack 1001:4001>
+0 %{{ assert tcpi_rcv_mss == 1000 and tcpi_rcv_ooopack == 1 and tcpi_data_segs_in == 3, tcpi_data_segs_in
assert tcpi_ato == 40000 and tcpi_bytes_received == 0 and tcpi_segs_in == 5 }}%
+.03 < . 1:1001(1000) ack 1 win 32792
+0 > . 1:1(0) ack 4001
+.01 %{{ assert tcpi_bytes_received == 4000 and tcpi_rcv_ooopack == 1 and tcpi_last_data_recv == 10
assert tcpi_ato == 50000, tcpi_ato }}%"
    ));
}

/// The round trip is 100 ms, so that a probe leaves after the retransmission timeout of 300 ms, and two timeouts follow
/// it. The other end reports a duplicate.
#[test]
fn retransmissions_duplicates_and_timeouts_are_counted() {
    passes(&format!(
        "{PLAIN}+0 write(4, ..., 700) = 700
+0 > P. 1:701(700) ack 1
+.3 > P. 1:701(700) ack 1
+.3 > P. 1:701(700) ack 1
+.6 > P. 1:701(700) ack 1
+.1 %{{ assert tcpi_bytes_sent == 2800 and tcpi_bytes_retrans == 2100 and tcpi_total_retrans == 3
assert tcpi_total_rto == 2 and tcpi_total_rto_recoveries == 1 and tcpi_rehash == 2, tcpi_total_rto
assert tcpi_total_rto_time == 700, tcpi_total_rto_time }}%
+.1 < . 1:1(0) ack 701 win 32792 <sack 1:701,nop,nop>
+1 %{{ assert tcpi_dsack_dups == 1 and tcpi_total_rto_time == 800 and tcpi_delivered == 2, tcpi_dsack_dups }}%"
    ));
}

#[test]
fn unknown_member_is_not_supported_and_has_a_suggestion() {
    let text = format!("{PLAIN}+0 %{{ assert tcpi_advms == 1460 }}%");
    let report = drill::run_script(&drill::parse_script(&text).unwrap(), None, &open_endpoint);
    let message = report.message("a.pkt", &text).unwrap();
    assert!(message.contains("not supported: the name `tcpi_advms` in an assertion (did you mean \"tcpi_advmss\"?)"));
}

/// As Linux's `tcp_inq_server.pkt`, without its window updates.
#[test]
fn readable_bytes_come_in_a_control_message() {
    let read = |bytes: u32, left: u32| {
        format!(
            "+0 recvmsg(4, {{msg_name(...)=..., msg_iov(1)=[{{..., {bytes}}}], msg_flags=0,
msg_control=[{{cmsg_level=SOL_TCP, cmsg_type=TCP_CM_INQ, cmsg_data={left}}}]}}, 0) = {bytes}\n"
        )
    };
    let data = "+0 < P. 1:501(500) ack 1 win 32792\n+0 > . 1:1(0) ack 501\n";
    let option = "+0 setsockopt(4, SOL_TCP, TCP_INQ, [1], 4) = 0\n+0 getsockopt(4, SOL_TCP, TCP_INQ, [1], [4]) = 0\n";
    // Linux delays the acknowledgment of a FIN after data.
    let end = "+0 < F. 501:501(0) ack 1 win 32792\n+.04 > . 1:1(0) ack 502\n";
    passes(&format!("{PLAIN}{option}{data}{}{}", read(200, 300), read(300, 0)));
    // After a FIN there is one byte more to read: the end.
    passes(&format!("{PLAIN}{option}{data}{end}{}{}+0 read(4, ..., 9) = 0", read(200, 300), read(300, 1)));
    passes(&format!("{PLAIN}+0 setsockopt(4, SOL_TCP, TCP_INQ, [2], 4) = -1 EINVAL"));
    let message = |text: &str| {
        let script = drill::parse_script(text).unwrap();
        drill::run_script(&script, None, &open_endpoint).message("a.pkt", text).unwrap()
    };
    let wrong = message(&format!("{PLAIN}{option}{data}{}", read(200, 200)));
    assert!(wrong.contains("expected TCP_CM_INQ 200\n  found    TCP_CM_INQ 300"), "{wrong}");
    let unset = message(&format!("{PLAIN}{data}{}", read(200, 300)));
    assert!(unset.contains("found    TCP_CM_INQ no control message"), "{unset}");
    let other = message(&format!("{PLAIN}{data}{}", read(200, 300)).replace("TCP_CM_INQ", "SCM_RIGHTS"));
    assert!(other.contains("not supported: the control message"), "{other}");
}

/// The FIN of the first connection is repeated while the second one opens, which has other numbers.
#[test]
fn packets_of_an_earlier_connection_are_passed_over() {
    passes(&format!(
        "{PLAIN}+0 close(4) = 0
+0 > F. 1:1(0) ack 1
+0 close(3) = 0
+.1 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 700:700(0) win 32792 <mss 1000,sackOK,nop,nop>
+0 > S. 500:500(0) ack 701 <mss 1460,nop,nop,sackOK>
+.9 < . 1:1(0) ack 1 win 32792
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 500) = 500
+0 > P. 1:501(500) ack 1
+.1 < . 1:1(0) ack 501 win 32792"
    ));
}

/// `net.ipv4.tcp_rto_max_ms` bounds every timeout, and so does `TCP_RTO_MAX_MS`.
#[test]
fn longest_timeout_is_a_setting_of_the_host_and_of_the_socket() {
    let rest = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
OPTION+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 1000 <mss 1460,sackOK,nop,nop>
+0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK>
+1 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK>
+2 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK>
+2 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK>";
    passes(&format!("`sysctl -q net.ipv4.tcp_rto_max_ms=2000`\n{}", rest.replace("OPTION", "")));
    let option = "+0 setsockopt(3, SOL_TCP, TCP_RTO_MAX_MS, [2000], 4) = 0
+0 getsockopt(3, SOL_TCP, TCP_RTO_MAX_MS, [2000], [4]) = 0\n";
    passes(&rest.replace("OPTION", option));
    passes(
        &rest.replace("OPTION", &format!("+0 setsockopt(3, SOL_TCP, TCP_RTO_MAX_MS, [999], 4) = -1 EINVAL\n{option}")),
    );
}

/// Two segments outside of the window are answered both, or the second only half a second later [RFC5961 s7].
#[test]
fn rate_of_answers_to_invalid_segments_is_a_setting() {
    let stray = "+0 < . 1:1(0) ack 9 win 32792\n";
    let answered = format!("{PLAIN}{stray}+0 > . 1:1(0) ack 1\n+.1 < . 1:1(0) ack 9 win 32792\n+0 > . 1:1(0) ack 1\n");
    passes(&format!("`sysctl -q net.ipv4.tcp_invalid_ratelimit=0`\n{answered}"));
    let text = format!("`sysctl -q net.ipv4.tcp_invalid_ratelimit=500`\n{answered}");
    let report = drill::run_script(&drill::parse_script(&text).unwrap(), None, &open_endpoint);
    assert!(report.message("a.pkt", &text).unwrap().contains("a packet is missing"));
}

/// 30,000 bytes of memory. A socket buffer has 16 segments, half of the window; five times two segments of it leave (a
/// packet for offload has two at this rate) and are replaced: 26,000 bytes in six socket buffers occupy 31,376 bytes.
/// At the first acknowledgment 16,000 bytes leave in eight packets, which occupy 23,168 bytes. After the second one
/// 6,000 bytes in three packets occupy 8,688 bytes, and more than half of it is free.
#[test]
fn write_waits_for_room_in_the_send_buffer() {
    let write = |call: &str| {
        format!(
            "{PLAIN}+0 setsockopt(4, SOL_SOCKET, SO_SNDBUF, [15000], 4) = 0
+0 getsockopt(4, SOL_SOCKET, SO_SNDBUF, [30000], [4]) = 0
{call}
+.1 < . 1:1(0) ack 10001 win 32792
+.1 < . 1:1(0) ack 20001 win 32792"
        )
    };
    passes(&write("+0 write(4, ..., 26000) = 26000"));
    passes(&write("+0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n+0 write(4, ..., 60000) = 26000"));
    let passed = ["0.1", "0.2", "0.3"].map(|by| {
        let text = write(&format!("+0...{by} write(4, ..., 26001) = 26001"));
        let script = drill::parse_script(&text).unwrap();
        drill::run_script(&script, None, &open_endpoint).outcome == drill::ScriptOutcome::Passed
    });
    assert_eq!(passed, [false, true, false]);
}

/// The last byte of a write is stamped when it leaves, at 0.2 s, and when it is acknowledged.
#[test]
fn stamps_of_sent_data_come_from_the_error_queue() {
    let read = |kind: &str, nanos: u32| {
        format!(
            "+0 recvmsg(4, {{msg_name(...)=..., msg_iov(1)=[{{..., 0}}], msg_flags=MSG_ERRQUEUE|MSG_TRUNC,
msg_control=[{{cmsg_level=SOL_SOCKET, cmsg_type=SCM_TIMESTAMPING, cmsg_data={{scm_sec=0,scm_nsec={nanos}}}}},
{{cmsg_level=CMSG_LEVEL_IP, cmsg_type=CMSG_TYPE_RECVERR, cmsg_data={{ee_errno=ENOMSG,
ee_origin=SO_EE_ORIGIN_TIMESTAMPING, ee_type=0, ee_code=0, ee_info={kind}, ee_data=10999}}}}]}}, MSG_ERRQUEUE) = 0\n"
        )
    };
    let flags = ["TX_SCHED", "TX_SOFTWARE", "TX_ACK", "SOFTWARE", "OPT_ID"];
    let flags = flags.map(|flag| format!("SOF_TIMESTAMPING_{flag}")).join("|");
    passes(&format!(
        "{PLAIN}+0 setsockopt(4, SOL_SOCKET, SO_TIMESTAMPING, [{flags}], 4) = 0
+0 write(4, ..., 11000) = 11000
+0 > P. 1:10001(10000) ack 1
+.1 < . 1:1(0) ack 10001 win 32792
+0 > P. 10001:11001(1000) ack 1
{}{}+.05 < . 1:1(0) ack 11001 win 32792\n{}",
        read("SCM_TSTAMP_SCHED", 200_000_000),
        read("SCM_TSTAMP_SND", 200_000_000),
        read("SCM_TSTAMP_ACK", 250_000_000)
    ));
}

#[test]
fn file_of_zeros_is_sent_to_its_end() {
    passes(&format!(
        "`/bin/rm -f /tmp/a\n/bin/dd bs=100 count=3 if=/dev/zero of=/tmp/a status=none`
{PLAIN}+0 open(\"/tmp/b\", O_RDONLY) = -1 ENOENT
+0 open(\"/tmp/a\", O_RDONLY) = 5
+0 sendfile(4, 5, [250], 100) = 50
+0 > P. 1:51(50) ack 1
+0 sendfile(4, 5, NULL, 200) = 200
+.1 < . 1:1(0) ack 51 win 32792
+0 > P. 51:251(200) ack 1
+.1 < . 1:1(0) ack 251 win 32792
+0 sendfile(4, 5, NULL, 200) = 100
+0 > P. 251:351(100) ack 1
+0 close(5) = 0
+0 sendfile(4, 5, NULL, 200) = -1 EBADF"
    ));
}

#[test]
fn digest_without_a_key_is_discarded() {
    passes(
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop>
+0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK>
+.1 < . 1:1(0) ack 1 win 514 <md5 000102030405060708090a0b0c0d0e0f,nop,nop>
+0 %{ assert tcpi_state == 3 }%
+.1 < . 1:1(0) ack 1 win 514
+0 %{ assert tcpi_state == 1 }%",
    );
}
