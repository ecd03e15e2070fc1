//! The context passed to a component of the path in each call.

use engine::{Schedule, Time};

use crate::channel::Channel;
use crate::event::{HopId, LinkEvent, MediumEvent, MediumId};

/// An observer of links. If [`Observer::watches`] is a constant `false`, the compiler removes the construction of
/// events.
pub trait Observer {
    /// Returns true if events are to be reported.
    fn watches(&self) -> bool;
    /// Reports an event of a link.
    fn link(&mut self, at: Time, hop: HopId, event: LinkEvent);
    /// Reports an event of a shared medium.
    fn medium(&mut self, at: Time, medium: MediumId, event: MediumEvent) {
        let _ = (at, medium, event);
    }
}

/// Context of one call: the schedule, the channels, and the observer.
pub struct Cx<'a, O> {
    /// Current time.
    pub now: Time,
    /// Schedule of wake-ups.
    pub schedule: &'a mut Schedule,
    /// The channels of all links, by link number.
    pub channels: &'a mut [Box<dyn Channel>],
    /// The observer.
    pub observer: &'a mut O,
}

impl<O: Observer> Cx<'_, O> {
    /// Reports an event to the observer; `event` is not called if nothing is observed.
    #[inline]
    pub fn emit(&mut self, hop: HopId, event: impl FnOnce() -> LinkEvent) {
        if self.observer.watches() {
            self.observer.link(self.now, hop, event());
        }
    }

    /// As `emit`, for a shared medium.
    #[inline]
    pub fn emit_medium(&mut self, medium: MediumId, event: impl FnOnce() -> MediumEvent) {
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

    fn medium(&mut self, at: Time, medium: MediumId, event: MediumEvent) {
        if let Some(observer) = &mut self.0 {
            observer.medium(at, medium, event);
        }
    }
}

/// The context of one call of a [link](crate::link::Link).
pub type LinkCx<'a> = Cx<'a, AnyObserver<'a>>;
