//! `lasthop shell` with real namespaces, devices and TCP, where the machine permits them. No lateness is asserted.
#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;

mod bytes;
mod commands;
mod ends;
mod outside;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{lasthop, scratch};

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

/// Receives the bytes, and sends 50 datagrams: prints the received data.
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

/// The packets of a capture that pass a display filter, a line for each.
fn shown_by_tshark(capture: &Path, filter: &str) -> Vec<String> {
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(capture);
    tshark.args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]);
    let printed = tshark.args(["-Y", filter]).output().expect("tshark runs");
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    String::from_utf8_lossy(&printed.stdout).lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Tests with namespaces, devices and programs run one at a time. They measure nothing, but each of them uses the whole
/// machine.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static MACHINE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    MACHINE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
