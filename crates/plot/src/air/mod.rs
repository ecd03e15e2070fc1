//! The picture of a shared medium: one row per station with its frames, collisions and back-offs.
//!
//! Frames are drawn one by one as long as they can be distinguished; over longer times each row shows the share of time
//! in which its station transmitted.

mod carrier_sense;
mod countdown;
mod frames;
mod layout;
mod record;
mod rows;
mod shares;
mod view;

pub use record::{AirRecorder, AirRecording, BackOffDraw, BackOffInterval, MediumDescription, TransmittedFrame};

use path::MediumId;

use crate::ink::Picture;
use crate::options::PictureOptions;
use record::MediumTimeline;

impl AirRecording {
    /// Draws medium number `medium`. Every recording and every combination of options gives a picture; it is empty if
    /// the medium has no events. Options about flows have no effect. The picture is at most as high as its stations
    /// need.
    pub fn draw(&self, medium: MediumId, description: &MediumDescription, options: &PictureOptions) -> Picture {
        let nothing = MediumTimeline::default();
        layout::draw_medium(self.timelines.get(&medium).unwrap_or(&nothing), description, options)
    }
}
