//! Runs a sweep on all cores. The results are the same for any number of jobs.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use sim::Network;

use super::progress::ask_to_continue;
pub use super::progress::{Shard, SweepError, Tally, Watch};
use super::{Plan, SweepCell, SweepSession, Task};
use crate::run::{RunError, Titled, summarize_run};
use crate::store::{Store, StoreError};

/// The interval of the progress callback while no run finishes.
const PATIENCE: Duration = Duration::from_millis(100);
/// Maximum number of threads. More threads than cores have no advantage, and each has its own stack.
const MAX_WORKERS: usize = 1024;

/// Executes the runs that `store` does not have.
pub fn run_sweep(
    plan: &Plan,
    store: &mut Store,
    jobs: usize,
    shard: Shard,
    watch: Watch<'_>,
) -> Result<Tally, SweepError> {
    let mut session = SweepSession::open(plan, store, shard, watch)?;
    complete_session(&mut session, plan, store, jobs, watch)
}

/// Executes the missing runs of an open session on `jobs` threads.
pub fn complete_session(
    session: &mut SweepSession,
    plan: &Plan,
    store: &Store,
    jobs: usize,
    watch: Watch<'_>,
) -> Result<Tally, SweepError> {
    loop {
        run_missing_tasks(plan, store, jobs, session, watch)?;
        if !session.next_round(plan, store, watch)? {
            return Ok(session.tally());
        }
    }
}

/// Runs the missing replications on `jobs` threads and stores each result.
fn run_missing_tasks(
    plan: &Plan,
    store: &Store,
    jobs: usize,
    session: &mut SweepSession,
    watch: Watch<'_>,
) -> Result<(), SweepError> {
    let SweepSession { lanes, missing, tally, .. } = session;
    if missing.count == 0 {
        return Ok(());
    }
    let seen = store.again()?;
    let todo = Mutex::new(Todo { tasks: lanes.tasks(missing.among.clone()), store: seen, from_back: false });
    let workers = jobs.clamp(1, MAX_WORKERS).min(usize::try_from(missing.count).unwrap_or(MAX_WORKERS));
    let (stop, delays) = (AtomicBool::new(false), store.measures_delays());
    thread::scope(|scope| {
        let (send, results) = mpsc::channel();
        let mut threads = Vec::new();
        for _ in 0..workers {
            let (send, todo, stop) = (send.clone(), &todo, &stop);
            let work = move || run_worker(plan, todo, stop, delays, &send);
            if threads.is_empty() {
                threads.push(scope.spawn(work));
                continue;
            }
            // The system may refuse more threads; the existing threads do all the work.
            let Ok(thread) = thread::Builder::new().spawn_scoped(scope, work) else { break };
            threads.push(thread);
        }
        drop(send);
        let outcome = loop {
            match results.recv_timeout(PATIENCE) {
                Ok(Ok((task, text))) => {
                    if let Err(error) = store.keep(task.digest, task.replication, &text) {
                        break Err(error.into());
                    }
                    tally.done += 1;
                }
                Ok(Err(error)) => break Err(SweepError::Store(error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            }
            if let Err(enough) = ask_to_continue(watch, *tally) {
                break Err(enough);
            }
        };
        stop.store(true, Ordering::Relaxed);
        let outcome = match outcome {
            // Runs that other threads had finished by that time are stored too.
            Err(SweepError::Interrupted(_)) => {
                let rest = results.iter().flatten().try_for_each(|(task, text)| {
                    store.keep(task.digest, task.replication, &text)?;
                    tally.done += 1;
                    Ok(())
                });
                rest.and(Err(SweepError::Interrupted(*tally)))
            }
            outcome => outcome,
        };
        // Joined, not detached: glibc may access memory that a detached thread has already released.
        for thread in threads {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        outcome
    })
}

/// The remaining runs.
struct Todo<T> {
    tasks: T,
    /// The connection to the database, which shows the runs that other processes have finished. All threads share one
    /// connection, because a query takes far less time than a run, and file handles are limited.
    store: Store,
    from_back: bool,
}

impl<T: DoubleEndedIterator<Item = Task>> Todo<T> {
    /// The next unfinished run, until the stop flag is set.
    fn next(&mut self, stop: &AtomicBool) -> Result<Option<Task>, StoreError> {
        while !stop.load(Ordering::Relaxed) {
            let next = if self.from_back { self.tasks.next_back() } else { self.tasks.next() };
            let Some(task) = next else { break };
            if !self.store.has(task.digest, task.replication)? {
                return Ok(Some(task));
            }
            // Another program started the same sweep earlier. Continue from the other end.
            self.from_back = !self.from_back;
        }
        Ok(None)
    }
}

fn run_worker<T: DoubleEndedIterator<Item = Task>>(
    plan: &Plan,
    todo: &Mutex<Todo<T>>,
    stop: &AtomicBool,
    delays: bool,
    send: &Sender<Result<(Task, String), StoreError>>,
) {
    loop {
        let next = todo.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next(stop);
        let task = match next {
            Ok(Some(task)) => task,
            Ok(None) => break,
            Err(error) => {
                let _ = send.send(Err(error));
                break;
            }
        };
        let mut watch =
            |_| if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        // The run was cancelled. A run without outputs cannot fail for another reason.
        let Ok(text) = run_replication(plan.cell(task.cell), task.replication, delays, &mut watch) else { break };
        // The receiver is closed when the sweep was cancelled.
        let _ = send.send(Ok((task, text)));
    }
}

/// Runs a replication of a cell; returns the summary that a store keeps.
///
/// # Errors
/// The callback cancels.
pub(super) fn run_replication(
    cell: &SweepCell,
    replication: u64,
    delays: bool,
    watch: crate::run::Watch<'_>,
) -> Result<String, RunError> {
    let network = Network { replication, ..cell.network.clone() };
    let run = Titled { title: "", scenario: &cell.scenario, network: &network };
    Ok(summarize_run(run, delays, watch)?.to_compact_json())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::ops::Range;

    use super::*;
    use crate::load::{self, Overrides};
    use crate::store::Digest;
    use crate::sweep::lanes::{Lanes, RunPosition};
    use scenario::sweep::Replications;

    /// Returns a plan with two sizes over three kinds of lossy channel and over a perfect channel, on which the kind
    /// has no effect.
    fn plan(replications: &str) -> Plan {
        let text = format!(
            r#"title = "Shared cells"
duration = "1 s"
[nodes]
server = {{ kind = "host" }}
station = {{ kind = "base-station" }}
mobile = {{ kind = "host" }}
[links.wire]
kind = "wired"
between = ["server", "station"]
rate = "8 Mbps"
delay = "1 ms"
[links.air]
kind = "wireless"
between = ["station", "mobile"]
rate = "1 Mbps"
delay = "1 ms"
arq = "stop-and-wait"
channel = {{ kind = "two-state", mean_good = "500 ms", mean_bad = "100 ms" }}
[flows.up]
from = "mobile"
to = "server"
bytes = "2 kB"
[sweep]
replications = {replications}
axes.flows.up.bytes = ["2 kB", "3 kB"]
axes.links.air.channel.mean_bad = ["100 ms", "200 ms", "300 ms"]
[sweep.compare]
bad = {{}}
clear = {{ links.air.channel = "perfect" }}
"#
        );
        let source = load::of_text("s".into(), "s.toml".into(), text.as_bytes(), &Overrides::default());
        source.and_then(|source| Plan::of(&source)).unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    fn go_on(_: Tally) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The runs unit by unit, as the shards are defined.
    fn listed(plan: &Plan, shard: Shard) -> HashSet<(u64, Digest)> {
        let points = plan.points.len() as u64;
        let units =
            (0..plan.replications().0).flat_map(|replication| (0..points).map(move |point| (replication, point)));
        let fixed = matches!(plan.replications, Replications::Fixed(_));
        let of_shard = units.filter(|(replication, point)| {
            let unit = point + if fixed { replication * points } else { 0 };
            unit % shard.count == shard.index - 1
        });
        let cells = |point: u64| plan.points[point as usize].cells.iter();
        of_shard.flat_map(|(replication, point)| cells(point).map(move |cell| (replication, cell.digest))).collect()
    }

    #[test]
    fn every_run_of_a_shard_occurs_once_in_order_of_replication() {
        for replications in ["7", "{ precision = 0.1, min = 5, max = 9 }"] {
            let plan = plan(replications);
            for count in [1, 2, 3, 4, 5, 7, 100, u64::MAX] {
                for index in 1..=count.min(8) {
                    let shard = Shard { index, count };
                    let (_dir, store) = Store::scratch();
                    let mut lanes = Lanes::of(&plan, shard);
                    let mut tally = Tally::default();
                    let missing = lanes.look_up(&store, &mut tally, &mut go_on).unwrap();
                    let expected = listed(&plan, shard);
                    assert_eq!((tally.wanted, missing.count), (expected.len() as u64, expected.len() as u64));
                    if missing.count == 0 {
                        continue;
                    }
                    let tasks: Vec<_> = lanes.tasks(missing.among.clone()).collect();
                    assert!(tasks.is_sorted_by_key(|task| task.replication));
                    assert_eq!(tasks.len(), expected.len());
                    let found = tasks.iter().map(|task| (task.replication, task.digest)).collect::<HashSet<_>>();
                    assert_eq!(found, expected, "{shard:?}");
                    let mut next = RunPosition::default();
                    let by_cell: Vec<_> = std::iter::from_fn(|| lanes.next_missing(&mut next))
                        .map(|task| (task.replication, task.digest))
                        .collect();
                    assert_eq!(by_cell.len(), expected.len());
                    assert!(by_cell.chunk_by(|one, next| one.1 == next.1).all(|runs| runs.is_sorted()));
                    assert_eq!(by_cell.into_iter().collect::<HashSet<_>>(), expected, "{shard:?}");
                }
            }
        }
    }

    #[test]
    fn missing_replications_between_stored_ones_are_run() {
        let plan = plan("6");
        let (_dir, mut store) = Store::scratch();
        let digest = plan.points[0].cells[0].digest;
        for replication in [0, 2, 3, 5, 9] {
            store.keep(digest, replication, "{}").unwrap();
        }
        assert_eq!(store.finished_ranges(digest, 0..6).unwrap(), [0..1, 2..4, 5..6]);
        assert_eq!(store.finished_ranges(digest, 3..10).unwrap(), [3..4, 5..6, 9..10]);
        let tally = run_sweep(&plan, &mut store, 2, Shard::WHOLE, &mut go_on).unwrap();
        // Six cells over the lossy channels, and two over the perfect one.
        assert_eq!(tally, Tally { wanted: 48, found: 4, done: 44 });
        assert_eq!(store.finished_ranges(digest, 0..6).unwrap(), vec![Range { start: 0, end: 6 }]);
    }

    /// The cancellation takes effect long before the last of a million runs is looked up.
    #[test]
    fn callback_can_cancel_before_the_first_run() {
        let plan = plan("1000000");
        let (_dir, mut store) = Store::scratch();
        let mut asked = 0;
        let outcome = run_sweep(&plan, &mut store, 1, Shard::WHOLE, &mut |_| {
            asked += 1;
            if asked == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let Err(SweepError::Interrupted(tally)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(tally, Tally { wanted: 8_000_000, found: 0, done: 0 });
    }

    #[test]
    fn any_number_of_jobs_completes_the_sweep() {
        let plan = plan("300");
        let (_dir, mut store) = Store::scratch();
        let tally = run_sweep(&plan, &mut store, usize::MAX, Shard::WHOLE, &mut go_on).unwrap();
        assert_eq!(tally, Tally { wanted: 2400, found: 0, done: 2400 });
        let again = run_sweep(&plan, &mut store, usize::MAX, Shard::WHOLE, &mut |_| panic!("nothing is left to watch"));
        // Two thousand runs, fewer than one look-up covers.
        assert_eq!(again.unwrap(), Tally { wanted: 2400, found: 2400, done: 0 });
    }

    /// No data arrives in a millisecond. Therefore the maximum is requested in one step.
    #[test]
    fn metric_without_values_requests_the_maximum_of_replications_at_once() {
        let mut plan = plan("{ precision = 0.05, min = 2, max = 200 }");
        for cell in plan.points.iter_mut().flat_map(|point| &mut point.cells) {
            cell.network.duration = engine::Span::from_millis(1);
        }
        let (_dir, mut store) = Store::scratch();
        let mut wanted = Vec::new();
        let tally = run_sweep(&plan, &mut store, 2, Shard::WHOLE, &mut |tally| {
            wanted.push(tally.wanted);
            ControlFlow::Continue(())
        });
        assert_eq!(tally.unwrap(), Tally { wanted: 1600, found: 0, done: 1600 });
        wanted.dedup();
        assert_eq!(wanted, [16, 1600]);
        assert_eq!(super::super::precise::requested_replications(&plan, &store).unwrap(), [200; 6]);
    }
}
