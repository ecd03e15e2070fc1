//! Tests of scenarios: one program, so that each crate under test is linked once.

mod examples;
mod outside;
mod own_agent;
mod own_link_layer;
mod set_every_key;
