//! Mobility: media whose stations move, and the association of mobiles.

use super::event_loop::Observed;
use super::topology::RoamerId;
use super::{Hop, World};
use crate::association::Move;
use crate::event::{Event, NodeEvent};
use crate::ids::LinkId;

impl World {
    /// Initializes the wake-ups of media and mobiles. All links of mobiles that use one link at a time are closed at
    /// first; at time zero, before all other events, mobiles associate.
    pub(super) fn mobiles_begin(&mut self) {
        for medium in &mut self.media {
            medium.look_out(self.agenda.schedule());
            medium.announce_first(self.agenda.schedule());
        }
        for link in self.topology.begin_roaming(&mut self.agenda) {
            self.receive_over(link, false);
        }
    }

    /// Updates the association of a mobile.
    pub(super) fn roamer_looks<S: Observed>(&mut self, roamer: RoamerId, sink: &mut S) {
        let node = self.topology.node_of(roamer).number();
        while let Some(next) = self.topology.next_move(roamer, self.agenda.now()) {
            let event = match next {
                Move::Joins(link) => {
                    self.receive_over(link, true);
                    NodeEvent::Associated { link: link.number() }
                }
                Move::Leaves(link) => {
                    self.receive_over(link, false);
                    NodeEvent::Left { link: link.number() }
                }
            };
            if S::ACTIVE {
                sink.event(self.agenda.now(), &Event::Node { node, event, of: None });
            }
        }
        self.topology.schedule_move(roamer, &mut self.agenda);
    }

    /// Opens or closes a link of a medium for reception.
    fn receive_over(&mut self, link: LinkId, open: bool) {
        for hop in link.hops() {
            if let Hop::Medium { medium, queue } = self.hops[hop] {
                self.media[medium.index()].set_open(queue, open);
            }
        }
    }
}
