//! The half of a connection that receives data.
//!
//! Data out of order is kept and reported (`sack`); acknowledgments go out at once or delayed (`delayed`); the window is the
//! free part of the buffer. All offsets count a FIN as one byte behind the data.

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

pub(crate) struct Receiver {
    buffer: u64,
    /// How far windows are shifted on the wire: they are advertised in steps of this power of two.
    shift: u8,
    /// The maximum window that can be advertised.
    max_window: u64,
    assembly: Reassembly,
    /// Where the FIN lies, once it has come in sight.
    fin_at: Option<u64>,
    /// Whether the application reads by itself, and how far it has read.
    holds: bool,
    read_to: u64,
    /// First byte beyond the window last advertised; it never moves back [RFC9293 s3.8.6].
    edge: u64,
    delayed: Delayed,
    reports: Reports,
    /// Bytes in a full segment of the other end, as far as is known: small windows are not worth telling of.
    segment: u32,
    /// Congestion met on the way here is echoed until the other end has reduced its window [RFC3168 s6.1.3], or with each
    /// segment marked [RFC8257 s3.2].
    echo: bool,
    precise_ecn: bool,
    duplicates: u64,
    discarded: u32,
    observed: bool,
    events: VecDeque<Event>,
}

/// A segment's data as it came in. Offsets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    /// First byte.
    pub seq: u64,
    /// Bytes.
    pub len: u32,
    /// Whether a FIN follows.
    pub fin: bool,
    /// What the network says of congestion.
    pub ecn: Ecn,
    /// Whether the other end says that it has reduced its window.
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
            // No more than a SYN can say, until windows are agreed on [RFC7323 s2.2].
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

    /// What the handshake has agreed on; windows are at most `max_window` bytes.
    pub fn agreed(&mut self, sack: bool, duplicate_sack: bool, shift: u8, max_window: u64) {
        self.reports.agreed(sack, duplicate_sack);
        (self.shift, self.max_window) = (shift, max_window);
        self.edge = self.next() + self.quantized(self.buffer);
    }

    pub fn observe(&mut self) {
        self.observed = true;
    }

    /// Next byte expected, FIN included: everything before it has come, once and in order.
    #[inline]
    pub fn next(&self) -> u64 {
        self.assembly.next()
    }

    /// Bytes of data received in order.
    #[inline]
    pub fn received(&self) -> u64 {
        match self.fin_at {
            Some(fin) => self.next().min(fin),
            None => self.next(),
        }
    }

    /// Whether the FIN and everything before it has come.
    #[inline]
    pub fn finished(&self) -> bool {
        self.fin_at.is_some_and(|fin| self.next() > fin)
    }

    /// Segments that brought no byte that was not here already.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Segments with data that were not looked at.
    pub fn discarded(&self) -> u64 {
        u64::from(self.discarded)
    }

    /// A segment with data was not acceptable.
    #[cold]
    pub fn discard(&mut self, seq: u64, len: u32) {
        self.discarded = self.discarded.saturating_add(1);
        if self.observed {
            self.events.push_back(Event::SegmentDiscarded { seq, len });
        }
    }

    /// From now on the application reads by itself.
    pub fn hold(&mut self) {
        self.holds = true;
        self.read_to = self.received();
    }

    /// Bytes the application may read.
    #[inline]
    pub fn readable(&self) -> u64 {
        if self.holds { self.received() - self.read_to } else { 0 }
    }

    /// The application reads at most `most` bytes.
    pub fn read(&mut self, max: u64) -> u64 {
        let bytes = self.readable().min(max);
        self.read_to += bytes;
        // Worth telling of by itself once it is half the buffer or two segments more than what was said [WS96].
        let more = (self.next() + self.free()).saturating_sub(self.edge);
        if bytes > 0 && more >= (self.buffer / 2).min(2 * u64::from(self.segment)) {
            self.delayed.at_once();
        }
        bytes
    }

    #[inline]
    fn free(&self) -> u64 {
        self.quantized(self.buffer.saturating_sub(self.readable()))
    }

    #[inline]
    fn quantized(&self, window: u64) -> u64 {
        window.min(self.max_window) >> self.shift << self.shift
    }

    /// Bytes from `next` on that may come.
    #[inline]
    pub fn window(&self) -> u64 {
        self.edge.max(self.next()) - self.next()
    }

    /// Opens the window as far as the buffer is free, unless the step is small. To be called when a segment is made.
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

    /// Takes data. What lies beyond the window is not kept [RFC9293 s3.10.7.4]. What waits and [`parts`](Self::parts) from it was
    /// acknowledged before.
    #[inline]
    pub fn on_data(&mut self, now: Time, data: &Data) {
        let Data { seq, len, fin, .. } = *data;
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
        let twice = match seq < next {
            // Data that comes again only because a FIN was put behind it is not worth telling of (Linux).
            true => (data_end > next).then_some((seq, next)),
            false if had_holes => self.assembly.first_within(seq, end),
            false => None,
        };
        let new = end > seq && self.assembly.insert(seq, end);
        if new {
            if let Some((from, to)) = twice {
                self.reports.duplicate(from, to);
            }
            self.reports.arrived(seq, &self.assembly);
        } else if end > seq {
            self.duplicates += 1;
            self.reports.duplicate(seq, end);
        }
        // Out of order, filling a hole, twice, or the end: at once [RFC5681 s4.2].
        let hurry = !in_order || had_holes || !new || fin || changed;
        self.delayed.arrived(now, hurry);
    }

    /// Whether what waits to be acknowledged came with another mark than a segment with `ecn` does, and so cannot share an
    /// acknowledgment with it [RFC8257 s3.2].
    #[inline]
    pub fn parts(&self, ecn: Ecn) -> bool {
        self.precise_ecn && self.echo != (ecn == Ecn::Ce) && self.delayed.waits()
    }

    /// Takes the ECN field of an incoming packet. Whether its acknowledgment must not be delayed.
    #[inline]
    fn take_mark(&mut self, data: &Data) -> bool {
        let marked = data.ecn == Ecn::Ce;
        if self.precise_ecn {
            // [RFC8257 s3.2]: a change is acknowledged at once.
            return std::mem::replace(&mut self.echo, marked) != marked;
        }
        self.echo = (self.echo && !data.reduced) || marked;
        false
    }

    /// Whether the first acknowledgments go out at once; then those that wait do, too.
    pub fn set_quick(&mut self, on: bool) {
        self.delayed.set_quick(on);
    }

    /// An acknowledgment is owed at once.
    pub fn owe(&mut self) {
        self.delayed.at_once();
    }

    /// Whether congestion is to be echoed.
    pub fn echoes(&self) -> bool {
        self.echo
    }

    /// Whether an acknowledgment must go out now; asking takes one off.
    #[inline]
    pub fn take_owed(&mut self, now: Time) -> bool {
        self.delayed.take(now)
    }

    /// A segment leaves, which acknowledges everything.
    #[inline]
    pub fn acknowledged(&mut self) {
        self.delayed.clear();
    }

    /// When an acknowledgment that is kept back must go out.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.delayed.deadline()
    }

    /// Whether there are blocks to report.
    #[inline]
    pub fn wants_sack(&self) -> bool {
        self.reports.wanted(&self.assembly)
    }

    /// The blocks to report, as numbers counted from `origin`; at most `max_blocks`.
    pub fn sack(&mut self, origin: SeqNum, max_blocks: usize) -> SackBlocks {
        self.reports.blocks(&self.assembly, max_blocks).map(|(from, to)| (origin.at(from), origin.at(to))).collect()
    }
}
