//! A TCP connection.

mod adopted;
mod arrives;
mod close;
mod handshake;

use std::collections::VecDeque;

use engine::{Span, Time};
use wire::{Body, Ecn, Flags, Notice, Segment, SeqNum, Timestamps};

pub use crate::state::{Failure, State};
pub use adopted::Adoption;
pub use close::refusal;

use crate::config::{Config, EcnMode, Nagle, Paws};
use crate::event::{Blocked, Event};
use crate::info::Info;
use crate::receiver::Receiver;
use crate::sender::{Counters, Sender, TxSegment};
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

    /// From now on events are kept for `poll_event`.
    pub fn observe(&mut self) {
        self.sender.observe();
        self.receiver.observe();
        if self.state == State::SynSent {
            self.sender.emit(|| Event::State { state: State::SynSent });
        }
    }

    /// Everything that changes the state comes here.
    fn enter(&mut self, state: State) {
        if self.state != state {
            self.state = state;
            self.sender.emit(|| Event::State { state });
        }
    }

    /// Where the connection stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// The application hands over `bytes` more bytes; `u64::MAX` never ends. The buffer has no end. After the sending side
    /// was shut down nothing is taken.
    pub fn write(&mut self, bytes: u64) {
        if !self.sender.finishing() {
            self.sender.offer(bytes);
        }
    }

    /// Small segments go out at once, and what was held back (TCP_NODELAY).
    pub fn set_nodelay(&mut self, on: bool) {
        self.sender.set_nodelay(on, self.nagle);
    }

    /// Only full segments go out until this is taken back, or a retransmission timeout has gone by (TCP_CORK).
    pub fn set_cork(&mut self, on: bool) {
        self.sender.set_cork(on);
        self.uncork_at = Time::NEVER;
    }

    /// Acknowledgments may wait from now on, or the first ones go out at once and those that wait now do (TCP_QUICKACK).
    pub fn set_quick_acks(&mut self, on: bool) {
        self.receiver.set_quick(on);
    }

    /// Whether the application has said that more follows what it wrote last (MSG_MORE).
    pub fn set_more(&mut self, on: bool) {
        self.sender.set_more(on);
    }

    /// What was written last ends a record: no segment holds bytes of two (MSG_EOR).
    pub fn end_record(&mut self) {
        self.sender.end_record();
    }

    /// How long the other end may fail to answer what is sent again before the connection is given up (TCP_USER_TIMEOUT);
    /// none: as often as the settings say. The option of RFC 5482 by which ends tell each other is not sent.
    pub fn set_user_timeout(&mut self, timeout: Option<Span>) {
        self.sender.set_user_timeout(timeout);
        if let Some(handshake) = &mut self.handshake {
            handshake.user_timeout = timeout;
        }
    }

    /// The application reads by itself from now on; before that, as data comes.
    pub fn hold_reading(&mut self) {
        self.receiver.hold();
    }

    /// Bytes that may be read.
    pub fn readable(&self) -> u64 {
        self.receiver.readable()
    }

    /// Reads at most `max` bytes; returns how many were read.
    pub fn read(&mut self, max: u64) -> u64 {
        self.receiver.read(max)
    }

    /// Whether the other end has closed and everything before that was read.
    pub fn at_end(&self) -> bool {
        self.receiver.finished() && self.receiver.readable() == 0
    }

    /// Whether everything handed over has been acknowledged.
    pub fn done(&self) -> bool {
        self.sender.done()
    }

    /// Bytes acknowledged by the other end.
    pub fn bytes_acknowledged(&self) -> u64 {
        self.sender.una()
    }

    /// Bytes received in order.
    #[inline]
    pub fn bytes_received(&self) -> u64 {
        self.receiver.received()
    }

    /// Segments received that brought no byte that was not here already.
    pub fn segments_duplicate(&self) -> u64 {
        self.receiver.duplicates()
    }

    /// Segments with data received of which nothing was looked at, because they were not acceptable [RFC9293 s3.10.7.4]
    /// or too old by their timestamps [RFC7323 s5.3].
    pub fn segments_discarded(&self) -> u64 {
        self.receiver.discarded()
    }

    /// What the sending half has counted.
    pub fn counters(&self) -> Counters {
        self.sender.counters()
    }

    /// Congestion window in bytes, with what recovery makes of it for now.
    pub fn cwnd(&self) -> f64 {
        self.sender.effective_cwnd()
    }

    /// Slow start threshold in bytes; infinite before the first loss.
    pub fn ssthresh(&self) -> f64 {
        self.sender.ssthresh()
    }

    /// Smoothed round-trip time; zero before the first measurement.
    pub fn srtt(&self) -> Span {
        self.sender.srtt()
    }

    /// Port of this end, and of the other; 0 while that is not known.
    pub fn ports(&self) -> (u16, u16) {
        (self.local_port, self.remote_port)
    }

    /// The sequence number of the first byte of this end's stream: one behind its SYN.
    pub fn origin(&self) -> SeqNum {
        self.origin
    }

    /// Everything that came is acknowledged at once, whether or not it was before.
    pub fn acknowledge(&mut self) {
        self.receiver.owe();
    }

    /// How things stand.
    pub fn info(&self) -> Info {
        let sender = &self.sender;
        let segment = f64::from(sender.segment());
        let board = sender.board();
        let counters = sender.counters();
        let (reordering, reord_seen) = sender.reordering();
        let guessed = if board.sacked_segments() == 0 && sender.inflation() > 0.0 { sender.duplicates() } else { 0 };
        Info {
            state: self.state,
            phase: sender.phase(),
            cwnd: (sender.info_cwnd() / segment + 1e-9) as u32,
            ssthresh: sender.ssthresh().is_finite().then(|| (sender.ssthresh() / segment + 1e-9) as u32),
            rto: sender.rtt().rto(),
            rtt: sender.srtt(),
            rttvar: sender.rtt().variation(),
            min_rtt: sender.rtt().min_rtt(),
            backoff: sender.rtt().doublings(),
            retransmits: sender.retries(),
            unacked: board.segments(),
            sacked: board.sacked_segments() + guessed,
            lost: board.lost_segments(),
            retrans: board.resent_segments(),
            total_retrans: counters.segments_retransmitted,
            reordering,
            reord_seen,
            snd_mss: sender.segment(),
            bytes_acked: sender.una(),
            bytes_received: self.receiver.received(),
            notsent_bytes: sender.unsent(),
            snd_wnd: sender.peer_window(),
            data_segs_out: counters.segments_sent,
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

    /// The next segment to send now, if there is one, and what its packet says about congestion.
    pub fn poll_transmit(&mut self, now: Time) -> Option<(Segment, Ecn)> {
        let mut segment = Segment::default();
        self.poll_into(now, &mut segment).map(|ecn| (segment, ecn))
    }

    /// The same, with the segment written to `to`: with space for its options it is large, and moving it costs as much as making
    /// it.
    #[inline]
    pub fn poll_into(&mut self, now: Time, to: &mut Segment) -> Option<Ecn> {
        if self.handshake.is_some() || !self.answers.is_empty() {
            *to = self.answers.pop_front().or_else(|| self.poll_handshake(now))?;
            if to.flags.has(Flags::RST) && to.options.timestamps.is_some() {
                let stamp = self.clock.stamp(now);
                // An echo means something only beside an acknowledgment [RFC7323 s3.2].
                let echo = if to.flags.has(Flags::ACK) { stamp.echo } else { 0 };
                to.options.timestamps = Some(Timestamps { echo, ..stamp });
            }
            return Some(Ecn::NotEct);
        }
        if self.state.sends() && !self.sender.silent() {
            let stamp = if self.timestamps { timestamps::value(now) } else { 0 };
            match self.sender.poll(now, stamp) {
                Ok(tx) => {
                    self.receiver.acknowledged();
                    return Some(self.data(now, &tx, to));
                }
                Err(reason) => self.sender.note_blocked(reason),
            }
            if self.sender.take_window_probe() {
                // Below what the other end has: it must say what it wants [RFC9293 s3.10.7.4].
                self.segment(now, self.sender.una().wrapping_sub(1), 0, Flags::ACK, to);
                return Some(Ecn::NotEct);
            }
            self.keep_cork(now);
        }
        if self.state == State::Closed || self.state == State::Listen || !self.receiver.take_owed(now) {
            return None;
        }
        self.segment(now, self.sender.nxt(), 0, Flags::ACK, to);
        Some(Ecn::NotEct)
    }

    /// Why the last poll for a segment gave no data, to be asked when it has given none; `None` before the first one, and in states
    /// in which data is not sent.
    pub fn blocked(&self) -> Option<Blocked> {
        self.sender.blocked().filter(|_| self.state.sends())
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

    /// What happened, oldest first, if this end is observed.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.sender.pop_event().or_else(|| self.receiver.pop_event())
    }

    /// Whether a packet's body is meant for this end: the ports it names are these.
    pub fn owns(&self, body: &Body) -> bool {
        let (from, to) = match body {
            Body::Tcp(segment) => (segment.src_port, segment.dst_port),
            Body::Icmp(notice) => (notice.dst_port, notice.src_port),
        };
        to == self.local_port && (from == self.remote_port || self.state == State::Listen)
    }

    fn poll_handshake(&mut self, now: Time) -> Option<Segment> {
        let handshake = self.handshake.as_mut()?;
        let due = matches!(self.state, State::SynSent | State::SynReceived) && handshake.wants(now);
        if !due || handshake.given_up(now) {
            return None;
        }
        let (flags, window, options) = handshake.syn(now, &self.clock);
        handshake.sent(now);
        let answers = self.state == State::SynReceived;
        let flags = if answers { flags | Flags::ACK } else { flags };
        let ack = if answers { self.peer_origin } else { SeqNum(0) };
        self.last_ack = ack;
        Some(Segment {
            src_port: self.local_port,
            dst_port: self.remote_port,
            seq: SeqNum(self.origin.0.wrapping_sub(1)),
            ack,
            flags,
            window,
            options,
            ..Segment::default()
        })
    }

    /// A segment with data, or a FIN, or both.
    #[inline]
    fn data(&mut self, now: Time, tx: &TxSegment, to: &mut Segment) -> Ecn {
        let mut flags = Flags::ACK;
        if tx.fin {
            flags = flags | Flags::FIN;
        }
        if tx.push && tx.len > 0 {
            flags = flags | Flags::PSH;
        }
        if tx.new && tx.len > 0 && self.sender.take_reduced() {
            flags = flags | Flags::CWR;
        }
        self.segment(now, tx.seq, tx.len, flags, to);
        // [RFC3168 s6.1.5]: what is sent again is not to be marked.
        if self.ecn && tx.new && tx.len > 0 { Ecn::Ect0 } else { Ecn::NotEct }
    }

    #[inline]
    fn segment(&mut self, now: Time, seq: u64, len: u32, flags: Flags, to: &mut Segment) {
        self.receiver.renew_window();
        let ack = self.peer_origin.at(self.receiver.next());
        self.last_ack = ack;
        let echoes = self.ecn && self.receiver.echoes();
        to.src_port = self.local_port;
        to.dst_port = self.remote_port;
        to.seq = self.origin.at(seq);
        to.ack = ack;
        to.flags = if echoes { flags | Flags::ECE } else { flags };
        to.window = u32::try_from(self.receiver.window()).unwrap_or(u32::MAX);
        to.window_shift = self.shift;
        to.len = len;
        to.options.clear();
        if self.timestamps {
            to.options.timestamps = Some(self.clock.stamp(now));
        }
        if self.receiver.wants_sack() {
            let max_blocks = if self.timestamps { 3 } else { wire::SackBlocks::MOST };
            to.options.sack = self.receiver.sack(self.peer_origin, max_blocks);
        }
    }

    fn keep_cork(&mut self, now: Time) {
        match self.sender.cork_time() {
            Some(time) if self.uncork_at == Time::NEVER => self.uncork_at = now + time,
            None => self.uncork_at = Time::NEVER,
            Some(_) => {}
        }
    }
}
