//! Tests of the figures of the lessons: one program, so that each crate under test is linked once.

mod frozen_outputs;
mod journeys;
mod lessons;
mod run;
mod vocabulary;
