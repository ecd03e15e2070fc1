//! The half of a connection that receives data.
//!
//! Data out of order is kept and reported (`sack`); acknowledgments are sent at once or delayed (`delayed`); the window
//! is the free part of the buffer. All offsets count a FIN as one byte after the data.

mod delayed;
mod reassembly;
mod sack;

use std::collections::VecDeque;

use engine::Time;
use wire::{Ecn, SackBlocks, SeqNum};

use crate::config::Config;
use crate::event::Event;
use delayed::Delayed;
use reassembly::Reassembly;
use sack::Reports;
pub(crate) use sack::SackReports;

pub(crate) struct Receiver {
    buffer: u64,
    /// Shift of the advertised window, which is a multiple of 2 to this power.
    shift: u8,
    /// The maximum window that can be advertised.
    max_window: u64,
    assembly: Reassembly,
    /// Offset of the FIN, once a FIN was received in the window.
    fin_at: Option<u64>,
    /// Whether the application reads explicitly.
    holds: bool,
    /// Offset up to which the application has read.
    read_to: u64,
    /// First byte beyond the advertised window; it never decreases [RFC9293 s3.8.6].
    edge: u64,
    delayed: Delayed,
    reports: Reports,
    /// Segment size of the other end, as far as known; smaller increases of the window are not advertised.
    segment: u32,
    /// ECN-Echo is sent until the other end has reduced cwnd [RFC3168 s6.1.3], or for each marked segment [RFC8257
    /// s3.2].
    echo: bool,
    precise_ecn: bool,
    duplicates: u64,
    discarded: u32,
    observed: bool,
    events: VecDeque<Event>,
}

/// The data of a received segment, as offsets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceivedData {
    /// First byte.
    pub seq: u64,
    /// Bytes.
    pub len: u32,
    /// Whether a FIN follows.
    pub fin: bool,
    /// ECN codepoint of the segment's packet.
    pub ecn: Ecn,
    /// Whether the other end reports that it has reduced cwnd (CWR).
    pub reduced: bool,
}

impl Receiver {
    pub fn new(config: &Config, precise_ecn: bool) -> Self {
        let buffer = config.window.0;
        Receiver {
            buffer,
            shift: 0,
            max_window: u64::MAX,
            assembly: Reassembly::default(),
            fin_at: None,
            holds: false,
            read_to: 0,
            // The maximum in a SYN, until window scaling is negotiated [RFC7323 s2.2].
            edge: buffer.min(u64::from(u16::MAX)),
            delayed: Delayed::new(config.delayed_ack.delay()),
            reports: Reports::default(),
            segment: config.segment,
            echo: false,
            precise_ecn,
            duplicates: 0,
            discarded: 0,
            observed: false,
            events: VecDeque::new(),
        }
    }

    /// Sets the result of the handshake; windows are at most `max_window` bytes.
    pub fn on_handshake(&mut self, sack: SackReports, shift: u8, max_window: u64) {
        self.reports.enable(sack);
        (self.shift, self.max_window) = (shift, max_window);
        self.edge = self.next() + self.round_window(self.buffer);
    }

    pub fn observe(&mut self) {
        self.observed = true;
    }

    /// Returns the next byte expected, FIN included: all bytes before it were received.
    #[inline]
    pub fn next(&self) -> u64 {
        self.assembly.next()
    }

    /// Bytes of data received in order.
    #[inline]
    pub fn bytes_received(&self) -> u64 {
        match self.fin_at {
            Some(fin) => self.next().min(fin),
            None => self.next(),
        }
    }

    /// Whether the FIN and everything before it were received.
    #[inline]
    pub fn has_received_fin(&self) -> bool {
        self.fin_at.is_some_and(|fin| self.next() > fin)
    }

    /// Segments received that contained no new byte.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Returns the number of discarded segments with data.
    pub fn segments_discarded(&self) -> u64 {
        u64::from(self.discarded)
    }

    /// Discards a segment with data that was not acceptable.
    #[cold]
    pub fn discard(&mut self, seq: u64, len: u32) {
        self.discarded = self.discarded.saturating_add(1);
        if self.observed {
            self.events.push_back(Event::SegmentDiscarded { seq, len });
        }
    }

    /// Makes the application read explicitly from now on.
    pub fn hold(&mut self) {
        self.holds = true;
        self.read_to = self.bytes_received();
    }

    /// Bytes the application may read.
    #[inline]
    pub fn readable(&self) -> u64 {
        if self.holds { self.bytes_received() - self.read_to } else { 0 }
    }

    /// Reads at most `max` bytes on behalf of the application.
    pub fn read(&mut self, max: u64) -> u64 {
        let bytes = self.readable().min(max);
        self.read_to += bytes;
        // A window update is sent for an increase by half the buffer or two segments [WS96].
        let more = (self.next() + self.free()).saturating_sub(self.edge);
        if bytes > 0 && more >= (self.buffer / 2).min(2 * u64::from(self.segment)) {
            self.delayed.at_once();
        }
        bytes
    }

    #[inline]
    fn free(&self) -> u64 {
        self.round_window(self.buffer.saturating_sub(self.readable()))
    }

    #[inline]
    fn round_window(&self, window: u64) -> u64 {
        window.min(self.max_window) >> self.shift << self.shift
    }

    /// The receive window: bytes from `next` on that are accepted.
    #[inline]
    pub fn window(&self) -> u64 {
        self.edge.max(self.next()) - self.next()
    }

    /// Advances the window to the free part of the buffer, unless the increase is small. Called for each segment that
    /// is built.
    #[inline]
    pub fn renew_window(&mut self) {
        let edge = self.next() + self.free();
        let worth = !self.holds || edge.saturating_sub(self.edge) >= (self.buffer / 2).min(u64::from(self.segment));
        if edge > self.edge && worth {
            self.edge = edge;
        }
    }

    pub fn pop_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Processes data. Data beyond the window is discarded [RFC9293 s3.10.7.4]. Acknowledgments [`parted`](Self::parts)
    /// from this data must have been sent before.
    #[inline]
    pub fn on_data(&mut self, now: Time, data: &ReceivedData) {
        let ReceivedData { seq, len, fin, .. } = *data;
        let next = self.next();
        let in_order = seq == next;
        if self.observed {
            self.events.push_back(Event::SegmentReceived { seq, len, in_order });
        }
        let changed = self.take_mark(data);
        let data_end = seq + u64::from(len);
        let limit = next + self.window().max(u64::from(fin && data_end == next));
        let end = (data_end + u64::from(fin)).min(limit);
        if fin && data_end < limit && self.fin_at.is_none() {
            self.fin_at = Some(data_end);
        }
        let had_holes = self.assembly.has_holes();
        let twice = if seq < next {
            // Data that is repeated only because a FIN was added to it is not reported (Linux).
            (data_end > next).then_some((seq, next))
        } else if had_holes {
            self.assembly.first_within(seq, end)
        } else {
            None
        };
        let new = end > seq && self.assembly.insert(seq, end);
        if new {
            if let Some((from, to)) = twice {
                self.reports.duplicate(from, to);
            }
            self.reports.on_data(seq, &self.assembly);
        } else if end > seq {
            self.duplicates += 1;
            self.reports.duplicate(seq, end);
        }
        // Out of order, filling a hole, duplicate, or FIN: acknowledged at once [RFC5681 s4.2].
        let hurry = !in_order || had_holes || !new || fin || changed;
        self.delayed.on_segment(now, hurry);
    }

    /// Processes `len` bytes in order and without an ECN mark, if their only effect is an acknowledgment. Otherwise
    /// returns false without any change.
    #[inline]
    pub fn take_next(&mut self, now: Time, len: u32) -> bool {
        let seq = self.next();
        let end = seq + u64::from(len);
        if end > self.edge || self.assembly.has_holes() || self.fin_at.is_some() || self.echo {
            return false;
        }
        if self.observed {
            self.events.push_back(Event::SegmentReceived { seq, len, in_order: true });
        }
        self.assembly.insert(seq, end);
        self.delayed.on_segment(now, false);
        true
    }

    /// Whether data with a delayed acknowledgment had another mark than `ecn`: both cannot share an acknowledgment
    /// [RFC8257 s3.2].
    #[inline]
    pub fn parts(&self, ecn: Ecn) -> bool {
        self.precise_ecn && self.echo != (ecn == Ecn::Ce) && self.delayed.waits()
    }

    /// Processes the ECN field of a received packet. Returns whether its acknowledgment must not be delayed.
    #[inline]
    fn take_mark(&mut self, data: &ReceivedData) -> bool {
        let marked = data.ecn == Ecn::Ce;
        if self.precise_ecn {
            // [RFC8257 s3.2]: a change of the mark is acknowledged immediately.
            return std::mem::replace(&mut self.echo, marked) != marked;
        }
        self.echo = (self.echo && !data.reduced) || marked;
        false
    }

    /// Sets whether the first acknowledgments are sent at once. If so, an acknowledgment that is delayed now is sent
    /// too.
    pub fn set_quick(&mut self, on: bool) {
        self.delayed.set_quick(on);
    }

    /// Makes an acknowledgment due now.
    pub fn owe(&mut self) {
        self.delayed.at_once();
    }

    /// Whether ECN-Echo is to be sent.
    pub fn echoes(&self) -> bool {
        self.echo
    }

    /// Whether an acknowledgment is due; consumes it.
    #[inline]
    pub fn take_owed(&mut self, now: Time) -> bool {
        self.delayed.take(now)
    }

    /// Whether an acknowledgment is due, ignoring delayed ones.
    #[inline]
    pub fn owes(&self) -> bool {
        self.delayed.owes()
    }

    /// Records that a segment that acknowledges all received data was sent.
    #[inline]
    pub fn on_ack_sent(&mut self) {
        self.delayed.clear();
    }

    /// Returns the time at which the delayed acknowledgment is due.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.delayed.deadline()
    }

    /// Whether there are SACK blocks to report.
    #[inline]
    pub fn wants_sack(&self) -> bool {
        self.reports.has_reports(&self.assembly)
    }

    /// The SACK blocks, as sequence numbers relative to `origin`; at most `max_blocks`.
    pub fn sack(&mut self, origin: SeqNum, max_blocks: usize) -> SackBlocks {
        self.reports.blocks(&self.assembly, max_blocks).map(|(from, to)| (origin.at(from), origin.at(to))).collect()
    }
}
