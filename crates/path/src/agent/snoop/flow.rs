//! The base station's state of a flow, with the procedures `snoop_data` and `snoop_ack`.

use std::cmp::Ordering;

use engine::Time;
use wire::{Body, Flags, Packet, Segment};

use super::super::AgentCx;
use super::super::reach::Reach;
use super::cache::{Cache, Cached};
use super::rtt::AirRtt;
use super::{Config, SnoopCounters};

/// State of a flow of data to the mobile.
pub(super) struct SnoopFlow {
    seen: Reach,
    /// Highest acknowledged stream offset; before the first acknowledgment, the offset of the first segment.
    acked: u64,
    /// The mobile's last acknowledgment; `None` before the first.
    last_ack: Option<Packet>,
    pub cache: Cache,
    /// Maximum number of duplicate acknowledgments still expected as a consequence of the last local retransmission.
    expected: u64,
    /// Number of duplicate acknowledgments beyond the expected ones.
    unexpected: u32,
    /// True if a single duplicate has triggered the retransmission of the first packet; the duplicate may not have
    /// indicated a loss.
    doubted: bool,
    /// Maximum number of duplicate acknowledgments still expected from needless retransmissions of packets that were
    /// acknowledged since.
    late: u64,
    /// Stream offset after the highest byte sent before the last of these retransmissions.
    late_until: u64,
    /// Number of the flow's packets sent.
    order: u64,
    rtt: AirRtt,
    /// Start time of the local timer; `None` if the timer does not run.
    timed_from: Option<Time>,
    /// Time of the last packet from either end.
    active: Time,
}

/// Result of `on_data`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SnoopDataAction {
    /// Forward the packet to the mobile.
    Forward,
    /// The mobile already has the data: drop the packet and send this acknowledgment to the sender.
    Answer(Packet),
}

/// Result of `on_ack`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SnoopAckAction {
    /// Forward the acknowledgment to the sender.
    Forward,
    /// Do not forward the acknowledgment.
    Suppress,
}

impl SnoopFlow {
    /// Creates the state of a flow from its first segment.
    pub fn new(first: &Segment, config: &Config, now: Time) -> Self {
        let mut seen = Reach::new(first.seq);
        if first.flags.has(Flags::SYN) {
            seen.extend(seen.end() + 1);
        }
        SnoopFlow {
            acked: seen.end(),
            seen,
            last_ack: None,
            cache: Cache::default(),
            expected: 0,
            unexpected: 0,
            doubted: false,
            late: 0,
            late_until: 0,
            order: 0,
            rtt: AirRtt::new(config.gain, config.srtt, config.rttvar),
            timed_from: None,
            active: now,
        }
    }

    /// Processes a segment from the sender: `snoop_data` [balakrishnan1995 3.1, snoop2002 2.1]. `room`: the base
    /// station has memory to cache the segment.
    pub fn on_data(
        &mut self,
        packet: &Packet,
        segment: &Segment,
        room: bool,
        now: Time,
        counters: &mut SnoopCounters,
    ) -> SnoopDataAction {
        let Some(start) = self.seen.offset(segment.seq) else {
            counters.implausible += 1;
            return SnoopDataAction::Forward;
        };
        let end = start + u64::from(segment.seq_len());
        self.active = now;
        if let Some(answer) = self.last_ack.filter(|_| end <= self.acked) {
            // The acknowledgment may have been lost on the path to the sender.
            counters.answered += 1;
            return SnoopDataAction::Answer(answer);
        }
        let first = self.cache.first().map(|first| first.start);
        self.order += 1;
        let order = self.order;
        let cached = Cached { start, end, packet: *packet, retransmissions: 0, senders: false, needless: 0, order };
        if let Some(known) = self.cache.get(start) {
            // A retransmission by the sender. The longer packet is kept: it contains the data of the shorter one.
            counters.sender_retransmissions += 1;
            let packet = if known.end > end { known.packet } else { cached.packet };
            let needless = known.needless + 1;
            let cached = Cached { packet, end: end.max(known.end), senders: true, needless, ..cached };
            self.cache.insert(cached);
            self.note_retransmission(now);
        } else if start < self.seen.end() {
            // Lost or reordered in the wired network: a retransmission by the sender, or a late packet.
            counters.out_of_sequence += 1;
            self.cache_packet(Cached { senders: true, ..cached }, room, counters);
            self.rtt.cancel_measurement(self.seen.end());
            if first.is_none_or(|first| start < first) {
                self.timed_from = Some(now);
            }
        } else {
            self.cache_packet(cached, room, counters);
            self.rtt.start_measurement(end, self.acked, now);
        }
        self.seen.extend(end);
        if self.timed_from.is_none() && self.cache.len() > 0 {
            self.timed_from = Some(now);
        }
        SnoopDataAction::Forward
    }

    fn cache_packet(&mut self, cached: Cached, room: bool, counters: &mut SnoopCounters) {
        if room {
            self.cache.insert(cached);
            counters.cached += 1;
        } else {
            counters.cache_full += 1;
        }
    }

    /// Handles a queue overflow that dropped the data packet just forwarded: the cache entry is removed, so that the
    /// sender detects the congestion. Entries of the sender's own retransmissions are kept.
    pub fn on_queue_overflow(&mut self, segment: &Segment, counters: &mut SnoopCounters) {
        let Some(start) = self.seen.offset(segment.seq) else { return };
        let order = self.order;
        // The packet does not count as sent.
        self.order = order.saturating_sub(1);
        let Some(cached) = self.cache.get(start).filter(|cached| cached.order == order) else { return };
        cached.order = self.order;
        cached.needless = cached.needless.saturating_sub(1);
        if !cached.senders {
            self.cache.remove(start);
            counters.refused += 1;
        }
        if self.cache.len() == 0 {
            self.timed_from = None;
        }
    }

    /// Processes a segment from the mobile: `snoop_ack` [balakrishnan1995 3.2, snoop2002 2.2].
    pub fn on_ack(
        &mut self,
        packet: &Packet,
        segment: &Segment,
        config: &Config,
        counters: &mut SnoopCounters,
        cx: &mut AgentCx<'_>,
    ) -> SnoopAckAction {
        let Some(ack) = self.seen.offset(segment.ack).filter(|ack| *ack <= self.seen.end()) else {
            counters.implausible += 1;
            return SnoopAckAction::Forward;
        };
        // A segment with data or with SYN, FIN or RST must be forwarded.
        let bare = segment.seq_len() == 0 && !segment.flags.has(Flags::RST);
        self.active = cx.now;
        match ack.cmp(&self.acked) {
            // The data that the mobile has received is unknown before its first acknowledgment.
            Ordering::Less if !bare || self.last_ack.is_none() => SnoopAckAction::Forward,
            Ordering::Less => {
                counters.spurious_acks += 1;
                SnoopAckAction::Suppress
            }
            Ordering::Equal => {
                let duplicate = bare && self.is_duplicate(segment);
                if !duplicate || self.last_ack.is_none() {
                    self.last_ack = strip_packet_to_pure_ack(packet);
                }
                if duplicate { self.duplicate(config, counters, cx) } else { SnoopAckAction::Forward }
            }
            Ordering::Greater => {
                self.new_ack(ack, packet, config, counters, cx.now);
                SnoopAckAction::Forward
            }
        }
    }

    /// Returns true if a pure acknowledgment with an unchanged number indicates a segment out of order, and not a
    /// window update [RFC5681 s2]. SACK blocks indicate one for any window [RFC6675 s2], except blocks below the
    /// acknowledgment number, which report a duplicate segment [RFC2883 s4], as after a needless local retransmission.
    fn is_duplicate(&self, segment: &Segment) -> bool {
        let sack = segment.options.sack.as_slice();
        if !sack.is_empty() {
            return sack.iter().any(|(_, end)| end.since(segment.ack) > 0);
        }
        let updates = self.last_ack.as_ref().is_some_and(|packet| match &packet.body {
            Body::Tcp(last) => last.window != segment.window,
            Body::Icmp(_) | Body::Datagram(_) => false,
        });
        !updates
    }

    fn new_ack(&mut self, ack: u64, packet: &Packet, config: &Config, counters: &mut SnoopCounters, now: Time) {
        counters.new_acks += 1;
        let needless = self.cache.acknowledge(ack);
        if self.rtt.complete_measurement(ack, now) {
            counters.rtt_samples += 1;
        }
        (self.acked, self.last_ack) = (ack, strip_packet_to_pure_ack(packet));
        // A packet sent after the needless retransmissions has been acknowledged. Therefore these have arrived too.
        if ack > self.late_until {
            self.late = 0;
        } else if config.late_duplicates {
            self.late += needless + u64::from(self.doubted);
        }
        (self.expected, self.unexpected, self.doubted) = (0, 0, false);
        self.timed_from = (self.cache.len() > 0).then_some(now);
    }

    fn duplicate(&mut self, config: &Config, counters: &mut SnoopCounters, cx: &mut AgentCx<'_>) -> SnoopAckAction {
        let Some(lost) = self.cache.holding(self.acked).filter(|lost| !lost.senders).map(|lost| *lost) else {
            // The packet is not cached, or the sender has retransmitted it. In both cases the sender must receive the
            // duplicates.
            counters.duplicates_passed += 1;
            return SnoopAckAction::Forward;
        };
        if self.late > 0 {
            self.late -= 1;
            counters.duplicates_suppressed += 1;
            return SnoopAckAction::Suppress;
        }
        if self.expected > 0 {
            self.expected -= 1;
            self.doubted = false;
            counters.duplicates_suppressed += 1;
            return SnoopAckAction::Suppress;
        }
        if lost.retransmissions >= config.retransmissions {
            // The retransmission limit is reached, so the sender must detect the loss.
            counters.duplicates_passed += 1;
            return SnoopAckAction::Forward;
        }
        self.unexpected += 1;
        if self.unexpected < config.duplicates {
            counters.duplicates_passed += 1;
            return SnoopAckAction::Forward;
        }
        // One duplicate is expected for each packet sent after the lost one, minus the number of duplicates that have
        // arrived.
        self.expected = (self.order - lost.order).saturating_sub(u64::from(self.unexpected));
        self.doubted = self.unexpected == 1 && lost.retransmissions == 0;
        self.unexpected = 0;
        counters.duplicates_suppressed += 1;
        counters.local_retransmissions += 1;
        self.retransmit("local_retransmissions", cx);
        SnoopAckAction::Suppress
    }

    /// Retransmits the first packet of the cache. `cause` is the name of the counter of such retransmissions.
    fn retransmit(&mut self, cause: &'static str, cx: &mut AgentCx<'_>) {
        let order = self.order;
        let Some(first) = self.cache.first() else { return };
        first.retransmissions += 1;
        first.order = order;
        cx.emit(cause, 1.0, Some(&first.packet));
        cx.send_expedited(first.packet);
        self.note_retransmission(cx.now);
    }

    fn note_retransmission(&mut self, now: Time) {
        self.rtt.cancel_measurement(self.seen.end());
        self.late_until = self.seen.end();
        self.timed_from = Some(now);
    }

    /// Returns the wake-up time of the flow.
    pub fn deadline(&mut self, config: &Config) -> Time {
        if self.cache.len() == 0 {
            return Time::NEVER;
        }
        let timer = self.timed_from.map_or(Time::NEVER, |from| from + self.rtt.timeout(config.tick));
        let persist = match (config.persist, self.cache.first()) {
            (Some(persist), Some(first)) if first.retransmissions < config.retransmissions => self.active + persist,
            _ => Time::NEVER,
        };
        timer.min(persist)
    }

    /// Handles the wake-up.
    pub fn wake(&mut self, config: &Config, counters: &mut SnoopCounters, cx: &mut AgentCx<'_>) {
        let acked = self.acked;
        let (now, order) = (cx.now, self.order);
        let timed_out = self.timed_from.is_some_and(|from| from + self.rtt.timeout(config.tick) <= now);
        let idle = config.persist.is_some_and(|persist| self.active + persist <= now);
        let Some(first) = self.cache.first() else { return };
        let spent = first.retransmissions >= config.retransmissions;
        let (start, since) = (first.start, order - first.order);
        if idle && !spent {
            // The persist timer has expired [balakrishnan1995 3.3].
            counters.persist_timeouts += 1;
            self.active = now;
            self.expected = 0;
            first.needless += 1;
            self.retransmit("persist_timeouts", cx);
        } else if timed_out {
            // The local timer stops if the first unacknowledged data is not cached or the retransmission limit is
            // reached; the next packet restarts it.
            self.timed_from = None;
            if !spent && start <= acked {
                counters.local_timeouts += 1;
                // Duplicates caused by the earlier transmission may still arrive.
                self.expected += since;
                first.needless += 1;
                self.retransmit("local_timeouts", cx);
            }
        }
    }
}

/// Returns the acknowledgment of a packet as a pure acknowledgment with the sequence number after the packet's data.
fn strip_packet_to_pure_ack(packet: &Packet) -> Option<Packet> {
    let mut packet = *packet;
    let Body::Tcp(segment) = &mut packet.body else { return None };
    segment.seq = segment.seq + segment.seq_len();
    segment.len = 0;
    segment.flags = Flags::ACK;
    let timestamps = segment.options.timestamps;
    segment.options.clear();
    segment.options.timestamps = timestamps;
    Some(packet)
}
