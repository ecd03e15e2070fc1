//! A TCP connection.

use engine::{Span, Time};
use wire::{Body, Ecn, Flags, Notice, Segment, SeqNum};

use crate::config::Config;
use crate::event::Event;
use crate::receiver::Receiver;
use crate::sender::{Counters, Sender};

/// One end of a connection: state that reacts to what it is told, and asks for nothing.
///
/// **Commands** of the application: [`write`](Self::write).
/// **`handle_*`** tell it what happened: a segment or a message came, the time asked for with `poll_timeout` has come.
/// **`poll_*`** ask what it wants. After every command and every `handle_*`, call [`poll_transmit`](Self::poll_transmit)
/// until it gives `None`, then read [`poll_timeout`](Self::poll_timeout); if it is observed, empty
/// [`poll_event`](Self::poll_event) too. `now` is always an argument and must not run backwards.
///
/// It begins in ESTABLISHED with both sequence spaces at zero, as the thesis's simulator does [goel1997 4.2 (2)].
pub struct Connection {
    local_port: u16,
    remote_port: u16,
    sender: Sender,
    receiver: Receiver,
}

impl Connection {
    /// An end in ESTABLISHED, whose other end advertises `peer_window` bytes.
    pub fn established(config: &Config, local_port: u16, remote_port: u16, peer_window: u64) -> Self {
        Connection {
            local_port,
            remote_port,
            sender: Sender::new(config, peer_window),
            receiver: Receiver::new(config.window.0),
        }
    }

    /// From now on events are kept for `poll_event`.
    pub fn observe(&mut self) {
        self.sender.observe();
        self.receiver.observe();
    }

    /// The application hands over `bytes` more bytes; `u64::MAX` never ends.
    pub fn write(&mut self, bytes: u64) {
        self.sender.offer(bytes);
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
    pub fn bytes_received(&self) -> u64 {
        self.receiver.next()
    }

    /// Segments received that brought no byte that was not here already.
    pub fn segments_duplicate(&self) -> u64 {
        self.receiver.duplicates()
    }

    /// What the sending half has counted.
    pub fn counters(&self) -> Counters {
        self.sender.counters()
    }

    /// Congestion window in bytes, with what recovery adds to it for now.
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

    /// A segment has come.
    #[inline]
    pub fn handle_segment(&mut self, now: Time, segment: &Segment, _: Ecn) {
        if segment.flags.has(Flags::ACK)
            && let Some(ack) = segment.ack.to_offset(self.sender.una())
        {
            self.sender.on_ack(now, ack, u64::from(segment.window), segment.len == 0);
        }
        if segment.len > 0 {
            match segment.seq.to_offset(self.receiver.next()) {
                Some(seq) => self.receiver.on_data(seq, segment.len),
                // From before the stream's beginning: acknowledge and forget.
                None => self.receiver.on_data(0, 0),
            }
        }
    }

    /// A message about a segment this end has sent.
    pub fn handle_icmp(&mut self, now: Time, notice: &Notice) {
        if let Some(seq) = notice.seq.to_offset(self.sender.una()) {
            self.sender.on_notice(now, notice.kind, seq);
        }
    }

    /// The time that `poll_timeout` gave has come. Being called early does no harm.
    pub fn handle_timeout(&mut self, now: Time) {
        self.sender.on_timeout(now);
    }

    /// The next segment to send now, if there is one.
    #[inline]
    pub fn poll_transmit(&mut self, now: Time) -> Option<(Segment, Ecn)> {
        if let Some(piece) = self.sender.poll(now) {
            self.receiver.acknowledged();
            return Some((self.segment(piece.seq, piece.len), Ecn::NotEct));
        }
        self.receiver.take_owed().then(|| (self.segment(self.sender.nxt(), 0), Ecn::NotEct))
    }

    /// When `handle_timeout` is to be called; [`Time::NEVER`] if not at all. Later calls of anything may change it.
    #[inline]
    pub fn poll_timeout(&self) -> Time {
        self.sender.deadline()
    }

    /// What happened, oldest first, if this end is observed.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.sender.pop_event().or_else(|| self.receiver.pop_event())
    }

    /// Whether a packet's body is meant for this end: the ports it names are these.
    pub fn owns(&self, body: &Body) -> bool {
        match body {
            Body::Tcp(segment) => (segment.dst_port, segment.src_port) == (self.local_port, self.remote_port),
            Body::Icmp(notice) => (notice.src_port, notice.dst_port) == (self.local_port, self.remote_port),
        }
    }

    fn segment(&self, seq: u64, len: u32) -> Segment {
        Segment {
            src_port: self.local_port,
            dst_port: self.remote_port,
            seq: SeqNum::from_offset(seq),
            ack: SeqNum::from_offset(self.receiver.next()),
            flags: Flags::ACK,
            window: u32::try_from(self.receiver.window()).unwrap_or(u32::MAX),
            len,
            ..Segment::default()
        }
    }
}
