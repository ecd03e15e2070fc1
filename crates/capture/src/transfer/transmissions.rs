//! The transmissions of a sender, and which of them arrived.

use std::collections::{BTreeMap, VecDeque};

use engine::{Span, Time};
use tcp::Reason;

/// A transmission of a segment.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    pub seq: u64,
    pub end: u64,
    pub at: Time,
    pub reason: Reason,
    /// Its timestamp, if it has one; of one that was not captured, that of the segment behind the gap.
    pub stamp: Option<u32>,
    /// Its event's number in the order of events.
    pub number: u64,
    /// It was not captured: data behind it was.
    pub unseen: bool,
    /// The time of its arrival is the usual one, or that of an acknowledgment which is earlier.
    pub estimated: bool,
    pub fate: Fate,
}

/// What became of a transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Not known yet.
    Open,
    /// It reached the receiver at that time, as far as acknowledgments tell.
    Arrived(Time),
    Lost,
}

/// Transmissions of the same segment.
struct Copies {
    end: u64,
    first: u64,
    more: Vec<u64>,
}

/// An acknowledgment.
#[derive(Clone, Copy)]
pub struct Answer {
    /// When it reached the sender, and when the receiver had sent it.
    pub at: Time,
    pub sent: Time,
    /// The timestamp that it echoes, if it is one of new data.
    pub echo: Option<u32>,
    /// The time that segments took to the receiver lately.
    pub usual: Span,
}

/// Transmissions that are looked at to see whether one overtook another.
const OVERTAKERS: usize = 8;

/// All transmissions whose fate, or that of an earlier one, is not known.
pub struct Transmissions {
    /// In order of time; numbered from `base`.
    sent: VecDeque<Transmission>,
    base: u64,
    /// Segments that are not acknowledged, by their first byte.
    open: BTreeMap<u64, Copies>,
    /// The time after a transmission at which an acknowledgment may answer it.
    least: Span,
    /// The transmission time of a segment.
    spacing: Span,
    forward: Span,
    /// Segments after a timeout that may have arrived before: the next acknowledgment tells.
    undecided: Option<(Vec<Copies>, Answer)>,
    /// Acknowledgments since the last that advanced.
    duplicates: u32,
}

impl Transmissions {
    pub fn new(round_trip: Span, forward: Span, spacing: Span) -> Self {
        Transmissions {
            sent: VecDeque::new(),
            base: 0,
            open: BTreeMap::new(),
            least: Span::from_nanos(round_trip.as_nanos() / 10 * 9),
            spacing,
            forward,
            undecided: None,
            duplicates: 0,
        }
    }

    /// Adds a transmission.
    pub fn add(&mut self, transmission: Transmission) {
        let number = self.base + self.sent.len() as u64;
        let Transmission { seq, end, .. } = transmission;
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
                    self.open.insert(seq, Copies { end, first: number, more: Vec::new() });
                }
                // The receiver has it already.
                None => transmission.fate = Fate::Arrived(transmission.at + self.forward + self.spacing),
            },
        }
        self.sent.push_back(transmission);
    }

    /// Whether the segment at `seq` has neither been acknowledged nor selectively acknowledged.
    pub fn is_open(&self, seq: u64) -> bool {
        self.open.range(..=seq).next_back().is_some_and(|(_, copies)| copies.end > seq)
    }

    /// The time of the first transmission whose fate is not known.
    pub fn oldest(&self) -> Option<Time> {
        self.sent.front().map(|transmission| transmission.at)
    }

    /// When the open segment that ends at `end` was sent, if it was sent once and nothing before it is missing: behind
    /// a hole an acknowledgment comes late.
    pub fn sent_once(&self, end: u64) -> Option<Time> {
        let repeated = self.open.first_key_value().is_some_and(|(_, first)| !first.more.is_empty());
        if repeated || self.duplicates > 0 {
            return None;
        }
        let (_, copies) = self.open.range(..end).next_back()?;
        let sent = self.get(copies.first).filter(|_| copies.end == end && copies.more.is_empty())?;
        (!sent.unseen).then_some(sent.at)
    }

    /// The segment at `seq` that was not captured when it was first sent, if there is one.
    pub fn unseen(&mut self, seq: u64) -> Option<&mut Transmission> {
        let first = self.open.get(&seq).filter(|copies| copies.more.is_empty())?.first;
        self.sent.get_mut(usize::try_from(first.checked_sub(self.base)?).ok()?).filter(|first| first.unseen)
    }

    /// An acknowledgment arrived that acknowledges everything before `ack`, which is more than before if `advances`.
    pub fn acknowledge(&mut self, ack: u64, advances: bool, answer: Answer) {
        if let Some((covered, first)) = self.undecided.take() {
            // [RFC5682 s2] A second acknowledgment of data that was not sent again, too early for an answer to what
            // was.
            let all_delayed = advances && answer.at.since(first.at.min(answer.at)) < self.least;
            for copies in covered {
                match copies.more.is_empty() && all_delayed {
                    true => self.arrive(copies.first, first.sent),
                    false => self.decide(&copies, &first, all_delayed, true),
                }
            }
        }
        let covered: Vec<Copies> = std::iter::from_fn(|| self.pop_before(ack)).collect();
        // A delayed acknowledgment covers two segments; one that fills a hole, also what arrived before behind it.
        let fills = covered.iter().any(|copies| !copies.more.is_empty());
        let jumps = covered.len() > if fills && self.duplicates > 0 { 1 } else { 2 };
        self.duplicates = if advances { 0 } else { self.duplicates + 1 };
        if !jumps && !self.open.is_empty() && covered.first().is_some_and(|first| self.may_be_delayed(first, &answer)) {
            self.undecided = Some((covered, answer));
            return;
        }
        for copies in covered {
            self.decide(&copies, &answer, false, jumps);
        }
    }

    /// Whether an acknowledgment after a timeout may be one of the first transmission: nothing was sent after the
    /// repetition, which it may answer.
    fn may_be_delayed(&self, copies: &Copies, answer: &Answer) -> bool {
        let newest = self.base + self.sent.len() as u64 - 1;
        let last = copies.more.last().filter(|last| **last == newest).and_then(|last| self.get(*last));
        last.is_some_and(|last| last.reason == Reason::Timeout && self.can_answer(answer, last))
    }

    /// Removes the first open segment if it ends at `ack` or before. A segment may be acknowledged in part.
    fn pop_before(&mut self, ack: u64) -> Option<Copies> {
        self.open.first_entry().filter(|first| first.get().end <= ack).map(|first| first.remove())
    }

    /// The receiver has the bytes from `from` to `to`.
    pub fn selectively_acknowledge(&mut self, from: u64, to: u64, answer: Answer) {
        while let Some((seq, _)) = self.open.range(from..to).find(|(_, copies)| copies.end <= to) {
            let seq = *seq;
            let Some(copies) = self.open.remove(&seq) else { return };
            self.decide(&copies, &answer, false, false);
        }
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut Transmission> {
        self.sent.get_mut(usize::try_from(number.checked_sub(self.base)?).ok()?)
    }

    fn get(&self, number: u64) -> Option<&Transmission> {
        self.sent.get(usize::try_from(number.checked_sub(self.base)?).ok()?)
    }

    /// Whether an acknowledgment comes late enough to be an answer to a transmission.
    fn can_answer(&self, answer: &Answer, transmission: &Transmission) -> bool {
        answer.at.since(transmission.at.min(answer.at)) >= self.least
    }

    /// Decides which of the copies arrived; the `first`, if the acknowledgment is known to be for that. If it `jumps`
    /// over several segments, they may have arrived long before.
    fn decide(&mut self, copies: &Copies, answer: &Answer, first: bool, jumps: bool) {
        let echoed = |transmission: &Transmission| match (transmission.stamp, answer.echo) {
            (Some(stamp), Some(echo)) => echo.wrapping_sub(stamp) as i32 >= 0,
            _ => true,
        };
        // The repetition to which this is an answer, and the one that it acknowledges.
        let find = |chosen: &dyn Fn(&Transmission) -> bool| {
            copies.more.iter().rev().copied().find(|number| self.get(*number).is_some_and(chosen))
        };
        let answered = find(&|copy| self.can_answer(answer, copy));
        let arrived = find(&|copy| !first && self.can_answer(answer, copy) && echoed(copy));
        let arrived = match arrived {
            Some(number) => number,
            // The first was never captured: if a repetition was, that arrived.
            None if self.get(copies.first).is_some_and(|first| first.unseen) => {
                copies.more.first().copied().unwrap_or(copies.first)
            }
            None => copies.first,
        };
        for number in std::iter::once(copies.first).chain(copies.more.iter().copied()) {
            match number.cmp(&arrived) {
                std::cmp::Ordering::Less => {
                    if let Some(lost) = self.get_mut(number) {
                        lost.fate = Fate::Lost;
                    }
                }
                // The receiver had it before; the acknowledgments of that were lost.
                std::cmp::Ordering::Equal
                    if !first && (jumps || answered.is_some_and(|answered| answered > arrived)) =>
                {
                    self.arrive_as_usual(number, answer);
                }
                std::cmp::Ordering::Equal => self.arrive(number, answer.sent),
                std::cmp::Ordering::Greater if !first && answered == Some(number) => self.arrive(number, answer.sent),
                // It is under way.
                std::cmp::Ordering::Greater => self.arrive(number, answer.sent + self.spacing),
            }
        }
    }

    /// A transmission arrived before an acknowledgment was sent, in the time that is usual.
    fn arrive_as_usual(&mut self, number: u64, answer: &Answer) {
        if let Some(transmission) = self.get(number) {
            self.arrive(number, answer.sent.min(transmission.at + answer.usual));
        }
        if let Some(transmission) = self.get_mut(number) {
            transmission.estimated = true;
        }
    }

    fn arrive(&mut self, number: u64, at: Time) {
        let least = self.forward + self.spacing;
        if let Some(transmission) = self.get_mut(number) {
            transmission.fate = Fate::Arrived(at.max(transmission.at + least));
        }
    }

    /// Removes the first transmission, if its fate is known.
    pub fn settled(&mut self) -> Option<Transmission> {
        let first = self.sent.front()?;
        if first.fate == Fate::Open {
            return None;
        }
        self.base += 1;
        self.sent.pop_front()
    }

    /// Removes the first transmission, whatever is known of it.
    pub fn take(&mut self) -> Option<Transmission> {
        let first = self.sent.pop_front()?;
        self.base += 1;
        Some(first)
    }

    /// The earliest arrival whose time is known among those that follow the last transmission that was removed, of at
    /// most [`OVERTAKERS`], and of four times as many transmissions: most of what is in flight has not arrived.
    pub fn next_arrival(&self) -> Option<Time> {
        let next = self.sent.iter().take(4 * OVERTAKERS);
        let arrivals = next.filter_map(|sent| match sent.fate {
            Fate::Arrived(at) if sent.reason == Reason::New && !sent.estimated => Some(at),
            _ => None,
        });
        arrivals.take(OVERTAKERS).min()
    }

    /// The number of transmissions that are kept.
    pub fn len(&self) -> usize {
        self.sent.len()
    }
}
