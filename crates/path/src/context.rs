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
    /// Lets `act` use the same context with an observer whose type it need not know, as a [link](crate::link::Link) does.
    #[inline]
    pub fn erased<T>(&mut self, act: impl FnOnce(&mut LinkCx<'_>) -> T) -> T {
        let watches = self.observer.watches();
        let mut observer = AnyObserver(if watches { Some(&mut *self.observer) } else { None });
        act(&mut Cx { now: self.now, schedule: self.schedule, channels: self.channels, observer: &mut observer })
    }
}

/// An observer of any type; `None` if no events are wanted.
pub struct AnyObserver<'a>(Option<&'a mut dyn Observer>);

impl Observer for AnyObserver<'_> {
    #[inline]
    fn watches(&self) -> bool {
        self.0.is_some()
    }

    fn link(&mut self, at: Time, hop: HopId, event: LinkEvent) {
        if let Some(observer) = &mut self.0 {
            observer.link(at, hop, event);
        }
    }

    fn medium(&mut self, at: Time, medium: u32, event: MediumEvent) {
        if let Some(observer) = &mut self.0 {
            observer.medium(at, medium, event);
        }
    }
}

/// The context of one call of a [link](crate::link::Link).
pub type LinkCx<'a> = Cx<'a, AnyObserver<'a>>;
