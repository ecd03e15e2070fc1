//! Tests of scripts of segments: one program, so that each crate under test is linked once.

mod common;
mod fuzz_corpus;
mod info;
mod ours;
mod scripts;
mod strange;
mod syntax;
