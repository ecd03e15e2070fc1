//! Tests of the statistics: one program, so that each crate under test is linked once.

mod coverage;
mod properties;
