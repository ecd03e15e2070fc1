//! A TCP connection: its state, and how it is opened. The other files are rules over that state: what the application asks
//! (`application`, `close`), what arrives (`arrives`, `opening`, `paws`), what is sent (`transmit`), and what can be observed.

mod adopted;
mod application;
mod arrives;
mod close;
mod handshake;
mod observation;
mod opening;
mod paws;
mod transmit;

use std::collections::VecDeque;

use engine::{Span, Time};
use wire::{Body, Notice, Segment, SeqNum};

pub use crate::state::{Failure, State};
pub use adopted::Adoption;
pub use close::refusal;

use crate::config::{Config, EcnMode, Nagle, Paws};
use crate::event::Event;
use crate::receiver::Receiver;
use crate::sender::Sender;
use crate::timestamps::{self, Clock};
use handshake::Handshake;

/// One end of a connection: a state machine without input, output or clock.
///
/// **Commands** of the application: [`write`](Self::write), [`read`](Self::read) if it
/// [`hold_reading`](Self::hold_reading)s, [`shutdown_write`](Self::shutdown_write), [`close`](Self::close),
/// [`abort`](Self::abort), and the socket options.
/// **`handle_*`** tell it what happened: a segment or a message came, the time asked for with `poll_timeout` has come.
/// **`poll_*`** ask what it wants. After every command and every `handle_*`, call [`poll_transmit`](Self::poll_transmit)
/// until it gives `None`, which [`blocked`](Self::blocked) explains, then read [`poll_timeout`](Self::poll_timeout); if it is observed, empty
/// [`poll_event`](Self::poll_event) too. `now` is always an argument and must not run backwards.
pub struct Connection {
    local_port: u16,
    remote_port: u16,
    state: State,
    failure: Option<Failure>,
    /// What the settings say of small segments.
    nagle: Nagle,
    time_wait: Span,
    /// The sequence numbers of both streams' first bytes.
    origin: SeqNum,
    peer_origin: SeqNum,
    /// Until it is over: the rest of the connection's life needs no more of the settings than it has taken.
    handshake: Option<Box<Handshake>>,
    sender: Sender,
    receiver: Receiver,
    clock: Clock,
    timestamps: bool,
    ecn: bool,
    shift: u8,
    /// The acknowledgment number sent last.
    last_ack: SeqNum,
    /// The application has closed: data that comes now is answered by a reset.
    orphan: bool,
    paws: Paws,
    /// How far answers to segments that are not acceptable are apart, in milliseconds, and when the last one went out; so
    /// long ago, if none did. It wraps, as `tcp_jiffies32` does.
    invalid_ratelimit: u32,
    answered_at: u32,
    time_wait_until: Time,
    /// When what a cork holds back goes out all the same.
    uncork_at: Time,
    /// Segments that answer something by themselves: resets, and acknowledgments that must not speak of what came later.
    answers: VecDeque<Segment>,
}

impl Connection {
    /// An end in ESTABLISHED, whose other end advertises `peer_window` bytes: without a handshake and with both sequence
    /// spaces at zero, as in the thesis's simulator [goel1997 4.2 (2)]. What the settings offer is taken as agreed on.
    pub fn established(config: &Config, local_port: u16, remote_port: u16, peer_window: u64) -> Self {
        let segment = timestamps::left_for_data(config.segment, config.timestamps);
        let config = &Config { segment, ..config.clone() };
        let mut connection = Self::new(config, local_port, remote_port, State::Established, SeqNum(0));
        let uses_sack = connection.sender.uses_sack();
        connection.timestamps = config.timestamps;
        connection.ecn = config.ecn == EcnMode::Request;
        connection.sender.agreed(connection.ecn, peer_window, None, None);
        connection.receiver.agreed(config.sack && uses_sack, config.dsack, 0, u64::MAX);
        connection
    }

    /// An end that asks for a connection: the SYN is the first thing it sends. `iss` is its initial sequence number.
    pub fn connect(config: &Config, local_port: u16, remote_port: u16, iss: SeqNum) -> Self {
        Self::new(config, local_port, remote_port, State::SynSent, iss + 1)
    }

    /// An end that waits for a SYN from any port.
    pub fn listen(config: &Config, local_port: u16, iss: SeqNum) -> Self {
        Self::new(config, local_port, 0, State::Listen, iss + 1)
    }

    fn new(config: &Config, local_port: u16, remote_port: u16, state: State, origin: SeqNum) -> Self {
        let sender = Sender::new(config, 0);
        let handshake = || Box::new(Handshake::new(config, sender.uses_sack()));
        let receiver = Receiver::new(config, sender.precise_ecn());
        let apart = timestamps::value(Time::ZERO + config.invalid_ratelimit);
        Connection {
            local_port,
            remote_port,
            state,
            failure: None,
            origin,
            peer_origin: SeqNum(0),
            handshake: (state != State::Established).then(handshake),
            sender,
            receiver,
            clock: Clock::default(),
            timestamps: false,
            ecn: false,
            shift: 0,
            last_ack: SeqNum(0),
            orphan: false,
            time_wait_until: Time::NEVER,
            uncork_at: Time::NEVER,
            answers: VecDeque::new(),
            paws: config.paws,
            invalid_ratelimit: apart,
            answered_at: 0_u32.wrapping_sub(apart),
            nagle: config.nagle,
            time_wait: config.time_wait,
        }
    }

    /// Everything that changes the state comes here.
    fn enter(&mut self, state: State) {
        if self.state != state {
            self.state = state;
            self.sender.emit(|| Event::State { state });
        }
    }

    /// A message about a segment this end has sent.
    pub fn handle_icmp(&mut self, now: Time, notice: &Notice) {
        if let Some(seq) = notice.seq.offset_from(self.origin, self.sender.una()) {
            self.sender.on_notice(now, notice.kind, seq);
        }
    }

    /// The time that `poll_timeout` gave has come. Being called early does no harm.
    pub fn handle_timeout(&mut self, now: Time) {
        if let Some(handshake) = &self.handshake {
            if now >= handshake.due && handshake.given_up(now) {
                self.fail(Failure::TimedOut);
            }
            return;
        }
        if now >= self.time_wait_until {
            self.enter(State::Closed);
            self.time_wait_until = Time::NEVER;
            return;
        }
        if now >= self.uncork_at {
            self.uncork_at = Time::NEVER;
            self.sender.push();
        }
        self.sender.on_time(now);
        if self.sender.given_up() {
            self.fail(Failure::TimedOut);
        }
    }

    /// When `handle_timeout` is to be called; [`Time::NEVER`] if not at all. Later calls of anything may change it.
    #[inline]
    pub fn poll_timeout(&self) -> Time {
        if let Some(handshake) = &self.handshake {
            return match self.state {
                State::SynSent | State::SynReceived => handshake.due,
                _ => Time::NEVER,
            };
        }
        let mut deadline = self.receiver.deadline().min(self.time_wait_until).min(self.uncork_at);
        if self.state.sends() && !self.sender.silent() {
            deadline = deadline.min(self.sender.deadline());
        }
        deadline
    }

    /// Whether a packet's body is meant for this end: the ports it names are these.
    pub fn owns(&self, body: &Body) -> bool {
        let (from, to) = match body {
            Body::Tcp(segment) => (segment.src_port, segment.dst_port),
            Body::Icmp(notice) => (notice.dst_port, notice.src_port),
        };
        to == self.local_port && (from == self.remote_port || self.state == State::Listen)
    }
}
