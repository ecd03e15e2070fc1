"""Sweeps on any ``concurrent.futures.Executor``."""

from __future__ import annotations

import time
from collections import deque
from concurrent.futures import (
    FIRST_COMPLETED, BrokenExecutor, CancelledError, ProcessPoolExecutor, ThreadPoolExecutor, wait
)
from pickle import PicklingError
from threading import Lock, get_ident
from typing import cast

from . import _lasthop, _values
from ._errors import FailedRun, LasthopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor, Future
    from pathlib import Path
    from typing import Any

    from ._members import Class
    from ._source import ScenarioSource

    Files = dict[Path, bytes]
    # The numbers of its point, case and replication.
    Run = tuple[int, int, int]
    Outcomes = list[tuple[str | None, str | None]]

# Time that a batch should take: far more than an engine needs for a task. Dask with two local workers needs 0.3 to 1.9 ms,
# and 11 ms until the result is back (measured with 1,000 empty tasks).
BATCH_SECONDS = 1.0
# Dask has lost tasks when their workers were killed. All batches in flight are submitted again if no result arrives for
# this time and for 20 times the time of the longest batch so far. Each wait is twice as long as the previous one.
STALL_SECONDS = 60.0
# Runs of the first batches, before the time of a run is known.
FIRST_RUNS = 4
MAX_RUNS = 10_000
# Number of workers that is assumed if the executor does not state it.
UNKNOWN_WORKERS = 16


def run_batch(batch: str, path: str, files: Files, classes: list[Class]) -> tuple[float, Outcomes]:
    """Make the runs of a batch in this process; return the seconds that it took, and the outcomes."""
    began = time.monotonic()
    outcomes = _lasthop.run_batch(batch, path, files, classes)
    return time.monotonic() - began, outcomes


class Threads:
    """Batches in threads, which call classes in Python: an interrupt raises ``KeyboardInterrupt`` in the classes."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.running: set[int] = set()
        self.stopped = False

    def run(self, *given: Any) -> tuple[float, Outcomes]:
        """As :func:`run_batch`."""
        with self.lock:
            if self.stopped:
                raise CancelledError
            self.running.add(get_ident())
        try:
            return run_batch(*given)
        finally:
            with self.lock:
                self.running.discard(get_ident())

    def interrupt(self) -> None:
        """End the batches that run."""
        with self.lock:
            self.stopped = True
            if self.running:
                import ctypes

                for thread in self.running:
                    exception = ctypes.py_object(KeyboardInterrupt)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)


def check_importable(classes: list[Class]) -> None:
    """Refuse a class that another process cannot import."""
    import pickle

    for each in classes:
        try:
            pickle.dumps(each.cls)
        except Exception as error:
            raise LasthopError(
                f"{each.cls.__qualname__} cannot be sent to another process: {error}\n"
                "  hint: define it at the top of a module that the workers can import, or use threads"
            ) from error


def shut_down(executor: Executor) -> None:
    """End an executor without waiting for it."""
    try:
        executor.shutdown(wait=False, cancel_futures=True)
    except TypeError:
        # loky's has no such argument.
        executor.shutdown(wait=False)


class _Batch:
    """Runs that are submitted together.

    Attributes:
        failures: How often they have failed.
        breaks: How often they were in flight with others when a pool broke.
    """

    __slots__ = ("runs", "failures", "breaks")

    def __init__(self, runs: list[Run], failures: int = 0) -> None:
        self.runs, self.failures, self.breaks = runs, failures, 0


class Driver:
    """Submits what a sweep lacks, stores the results, and repeats what was lost.

    Only this process writes the store, so a result that arrives twice is stored once. A batch that fails is repeated, and
    then halved, until the run is found that makes it fail.
    """

    def __init__(
        self,
        session: _lasthop.Session,
        executor: Executor | Callable[[], Executor],
        scenario: ScenarioSource,
        retries: int,
    ) -> None:
        self.session, self.path, self.classes, self.retries = session, scenario.path, scenario.classes, retries
        self.files = session.files()
        self.make: Callable[[], Executor] | None = None
        # A class of executors also makes them.
        if isinstance(executor, type) or not hasattr(executor, "submit"):
            self.make = cast("Callable[[], Executor]", executor)
            executor = self.made()
        self.executor = cast("Executor", executor)
        if self.classes and not isinstance(self.executor, ThreadPoolExecutor):
            check_importable(self.classes)
        self.threads = Threads() if self.classes and isinstance(self.executor, ThreadPoolExecutor) else None
        self.pending: dict[Future[tuple[float, Outcomes]], _Batch] = {}
        self.again: deque[_Batch] = deque()
        # Batches in flight each time that a pool broke, one of which may have broken it. They are repeated one at a
        # time.
        self.suspects: deque[_Batch] = deque()
        self.failed: list[FailedRun] = []
        self.per_run: float | None = None
        # Pools of this machine report that they are broken.
        self.may_lose = not isinstance(self.executor, (ThreadPoolExecutor, ProcessPoolExecutor))
        self.longest = 0.0
        self.patience = STALL_SECONDS
        self.heard = time.monotonic()

    def run(self, report: Callable[..., object] | None) -> list[FailedRun]:
        """Run the sweep to its end; return the runs that failed."""
        try:
            while True:
                while self.submit_next():
                    pass
                if not self.pending:
                    if self.session.next_round():
                        continue
                    return self.failed
                done, _ = wait(self.pending, timeout=0.2, return_when=FIRST_COMPLETED)
                self.collect(done)
                if done:
                    self.heard = time.monotonic()
                elif self.stalled():
                    self.submit_again()
                if report is not None:
                    report(*self.session.progress())
        finally:
            self.stop()

    def stalled(self) -> bool:
        """Whether the executor seems to have lost what is in flight."""
        if not self.may_lose:
            return False
        return time.monotonic() - self.heard > max(self.patience, 20.0 * self.longest)

    def submit_again(self) -> None:
        """Submit again what is in flight, and wait longer the next time."""
        for future, batch in self.pending.items():
            future.cancel()
            self.again.append(batch)
        self.pending.clear()
        self.patience *= 2.0
        self.heard = time.monotonic()

    def limit(self) -> int:
        """The number of batches in flight: enough that no worker waits for this process."""
        workers = getattr(self.executor, "_max_workers", None)
        client = getattr(self.executor, "_client", None)
        if workers is None and client is not None:
            workers = sum(client.ncores().values())
        return 2 * (workers or UNKNOWN_WORKERS) + 2

    def submit_next(self) -> bool:
        """Submit a batch; False if there is none, or enough are in flight."""
        if self.suspects:
            return not self.pending and self.submit(self.suspects.popleft())
        if len(self.pending) >= self.limit():
            return False
        if self.again:
            return self.submit(self.again.popleft())
        runs = self.session.take(self.batch_size())
        return bool(runs) and self.submit(_Batch(runs))

    def batch_size(self) -> int:
        if self.threads is not None:
            # An interrupt ends a run, not the rest of a batch.
            return 1
        if self.per_run is None:
            return FIRST_RUNS
        return max(1, min(MAX_RUNS, round(BATCH_SECONDS / max(self.per_run, 1e-9))))

    def submit(self, batch: _Batch) -> bool:
        given = (self.session.batch(batch.runs), self.path, self.files, self.classes)
        run: Callable[..., tuple[float, Outcomes]] = run_batch if self.threads is None else self.threads.run
        try:
            future = self.executor.submit(run, *given)
        except (BrokenExecutor, RuntimeError) as error:
            self.replace(error)
            future = self.executor.submit(run, *given)
        self.pending[future] = batch
        return True

    def replace(self, error: BaseException) -> None:
        """Make a new executor instead of one that is broken."""
        if self.make is None:
            raise LasthopError(
                f"the executor no longer works: {error}\n  hint: finished runs are stored, and the same call continues; "
                "executor=FUNCTION, which makes an executor, survives the loss of a worker"
            ) from error
        shut_down(self.executor)
        self.executor = self.made()

    def made(self) -> Executor:
        """A new executor."""
        assert self.make is not None
        executor = self.make()
        if not hasattr(executor, "submit"):
            raise _values.refused("executor", executor, "a function that makes a concurrent.futures.Executor")
        return executor

    def collect(self, done: set[Future[tuple[float, Outcomes]]]) -> None:
        alone = len(self.pending) == 1
        broken: BaseException | None = None
        for future in done:
            batch = self.pending[future]
            try:
                seconds, outcomes = future.result()
            except LasthopError:
                raise
            except PicklingError as error:
                raise LasthopError(f"a batch cannot be sent to the executor: {error}") from error
            except BrokenExecutor as error:
                broken = error
                if alone:
                    self.repeat(batch, error)
                else:
                    self.suspect(batch)
            except (Exception, CancelledError) as error:
                self.repeat(batch, error)
            else:
                self.per_run = seconds / len(batch.runs)
                self.longest = max(self.longest, seconds)
                for run, why in self.keep(batch, outcomes):
                    self.repeat(_Batch([run], batch.failures), RuntimeError(why))
            # The future is not removed earlier, because futures that remain after an interrupt are stored at the end.
            del self.pending[future]
        if broken is not None:
            for batch in self.pending.values():
                self.suspect(batch)
            self.pending.clear()
            self.replace(broken)

    def suspect(self, batch: _Batch) -> None:
        """Repeat a batch that was in flight when the pool broke; alone, if that has happened often."""
        batch.breaks += 1
        (self.again if batch.breaks <= self.retries else self.suspects).append(batch)

    def keep(self, batch: _Batch, outcomes: Outcomes) -> list[tuple[Run, str | None]]:
        """Store the finished runs of a batch; return the others with their errors."""
        outcome = list(zip(batch.runs, outcomes, strict=True))
        self.session.keep([(run, summary) for run, (summary, _) in outcome if summary is not None])
        return [(run, error) for run, (summary, error) in outcome if summary is None]

    def repeat(self, batch: _Batch, error: BaseException) -> None:
        """Repeat a batch that failed, or its halves; a single run that has failed often enough is skipped."""
        batch.failures += 1
        if batch.failures <= self.retries:
            self.again.append(batch)
        elif len(batch.runs) > 1:
            half = len(batch.runs) // 2
            self.again.extend(_Batch(runs, self.retries) for runs in (batch.runs[:half], batch.runs[half:]))
        else:
            text = str(error) or type(error).__name__
            self.failed.append(FailedRun(self.session.describe(batch.runs[0]), text))

    def stop(self) -> None:
        """Store what has finished, and cancel the rest."""
        try:
            for future, batch in self.pending.items():
                if future.done() and not future.cancelled() and future.exception() is None:
                    self.keep(batch, future.result()[1])
                else:
                    future.cancel()
        finally:
            # The futures are cancelled also if nothing more can be stored.
            for future in self.pending:
                future.cancel()
            self.pending.clear()
            if self.threads is not None:
                self.threads.interrupt()
            if self.make is not None:
                shut_down(self.executor)
                if self.threads is not None:
                    # No thread may call a class while the interpreter ends.
                    self.executor.shutdown(wait=True)
