//! Tests of the observation of runs: one program, so that each crate under test is linked once.

mod blocked;
mod budget;
mod common;
mod delays;
mod explain;
mod explain_cells;
mod fuzz_corpus;
mod link_layers;
mod metrics;
mod reference_page;
mod series;
mod trace_files;
