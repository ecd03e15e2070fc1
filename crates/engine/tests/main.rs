//! Tests of the engine: one program, so that each crate under test is linked once.

mod heap;
mod member_files;
mod members;
mod order;
mod outside;
mod quantities;
mod streams;
mod times;
