//! The recording of the facts of a captured connection, which is flow 0 over the only link.

use engine::Time;
use observation::captured::{CapturedTransmission, LinkService};
use observation::{CapturedFact, CapturedSink};
use path::{HopId, LinkDirection, LinkId};
use sim::FlowId;
use tcp::Reason;

use super::Recorder;
use crate::history::{Ack, PlottedSegment, Rtt, Window};
use crate::mark::{Occurrence, PacketRole};

/// The only flow.
const FLOW: FlowId = FlowId::new(0);

/// The only link, towards the receiver.
const FORWARD: HopId = LinkId::new(0).hop(LinkDirection::Forward);

impl Recorder {
    fn record_segment(&mut self, at: f64, sent: &CapturedTransmission) {
        let CapturedTransmission { seq, len, reason, service, .. } = *sent;
        if let Some(flow) = self.flows.get_mut(&FLOW) {
            flow.history.first_sent.get_or_insert(at);
        }
        let again = reason.value() != Some(Reason::New);
        self.append_entry(FLOW, |h| &mut h.sent, at, PlottedSegment { at, seq, len, again });
        let Some(LinkService { leaves, .. }) = service else { return };
        let (begin, end) = (at, leaves.as_secs_f64());
        if begin <= self.to && end >= self.from && !self.has_overflowed() && self.packets.is_some() {
            self.kept += 1;
            self.stays.entry(FORWARD.into()).or_default().push((begin, end));
        }
    }

    fn on_sender_fact(&mut self, at: f64, fact: &CapturedFact) {
        match *fact {
            CapturedFact::Acked { ack, duplicate } => {
                self.append_or_replace(FLOW, |h| &mut h.acks, at, Ack { at, ack, duplicate });
            }
            CapturedFact::Window { cwnd, ssthresh } => {
                if let (Some(cwnd), Some(ssthresh)) = (cwnd.value(), ssthresh.value()) {
                    self.append_or_replace(FLOW, |h| &mut h.windows, at, Window { at, cwnd, ssthresh });
                }
            }
            CapturedFact::Blocked(reason) => {
                if let Some(reason) = reason.value() {
                    self.append_or_replace(FLOW, |h| &mut h.blocked, at, (at, reason));
                }
            }
            // The bounds of the timeout are too wide for a line.
            CapturedFact::RoundTrip { rtt, smoothed, .. } if self.rtt => {
                let (rtt, srtt) = (rtt.as_secs_f64(), smoothed.as_secs_f64());
                self.append_entry(FLOW, |h| &mut h.rtts, at, Rtt { at, rtt, srtt });
            }
            _ => {}
        }
    }
}

impl CapturedSink for Recorder {
    fn on_captured(&mut self, time: Time, fact: &CapturedFact) {
        let at = time.as_secs_f64();
        self.last = at;
        self.record_mark(at, FLOW, &Occurrence::Captured(fact));
        match fact {
            CapturedFact::Began | CapturedFact::AllAcknowledged { .. } => {
                let Some(flow) = self.flows.get_mut(&FLOW) else { return };
                let ends = *fact != CapturedFact::Began;
                *(if ends { &mut flow.completed } else { &mut flow.began }) = Some(at);
            }
            CapturedFact::Sent(sent) => self.record_segment(at, sent),
            CapturedFact::Arrived { seq, .. } | CapturedFact::Lost { seq, .. } => {
                self.record_crossing(FORWARD, Some((FLOW, PacketRole::Data(*seq))));
            }
            _ => self.on_sender_fact(at, fact),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mark::Mark;
    use engine::Span;
    use observation::captured::CapturedFate;
    use observation::{Evidence, Rule, Unseen};

    /// Unknown values have no entry. Such values are the timeout before a round trip, and the queue of a lost segment.
    #[test]
    fn unknown_values_are_not_recorded() {
        let panels = [crate::Panel::Rtt, crate::Panel::Queue];
        let mut recorder = Recorder::new([FLOW], None, None).with_panels(&panels, &crate::Description::default());
        let sent = |seq, fate, service| {
            CapturedFact::Sent(CapturedTransmission {
                seq,
                len: 1000,
                reason: Evidence::Known(Reason::New),
                fate,
                service,
            })
        };
        let at = |millis| Time::ZERO + Span::from_millis(millis);
        let lost = Evidence::infer(CapturedFate::Lost, Rule::Silence);
        let arrived = Evidence::Known(CapturedFate::Arrived(at(30)));
        let service = LinkService { starts: at(0), leaves: at(20) };
        let next = Evidence::Unknown(Unseen::NoRoundTrip);
        let facts = [
            (0, CapturedFact::Began),
            (0, sent(0, arrived, Some(service))),
            (0, sent(1000, lost, None)),
            (30, CapturedFact::Arrived { seq: 0, len: 1000 }),
            (30, CapturedFact::Lost { seq: 1000, len: 1000, sent: at(0) }),
            (
                900,
                CapturedFact::TimerExpired {
                    seq: 1000,
                    nth: 1,
                    cause: Evidence::infer(Reason::Timeout, Rule::RetransmissionCause),
                    next,
                },
            ),
        ];
        facts.iter().for_each(|(millis, fact)| recorder.on_captured(at(*millis), fact));
        let recording = recorder.finish();
        let history = recording.history(FLOW).expect("it was recorded");
        let [timeouts, lost] = [Mark::Timeout, Mark::Lost].map(|mark| history.find_spots(mark).len());
        assert_eq!((timeouts, history.rtos.len(), lost), (1, 0, 1));
        let bottleneck = recording.bottleneck(FLOW).expect("a packet was in the queue");
        assert_eq!(bottleneck.packets, [(0.0, 1), (0.02, 0)]);
    }
}
