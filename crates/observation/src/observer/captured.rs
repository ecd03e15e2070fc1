//! The observation of a captured connection: facts of the capture become states and facts of a flow.

use std::rc::Rc;

use engine::{IdVec, Time};
use sim::FlowId;

use super::{FollowedFlow, Observation, Subscriber};
use crate::captured::{CapturedConnection, CapturedFact, CapturedTransmission, FORWARD};
use crate::evidence::Evidence;
use crate::fact::Fact;
use crate::flow::FlowObservation;
use crate::hop_timing::HopTimings;
use crate::media::Media;
use crate::path_observation::PathObservation;
use crate::transmitters::Transmitters;

/// The only flow.
const FLOW: FlowId = FlowId::new(0);

impl Observation {
    /// Creates an observation of a captured connection, which is flow 0 over a path of one hop.
    pub fn of_capture(connection: &CapturedConnection) -> Self {
        let state = FlowObservation::of_capture(connection);
        let hops = Rc::new(HopTimings::of_capture(connection));
        Observation {
            flows: vec![FollowedFlow { state, over_tcp: true, is_over: false }].into(),
            path: PathObservation {
                transmitters: Transmitters::of_capture(),
                media: Media::default(),
                hops,
                channels: IdVec::default(),
            },
            facts: Vec::new(),
        }
    }

    /// Handles a fact of the capture.
    pub fn apply_captured(&mut self, at: Time, fact: &CapturedFact, to: &mut impl Subscriber) {
        match *fact {
            CapturedFact::Began | CapturedFact::DuplicateReported { .. } => {}
            CapturedFact::AllAcknowledged { .. } => self.end(at, FLOW, to),
            CapturedFact::Sent(sent) => self.send_captured(at, fact, &sent, to),
            CapturedFact::Arrived { seq, len } => {
                self.hold(at, FLOW, to);
                self.follow(at, FLOW, to, |flow, path, facts| {
                    flow.arrive_captured(at, (seq, len), path.hops().get(FORWARD), facts);
                });
            }
            CapturedFact::Lost { seq, len, sent } => {
                self.change(at, to, |flow, facts| flow.lose_captured(at, (seq, len), sent, facts));
            }
            CapturedFact::AckSent { ack } => self.change(at, to, |flow, _| flow.send_captured_ack(at, ack)),
            CapturedFact::AckArrived { ack, window } => {
                self.change(at, to, |flow, facts| flow.receive_captured_ack(at, ack, window, facts));
            }
            CapturedFact::ReceiverOpened { window } => {
                self.change(at, to, |flow, _| flow.sender.receive_window = Evidence::Known(window));
            }
            CapturedFact::HandshakeBegan
            | CapturedFact::HandshakeEnded
            | CapturedFact::Acked { .. }
            | CapturedFact::RoundTrip { .. }
            | CapturedFact::Window { .. }
            | CapturedFact::Blocked(_)
            | CapturedFact::TimerExpired { .. }
            | CapturedFact::FastRetransmit { .. }
            | CapturedFact::RecoveryEnd => {
                self.change(at, to, |flow, facts| flow.on_captured_sender(at, fact, facts));
            }
        }
    }

    /// Handles a captured transmission: first the sender acts, then its segment enters the path, then the hop takes it.
    fn send_captured(&mut self, at: Time, fact: &CapturedFact, sent: &CapturedTransmission, to: &mut impl Subscriber) {
        self.change(at, to, |flow, facts| flow.on_captured_sender(at, fact, facts));
        self.follow(at, FLOW, to, |flow, _, facts| flow.send_captured(at, sent, facts));
        if let Some(service) = sent.service {
            let free = self.path.transmitters.serve_captured(at, service);
            self.follow(at, FLOW, to, |flow, _, _| flow.serve_captured(at, sent, service, free));
        }
    }

    fn change(&mut self, at: Time, to: &mut impl Subscriber, step: impl FnOnce(&mut FlowObservation, &mut Vec<Fact>)) {
        self.hold(at, FLOW, to);
        self.follow(at, FLOW, to, |flow, _, facts| step(flow, facts));
    }
}

#[cfg(test)]
mod tests {
    use path::HopIndex;

    use super::*;

    #[test]
    fn path_of_a_capture_is_the_first_hop() {
        assert_eq!(HopIndex::from(FORWARD).index(), 0);
        assert!(Transmitters::of_capture().line(FORWARD.into()).is_some());
    }
}
