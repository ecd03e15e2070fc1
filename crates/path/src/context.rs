//! What is lent to a component of the path while it acts.

use engine::{Schedule, Time};

use crate::channel::Channel;
use crate::event::{HopId, LinkEvent, MediumEvent};

/// An observer of links. With [`Observer::watches`] a constant `false` the compiler removes all that would be said.
pub trait Observer {
    /// Whether events are wanted.
    fn watches(&self) -> bool;
    /// Something happened on a link.
    fn link(&mut self, at: Time, hop: HopId, event: LinkEvent);
    /// Something happened in a shared medium.
    fn medium(&mut self, at: Time, medium: u32, event: MediumEvent) {
        let _ = (at, medium, event);
    }
}

/// The context of one call: the schedule, the channels, and the observer.
pub struct Cx<'a, O> {
    /// Now.
    pub now: Time,
    /// To ask for wake-ups.
    pub schedule: &'a mut Schedule,
    /// The channels of all links, by link number.
    pub channels: &'a mut [Box<dyn Channel>],
    /// The observer.
    pub observer: &'a mut O,
}

impl<O: Observer> Cx<'_, O> {
    /// Tells the observer, if there is one; `event` is not even made otherwise.
    #[inline]
    pub fn emit(&mut self, hop: HopId, event: impl FnOnce() -> LinkEvent) {
        if self.observer.watches() {
            self.observer.link(self.now, hop, event());
        }
    }

    /// The same of a shared medium.
    #[inline]
    pub fn emit_medium(&mut self, medium: u32, event: impl FnOnce() -> MediumEvent) {
        if self.observer.watches() {
            self.observer.medium(self.now, medium, event());
        }
    }
}
