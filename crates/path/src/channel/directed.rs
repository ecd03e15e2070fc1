//! A channel for each direction of a link.

use engine::{Rate, Time};

use super::{Channel, ChannelFrame, ChannelState, FrameFate};

/// Two independent channels, forward first. The states, for plots and for schemes that predict them, are taken from the
/// first channel that has states.
pub struct Directed([Box<dyn Channel>; 2]);

impl Directed {
    /// Creates the channel from one channel per direction.
    pub fn new(channels: [Box<dyn Channel>; 2]) -> Self {
        Directed(channels)
    }

    fn of(&mut self, frame: &ChannelFrame) -> &mut dyn Channel {
        &mut *self.0[frame.direction.index()]
    }
}

impl Channel for Directed {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        self.of(frame).fate(frame)
    }

    fn fate_at(&mut self, frame: &ChannelFrame, rate: Rate) -> FrameFate {
        self.of(frame).fate_at(frame, rate)
    }

    fn loses(&self) -> bool {
        self.0.iter().any(|channel| channel.loses())
    }

    fn has_states(&self) -> bool {
        self.0.iter().any(|channel| channel.has_states())
    }

    fn next_change(&mut self, after: Time) -> Option<(Time, ChannelState)> {
        self.0.iter_mut().find(|channel| channel.has_states())?.next_change(after)
    }
}

#[cfg(test)]
mod tests {
    use engine::{Span, Stream};

    use super::*;
    use crate::channel::{ChannelConfig, uniform};
    use crate::ids::LinkDirection;

    #[test]
    fn directions_have_independent_fates() {
        let channel = |loss| ChannelConfig::Uniform(uniform::Config { loss }).build(Stream::named(1, 0, "air"));
        let mut both = Directed::new([channel(0.0), channel(1.0)]);
        let mut fate = |direction| {
            let (now, duration) = (Time::ZERO, Span::from_millis(1));
            both.fate(&ChannelFrame { now, start: now, duration, size: 100, direction, number: Some(0) })
        };
        assert_eq!(fate(LinkDirection::Forward), FrameFate::Arrives);
        assert_eq!(fate(LinkDirection::Backward), FrameFate::Corrupted);
    }
}
