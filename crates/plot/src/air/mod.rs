//! The picture of a shared medium: a row for each station, its frames where they were in the air, what collided, and how
//! back-offs were counted down.
//!
//! While single frames can be seen they are drawn one by one; over longer times each row shows what share of the air its
//! station took.

mod carrier_sense;
mod countdown;
mod frames;
mod layout;
mod record;
mod rows;
mod shares;
mod view;

pub use record::{AirRecorder, AirRecording, MediumDescription};

use crate::ink::Picture;
use crate::options::Options;
use record::Timeline;

impl AirRecording {
    /// Draws medium number `medium`. Whatever was recorded and whatever the options are, there is a picture: an empty one if
    /// need be. Of the options, those about flows say nothing here; the picture is not higher than its stations need.
    pub fn draw(&self, medium: u32, description: &MediumDescription, options: &Options) -> Picture {
        let nothing = Timeline::default();
        layout::draw(self.timelines.get(&medium).unwrap_or(&nothing), description, options)
    }
}
