//! Tests of the contracts that members of registries keep: one program, so that each crate under test is linked once.

mod broken_agents;
mod broken_controls;
mod broken_transfers;
mod common;
mod different_ends;
