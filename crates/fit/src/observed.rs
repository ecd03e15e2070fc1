//! The values that a capture at the sender of a simulated transfer would show, defined equally for measured and
//! simulated transfers.
//!
//! Goodput is the acknowledged data per time from the first segment to the last acknowledgment. Round trips are sampled
//! as in [`capture::transfer`]; the metrics of a run also count round trips of segments that waited behind a gap.

use engine::{Histogram, Time};
use observe::observation::SenderState;
use sim::{Event, FlowId, Sink};
use tcp::Reason;

/// The only flow.
const FLOW: FlowId = FlowId::new(0);

/// Collects the values of runs of one flow.
#[derive(Default)]
pub struct SimulatedValues {
    sender: SenderState,
    first: Option<Time>,
    last: Time,
    /// Round trips in nanoseconds.
    pub rtt: Histogram,
    /// Retransmitted segments.
    pub retransmitted: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
}

impl SimulatedValues {
    /// Bits acknowledged per second.
    pub fn goodput(&self) -> f64 {
        let took = self.last.since(self.first.unwrap_or(self.last));
        8.0 * self.sender.una as f64 / took.as_secs_f64().max(1e-9)
    }
}

impl Sink for SimulatedValues {
    const ACTIVE: bool = true;
    const NEEDS_PACKETS: bool = false;

    fn event(&mut self, at: Time, event: &Event) {
        let Event::Sender { flow: FLOW, event } = event else { return };
        let acknowledged = self.sender.apply(at, event);
        acknowledged.round_trip.iter().for_each(|round_trip| self.rtt.record_span(*round_trip));
        match event {
            tcp::Event::SegmentSent { reason, .. } => {
                self.first.get_or_insert(at);
                self.retransmitted += u64::from(*reason != Reason::New);
            }
            tcp::Event::AckReceived { duplicate: false, .. } => self.last = at,
            tcp::Event::Timeout { .. } => self.timeouts += 1,
            _ => {}
        }
    }
}
