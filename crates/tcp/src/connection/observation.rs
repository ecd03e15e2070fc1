//! Inspection of a connection: counters, windows, and all fields of TCP_INFO.

use engine::Span;
use wire::SeqNum;

use super::{Connection, Failure, State};
use crate::event::{Blocked, Event};
use crate::info::Info;
use crate::sender::Counters;

impl Connection {
    /// Enables events for `poll_event`.
    pub fn observe(&mut self) {
        self.sender.observe();
        self.receiver.observe();
        if self.state == State::SynSent {
            self.sender.emit(|| Event::State { state: State::SynSent });
        }
    }

    /// The oldest event not yet returned, if events are enabled.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.sender.pop_event().or_else(|| self.receiver.pop_event())
    }

    /// State of the connection [RFC9293 s3.3.2].
    pub fn state(&self) -> State {
        self.state
    }

    /// Reason of the connection's failure, if it has failed.
    pub fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// Bytes acknowledged by the other end.
    pub fn bytes_acknowledged(&self) -> u64 {
        self.sender.una()
    }

    /// Bytes received in order.
    #[inline]
    pub fn bytes_received(&self) -> u64 {
        self.receiver.bytes_received()
    }

    /// Segments received that contained no new byte.
    pub fn segments_duplicate(&self) -> u64 {
        self.receiver.duplicates()
    }

    /// Discarded segments with data: not acceptable [RFC9293 s3.10.7.4] or too old by their timestamps [RFC7323 s5.3].
    pub fn segments_discarded(&self) -> u64 {
        self.receiver.segments_discarded()
    }

    /// The counters of the sending half.
    pub fn counters(&self) -> Counters {
        self.sender.counters()
    }

    /// Congestion window in bytes, including recovery's adjustments.
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

    /// The round trip measured by the last handled segment [RFC6298 s3, RFC7323 s4], returned once; `None` without a
    /// measurement.
    #[inline]
    pub fn take_rtt(&mut self) -> Option<Span> {
        self.sender.take_rtt()
    }

    /// Returns the ports of this end and of the other end; 0 while unknown.
    #[inline]
    pub fn ports(&self) -> (u16, u16) {
        (self.local_port, self.remote_port)
    }

    /// Returns the sequence number of the first byte of this end's stream: one after that of the SYN.
    #[inline]
    pub fn origin(&self) -> SeqNum {
        self.origin
    }

    /// Returns the reason why the last poll for a segment returned no data. Valid after such a poll; `None` before the
    /// first one, and in states in which data is not sent.
    pub fn blocked(&self) -> Option<Blocked> {
        self.sender.last_blocked().filter(|_| self.state.sends())
    }

    /// The fields of TCP_INFO.
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
            bytes_received: self.receiver.bytes_received(),
            notsent_bytes: sender.unsent(),
            snd_wnd: sender.peer_window(),
            data_segs_out: counters.segments_sent,
        }
    }
}
