//! Tests of the pictures: one program, so that each crate under test is linked once.

mod actions;
mod air;
mod air_counting;
mod beside;
mod blocked;
mod common;
mod complete;
mod edges;
mod gallery;
mod golden;
