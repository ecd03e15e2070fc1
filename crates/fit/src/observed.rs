//! What a capture at the sender of a simulated transfer would show: measured and simulated values have one definition.
//!
//! Goodput is what was acknowledged per time from the first segment to the last acknowledgment. A round trip is that of
//! the last segment which an acknowledgment covers, if it was sent once, and nothing before it was missing: what
//! [`capture::transfer`] takes. The metrics of a run count round trips of segments that had waited behind a gap, too.

use std::collections::VecDeque;

use engine::{Histogram, Time};
use sim::{Event, NodeEvent, Sink};

/// A segment that is not acknowledged.
struct Segment {
    end: u64,
    sent: Time,
    again: bool,
}

/// Collects the values of runs of one flow.
#[derive(Default)]
pub struct Observed {
    segments: VecDeque<Segment>,
    /// The first byte that was not sent.
    max: u64,
    duplicates: u64,
    first: Option<Time>,
    last: Time,
    acknowledged: u64,
    /// Round trips in nanoseconds.
    pub rtt: Histogram,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
}

impl Observed {
    /// Bits acknowledged per second.
    pub fn goodput(&self) -> f64 {
        let took = self.last.since(self.first.unwrap_or(self.last));
        8.0 * self.acknowledged as f64 / took.as_secs_f64().max(1e-9)
    }

    fn sent(&mut self, at: Time, seq: u64, len: u32) {
        self.first.get_or_insert(at);
        let end = seq + u64::from(len);
        if end > self.max {
            self.max = end;
            self.segments.push_back(Segment { end, sent: at, again: false });
            return;
        }
        self.retransmitted += 1;
        let place = self.segments.partition_point(|segment| segment.end <= seq);
        if let Some(segment) = self.segments.get_mut(place) {
            segment.again = true;
        }
    }

    fn acknowledged(&mut self, at: Time, ack: u64) {
        (self.acknowledged, self.last) = (self.acknowledged.max(ack), at);
        let in_order = self.duplicates == 0 && self.segments.front().is_some_and(|first| !first.again);
        self.duplicates = 0;
        let mut last = None;
        while self.segments.front().is_some_and(|first| first.end <= ack) {
            last = self.segments.pop_front();
        }
        if let Some(last) = last.filter(|last| in_order && last.end == ack && !last.again) {
            self.rtt.record_span(at.since(last.sent));
        }
    }
}

impl Sink for Observed {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        match event {
            Event::Node { event: NodeEvent::Sent { packet }, of: Some(of), .. } if of.from_sender => {
                if let Some((seq, data)) = of.seq.zip(packet.data()) {
                    self.sent(at, seq, data.len);
                }
            }
            Event::Sender { event: tcp::Event::AckReceived { duplicate: true, .. }, .. } => self.duplicates += 1,
            Event::Sender { event: tcp::Event::AckReceived { ack, .. }, .. } => self.acknowledged(at, *ack),
            Event::Sender { event: tcp::Event::Timeout { .. }, .. } => self.timeouts += 1,
            _ => {}
        }
    }
}
