//! Scripts against a minimal end without congestion control. The tests state which scripts pass or fail, and the error
//! messages.

use crate::common;

use common::{open, report};
use drill::code::PyValue;
use drill::end::{ConnectionEnd, ConnectionFailure, ConnectionStage};
use drill::report::ScriptOutcome;
use drill::settings::HostSettings;
use drill::syntax::ScriptPlace;
use engine::{Span, Time};
use wire::{Ecn, Segment};

/// A passive open: connection 4 of listening socket 3.
const OPEN: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 1000 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 7>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
";

fn opened(rest: &str) -> String {
    format!("{OPEN}{rest}")
}

/// Returns the error message for the script `OPEN` + `rest`, without the list of preceding packets.
#[track_caller]
fn message(rest: &str) -> String {
    let text = opened(rest);
    let message = report(&text).message("a.pkt", &text).expect("the script does not pass");
    let packet =
        |line: &str| line.strip_prefix("    ").is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let lines: Vec<&str> = message.lines().filter(|line| !packet(line)).collect();
    lines.join("\n")
}

#[track_caller]
fn passes(text: &str) {
    let report = report(text);
    assert_eq!(report.outcome, ScriptOutcome::Passed, "{}", report.message("a.pkt", text).unwrap_or_default());
}

#[test]
fn scripts_that_match_pass() {
    for rest in [
        // A line longer than the MSS matches several segments. PSH is compared only at the last byte written.
        "+0 write(4, ..., 2500) = 2500\n+0 > P. 1:2501(2500) ack 1\n+.1 < . 1:1(0) ack 2501 win 257",
        "+0 write(4, ..., 2500) = 2500\n+0 > P. 1:2001(2000) ack 1\n+0 > P. 2001:2501(500) ack 1",
        "+0 write(4, ..., 2000) = 2000\n+0 > . 1:1001(1000) ack 1\n+0 > P. 1001:2001(1000) ack 1",
        // Reading until the end of the data.
        "+0 < P. 1:501(500) ack 1 win 257\n+0 > . 1:1(0) ack 501\n+0 read(4, ..., 300) = 300
         +0 recv(4, ..., 300, 0) = 200\n+0 < F. 501:501(0) ack 1 win 257\n+0 > . 1:1(0) ack 502\n+0 read(4, ..., 9) = 0",
        // Vectors.
        "+0 writev(4, [{..., 100}, {..., 20}], 2) = 120\n+0 > P. 1:121(120) ack 1",
        // Ranges of times, and any time: the retransmission timer expires at 1 s.
        "+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1\n+.9~+1.1 > P. 1:11(10) ack 1\n* > P. 1:11(10) ack 1",
        "+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1\n1~1.2 > P. 1:11(10) ack 1",
        // A read that blocks.
        "+0...0.2 read(4, ..., 9) = 9\n+.2 < P. 1:10(9) ack 1 win 257\n+0 > . 1:1(0) ack 10",
        "+0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n+0 read(4, ..., 9) = -1 EAGAIN (Try again)",
        "+0 shutdown(4, SHUT_WR) = 0\n+0 > F. 1:1(0) ack 1\n+0 write(4, ..., 1) = -1 EPIPE (Broken pipe)",
        "+0 < R. 1:1(0) ack 1 win 257\n+0 read(4, ..., 9) = -1 ECONNRESET (Reset)\n+0 read(4, ..., 9) = 0",
        "+0 < R. 1:1(0) ack 1 win 257\n+0 getsockopt(4, SOL_SOCKET, SO_ERROR, [ECONNRESET], [4]) = 0",
        "+0 setsockopt(4, SOL_SOCKET, SO_LINGER, {onoff=1, linger=0}, 8) = 0\n+0 close(4) = 0\n+0 > R. 1:1(0) ack 1",
        "+0 poll([{fd=4, events=POLLIN|POLLOUT, revents=POLLOUT}], 1, 0) = 1",
        "+0 poll([{fd=4, events=POLLIN}], 1, 0) = 0\n+0 poll([{fd=4, events=POLLOUT, revents=...}], 1, 0) = 1",
        "+0 < P. 1:10(9) ack 1 win 257\n+0 ioctl(4, SIOCINQ, [9]) = 0",
        // Packets that no line expects are not an error.
        "+0 write(4, ..., 10) = 10\n+.1 < . 1:1(0) ack 11 win 257",
        "+0 write(4, ..., 10) = 10\n+0 %{ assert tcpi_unacked == 1, tcpi_unacked; n = 1\nn += 1 }%\n+0 %{ assert n == 2 }%",
    ] {
        passes(&opened(rest));
    }
}

#[test]
fn active_open_passes() {
    passes(
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
        +.01...0.011 connect(3, ..., ...) = 0
        +0 > S 0:0(0) <...>
        +0 < S. 0:0(0) ack 1 win 3000 <mss 1000>
        +0 > . 1:1(0) ack 1
        +0 close(3) = 0
        +0 > F. 1:1(0) ack 1",
    );
    passes(
        "0 socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 7
        +0 connect(7, ..., ...) = -1 EINPROGRESS (Operation now in progress)
        +0 > S 7:7(0) <mss 1460,nop,nop,sackOK,nop,wscale 7>
        +0 < R. 0:0(0) ack 8 win 0
        +0 getsockopt(7, SOL_SOCKET, SO_ERROR, [ECONNREFUSED], [4]) = 0",
    );
}

#[test]
fn segments_without_a_connection_are_reset() {
    // covers [RFC9293 s3.10.7.1]
    passes(
        "0 < S 5:5(0) win 100\n+0 > R. 0:0(0) ack 1\n+0 < . 7:7(0) ack 9 win 10\n+0 > R 9:9(0)\n+0 < R 1:1(0) win 0",
    );
}

#[test]
fn mismatch_shows_expected_and_found_packet() {
    assert_eq!(
        message("+0 write(4, ..., 500) = 500\n+0 > F. 1:1001(1000) ack 2 win 1\n"),
        "a.pkt:9:4: another packet was expected
  9 | +0 > F. 1:1001(1000) ack 2 win 1
  expected 0.100000 > F. 1:1001(1000) ack 2 win 1
  found    0.100000 > P. 1:501(500)   ack 1 win 65535
                      ^^ ^^^^^^^^^^^^ ^^^^^ ^^^^^^^^^
  before"
    );
}

#[test]
fn mismatch_marks_only_differing_options() {
    let text = "0 socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 3
+0 connect(3, ..., ...) = -1 EINPROGRESS
+0 > S 0:0(0) <mss 1460,nop,nop,TS val 5 ecr 0,nop,wscale 8>";
    assert_eq!(
        report(text).message("a.pkt", text).unwrap(),
        "a.pkt:3:4: another packet was expected
  3 | +0 > S 0:0(0) <mss 1460,nop,nop,TS val 5 ecr 0,nop,wscale 8>
  expected 0.000000 > S 0:0(0) <mss 1460, TS val 5 ecr 0, wscale 8>
  found    0.000000 > S 0:0(0) <mss 1460,                 wscale 7, sackOK>
                                          ^^^^^^^^^^^^^^^ ^^^^^^^^^ ^^^^^^^
  hint: the window scale follows from tcp_rmem: 7 with Linux's defaults, 8 after `defaults.sh`"
    );
}

#[test]
fn omitted_acknowledgment_number_means_zero() {
    assert_eq!(
        message("+0 write(4, ..., 500) = 500\n+0 > P. 1:501(500)\n"),
        "a.pkt:9:4: another packet was expected
  9 | +0 > P. 1:501(500)
  expected 0.100000 > P. 1:501(500)
  found    0.100000 > P. 1:501(500) ack 1
                                    ^^^^^
  before"
    );
}

#[test]
fn failure_shows_preceding_packets() {
    let text =
        opened("+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1\n+.2 < . 1:1(0) ack 1 win 9\n+0 > . 1:1(0) ack 1");
    let message = report(&text).message("a.pkt", &text).unwrap();
    assert!(
        message.ends_with(
            "
  before
    0.000000 < S 0:0(0) win 1000 <mss 1000,sackOK,nop,nop,nop,wscale 7>
    0.000000 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,wscale 7>
    0.100000 < . 1:1(0) ack 1 win 257
    0.100000 > P. 1:11(10) ack 1 win 65535
    0.300000 < . 1:1(0) ack 1 win 9"
        ),
        "{message}"
    );
}

#[test]
fn failures_report_place_expected_and_found() {
    for (rest, expected) in [
        (
            "+.5 > . 1:1(0) ack 1",
            "a.pkt:8:5: a packet is missing\n  8 | +.5 > . 1:1(0) ack 1\n  expected 0.600000 > . 1:1(0) ack 1
  found    no further packet\n  before",
        ),
        (
            "+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1\n+.5 > P. 1:11(10) ack 1",
            "a.pkt:10:5: a packet is missing\n  10 | +.5 > P. 1:11(10) ack 1\n  expected 0.600000 > P. 1:11(10) ack 1
  found    no packet; the next one is 1.100000 > P. 1:11(10) ack 1 win 65535\n  before",
        ),
        (
            "+0 write(4, ..., 10) = 10\n+.01 > P. 1:11(10) ack 1",
            "a.pkt:9:6: the packet came 10 ms too early\n  9 | +.01 > P. 1:11(10) ack 1\n  expected at 0.110000 s
  found    at 0.100000 s > P. 1:11(10) ack 1 win 65535\n  before\n  hint: the tolerance is 4 ms",
        ),
        (
            "+0 read(4, ..., 9) = 9",
            "a.pkt:8:4: a call blocks\n  8 | +0 read(4, ..., 9) = 9\n  expected read(4, ..., 9) = 9
  found    the call blocks\n  before
  hint: state the return time, as in `+0...0.1 read(...)`, or make the socket non-blocking",
        ),
        (
            "+0...0.2 read(4, ..., 9) = 9",
            "a.pkt:8:10: a call does not return in time\n  8 | +0...0.2 read(4, ..., 9) = 9
  expected read(4, ..., 9) = 9 by 0.300000 s\n  found    it still blocks\n  before",
        ),
        (
            "+0...0.2 read(4, ..., 9) = 9\n+.1 < P. 1:10(9) ack 1 win 257",
            "a.pkt:8:10: read returned 100 ms too early\n  8 | +0...0.2 read(4, ..., 9) = 9\n  expected at 0.300000 s
  found    at 0.200000 s\n  before\n  hint: the tolerance is 4 ms",
        ),
        (
            "+0 close(5) = 0",
            "a.pkt:8:4: close returns another value\n  8 | +0 close(5) = 0\n  expected 0\n  found    -1 EBADF\n  before",
        ),
        (
            "+0 getsockopt(4, SOL_SOCKET, SO_SNDBUF, [5], [4]) = 0",
            "a.pkt:8:4: a call gives another value\n  8 | +0 getsockopt(4, SOL_SOCKET, SO_SNDBUF, [5], [4]) = 0
  expected SO_SNDBUF 5\n  found    SO_SNDBUF 16384\n  before",
        ),
        (
            "+0 poll([{fd=4, events=POLLOUT}], 1, 0) = 1",
            "a.pkt:8:4: a call gives another value\n  8 | +0 poll([{fd=4, events=POLLOUT}], 1, 0) = 1
  expected revents of 4 0\n  found    revents of 4 POLLOUT\n  before",
        ),
        (
            "+0 %{ n = 2\nassert n == 1 and tcpi_unacked == 0, 'n %d' % n }%",
            "a.pkt:9:1: an assertion does not hold\n  9 | assert n == 1 and tcpi_unacked == 0, 'n %d' % n }%
  expected assert n == 1 and tcpi_unacked == 0, 'n %d' % n\n  found    n is 2, tcpi_unacked is 0\n  before\n  hint: n 2",
        ),
        (
            "+0 < icmp unreachable frag_needed mtu 900 [1:1001(1000)]",
            "a.pkt:8:4: not supported: the packet `icmp unreachable frag_needed mtu 900 [1:1001(1000)]`
  8 | +0 < icmp unreachable frag_needed mtu 900 [1:1001(1000)]",
        ),
        (
            "+0 `sysctl -q net.ipv4.tcp_workaround_signed_windows=1`",
            "a.pkt:8:5: not supported: the parameter net.ipv4.tcp_workaround_signed_windows\n  8 | +0 `sysctl -q net.ipv4.tcp_workaround_signed_windows=1`",
        ),
        (
            "+0 splice(4, NULL, 6, NULL, 9, 0) = 9",
            "a.pkt:8:4: not supported: the system call splice\n  8 | +0 splice(4, NULL, 6, NULL, 9, 0) = 9",
        ),
        (
            "+0 < . 1:1(0) ack 1 win 9 <FO 1234>",
            "a.pkt:8:4: not supported: the TCP option `FO 1234`\n  8 | +0 < . 1:1(0) ack 1 win 9 <FO 1234>",
        ),
        (
            "+0 > . 1:1(0) ack 1 <dss dack8=1001 nocs>",
            "a.pkt:8:4: not supported: the TCP option `dss dack8 = 1001 nocs`\n  8 | +0 > . 1:1(0) ack 1 <dss dack8=1001 nocs>",
        ),
        (
            "+0 < . 1:1(0) ack 1 win 9 <mpcapable v1 flags[flag_h] key[ckey=2, skey],nop>",
            "a.pkt:8:4: not supported: the TCP option `mpcapable v1 flags [ flag_h ] key [ ckey = 2 , skey ]`
  8 | +0 < . 1:1(0) ack 1 win 9 <mpcapable v1 flags[flag_h] key[ckey=2, skey],nop>",
        ),
    ] {
        assert_eq!(message(rest), expected, "{rest}");
    }
}

#[test]
fn notes_and_printed_values_have_their_line_numbers() {
    let report = report(&opened(
        "+0 %{ n = 1\nprint(n)\nprint(n, 2) }%\n+0 `sysctl -q net.ipv4.tcp_sack=1\ntc qdisc add dev tun0 root fq`",
    ));
    let lines = |all: &[(ScriptPlace, String)]| all.iter().map(|(place, _)| place.line).collect::<Vec<_>>();
    assert_eq!(lines(&report.printed), [9, 10]);
    assert_eq!(lines(&report.notes), [12]);
}

#[test]
fn psh_is_compared_only_at_the_last_byte_written() {
    // Elsewhere PSH depends on how Linux joined segments for offload.
    passes(&opened("+0 write(4, ..., 3000) = 3000\n+0 > P. 1:1001(1000) ack 1\n+0 > . 1001:2001(1000) ack 1"));
    let message = message("+0 write(4, ..., 3000) = 3000\n+0 > . 1:3001(3000) ack 1");
    assert!(message.contains("found    0.100000 > P. 1:3001(3000)"), "{message}");
}

#[test]
fn line_up_to_one_mss_matches_one_segment() {
    let message = message("+0 write(4, ..., 400) = 400\n+0 write(4, ..., 400) = 400\n+0 > P. 1:801(800) ack 1");
    assert!(message.contains("found    0.100000 > P. 1:401(400)"), "{message}");
}

#[test]
fn tolerance_is_exact_to_a_nanosecond() {
    let text = opened("+0 write(4, ..., 10) = 10\n+.000001 > P. 1:11(10) ack 1");
    let script = drill::parse_script(&text).unwrap();
    let run = |tolerance| drill::run_script(&script, tolerance, &open);
    let report = run(None);
    assert_eq!((&report.outcome, report.worst.unwrap().1), (&ScriptOutcome::Passed, Span::from_nanos(1_000)));
    assert_eq!(run(Some(Span::from_nanos(1_000))).outcome, ScriptOutcome::Passed);
    assert!(matches!(run(Some(Span::from_nanos(999))).outcome, ScriptOutcome::Failed(_)));
    assert!(matches!(run(Some(Span::ZERO)).outcome, ScriptOutcome::Failed(_)));
}

#[test]
fn head_option_sets_the_tolerance() {
    let text = format!(
        "--tolerance_usecs=20000\n--local_ip=10.0.0.1\n{OPEN}+0 write(4, ..., 10) = 10\n+.02 > P. 1:11(10) ack 1"
    );
    passes(&text);
    let text = format!("--ip_version=ipv5\n{OPEN}");
    assert_eq!(
        report(&text).message("a.pkt", &text).unwrap(),
        "a.pkt:1:1: not supported: the option --ip_version=ipv5\n  1 | --ip_version=ipv5"
    );
    // The header of IPv6 takes 20 bytes more.
    passes(&format!("--ip_version=ipv6\n{}", OPEN.replace("mss 1460", "mss 1440")));
}

#[test]
fn unknown_names_get_suggestions() {
    for (rest, what) in [
        ("+0 sockett(..., SOCK_STREAM, IPPROTO_TCP) = 5", "the system call sockett (did you mean \"socket\"?)"),
        ("+0 epoll_wait(4) = 0", "the system call epoll_wait"),
        (
            "+0 setsockopt(4, SOL_SOCKET, SO_REUSEADR, [1], 4) = 0",
            "the socket option SO_REUSEADR (did you mean \"SO_REUSEADDR\"?)",
        ),
        (
            "+0 getsockopt(4, SOL_TCP, TCP_CONGESTON, [1], 4) = 0",
            "reading the socket option TCP_CONGESTON (did you mean \"TCP_CONGESTION\"?)",
        ),
        (
            "+0 setsockopt(4, SOL_SOCKET, SO_KEEPALIVE, [1], 4) = 0",
            "the socket option SO_KEEPALIVE with 1 of a connection",
        ),
        (
            "+0 %{ assert tcpi_snd_cwd == 10 }%",
            "the name `tcpi_snd_cwd` in an assertion (did you mean \"tcpi_snd_cwnd\"?)",
        ),
        ("+0 `sysctl -q net.ipv4.tcp_sak=1`", "the parameter net.ipv4.tcp_sak (did you mean \"net.ipv4.tcp_sack\"?)"),
    ] {
        let message = message(rest);
        assert!(message.lines().next().unwrap().contains(&format!("not supported: {what}")), "{message}");
    }
}

#[test]
fn settings_unsupported_by_the_end_are_reported() {
    let text = format!("`sysctl -q net.ipv4.tcp_congestion_control=vegas`\n{OPEN}");
    let report = report(&text);
    assert!(matches!(&report.outcome, ScriptOutcome::Unsupported(what) if what.what == "congestion control vegas"));
}

#[test]
fn script_sets_its_initial_sequence_number() {
    let text = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
        +0 bind(3, ..., ...) = 0
        +0 listen(3, 1) = 0
        +0 < S 77:77(0) win 1000 <mss 1000>
        +0 > S. 0:0(0) ack 78 <...>
        +0 < . 1:1(0) ack 1 win 257
        +0 < P. 1:3(2) ack 1 win 257
        +0 > . 1:1(0) ack 3";
    passes(text);
}

#[test]
fn timer_that_is_always_due_is_a_failure() {
    // An end with a timer that is always due.
    struct Stuck(Box<dyn ConnectionEnd>);
    impl ConnectionEnd for Stuck {
        fn stage(&self) -> ConnectionStage {
            self.0.stage()
        }
        fn failure(&self) -> Option<ConnectionFailure> {
            self.0.failure()
        }
        fn write(&mut self, bytes: u64) {
            self.0.write(bytes);
        }
        fn set_nodelay(&mut self, _: bool) {}
        fn set_quick_acks(&mut self, _: bool) {}
        fn set_cork(&mut self, _: bool) {}
        fn set_more(&mut self, _: bool) {}
        fn end_record(&mut self) {}
        fn set_user_timeout(&mut self, _: Option<Span>) {}
        fn shutdown_write(&mut self) {}
        fn close(&mut self) {}
        fn abort(&mut self) {}
        fn readable(&self) -> u64 {
            0
        }
        fn read(&mut self, _: u64) -> u64 {
            0
        }
        fn at_end(&self) -> bool {
            false
        }
        fn unacknowledged_bytes(&self) -> u64 {
            0
        }
        fn info(&self, _: &str) -> Option<PyValue> {
            None
        }
        fn handle_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
            self.0.handle_segment(now, segment, ecn);
        }
        fn handle_timeout(&mut self, _: Time) {}
        fn poll_transmit(&mut self, now: Time) -> Option<(Segment, Ecn)> {
            self.0.poll_transmit(now)
        }
        fn poll_timeout(&self) -> Time {
            Time::ZERO
        }
    }
    let script = drill::parse_script(OPEN).unwrap();
    let stuck = |role, settings: &HostSettings, ports, iss| {
        open(role, settings, ports, iss).map(|end| Box::new(Stuck(end)) as Box<dyn ConnectionEnd>)
    };
    let report = drill::run_script(&script, None, &stuck);
    let message = report.message("a.pkt", OPEN).unwrap();
    assert!(message.starts_with("a.pkt:6:5: the time does not advance\n"), "{message}");
}
