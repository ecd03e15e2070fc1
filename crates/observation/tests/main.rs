//! Tests of observations: one program, so that each crate under test is linked once.

mod delays;
mod hop_packets;
mod loss_places;
