//! Counts of a connection's segments, from which members of `struct tcp_info` follow.

use engine::{Span, Time};
use wire::{Ecn, Flags, Segment, SeqNum};

use super::delivery::{AckView, DeliveryLog};
use crate::end::OpenRole;
use crate::settings::HostSettings;

/// `TCP_ATO_MIN`: the delay of acknowledgments at first.
const ATO_MIN: Span = Span::from_millis(40);
/// `TCP_DELACK_MAX`
const ATO_MAX: Span = Span::from_millis(200);
/// `TCP_MSS_DEFAULT` and `TCP_MIN_MSS`
const SEGMENT_SIZES: (u32, u32) = (536, 88);

/// Numbers of an end that change with a segment or a timer.
#[derive(Clone, Copy, Default)]
pub(super) struct EndProgress {
    /// Bytes received in order.
    pub received: u64,
    /// Segments received out of order, as the sender knows.
    pub sacked: u64,
    /// Consecutive timeouts.
    pub timeouts: u64,
    pub rto: Span,
    pub min_rtt: Span,
    pub snd_mss: u64,
    pub is_open: bool,
}

/// Counts of a connection's segments.
pub(super) struct SegmentTally {
    role: OpenRole,
    mtu: u32,
    /// Segment size into which large injected packets count as cut (`--mss`).
    offload: Option<u32>,
    ours: Option<Segment>,
    theirs: Option<Segment>,
    pub is_open: bool,
    pub ecn_seen: bool,
    pub segs_in: u64,
    pub segs_out: u64,
    pub data_segs_in: u64,
    pub bytes_sent: u64,
    pub bytes_retransmitted: u64,
    pub last_data_sent: Time,
    pub last_data_received: Time,
    pub last_ack_received: Time,
    pub ooo_segments: u64,
    pub dsack_duplicates: u64,
    /// Window of the segment sent last, in bytes.
    pub receive_window: u32,
    /// Estimated size of the other end's segments, in bytes.
    pub receive_segment: u32,
    last_segment: u32,
    /// Delay of acknowledgments; `None` before the first data.
    pub ack_delay: Option<Span>,
    pub timeouts: u64,
    pub timeout_recoveries: u64,
    timeout_time: Span,
    timed_out_at: Option<Time>,
    pub probes: u64,
    pub delivery: DeliveryLog,
}

impl SegmentTally {
    pub fn new(role: OpenRole, settings: &HostSettings) -> Self {
        SegmentTally {
            role,
            mtu: settings.mtu,
            offload: settings.offload,
            ours: None,
            theirs: None,
            is_open: false,
            ecn_seen: false,
            segs_in: 0,
            segs_out: 0,
            data_segs_in: 0,
            bytes_sent: 0,
            bytes_retransmitted: 0,
            last_data_sent: Time::ZERO,
            last_data_received: Time::ZERO,
            last_ack_received: Time::ZERO,
            ooo_segments: 0,
            dsack_duplicates: 0,
            receive_window: 0,
            receive_segment: 0,
            last_segment: 0,
            ack_delay: None,
            timeouts: 0,
            timeout_recoveries: 0,
            timeout_time: Span::ZERO,
            timed_out_at: None,
            probes: 0,
            delivery: DeliveryLog::default(),
        }
    }

    /// Observes a sent segment.
    pub fn note_sent(&mut self, now: Time, segment: &Segment) {
        let has = |flag| segment.flags.has(flag);
        if has(Flags::SYN) {
            self.ours = Some(*segment);
        }
        // The SYN-ACK is sent for the listener's request, before the connection exists.
        if !(has(Flags::SYN) && self.role == OpenRole::Passive) {
            self.segs_out += 1;
        }
        if !has(Flags::RST) {
            self.receive_window = segment.window >> segment.window_shift.min(31) << segment.window_shift.min(31);
        }
        if segment.len > 0 {
            self.last_data_sent = now;
            self.bytes_sent += u64::from(segment.len);
            if self.delivery.is_retransmission(segment) {
                self.bytes_retransmitted += u64::from(segment.len);
            }
        }
        self.delivery.note_sent(now, segment);
    }

    /// Observes an arrived segment, with the end's numbers before and after it.
    pub fn note_arrival(&mut self, now: Time, segment: &Segment, ecn: Ecn, before: &EndProgress, after: &EndProgress) {
        let has = |flag| segment.flags.has(flag);
        if has(Flags::SYN) && !self.is_open {
            self.theirs = Some(*segment);
        }
        let count = self.offload.map_or(1, |size| segment.len.div_ceil(size.max(1)).max(1)).into();
        match self.role {
            OpenRole::Passive if !self.is_open && !after.is_open => self.segs_in = 1,
            _ => {
                self.segs_in += count;
                self.data_segs_in += if segment.len > 0 { count } else { 0 };
            }
        }
        if !self.is_open && after.is_open {
            self.open(now, after);
        }
        if !self.is_open {
            return;
        }
        if has(Flags::ACK) {
            self.last_ack_received = now;
            self.probes = 0;
            self.note_duplicate_sack(segment, after);
            self.delivery.note_ack(&AckView {
                now,
                segment,
                sack: self.has_sack(),
                echoes_mark: has(Flags::ECE) && self.has_ecn(),
                sacked: (before.sacked, after.sacked),
                min_rtt: after.min_rtt,
            });
        }
        if segment.len > 0 && !has(Flags::SYN) {
            self.note_data(now, segment, before, after);
        }
        if self.has_ecn() && ecn != Ecn::NotEct {
            self.ecn_seen = true;
        }
        if after.timeouts < before.timeouts
            && let Some(from) = self.timed_out_at.take()
        {
            self.timeout_time = self.timeout_time + now.since(from);
        }
    }

    /// Observes an expired timer, with the end's numbers before and after it. `probes` states whether it sent a probe of
    /// a closed window.
    pub fn note_timeout(&mut self, now: Time, before: &EndProgress, after: &EndProgress, probes: bool) {
        self.probes += u64::from(probes);
        if after.timeouts <= before.timeouts {
            return;
        }
        if before.timeouts == 0 {
            self.timeout_recoveries += 1;
            self.timed_out_at = Some(now);
        }
        self.timeouts += after.timeouts - before.timeouts;
    }

    /// Observes that the connection is established.
    fn open(&mut self, now: Time, after: &EndProgress) {
        self.is_open = true;
        (self.last_data_sent, self.last_data_received, self.last_ack_received) = (now, now, now);
        // The delivery of the SYN.
        self.delivery.delivered += 1;
        // `tcp_initialize_rcv_mss`
        let hint = self.advertised_mss().min(after.snd_mss as u32).min(self.receive_window / 2);
        self.receive_segment = hint.clamp(SEGMENT_SIZES.1, SEGMENT_SIZES.0);
    }

    /// Counts the segments of a duplicate SACK block [RFC2883 s4].
    fn note_duplicate_sack(&mut self, segment: &Segment, after: &EndProgress) {
        let blocks = segment.options.sack.as_slice();
        let Some((from, to)) = blocks.first().copied().filter(|_| self.has_sack()) else { return };
        let within = |(low, high): (SeqNum, SeqNum)| from.since(low) >= 0 && to.since(high) <= 0;
        let length = to.since(from);
        if length > 0 && (to.since(segment.ack) <= 0 || blocks.get(1).copied().is_some_and(within)) {
            self.dsack_duplicates += (length as u64).div_ceil(after.snd_mss.max(1));
        }
    }

    /// Observes arrived data that the end accepted (`tcp_event_data_recv`).
    fn note_data(&mut self, now: Time, segment: &Segment, before: &EndProgress, after: &EndProgress) {
        let Some(origin) = self.theirs.map(|syn| syn.seq + 1) else { return };
        let ahead = segment.seq.since(origin + before.received as u32);
        let is_ooo = ahead > 0 && (ahead as u32) < self.receive_window;
        if is_ooo {
            self.ooo_segments += 1;
        } else if after.received == before.received {
            return;
        }
        self.measure_segment(segment);
        let pause = now.since(self.last_data_received);
        let half = |span: Span| Span::from_nanos(span.as_nanos() / 2);
        self.ack_delay = Some(match self.ack_delay {
            None => ATO_MIN,
            Some(delay) if pause <= half(ATO_MIN) => half(delay) + half(ATO_MIN),
            Some(delay) if pause < delay => (half(delay) + pause).min(after.rto).min(ATO_MAX),
            Some(delay) => delay,
        });
        self.last_data_received = now;
    }

    /// Estimates the size of the other end's segments (`tcp_measure_rcv_mss`).
    fn measure_segment(&mut self, segment: &Segment) {
        let previous = std::mem::take(&mut self.last_segment);
        let size = self.offload.filter(|size| *size < segment.len).unwrap_or(segment.len);
        if size >= self.receive_segment {
            self.receive_segment = size.min(self.advertised_mss());
            return;
        }
        let with_header = size + segment.header();
        let is_marked = segment.flags.has(Flags::PSH) || segment.flags.has(Flags::FIN);
        if with_header >= SEGMENT_SIZES.0 + Segment::HEADER
            || with_header >= SEGMENT_SIZES.1 + Segment::HEADER && !is_marked
        {
            self.last_segment = with_header - Segment::HEADER - if self.has_timestamps() { 12 } else { 0 };
            if self.last_segment == previous {
                self.receive_segment = previous;
            }
        }
    }

    /// Returns true if both SYNs satisfy a condition.
    fn both(&self, has: impl Fn(&Segment) -> bool) -> bool {
        self.ours.as_ref().is_some_and(&has) && self.theirs.as_ref().is_some_and(&has)
    }

    pub fn has_sack(&self) -> bool {
        self.both(|syn| syn.options.sack_permitted)
    }

    pub fn has_timestamps(&self) -> bool {
        self.both(|syn| syn.options.timestamps.is_some())
    }

    /// Returns true if both ends use ECN: the SYN requests it, and the SYN-ACK accepts it [RFC3168 s6.1.1].
    pub fn has_ecn(&self) -> bool {
        let (request, answer) = match self.role {
            OpenRole::Active => (self.ours, self.theirs),
            OpenRole::Passive => (self.theirs, self.ours),
        };
        let has = |syn: Option<Segment>, flag| syn.is_some_and(|syn| syn.flags.has(flag));
        has(request, Flags::ECE) && has(request, Flags::CWR) && has(answer, Flags::ECE) && !has(answer, Flags::CWR)
    }

    /// Returns the window scales of the other end and of this one; `None` without window scaling.
    pub fn scales(&self) -> Option<(u8, u8)> {
        Some((self.theirs?.options.window_scale?, self.ours?.options.window_scale?))
    }

    /// Returns the segment size that this end advertises, without the timestamps option, in bytes.
    pub fn advertised_mss(&self) -> u32 {
        let mss = self.ours.and_then(|syn| syn.options.mss).map_or(0, |mss| u32::from(mss.get()));
        mss.saturating_sub(if self.has_timestamps() { 12 } else { 0 })
    }

    /// Returns the maximum packet size of the path, in bytes.
    pub fn mtu(&self) -> u32 {
        self.mtu
    }

    /// Returns the time spent in timeouts and the recoveries after them.
    pub fn timeout_time(&self, now: Time) -> Span {
        self.timed_out_at.map_or(self.timeout_time, |from| self.timeout_time + now.since(from))
    }
}
