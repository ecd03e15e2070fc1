//! State of a flow in ns-2's agent. Names in parentheses are functions of ns-2's `tcp/snoop.cc`.

use std::cmp::Ordering;
use std::collections::VecDeque;

use engine::Time;
use wire::{Packet, Segment};

use super::super::AgentCx;
use super::super::reach::Reach;
use super::super::snoop::rtt::AirRtt;
use super::{Config, MAX_RETRANSMISSIONS, SnoopNs2Counters, THRESHOLD};

/// A packet that the base station has sent to the mobile.
struct Ns2CachedPacket {
    /// Stream offset of the first byte.
    start: u64,
    /// Stream offset after the last byte.
    end: u64,
    packet: Packet,
    /// Number of local retransmissions since the packet last arrived from the sender.
    retransmissions: u32,
    /// True if the sender has retransmitted the packet.
    senders: bool,
    /// Time of the last transmission.
    sent: Time,
}

/// State of a flow of data to the mobile.
pub(super) struct SnoopNs2Flow {
    seen: Reach,
    /// Stream offset of the flow's first packet.
    first: u64,
    /// Highest start offset of a packet that was cached or arrived while the cache was full.
    last_seen: Option<u64>,
    acked: u64,
    /// Receive window of the last acknowledgment.
    window: Option<u32>,
    /// Cached packets, in order.
    ring: VecDeque<Ns2CachedPacket>,
    /// Total size of the cached packets in bytes, including headers.
    pub bytes: u64,
    /// Position of the first cached packet. Positions increase by one for each cached packet, as in ns-2's ring.
    tail: i64,
    /// Number of expected duplicate acknowledgments; negative after ns-2's miscount.
    expected: i64,
    /// Position from which the expected duplicates are counted.
    expected_from: i64,
    /// Expiry time of the local timer; `None` if the timer does not run.
    timer: Option<Time>,
    rtt: AirRtt,
}

/// Result of `on_ack`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SnoopNs2AckAction {
    /// Forward the acknowledgment to the sender.
    Forward,
    /// Do not forward the acknowledgment.
    Suppress,
}

impl SnoopNs2Flow {
    /// Creates the state of a flow from its first segment.
    pub fn new(segment: &Segment, config: &Config) -> Self {
        let mut seen = Reach::new(segment.seq);
        if segment.flags.has(wire::Flags::SYN) {
            seen.extend(seen.end() + 1);
        }
        SnoopNs2Flow {
            first: seen.end(),
            last_seen: None,
            acked: seen.end(),
            seen,
            window: None,
            ring: VecDeque::new(),
            bytes: 0,
            tail: 0,
            expected: 0,
            expected_from: 0,
            timer: None,
            rtt: AirRtt::new(config.gain, config.srtt, config.rttvar),
        }
    }

    /// Returns the wake-up time of the flow.
    pub fn deadline(&self) -> Time {
        self.timer.unwrap_or(Time::NEVER)
    }

    fn reset(&mut self) {
        self.ring.clear();
        self.bytes = 0;
        (self.last_seen, self.acked, self.window, self.timer) = (None, self.first, None, None);
        (self.tail, self.expected, self.expected_from) = (0, 0, 0);
    }

    fn arm(&mut self, config: &Config, now: Time) {
        self.timer = Some(now + self.rtt.timeout(config.tick));
    }

    /// Processes a segment from the sender (`Snoop::snoop_data`). `queue_has_room`: the queue can take more than one
    /// packet.
    pub fn on_data(
        &mut self,
        packet: &Packet,
        segment: &Segment,
        queue_has_room: bool,
        config: &Config,
        counters: &mut SnoopNs2Counters,
        now: Time,
    ) {
        let Some(start) = self.seen.offset(segment.seq) else {
            counters.implausible += 1;
            return;
        };
        let end = start + u64::from(segment.seq_len());
        if start == self.first && self.last_seen.is_some() {
            self.reset();
        }
        self.seen.extend(end);
        if self.ring.len() >= config.cache as usize {
            counters.cache_full += 1;
            self.last_seen = self.last_seen.max(Some(start));
            return;
        }
        // "Only if the ifq is NOT full do we insert, since otherwise we want congestion control to kick in."
        if queue_has_room {
            let kept = Ns2CachedPacket { start, end, packet: *packet, retransmissions: 0, senders: false, sent: now };
            if self.insert(kept, counters) {
                self.timer = None;
            }
        } else {
            counters.queue_full += 1;
        }
        if self.timer.is_none() && !self.ring.is_empty() {
            self.arm(config, now);
        }
    }

    /// Caches a packet at its position; returns true if it arrived out of sequence, so that the timer restarts
    /// (`Snoop::snoop_insert`).
    fn insert(&mut self, mut kept: Ns2CachedPacket, counters: &mut SnoopNs2Counters) -> bool {
        if kept.end <= self.acked {
            return false;
        }
        let start = kept.start;
        let place = match self.ring.front().map(|first| first.start) {
            Some(first) if self.last_seen.is_some_and(|last| start <= last) => {
                if start < first {
                    self.tail -= 1;
                    0
                } else {
                    let place = self.ring.partition_point(|other| other.start < start);
                    if let Some(known) = self.ring.get_mut(place).filter(|known| known.start == start) {
                        counters.sender_retransmissions += 1;
                        (known.retransmissions, known.senders, known.sent) = (0, true, kept.sent);
                        return true;
                    }
                    // Earlier packets move towards the tail.
                    self.tail -= i64::from(place < self.ring.len());
                    place
                }
            }
            _ => self.ring.len(),
        };
        let out_of_sequence = self.last_seen.is_some_and(|last| start < last);
        kept.senders = out_of_sequence && place == 0;
        self.bytes += u64::from(kept.packet.size());
        self.ring.insert(place, kept);
        counters.cached += 1;
        if out_of_sequence {
            counters.out_of_sequence += 1;
            self.expected_from = self.tail;
        } else {
            self.last_seen = Some(start);
        }
        out_of_sequence
    }

    /// Processes a segment from the mobile (`Snoop::snoop_ack`). `passed` is ns-2's `static int thresh`: the number of
    /// unexpected duplicates of *any* flow since the last one that triggered a retransmission.
    pub fn on_ack(
        &mut self,
        segment: &Segment,
        passed: &mut u32,
        config: &Config,
        counters: &mut SnoopNs2Counters,
        cx: &mut AgentCx<'_>,
    ) -> SnoopNs2AckAction {
        let Some(ack) = self.seen.offset(segment.ack).filter(|ack| *ack <= self.seen.end()) else {
            counters.implausible += 1;
            return SnoopNs2AckAction::Forward;
        };
        // ns-2's comment: "Pure window updates don't occur in ns"; data with an acknowledgment does not occur in ns-2
        // either.
        let bare = segment.seq_len() == 0;
        let update = self.window.replace(segment.window).is_some_and(|before| before != segment.window);
        match ack.cmp(&self.acked) {
            Ordering::Less => {
                counters.spurious_acks += 1;
                SnoopNs2AckAction::Forward
            }
            Ordering::Equal if bare && !update => {
                let done = self.duplicate(passed, config, counters, cx);
                match done {
                    SnoopNs2AckAction::Forward => counters.duplicates_passed += 1,
                    SnoopNs2AckAction::Suppress => counters.duplicates_suppressed += 1,
                }
                done
            }
            Ordering::Equal => SnoopNs2AckAction::Forward,
            Ordering::Greater => {
                self.new_ack(ack, config, counters, cx.now);
                SnoopNs2AckAction::Forward
            }
        }
    }

    /// Processes a new acknowledgment (`Snoop::snoop_cleanbufs_`, `Snoop::snoop_rtt`).
    fn new_ack(&mut self, ack: u64, config: &Config, counters: &mut SnoopNs2Counters, now: Time) {
        counters.new_acks += 1;
        self.timer = None;
        let mut sent = None;
        while let Some(first) = self.ring.front().filter(|first| first.end <= ack) {
            sent = Some(first.sent);
            self.bytes -= u64::from(first.packet.size());
            self.tail += 1;
            self.ring.pop_front();
        }
        if !self.ring.is_empty() {
            self.arm(config, now);
        }
        if let Some(sent) = sent.filter(|sent| *sent < now) {
            counters.rtt_samples += 1;
            self.rtt.sample(now.since(sent));
        }
        (self.expected, self.expected_from, self.acked) = (0, self.tail, ack);
    }

    fn duplicate(
        &mut self,
        passed: &mut u32,
        config: &Config,
        counters: &mut SnoopNs2Counters,
        cx: &mut AgentCx<'_>,
    ) -> SnoopNs2AckAction {
        let (tail, head) = (self.tail, self.tail + self.ring.len() as i64);
        let Some(lost) = self.ring.front().filter(|lost| lost.start <= self.acked) else {
            return SnoopNs2AckAction::Forward;
        };
        match self.expected {
            0 => {
                // Unexpected duplicates below the threshold are forwarded to the sender.
                if *passed < THRESHOLD {
                    *passed += 1;
                    return SnoopNs2AckAction::Forward;
                }
                *passed = 0;
                if lost.senders {
                    return SnoopNs2AckAction::Forward;
                }
                let first_time = lost.retransmissions == 0;
                // The value may be -1 or -2. Then no duplicates are expected, and duplicates are forwarded to the
                // sender.
                self.expected = (head - self.expected_from).rem_euclid(i64::from(config.cache));
                self.expected -= i64::from(THRESHOLD) + 1;
                self.expected_from = tail + 1;
                if !first_time {
                    return SnoopNs2AckAction::Forward;
                }
                counters.local_retransmissions += 1;
                self.retransmit("local_retransmissions", config, cx)
            }
            1.. => {
                self.expected -= 1;
                SnoopNs2AckAction::Suppress
            }
            -1 if lost.retransmissions < 2 => {
                counters.local_retransmissions += 1;
                self.retransmit("local_retransmissions", config, cx)
            }
            _ => SnoopNs2AckAction::Forward,
        }
    }

    /// Retransmits the first packet behind all waiting packets, unless its retransmission limit is reached
    /// (`Snoop::snoop_rxmit`); `cause` is the counter of such retransmissions.
    fn retransmit(&mut self, cause: &'static str, config: &Config, cx: &mut AgentCx<'_>) -> SnoopNs2AckAction {
        let Some(first) = self.ring.front_mut().filter(|first| first.retransmissions < MAX_RETRANSMISSIONS) else {
            return SnoopNs2AckAction::Forward;
        };
        (first.sent, first.retransmissions) = (cx.now, first.retransmissions + 1);
        cx.emit(cause, 1.0, Some(&first.packet));
        cx.send(first.packet);
        self.arm(config, cx.now);
        SnoopNs2AckAction::Suppress
    }

    /// Handles the wake-up (`SnoopRxmitHandler::handle`).
    pub fn wake(&mut self, config: &Config, counters: &mut SnoopNs2Counters, cx: &mut AgentCx<'_>) {
        if self.timer.take_if(|timer| *timer <= cx.now).is_none() {
            return;
        }
        if self.ring.front().is_some_and(|first| first.start <= self.acked)
            && self.retransmit("local_timeouts", config, cx) == SnoopNs2AckAction::Suppress
        {
            counters.local_timeouts += 1;
            self.expected_from = self.tail + 1;
        }
    }
}
