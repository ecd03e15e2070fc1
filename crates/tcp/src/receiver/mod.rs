//! The half of a connection that receives data.
//!
//! Data out of order is kept and reported (`sack`); acknowledgments are sent at once or delayed (`ack_policy`); the
//! window is the free part of the buffer, which may grow (`buffer_tuning`). All offsets count a FIN as one byte after
//! the data.

mod ack_policy;
mod buffer_tuning;
mod delayed;
mod linux_acks;
mod offload;
mod reassembly;
mod sack;
mod segment_estimate;

use std::collections::VecDeque;

use engine::{Span, Time};
use wire::{Ecn, SackBlocks, SeqNum};

use crate::config::{Config, DelayedAck, ReceiveWindow};
use crate::event::Event;
use ack_policy::AckPolicy;
use buffer_tuning::{BufferArrival, BufferTuning, is_silly};
use linux_acks::{AckCause, FinPlace, MarkChange, RoundTrips, SegmentPlace};
pub(crate) use offload::{JoinedSegments, ReceiveOffload};
use reassembly::Reassembly;
use sack::Reports;
pub(crate) use sack::SackReports;
use segment_estimate::{SegmentEstimate, SizeClass};

pub(crate) struct Receiver {
    /// Size of a fixed buffer, or the initial window of an autotuned one.
    buffer: u64,
    /// What the receiver measures, if its rules need it.
    measures: Option<Box<Measures>>,
    /// Shift of the advertised window, which is a multiple of 2 to this power.
    shift: u8,
    /// The maximum window that can be advertised.
    max_window: u32,
    assembly: Reassembly,
    /// Offset of the FIN, once a FIN was received in the window.
    fin_at: Option<u64>,
    /// Whether the application reads explicitly.
    holds: bool,
    /// Offset up to which the application has read.
    read_to: u64,
    /// First byte beyond the advertised window; it never decreases [RFC9293 s3.8.6].
    edge: u64,
    acks: AckPolicy,
    reports: Reports,
    /// Segment size of the other end, as far as known; smaller increases of the window are not advertised.
    segment: u32,
    /// ECN-Echo is sent until the other end has reduced cwnd [RFC3168 s6.1.3], or for each marked segment [RFC8257
    /// s3.2].
    echo: bool,
    precise_ecn: bool,
    duplicates: u32,
    discarded: u32,
    observed: bool,
    events: VecDeque<Event>,
}

/// The measurements of a receiver whose buffer is autotuned, or that acknowledges as Linux does.
struct Measures {
    estimate: SegmentEstimate,
    tuning: Option<Box<BufferTuning>>,
    /// The window that was advertised last.
    offered: u64,
    /// Segments that wait to be joined.
    offload: Option<Box<ReceiveOffload>>,
    /// Size of the segments of which the present one is joined; `None` if it arrived alone.
    joined_size: Option<u32>,
}

impl Measures {
    /// Creates the measurements for an end that offers `window` bytes first; `None` if its settings need none.
    fn new(config: &Config, window: u64) -> Option<Box<Self>> {
        let tuning = match config.window {
            ReceiveWindow::Fixed(_) if config.delayed_ack != DelayedAck::Linux => return None,
            ReceiveWindow::Fixed(_) => None,
            ReceiveWindow::Autotuned(sizes) => Some(Box::new(BufferTuning::new(sizes, config.segment, window))),
        };
        let estimate = SegmentEstimate::new(config.segment, window);
        let is_linux = config.delayed_ack == DelayedAck::Linux;
        let offload = ReceiveOffload::of(&config.receiver).filter(|_| is_linux);
        Some(Box::new(Measures { estimate, tuning, offered: window, offload, joined_size: None }))
    }
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
    /// Whether PSH is set.
    pub push: bool,
    /// Whether this end has closed, so that a FIN ends the connection.
    pub closing: bool,
    /// The echoed timestamp and the time since it was sent.
    pub echo: Option<(u32, Span)>,
    /// Smoothed RTT and retransmission timeout of this end's sender, if they are needed.
    pub times: Option<(Span, Span)>,
}

impl Receiver {
    pub fn new(config: &Config, precise_ecn: bool) -> Self {
        let buffer = config.window.initial(config.segment);
        Receiver {
            buffer,
            measures: Measures::new(config, buffer),
            shift: 0,
            max_window: u32::MAX,
            assembly: Reassembly::default(),
            fin_at: None,
            holds: false,
            read_to: 0,
            // The maximum in a SYN, until window scaling is negotiated [RFC7323 s2.2].
            edge: buffer.min(u64::from(u16::MAX)),
            acks: AckPolicy::new(config),
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
    pub fn on_handshake(&mut self, sack: SackReports, shift: u8, max_window: u32) {
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
        self.duplicates.into()
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

    /// Reads all data, and makes the application read on arrival from now on.
    pub fn read_on_arrival(&mut self) {
        self.read(u64::MAX);
        self.holds = false;
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
        if bytes == 0 {
            return 0;
        }
        let (next, unread) = (self.next(), self.readable());
        if let Some(measures) = &mut self.measures {
            if let Some(tuning) = &mut measures.tuning {
                tuning.on_read(self.read_to, unread, self.assembly.beyond());
            }
            if let AckPolicy::Linux(linux) = &mut self.acks {
                linux.on_read(next, measures.estimate.size(), unread == 0);
            }
        }
        if self.is_update_worth() {
            self.acks.at_once();
        }
        bytes
    }

    /// Returns whether the window has grown so much since it was advertised that a window update is sent at once.
    fn is_update_worth(&self) -> bool {
        let (free, window) = (self.free(), self.window());
        let capacity = self.tuning().map_or(self.buffer, |(tuning, _)| tuning.capacity());
        match &self.acks {
            // At least twice the window (`__tcp_cleanup_rbuf`).
            AckPolicy::Linux(_) => 2 * window <= capacity && free > 0 && free >= 2 * window,
            // Half the buffer or two segments more [WS96].
            AckPolicy::Delayed(_) => {
                let more = (self.next() + free).saturating_sub(self.edge);
                more >= (capacity / 2).min(2 * u64::from(self.segment))
            }
        }
    }

    /// Returns the autotuned buffer, if the buffer is one, and the estimated segment size.
    #[inline]
    fn tuning(&self) -> Option<(&BufferTuning, u64)> {
        let measures = self.measures.as_ref()?;
        Some((measures.tuning.as_deref()?, measures.estimate.size().into()))
    }

    /// Returns the window that can be advertised.
    #[inline]
    fn free(&self) -> u64 {
        match &self.measures {
            None => self.round_window(self.buffer.saturating_sub(self.readable())),
            Some(measures) => self.measured_free(measures),
        }
    }

    /// Returns the window that can be advertised by a receiver that measures segments.
    fn measured_free(&self, measures: &Measures) -> u64 {
        let estimate = u64::from(measures.estimate.size());
        match &measures.tuning {
            None => {
                let free = self.buffer.saturating_sub(self.readable());
                let silly = is_silly(free, self.buffer, self.buffer, estimate);
                let window = if silly { 0 } else { self.align_window(measures, free, self.buffer) };
                self.round_window(window)
            }
            Some(tuning) => {
                let held = self.readable() + self.assembly.beyond();
                let window = self.align_window(measures, tuning.offer(held, estimate), tuning.capacity());
                // Rounded up: with a large shift a small window would otherwise be zero (`__tcp_select_window`).
                self.round_window(window + (1 << self.shift) - 1)
            }
        }
    }

    /// Returns the window that Linux offers of `free` bytes if there is no window scaling, where the buffer has `full`
    /// bytes: full segments, or the last window if it differs by less than a segment (`__tcp_select_window`).
    #[inline]
    fn align_window(&self, measures: &Measures, free: u64, full: u64) -> u64 {
        let is_scaled = self.shift > 0 || self.max_window > u32::from(u16::MAX);
        if is_scaled || !self.needs_times() {
            return free;
        }
        let (last, segment) = (measures.offered, u64::from(measures.estimate.size()).min(full).max(1));
        if last + segment <= free || last > free {
            free / segment * segment
        } else if segment == full && free > last + full / 2 {
            free
        } else {
            last
        }
    }

    #[inline]
    fn round_window(&self, window: u64) -> u64 {
        window.min(self.max_window.into()) >> self.shift << self.shift
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
        let worth = !self.holds
            || self.tuning().is_some()
            || edge.saturating_sub(self.edge) >= (self.buffer / 2).min(u64::from(self.segment));
        if edge > self.edge && worth {
            self.edge = edge;
        }
        let window = self.window();
        if let Some(measures) = &mut self.measures {
            measures.offered = window;
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
        let mark = self.take_mark(data);
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
            self.duplicates = self.duplicates.saturating_add(1);
            self.reports.duplicate(seq, end);
        }
        let place = if !new {
            SegmentPlace::Useless
        } else if seq > next || self.assembly.has_holes() {
            SegmentPlace::BesideHole
        } else if had_holes {
            SegmentPlace::FillsLastHole
        } else if seq < next {
            SegmentPlace::Overlapping
        } else {
            SegmentPlace::InOrder
        };
        self.acknowledge(now, data, place, mark);
    }

    /// Adapts the buffer to a segment, and decides when the segment is acknowledged.
    #[inline]
    fn acknowledge(&mut self, now: Time, data: &ReceivedData, place: SegmentPlace, mark: MarkChange) {
        match &mut self.acks {
            AckPolicy::Delayed(delayed) => {
                // Out of order, filling a hole, duplicate, or FIN: acknowledged at once [RFC5681 s4.2].
                let hurry = place != SegmentPlace::InOrder || data.fin || mark == MarkChange::Reported;
                delayed.on_segment(now, hurry);
                if self.measures.is_some() {
                    self.tune_buffer(now, data, place);
                }
            }
            AckPolicy::Linux(_) => self.acknowledge_as_linux(now, data, place, mark),
        }
    }

    #[cold]
    fn acknowledge_as_linux(&mut self, now: Time, data: &ReceivedData, place: SegmentPlace, mark: MarkChange) {
        let (class, window_grows) = self.tune_buffer(now, data, place);
        let (srtt, rto) = data.times.unwrap_or_default();
        let at_receiver = self.tuning().map_or(Span::ZERO, |(tuning, _)| tuning.rtt());
        let Some(measures) = &self.measures else { return };
        let cause = AckCause {
            now,
            place,
            has_data: data.len > 0,
            class,
            estimate: measures.estimate.size(),
            push: data.push,
            fin: match (data.fin && self.has_received_fin(), data.closing) {
                (false, _) => FinPlace::None,
                (true, false) => FinPlace::First,
                (true, true) => FinPlace::Last,
            },
            mark,
            reduced: data.reduced,
            window_grows,
            next: self.next(),
            window: measures.offered,
            window_lasts: self.free() >= measures.offered,
            reads_at_once: !self.holds,
            times: RoundTrips { srtt, rto, at_receiver },
        };
        if let AckPolicy::Linux(linux) = &mut self.acks {
            linux.on_segment(&cause);
        }
    }

    /// Adapts an autotuned buffer to a segment. Returns the size of the segment beside the estimate, and whether the
    /// window may grow.
    #[inline(never)]
    fn tune_buffer(&mut self, now: Time, data: &ReceivedData, place: SegmentPlace) -> (SizeClass, bool) {
        let (unread, beyond, next) = (self.readable(), self.assembly.beyond(), self.bytes_received());
        let measures = self.measures.as_mut().filter(|_| place != SegmentPlace::Useless && data.len > 0);
        let Some(measures) = measures else { return (SizeClass::Full, false) };
        let size = measures.joined_size.unwrap_or(data.len);
        let class = measures.estimate.measure(size, data.push || data.fin);
        let (window, estimate) = (measures.offered, measures.estimate.size().into());
        let Some(tuning) = &mut measures.tuning else { return (class, false) };
        let arrival = BufferArrival {
            now,
            len: data.len.into(),
            size: size.into(),
            estimate,
            raises_estimate: class == SizeClass::Larger,
            next,
            window,
            unread,
            beyond,
            echo: data.echo,
        };
        if place == SegmentPlace::BesideHole && data.seq > next {
            return (class, tuning.on_data_out_of_order(&arrival, self.reports.are_enabled()));
        }
        let grows = tuning.on_data_in_order(&arrival);
        if !self.holds {
            tuning.on_read(next, 0, beyond);
        }
        (class, grows)
    }

    /// Processes `len` bytes in order and without an ECN mark, if their only effect is an acknowledgment. Otherwise
    /// returns false without any change.
    #[inline]
    pub fn take_next(&mut self, now: Time, len: u32) -> bool {
        let seq = self.next();
        let end = seq + u64::from(len);
        if end > self.edge || self.assembly.has_holes() || self.fin_at.is_some() || self.echo || self.measures.is_some()
        {
            return false;
        }
        let AckPolicy::Delayed(delayed) = &mut self.acks else { return false };
        if self.observed {
            self.events.push_back(Event::SegmentReceived { seq, len, in_order: true });
        }
        self.assembly.insert(seq, end);
        delayed.on_segment(now, false);
        true
    }

    /// Whether data with a delayed acknowledgment had another mark than `ecn`: both cannot share an acknowledgment
    /// [RFC8257 s3.2].
    #[inline]
    pub fn parts(&self, ecn: Ecn) -> bool {
        self.precise_ecn && self.echo != (ecn == Ecn::Ce) && self.acks.waits()
    }

    /// Processes the ECN field of a received packet.
    #[inline]
    fn take_mark(&mut self, data: &ReceivedData) -> MarkChange {
        let marked = data.ecn == Ecn::Ce;
        if self.precise_ecn {
            // [RFC8257 s3.2]: a change of the mark is acknowledged immediately.
            let changes = std::mem::replace(&mut self.echo, marked) != marked;
            return if changes { MarkChange::Reported } else { MarkChange::None };
        }
        let echoed = self.echo && !data.reduced;
        self.echo = echoed || marked;
        if marked && !echoed { MarkChange::First } else { MarkChange::None }
    }

    /// Sets whether the first acknowledgments are sent at once. If so, an acknowledgment that is delayed now is sent
    /// too, by Linux's receiver only once the application has read all data.
    pub fn set_quick(&mut self, on: bool) {
        let unread = self.readable();
        self.acks.set_quick(on, unread);
    }

    /// Makes an acknowledgment due now.
    pub fn owe(&mut self) {
        self.acks.at_once();
    }

    /// Whether ECN-Echo is to be sent.
    pub fn echoes(&self) -> bool {
        self.echo
    }

    /// Whether an acknowledgment is due; consumes it.
    #[inline]
    pub fn take_owed(&mut self, now: Time) -> bool {
        self.acks.take(now, self.assembly.next())
    }

    /// Whether an acknowledgment is due, ignoring delayed ones.
    #[inline]
    pub fn owes(&self) -> bool {
        self.acks.owes()
    }

    /// Records that a segment that acknowledges all received data was sent.
    #[inline]
    pub fn on_ack_sent(&mut self) {
        self.acks.clear(self.assembly.next());
    }

    /// Records that a segment with data was sent, which acknowledges all received data.
    #[inline]
    pub fn on_data_sent(&mut self, now: Time) {
        if let AckPolicy::Linux(linux) = &mut self.acks {
            linux.on_data_sent(now);
        }
        self.on_ack_sent();
    }

    /// Whether the echoed timestamps of received data are measured.
    #[inline]
    pub fn measures_echoes(&self) -> bool {
        self.measures.is_some()
    }

    /// Whether the sender's timeouts bound the delay of acknowledgments.
    #[inline]
    pub fn needs_times(&self) -> bool {
        matches!(self.acks, AckPolicy::Linux(_))
    }

    /// Returns the time at which the delayed acknowledgment is due, or held segments are passed on.
    #[inline]
    pub fn deadline(&self) -> Time {
        let deadline = self.acks.deadline();
        if self.needs_times() { deadline.min(self.offload_deadline()) } else { deadline }
    }

    /// Whether arrived segments wait to be joined.
    #[inline]
    pub fn has_offload(&self) -> bool {
        self.measures.as_ref().is_some_and(|measures| measures.offload.is_some())
    }

    /// Returns the segments that wait to be joined.
    pub fn offload(&mut self) -> Option<&mut ReceiveOffload> {
        self.measures.as_mut()?.offload.as_deref_mut()
    }

    /// Returns the time at which held segments are passed on.
    #[inline]
    pub fn offload_deadline(&self) -> Time {
        let offload = self.measures.as_ref().and_then(|measures| measures.offload.as_ref());
        offload.map_or(Time::NEVER, |offload| offload.deadline())
    }

    /// Sets the size of the segments of which the next one is joined.
    pub fn set_joined_size(&mut self, size: Option<u32>) {
        if let Some(measures) = &mut self.measures {
            measures.joined_size = size;
        }
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
