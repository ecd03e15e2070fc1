//! Mobility: media whose stations move, and the association of mobiles.

use engine::Time;

use super::event_loop::Observed;
use super::{Hop, World};
use crate::association::Move;
use crate::event::{Event, NodeEvent};
use crate::results::RoamingResult;

impl World {
    /// Initializes the wake-ups of media and mobiles. All links of mobiles that use one link at a time are closed at
    /// first; at time zero, before all other events, mobiles associate.
    pub(super) fn mobiles_begin(&mut self) {
        for medium in &mut self.media {
            medium.look_out(self.agenda.schedule());
            medium.announce_first(self.agenda.schedule());
        }
        for number in 0..self.roamers.len() {
            let links: Vec<usize> = self.roamers[number].links().collect();
            for link in links {
                self.set_open(link, false);
            }
            // Before flows that start at time zero.
            let order = engine::Order::early(number as u32);
            self.agenda.schedule().arm_as(self.roamers[number].slot, Time::ZERO, order);
        }
    }

    /// Updates the association of a mobile.
    pub(super) fn roamer_looks<S: Observed>(&mut self, number: usize, sink: &mut S) {
        let node = self.roamers[number].node as u32;
        while let Some(moved) = self.roamers[number].next_move(self.agenda.now()) {
            let (link, open, event) = match moved {
                Move::Joins(link) => (link, true, NodeEvent::Associated { link: link as u32 }),
                Move::Leaves(link) => (link, false, NodeEvent::Left { link: link as u32 }),
            };
            self.set_open(link, open);
            if S::ACTIVE {
                sink.event(self.agenda.now(), &Event::Node { node, event, of: None });
            }
        }
        let roamer = &mut self.roamers[number];
        match roamer.next_look(self.agenda.now()) {
            Some(at) => self.agenda.schedule().arm(roamer.slot, at),
            None => self.agenda.schedule().disarm(roamer.slot),
        }
    }

    /// Opens or closes a link of a medium, for routes and for reception.
    fn set_open(&mut self, link: usize, open: bool) {
        let between = [2 * link + 1, 2 * link].map(|hop| self.far_ends[hop] as usize);
        self.routes.set_open(link, between, open);
        for hop in [2 * link, 2 * link + 1] {
            if let Hop::Medium { medium, queue } = self.hops[hop] {
                self.media[medium.index()].set_open(queue, open);
            }
        }
    }

    /// The handovers of mobiles that associate, by node.
    pub(super) fn roaming(&self) -> Vec<Option<RoamingResult>> {
        let mut fared = vec![None; self.nodes.len()];
        for roamer in &self.roamers {
            fared[roamer.node] = Some(roamer.counted(self.agenda.now()));
        }
        fared
    }
}
