//! A flow in shared media, with the exchanges of its packets, and the exchanges of others for which it waits.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Span, Time};
use path::{HopId, HopIndex, LinkId, MediumId};
use sim::{FlowId, NodeId};
use wire::Packet;

use super::{FlowObservation, SlowestHop};
use crate::fact::Fact;
use crate::hop_timing::HopTiming;
use crate::losses::LossPlace;
use crate::media::{AttemptFailure, Media, ObservedExchange};
use crate::path_observation::PathObservation;

/// A flow's state for the media on its path.
#[derive(Default)]
pub struct InMedia {
    /// By hop: the end of its last frame, and the number of the flow's packets in it.
    sent: BTreeMap<HopIndex, (Time, u32)>,
    /// By hop: why the last exchange failed.
    failing: BTreeMap<HopIndex, AttemptFailure>,
    /// By medium: the total time of successful exchanges for the flow.
    taken: BTreeMap<MediumId, Span>,
    /// By hop: the segments in those exchanges.
    segments: BTreeMap<HopIndex, u64>,
    /// By medium: the end of the last exchange for the flow.
    own_until: BTreeMap<MediumId, Time>,
    /// By medium: the time up to which waiting has been reported.
    waited_until: BTreeMap<MediumId, Time>,
    /// Links that their mobile has left. If one of them was the slowest, the next hop in a medium that carries data
    /// replaces it.
    left: BTreeSet<LinkId>,
    /// The idle time of the slowest hop's medium so far.
    pub idle: Option<(MediumId, Span)>,
}

impl FlowObservation {
    /// Updates the idle time of the slowest hop's medium.
    pub(crate) fn update_idle_time(&mut self, at: Time, cells: &mut Media) {
        let medium = self.slowest.as_ref().and_then(|slowest| slowest.medium);
        self.in_media.idle = medium.map(|medium| (medium, cells.update_idle_time(at, medium)));
    }

    /// Returns where the link layer of a hop lost the packet that it gives up: by the failure of its last exchange.
    pub(crate) fn find_place_of_failure(&self, id: HopId) -> LossPlace {
        match self.in_media.failing.get(&id.into()) {
            Some(AttemptFailure::Collision | AttemptFailure::Hidden) => LossPlace::Collision,
            Some(AttemptFailure::Air) | None => LossPlace::Air,
        }
    }

    /// Handles a packet in a frame that is being transmitted in a medium.
    pub(crate) fn on_frame_sent_in_medium(&mut self, at: Time, id: HopId, hop: &HopTiming, packet: &Packet) {
        let Some(medium) = hop.medium else { return };
        self.packets.assign_medium(at, hop.near, packet.dst, medium);
        let sent = self.in_media.sent.entry(id.into()).or_insert((at, 0));
        *sent = if sent.0 == at { (at, sent.1 + 1) } else { (at, 1) };
    }

    /// Returns start and end of the transmission of a packet that arrives now over a medium; for an aggregate, of the
    /// packet's part.
    pub fn hold_in_medium(&self, at: Time, id: HopId) -> (Time, Time) {
        let (sent, packets) = self.in_media.sent.get(&id.into()).copied().unwrap_or((at, 1));
        let part = at.since(sent).as_nanos() / u64::from(packets.max(1));
        (Time::from_nanos(at.as_nanos() - part), at)
    }

    /// Handles the end of an exchange: one for packets of this flow, or one for which this flow had to wait.
    pub fn exchange(
        &mut self,
        number: FlowId,
        exchange: &ObservedExchange,
        path: &PathObservation,
        facts: &mut Vec<Fact>,
    ) {
        let own = exchange.carried.iter().filter(|carried| carried.flow == Some(number));
        let packets = own.clone().count() as u64;
        let (Some(id), Some(first)) = (exchange.hop, own.clone().next()) else {
            return self.on_wait(number, exchange, path.media(), facts);
        };
        let Some(hop) = path.hops().get(id) else { return };
        let data = first.packet.data().is_some();
        let own_until = self.in_media.own_until.entry(exchange.medium).or_default();
        *own_until = exchange.silent.max(*own_until);
        if let Some(why) = exchange.spoilt {
            let before = self.in_media.failing.insert(id.into(), why);
            let unbroken = before == Some(why);
            facts.push(Fact::Failed { hop: id, from: exchange.tried, to: exchange.free, data, why, unbroken });
            own.for_each(|carried| {
                self.packets.count_failed(hop.near, carried.attempt.max(1), &carried.packet);
            });
            return;
        }
        self.in_media.failing.remove(&id.into());
        let damaged = own.filter(|carried| carried.damaged).count() as u64;
        let carried = exchange.carried.len() as u64;
        if let Some((from, duration)) = exchange.data.filter(|_| damaged > 0) {
            let to = from + Span::from_nanos(duration.as_nanos() * damaged / carried);
            facts.push(Fact::Failed { hop: id, from, to, data, why: AttemptFailure::Air, unbroken: false });
        }
        let took = exchange.free.since(exchange.began).as_nanos() * packets / carried;
        self.learn_pace(id, hop, exchange.medium, Span::from_nanos(took), if data { packets } else { 0 });
    }

    /// Records that a mobile starts or stops using a link.
    pub(crate) fn set_link_use(&mut self, link: LinkId, used: bool) {
        if used {
            self.in_media.left.remove(&link);
        } else {
            self.in_media.left.insert(link);
        }
    }

    /// Processes the airtime of a segment in a medium: its exchanges there, and those for its acknowledgment. Checks
    /// whether this is the slowest hop.
    fn learn_pace(&mut self, id: HopId, hop: &HopTiming, medium: MediumId, took: Span, segments: u64) {
        let InMedia { taken, segments: sent, left, .. } = &mut self.in_media;
        let taken = taken.entry(medium).or_default();
        *taken = *taken + took;
        if segments == 0 || left.contains(&id.link) {
            return;
        }
        let sent = sent.entry(id.into()).or_default();
        *sent += segments;
        let cycle = Span::from_nanos(taken.as_nanos() / *sent);
        let is_slowest = |slowest: &SlowestHop| {
            slowest.id == id || left.contains(&slowest.id.link) || Some(cycle) > slowest.cycle.value()
        };
        if self.slowest.as_ref().is_none_or(is_slowest) {
            self.slowest = Some(SlowestHop::in_medium(id, hop, medium, cycle));
        }
    }

    /// Handles transmissions of other stations. The flow waited if one of its packets was at a station that sensed the
    /// transmission, and no exchange for the flow was in progress.
    fn on_wait(&mut self, number: FlowId, exchange: &ObservedExchange, cells: &Media, facts: &mut Vec<Fact>) {
        let medium = exchange.medium;
        let heard = |(node, since): (NodeId, Time)| {
            let from = exchange.heard_by.as_ref().map_or(Some(exchange.began), |nodes| nodes.get(&node).copied());
            Some(since.max(from?))
        };
        let Some(heard) = self.packets.waits_in(medium).filter_map(heard).min() else { return };
        let InMedia { own_until, waited_until, .. } = &mut self.in_media;
        let until = waited_until.entry(medium).or_default();
        let own = own_until.get(&medium).copied().unwrap_or_default();
        let from = heard.max(own).max(*until);
        let to = cells.since(medium, number).map_or(exchange.silent, |own| own.min(exchange.silent));
        if from < to {
            *until = to;
            facts.push(Fact::Waited { from, to });
        }
    }
}
