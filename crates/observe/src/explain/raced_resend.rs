//! TCP retransmissions concurrent with retransmissions by the link layer.
//!
//! Definition: TCP retransmits a segment while the link layer holds an earlier transmission of it, waiting or being
//! tried, or has delivered it after failed attempts; and the retransmission delivers nothing new. All such segments of
//! one window of data are one finding.
//!
//! Cost: C = sum over these segments of the longest time for which each occupied a hop.
//!
//! Limits: ignores retransmissions that were lost themselves, and duplicates that arrive after the flow is complete.

use std::collections::BTreeSet;

use engine::quantity::format_span;
use engine::{Span, Time};
use tcp::Reason;

use super::{FindingCollector, ProblemKind, Watch, format_noun_count};
use observation::packet_in_flight::{PacketInFlight, PacketLoad};
use observation::{Fact, FlowObservation, SenderFact};

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "raced-resend",
    summary: "TCP retransmitted segments that the link layer still held or had delivered",
    avoidable: true,
    in_runs: true,
    in_captures: None,
    watch: watch_raced_resends,
};

#[derive(Default)]
struct RacedResend {
    /// Unacknowledged segments that reached the receiver after failed attempts.
    retried: BTreeSet<u64>,
    episode: Option<ResendEpisode>,
}

/// Segments retransmitted for one window of data.
struct ResendEpisode {
    /// First unsent byte at the start of the finding.
    end: u64,
    began: Time,
    last: Time,
    racing: Vec<u64>,
    first: u64,
    duplicates: u32,
    cost: Span,
}

fn watch_raced_resends() -> Option<Box<dyn Watch>> {
    Some(Box::<RacedResend>::default())
}

impl RacedResend {
    fn on_retransmission(&mut self, sending: &PacketInFlight, seq: u64, flow: &FlowObservation) {
        let episode = self.episode.get_or_insert(ResendEpisode {
            end: flow.sender.max,
            began: sending.since,
            last: sending.since,
            racing: vec![],
            first: seq,
            duplicates: 0,
            cost: Span::ZERO,
        });
        episode.racing.push(sending.id);
    }

    fn on_packet_left(&mut self, at: Time, sending: &PacketInFlight, duplicate: bool, out: &mut FindingCollector<'_>) {
        let Some(episode) = &mut self.episode else { return };
        let Some(place) = episode.racing.iter().position(|id| *id == sending.id) else { return };
        episode.racing.swap_remove(place);
        if duplicate {
            let (from, to) = sending.longest;
            out.report_lost_time(from, to, 1.0);
            episode.duplicates += 1;
            episode.cost = episode.cost + to.since(from);
            episode.last = at;
        }
    }

    fn close(&mut self, out: &mut FindingCollector<'_>) {
        let Some(episode) = self.episode.take().filter(|episode| episode.duplicates > 0) else { return };
        let text = format!(
            "from byte {} on TCP retransmitted segments that the link layer still held or had delivered after failed attempts: \
             {} arrived twice and occupied the bottleneck for {}",
            episode.first,
            format_noun_count(episode.duplicates, "segment"),
            format_span(episode.cost)
        );
        out.report_finding(episode.began, episode.last, episode.cost, text);
    }
}

impl Watch for RacedResend {
    fn observe(&mut self, at: Time, fact: &Fact, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        match fact {
            Fact::Sent(sending) => {
                if let PacketLoad::Data { seq, reason, .. } = sending.load
                    && reason != Reason::New
                    && (self.retried.contains(&seq) || flow.with_link_layer_besides(seq, sending.id))
                {
                    self.on_retransmission(sending, seq, flow);
                }
            }
            Fact::Reached { packet: sending, news } => {
                self.on_packet_left(at, sending, !news, out);
                if let Some(seq) = sending.seq().filter(|seq| sending.failed > 0 && *seq >= flow.sender.una) {
                    self.retried.insert(seq);
                }
            }
            Fact::Gone { packet: sending, .. } => self.on_packet_left(at, sending, false, out),
            Fact::Sender(SenderFact::Acked { duplicate: false }) => {
                self.retried = self.retried.split_off(&flow.sender.una);
            }
            _ => {}
        }
        if self.episode.as_ref().is_some_and(|episode| flow.sender.una >= episode.end && episode.racing.is_empty()) {
            self.close(out);
        }
    }

    fn end(&mut self, _: Time, _: &FlowObservation, out: &mut FindingCollector<'_>) {
        self.close(out);
    }
}
