//! Runs the replications on several threads.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use sim::Network;

use super::bins::{BinCounter, BinGrid};
use super::{SteadyError, Watch};
use crate::run::run_into_sink;

/// The interval of the progress callback while no replication finishes.
const PATIENCE: Duration = Duration::from_millis(100);

/// Bytes by replication, by flow of `watched`, by bin.
pub(super) fn run_replications(
    network: &Network,
    watched: &[(usize, BinGrid)],
    replications: u64,
    jobs: usize,
    watch: Watch<'_>,
) -> Result<Vec<Vec<Vec<u64>>>, SteadyError> {
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let mut done = BTreeMap::new();
    thread::scope(|scope| {
        let (send, results) = mpsc::channel();
        // More threads than replications would have no work.
        for _ in 0..jobs.clamp(1, usize::try_from(replications).unwrap_or(usize::MAX).max(1)) {
            let (send, next, stop) = (send.clone(), &next, &stop);
            scope.spawn(move || {
                loop {
                    let replication = next.fetch_add(1, Ordering::Relaxed);
                    if replication >= replications || stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let network = Network { replication, ..network.clone() };
                    let mut arrivals = BinCounter::new(network.flows.len(), watched);
                    let mut go_on = |_| {
                        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                    };
                    // The run was cancelled. A run without outputs cannot fail for another reason.
                    let Ok(_) = run_into_sink(&network, &mut arrivals, |_| false, &mut go_on) else { break };
                    // Sending fails only if the work was cancelled, and then the result is not needed.
                    let _ = send.send((replication, arrivals.finish(watched)));
                }
            });
        }
        drop(send);
        loop {
            match results.recv_timeout(PATIENCE) {
                Ok((replication, series)) => drop(done.insert(replication, series)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            }
            if watch(done.len() as u64).is_break() {
                stop.store(true, Ordering::Relaxed);
                break Err(SteadyError::Interrupted);
            }
        }
    })?;
    // The results are in the order of replications, not of completion.
    Ok(done.into_values().collect())
}
