//! Helpers of tests of messages.

pub mod broken;
