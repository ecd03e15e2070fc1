"""Sweeps."""

from __future__ import annotations

import os
import warnings

from . import _lasthop, _values
from ._cores import threads
from ._errors import Problem, ScenarioWarning
from ._html import table
from ._members import check_versions
from ._progress import reporter
from ._store import Store, StorePlace
from ._summary import Summarized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor
    from typing import Any

    from ._errors import FailedRun
    from ._source import ScenarioSource
    from ._table import Table

# The largest number of threads for classes in Python, which take turns.
MAX_PYTHON_THREADS = 64


class SweepResult(Summarized):
    """The result of a sweep.

    Attributes:
        json: What ``lasthop sweep --json`` prints: means with confidence intervals, and changes between cases.
        store: The store with its runs, and those of other sweeps.
        done: The number of runs made now.
        wanted: The number of runs of the sweep.
        failed: The runs that failed, with a class in Python or on an executor. The same call tries them again.
    """

    __slots__ = ("store", "done", "wanted", "failed", "_own")

    def __init__(
        self, json: str, store: Store, done: int, wanted: int, sweep: int, failed: Sequence[FailedRun] = ()
    ) -> None:
        super().__init__(json)
        self.store, self.done, self.wanted, self.failed = store, done, wanted, list(failed)
        self._own = Store(store.path, sweep)

    def table(self, name: str = "flows") -> Table:
        """As :meth:`Store.table`, of this sweep alone."""
        return self._own.table(name)

    def report(self, path: str | os.PathLike[str] | None = None, *, metrics: Sequence[str] = ()) -> str:
        """As :meth:`Store.report`, of this sweep alone."""
        return self._own.report(path, metrics=metrics)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each point, case and metric: the mean with the half-width of its 95 % interval, ``ci95_half_width``, and
        of several cases the change against the first one in percent, with ``change_percent_ci95_half_width``. None is a
        value that the runs do not give.

        >>> import lasthop as lh
        >>> swept = lh.Scenario.load("examples/snoop.toml").sweep(
        ...     compare={"scheme": ["unmodified", "snoop"]}, metrics=["goodput_bps"], replications=3)
        >>> [(row["case"], row["metric"], row["n"], row["change_percent"] is None) for row in swept.rows()]
        [('unmodified', 'goodput_bps', 3, True), ('snoop', 'goodput_bps', 3, False)]
        """
        return [_row(each) for each in self.summary]

    def __repr__(self) -> str:
        return f"<SweepResult: {self.wanted} runs, {self.done} made now, in {self.store!r}>"

    def _repr_html_(self) -> str:
        return table(self.rows())


def _row(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A row of :meth:`SweepResult.rows`."""

    def half(interval: list[float] | None) -> float | None:
        return None if interval is None else (interval[1] - interval[0]) / 2.0

    row = {**entry["point"], **{key: entry[key] for key in ("case", "subject", "metric", "unit", "n", "mean")}}
    against = entry["against_first"] or {}
    row["ci95_half_width"] = half(entry["ci"])
    row["change_percent"] = against.get("change_percent")
    row["change_percent_ci95_half_width"] = half(against.get("change_percent_ci"))
    return row


def run_sweep(
    scenario: ScenarioSource,
    store: str | os.PathLike[str] | None,
    jobs: int | None,
    executor: Executor | Callable[[], Executor] | None,
    retries: int,
    progress: bool | None,
) -> SweepResult:
    """Run a sweep of a scenario."""
    count = threads(jobs)
    # A client of Dask.
    of_client: Callable[[], Executor] | None = getattr(executor, "get_executor", None)
    if of_client is not None:
        executor = of_client()
    if executor is not None and not (hasattr(executor, "submit") or callable(executor)):
        raise _values.refused("executor", executor, "a concurrent.futures.Executor or a function that makes one")
    retries = _values.whole("retries", retries, 0, 2**31)
    failed: list[FailedRun] = []
    if scenario.classes:
        check_versions(scenario.classes)
        if executor is None:
            from concurrent.futures import ThreadPoolExecutor
            from functools import partial

            executor = partial(ThreadPoolExecutor, min(count, MAX_PYTHON_THREADS))
    with StorePlace(store) as place:
        with reporter(scenario.path, progress) as report:
            session = _lasthop.Session(scenario, place.path, report)
            if executor is None:
                session.run(count, report)
            else:
                from ._executor import Driver

                failed = Driver(session, executor, scenario, retries).run(report)
            json, done, wanted, sweep = session.result()
        for problem in session.warnings():
            warnings.warn(str(Problem(problem)), ScenarioWarning, stacklevel=3)
        if failed:
            warnings.warn(f"{len(failed)} of {wanted} runs failed and were skipped, such as {failed[0]}", stacklevel=3)
        return SweepResult(json, place.open(), done, wanted, sweep, failed)
