//! The kernel under test: packets to and from its device, by the wall clock.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use drill::code::Value;
use drill::host::{Answer, LOCAL_ISS, PORTS, Stuck};
use drill::outbox::{Outbox, Sent};
use drill::settings::{SUITE_CONTROL, Setting};
use drill::syntax::ast::Call;
use drill::target::{Clock, Target};
use engine::{Span, Time};
use nix::poll::{PollFd, PollFlags, ppoll};
use tun_rs::SyncDevice;
use wire::{Ecn, Flags, Segment, SeqNum};

use crate::diag::{CLOSED, Diag, LISTENING, Said};
use crate::machine::{self, LOCAL, REMOTE};
use crate::packet;

/// How often a call that waits is tried again.
const AGAIN: Span = Span::from_nanos(200_000);

/// The longest tick that Linux can be built with (`CONFIG_HZ=100`).
const TICK: Span = Span::from_millis(10);

/// A socket behind one of the script's file descriptors. It never blocks; whether the script's does is ours to play.
pub struct Held {
    pub socket: socket2::Socket,
    pub nonblocking: bool,
    /// Bytes that a call which still waits has handed over.
    pub begun: usize,
}

/// The kernel under test.
pub struct Kernel {
    device: SyncDevice,
    diag: Diag,
    /// When the script began: at its first event.
    start: Option<Instant>,
    now: Time,
    outbox: Outbox,
    pub sockets: BTreeMap<i64, Held>,
    /// The congestion control of sockets that are opened later. The namespace's default cannot be used: outside the
    /// first namespace it may only be one that the machine permits to all users (`tcp_set_default_congestion_control`).
    pub control: String,
    /// Of the latest connection: its ports, the initial sequence number that the kernel drew, the bytes handed over,
    /// and whether the last of them wait for more.
    ports: (u16, u16),
    iss: Option<SeqNum>,
    pub written: u64,
    pub more: bool,
    /// Whether a call waits.
    waiting: bool,
    buffer: Vec<u8>,
}

impl Kernel {
    /// In a namespace of its own. `Err` says what the machine does not allow.
    pub fn new() -> Result<Self, String> {
        let device = machine::enter()?;
        let diag =
            Diag::new().map_err(|error| format!("the kernel tells nothing of its sockets (inet_diag): {error}"))?;
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

    /// The time on the wall.
    fn wall(&mut self) -> Time {
        let elapsed = self.start.get_or_insert_with(Instant::now).elapsed();
        Time::ZERO + Span::from_nanos(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Takes what the device has.
    fn drain(&mut self) {
        while let Ok(length) = self.device.recv(&mut self.buffer) {
            let time = self.wall();
            // A packet other than TCP over IPv4 is the kernel's greeting to a new device (IPv6, IGMP).
            let Some((mut segment, ecn)) = packet::read(&self.buffer[..length]) else { continue };
            if segment.flags.has(Flags::SYN) && self.iss != Some(segment.seq) {
                self.iss = Some(segment.seq);
                self.ports = (segment.src_port, segment.dst_port);
                (self.written, self.more) = (0, false);
            }
            let behind = self.iss.map(|iss| u64::from(segment.seq.0.wrapping_sub(iss.0)) + u64::from(segment.len));
            // The stream begins one behind the SYN.
            let last = segment.len > 0 && behind == Some(self.written + 1) && !self.more;
            let refuses = segment.flags.has(Flags::RST) && segment.seq == SeqNum(0);
            // A reset for a segment that acknowledges nothing has number zero [RFC9293 s3.10.7.1], of no connection.
            segment.seq = if refuses { LOCAL_ISS } else { SeqNum(segment.seq.0.wrapping_sub(self.shift())) };
            self.outbox.push(Sent { time, segment, ecn, last });
        }
    }

    /// By how much the kernel's sequence numbers are ahead of the script's.
    fn shift(&self) -> u32 {
        self.iss.map_or(0, |iss| iss.0).wrapping_sub(LOCAL_ISS.0)
    }

    /// The kernel's report of the latest connection.
    pub fn said(&self) -> io::Result<Said> {
        self.diag.ask((LOCAL, self.ports.0), (REMOTE, self.ports.1))
    }

    fn listens(&self) -> bool {
        self.sockets.values().any(|held| held.socket.is_listener().unwrap_or(false))
    }
}

impl Target for Kernel {
    fn clock(&self) -> Clock {
        Clock::Wall
    }

    fn now(&self) -> Time {
        self.now
    }

    /// Linux keeps its timers in a wheel that is coarser the longer they are: by an eighth of their length at most, and
    /// never finer than a tick (`kernel/time/timer.c`). A tick may begin just before the timer, and the wheel never
    /// expires one early, so there are two.
    fn lateness(&self, span: Span) -> Span {
        if span == Span::ZERO { Span::ZERO } else { Span::from_nanos(span.as_nanos() / 8) + TICK + TICK }
    }

    fn next_timeout(&self) -> Time {
        if self.waiting { self.now + AGAIN } else { Time::NEVER }
    }

    /// The time does not run ahead of the script: what it does at `until` counts as done then, however late the machine
    /// is.
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
            // Woken early or not, the clock decides.
            let _ = ppoll(&mut device, Some(wait.into()), None);
        }
    }

    fn set(&mut self, setting: &Setting) -> Result<Option<String>, String> {
        match setting {
            Setting::SuiteDefaults => SUITE_CONTROL.clone_into(&mut self.control),
            Setting::Parameter { name, value } if name == "net.ipv4.tcp_congestion_control" => {
                if !machine::has_control(value) {
                    return Err(format!("the congestion control {value}, which this kernel does not have"));
                }
                self.control.clone_from(value);
                return Ok(None);
            }
            _ => {}
        }
        machine::set(&self.device, setting).map(|()| None)
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
        let bytes = packet::written(&segment, ecn);
        self.device.send(&bytes).map_err(|error| format!("a packet of {} bytes: {error}", bytes.len()))?;
        self.drain();
        Ok(())
    }

    fn call(&mut self, call: &Call) -> Answer {
        self.wall();
        let answer = self.called(call);
        self.waiting = answer == Answer::Blocks;
        self.drain();
        answer
    }

    fn has_connection(&self) -> bool {
        self.said().is_ok_and(|said| ![CLOSED, LISTENING].contains(&said.state))
    }

    fn info(&self, name: &str) -> Option<Value> {
        let said = self.said().ok()?;
        said.member(name.strip_prefix("tcpi_")?).map(Value::Int)
    }

    fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    fn outbox_mut(&mut self) -> &mut Outbox {
        &mut self.outbox
    }
}
