//! The transmissions of a sender, with the information which of them arrived.

use std::collections::{BTreeMap, VecDeque};

use engine::{Span, Time};
use tcp::Reason;

/// A transmission of a segment.
#[derive(Clone, Copy, Debug)]
pub struct ReplayedSegment {
    pub seq: u64,
    pub end: u64,
    pub at: Time,
    pub reason: Reason,
    /// Timestamp of the segment, if it has one. For a segment that was not captured, the timestamp of the segment after
    /// the gap.
    pub stamp: Option<u32>,
    /// Number of the segment's fact in the order of facts.
    pub number: u64,
    /// Whether the segment was not captured, although later data was.
    pub unseen: bool,
    /// Whether the arrival time is estimated from the usual one-way delay.
    pub estimated: bool,
    pub fate: SegmentFate,
}

/// The fate of a transmission according to acknowledgments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegmentFate {
    /// Not decided.
    Open,
    /// The transmission reached the receiver.
    Arrived {
        /// The most likely time.
        at: Time,
        /// The latest possible time: the arrival of the acknowledgment at the sender, or NEVER if no acknowledgment is
        /// for the segment.
        by: Time,
    },
    /// Acknowledgments show that the transmission was lost.
    Lost,
    /// No acknowledgment covered the segment within the timeout.
    Silent,
}

/// Transmissions of the same segment.
struct SegmentCopies {
    end: u64,
    first: u64,
    more: Vec<u64>,
}

/// An acknowledgment.
#[derive(Clone, Copy)]
pub struct AckTimes {
    /// Time at which the acknowledgment reached the sender.
    pub at: Time,
    /// Time at which the receiver sent the acknowledgment.
    pub sent: Time,
    /// The echoed timestamp, if the acknowledgment is for new data.
    pub echo: Option<u32>,
    /// The recent one-way delay of segments to the receiver.
    pub usual: Span,
}

/// Coverage of an acknowledgment.
#[derive(Clone, Copy)]
struct AckReach {
    /// Whether the acknowledgment is known to be for the first copy.
    first: bool,
    /// Whether the acknowledgment covers several segments, which may have arrived long before.
    jumps: bool,
}

/// Maximum number of arrivals that are examined for overtaking.
const OVERTAKERS: usize = 8;

/// All transmissions from the first one on whose fate is not known.
pub struct Transmissions {
    /// The transmissions in order of time, numbered from `base`.
    sent: VecDeque<ReplayedSegment>,
    base: u64,
    /// The time of the last transmission that was removed, and the bytes of the largest one that was sent then.
    last_burst: (Time, u64),
    /// Segments that are not acknowledged, by their first byte.
    open: BTreeMap<u64, SegmentCopies>,
    /// Minimum time after a transmission at which an acknowledgment may answer it.
    least: Span,
    /// The transmission time of a segment.
    spacing: Span,
    forward: Span,
    /// Segments acknowledged after a timeout whose first transmission may have arrived, and that acknowledgment. The
    /// next acknowledgment decides.
    undecided: Option<(Vec<SegmentCopies>, AckTimes)>,
    /// Acknowledgments since the last that advanced.
    duplicates: u32,
}

impl Transmissions {
    pub fn new(round_trip: Span, forward: Span, spacing: Span) -> Self {
        Transmissions {
            sent: VecDeque::new(),
            base: 0,
            last_burst: (Time::ZERO, 0),
            open: BTreeMap::new(),
            least: Span::from_nanos(round_trip.as_nanos() / 10 * 9),
            spacing,
            forward,
            undecided: None,
            duplicates: 0,
        }
    }

    /// Adds a transmission.
    pub fn add(&mut self, transmission: ReplayedSegment) {
        let number = self.base + self.sent.len() as u64;
        let ReplayedSegment { seq, end, .. } = transmission;
        let mut transmission = transmission;
        match self.open.get_mut(&seq) {
            Some(copies) => {
                copies.end = copies.end.max(end);
                copies.more.push(number);
            }
            // A retransmission with other limits belongs to the segment that contains its first byte.
            None => match self.open.range_mut(..seq).next_back().filter(|(_, copies)| copies.end > seq) {
                Some((_, copies)) => copies.more.push(number),
                None if transmission.reason == Reason::New => {
                    self.open.insert(seq, SegmentCopies { end, first: number, more: Vec::new() });
                }
                // The receiver already has the data.
                None => transmission.fate = self.earliest_arrival(&transmission, Time::ZERO, Time::NEVER),
            },
        }
        self.sent.push_back(transmission);
    }

    /// Whether the segment at `seq` has neither been acknowledged nor selectively acknowledged.
    pub fn is_open(&self, seq: u64) -> bool {
        self.open.range(..=seq).next_back().is_some_and(|(_, copies)| copies.end > seq)
    }

    /// Returns the time of the first transmission whose fate is not known.
    pub fn oldest_time(&self) -> Option<Time> {
        self.sent.front().map(|transmission| transmission.at)
    }

    /// Returns the time at which the open segment that ends at `end` was sent, and the bytes of the largest segment
    /// that was sent at the same time: of a burst the last segment is measured. `None` unless the segment was sent once
    /// and nothing before it is missing, since behind a hole an acknowledgment comes late.
    pub fn find_sent_once(&self, end: u64) -> Option<(Time, u32)> {
        let repeated = self.open.first_key_value().is_some_and(|(_, first)| !first.more.is_empty());
        if repeated || self.duplicates > 0 {
            return None;
        }
        let (_, copies) = self.open.range(..end).next_back()?;
        let sent = self.get(copies.first).filter(|_| copies.end == end && copies.more.is_empty())?;
        let place = usize::try_from(copies.first.checked_sub(self.base)?).ok()?;
        let is_together = |other: &&ReplayedSegment| other.at == sent.at;
        let before = self.sent.range(..place).rev().take_while(is_together);
        let burst = before.chain(self.sent.range(place..).take_while(is_together));
        let len = burst.map(|other| other.end - other.seq).max()?;
        let (taken_at, taken_len) = self.last_burst;
        let len = if taken_at == sent.at { len.max(taken_len) } else { len };
        (!sent.unseen).then_some((sent.at, len as u32))
    }

    /// Returns the segment at `seq` if it was not captured when it was first sent.
    pub fn find_unseen(&mut self, seq: u64) -> Option<&mut ReplayedSegment> {
        let first = self.open.get(&seq).filter(|copies| copies.more.is_empty())?.first;
        self.sent.get_mut(usize::try_from(first.checked_sub(self.base)?).ok()?).filter(|first| first.unseen)
    }

    /// Handles an acknowledgment of everything before `ack`; `advances` states whether this is more than before.
    pub fn acknowledge(&mut self, ack: u64, advances: bool, answer: AckTimes) {
        if let Some((covered, first)) = self.undecided.take() {
            // [RFC5682 s2] A second acknowledgment of data that was not retransmitted, too early for an answer to a
            // retransmission.
            let all_delayed = advances && answer.at.since(first.at.min(answer.at)) < self.least;
            for copies in covered {
                if copies.more.is_empty() && all_delayed {
                    self.mark_arrived(copies.first, first.sent, first.at);
                } else {
                    self.decide_fates(&copies, &first, AckReach { first: all_delayed, jumps: true });
                }
            }
        }
        let covered: Vec<SegmentCopies> = std::iter::from_fn(|| self.pop_before(ack)).collect();
        // A delayed acknowledgment covers two segments. An acknowledgment that fills a hole also covers data that
        // arrived before, behind the hole.
        let fills = covered.iter().any(|copies| !copies.more.is_empty());
        let jumps = covered.len() > if fills && self.duplicates > 0 { 1 } else { 2 };
        self.duplicates = if advances { 0 } else { self.duplicates + 1 };
        if !jumps && !self.open.is_empty() && covered.first().is_some_and(|first| self.may_be_delayed(first, &answer)) {
            self.undecided = Some((covered, answer));
            return;
        }
        for copies in covered {
            self.decide_fates(&copies, &answer, AckReach { first: false, jumps });
        }
    }

    /// Returns whether an acknowledgment after a timeout may be for the first transmission. This is possible if nothing
    /// was sent after the retransmission, which the acknowledgment may also answer.
    fn may_be_delayed(&self, copies: &SegmentCopies, answer: &AckTimes) -> bool {
        let newest = self.base + self.sent.len() as u64 - 1;
        let last = copies.more.last().filter(|last| **last == newest).and_then(|last| self.get(*last));
        last.is_some_and(|last| last.reason == Reason::Timeout && self.can_answer(answer, last))
    }

    /// Removes the first open segment if it ends at `ack` or before. A segment may be acknowledged in part.
    fn pop_before(&mut self, ack: u64) -> Option<SegmentCopies> {
        self.open.first_entry().filter(|first| first.get().end <= ack).map(|first| first.remove())
    }

    /// Records that the receiver has the bytes from `from` to `to`.
    pub fn selectively_acknowledge(&mut self, from: u64, to: u64, answer: AckTimes) {
        while let Some((seq, _)) = self.open.range(from..to).find(|(_, copies)| copies.end <= to) {
            let seq = *seq;
            let Some(copies) = self.open.remove(&seq) else { return };
            self.decide_fates(&copies, &answer, AckReach { first: false, jumps: false });
        }
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut ReplayedSegment> {
        self.sent.get_mut(usize::try_from(number.checked_sub(self.base)?).ok()?)
    }

    fn get(&self, number: u64) -> Option<&ReplayedSegment> {
        self.sent.get(usize::try_from(number.checked_sub(self.base)?).ok()?)
    }

    /// Whether an acknowledgment comes late enough to be an answer to a transmission.
    fn can_answer(&self, answer: &AckTimes, transmission: &ReplayedSegment) -> bool {
        answer.at.since(transmission.at.min(answer.at)) >= self.least
    }

    /// Decides which of the copies arrived.
    fn decide_fates(&mut self, copies: &SegmentCopies, answer: &AckTimes, AckReach { first, jumps }: AckReach) {
        let echoed = |transmission: &ReplayedSegment| match (transmission.stamp, answer.echo) {
            (Some(stamp), Some(echo)) => echo.wrapping_sub(stamp) as i32 >= 0,
            _ => true,
        };
        // The latest retransmission that this acknowledgment can answer, and the latest one whose arrival it can
        // confirm.
        let find = |chosen: &dyn Fn(&ReplayedSegment) -> bool| {
            copies.more.iter().rev().copied().find(|number| self.get(*number).is_some_and(chosen))
        };
        let answered = find(&|copy| self.can_answer(answer, copy));
        let arrived = find(&|copy| !first && self.can_answer(answer, copy) && echoed(copy));
        let arrived = match arrived {
            Some(number) => number,
            // The first transmission was not captured. If a retransmission was captured, that one arrived.
            None if self.get(copies.first).is_some_and(|first| first.unseen) => {
                copies.more.first().copied().unwrap_or(copies.first)
            }
            None => copies.first,
        };
        for number in std::iter::once(copies.first).chain(copies.more.iter().copied()) {
            match number.cmp(&arrived) {
                std::cmp::Ordering::Less => {
                    if let Some(lost) = self.get_mut(number) {
                        lost.fate = SegmentFate::Lost;
                    }
                }
                // The segment arrived earlier, and the acknowledgments of that arrival were lost.
                std::cmp::Ordering::Equal
                    if !first && (jumps || answered.is_some_and(|answered| answered > arrived)) =>
                {
                    self.estimate_arrival(number, answer);
                }
                std::cmp::Ordering::Equal => self.mark_arrived(number, answer.sent, answer.at),
                std::cmp::Ordering::Greater if !first && answered == Some(number) => {
                    self.mark_arrived(number, answer.sent, answer.at);
                }
                // A later transmission is still in flight.
                std::cmp::Ordering::Greater => self.mark_arrived(number, answer.sent + self.spacing, Time::NEVER),
            }
        }
    }

    /// Estimates the arrival of a transmission: after the usual delay, but not after the acknowledgment was sent.
    fn estimate_arrival(&mut self, number: u64, answer: &AckTimes) {
        if let Some(transmission) = self.get(number) {
            self.mark_arrived(number, answer.sent.min(transmission.at + answer.usual), answer.at);
        }
        if let Some(transmission) = self.get_mut(number) {
            transmission.estimated = true;
        }
    }

    fn mark_arrived(&mut self, number: u64, at: Time, by: Time) {
        let fate = self.get(number).map(|transmission| self.earliest_arrival(transmission, at, by));
        if let Some((transmission, fate)) = self.get_mut(number).zip(fate) {
            transmission.fate = fate;
        }
    }

    /// An arrival at `at`, or when a transmission can arrive at the earliest.
    fn earliest_arrival(&self, transmission: &ReplayedSegment, at: Time, by: Time) -> SegmentFate {
        let at = at.max(transmission.at + self.forward + self.spacing);
        SegmentFate::Arrived { at, by: by.max(at) }
    }

    /// Removes the first transmission, if its fate is decided.
    pub fn take_decided(&mut self) -> Option<ReplayedSegment> {
        let first = self.sent.front()?;
        if first.fate == SegmentFate::Open {
            return None;
        }
        self.take_oldest()
    }

    /// Removes the first transmission, decided or not.
    pub fn take_oldest(&mut self) -> Option<ReplayedSegment> {
        let first = self.sent.pop_front()?;
        self.base += 1;
        let (at, len) = self.last_burst;
        let before = if at == first.at { len } else { 0 };
        self.last_burst = (first.at, before.max(first.end - first.seq));
        Some(first)
    }

    /// The earliest certain arrival of the transmissions after the last one that was removed. At most [`OVERTAKERS`]
    /// arrivals count, among four times that number of transmissions: most of the data in flight has not arrived.
    pub fn next_arrival(&self) -> Option<Time> {
        let next = self.sent.iter().take(4 * OVERTAKERS);
        let arrivals = next.filter_map(|sent| match sent.fate {
            SegmentFate::Arrived { at, .. } if sent.reason == Reason::New && !sent.estimated => Some(at),
            _ => None,
        });
        arrivals.take(OVERTAKERS).min()
    }

    /// The number of transmissions that are kept.
    pub fn len(&self) -> usize {
        self.sent.len()
    }
}
