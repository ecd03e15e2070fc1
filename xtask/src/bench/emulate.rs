//! Measures the accuracy of emulation: datagrams at a constant rate in both directions through `lasthop shell`.

#![expect(clippy::disallowed_methods, reason = "real programs run in real time")]

use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use super::lasthop;
use crate::workspace;

/// Subcommand of the program at each node.
pub const DATAGRAMS: &str = "__datagrams";

const PORT: u16 = 6000;

/// Payload of a packet of 1500 bytes.
const PAYLOAD: usize = 1472;

/// Time on the path of the scenario in microseconds: 20 ms, a packet of 1500 bytes at 1 Gbps, and at 200 Mbps.
const EXACT_US: f64 = 20_000.0 + 12.0 + 60.0;

const SCENARIO: &str = r#"
duration = "10 s"
[nodes]
server = { kind = "host" }
station = { kind = "base-station" }
mobile = { kind = "host" }
[links.wire]
kind = "wired"
between = ["server", "station"]
rate = "1 Gbps"
delay = "15 ms"
[links.air]
kind = "wireless"
between = ["station", "mobile"]
rate = "200 Mbps"
delay = "5 ms"
[flows.download]
from = "server"
to = "mobile"
"#;

/// Settings of a measurement.
struct EmulationSettings {
    rates: Vec<f64>,
    seconds: u64,
    real_time: bool,
    program: Option<PathBuf>,
}

impl EmulationSettings {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut settings =
            EmulationSettings { rates: vec![10.0, 50.0, 100.0], seconds: 10, real_time: true, program: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().copied().ok_or_else(|| format!("{word} without a value"));
            let number = |text: &str| text.parse::<f64>().map_err(|_| format!("{word} {text}: expected a number"));
            match *word {
                "--rates" => settings.rates = value()?.split(',').map(number).collect::<Result<_, _>>()?,
                "--seconds" => settings.seconds = number(value()?)?.clamp(1.0, 3600.0) as u64,
                "--normal-priority" => settings.real_time = false,
                "--program" => settings.program = Some(value()?.into()),
                word => return Err(format!("unknown option `{word}` of bench emulate")),
            }
        }
        Ok(settings)
    }
}

/// Measures emulation at several rates and prints a table.
pub fn measure_emulation(words: &[&str]) -> Result<(), String> {
    let settings = EmulationSettings::parse(words)?;
    let program = match &settings.program {
        Some(program) => program.clone(),
        None => {
            lasthop::build_release()?;
            lasthop::release_path()
        }
    };
    let dir = workspace::target_folder().join("bench-emulate");
    fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    fs::write(dir.join("path.toml"), SCENARIO).map_err(|error| error.to_string())?;
    let mut table = format!(
        "{:>9}  {:>9}  {:>9}  {:>9}  {:>6}  {:>10}  {:>10}  {:>9}  {:>9}  {:>9}\n",
        "sent Mbps",
        "down Mbps",
        "up Mbps",
        "crossed",
        "unread",
        "delay p50",
        "delay p99",
        "late p50",
        "late p99",
        "late max"
    );
    for rate in &settings.rates {
        table.push_str(&measure_rate(&program, &dir, *rate, &settings)?);
    }
    table.push_str(
        "times in us; crossed: packets that left the emulation; unread: packets that did not reach the programs, dropped by\n\
         a device's or a socket's queue; delay: one-way between the programs, without the 20,072 us of the path itself\n",
    );
    workspace::print_text(&table)
}

/// Measures one run, and returns its line of the table.
fn measure_rate(program: &Path, dir: &Path, rate: f64, settings: &EmulationSettings) -> Result<String, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let end =
        |there: &str| [DATAGRAMS, there, &rate.to_string(), &settings.seconds.to_string()].map(str::to_owned).to_vec();
    let far = format!("server={} {} > {}", own.display(), end("10.0.0.3").join(" "), dir.join("server").display());
    let mut shell = Command::new(program);
    shell.current_dir(dir).args(["shell", "path.toml", "--quiet", "--out", "result", "--and", &far]);
    shell.args(settings.real_time.then_some("--real-time")).arg("--").arg(&own).args(end("10.0.0.1"));
    let near = workspace::read_output(&mut shell)?;
    let far =
        fs::read_to_string(dir.join("server")).map_err(|error| format!("no measurement at the server: {error}"))?;
    let report = fs::read_to_string(dir.join("result/emulation.json")).map_err(|error| error.to_string())?;
    let [near, far, report] = [&near, &far, &report].map(|text| serde_json::from_str::<Value>(text));
    let text = |error: serde_json::Error| error.to_string();
    let (near, far, report) = (near.map_err(text)?, far.map_err(text)?, report.map_err(text)?);
    let of = |value: &Value, key: &str| value[key].as_f64().unwrap_or(f64::NAN);
    let (late, packets) = (&report["lateness"], &report["packets"]);
    let unread = of(&near, "lost") + of(&far, "lost");
    Ok(format!(
        "{rate:>9}  {:>9.2}  {:>9.2}  {:>9}  {unread:>6}  {:>10.0}  {:>10.0}  {:>9.0}  {:>9.0}  {:>9.0}\n",
        of(&near, "mbps"),
        of(&far, "mbps"),
        packets["verbatim"],
        of(&near, "p50_us").max(of(&far, "p50_us")) - EXACT_US,
        of(&near, "p99_us").max(of(&far, "p99_us")) - EXACT_US,
        of(late, "p50_us"),
        of(late, "p99_us"),
        of(late, "max_us"),
    ))
}

/// Runs the program at a node, which sends datagrams at a rate in Mbps and receives datagrams of the other node. Prints
/// the measurements.
pub fn exchange_datagrams(words: &[&str]) -> Result<(), String> {
    let [there, rate, seconds] = words else { return Err("expected an address, a rate and a duration".into()) };
    let rate: f64 = rate.parse().map_err(|_| format!("rate {rate}"))?;
    let seconds: u64 = seconds.parse().map_err(|_| format!("duration {seconds}"))?;
    let text = |error: std::io::Error| error.to_string();
    let socket = UdpSocket::bind(("0.0.0.0", PORT)).map_err(text)?;
    socket.connect((*there, PORT)).map_err(text)?;
    socket.set_read_timeout(Some(Duration::from_secs(1))).map_err(text)?;
    let sender = socket.try_clone().map_err(text)?;
    let interval = Duration::from_secs_f64((PAYLOAD + 28) as f64 * 8.0 / (rate * 1e6));
    let sending = thread::spawn(move || send_datagrams(&sender, interval, Duration::from_secs(seconds)));
    let printed = receive_datagrams(&socket, Duration::from_secs(seconds + 1));
    let _ = sending.join();
    workspace::print_text(&format!("{printed}\n"))?;
    // The emulation ends with the first program. By then the other program has printed its output.
    thread::sleep(Duration::from_secs(2));
    Ok(())
}

/// Clock shared by both nodes.
fn read_clock() -> f64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

fn send_datagrams(socket: &UdpSocket, interval: Duration, lasts: Duration) {
    // Both nodes have started.
    thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    let mut packet = [0; PAYLOAD];
    for number in 0_u64.. {
        let due = interval.mul_f64(number as f64);
        if due >= lasts {
            break;
        }
        thread::sleep(due.saturating_sub(start.elapsed()));
        packet[..8].copy_from_slice(&number.to_le_bytes());
        packet[8..16].copy_from_slice(&read_clock().to_bits().to_le_bytes());
        // A device with a full queue drops the datagram, and the receiver counts the loss.
        let _ = socket.send(&packet);
    }
}

fn receive_datagrams(socket: &UdpSocket, lasts: Duration) -> String {
    let end = Instant::now() + lasts;
    let mut packet = [0; 2048];
    let (mut delays, mut last, mut times) = (Vec::new(), 0, None);
    while Instant::now() < end {
        let Ok(length) = socket.recv(&mut packet) else { continue };
        let now = read_clock();
        if length != PAYLOAD {
            continue;
        }
        let word = |at: usize| u64::from_le_bytes(packet[at..at + 8].try_into().unwrap_or_default());
        delays.push((now - f64::from_bits(word(8))) * 1e6);
        last = last.max(word(0) + 1);
        let (first, _) = times.unwrap_or((now, now));
        times = Some((first, now));
    }
    delays.sort_by(f64::total_cmp);
    let quantile = |q: f64| delays.get((q * delays.len() as f64) as usize).copied().unwrap_or(f64::NAN);
    let seconds = times.map_or(f64::NAN, |(first, last)| last - first);
    let mbps = (delays.len() as f64 - 1.0) * (PAYLOAD + 28) as f64 * 8.0 / seconds / 1e6;
    let lost = last - delays.len() as u64;
    serde_json::json!({ "mbps": mbps, "lost": lost, "p50_us": quantile(0.5), "p99_us": quantile(0.99) }).to_string()
}
