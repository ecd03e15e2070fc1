//! A TCP connection: its state and its creation. The other files of this module act on that state: commands of the
//! application (`application`, `close`), incoming segments (`arrives`, `prediction`, `opening`, `paws`), outgoing
//! segments (`transmit`), and inspection.

mod adopted;
mod application;
mod arrives;
mod close;
mod handshake;
mod observation;
mod opening;
mod paws;
mod prediction;
mod transmit;

use std::collections::VecDeque;

use engine::{Span, Time};
use wire::{Ecn, Notice, Segment, SeqNum};

pub use crate::state::{Failure, State};
pub use adopted::Adoption;
pub use close::refuse_segment;
pub use transmit::Polled;

use crate::config::{Config, EcnMode, Nagle, Paws};
use crate::event::Event;
use crate::receiver::{Receiver, SackReports};
use crate::sender::Sender;
use crate::timestamps::{self, Clock};
use handshake::Handshake;

/// One end of a connection: a state machine without input, output or clock.
///
/// **Commands** of the application: [`write`](Self::write), [`read`](Self::read) after
/// [`hold_reading`](Self::hold_reading), [`shutdown_write`](Self::shutdown_write), [`close`](Self::close),
/// [`abort`](Self::abort), and the socket options. **`handle_*`** report an incoming segment or message, or that the
/// time given by `poll_timeout` has come. **`poll_*`** return segments, events and the next deadline. After every
/// command and every `handle_*`, call [`poll_transmit`](Self::poll_transmit) until it returns `None`, which
/// [`blocked`](Self::blocked) explains, then read [`poll_timeout`](Self::poll_timeout); if events are enabled, drain
/// [`poll_event`](Self::poll_event) too. `now` is always an argument and must not decrease.
pub struct Connection {
    local_port: u16,
    remote_port: u16,
    state: State,
    failure: Option<Failure>,
    /// The setting of Nagle's algorithm.
    nagle: Nagle,
    time_wait: Span,
    fin_timeout: Span,
    /// Sequence number of the first byte of this end's stream.
    origin: SeqNum,
    /// Sequence number of the first byte of the peer's stream.
    peer_origin: SeqNum,
    /// `None` after the handshake, so that established connections do not keep all settings.
    handshake: Option<Box<Handshake>>,
    sender: Sender,
    receiver: Receiver,
    clock: Clock,
    timestamps: bool,
    ecn: bool,
    /// The codepoint of ECN-capable packets.
    codepoint: Ecn,
    shift: u8,
    /// The acknowledgment number sent last.
    last_ack: SeqNum,
    /// The application has closed: a reset answers further data.
    orphan: bool,
    paws: Paws,
    /// Minimum time between answers to segments that are not acceptable, in milliseconds, and the time of the last one,
    /// or a time long enough ago if there was none. The time wraps around, as `tcp_jiffies32` does.
    invalid_ratelimit: u32,
    answered_at: u32,
    /// End of TIME-WAIT, or of FIN-WAIT-2 after the application has closed. `Time::ZERO` in FIN-WAIT-2 means that
    /// `handle_timeout` starts the timer.
    linger_until: Time,
    /// Time at which data held back by a cork is sent nevertheless.
    uncork_at: Time,
    /// Segments queued as answers: resets, and acknowledgments that must not include later arrivals.
    answers: VecDeque<Segment>,
}

impl Connection {
    /// Creates an end in ESTABLISHED, whose other end advertises `peer_window` bytes. There is no handshake, and both
    /// sequence spaces begin at zero, as in the thesis's simulator [goel1997 4.2 (2)]. All offered options count as
    /// negotiated.
    pub fn established(config: &Config, local_port: u16, remote_port: u16, peer_window: u64) -> Self {
        let config = &Config { segment: config.segment_data(), ..config.clone() };
        let mut connection = Self::new(config, local_port, remote_port, State::Established, SeqNum(0));
        let uses_sack = connection.sender.uses_sack();
        connection.timestamps = config.timestamps;
        connection.ecn = config.ecn == EcnMode::Request;
        connection.sender.on_handshake(connection.ecn, peer_window, None, None);
        let sack_reports = if uses_sack { SackReports::of(config) } else { SackReports::None };
        connection.receiver.on_handshake(sack_reports, 0, u32::MAX);
        connection
    }

    /// Creates an end in ESTABLISHED as [`established`](Self::established) does, with the options on which its settings
    /// `own` and those of the other end agree (see [`Config::negotiate`]). `opens` is true for the end that would have
    /// begun the handshake.
    pub fn established_with([own, other]: [&Config; 2], opens: bool, [local_port, remote_port]: [u16; 2]) -> Self {
        let agreed = own.negotiate(other, opens);
        let peer_window = other.window.initial(other.segment);
        // The receiving half keeps the segment that this end announces, as it does after a handshake.
        let announced = Config { segment: own.segment, ..agreed.clone() };
        let mut connection = Self::established(&announced, local_port, remote_port, peer_window);
        if agreed.segment < own.segment {
            connection.sender.rebuild(&Config { segment: agreed.segment_data(), ..agreed });
            connection.sender.on_handshake(connection.ecn, peer_window, None, None);
        }
        connection
    }

    /// Creates an end that opens a connection by a SYN. `iss` is the end's initial sequence number.
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
        let apart = timestamps::timestamp_at(Time::ZERO + config.invalid_ratelimit);
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
            codepoint: config.ecn_codepoint.unwrap_or_default().ecn(),
            shift: 0,
            last_ack: SeqNum(0),
            orphan: false,
            linger_until: Time::NEVER,
            uncork_at: Time::NEVER,
            answers: VecDeque::new(),
            paws: config.paws,
            invalid_ratelimit: apart,
            answered_at: 0_u32.wrapping_sub(apart),
            nagle: config.nagle,
            time_wait: config.time_wait,
            fin_timeout: config.fin_timeout,
        }
    }

    /// Enters a state. Every change of state goes through this function.
    fn enter(&mut self, state: State) {
        if self.state != state {
            self.state = state;
            self.sender.emit(|| Event::State { state });
        }
    }

    /// Processes a message about a segment that this end has sent.
    pub fn handle_icmp(&mut self, now: Time, notice: &Notice) {
        if let Some(seq) = notice.seq.offset_from(self.origin, self.sender.una()) {
            self.sender.on_notice(now, notice.kind, seq);
        }
    }

    /// Handles the time that `poll_timeout` gave. An early call has no effect.
    pub fn handle_timeout(&mut self, now: Time) {
        if let Some(handshake) = &self.handshake {
            if now >= handshake.due && handshake.given_up(now) {
                self.fail(Failure::TimedOut);
            }
            return;
        }
        if now >= self.linger_until {
            return self.end_linger(now);
        }
        if now >= self.receiver.offload_deadline() {
            self.flush_offload(now);
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

    /// Returns the time at which `handle_timeout` must be called; [`Time::NEVER`] for no call. Any later call may
    /// change the time.
    #[inline]
    pub fn poll_timeout(&self) -> Time {
        if let Some(handshake) = &self.handshake {
            return match self.state {
                State::SynSent | State::SynReceived => handshake.due,
                _ => Time::NEVER,
            };
        }
        let mut deadline = self.receiver.deadline().min(self.linger_until).min(self.uncork_at);
        if self.state.sends() && !self.sender.silent() {
            deadline = deadline.min(self.sender.deadline());
        }
        deadline
    }

    /// Whether a packet with these source and destination ports belongs to this end.
    #[inline]
    pub fn owns(&self, [from, to]: [u16; 2]) -> bool {
        to == self.local_port && (from == self.remote_port || self.state == State::Listen)
    }
}
