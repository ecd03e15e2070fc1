//! Segments that the other end has received, and the delivery rate, as in Linux's `tcp_rate.c`.

use std::collections::VecDeque;

use engine::{Span, Time};
use wire::{Flags, Segment, SeqNum};

/// A sent segment that is not acknowledged yet.
struct DeliverySegment {
    from: SeqNum,
    to: SeqNum,
    delivered: bool,
    /// Time of the latest transmission.
    sent: Time,
    /// Segments delivered before the latest transmission.
    delivered_before: u64,
    /// Time of the latest delivery before the latest transmission.
    delivered_at: Time,
    /// Beginning of the sending interval of a rate sample.
    interval_from: Time,
    is_limited: bool,
}

/// A delivery rate: segments in an interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DeliveryRate {
    pub segments: u64,
    pub interval: Span,
    /// Whether the sender had nothing to send at some time in the interval.
    pub is_limited: bool,
}

/// What an acknowledgment says, and the number of segments that the end held for received before and after it.
pub(super) struct AckView<'a> {
    pub now: Time,
    pub segment: &'a Segment,
    /// Whether SACK was agreed on.
    pub sack: bool,
    /// Whether the acknowledgment echoes an ECN mark.
    pub echoes_mark: bool,
    /// Segments received out of order: SACKed, or duplicates counted without SACK.
    pub sacked: (u64, u64),
    /// The minimum round-trip time.
    pub min_rtt: Span,
}

/// Observes which of the sent segments the other end has received.
#[derive(Default)]
pub(super) struct DeliveryLog {
    outstanding: VecDeque<DeliverySegment>,
    /// Sequence number after the last one sent; `None` before the first segment with sequence numbers.
    sent_to: Option<SeqNum>,
    /// Segments delivered, the SYN included.
    pub delivered: u64,
    /// Segments delivered by acknowledgments that echo a mark.
    pub delivered_marked: u64,
    delivered_at: Time,
    interval_from: Time,
    /// Until this number of segments is delivered, samples are limited by the application.
    limited_until: u64,
    pub rate: Option<DeliveryRate>,
}

impl DeliveryLog {
    /// Returns true if all of the segment's sequence numbers were sent before.
    pub fn is_retransmission(&self, segment: &Segment) -> bool {
        self.sent_to.is_some_and(|to| (segment.seq + segment.seq_len()).since(to) <= 0)
    }

    /// Observes a sent segment. The SYN is not part of the log: its delivery opens the connection.
    pub fn note_sent(&mut self, now: Time, segment: &Segment) {
        let (from, to) = (segment.seq, segment.seq + segment.seq_len());
        if from == to || segment.flags.has(Flags::SYN) || segment.flags.has(Flags::RST) {
            return;
        }
        if self.outstanding.is_empty() {
            (self.interval_from, self.delivered_at) = (now, now);
        }
        let is_limited = self.limited_until > 0;
        for known in self.outstanding.iter_mut().filter(|known| known.to.since(from) > 0 && to.since(known.from) > 0) {
            known.sent = now;
            known.delivered_before = self.delivered;
            (known.delivered_at, known.interval_from) = (self.delivered_at, self.interval_from);
            known.is_limited = is_limited;
        }
        let from = self.sent_to.filter(|sent_to| sent_to.since(from) > 0).unwrap_or(from);
        if to.since(from) > 0 {
            self.outstanding.push_back(DeliverySegment {
                from,
                to,
                delivered: false,
                sent: now,
                delivered_before: self.delivered,
                delivered_at: self.delivered_at,
                interval_from: self.interval_from,
                is_limited,
            });
            self.sent_to = Some(to);
        }
    }

    /// Observes that the sender has nothing to send, with `in_flight` segments in flight (`tcp_rate_check_app_limited`).
    pub fn note_limited(&mut self, in_flight: u64) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }

    /// Observes an arrived acknowledgment.
    pub fn note_ack(&mut self, ack: &AckView<'_>) {
        let number = ack.segment.ack;
        if self.sent_to.is_none_or(|to| number.since(to) > 0) {
            return;
        }
        let blocks = if ack.sack { ack.segment.options.sack.as_slice() } else { &[] };
        let is_in_block = |one: &DeliverySegment| {
            blocks.iter().any(|(from, to)| one.from.since(*from) >= 0 && one.to.since(*to) <= 0)
        };
        let (mut acked, mut newly) = (0, 0);
        let mut newest: Option<(u64, Time, Time, Span, bool)> = None;
        for one in &mut self.outstanding {
            let is_acked = one.to.since(number) <= 0;
            acked += u64::from(is_acked);
            if (is_acked || is_in_block(one)) && !one.delivered {
                one.delivered = true;
                newly += 1;
                if newest.is_none_or(|(_, _, sent, ..)| sent <= one.sent) {
                    let sending = one.sent.since(one.interval_from);
                    newest = Some((one.delivered_before, one.delivered_at, one.sent, sending, one.is_limited));
                }
            }
        }
        self.outstanding.retain(|one| one.to.since(number) > 0);
        if !ack.sack {
            // Duplicates counted before stand for segments that are acknowledged now (`tcp_remove_reno_sacks`).
            let (before, after) = ack.sacked;
            newly = if acked == 0 { after.saturating_sub(before) } else { acked.saturating_sub(before).max(1) };
        }
        self.delivered += newly;
        self.delivered_marked += if ack.echoes_mark { newly } else { 0 };
        if self.limited_until > 0 && self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        if newly > 0 {
            self.delivered_at = ack.now;
        }
        let Some((before, at, sent, sending, is_limited)) = newest else { return };
        self.interval_from = sent;
        let sample = DeliveryRate {
            segments: self.delivered.saturating_sub(before),
            interval: sending.max(ack.now.since(at)),
            is_limited,
        };
        let product = |segments: u64, interval: Span| u128::from(segments) * u128::from(interval.as_nanos());
        let is_larger = self
            .rate
            .is_none_or(|rate| product(sample.segments, rate.interval) >= product(rate.segments, sample.interval));
        if sample.interval >= ack.min_rtt && sample.interval > Span::ZERO && (!is_limited || is_larger) {
            self.rate = Some(sample);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(at: u32) -> Segment {
        Segment { seq: SeqNum(at), len: 10, flags: Flags::ACK, ..Segment::default() }
    }

    fn ack(number: u32, blocks: &[(u32, u32)]) -> Segment {
        let mut segment = Segment { ack: SeqNum(number), flags: Flags::ACK, ..Segment::default() };
        for (from, to) in blocks {
            assert!(segment.options.sack.push(SeqNum(*from), SeqNum(*to)));
        }
        segment
    }

    /// Four segments leave at 0 ms; the third is reported at 100 ms, the others are acknowledged at 150 ms. The sample
    /// at 150 ms belongs to the last segment: four segments in 150 ms.
    #[test]
    fn segments_are_delivered_once_and_give_a_rate() {
        let mut log = DeliveryLog { delivered: 1, ..DeliveryLog::default() };
        for at in [1, 11, 21, 31] {
            log.note_sent(Time::ZERO, &data(at));
        }
        assert!(log.is_retransmission(&data(31)) && !log.is_retransmission(&data(41)));
        let mut take = |ms, segment: Segment, echoes_mark| {
            let (now, min_rtt) = (Time::from_millis(ms), Span::from_millis(100));
            log.note_ack(&AckView { now, segment: &segment, sack: true, echoes_mark, sacked: (0, 0), min_rtt });
            (log.delivered, log.delivered_marked, log.rate.map(|rate| (rate.segments, rate.interval)))
        };
        assert_eq!(take(100, ack(1, &[(21, 31)]), true), (2, 1, Some((1, Span::from_millis(100)))));
        assert_eq!(take(150, ack(41, &[]), false), (5, 1, Some((4, Span::from_millis(150)))));
        assert_eq!(take(160, ack(41, &[]), false).0, 5);
        assert_eq!(take(160, ack(99, &[]), false).0, 5, "an acknowledgment of what was never sent");
    }

    #[test]
    fn duplicates_without_sack_count_as_delivered_segments() {
        let mut log = DeliveryLog::default();
        for at in [1, 11, 21, 31] {
            log.note_sent(Time::ZERO, &data(at));
        }
        for (number, sacked, delivered) in [(1, (0, 1), 1), (1, (1, 2), 2), (31, (2, 0), 3), (41, (0, 0), 4)] {
            let segment = ack(number, &[]);
            let (now, min_rtt) = (Time::from_millis(100), Span::ZERO);
            log.note_ack(&AckView { now, segment: &segment, sack: false, echoes_mark: false, sacked, min_rtt });
            assert_eq!(log.delivered, delivered, "{number}");
        }
    }
}
