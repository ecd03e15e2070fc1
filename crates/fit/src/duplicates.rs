//! Segments that arrived twice, from the first blocks of selective acknowledgments that report them: DSACK (RFC 2883).
//!
//! Of a segment that was sent again, one transmission more has arrived than its DSACKs report. Where the fates of its
//! transmissions have fewer arrivals, the last one taken for lost had arrived. Where they have more, and the receiver
//! reports other duplicates, the last of these were lost, or the acknowledgments that report them: their fate is open.

use std::collections::BTreeMap;

use engine::Time;
use wire::{Segment, SeqNum};

use crate::transmission::{Fate, Transmission};

/// The longest report: it is about one packet [RFC2883 s4], into which offloading may have merged others.
const MAX_LEN: u64 = u16::MAX as u64;

/// The number of segments in it, by the least MSS that hosts must support [RFC9293 s3.7.1].
const MAX_SEGMENTS: usize = MAX_LEN as usize / 536;

/// Reports of duplicates, in the order in which they arrived.
#[derive(Clone, Debug)]
pub struct Duplicates {
    /// The sequence number of the first byte, and the number of bytes that were sent.
    origin: SeqNum,
    bytes: u64,
    /// When the receiver had sent a report, and the bytes that had arrived twice.
    reports: Vec<(Time, u64, u64)>,
    acknowledged: u64,
}

impl Duplicates {
    /// None yet, of a transfer of `bytes` whose first byte has the number `origin`.
    pub fn new(origin: SeqNum, bytes: u64) -> Self {
        Duplicates { origin, bytes, reports: Vec::new(), acknowledged: 0 }
    }

    /// Reads an acknowledgment that the receiver had sent at `at`.
    pub fn acknowledgment(&mut self, at: Time, segment: &Segment) {
        let origin = self.origin;
        let offset = |seq: SeqNum, near: u64| seq.offset_from(origin, near);
        let Some(ack) = offset(segment.ack, self.acknowledged).filter(|ack| *ack <= self.bytes + 1) else { return };
        self.acknowledged = self.acknowledged.max(ack);
        let block = |place: usize| {
            let (from, to) = segment.options.sack.as_slice().get(place)?;
            Some((offset(*from, ack)?, offset(*to, ack)?)).filter(|(from, to)| from < to)
        };
        let Some((from, to)) = block(0).filter(|(from, to)| to - from <= MAX_LEN) else { return };
        // [RFC2883 s4] Below the acknowledgment, or within the second block.
        let within = block(1).is_some_and(|(first, end)| first <= from && to <= end);
        if to <= ack || within {
            self.reports.push((at, from, to));
        }
    }

    /// Corrects the fates of transmissions, which are in the order in which they were sent. Returns how many were not
    /// lost.
    pub fn correct(&self, all: &mut [Transmission]) -> u64 {
        if self.reports.is_empty() {
            return 0;
        }
        let again = all.iter().filter(|sent| sent.retransmission);
        let mut copies: BTreeMap<u64, Vec<usize>> = again.map(|sent| (sent.seq, Vec::new())).collect();
        for (number, sent) in all.iter().enumerate() {
            if let Some(copies) = copies.get_mut(&sent.seq) {
                copies.push(number);
            }
        }
        let mut reported: BTreeMap<u64, usize> = BTreeMap::new();
        let mut corrected = 0;
        for (at, from, to) in &self.reports {
            for (seq, copies) in copies.range(from..to).take(MAX_SEGMENTS) {
                if all[copies[0]].seq + u64::from(all[copies[0]].len) > *to {
                    continue;
                }
                let reports = reported.entry(*seq).or_default();
                *reports += 1;
                let arrived = copies.iter().filter(|copy| all[**copy].arrival().is_some()).count();
                if arrived > *reports {
                    continue;
                }
                corrected += u64::from(arrives_too(all, copies, *at));
            }
        }
        for (seq, copies) in &copies {
            let expected = 1 + reported.get(seq).copied().unwrap_or(0);
            let arrived = copies.iter().filter(|copy| all[**copy].arrival().is_some());
            for surplus in arrived.copied().skip(expected).collect::<Vec<usize>>() {
                all[surplus] = all[surplus].with_fate(Fate::Open);
            }
        }
        corrected
    }
}

/// The last transmission that was taken for lost has arrived, too; the arrivals are `at` and those known, in their
/// order. Returns false if there is none.
fn arrives_too(all: &mut [Transmission], copies: &[usize], at: Time) -> bool {
    let lost = copies.iter().rev().find(|copy| all[**copy].fate() == Fate::Lost && all[**copy].sent < at);
    let Some(lost) = lost else { return false };
    all[*lost] = all[*lost].with_fate(Fate::Arrived(at));
    let mut arrivals: Vec<Time> = copies.iter().filter_map(|copy| all[*copy].arrival()).collect();
    arrivals.sort_unstable();
    let arrived = copies.iter().filter(|copy| all[**copy].arrival().is_some()).copied().collect::<Vec<usize>>();
    for (copy, at) in arrived.into_iter().zip(arrivals) {
        all[copy] = all[copy].with_fate(Fate::Arrived(at.max(all[copy].sent)));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Span;
    use wire::Flags;

    const ORIGIN: SeqNum = SeqNum(4_294_966_000);

    fn acknowledgment(ack: u64, blocks: &[(u64, u64)]) -> Segment {
        let seq = |offset: u64| SeqNum(ORIGIN.0.wrapping_add(offset as u32));
        let mut segment = Segment { ack: seq(ack), flags: Flags::ACK, ..Segment::default() };
        for (from, to) in blocks {
            assert!(segment.options.sack.push(seq(*from), seq(*to)));
        }
        segment
    }

    fn sent(at: u64, seq: u64, fate: Fate) -> Transmission {
        // The first transmission of a segment is that at 0 in these tests.
        let again = at > 0 && seq == 2000;
        Transmission::new(Time::ZERO + Span::from_millis(at), seq, 1000, again).with_fate(fate)
    }

    fn arrived(at: u64) -> Fate {
        Fate::Arrived(Time::ZERO + Span::from_millis(at))
    }

    /// The fates of a segment's transmissions after these acknowledgments, and the number of corrections.
    fn corrected(fates: &[Fate], acknowledgments: &[(u64, &[(u64, u64)])]) -> (Vec<Fate>, u64) {
        let mut duplicates = Duplicates::new(ORIGIN, 10_000);
        for (at, (ack, blocks)) in acknowledgments.iter().enumerate() {
            let at = Time::ZERO + Span::from_millis(200 + 10 * at as u64);
            duplicates.acknowledgment(at, &acknowledgment(*ack, blocks));
        }
        let mut all: Vec<Transmission> = (0..).zip(fates).map(|(nth, fate)| sent(50 * nth, 2000, *fate)).collect();
        all.push(sent(60, 3000, Fate::Lost));
        let count = duplicates.correct(&mut all);
        assert_eq!(all.last().map(Transmission::fate), Some(Fate::Lost), "it has no duplicate");
        (all[..fates.len()].iter().map(Transmission::fate).collect(), count)
    }

    #[test]
    fn duplicate_shows_that_the_first_transmission_was_not_lost() {
        let fates = [Fate::Lost, arrived(120)];
        let below: &[(u64, &[(u64, u64)])] = &[(4000, &[(2000, 3000)])];
        assert_eq!(corrected(&fates, below), (vec![arrived(120), arrived(200)], 1));
        let within: &[(u64, &[(u64, u64)])] = &[(1000, &[(2000, 3000), (2000, 5000)])];
        assert_eq!(corrected(&fates, within), (vec![arrived(120), arrived(200)], 1));
    }

    #[test]
    fn selective_acknowledgment_is_no_duplicate() {
        let fates = [Fate::Lost, arrived(120)];
        let blocks: &[(u64, &[(u64, u64)])] = &[(1000, &[(2000, 3000)]), (1000, &[(4000, 5000), (2000, 3000)])];
        assert_eq!(corrected(&fates, blocks), (fates.to_vec(), 0));
        // Part of a segment, and numbers that were not sent.
        let others: &[(u64, &[(u64, u64)])] = &[(4000, &[(2000, 2500)]), (99_000, &[(2000, 3000)])];
        assert_eq!(corrected(&fates, others), (fates.to_vec(), 0));
    }

    #[test]
    fn report_of_more_than_a_packet_is_ignored() {
        let fates = [Fate::Lost, arrived(120)];
        assert_eq!(corrected(&fates, &[(9000, &[(0, 9000)])]), (vec![arrived(120), arrived(200)], 1));
        let mut duplicates = Duplicates::new(ORIGIN, 100_000);
        duplicates.acknowledgment(Time::ZERO + Span::from_secs(1), &acknowledgment(90_000, &[(0, 90_000)]));
        let mut all: Vec<Transmission> = (0..).zip(fates).map(|(nth, fate)| sent(50 * nth, 2000, fate)).collect();
        assert_eq!(duplicates.correct(&mut all), 0);
    }

    #[test]
    fn each_duplicate_is_one_arrival_more() {
        let one: &[(u64, &[(u64, u64)])] = &[(4000, &[(2000, 3000)])];
        let fates = [Fate::Lost, Fate::Lost, arrived(170)];
        assert_eq!(corrected(&fates, one), (vec![Fate::Lost, arrived(170), arrived(200)], 1));
        let two: &[(u64, &[(u64, u64)])] = &[(4000, &[(2000, 3000)]), (4000, &[(2000, 3000)])];
        assert_eq!(corrected(&fates, two), (vec![arrived(170), arrived(200), arrived(210)], 2));
        // Both are taken to have arrived, as it reports; then only one is reported of three.
        assert_eq!(corrected(&[arrived(40), arrived(90)], one), (vec![arrived(40), arrived(90)], 0));
        let three = [arrived(40), arrived(90), arrived(140)];
        assert_eq!(corrected(&three, one), (vec![arrived(40), arrived(90), Fate::Open], 0));
    }

    /// A receiver that reports no duplicate may not report any.
    #[test]
    fn arrivals_stand_without_reports() {
        let fates = [arrived(40), arrived(90)];
        assert_eq!(corrected(&fates, &[(4000, &[])]), (fates.to_vec(), 0));
    }
}
