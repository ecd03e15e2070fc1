//! The state of the path that all flows share.

use std::rc::Rc;

use engine::IdVec;
use path::LinkId;
use path::channel::ChannelState;

use crate::hop_timing::HopTimings;
use crate::media::Media;
use crate::transmitters::Transmitters;

/// The state of the path that all flows share.
pub struct PathObservation {
    pub(crate) hops: Rc<HopTimings>,
    pub(crate) transmitters: Transmitters,
    pub(crate) media: Media,
    pub(crate) channels: IdVec<LinkId, Option<ChannelState>>,
}

impl PathObservation {
    /// Returns the transmission times of all hops.
    pub fn hops(&self) -> &HopTimings {
        &self.hops
    }

    /// Returns the transmitters.
    pub fn transmitters(&self) -> &Transmitters {
        &self.transmitters
    }

    /// Returns the state to which the channel of a link has changed last, if it has changed.
    pub fn channel(&self, link: LinkId) -> Option<ChannelState> {
        self.channels.get(link).copied().flatten()
    }

    /// Returns the shared media.
    pub fn media(&self) -> &Media {
        &self.media
    }
}
