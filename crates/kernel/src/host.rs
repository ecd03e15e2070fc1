//! The Linux kernel as the host under test. Packets pass through its TUN device in real time.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use drill::code::PyValue;
use drill::host::{CallAnswer, LOCAL_ISS, PORTS, Stuck};
use drill::outbox::{Outbox, SentSegment};
use drill::settings::{HostSetting, SUITE_CONTROL};
use drill::syntax::ast::Call;
use drill::target::{HostClock, ScriptTarget};
use engine::{Span, Time};
use host::tun::Tun;
use nix::poll::{PollFd, PollFlags, ppoll};
use wire::{Ecn, Flags, Segment, SeqNum};

use crate::diag::{CLOSED, Diag, LISTENING, Said};
use crate::machine::{self, LOCAL, REMOTE};
use crate::packet;

/// Interval at which a blocked call is retried.
const AGAIN: Span = Span::from_nanos(200_000);

/// Longest timer tick of Linux (`CONFIG_HZ=100`).
const TICK: Span = Span::from_millis(10);

/// A socket for one of the script's file descriptors. The real socket never blocks, and blocking calls are emulated by
/// retries.
pub struct Held {
    pub socket: socket2::Socket,
    pub nonblocking: bool,
    /// Number of bytes already accepted from a blocked write.
    pub begun: usize,
}

/// The Linux kernel as the host under test.
pub struct Kernel {
    device: Tun,
    diag: Diag,
    /// Time of the script's first event; `None` before that event.
    start: Option<Instant>,
    now: Time,
    outbox: Outbox,
    pub sockets: BTreeMap<i64, Held>,
    /// Congestion control of sockets that are opened later. The default of the namespace is not used, because outside
    /// of the initial namespace it must be a control that is permitted to all users
    /// (`tcp_set_default_congestion_control`).
    pub control: String,
    /// Ports of the latest connection.
    ports: (u16, u16),
    /// Initial sequence number of the latest connection, drawn by the kernel.
    iss: Option<SeqNum>,
    /// Number of bytes written to the latest connection.
    pub written: u64,
    /// Whether the last write to the latest connection set `MSG_MORE`.
    pub more: bool,
    /// True while a call blocks.
    waiting: bool,
    buffer: Vec<u8>,
}

impl Kernel {
    /// Creates a host in a new network namespace. `Err` names the operation that the machine does not permit.
    pub fn new() -> Result<Self, String> {
        let device = machine::enter_namespace()?;
        let diag = Diag::new().map_err(|error| format!("cannot query sockets with inet_diag: {error}"))?;
        Ok(Kernel {
            device,
            diag,
            start: None,
            now: Time::ZERO,
            outbox: Outbox::default(),
            sockets: BTreeMap::new(),
            control: "cubic".into(),
            ports: (PORTS.local, PORTS.remote),
            iss: None,
            written: 0,
            more: false,
            waiting: false,
            buffer: vec![0; 1 << 16],
        })
    }

    /// Returns the real time since the script's first event.
    fn wall(&mut self) -> Time {
        let elapsed = self.start.get_or_insert_with(Instant::now).elapsed();
        Time::ZERO + Span::from_nanos(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Reads all packets that the device holds into the outbox.
    fn drain(&mut self) {
        while let Ok(Some(length)) = self.device.receive(&mut self.buffer) {
            let time = self.wall();
            // Packets other than TCP over IPv4 are the kernel's multicast on a new device (IPv6, IGMP).
            let Some((mut segment, ecn)) = wire::read::ipv4_segment(&self.buffer[..length]) else { continue };
            if segment.flags.has(Flags::SYN) && self.iss != Some(segment.seq) {
                self.iss = Some(segment.seq);
                self.ports = (segment.src_port, segment.dst_port);
                (self.written, self.more) = (0, false);
            }
            let behind = self.iss.map(|iss| u64::from(segment.seq.0.wrapping_sub(iss.0)) + u64::from(segment.len));
            // The SYN occupies one sequence number before the stream.
            let last = segment.len > 0 && behind == Some(self.written + 1) && !self.more;
            let refuses = segment.flags.has(Flags::RST) && segment.seq == SeqNum(0);
            // A RST for a segment without ACK has sequence number zero [RFC9293 s3.10.7.1], unrelated to the
            // connection's numbers.
            segment.seq = if refuses { LOCAL_ISS } else { SeqNum(segment.seq.0.wrapping_sub(self.shift())) };
            self.outbox.push(SentSegment { time, segment, ecn, last });
        }
    }

    /// Returns the difference between the kernel's sequence numbers and the sequence numbers in the script.
    fn shift(&self) -> u32 {
        self.iss.map_or(0, |iss| iss.0).wrapping_sub(LOCAL_ISS.0)
    }

    /// Returns the kernel's information about the latest connection.
    pub fn said(&self) -> io::Result<Said> {
        self.diag.ask((LOCAL, self.ports.0), (REMOTE, self.ports.1))
    }

    fn listens(&self) -> bool {
        self.sockets.values().any(|held| held.socket.is_listener().unwrap_or(false))
    }
}

impl ScriptTarget for Kernel {
    fn clock(&self) -> HostClock {
        HostClock::Wall
    }

    fn now(&self) -> Time {
        self.now
    }

    /// Returns the maximum lateness of a timer. Linux keeps timers in a wheel whose granularity grows with the length
    /// of a timer: up to an eighth of the length, and at least one tick (`kernel/time/timer.c`). A tick may begin just
    /// before the timer starts, and the wheel never expires a timer early. Therefore the minimum is two ticks.
    fn lateness(&self, span: Span) -> Span {
        if span == Span::ZERO { Span::ZERO } else { Span::from_nanos(span.as_nanos() / 8) + TICK + TICK }
    }

    fn next_timeout(&self) -> Time {
        if self.waiting { self.now + AGAIN } else { Time::NEVER }
    }

    /// Sets the time to `until` at most: the script's actions at `until` count as on time, even if the machine is late.
    fn advance(&mut self, until: Time, stop: bool) -> Result<(), Stuck> {
        loop {
            self.drain();
            if stop && let Some(sent) = self.outbox.peek() {
                self.now = self.now.max(sent.time);
                return Ok(());
            }
            let wall = self.wall();
            if wall >= until {
                self.now = self.now.max(until);
                return Ok(());
            }
            let wait = Duration::from_nanos(until.since(wall).as_nanos());
            let mut device = [PollFd::new(self.device.as_fd(), PollFlags::POLLIN)];
            // The clock decides when the wait ends, so an early wake-up is harmless.
            let _ = ppoll(&mut device, Some(wait.into()), None);
        }
    }

    fn set(&mut self, setting: &HostSetting) -> Result<Option<String>, String> {
        match setting {
            HostSetting::SuiteDefaults => SUITE_CONTROL.clone_into(&mut self.control),
            HostSetting::Parameter { name, value } if name == "net.ipv4.tcp_congestion_control" => {
                if !machine::has_control(value) {
                    return Err(format!(
                        "the congestion control {value}: not in this kernel's tcp_available_congestion_control"
                    ));
                }
                self.control.clone_from(value);
                return Ok(None);
            }
            _ => {}
        }
        machine::apply_setting(&self.device, setting).map(|()| None)
    }

    fn inject(&mut self, segment: &Segment, ecn: Ecn) -> Result<(), String> {
        let mut segment = *segment;
        let opens = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK);
        if opens && self.listens() {
            self.ports = (PORTS.local, PORTS.remote);
        }
        (segment.dst_port, segment.src_port) = self.ports;
        let shift = self.shift();
        if segment.flags.has(Flags::ACK) {
            segment.ack = segment.ack + shift;
        }
        let blocks = segment.options.sack.as_slice().iter().map(|(from, to)| (*from + shift, *to + shift));
        segment.options.sack = blocks.collect();
        self.wall();
        let bytes = packet::serialize_segment(&segment, ecn);
        self.device.send(&bytes).map_err(|error| format!("a packet of {} bytes: {error}", bytes.len()))?;
        self.drain();
        Ok(())
    }

    fn call(&mut self, call: &Call) -> CallAnswer {
        self.wall();
        let answer = self.make_call(call);
        self.waiting = answer == CallAnswer::Blocks;
        self.drain();
        answer
    }

    fn has_connection(&self) -> bool {
        self.said().is_ok_and(|said| ![CLOSED, LISTENING].contains(&said.state))
    }

    fn info(&self, name: &str) -> Option<PyValue> {
        let said = self.said().ok()?;
        said.member(name.strip_prefix("tcpi_")?).map(PyValue::Int)
    }

    fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    fn outbox_mut(&mut self) -> &mut Outbox {
        &mut self.outbox
    }
}
