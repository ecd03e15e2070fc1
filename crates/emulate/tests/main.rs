//! Tests of emulated networks: one program, so that each crate under test is linked once.

mod common;
mod datagrams;
mod transfers;
