//! Tests of sweeps, stores, captures in files and exports: one program, so that each crate under test is linked once.

mod captures;
mod catalogue;
mod columnar_traces;
mod copies;
mod delays;
mod export_figures;
mod fuzz_corpus;
mod joined;
mod journals;
mod linux;
mod old_stores;
mod outside_members;
mod same_air_in_sweeps;
mod steady;
mod store_flips;
mod store_keys;
mod sweep_analysis;
mod sweep_input;
mod three_ways;
