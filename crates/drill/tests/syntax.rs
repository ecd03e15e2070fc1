//! Parsing and printing of scripts, and the errors for invalid scripts.

use drill::syntax::ast::{EventAction, ScriptEvent, ScriptPacket};
use drill::syntax::{SyntaxError, parse_script};

/// A script with every kind of line. Its printed form parses to the same script.
const ALL: &str = r#"// A comment, and /* another */
--tolerance_usecs=20000
--local_ip=192.168.0.1 --non_fatal
`defaults.sh
sysctl -q net.ipv4.tcp_ecn=1`

0 socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 3
0.000 bind(3, {sa_family = AF_INET, sin_port = htons(8080),
               sin_addr = inet_addr("192.168.0.1")}, ...) = 0
+.01...0.011 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 fcntl(3, F_GETFL) = 0x802 (flags O_RDWR|O_NONBLOCK)
+0 sendmsg(4, {msg_name(...)=..., msg_iov(2)=[{..., 40}, {..., 2}], msg_flags=0}, MSG_MORE) = 42
+0 poll([{fd=4, events=POLLIN, revents=0}], 1, 1.5) = ...
* > [ect01] . 1:1(0) ack 1
.1 < [ect1] SEW 0:0(0) win 32792 <mss 1000,sackOK,TS val 7 ecr 0,nop,wscale 7>
+.3~+.310 > [noecn, tos 0x2] SE. 0:0(0) ack 1 win 5 urg 2 <...>
0.5~.75 > - 1:1(0)
+0 < F. 1:1001(1000) ack 1 win 0 < sack 1:2 4:9 , eol , FO abcd >
+0 > icmp unreachable frag_needed mtu 1200 [1:1001(1000)]
+0 < udp (10)
+0 `tc qdisc replace dev tun0 root fq`
+1 %{ assert tcpi_lost == 1, tcpi_lost
print(1) }%
`/tmp/sysctl_restore_${PPID}.sh`
"#;

const AGAIN: &str = r#"--tolerance_usecs=20000
--local_ip=192.168.0.1
--non_fatal
`defaults.sh
sysctl -q net.ipv4.tcp_ecn=1`
0 socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 3
0 bind(3, {sa_family=AF_INET, sin_port=htons(8080), sin_addr=inet_addr("192.168.0.1")}, ...) = 0
+0.01 ... 0.011 connect(3, ..., ...) = -1 EINPROGRESS
+0 fcntl(3, F_GETFL) = 2050
+0 sendmsg(4, {msg_name(...)=..., msg_iov(2)=[{..., 40}, {..., 2}], msg_flags=0}, MSG_MORE) = 42
+0 poll([{fd=4, events=POLLIN, revents=0}], 1, 1.5) = ...
* > [ect01] . 1:1(0) ack 1
0.1 < [ect1] SEW 0:0(0) win 32792 <mss 1000,sackOK,TS val 7 ecr 0,nop,wscale 7>
+0.3~+0.31 > [noecn, tos 0x2] SE. 0:0(0) ack 1 win 5 urg 2 <...>
0.5~0.75 > - 1:1(0)
+0 < F. 1:1001(1000) ack 1 win 0 <sack 1:2 4:9,eol,FO abcd>
+0 > icmp unreachable frag_needed mtu 1200 [1:1001(1000)]
+0 < udp (10)
+0 `tc qdisc replace dev tun0 root fq`
+1 %{ assert tcpi_lost == 1, tcpi_lost
print(1) }%
`/tmp/sysctl_restore_${PPID}.sh`
"#;

#[test]
fn printed_script_is_canonical() {
    let script = parse_script(ALL).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(script.to_string(), AGAIN);
    assert_eq!(parse_script(AGAIN).unwrap().to_string(), AGAIN);
}

#[test]
fn parsed_positions_match_the_text() {
    let script = parse_script(ALL).unwrap();
    let place = |index: usize| {
        let event = &script.events[index];
        (event.place.line, event.place.column, event.action_place.line, event.action_place.column)
    };
    assert_eq!(place(0), (7, 1, 7, 3));
    assert_eq!(place(2), (10, 1, 10, 14));
    assert_eq!((script.setup[0].place.line, script.setup[0].place.column), (4, 2));
}

#[track_caller]
fn refused(text: &str, line: usize, column: usize, found: &str, expected: &str) -> SyntaxError {
    let error = parse_script(text).expect_err(text);
    assert_eq!((error.place.line, error.place.column), (line, column), "{text}: {error}");
    assert_eq!((error.found.as_str(), error.expected.as_str()), (found, expected), "{text}");
    error
}

#[test]
fn syntax_errors_name_place_found_and_expected() {
    const EVENT: &str = "an event, such as `0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3`";
    refused("", 1, 1, "the end of the script", EVENT);
    refused("// Nothing.\n", 2, 1, "the end of the script", EVENT);
    const NUMBER: &str = "a whole number, as in `--tolerance_usecs=1000`";
    refused("--tolerance_usecs=abc\n0 close(3) = 0", 1, 1, "`--tolerance_usecs=abc`", NUMBER);
    refused("--tolerance_usecs\n0 close(3) = 0", 1, 1, "`--tolerance_usecs`", NUMBER);
    refused("--mss=5\n`true`", 2, 7, "the end of the script", EVENT);
    const TIME: &str = "a time such as `0`, `+.1` or `*`";
    const FLAGS: &str = "TCP flags: letters of FSRPEWU, `.` for ACK, or `-` for none";
    refused("0 close(3) = 0\nclose(3) = 0", 2, 1, "`close`", TIME);
    refused("+x", 1, 2, "`x`", "a number of seconds");
    refused("+.0000000001 close(3) = 0", 1, 2, "`.0000000001`", "a number of seconds, to a nanosecond at most");
    refused("+.2~.3 > . 1:1(0)", 1, 5, "`.3`", "both ends of a range with `+`, or both without");
    refused(".4~.3 > . 1:1(0)", 1, 4, "300 ms", "an end that is not before the range's beginning, 400 ms");
    refused("0 ? 1", 1, 3, "`?`", "`<`, `>`, a system call, commands in backticks or assertions in %{ }%");
    const OUT: &str = "`>` after `*` or a range of times: calls and injected packets have one time";
    refused("* poll([{fd=4}], 1, 0) = 1", 1, 3, "`poll`", OUT);
    refused("+0~+.1 < . 1:1(0) win 5", 1, 8, "`<`", OUT);
    refused("0~1 %{ assert 1 }%", 1, 7, "assertions in %{ }%", OUT);
    refused("* `true`", 1, 4, "commands in backticks", OUT);
    const MADE: &str = "of an injected packet, which must be complete";
    refused("0 < . 1:1(0) win 5 <...>", 1, 21, "`...`", &format!("options {MADE}"));
    refused("0 < [ect01] . 1:1(0) win 5", 1, 6, "`ect01`", &format!("ect0 or ect1 {MADE}"));
    refused("0...1 > . 1:1(0)", 1, 7, "`>`", "a system call: only calls have a time to return by");
    refused("0 close(3 = 0", 1, 11, "`=`", "`,` or `)`");
    refused("0 close(3)", 1, 11, "the end of the script", "`=`");
    refused("0 close(3) = 0 (never", 1, 22, "the end of the script", "`)` after the note");
    refused("0 close(?) = 0", 1, 9, "`?`", "a value: `...`, a number, a name, a text, `[...]` or `{...}`");
    refused("0 poll([{5=4}]) = 0", 1, 10, "another value", "the name of a member in front of `=`");
    refused("0 < 1:1(0)", 1, 5, "`1`", FLAGS);
    refused("0 < SX 1:1(0)", 1, 5, "`SX`", FLAGS);
    refused("0 < S. 1:2(0)", 1, 10, "`2`", "1: 0 bytes from 1 on");
    refused("0 < S. 1(0)", 1, 9, "`(`", "`:`");
    refused("0 < . 1:1(0) win 65536", 1, 18, "`65536`", "a window, 0 to 65535");
    refused("0 < . 1:1(0) ack -1", 1, 18, "`-1`", "an acknowledgment number, 0 to 4294967295");
    refused("0 < [ect2] . 1:1(0)", 1, 6, "`ect2`", "ect0, ect1, ect01, ce, noecn, tos, ttl or flowlabel");
    refused("0 < S 1:1(0) <mss>", 1, 18, "`>`", "a segment size");
    refused("0 < S 1:1(0) <ms 5>", 1, 15, "`ms`", "a TCP option: mss, sackOK, wscale, TS, sack, nop, eol or FO");
    refused("0 < S 1:1(0) <nop nop>", 1, 19, "`nop`", "`,` or `>` after an option");
    refused("0 < S 1:1(0) <TS 5 ecr 6>", 1, 18, "`5`", "`val`");
    refused("0 < S 1:1(0) <sack>", 1, 19, "`>`", "a SACK block such as `1001:2001`");
    refused("// x\n  `sysctl", 2, 3, "a command without an end", "``` after it");
    let error = refused(
        "0 close(3) = 0\n`true`\n+0 close(4) = 0",
        3,
        1,
        "`+`",
        "the end of the script after commands without a time",
    );
    assert_eq!(error.hint.unwrap(), "write a time such as `+0` in front of commands between events");
}

#[test]
fn deeply_nested_value_is_refused_without_stack_overflow() {
    for (open, close) in [("[", "]"), ("{", "}"), ("{a = ", "}"), ("f(", ")")] {
        let nested = |depth: usize| parse_script(&format!("0 f({}1{}) = 0", open.repeat(depth), close.repeat(depth)));
        nested(63).unwrap();
        assert_eq!(nested(64).unwrap_err().expected, "at most 64 nested values", "{open}");
        assert!(parse_script(&format!("0 f({}", open.repeat(100_000))).is_err(), "{open}");
    }
}

#[test]
fn unsupported_packets_are_kept_as_text() {
    for packet in [
        "icmp echo_request id 5",
        "icmp unreachable frag_needed mtu 1200 [1:1001(1000)]",
        "udp (10)",
        "gre flags 0x2000: ipv4 1.1.1.1 > 2.2.2.2: S 0:0(0) win 5",
        "[ect0] ipv4 1.1.1.1 > 2.2.2.2: . 1:1(0) ack 1",
        "[noecn] SEWA 0:0(0) win 65535 <mss 1460>",
        "EAP. 1:1(0) ack 1",
        "5. 1:1(0) ack 1",
        ".5 1:1(0) ack 1",
        "W.5 1:1(0) ack 1",
        "addr[caddr0] > addr[saddr0] S 0:0(0) win 65535 <mss 1460,mpcapable v1 flags[flag_h] nokey>",
        "1234 > 8080 S 0:0(0) win 5",
    ] {
        let text = format!("0 < {packet}\n+0 > {packet}\n// The next.\n+.1 close(3) = 0");
        let script = parse_script(&text).unwrap_or_else(|error| panic!("{packet}: {error}"));
        let other = |event: &ScriptEvent| match &event.action {
            EventAction::Inject(ScriptPacket::Other(text)) | EventAction::Expect(ScriptPacket::Other(text)) => {
                Some(text.clone())
            }
            _ => None,
        };
        let found: Vec<_> = script.events.iter().map(other).collect();
        assert_eq!(found, [Some(packet.to_owned()), Some(packet.to_owned()), None]);
    }
    // A packet that extends over several lines.
    let script = parse_script("0 < gre:\n  S 0:0(0)\n    win 5\n0 close(3) = 0").unwrap();
    assert_eq!(script.events[0].action, EventAction::Inject(ScriptPacket::Other("gre: S 0:0(0) win 5".into())));
}

#[test]
fn truncated_or_corrupted_script_does_not_panic() {
    // Truncated at every position, and with an unexpected token inserted.
    for end in (0..ALL.len()).filter(|end| ALL.is_char_boundary(*end)) {
        let _ = parse_script(&ALL[..end]);
        for strange in ["\0", "é", "99999999999999999999", "0x", "-", "\u{a0}", "%{", "`"] {
            let _ = parse_script(&format!("{}{strange}{}", &ALL[..end], &ALL[end..]));
        }
    }
}
