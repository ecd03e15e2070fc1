//! A path emulated in real time between two TCP ends of the machine's kernel.
//!
//! Sender and receiver have a network namespace each, with a TUN device. Packets from one device pass an emulated
//! queue, rate, losses and delay to the other device. Late wake-ups do not reduce the rate: a transmission begins when
//! the previous one ends, not when this program runs.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::SocketAddrV4;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use host::ip::run_ip;
use host::tun::Tun;
use nix::poll::{PollFd, PollFlags, ppoll};
use socket2::{Domain, Protocol, Socket, Type};

use crate::diag::Diag;
use crate::machine::{self, LOCAL, REMOTE};
use crate::path::measured::{FlowMeasurements, RunMeasurements};
use crate::path::{BottleneckPath, SAMPLING};

/// Port of the first receiver. The other receivers have the following ports.
const PORT: u16 = 5001;

/// State and measurements of a flow.
struct KernelFlow {
    port: u16,
    start: Duration,
    sender: Socket,
    receiver: Option<Socket>,
    connected: bool,
    received: u64,
    before: u64,
    /// Smoothed round trip times in ms, one every [`SAMPLING`].
    round_trips: Vec<f64>,
}

/// One direction of the path.
struct EmulatedDirection {
    rate: f64,
    delay: Duration,
    queue: usize,
    /// End times of the transmissions of packets that wait or are in transmission.
    sent: VecDeque<Instant>,
    /// Packets in propagation, with their arrival times.
    flying: VecDeque<(Instant, Vec<u8>)>,
    dropped: u64,
    lost: u64,
    packets: u64,
}

/// Where a packet is lost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EmulatedLoss {
    Nowhere,
    BeforeQueue,
    BehindQueue,
}

impl EmulatedDirection {
    fn new(rate: f64, delay: Duration, queue: usize) -> Self {
        EmulatedDirection {
            rate,
            delay,
            queue,
            sent: VecDeque::new(),
            flying: VecDeque::new(),
            dropped: 0,
            lost: 0,
            packets: 0,
        }
    }

    /// Enqueues a packet.
    fn take(&mut self, now: Instant, packet: &[u8], loss: EmulatedLoss) {
        self.packets += 1;
        if loss == EmulatedLoss::BeforeQueue {
            self.lost += 1;
            return;
        }
        self.forget_sent(now);
        // The packet in transmission does not count as waiting.
        if self.sent.len() > self.queue {
            self.dropped += 1;
            return;
        }
        let begins = self.sent.back().map_or(now, |sent| (*sent).max(now));
        let sent = begins + Duration::from_secs_f64(packet.len() as f64 * 8.0 / self.rate);
        self.sent.push_back(sent);
        if loss == EmulatedLoss::BehindQueue {
            self.lost += 1;
        } else {
            self.flying.push_back((sent + self.delay, packet.to_vec()));
        }
    }

    fn forget_sent(&mut self, now: Instant) {
        while self.sent.front().is_some_and(|sent| *sent <= now) {
            self.sent.pop_front();
        }
    }

    /// Returns the number of packets in the queue, without the one in transmission.
    fn waiting(&mut self, now: Instant) -> usize {
        self.forget_sent(now);
        self.sent.len().saturating_sub(1)
    }
}

/// Random number generator: SplitMix64 (Steele, Lea, Flood 2014).
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

fn open_socket() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// Configures device and buffers for a large bandwidth-delay product, in the namespace entered last.
fn raise_limits(device: &Tun, gso: Option<u32>) -> Result<(), String> {
    for (name, value) in [("tcp_rmem", "4096 131072 67108864"), ("tcp_wmem", "4096 131072 67108864")] {
        machine::set_parameter(&format!("net.ipv4.{name}"), value)?;
    }
    // Flows do not reuse metrics of earlier flows.
    machine::set_parameter("net.ipv4.tcp_no_metrics_save", "1")?;
    if let Some(segments) = gso {
        let segments = segments.to_string();
        run_ip(&["link", "set", "tun0", "gso_max_segs", &segments]).map_err(|error| error.to_string())?;
    }
    // The queue of the device must never overflow.
    device.set_queue(100_000).map_err(|error| error.to_string())
}

/// Runs the flows over `path`. `gso` is the maximum number of segments in an offload packet, `None` for the kernel's
/// default; `verbose` prints the throughput of each flow every second.
pub fn run_kernel_flows(
    path: &BottleneckPath,
    seed: u64,
    gso: Option<u32>,
    verbose: bool,
) -> Result<RunMeasurements, String> {
    let text = |error: io::Error| error.to_string();
    let near = machine::enter_namespace_as(LOCAL)?;
    raise_limits(&near, gso)?;
    let mut flows = Vec::new();
    let diag = Diag::new().map_err(text)?;
    for (flow, port) in path.flows.iter().zip(PORT..) {
        let sender = open_socket().map_err(text)?;
        let unknown = |error| format!("congestion control {}: {error}", flow.control);
        sender.set_tcp_congestion(flow.control.as_bytes()).map_err(unknown)?;
        sender.set_tcp_notsent_lowat(1 << 17).map_err(text)?;
        flows.push(KernelFlow {
            port,
            start: flow.start,
            sender,
            receiver: None,
            connected: false,
            received: 0,
            before: 0,
            round_trips: Vec::new(),
        });
    }
    let far = machine::enter_namespace_as(REMOTE)?;
    raise_limits(&far, gso)?;
    let listeners: Vec<Socket> = flows
        .iter()
        .map(|flow| {
            let listener = open_socket()?;
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
            EmulatedDirection::new(path.rate, path.delay, path.queue),
            EmulatedDirection::new(path.rate, path.delay, path.queue),
        ],
        chance: Chance(seed),
        verbose,
        queue: Vec::new(),
        flows,
        listeners,
        buffer: vec![0; 1 << 20],
        start: Instant::now(),
    };
    world.drive().map_err(text)?;
    Ok(world.into_measurements())
}

struct World<'a> {
    path: &'a BottleneckPath,
    devices: [Tun; 2],
    /// Socket for `inet_diag` in the sender's namespace.
    diag: Diag,
    /// The forward and the backward direction, seen from the sender.
    ways: [EmulatedDirection; 2],
    chance: Chance,
    verbose: bool,
    /// Number of packets waiting at the bottleneck, one value every [`SAMPLING`].
    queue: Vec<usize>,
    flows: Vec<KernelFlow>,
    listeners: Vec<Socket>,
    buffer: Vec<u8>,
    start: Instant,
}

impl World<'_> {
    fn drive(&mut self) -> io::Result<()> {
        let sampling = Duration::from_nanos(SAMPLING.as_nanos());
        let (mut sampled, mut second) = (self.start + sampling, 1);
        loop {
            let now = Instant::now();
            if now >= self.start + self.path.lasts {
                return Ok(());
            }
            self.move_packets()?;
            self.serve(now)?;
            if now >= sampled {
                sampled += sampling;
                self.sample(now);
            }
            if self.verbose && now >= self.start + Duration::from_secs(second) {
                let got = self.flows.iter_mut().map(|flow| {
                    let bits = 8 * (flow.received - std::mem::replace(&mut flow.before, flow.received));
                    format!(" {:.3}", bits as f64 / 1e6)
                });
                println!("{second} s:{}", got.collect::<String>());
                second += 1;
            }
            self.wait(sampled);
        }
    }

    /// Moves packets from the devices into the emulated path, and arrived ones from the path to the devices.
    fn move_packets(&mut self) -> io::Result<()> {
        for index in 0..2 {
            while let Ok(Some(length)) = self.devices[index].receive(&mut self.buffer) {
                let behind = self.chance.happens(self.path.loss_behind);
                let access = self.chance.happens(self.path.loss_before);
                // The bottleneck comes before the access link in the backward direction.
                let loss = if index == 0 && access {
                    EmulatedLoss::BeforeQueue
                } else if access || behind {
                    EmulatedLoss::BehindQueue
                } else {
                    EmulatedLoss::Nowhere
                };
                let packet = &self.buffer[..length];
                // Packets other than TCP over IPv4 are the kernel's multicast on a new device.
                if packet.first().is_some_and(|byte| byte >> 4 == 4) && packet.get(9) == Some(&6) {
                    self.ways[index].take(Instant::now(), packet, loss);
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

    /// Runs the applications: each sender writes and each receiver reads as much as possible.
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

    fn sample(&mut self, now: Instant) {
        self.queue.push(self.ways[0].waiting(now));
        for flow in self.flows.iter_mut().filter(|flow| flow.receiver.is_some()) {
            let local = flow.sender.local_addr().ok().and_then(|address| address.as_socket_ipv4());
            let Some(local) = local else { continue };
            let said = self.diag.ask((LOCAL, local.port()), (REMOTE, flow.port));
            if let Some(micros) = said.ok().and_then(|said| said.member("rtt")).filter(|micros| *micros > 0) {
                flow.round_trips.push(micros as f64 / 1000.0);
            }
        }
    }

    /// Waits until a device has a packet, a packet arrives, or a sample is due.
    fn wait(&self, sampled: Instant) {
        let arrivals = self.ways.iter().filter_map(|way| way.flying.front()).map(|(at, _)| *at);
        let until = arrivals.chain([sampled]).min().unwrap_or(sampled);
        let wait = until.saturating_duration_since(Instant::now());
        let mut devices: Vec<PollFd<'_>> =
            self.devices.iter().map(|device| PollFd::new(device.as_fd(), PollFlags::POLLIN)).collect();
        let _ = ppoll(&mut devices, Some(wait.into()), None);
    }

    fn into_measurements(self) -> RunMeasurements {
        let flow = |flow: KernelFlow| {
            let lasted = self.path.lasts.saturating_sub(flow.start);
            let goodput = flow.received as f64 * 8.0 / lasted.as_secs_f64() / 1e6;
            FlowMeasurements { goodput, round_trips: flow.round_trips }
        };
        RunMeasurements { flows: self.flows.into_iter().map(flow).collect(), queue: self.queue }
    }
}
