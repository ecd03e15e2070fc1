//! A simulated host under test: its sockets, its connections, and the segments it sends.
//!
//! The host supports one connection at a time, as packetdrill does. Segments go to the latest connection, and expected
//! packets are packets of the latest connection. A SYN begins another connection after `listen`, even if the earlier
//! one is not closed yet.

pub mod answer;
mod call;
mod chrono;
mod cookies;
mod data;
mod delivery;
mod info;
mod life;
mod options;
mod poll;
mod send_buffer;
mod socket;
mod stamps;
mod tally;

use std::collections::BTreeMap;

use engine::{Span, Time};
use wire::{Ecn, Flags, Segment, SeqNum};

pub use answer::Called;
pub use call::is_sending;
pub use data::{expected_inq, read_size_and_flags};
pub use info::{OPTION_BITS, list_host_members};
use life::Life;
pub use options::{WITHOUT_EFFECT, compare_option};
pub use poll::answer_poll;
use socket::{Own, Socket, SocketState};

use crate::code::PyValue;
use crate::end::{ConnectionStage, OpenRole, Opener, Ports};
use crate::outbox::{Outbox, SentSegment};
use crate::settings::{HostSetting, HostSettings};
use crate::syntax::ast::Call;
pub use crate::target::{CallAnswer, Stuck};
use crate::target::{HostClock, ScriptTarget};

/// Port numbers of both ends, which scripts do not state.
pub const PORTS: Ports = Ports { local: 8080, remote: 32_000 };

/// Initial sequence number of the end under test, 0 in scripts.
pub const LOCAL_ISS: SeqNum = SeqNum(1_000_000_000);

/// An open file, whose contents are not modelled.
#[derive(Clone, Copy)]
struct OpenFile {
    size: u64,
    position: u64,
}

/// A simulated host.
pub struct Host<'a> {
    open: &'a Opener<'a>,
    now: Time,
    /// Settings for future connections.
    settings: HostSettings,
    sockets: BTreeMap<i64, Socket>,
    lives: Vec<Life>,
    /// Open files by file descriptor.
    files: BTreeMap<i64, OpenFile>,
    /// Whether the next SYN begins a connection even if the latest one is not closed: after `listen`.
    begins_next: bool,
    /// Tolerance of times that calls return.
    tolerance: Span,
    outbox: Outbox,
}

impl<'a> Host<'a> {
    /// Returns a host without sockets.
    pub fn new(open: &'a Opener<'a>) -> Self {
        Host {
            open,
            now: Time::ZERO,
            settings: HostSettings::default(),
            sockets: BTreeMap::new(),
            lives: Vec::new(),
            files: BTreeMap::new(),
            begins_next: false,
            tolerance: Span::ZERO,
            outbox: Outbox::default(),
        }
    }

    /// Creates a connection for a socket with the settings `own`; returns its index.
    fn begin(&mut self, role: OpenRole, own: &Own) -> Result<usize, String> {
        let settings = own.over(&self.settings);
        let mut end = (self.open)(role, &settings, PORTS, LOCAL_ISS)?;
        if own.user_timeout.is_some() {
            end.set_user_timeout(own.user_timeout);
        }
        self.lives.push(Life::new(end, role, &settings));
        self.begins_next = false;
        self.outbox.pass_over();
        Ok(self.lives.len() - 1)
    }

    fn listener(&mut self) -> Option<&mut Socket> {
        self.sockets.values_mut().find(|socket| matches!(socket.kind, SocketState::Listening { .. }))
    }

    /// Returns the index of the latest connection if it is not closed.
    fn alive(&self) -> Option<usize> {
        self.lives.len().checked_sub(1).filter(|last| self.lives[*last].end.stage() != ConnectionStage::Gone)
    }

    fn has_socket(&self, index: usize) -> bool {
        self.sockets.values().any(|socket| socket.kind == SocketState::Connected(index))
    }

    /// Appends a connection to the listener's accept queue.
    fn queue(&mut self, index: usize) {
        if let Some(Socket { kind: SocketState::Listening { waiting }, .. }) = self.listener() {
            waiting.push_back(index);
        }
    }

    /// Moves the segments that connection `index` sends to the outbox.
    fn transmit(&mut self, index: usize) {
        let is_latest = index + 1 == self.lives.len();
        let life = &mut self.lives[index];
        while let Some((segment, ecn)) = life.end.poll_transmit(self.now) {
            let behind = u64::from(segment.seq.0.wrapping_sub(LOCAL_ISS.0)) + u64::from(segment.len);
            // The SYN occupies one sequence number before the stream.
            let last = segment.len > 0 && behind == life.written.wrapping_add(1) & u64::from(u32::MAX) && !life.more;
            life.tally.note_sent(self.now, &segment);
            let sent = SentSegment { time: self.now, segment, ecn, last };
            if is_latest {
                self.outbox.push(sent);
            } else {
                self.outbox.push_of_earlier(sent);
            }
        }
        life.note_state(self.now);
    }

    /// Answers a segment that belongs to no connection with a RST.
    fn refuse(&mut self, segment: &Segment) {
        let Some(mut answer) = tcp::refuse_segment(segment) else { return };
        if !segment.flags.has(Flags::ACK) {
            // Sequence number 0 in script numbering.
            answer.seq = LOCAL_ISS;
        }
        self.outbox.push(SentSegment { time: self.now, segment: answer, ecn: Ecn::NotEct, last: false });
    }
}

/// Maximum number of timer expiries at one instant; more mean an endless loop.
const MAX_EXPIRIES_AT_ONCE: u32 = 10_000;

impl ScriptTarget for Host<'_> {
    fn clock(&self) -> HostClock {
        HostClock::Simulated
    }

    fn now(&self) -> Time {
        self.now
    }

    fn lateness(&self, _: Span) -> Span {
        Span::ZERO
    }

    fn next_timeout(&self) -> Time {
        self.lives.iter().map(|life| life.end.poll_timeout()).min().unwrap_or(Time::NEVER)
    }

    fn advance(&mut self, until: Time, stop: bool) -> Result<(), Stuck> {
        let mut at_once = 0;
        while !(stop && self.outbox.unread() > 0) {
            let due = self.next_timeout();
            if due > until {
                self.now = self.now.max(until);
                return Ok(());
            }
            at_once = if due > self.now { 0 } else { at_once + 1 };
            if at_once > MAX_EXPIRIES_AT_ONCE {
                return Err(Stuck);
            }
            self.now = self.now.max(due);
            for index in 0..self.lives.len() {
                if self.lives[index].end.poll_timeout() <= self.now {
                    self.lives[index].handle_timeout(self.now);
                    self.transmit(index);
                }
            }
        }
        Ok(())
    }

    fn inject(&mut self, segment: &Segment, ecn: Ecn) -> Result<(), String> {
        let opens = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK);
        let alive = self.alive().filter(|_| !(opens && self.begins_next));
        let cookie = (opens && alive.is_none() && self.settings.always_cookies)
            .then(|| cookies::encode_syn(segment, self.settings.ip_version));
        let segment = cookie.as_ref().unwrap_or(segment);
        let listening = self.listener().map(|socket| socket.own.clone());
        let index = match (alive, listening) {
            (Some(index), _) => index,
            (None, Some(own)) if opens => self.begin(OpenRole::Passive, &own)?,
            // [RFC9293 s3.10.7.2 fourth]
            (None, Some(_)) if !segment.flags.has(Flags::ACK) => return Ok(()),
            (None, _) => {
                self.refuse(segment);
                return Ok(());
            }
        };
        let fresh = self.lives[index].end.stage() == ConnectionStage::Opening;
        self.lives[index].handle_segment(self.now, segment, ecn);
        self.transmit(index);
        if fresh && self.lives[index].end.stage() == ConnectionStage::Open && !self.has_socket(index) {
            self.queue(index);
        }
        Ok(())
    }

    fn set_tolerance(&mut self, tolerance: Span) {
        self.tolerance = tolerance;
    }

    fn set(&mut self, setting: &HostSetting) -> Result<Option<String>, String> {
        self.settings.put(setting)
    }

    fn call(&mut self, call: &Call) -> CallAnswer {
        self.make_call(call)
    }

    fn has_connection(&self) -> bool {
        self.alive().is_some() && !self.begins_next
    }

    fn info(&self, name: &str) -> Option<PyValue> {
        self.lives.last().and_then(|life| life.info(name, self.now))
    }

    fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    fn outbox_mut(&mut self) -> &mut Outbox {
        &mut self.outbox
    }
}
