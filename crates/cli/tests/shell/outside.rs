//! The machine's own network, reached through the scenario's network.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::common::{command, lasthop};
use super::{alone, permitted, prepared, shown_by_tshark};

/// Fetches data from the machine over TCP, and sends datagrams to it that are echoed.
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

/// Whether the machine has a route outside.
fn has_route_outside(dir: &Path) -> Result<(), String> {
    permitted(dir)?;
    let routes = fs::read_to_string("/proc/net/route").unwrap_or_default();
    if routes.lines().any(|line| line.split_whitespace().nth(1) == Some("00000000")) {
        Ok(())
    } else {
        Err("the machine has no default route".to_owned())
    }
}

/// Streams and datagrams cross the network and reach programs of the machine.
#[test]
fn outside_host_is_reached_through_the_simulated_network() {
    skip::need!("pasta");
    skip::need!("python3");
    skip::need!("tshark");
    let _alone = alone();
    let dir = prepared("shell-outside");
    if let Err(reason) = has_route_outside(&dir) {
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

/// Runs its arguments on a machine without `/etc/resolv.conf`.
const WITHOUT_RESOLVER: &str = r#"
cp /etc/hosts hosts && mount -t tmpfs etc /etc && cp hosts /etc && exec "$@"
"#;

#[test]
fn node_names_resolve_on_a_machine_without_a_resolver() {
    skip::need!("pasta");
    skip::need!("python3");
    skip::need!("unshare");
    let _alone = alone();
    let dir = prepared("shell-outside-unresolved");
    if let Err(reason) = has_route_outside(&dir) {
        skip::skip!("{reason}");
    }
    let shell = command(&dir, &["shell", "hop.toml", "--no-out", "--outside", "--"]);
    let mut unshared = Command::new("unshare");
    unshared.args(["--user", "--map-root-user", "--mount", "sh", "-c", WITHOUT_RESOLVER, "sh"]);
    unshared.arg(shell.get_program()).args(shell.get_args()).current_dir(&dir);
    unshared.args(["python3", "-c", "import socket; print(socket.gethostbyname('mobile'))"]);
    let run = unshared.stdin(Stdio::null()).output().unwrap();
    let [out, err] = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(out.starts_with("10.0.0."), "{out}{err}");
    assert!(err.contains("mobile find outside hosts by address only: /etc/resolv.conf: No such file"), "{err}");
    assert!(!err.contains("find nodes by address only"), "{err}");
}

/// Returns the processes of pasta whose parent is `parent`. Their name includes the processor's extensions, such as
/// `passt.avx2`.
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
fn gateway_ends_when_lasthop_is_killed() {
    skip::need!("pasta");
    let _alone = alone();
    let dir = prepared("shell-outside-killed");
    if let Err(reason) = has_route_outside(&dir) {
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
