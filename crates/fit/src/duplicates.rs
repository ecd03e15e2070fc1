//! Segments that arrived twice, from the first blocks of selective acknowledgments that report them: DSACK (RFC 2883).
//!
//! The number of transmissions of a retransmitted segment that arrived is one plus the number of its DSACKs. If the
//! inferred fates have fewer arrivals, the last transmission classified as lost had arrived. If they have more, and the
//! receiver reports other duplicates, the last arrivals are in doubt: the transmissions or the acknowledgments with
//! their DSACKs were lost, and their fate is open.

use std::collections::BTreeMap;

use engine::Time;

use crate::transmission::{Transmission, TransmissionFate};

/// The longest report, into which offloading may have merged several packets.
const MAX_LEN: u64 = u16::MAX as u64;

/// Maximum number of segments in a report of `MAX_LEN` bytes, with the minimum MSS that hosts must support [RFC9293
/// s3.7.1].
const MAX_SEGMENTS: usize = MAX_LEN as usize / 536;

/// Reports of duplicates, in the order in which they arrived.
#[derive(Clone, Debug, Default)]
pub struct DuplicateReports {
    /// For each report: the time at which the receiver sent it, and the bounds of the bytes that arrived twice.
    reports: Vec<(Time, u64, u64)>,
}

impl DuplicateReports {
    /// Adds a report that the receiver had sent at `at`, of the bytes from `from` to `to`.
    pub fn add_report(&mut self, at: Time, from: u64, to: u64) {
        self.reports.push((at, from, to));
    }

    /// Corrects the fates of transmissions, which are in the order in which they were sent. Returns how many were not
    /// lost.
    pub fn correct_fates(&self, all: &mut [Transmission]) -> u64 {
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
                corrected += u64::from(mark_lost_as_arrived(all, copies, *at));
            }
        }
        for (seq, copies) in &copies {
            let expected = 1 + reported.get(seq).copied().unwrap_or(0);
            let arrived = copies.iter().filter(|copy| all[**copy].arrival().is_some());
            for surplus in arrived.copied().skip(expected).collect::<Vec<usize>>() {
                all[surplus] = all[surplus].with_fate(TransmissionFate::Open);
            }
        }
        corrected
    }
}

/// Marks the last transmission classified as lost as arrived, and assigns `at` and the known arrival times to the
/// copies in order. Returns false if no copy was classified as lost.
fn mark_lost_as_arrived(all: &mut [Transmission], copies: &[usize], at: Time) -> bool {
    let lost = copies.iter().rev().find(|copy| all[**copy].fate() == TransmissionFate::Lost && all[**copy].sent < at);
    let Some(lost) = lost else { return false };
    all[*lost] = all[*lost].with_fate(TransmissionFate::Arrived(at));
    let mut arrivals: Vec<Time> = copies.iter().filter_map(|copy| all[*copy].arrival()).collect();
    arrivals.sort_unstable();
    let arrived = copies.iter().filter(|copy| all[**copy].arrival().is_some()).copied().collect::<Vec<usize>>();
    for (copy, at) in arrived.into_iter().zip(arrivals) {
        all[copy] = all[copy].with_fate(TransmissionFate::Arrived(at.max(all[copy].sent)));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Span;

    fn make_transmission(at: u64, seq: u64, fate: TransmissionFate) -> Transmission {
        // The first transmission of a segment is that at 0 in these tests.
        let again = at > 0 && seq == 2000;
        Transmission::new(Time::ZERO + Span::from_millis(at), seq, 1000, again).with_fate(fate)
    }

    fn arrive_at(at: u64) -> TransmissionFate {
        TransmissionFate::Arrived(Time::ZERO + Span::from_millis(at))
    }

    /// The fates of a segment's transmissions after reports of these bytes, and the number of corrections.
    fn correct_by(fates: &[TransmissionFate], reports: &[(u64, u64)]) -> (Vec<TransmissionFate>, u64) {
        let mut duplicates = DuplicateReports::default();
        for (number, (from, to)) in reports.iter().enumerate() {
            duplicates.add_report(Time::ZERO + Span::from_millis(200 + 10 * number as u64), *from, *to);
        }
        let mut all: Vec<Transmission> =
            (0..).zip(fates).map(|(nth, fate)| make_transmission(50 * nth, 2000, *fate)).collect();
        all.push(make_transmission(60, 3000, TransmissionFate::Lost));
        let count = duplicates.correct_fates(&mut all);
        assert_eq!(all.last().map(Transmission::fate), Some(TransmissionFate::Lost), "it has no duplicate");
        (all[..fates.len()].iter().map(Transmission::fate).collect(), count)
    }

    #[test]
    fn duplicate_shows_that_the_first_transmission_was_not_lost() {
        let fates = [TransmissionFate::Lost, arrive_at(120)];
        assert_eq!(correct_by(&fates, &[(2000, 3000)]), (vec![arrive_at(120), arrive_at(200)], 1));
        // Several packets that offloading has merged.
        assert_eq!(correct_by(&fates, &[(0, 9000)]), (vec![arrive_at(120), arrive_at(200)], 1));
    }

    #[test]
    fn report_of_a_part_of_a_segment_changes_nothing() {
        let fates = [TransmissionFate::Lost, arrive_at(120)];
        assert_eq!(correct_by(&fates, &[(2000, 2500)]), (fates.to_vec(), 0));
    }

    #[test]
    fn each_reported_duplicate_changes_one_loss_to_an_arrival() {
        let one: &[(u64, u64)] = &[(2000, 3000)];
        let fates = [TransmissionFate::Lost, TransmissionFate::Lost, arrive_at(170)];
        assert_eq!(correct_by(&fates, one), (vec![TransmissionFate::Lost, arrive_at(170), arrive_at(200)], 1));
        let two: &[(u64, u64)] = &[(2000, 3000), (2000, 3000)];
        assert_eq!(correct_by(&fates, two), (vec![arrive_at(170), arrive_at(200), arrive_at(210)], 2));
        // Both count as arrived, as the report states. Then only one of three is reported.
        assert_eq!(correct_by(&[arrive_at(40), arrive_at(90)], one), (vec![arrive_at(40), arrive_at(90)], 0));
        let three = [arrive_at(40), arrive_at(90), arrive_at(140)];
        assert_eq!(correct_by(&three, one), (vec![arrive_at(40), arrive_at(90), TransmissionFate::Open], 0));
    }

    /// A receiver may be unable to report duplicates. If no duplicate is reported, the arrivals are therefore not
    /// changed.
    #[test]
    fn arrivals_are_not_changed_without_duplicate_reports() {
        let fates = [arrive_at(40), arrive_at(90)];
        assert_eq!(correct_by(&fates, &[]), (fates.to_vec(), 0));
    }
}
