//! Tests of the readers and writers of captures: one program, so that each crate under test is linked once.

mod common;
mod formats;
mod hostile;
mod tshark;
