//! Drives one agent between two hosts, and draws its packets as a ladder diagram.
//!
//! A test sets the time and sends packets from each side; the agent's timers run in between. Each packet becomes a
//! line:
//!
//! ```text
//!         ms fixed host                                                              mobile
//!    110.000 0..1000 -------------------------> | 0..1000 ------------------------->
//!    112.000                                    x <----------------- ack 0 win 8000  taken
//!    112.000                                    o 0..1000 ------------------------->  sent urgently
//! ```
//!
//! `ladder.compare("snoop/first-duplicate")` compares the ladder with `tests/golden/snoop/first-duplicate.txt`; with
//! `UPDATE_GOLDEN=1` it overwrites that file, whose changes must then be reviewed.

mod text;

use std::fmt::Write as _;
use std::ops::Deref;
use std::path::Path;

use contracts::Breach;
use contracts::agent::Driver;
#[allow(unused_imports, reason = "each test file uses some of it")]
pub use contracts::agent::hosts::{FIXED, HERE, MOBILE, flow_ports, from_fixed, from_mobile, of_flow};
use engine::Time;
use path::agent::{Agent, AgentConfig, AgentCx, AgentVerdict, Departure};
use path::channel::ChannelState;
use path::outcome::RadioNotice;
use path::{LinkDirection, LinkId};
use wire::{Options, Packet, SeqNum};

/// Returns a segment from the fixed host with `len` bytes from `seq` on.
pub fn data(seq: u32, len: u32) -> Packet {
    from_fixed(|segment| (segment.seq, segment.len) = (SeqNum(seq), len))
}

/// Returns an acknowledgment from the mobile, with SACK blocks.
pub fn ack_with(ack: u32, sack: &[(u32, u32)]) -> Packet {
    from_mobile(|segment| {
        segment.ack = SeqNum(ack);
        segment.options =
            Options { sack: sack.iter().map(|(a, b)| (SeqNum(*a), SeqNum(*b))).collect(), ..segment.options };
    })
}

/// Returns an acknowledgment from the mobile.
pub fn ack(ack: u32) -> Packet {
    ack_with(ack, &[])
}

/// An agent driven step by step; a broken contract of all agents is a panic.
pub struct Fed(Driver);

impl Fed {
    /// Creates an agent. Panics if the scheme has no agent.
    pub fn new(config: &AgentConfig) -> Self {
        Fed(kept(Driver::new(config)).unwrap_or_else(|| panic!("{} has no agent", config.name())))
    }

    /// Advances the time to `to`; calls `observe` for each wake-up with the packets sent.
    pub fn until(&mut self, to: Time, observe: impl FnMut(Time, Vec<Departure>)) {
        kept(self.0.advance(to, observe));
    }

    /// Calls a method of the agent now; returns its result and the packets sent.
    pub fn act<T>(&mut self, act: impl FnOnce(&mut dyn Agent, &mut AgentCx<'_>) -> T) -> (T, Vec<Departure>) {
        kept(self.0.call("act", act))
    }
}

impl Deref for Fed {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.0
    }
}

fn kept<T>(result: Result<T, Breach>) -> T {
    result.unwrap_or_else(|breach| panic!("{breach}"))
}

/// An agent driven step by step, with the ladder drawn so far.
pub struct Ladder {
    fed: Fed,
    lines: String,
}

impl Ladder {
    /// Creates a ladder; `title` describes the test.
    pub fn new(title: &str, config: &AgentConfig) -> Self {
        let mut lines = format!("{title}\n\n");
        text::head(&mut lines);
        Ladder { fed: Fed::new(config), lines }
    }

    /// Advances the time to this many milliseconds; timers run in between.
    pub fn at(&mut self, ms: f64) -> &mut Self {
        let lines = &mut self.lines;
        self.fed.until(Time::from_nanos((ms * 1e6) as u64), |at, sent| {
            text::remark(lines, at, "timer");
            departures(lines, at, &sent);
        });
        self
    }

    /// Sends a packet from the fixed host towards the radio link.
    pub fn fixed(&mut self, packet: Packet) -> &mut Self {
        self.cross(packet, true, |agent, packet, cx| agent.before_air(packet, cx))
    }

    /// Reports that the packet sent last by the fixed host found the queue of the radio link full.
    pub fn refused(&mut self, packet: Packet) -> &mut Self {
        let what = format!("{} found the queue full", text::of(&packet));
        self.told(&what, |agent, cx| agent.on_queue_full(&packet, cx))
    }

    /// Sends a packet from the mobile.
    pub fn mobile(&mut self, packet: Packet) -> &mut Self {
        self.cross(packet, false, |agent, packet, cx| agent.after_air(packet, cx))
    }

    /// Reports a failed attempt of the link layer to send the packet to the mobile.
    pub fn failed(&mut self, packet: Packet, attempt: u32, last: bool) -> &mut Self {
        let notice = RadioNotice { hop: LinkId::new(0).hop(LinkDirection::Forward), packet, attempt, last };
        let what =
            format!("attempt {attempt}{} at {} failed", if last { ", the last," } else { "" }, text::of(&packet));
        self.told(&what, |agent, cx| agent.on_radio(&notice, cx))
    }

    /// Reports a predicted change of the channel.
    pub fn forecast(&mut self, state: ChannelState) -> &mut Self {
        self.told(&format!("air will be {state:?}"), |agent, cx| agent.on_forecast(state, cx))
    }

    /// Adds a remark for the reader.
    pub fn note(&mut self, note: &str) -> &mut Self {
        text::remark(&mut self.lines, self.fed.now(), note);
        self
    }

    /// Returns a counter of the agent.
    pub fn counter(&self, name: &str) -> u64 {
        self.fed.counter(name).unwrap_or_else(|| panic!("no counter {name}"))
    }

    /// Returns the ladder so far and the agent's counters that are not zero.
    pub fn drawn(&self) -> String {
        let mut lines = self.lines.clone();
        lines.push('\n');
        for (name, value) in self.fed.agent().counters().iter().filter(|(_, value)| *value > 0) {
            writeln!(lines, "{name} {value}").expect("writing to memory");
        }
        lines
    }

    /// Compares the ladder with the golden file of this name.
    pub fn compare(&self, name: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).with_extension("txt");
        let found = self.drawn();
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            let folder = path.parent().expect("a file stands in a folder");
            std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, found)).expect("writing a golden file");
            return;
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == found, "{name} was\n{kept}\nand is\n{found}\nUPDATE_GOLDEN=1 rewrites it");
    }

    fn cross(
        &mut self,
        packet: Packet,
        to_air: bool,
        show: impl FnOnce(&mut dyn Agent, &mut Packet, &mut AgentCx<'_>) -> AgentVerdict,
    ) -> &mut Self {
        let mut shown = packet;
        let (verdict, sent) = self.fed.act(|agent, cx| show(agent, &mut shown, cx));
        text::crossing(
            &mut self.lines,
            self.fed.now(),
            to_air,
            &packet,
            (verdict == AgentVerdict::Pass).then_some(&shown),
        );
        departures(&mut self.lines, self.fed.now(), &sent);
        self
    }

    fn told(&mut self, what: &str, tell: impl FnOnce(&mut dyn Agent, &mut AgentCx<'_>)) -> &mut Self {
        let sent = self.fed.act(tell).1;
        text::remark(&mut self.lines, self.fed.now(), what);
        departures(&mut self.lines, self.fed.now(), &sent);
        self
    }
}

fn departures(lines: &mut String, at: Time, sent: &[Departure]) {
    for departure in sent {
        text::departure(lines, at, departure, departure.packet.dst == MOBILE);
    }
}
