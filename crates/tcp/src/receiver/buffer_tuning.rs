//! The autotuned receive buffer of Linux ("dynamic right-sizing", Fisk and Feng 2001).
//!
//! Source: `net/ipv4/tcp_input.c` of Linux 7.2, functions named below. Two limits grow. The limit of the offered window
//! (`rcv_ssthresh`) grows by two segments with each segment that arrives, so that the window doubles once a round
//! trip. The buffer (`sk_rcvbuf`) grows once a round trip to hold twice what was received in the last one, and room for
//! the sender to double its rate.
//!
//! Deviations: memory pressure does not occur. The kernel counts jiffies and microseconds, here times are exact. The
//! memory of a packet is the memory of one linear buffer for each segment ([`count_packet_memory`]). Unread data and data out of order
//! occupy their size divided by the scaling ratio, as if all packets had the size that determined the ratio.

use engine::{Span, Time};

use crate::config::receive_window::BufferSizes;

/// Bytes of a packet before its data: Ethernet, IP and TCP with timestamps.
const HEADERS: u64 = 14 + 20 + 32;
/// Bytes that the kernel reserves before and after a packet: `NET_SKB_PAD` and `struct skb_shared_info`.
const RESERVED: u64 = 64 + 320;
/// Size of `struct sk_buff` in its slab.
const DESCRIPTOR: u64 = 256;
/// Fractional bits of the scaling ratio (`TCP_RMEM_TO_WIN_SCALE`).
const RATIO_BITS: u32 = 8;
/// Initial scaling ratio, one half (`TCP_DEFAULT_SCALING_RATIO`).
const DEFAULT_RATIO: u64 = 1 << (RATIO_BITS - 1);
/// Segments that the initial estimate of the data received in a round trip covers (`TCP_INIT_CWND`).
const INITIAL_SEGMENTS: u64 = 10;
/// Segments with fewer bytes do not let the window grow.
const MIN_GROWTH_SIZE: u64 = 128;
/// Round trips shorter than this time let the buffer grow in proportion (`tcp_rcvbuf_low_rtt`).
const LOW_RTT: Span = Span::from_millis(1);

/// State of an autotuned receive buffer. All sizes are in bytes.
#[derive(Debug)]
pub(super) struct BufferTuning {
    /// Maximum of `buffer`.
    max_buffer: u64,
    /// Memory for packets (`sk_rcvbuf`).
    buffer: u64,
    /// Data per byte of memory, in units of 1/256 (`scaling_ratio`).
    ratio: u64,
    /// Data that the buffer can hold (`window_clamp`).
    clamp: u64,
    /// Limit of the offered window (`rcv_ssthresh`).
    limit: u64,
    /// The MSS that this end has announced, less the size of options.
    segment: u64,
    /// Data received in the last round trip in which the amount grew (`rcvq_space.space`).
    per_round: u64,
    /// Offset of the stream at which the current round trip began, and its time.
    round: (u64, Time),
    /// Time of the last arrival.
    arrived_at: Time,
    /// Round-trip time at the receiver, eight times; zero before the first sample (`rcv_rtt_est`).
    rtt_by_eight: Span,
    /// First byte beyond the window at the beginning of a measurement, and its time.
    edge: Option<(u64, Time)>,
    /// The echoed timestamp of the last sample.
    last_echo: Option<u32>,
}

/// Data that has arrived, as the buffer sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferArrival {
    pub now: Time,
    /// Bytes of the segment, or of joined segments.
    pub len: u64,
    /// Bytes of a segment before it was joined with others.
    pub size: u64,
    /// Estimate of the size of the other end's segments, after this one.
    pub estimate: u64,
    /// True if this segment has changed the estimate by its size.
    pub raises_estimate: bool,
    /// The next byte expected, after the segment was processed.
    pub next: u64,
    /// The receive window before the segment.
    pub window: u64,
    /// Bytes received in order that the application has not read.
    pub unread: u64,
    /// Bytes between the next byte expected and the last byte received out of order.
    pub beyond: u64,
    /// The echoed timestamp and the time since it was sent.
    pub echo: Option<(u32, Span)>,
}

impl BufferArrival {
    /// Returns the memory of the packet.
    fn memory(&self) -> u64 {
        let size = self.size.max(1);
        count_packet_memory(size, self.len.div_ceil(size))
    }
}

impl BufferTuning {
    /// Creates a buffer for an end that announces segments of `segment` bytes and has offered `window` bytes.
    pub fn new(sizes: BufferSizes, segment: u32, window: u64) -> Self {
        let segment = u64::from(segment.max(1));
        let whole = convert_to_window(DEFAULT_RATIO, sizes.initial.0);
        // One segment of the window is reserved (`tcp_init_buffer_space`).
        let clamp = (2 * segment).max(whole.saturating_sub(segment)).min(whole);
        let limit = window.min(clamp);
        BufferTuning {
            max_buffer: sizes.max.0,
            buffer: sizes.initial.0,
            ratio: DEFAULT_RATIO,
            clamp,
            limit,
            segment,
            per_round: limit.min(window).min(INITIAL_SEGMENTS * segment).max(1),
            round: (0, Time::ZERO),
            arrived_at: Time::ZERO,
            rtt_by_eight: Span::ZERO,
            edge: None,
            last_echo: None,
        }
    }

    /// Returns the window that can be offered if `held` bytes are unread or out of order; zero if it would be too small
    /// to be useful (`__tcp_select_window`). The result is not rounded.
    pub fn offer(&self, held: u64, estimate: u64) -> u64 {
        let allowed = convert_to_window(self.ratio, self.buffer);
        let free = allowed.saturating_sub(held);
        if is_silly(free, self.clamp.min(allowed), allowed, estimate) { 0 } else { free.min(self.limit) }
    }

    /// Returns the data that the buffer can hold.
    pub fn capacity(&self) -> u64 {
        self.clamp
    }

    /// Returns the round-trip time at the receiver; zero before the first sample.
    pub fn rtt(&self) -> Span {
        Span::from_nanos(self.rtt_by_eight.as_nanos() / 8)
    }

    /// Handles a segment received in order (`tcp_event_data_recv`). Returns true if the limit of the window has grown.
    pub fn on_data_in_order(&mut self, arrival: &BufferArrival) -> bool {
        self.arrived_at = arrival.now;
        self.measure_echo(arrival);
        self.measure_memory(arrival);
        self.measure_window_round(arrival);
        arrival.len >= MIN_GROWTH_SIZE && self.grow_limit(arrival)
    }

    /// Handles a segment received out of order (`tcp_data_queue_ofo`). Returns true if the limit of the window has
    /// grown. Without SACK the window must not change, because only acknowledgments with the same window count as
    /// duplicates.
    pub fn on_data_out_of_order(&mut self, arrival: &BufferArrival, sack: bool) -> bool {
        self.arrived_at = arrival.now;
        self.measure_echo(arrival);
        self.measure_memory(arrival);
        let grown = sack && self.grow_limit(arrival);
        self.grow_buffer(self.per_round, arrival.beyond);
        grown
    }

    /// Handles a read of the application, which has now read up to the offset `read_to` (`tcp_rcv_space_adjust`). As in
    /// the kernel, the time is the time of the last arrival.
    pub fn on_read(&mut self, read_to: u64, unread: u64, beyond: u64) {
        let now = self.arrived_at;
        let rtt = self.rtt();
        if rtt == Span::ZERO || now.since(self.round.1) < rtt {
            return;
        }
        let copied = (read_to - self.round.0).saturating_sub(unread);
        if copied > self.per_round {
            self.grow_buffer(copied, beyond);
        }
        self.round = (read_to, now);
    }

    /// Grows the buffer for `received` bytes in a round trip (`tcp_rcvbuf_grow`).
    fn grow_buffer(&mut self, received: u64, beyond: u64) {
        let before = std::mem::replace(&mut self.per_round, received);
        let rtt = self.rtt();
        // The measurement is one round trip late.
        let mut window = 2 * u128::from(received);
        window += if rtt < LOW_RTT {
            window * u128::from(rtt.as_nanos()) / u128::from(LOW_RTT.as_nanos())
        } else {
            // The sender may double its rate in slow start.
            2 * window * u128::from(received.saturating_sub(before)) / u128::from(before.max(1))
        };
        window += u128::from(beyond);
        let memory = (window << RATIO_BITS) / u128::from(self.ratio);
        let buffer = u64::try_from(memory).unwrap_or(u64::MAX).min(self.max_buffer);
        if buffer > self.buffer {
            self.buffer = buffer;
            self.clamp = convert_to_window(self.ratio, buffer);
        }
    }

    /// Raises the limit of the offered window for a segment (`tcp_grow_window`). Returns true if it has grown.
    fn grow_limit(&mut self, arrival: &BufferArrival) -> bool {
        let free = convert_to_window(self.ratio, self.buffer).saturating_sub(arrival.unread + arrival.beyond);
        let room = self.clamp.min(free).saturating_sub(self.limit);
        if room == 0 {
            return false;
        }
        let memory = convert_to_window(self.ratio, arrival.memory());
        let growth = if memory <= arrival.len { 2 * self.segment } else { self.find_growth(memory, arrival) };
        if growth > 0 {
            self.limit += room.min(growth.max(2 * arrival.len));
        }
        growth > 0
    }

    /// Returns the growth for a packet whose memory as window, `memory`, exceeds its data (`__tcp_grow_window`).
    fn find_growth(&self, memory: u64, arrival: &BufferArrival) -> u64 {
        let (mut memory, mut window) = (memory / 2, convert_to_window(self.ratio, self.max_buffer) / 2);
        while self.limit <= window {
            if memory <= arrival.len {
                return 2 * arrival.estimate;
            }
            (memory, window) = (memory / 2, window / 2);
        }
        0
    }

    /// Adapts the scaling ratio to the packets of the other end (`tcp_measure_rcv_mss`).
    fn measure_memory(&mut self, arrival: &BufferArrival) {
        if !arrival.raises_estimate {
            return;
        }
        self.ratio = ((arrival.len << RATIO_BITS) / arrival.memory()).max(1);
        self.clamp = convert_to_window(self.ratio, self.buffer);
        self.per_round = self.per_round.min(self.clamp).max(1);
    }

    /// Takes a sample of the round-trip time from an echoed timestamp (`tcp_rcv_rtt_measure_ts`).
    fn measure_echo(&mut self, arrival: &BufferArrival) {
        let Some((echo, age)) = arrival.echo.filter(|(echo, _)| self.last_echo != Some(*echo)) else { return };
        self.last_echo = Some(echo);
        if arrival.len < arrival.estimate || age == Span::ZERO {
            return;
        }
        let sample = age.times(8);
        if self.rtt_by_eight == Span::ZERO || sample < self.rtt_by_eight {
            self.rtt_by_eight = sample;
        } else if arrival.unread == 0 {
            let kept = self.rtt_by_eight.as_nanos() - self.rtt_by_eight.as_nanos() / 8;
            self.rtt_by_eight = Span::from_nanos(kept) + age;
        }
    }

    /// Takes a sample from the time in which a whole window arrives (`tcp_rcv_rtt_measure`). Only minima count, since
    /// the sender may have paused.
    fn measure_window_round(&mut self, arrival: &BufferArrival) {
        if let Some((edge, since)) = self.edge {
            if arrival.next < edge {
                return;
            }
            let sample = arrival.now.since(since).max(Span::from_nanos(1000)).times(8);
            if self.rtt_by_eight == Span::ZERO || sample < self.rtt_by_eight {
                self.rtt_by_eight = sample;
            }
        }
        self.edge = Some((arrival.next + arrival.window, arrival.now));
    }
}

/// Returns whether a window of `free` bytes is too small to be offered (`__tcp_select_window`): of `full` bytes that can
/// be offered, and of `allowed` bytes that the buffer holds.
pub(super) fn is_silly(free: u64, full: u64, allowed: u64, estimate: u64) -> bool {
    free < full / 2 && (free < allowed / 16 || free < estimate.min(full))
}

/// Returns the memory of a packet (`skb->truesize`) of `segments` joined segments with `len` bytes of data each: its
/// descriptor, and one linear buffer for each segment from a slab whose sizes are powers of two.
fn count_packet_memory(len: u64, segments: u64) -> u64 {
    DESCRIPTOR + segments * (HEADERS + len + RESERVED).next_power_of_two()
}

/// Returns the window that fits in `memory` (`tcp_win_from_space`).
fn convert_to_window(ratio: u64, memory: u64) -> u64 {
    ((u128::from(memory) * u128::from(ratio)) >> RATIO_BITS) as u64
}
