//! Tests of simulations: one program, so that each crate under test is linked once.

mod app_contracts;
mod threads;
