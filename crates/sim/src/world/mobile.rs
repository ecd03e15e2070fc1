//! Mobility: media whose stations move, and the association of mobiles.

use super::World;
use super::event_loop::LoopSink;
use crate::association::Move;
use crate::event::{Event, NodeEvent};
use crate::world::ids::RoamerId;

impl World {
    /// Initializes the wake-ups of media and mobiles. All links of mobiles that use one link at a time are closed at
    /// first; at time zero, before all other events, mobiles associate.
    pub(super) fn mobiles_begin(&mut self) {
        self.transmitters.begin(&mut self.agenda);
        for link in self.topology.begin_roaming(&mut self.agenda) {
            self.transmitters.set_open(link, false);
        }
    }

    /// Updates the association of a mobile.
    pub(super) fn roamer_looks<S: LoopSink>(&mut self, roamer: RoamerId, sink: &mut S) {
        let node = self.topology.node_of(roamer);
        while let Some(next) = self.topology.next_move(roamer, self.agenda.now()) {
            let event = match next {
                Move::Joins(link) => {
                    self.transmitters.set_open(link, true);
                    NodeEvent::Associated { link }
                }
                Move::Leaves(link) => {
                    self.transmitters.set_open(link, false);
                    NodeEvent::Left { link }
                }
            };
            if S::ACTIVE {
                sink.event(self.agenda.now(), &Event::Node { node, event, of: None });
            }
        }
        self.topology.schedule_move(roamer, &mut self.agenda);
    }
}
