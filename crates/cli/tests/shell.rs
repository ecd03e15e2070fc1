//! `lasthop shell` with real namespaces, devices and TCP, where the machine permits them. No lateness is asserted.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use common::{Ended, command, ended, lasthop, scratch};

/// 5 Mbps and 20 ms over air that loses packets.
const SCENARIO: &str = r#"
duration = "10 s"

[nodes]
server = { kind = "host" }
station = { kind = "base-station" }
mobile = { kind = "host" }

[links.wire]
kind = "wired"
between = ["server", "station"]
rate = "100 Mbps"
delay = "10 ms"

[links.air]
kind = "wireless"
between = ["station", "mobile"]
rate = "5 Mbps"
delay = "10 ms"
queue = "50 packets"
channel = { kind = "uniform", loss = 0.01 }

[flows.download]
from = "server"
to = "mobile"
"#;

/// The far end: sends bytes with a known digest over TCP, and echoes datagrams.
const SERVER: &str = r#"
import hashlib, socket, sys, threading
family = socket.AF_INET6 if sys.argv[1] == "6" else socket.AF_INET
data = hashlib.shake_128(b"lasthop").digest(400000)
listener = socket.socket(family, socket.SOCK_STREAM)
listener.bind(("", 5001))
listener.listen(5)
datagrams = socket.socket(family, socket.SOCK_DGRAM)
datagrams.bind(("", 5002))
def echo():
    while True:
        bytes, there = datagrams.recvfrom(65536)
        datagrams.sendto(bytes, there)
threading.Thread(target=echo, daemon=True).start()
while True:
    connection, there = listener.accept()
    connection.sendall(data)
    connection.close()
"#;

/// Receives the bytes, and sends 50 datagrams: prints what arrived.
const CLIENT: &str = r#"
import hashlib, socket, sys, time
family = socket.AF_INET6 if sys.argv[1] == "6" else socket.AF_INET
data = hashlib.shake_128(b"lasthop").digest(400000)
there = socket.getaddrinfo("server", 5001, family)[0][4]
for attempt in range(100):
    try:
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.connect(there)
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
received = b""
while True:
    bytes = connection.recv(65536)
    if not bytes:
        break
    received += bytes
print("stream", len(received), received == data)
datagrams = socket.socket(family, socket.SOCK_DGRAM)
datagrams.settimeout(1)
for number in range(50):
    datagrams.sendto(b"%04d" % number + b"x" * 500, (there[0], 5002))
numbers = []
try:
    while len(numbers) < 50:
        bytes, from_ = datagrams.recvfrom(65536)
        assert len(bytes) == 504 and bytes[4:] == b"x" * 500, bytes
        numbers.append(int(bytes[:4]))
except TimeoutError:
    pass
print("datagrams in order", numbers == sorted(set(numbers)), "most arrive", len(numbers) > 30)
"#;

/// Whether the machine permits namespaces and devices.
fn permitted(dir: &Path) -> Result<(), String> {
    let checked = lasthop(dir, &["shell", "--check"]);
    if checked.code == Some(0) { Ok(()) } else { Err(format!("no namespaces here: {}", checked.out.trim())) }
}

/// A directory with the scenario and the programs.
fn prepared(test: &str) -> std::path::PathBuf {
    let dir = scratch(test);
    fs::write(dir.join("hop.toml"), SCENARIO).unwrap();
    fs::write(dir.join("server.py"), SERVER).unwrap();
    fs::write(dir.join("client.py"), CLIENT).unwrap();
    dir
}

/// Packets of a capture with a wrong checksum, as tshark prints them, and the number of all packets.
///
/// Linux writes the checksum of a segment whose sum is zero as 0xffff (`skb_checksum_help`, `CSUM_MANGLED_0`), once in 65,536
/// segments: the same number in ones' complement, which receivers accept and tshark calls bad.
fn checksums(capture: &Path) -> (Vec<String>, usize) {
    let bad =
        "(tcp.checksum.status == 0 && tcp.checksum != 0xffff) || udp.checksum.status == 0 || ip.checksum.status == 0";
    (shown_by_tshark(capture, bad), shown_by_tshark(capture, "tcp || udp").len())
}

/// The packets of a capture that pass a display filter, a line for each.
fn shown_by_tshark(capture: &Path, filter: &str) -> Vec<String> {
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(capture);
    tshark.args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]);
    let printed = tshark.args(["-Y", filter]).output().expect("tshark runs");
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    String::from_utf8_lossy(&printed.stdout).lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// A segment from 10.0.0.1 to 10.0.0.2 whose checksum is zero, written as `checksum`.
fn segment_of_checksum_zero(checksum: u16) -> Vec<u8> {
    let sum =
        |words: &[u8]| words.chunks(2).fold(0_u32, |sum, word| sum + u32::from(word[0]) * 256 + u32::from(word[1]));
    let folded = |sum: u32| ((sum >> 16) + (sum & 0xffff)) as u16;
    let mut ip = [0x45, 0, 0, 42, 0, 7, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    let of_header = !folded(sum(&ip));
    ip[10..12].copy_from_slice(&of_header.to_be_bytes());
    let tcp = [0x13, 0x89, 0x9c, 0x40, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x18, 1, 0, 0, 0, 0, 0];
    // Pseudo header: addresses, protocol and length [RFC9293 s3.1].
    let without_data = folded(sum(&ip[12..]) + 6 + 22 + sum(&tcp));
    let mut packet = [&ip[..], &tcp, &(!without_data).to_be_bytes()].concat();
    packet[36..38].copy_from_slice(&checksum.to_be_bytes());
    packet
}

#[test]
fn checksum_zero_is_right_in_both_of_its_forms() {
    let dir = scratch("shell-checksums");
    for (checksum, bad) in [(0, 0), (0xffff, 0), (1, 1)] {
        let capture = dir.join(format!("{checksum}.pcap"));
        let packet = segment_of_checksum_zero(checksum);
        let length = packet.len() as u32;
        // A file of version 2.4 with raw IP packets, and one packet at time 0.
        let header = [0xa1b2_c3d4, 2 | 4 << 16, 0, 0, 65535, 101, 0, 0, length, length];
        fs::write(&capture, [header.map(u32::to_le_bytes).concat(), packet].concat()).unwrap();
        let (found, all) = checksums(&capture);
        assert_eq!((found.len(), all), (bad, 1), "{checksum:#06x}: {found:?}");
    }
}

#[test]
fn bytes_and_datagrams_arrive_intact_under_schemes() {
    let _alone = alone();
    let dir = prepared("shell-intact");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    for (scheme, version) in [("unmodified", "4"), ("snoop", "6"), ("split", "4"), ("m-tcp", "6")] {
        intact(&dir, scheme, version);
    }
}

/// Programs, packets and counts of one scheme.
fn intact(dir: &Path, scheme: &str, version: &str) {
    let server = format!("server=python3 server.py {version}");
    let words = ["shell", "hop.toml", "--scheme", scheme, "--out", scheme, "--and", &server, "--"];
    let run = lasthop(dir, &[&words[..], &["python3", "client.py", version]].concat());
    let arrived = "stream 400000 True\ndatagrams in order True most arrive True\n";
    assert_eq!((run.code, run.out.as_str()), (Some(0), arrived), "{scheme}: {}", run.err);
    for node in ["mobile", "server"] {
        let (bad, all) = checksums(&dir.join(scheme).join(format!("{node}.pcapng")));
        assert!(bad.is_empty() && all > 350, "{scheme} at {node}, of {all} packets wrong checksums: {bad:?}");
    }
    let report = fs::read_to_string(dir.join(scheme).join("emulation.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let rebuilt = report["packets"]["rebuilt"].as_u64().unwrap();
    let expected = match scheme {
        "split" => rebuilt > 200,
        // How often M-TCP changes a window, and how often Snoop answers for the mobile a segment that Linux has sent again
        // although it had arrived, depends on real time.
        "m-tcp" | "snoop" => true,
        _ => rebuilt == 0,
    };
    assert!(expected && report["packets"]["forgotten"] == 0, "{scheme}: {report:#}");
}

/// Namespaces, devices and programs of one test at a time: the tests measure nothing, but each needs the machine.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static MACHINE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    MACHINE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Sends 400,000 bytes and, when all of them are acknowledged, writes the kernel's count of retransmissions into a file.
const COUNTING_SERVER: &str = r#"
import array, fcntl, os, socket, struct, time
listener = socket.socket()
listener.bind(("", 5001))
listener.listen(5)
connection, there = listener.accept()
connection.sendall(b"x" * 400000)
connection.shutdown(socket.SHUT_WR)
SIOCOUTQ = 0x5411
unacknowledged = array.array("i", [1])
while unacknowledged[0] > 0:
    fcntl.ioctl(connection, SIOCOUTQ, unacknowledged)
    time.sleep(0.01)
TOTAL_RETRANS = 100
info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
with open("count.new", "w") as file:
    print(struct.unpack_from("I", info, TOTAL_RETRANS)[0], file=file)
os.rename("count.new", "count")
connection.recv(1)
"#;

/// Receives all bytes, and waits for the count.
const COUNTED_CLIENT: &str = r#"
import os, socket, time
for attempt in range(100):
    try:
        connection = socket.create_connection(("10.0.0.1", 5001))
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
while connection.recv(65536):
    pass
while not os.path.exists("count"):
    time.sleep(0.01)
"#;

/// The kernel also counts a SYN-ACK that is sent again, which is no data.
#[test]
fn segments_sent_again_are_those_that_linux_counts() {
    let _alone = alone();
    let dir = prepared("shell-counted");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    fs::write(dir.join("server.py"), COUNTING_SERVER).unwrap();
    fs::write(dir.join("client.py"), COUNTED_CLIENT).unwrap();
    let spike = r#"[{ at = "600 ms", extra_delay = "600 ms", duration = "300 ms" }]"#;
    let spikes = format!("links.air.delay_spikes={spike}");
    let channels = [
        ["links.air.channel.loss=0.03", "links.air.queue=\"50 packets\""],
        [
            "links.air.channel={ kind = \"gilbert-elliott\", p = 0.02, r = 0.3, h = 0.1 }",
            "links.air.queue=\"50 packets\"",
        ],
        ["links.air.channel.loss=0", "links.air.queue=\"8 packets\""],
        ["links.air.channel.loss=0", &spikes],
    ];
    let mut total = 0;
    for set in channels {
        let _ = fs::remove_file(dir.join("count"));
        let out = ["shell", "hop.toml", "--set", set[0], "--set", set[1], "--out", "kept", "--quiet"];
        let programs = ["--and", "server=python3 server.py", "--", "python3", "client.py"];
        let run = lasthop(&dir, &[&out[..], &programs].concat());
        assert_eq!(run.code, Some(0), "{set:?}: {}", run.err);
        let linux: usize = fs::read_to_string(dir.join("count")).unwrap().trim().parse().unwrap();
        let capture = dir.join("kept/server.pcapng");
        let explained = lasthop(&dir, &["explain", &capture.to_string_lossy(), "--json"]);
        let explained: serde_json::Value = serde_json::from_str(&explained.out).unwrap();
        let repeated = explained[0]["capture"]["segments_repeated"].as_u64().unwrap() as usize;
        let openings = shown_by_tshark(&capture, "tcp.srcport == 5001 && tcp.flags.syn == 1").len();
        assert_eq!(linux, repeated + openings - 1, "{set:?}: {openings} SYN-ACKs, {explained:#}");
        total += repeated;
        fs::remove_dir_all(dir.join("kept")).unwrap();
    }
    assert!(total > 20, "{total} retransmissions");
}

#[test]
fn command_has_user_directory_environment_and_passes_its_exit_code() {
    let _alone = alone();
    let dir = prepared("shell-kept");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let line = "echo $WORD $LASTHOP_NODE; pwd; id -u; ip -brief link | wc -l; exit 42";
    let mut run =
        command(&dir, &["shell", "hop.toml", "--node", "server", "--no-out", "--quiet", "--", "sh", "-c", line]);
    let run = ended(run.env("WORD", "kept").output().unwrap());
    let user = String::from_utf8(Command::new("id").arg("-u").output().unwrap().stdout).unwrap();
    assert_eq!(run.out, format!("kept server\n{}\n{user}2\n", dir.canonicalize().unwrap().display()));
    assert_eq!((run.code, run.err.as_str()), (Some(42), ""));
    let missing = lasthop(&dir, &["shell", "hop.toml", "--no-out", "--quiet", "--", "no-such-program"]);
    assert_eq!(missing.code, Some(127));
    assert!(missing.err.contains("no-such-program: cannot be run"), "{}", missing.err);
}

/// The processes in a network namespace, as `/proc/PID/ns/net` names it.
fn inhabitants(namespace: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let links = processes.filter_map(|entry| fs::read_link(entry.path().join("ns/net")).ok());
    links.filter(|link| link.to_string_lossy() == namespace).count()
}

/// The machine's own network devices.
fn devices() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir("/sys/class/net")
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into())
        .collect();
    names.sort();
    names
}

/// A shell whose command sleeps, with a process that it left behind.
fn sleeping(mut shell: Command, dir: &Path) -> (Child, String, i32) {
    let line = "sleep 300 & readlink /proc/self/ns/net > namespace.new; echo $$ >> namespace.new; \
                mv namespace.new namespace; exec sleep 300";
    shell.args(["shell", "hop.toml", "--out", "kept", "--", "sh", "-c", line]);
    let shell = shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut text = String::new();
    for _ in 0..500 {
        sleep(Duration::from_millis(20));
        if let Ok(read) = fs::read_to_string(dir.join("namespace")) {
            text = read;
            break;
        }
    }
    let (namespace, pid) = text.trim().split_once('\n').expect("the command has started");
    assert!(inhabitants(namespace) >= 2);
    (shell, namespace.to_owned(), pid.parse().unwrap())
}

fn kill(signal: &str, pid: i32) {
    assert!(Command::new("kill").args(["-s", signal, &pid.to_string()]).status().unwrap().success());
}

/// Waits until no process is in the namespace.
fn gone(namespace: &str) -> bool {
    (0..500).any(|_| {
        sleep(Duration::from_millis(20));
        inhabitants(namespace) == 0
    })
}

#[test]
fn nothing_remains_after_signals_and_results_are_kept() {
    let _alone = alone();
    let dir = prepared("shell-signals");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let before = devices();
    // Signal, whether it is for the command instead of lasthop, and the exit code.
    for (signal, to_command, code) in [("INT", false, 130), ("TERM", false, 143), ("KILL", true, 137)] {
        let _ = fs::remove_file(dir.join("namespace"));
        let (shell, namespace, pid) = sleeping(command(&dir, &[]), &dir);
        kill(signal, if to_command { pid } else { shell.id() as i32 });
        let Ended { code: ended_with, err, .. } = ended(shell.wait_with_output().unwrap());
        assert_eq!(ended_with, Some(code), "{signal}: {err}");
        assert!(gone(&namespace), "{signal}: {} processes remain", inhabitants(&namespace));
        assert_eq!(devices(), before, "{signal}");
        assert!(dir.join("kept/emulation.json").exists() && dir.join("kept/mobile.pcapng").exists(), "{signal}: {err}");
        fs::remove_dir_all(dir.join("kept")).unwrap();
    }
}

/// The command ends with lasthop even if lasthop is killed, by whatever name it was started.
#[test]
fn command_ends_when_lasthop_is_killed() {
    let _alone = alone();
    let dir = prepared("shell-killed");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let renamed = dir.join("hop-1.0");
    fs::hard_link(env!("CARGO_BIN_EXE_lasthop"), &renamed).unwrap();
    let mut by_other_name = Command::new(&renamed);
    by_other_name.current_dir(&dir);
    for program in [command(&dir, &[]), by_other_name] {
        let _ = fs::remove_file(dir.join("namespace"));
        let (mut shell, _, pid) = sleeping(program, &dir);
        shell.kill().unwrap();
        shell.wait().unwrap();
        let ended = (0..500).any(|_| {
            sleep(Duration::from_millis(20));
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z ")
        });
        assert!(ended, "the command still runs");
    }
}

#[test]
fn result_of_real_hosts_is_not_repeated() {
    let _alone = alone();
    let dir = prepared("shell-explain");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let run = lasthop(&dir, &["shell", "hop.toml", "--out", "real", "--quiet", "--", "true"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let explained = lasthop(&dir, &["explain", "real"]);
    assert_eq!(explained.code, Some(1), "{}", explained.err);
    assert!(explained.err.contains("is a result of real hosts"), "{}", explained.err);
}

#[test]
fn wrong_nodes_are_errors_with_a_suggestion() {
    let _alone = alone();
    let dir = prepared("shell-nodes");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let error = |words: &[&str]| {
        let run = lasthop(&dir, &[&["shell", "hop.toml", "--no-out"], words].concat());
        assert_eq!(run.code, Some(2), "{words:?}: {}", run.err);
        run.err
    };
    assert!(error(&["--node", "mobil"]).contains("mobile"));
    assert!(error(&["--and", "server"]).contains("NODE=COMMAND"));
    assert!(error(&["--and", "mobile=true"]).contains("already runs a command"));
    assert!(error(&["--outside=mobile"]).contains("the command's own"));
    assert!(error(&["--outside=sever"]).contains("server"));
    let emulated = lasthop(&dir, &["emulate", "hop.toml", "--no-out", "--tun", "server=tun7"]);
    assert_eq!(emulated.code, Some(2), "{}", emulated.err);
    assert!(emulated.err.contains("at least two devices"), "{}", emulated.err);
}

/// A user without rights, with a /dev/net/tun as udev makes it: the user keeps its number, and its command has no rights.
#[test]
fn ordinary_user_needs_no_root() {
    let _alone = alone();
    let dir = prepared("shell-user");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    fs::set_permissions(&dir, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let private = dir.join("private");
    fs::create_dir_all(&private).unwrap();
    fs::set_permissions(&private, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    // The device and the mount belong to a mount namespace of this process.
    let script = "set -e; mknod tun c 10 200; chmod 666 tun; mount --bind tun /dev/net/tun; \
                  exec setpriv --reuid 12345 --regid 12345 --clear-groups \"$@\"";
    let user = |words: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", script, "sh"]).args(words).current_dir(&dir);
        // Names are known although the folder for temporary files is another user's.
        command.env("TMPDIR", &private);
        let output = command.output();
        let _ = fs::remove_file(dir.join("tun"));
        output.map(ended)
    };
    let lasthop = env!("CARGO_BIN_EXE_lasthop");
    match user(&[lasthop, "shell", "--check"]) {
        Ok(check) if check.code == Some(0) => {}
        Ok(check) => skip::skip!("another user cannot be tried here: {}{}", check.out, check.err),
        Err(error) => skip::skip!("unshare: {error}"),
    }
    let line = "id -u; id -g; grep CapEff /proc/self/status; python3 client.py 4";
    let words = [
        lasthop,
        "shell",
        "hop.toml",
        "--quiet",
        "--out",
        "results",
        "--and",
        "server=env PATH=/usr/bin:/bin python3 server.py 4",
        "--",
    ];
    let expected =
        "12345\n12345\nCapEff:\t0000000000000000\nstream 400000 True\ndatagrams in order True most arrive True\n";
    let run = user(&[&words[..], &["env", "PATH=/usr/bin:/bin", "sh", "-c", line]].concat()).unwrap();
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out, expected, "{}", run.err);
}

#[test]
fn command_starts_when_the_server_listens() {
    let _alone = alone();
    let dir = prepared("shell-awaited");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let client = "import socket; socket.create_connection(('server', 5001)); print('connected')";
    let late = "server=echo beginning; sleep 0.5; exec python3 server.py 4";
    let words = ["shell", "hop.toml", "--no-out", "--quiet", "--set", "links.air.channel.loss=0", "--and", late];
    let run = lasthop(&dir, &[&words[..], &["--", "python3", "-c", client]].concat());
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "connected\n", "server: beginning\n"));
}

#[test]
fn failures_of_other_commands_are_reported() {
    let _alone = alone();
    let dir = prepared("shell-failures");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let run = |line: &str, command: &str| {
        let words = ["shell", "hop.toml", "--out", "kept", "--and", line, "--", "sh", "-c", command];
        lasthop(&dir, &words)
    };
    let missing = run("server=no-such-program -s", "echo started");
    assert_eq!((missing.code, missing.out.as_str()), (Some(1), ""), "{}", missing.err);
    assert!(missing.err.contains("`no-such-program -s`: has failed at server"), "{}", missing.err);
    assert!(missing.err.contains("exit code 127"), "{}", missing.err);
    assert!(!dir.join("kept").exists());
    // The command waits until the other one, which listens, may fail.
    let server = "import os, socket, time\n\
                  listener = socket.socket()\nlistener.bind(('', 5001))\nlistener.listen()\n\
                  while not os.path.exists('go'): time.sleep(0.01)\n\
                  raise SystemExit(3)";
    fs::write(dir.join("failing.py"), server).unwrap();
    let late = run("server=python3 failing.py", "touch go; sleep 1");
    assert_eq!(late.code, Some(0), "{}", late.err);
    assert!(late.err.contains("server: `python3 failing.py` has ended with exit code 3"), "{}", late.err);
    let report = fs::read_to_string(dir.join("kept/emulation.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let ended = serde_json::json!([{ "node": "server", "command": "python3 failing.py", "exit_code": 3 }]);
    assert_eq!(report["ended"], ended);
}

/// Fetches what the machine sends over TCP, and sends datagrams to it that come back.
const OUTSIDE_CLIENT: &str = r#"
import socket, sys
stream = socket.create_connection(("203.0.113.1", int(sys.argv[1])))
received = b""
while True:
    bytes = stream.recv(65536)
    if not bytes:
        break
    received += bytes
print("stream", len(received), received == b"lasthop" * (len(received) // 7))
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams.settimeout(1)
numbers = []
for number in range(20):
    datagrams.sendto(b"%d" % number, ("203.0.113.1", int(sys.argv[2])))
    try:
        numbers.append(int(datagrams.recv(100)))
    except TimeoutError:
        pass
print("most datagrams come back", len(numbers) > 10, numbers == sorted(set(numbers)))
print(open("/etc/resolv.conf").read().split()[:2])
"#;

/// Whether the machine has a way outside, and pasta.
fn has_way_outside(dir: &Path) -> Result<(), String> {
    permitted(dir)?;
    if !lasthop(dir, &["shell", "--check"]).out.contains("pasta (for --outside): yes") {
        return Err("pasta is not installed".to_owned());
    }
    let routes = fs::read_to_string("/proc/net/route").unwrap_or_default();
    match routes.lines().any(|line| line.split_whitespace().nth(1) == Some("00000000")) {
        true => Ok(()),
        false => Err("the machine has no default route".to_owned()),
    }
}

/// Streams and datagrams cross the network and reach programs of the machine.
#[test]
fn outside_is_reached_through_the_network() {
    let _alone = alone();
    let dir = prepared("shell-outside");
    if let Err(reason) = has_way_outside(&dir) {
        skip::skip!("{reason}");
    }
    fs::write(dir.join("client.py"), OUTSIDE_CLIENT).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let ports = [listener.local_addr(), datagrams.local_addr()].map(|address| address.unwrap().port().to_string());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::io::Write::write_all(&mut stream, &b"lasthop".repeat(50_000)).unwrap();
    });
    std::thread::spawn(move || {
        let mut bytes = [0; 100];
        while let Ok((length, from)) = datagrams.recv_from(&mut bytes) {
            datagrams.send_to(&bytes[..length], from).unwrap();
        }
    });
    let words = ["shell", "hop.toml", "--out", "kept", "--quiet", "--outside", "--", "python3", "client.py"];
    let run = lasthop(&dir, &[&words[..], &[&ports[0], &ports[1]]].concat());
    let expected = "stream 350000 True\nmost datagrams come back True True\n['nameserver', '203.0.113.53']\n";
    assert_eq!((run.code, run.out.as_str()), (Some(0), expected), "{}", run.err);
    // Linux's own TCP sends the stream through the network.
    let segments = shown_by_tshark(&dir.join("kept/mobile.pcapng"), "ip.src == 203.0.113.1 && tcp.len > 0").len();
    assert!(segments >= 350_000 / 1448, "{segments} segments");
}

/// Processes of pasta whose parent is `parent`: its name has that of the processor's extensions in it, such as `passt.avx2`.
fn pastas(parent: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let named = processes.filter_map(|entry| {
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let (name, rest) = stat.split_once('(')?.1.split_once(')')?;
        let mut fields = rest.split_whitespace();
        let running = fields.next()? != "Z" && fields.next()? == parent.to_string();
        ((name.starts_with("pasta") || name.starts_with("passt")) && running)
            .then(|| entry.file_name().to_string_lossy().into_owned())
    });
    named.collect()
}

#[test]
fn way_outside_ends_when_lasthop_is_killed() {
    let _alone = alone();
    let dir = prepared("shell-outside-killed");
    if let Err(reason) = has_way_outside(&dir) {
        skip::skip!("{reason}");
    }
    let line = "touch started; exec sleep 300";
    let mut shell = command(&dir, &["shell", "hop.toml", "--no-out", "--outside=server", "--", "sh", "-c", line]);
    let shell = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut shell = shell.unwrap();
    let tries = || (0..500).inspect(|_| sleep(Duration::from_millis(20)));
    assert!(tries().any(|_| dir.join("started").exists()));
    let found = pastas(shell.id());
    shell.kill().unwrap();
    shell.wait().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    let gone = |pid: &String| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    assert!(tries().any(|_| found.iter().all(gone)), "pasta still runs");
}
