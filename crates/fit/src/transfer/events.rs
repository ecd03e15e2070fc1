//! The transmissions of a connection, from its events.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use engine::{Histogram, Span, Time};
use path::LinkEvent;
use sim::{Event, NodeEvent, Sink};

use crate::transmission::{Fate, Transmission};

/// Collects transmissions from the events of a connection.
#[derive(Default)]
pub struct Observed {
    /// Bytes of headers in each segment with data.
    overhead: u32,
    pub transmissions: Vec<Transmission>,
    /// Those whose fate is not known, by their first byte, the oldest first.
    open: HashMap<u64, VecDeque<usize>>,
    segments: Segments,
    pub rtt: Histogram,
    pub least: BTreeMap<u32, Span>,
    pub timeouts: u64,
    pub initial_window: u32,
    pub acknowledged: u64,
    pub first: Option<Time>,
    pub last: Time,
}

impl Observed {
    /// Of a connection whose segments have this number of bytes of headers.
    pub fn new(overhead: u32) -> Self {
        Observed { overhead, ..Observed::default() }
    }

    fn ends(&mut self, seq: Option<u64>, fate: Fate) {
        let Some(Entry::Occupied(mut copies)) = seq.map(|seq| self.open.entry(seq)) else { return };
        if let Some(number) = copies.get_mut().pop_front() {
            self.transmissions[number] = self.transmissions[number].with_fate(fate);
        }
        if copies.get().is_empty() {
            copies.remove();
        }
    }

    /// What was observed, without the memory that only the events need.
    pub fn without_indexes(self) -> Self {
        Observed { open: HashMap::new(), segments: Segments::default(), ..self }
    }
}

/// Which segments were sent, by their first byte: four bytes for a segment in ascending order, as almost all are.
#[derive(Default)]
struct Segments {
    /// Numbers of the transmissions with a larger first byte than all before.
    ascending: Vec<u32>,
    /// First bytes of segments that were seen after later ones.
    others: HashSet<u64>,
}

impl Segments {
    /// Enters a segment that the next transmission after `all` sends. Returns whether it was sent before.
    fn enter(&mut self, seq: u64, all: &[Transmission]) -> bool {
        let of = |number: &u32| all[*number as usize].seq;
        if self.ascending.last().is_none_or(|last| of(last) < seq) {
            self.ascending.push(all.len() as u32);
            return false;
        }
        self.ascending.binary_search_by_key(&seq, of).is_ok() || !self.others.insert(seq)
    }
}

impl Sink for Observed {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        match event {
            Event::Node { event: NodeEvent::Sent { packet }, of: Some(of), .. } if of.from_sender => {
                let (Some(seq), Some(data)) = (of.seq, packet.data()) else { return };
                self.first.get_or_insert(at);
                self.initial_window += u32::from(self.acknowledged == 0);
                let again = self.segments.enter(seq, &self.transmissions);
                self.open.entry(seq).or_default().push_back(self.transmissions.len());
                self.transmissions.push(Transmission::new(at, seq, data.len, again));
            }
            Event::Link { event: LinkEvent::Arrived { packet }, of: Some(of), .. }
                if of.from_sender && packet.data().is_some() =>
            {
                self.ends(of.seq, Fate::Arrived(at));
            }
            Event::Link { event: LinkEvent::QueueFull { .. } | LinkEvent::Lost { .. }, of: Some(of), .. } => {
                self.ends(of.seq, Fate::Lost);
            }
            Event::Sender { event: tcp::Event::RttSample { rtt, .. }, .. } => {
                self.rtt.record_span(*rtt);
                let sent = at.as_nanos().saturating_sub(rtt.as_nanos());
                let place = self.transmissions.partition_point(|other| other.sent.as_nanos() < sent);
                // Packets of one time are a burst, of which the last is measured.
                let burst = self.transmissions[place..].iter().take_while(|other| other.sent.as_nanos() == sent);
                if let Some(len) = burst.map(|other| other.len).max() {
                    let size = len + self.overhead;
                    let least = self.least.entry(size).or_insert(*rtt);
                    *least = (*least).min(*rtt);
                }
            }
            Event::Sender { event: tcp::Event::Timeout { .. }, .. } => self.timeouts += 1,
            Event::Sender { event: tcp::Event::AckReceived { ack, duplicate: false }, .. } => {
                self.acknowledged = self.acknowledged.max(*ack);
                self.last = at;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segment_is_known_by_its_first_byte_in_any_order() {
        let (mut segments, mut all) = (Segments::default(), Vec::new());
        for (seq, before) in [
            (0, false),
            (1000, false),
            (3000, false),
            (1000, true),
            // Between two others, and within one.
            (2000, false),
            (2500, false),
            (2000, true),
            (2500, true),
            (4000, false),
            (0, true),
            (4000, true),
            (5000, false),
            (3000, true),
        ] {
            assert_eq!(segments.enter(seq, &all), before, "{seq} after {} others", all.len());
            all.push(Transmission::new(Time::ZERO, seq, 1000, before));
        }
        assert_eq!((segments.ascending.len(), segments.others.len()), (5, 2));
    }
}
