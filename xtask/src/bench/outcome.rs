//! Output of a benchmark run.

/// The counts that a program prints at the end of a run.
#[derive(PartialEq, Debug)]
pub struct PeerOutcome {
    /// Number of distinct data packets that arrived.
    pub delivered: u64,
    /// Number of simulation events; `None` if the program does not count them.
    pub events: Option<u64>,
}
