//! The context passed to a component of the path in each call.

use engine::{IdVec, Schedule, Span, Time};

use crate::channel::Channel;
use crate::event::{LinkEvent, MediumEvent};
use crate::ids::{HopId, LinkId, MediumId};

/// An observer of links. If [`Observer::watches`] is a constant `false`, the compiler removes the construction of
/// events.
pub trait Observer {
    /// Returns true if all events are to be reported.
    fn watches(&self) -> bool;
    /// Returns true if events that [time](LinkEvent::is_timing) a packet are reported, with or without all others.
    #[inline]
    fn times(&self) -> bool {
        self.watches()
    }
    /// Reports an event of a link.
    fn link(&mut self, at: Time, hop: HopId, event: LinkEvent);
    /// Reports that a packet waited in the queue of a link without a link layer. This event replaces
    /// [`LinkEvent::Dequeued`] for observers that do not watch all events.
    fn waited(&mut self, hop: HopId, wait: Span) {
        let _ = (hop, wait);
    }
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
    /// The channels of all links.
    pub channels: &'a mut IdVec<LinkId, Box<dyn Channel>>,
    /// The observer.
    pub observer: &'a mut O,
}

impl<O: Observer> Cx<'_, O> {
    /// Reports an event to the observer. `event` is not called if the observer does not watch events. An event that
    /// times a packet is reported by [`emit_timing`](Self::emit_timing).
    #[inline]
    pub fn emit(&mut self, hop: HopId, event: impl FnOnce() -> LinkEvent) {
        if self.observer.watches() {
            let event = event();
            debug_assert!(!event.is_timing(), "{event:?} times a packet");
            self.observer.link(self.now, hop, event);
        }
    }

    /// Reports an event that [times](LinkEvent::is_timing) a packet.
    #[inline]
    pub fn emit_timing(&mut self, hop: HopId, event: impl FnOnce() -> LinkEvent) {
        if self.observer.times() {
            self.observer.link(self.now, hop, event());
        }
    }

    /// Reports that a packet leaves the queue of a link without a link layer after `wait`: by the `event`
    /// [`Dequeued`](LinkEvent::Dequeued), or by the wait alone.
    #[inline]
    pub fn emit_departure(&mut self, hop: HopId, wait: Span, event: impl FnOnce() -> LinkEvent) {
        if self.observer.watches() {
            self.observer.link(self.now, hop, event());
        } else if self.observer.times() {
            self.observer.waited(hop, wait);
        }
    }

    /// Reports an event of a shared medium.
    #[inline]
    pub fn emit_medium(&mut self, medium: MediumId, event: impl FnOnce() -> MediumEvent) {
        if self.observer.watches() {
            self.observer.medium(self.now, medium, event());
        }
    }
    /// Calls `act` with this context and a type-erased observer, for a [link](crate::link::Link).
    #[inline]
    pub fn with_erased_observer<T>(&mut self, act: impl FnOnce(&mut LinkCx<'_>) -> T) -> T {
        let (watches, times) = (self.observer.watches(), self.observer.times());
        let mut observer = AnyObserver { watches, observer: if times { Some(&mut *self.observer) } else { None } };
        act(&mut Cx { now: self.now, schedule: self.schedule, channels: self.channels, observer: &mut observer })
    }
}

/// A type-erased observer.
pub struct AnyObserver<'a> {
    watches: bool,
    /// `None` if the observer watches no events.
    observer: Option<&'a mut dyn Observer>,
}

impl Observer for AnyObserver<'_> {
    #[inline]
    fn watches(&self) -> bool {
        self.watches
    }

    #[inline]
    fn times(&self) -> bool {
        self.observer.is_some()
    }

    fn link(&mut self, at: Time, hop: HopId, event: LinkEvent) {
        if let Some(observer) = &mut self.observer {
            observer.link(at, hop, event);
        }
    }

    fn waited(&mut self, hop: HopId, wait: Span) {
        if let Some(observer) = &mut self.observer {
            observer.waited(hop, wait);
        }
    }

    fn medium(&mut self, at: Time, medium: MediumId, event: MediumEvent) {
        if let Some(observer) = &mut self.observer {
            observer.medium(at, medium, event);
        }
    }
}

/// The context of one call of a [link](crate::link::Link).
pub type LinkCx<'a> = Cx<'a, AnyObserver<'a>>;
