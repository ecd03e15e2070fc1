//! Tests of the paths found in captures: one program, so that each crate under test is linked once.

mod common;
mod frozen_outputs;
mod hostile;
mod known_paths;
mod linux_captures;
mod logs;
mod losses;
mod reordered_paths;
