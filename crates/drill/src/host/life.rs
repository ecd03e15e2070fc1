//! A connection with the host's bookkeeping for it.

use engine::{Span, Time};
use wire::{Ecn, Segment};

use super::chrono::{BusyState, BusyTimes};
use super::send_buffer::{SendLimits, SocketBuffers};
use super::stamps::StampLog;
use super::tally::{EndProgress, SegmentTally};
use crate::end::{ConnectionEnd, ConnectionStage, OpenRole};
use crate::settings::HostSettings;

/// A connection with the host's bookkeeping for it.
pub(super) struct Life {
    pub end: Box<dyn ConnectionEnd>,
    /// Name of the congestion control.
    pub control: String,
    /// Number of bytes that the application has written.
    pub written: u64,
    /// True if the last write set `MSG_MORE`.
    pub more: bool,
    buffer: SocketBuffers,
    /// Limits of the socket whose write found the buffer full, until it is writable.
    full: Option<SendLimits>,
    /// Whether a call is writing: until its end a full socket buffer sends one packet (`tcp_push_one`).
    pub is_writing: bool,
    /// `tcp_min_tso_segs`
    min_offload: u64,
    /// Largest window that the peer has advertised, in bytes.
    most_window: u64,
    pub tally: SegmentTally,
    pub times: BusyTimes,
    pub stamps: StampLog,
}

/// How a write ends.
#[derive(Clone, Copy)]
pub(super) struct WriteFlags {
    /// More data follows (`MSG_MORE`).
    pub more: bool,
    /// Whether the last byte ends a record (`MSG_EOR`).
    pub ends_record: bool,
}

impl Life {
    pub fn new(end: Box<dyn ConnectionEnd>, role: OpenRole, settings: &HostSettings) -> Self {
        Life {
            end,
            control: settings.control.clone(),
            written: 0,
            more: false,
            buffer: SocketBuffers::default(),
            full: None,
            is_writing: false,
            min_offload: settings.min_offload.into(),
            most_window: 0,
            tally: SegmentTally::new(role, settings),
            times: BusyTimes::default(),
            stamps: StampLog::default(),
        }
    }

    /// Delivers a segment to the end.
    pub fn handle_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        let before = self.progress();
        self.end.handle_segment(now, segment, ecn);
        let after = self.progress();
        self.tally.note_arrival(now, segment, ecn, &before, &after);
        self.most_window = self.most_window.max(self.number("tcpi_snd_wnd"));
    }

    /// Handles the expiry of a timer of the end.
    pub fn handle_timeout(&mut self, now: Time) {
        let before = self.progress();
        self.end.handle_timeout(now);
        let probes = self.times.is_window_limited() && self.number("tcpi_unacked") == 0;
        self.tally.note_timeout(now, &before, &self.progress(), probes);
    }

    /// Observes the state of the sending half after each change.
    pub fn note_state(&mut self, now: Time) {
        let unsent = self.number("tcpi_notsent_bytes");
        let (acked, sent) = (self.acked(), self.written.saturating_sub(unsent));
        self.buffer.note_acked(acked);
        let piece = self.offload_size(now);
        if self.is_writing {
            self.buffer.push_one(sent, piece);
        } else {
            self.buffer.note_sent(sent, piece);
        }
        self.stamps.note_progress(now, sent, acked);
        self.full = self.full.filter(|limits| !self.buffer.is_writable(*limits));
        let starves = self.full.is_some() && unsent == 0 && self.in_flight() < self.number("tcpi_snd_cwnd");
        let state = match self.end.stage() {
            ConnectionStage::Open if self.end.unacknowledged_bytes() == 0 => BusyState::Idle,
            ConnectionStage::Open if self.is_window_limited() => BusyState::WindowLimited,
            ConnectionStage::Open if starves => BusyState::BufferLimited,
            ConnectionStage::Open => BusyState::Busy,
            ConnectionStage::Opening | ConnectionStage::Gone => BusyState::Idle,
        };
        self.times.enter(now, state);
    }

    /// Returns true if unsent data fits into the congestion window and not into the window of the other end
    /// (`tcp_snd_wnd_test`).
    fn is_window_limited(&self) -> bool {
        let unsent = self.number("tcpi_notsent_bytes");
        let outstanding = self.end.unacknowledged_bytes().saturating_sub(unsent);
        let next = unsent.min(self.number("tcpi_snd_mss"));
        unsent > 0
            && self.in_flight() < self.number("tcpi_snd_cwnd")
            && outstanding + next > self.number("tcpi_snd_wnd")
    }

    /// Returns the segments in flight (`tcp_packets_in_flight`).
    fn in_flight(&self) -> u64 {
        let gone = self.number("tcpi_sacked") + self.number("tcpi_lost");
        (self.number("tcpi_unacked") + self.number("tcpi_retrans")).saturating_sub(gone)
    }

    fn progress(&self) -> EndProgress {
        let micros = |name| Span::from_nanos(self.number(name).saturating_mul(1_000));
        EndProgress {
            received: self.number("tcpi_bytes_received"),
            sacked: self.number("tcpi_sacked"),
            timeouts: self.number("tcpi_retransmits"),
            rto: micros("tcpi_rto"),
            min_rtt: micros("tcpi_min_rtt"),
            snd_mss: self.number("tcpi_snd_mss"),
            is_open: self.end.stage() == ConnectionStage::Open,
        }
    }

    pub fn number(&self, name: &str) -> u64 {
        self.end.info(name).and_then(|value| value.whole()).and_then(|value| value.try_into().ok()).unwrap_or(0)
    }

    /// Returns true if a socket with these limits is writable.
    pub fn takes_more(&self, limits: SendLimits) -> bool {
        self.buffer.is_writable(limits)
    }

    /// Returns how many of `bytes` a write accepts at once.
    pub fn takes(&self, bytes: u64, limits: SendLimits) -> u64 {
        self.buffer.takes(bytes, self.buffer_goal(), limits)
    }

    /// Observes that a write found the send buffer full: `SOCK_NOSPACE` is set until the socket is writable.
    pub fn note_full(&mut self, now: Time, limits: SendLimits) {
        self.full = Some(limits);
        self.note_state(now);
    }

    /// Returns the number of bytes written that are acknowledged.
    pub fn acked(&self) -> u64 {
        self.written.saturating_sub(self.end.unacknowledged_bytes())
    }

    /// Observes the end of a call that wrote data.
    pub fn end_write(&mut self, now: Time) {
        self.stamps.note_write(self.written);
        self.note_state(now);
    }

    fn buffer_goal(&self) -> u64 {
        SocketBuffers::goal(self.number("tcpi_snd_mss"), self.most_window)
    }

    /// Returns the most bytes that leave in one packet for offload (`tcp_tso_autosize`).
    fn offload_size(&self, now: Time) -> u64 {
        const MAX: u64 = 1 << 16;
        let mss = self.number("tcpi_snd_mss").max(1);
        let rate = self.info("tcpi_pacing_rate", now).and_then(|rate| rate.whole()).unwrap_or(0) as u64;
        // A flow with a short round trip may send larger bursts (`tcp_tso_rtt_log`).
        let halvings = self.number("tcpi_min_rtt") >> 9;
        let bytes = (rate >> 10) + if halvings < 32 { MAX >> halvings } else { 0 };
        // No packet has more than half of the congestion window (`tcp_cwnd_test`).
        let half = (self.number("tcpi_snd_cwnd") / 2).max(1);
        (bytes.min(MAX) / mss).max(self.min_offload).min(half) * mss
    }

    /// Sets whether more data follows the last write.
    pub fn set_more(&mut self, more: bool) {
        self.more = more;
        self.end.set_more(more);
    }

    /// Writes `bytes` bytes of application data.
    pub fn write(&mut self, bytes: u64, flags: WriteFlags) {
        // `tcp_rate_check_app_limited`
        let in_flight = self.in_flight();
        if self.number("tcpi_notsent_bytes") < self.number("tcpi_snd_mss")
            && in_flight < self.number("tcpi_snd_cwnd")
            && self.number("tcpi_lost") <= self.number("tcpi_retrans")
        {
            self.tally.delivery.note_limited(in_flight);
        }
        self.set_more(flags.more);
        self.buffer.write(bytes, self.buffer_goal(), flags.ends_record);
        self.written = self.written.saturating_add(bytes);
        self.end.write(bytes);
        if flags.ends_record {
            self.end.end_record();
        }
    }
}
