//! Tests of the reports: one program, so that each crate under test is linked once.

mod browser;
mod common;
mod golden;
mod page;
mod store;
