//! A bottleneck between two of the machine's own ends of TCP, in real time: `--path`.
//!
//! Sender and receiver have a network namespace each, with a TUN device; what leaves one device goes through a queue, a rate,
//! losses and a delay that are made here, and into the other. Losses come behind the bottleneck, as on a wire of our
//! scenarios; the way back has no rate. Late waking does not cost rate: a packet's sending begins when the one before has
//! been sent, not when this program looks.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::SocketAddrV4;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, ppoll};
use socket2::{Domain, Protocol, Socket, Type};
use tun_rs::SyncDevice;

use crate::diag::Diag;
use crate::machine::{self, LOCAL, REMOTE};

/// Where the receivers listen.
const PORT: u16 = 5001;
/// How often the senders are asked for their round trips.
const ASKED: Duration = Duration::from_millis(10);

/// What is between the ends, and what they send.
#[derive(Clone, Debug)]
pub struct Path {
    /// Bits per second.
    pub rate: f64,
    /// There and back, without sending times.
    pub rtt: Duration,
    /// Packets that may wait.
    pub queue: usize,
    /// The chance of a loss behind the bottleneck, and on the way back.
    pub loss: [f64; 2],
    /// The chance of a loss before the bottleneck.
    pub loss_before: f64,
    pub lasts: Duration,
    pub seed: u64,
    /// Congestion control and beginning of each flow.
    pub flows: Vec<(String, Duration)>,
    /// Whether to print what each flow got every second.
    pub verbose: bool,
}

/// What a flow did.
struct Flow {
    control: String,
    port: u16,
    start: Duration,
    sender: Socket,
    receiver: Option<Socket>,
    connected: bool,
    received: u64,
    before: u64,
    /// Smoothed round trips, summed, and how many.
    rtts: (f64, u64),
}

/// One way through the path.
struct Way {
    rate: f64,
    delay: Duration,
    queue: usize,
    /// When those that wait or are being sent will have been sent.
    sent: VecDeque<Instant>,
    /// On their way: when they arrive.
    flying: VecDeque<(Instant, Vec<u8>)>,
    dropped: u64,
    lost: u64,
    packets: u64,
}

impl Way {
    fn new(rate: f64, delay: Duration, queue: usize) -> Self {
        Way { rate, delay, queue, sent: VecDeque::new(), flying: VecDeque::new(), dropped: 0, lost: 0, packets: 0 }
    }

    /// A packet comes, which is lost behind the bottleneck, or `before` it.
    fn take(&mut self, now: Instant, packet: &[u8], lost: bool, before: bool) {
        self.packets += 1;
        if before {
            self.lost += 1;
            return;
        }
        while self.sent.front().is_some_and(|sent| *sent <= now) {
            self.sent.pop_front();
        }
        // The one being sent does not wait.
        if self.sent.len() > self.queue {
            self.dropped += 1;
            return;
        }
        let begins = self.sent.back().map_or(now, |sent| (*sent).max(now));
        let sent = begins + Duration::from_secs_f64(packet.len() as f64 * 8.0 / self.rate);
        self.sent.push_back(sent);
        if lost {
            self.lost += 1;
        } else {
            self.flying.push_back((sent + self.delay, packet.to_vec()));
        }
    }
}

/// Chance from a seed: SplitMix64 (Steele, Lea, Flood 2014).
struct Chance(u64);

impl Chance {
    fn happens(&mut self, chance: f64) -> bool {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64 <= chance && chance > 0.0
    }
}

fn socket() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// The device and the buffers of a long fat path, in the namespace that was just entered.
fn widen() -> Result<(), String> {
    for (name, value) in [("tcp_rmem", "4096 131072 67108864"), ("tcp_wmem", "4096 131072 67108864")] {
        machine::parameter(&format!("net.ipv4.{name}"), value)?;
    }
    // No flow begins with what another has found out.
    machine::parameter("net.ipv4.tcp_no_metrics_save", "1")?;
    // The queue of the device itself is to be none.
    machine::ip(&["link", "set", "tun0", "txqueuelen", "100000"])
}

/// Runs the flows; a line for each.
pub fn run(path: &Path) -> Result<(), String> {
    let text = |error: io::Error| error.to_string();
    let near = machine::enter_as(LOCAL)?;
    widen()?;
    let mut flows = Vec::new();
    let diag = Diag::new().map_err(text)?;
    for ((control, start), port) in path.flows.iter().zip(PORT..) {
        let sender = socket().map_err(text)?;
        sender.set_tcp_congestion(control.as_bytes()).map_err(|error| format!("{control}: {error}"))?;
        sender.set_tcp_notsent_lowat(1 << 17).map_err(text)?;
        flows.push(Flow {
            control: control.clone(),
            port,
            start: *start,
            sender,
            receiver: None,
            connected: false,
            received: 0,
            before: 0,
            rtts: (0.0, 0),
        });
    }
    let far = machine::enter_as(REMOTE)?;
    widen()?;
    let listeners: Vec<Socket> = flows
        .iter()
        .map(|flow| {
            let listener = socket()?;
            listener.bind(&SocketAddrV4::new(REMOTE, flow.port).into())?;
            listener.listen(1)?;
            Ok(listener)
        })
        .collect::<io::Result<_>>()
        .map_err(text)?;
    let mut world = World {
        path,
        devices: [near, far],
        diag,
        ways: [
            Way::new(path.rate, path.rtt / 2, path.queue),
            // Fast enough not to matter.
            Way::new(1e10, path.rtt / 2, usize::MAX),
        ],
        chance: Chance(path.seed),
        flows,
        listeners,
        buffer: vec![0; 1 << 20],
        start: Instant::now(),
    };
    world.run().map_err(text)?;
    world.report();
    Ok(())
}

struct World<'a> {
    path: &'a Path,
    devices: [SyncDevice; 2],
    /// In the sender's namespace.
    diag: Diag,
    /// From the sender, and back.
    ways: [Way; 2],
    chance: Chance,
    flows: Vec<Flow>,
    listeners: Vec<Socket>,
    buffer: Vec<u8>,
    start: Instant,
}

impl World<'_> {
    fn run(&mut self) -> io::Result<()> {
        let (mut asked, mut second) = (self.start, 1);
        loop {
            let now = Instant::now();
            if now >= self.start + self.path.lasts {
                return Ok(());
            }
            self.move_packets()?;
            self.serve(now)?;
            if now >= asked {
                asked += ASKED;
                self.ask();
            }
            if self.path.verbose && now >= self.start + Duration::from_secs(second) {
                let got = self.flows.iter_mut().map(|flow| {
                    let bits = 8 * (flow.received - std::mem::replace(&mut flow.before, flow.received));
                    format!(" {:.3}", bits as f64 / 1e6)
                });
                println!("{second} s:{}", got.collect::<String>());
                second += 1;
            }
            self.wait(asked);
        }
    }

    /// From the devices into the ways, and from the ways into the devices.
    fn move_packets(&mut self) -> io::Result<()> {
        for index in 0..2 {
            while let Ok(length) = self.devices[index].recv(&mut self.buffer) {
                let lost = self.chance.happens(self.path.loss[index]);
                let before = index == 0 && self.chance.happens(self.path.loss_before);
                let packet = &self.buffer[..length];
                // What is no IPv4 is the kernel's greeting to a new device.
                if packet.first().is_some_and(|byte| byte >> 4 == 4) && packet.get(9) == Some(&6) {
                    self.ways[index].take(Instant::now(), packet, lost, before);
                }
            }
        }
        let now = Instant::now();
        for index in 0..2 {
            while self.ways[index].flying.front().is_some_and(|(at, _)| *at <= now) {
                let (_, packet) = self.ways[index].flying.pop_front().expect("there is one");
                self.devices[1 - index].send(&packet)?;
            }
        }
        Ok(())
    }

    /// The applications: one writes all it can, the other reads all there is.
    fn serve(&mut self, now: Instant) -> io::Result<()> {
        for (index, flow) in self.flows.iter_mut().enumerate() {
            if !flow.connected {
                if now < self.start + flow.start {
                    continue;
                }
                let to = SocketAddrV4::new(REMOTE, flow.port);
                flow.connected = true;
                match flow.sender.connect(&to.into()) {
                    Ok(()) => {}
                    Err(error) if error.raw_os_error() == Some(115) => {}
                    Err(error) => return Err(error),
                }
            }
            if flow.receiver.is_none()
                && let Ok((receiver, _)) = self.listeners[index].accept()
            {
                receiver.set_nonblocking(true)?;
                flow.receiver = Some(receiver);
            }
            let some = &self.buffer[..1 << 18];
            while matches!((&flow.sender).write(some), Ok(written) if written > 0) {}
            if let Some(receiver) = &flow.receiver {
                while let Ok(read) = (&*receiver).read(&mut self.buffer)
                    && read > 0
                {
                    flow.received += read as u64;
                }
            }
        }
        Ok(())
    }

    fn ask(&mut self) {
        for flow in self.flows.iter_mut().filter(|flow| flow.receiver.is_some()) {
            let local = flow.sender.local_addr().ok().and_then(|address| address.as_socket_ipv4());
            let Some(local) = local else { continue };
            let said = self.diag.ask((LOCAL, local.port()), (REMOTE, flow.port));
            if let Some(micros) = said.ok().and_then(|said| said.member("rtt")).filter(|micros| *micros > 0) {
                flow.rtts = (flow.rtts.0 + micros as f64 / 1000.0, flow.rtts.1 + 1);
            }
        }
    }

    /// Until a device has something, a packet arrives, or the senders are to be asked.
    fn wait(&self, asked: Instant) {
        let arrivals = self.ways.iter().filter_map(|way| way.flying.front()).map(|(at, _)| *at);
        let until = arrivals.chain([asked]).min().unwrap_or(asked);
        let wait = until.saturating_duration_since(Instant::now());
        let mut devices: Vec<PollFd<'_>> =
            self.devices.iter().map(|device| PollFd::new(device.as_fd(), PollFlags::POLLIN)).collect();
        let _ = ppoll(&mut devices, Some(wait.into()), None);
    }

    fn report(&self) {
        for flow in &self.flows {
            let lasted = self.path.lasts - flow.start;
            println!(
                "{}: {:.3} Mbps, smoothed round trip {:.1} ms",
                flow.control,
                8e-6 * flow.received as f64 / lasted.as_secs_f64(),
                flow.rtts.0 / flow.rtts.1.max(1) as f64,
            );
        }
        let Way { packets, dropped, lost, .. } = &self.ways[0];
        println!("{packets} packets, {dropped} found the queue full, {lost} lost");
    }
}
