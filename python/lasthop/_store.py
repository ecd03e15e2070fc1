"""Stores and sweeps."""

from __future__ import annotations

import os

from . import _files, _lasthop, _values
from ._errors import LasthopError, Problem, ScenarioWarning
from ._progress import reporter
from ._summary import Summarized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor
    from types import TracebackType
    from typing import Any

    from numpy.typing import NDArray

    from ._errors import FailedRun
    from ._scenario import Scenario

# The largest number of threads for classes in Python, which take turns.
MAX_PYTHON_THREADS = 64
# The folder of a temporary store begins so.
TEMPORARY = "lasthop-sweep-"


class Table:
    """A table with units and definitions. polars, pandas, pyarrow and DuckDB read it without a copy, for it has the Arrow
    PyCapsule interface: ``polars.DataFrame(table)``.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _lasthop.Table) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._native.name

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _, _ in self._native.fields]

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column; empty for values without a unit."""
        return {name: unit for name, unit, _ in self._native.fields}

    @property
    def definitions(self) -> dict[str, str]:
        """What each column means."""
        return {name: definition for name, _, definition in self._native.fields}

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, column: str) -> list[Any]:
        values = self._native.column(_values.text("column", column, "the name of a column"))
        if values is None:
            raise KeyError(column)
        return values

    def array(self, column: str) -> NDArray[Any]:
        """The numbers of a column as a NumPy array, with NaN for missing ones.

        Raises:
            KeyError: There is no such column of numbers.
        """
        import numpy

        found = self._native.numbers(_values.text("column", column, "the name of a column"))
        if found is None:
            raise KeyError(column)
        values, integers = found
        return numpy.frombuffer(values, dtype=numpy.int64 if integers else numpy.float64)

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        names = self.columns
        columns = (self[name] for name in names)
        return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self)} rows, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        from ._html import table

        return table(self.rows())


class Store:
    """A file with the finished runs of sweeps, which the command and sweeps write.

    Args:
        path: The file.
        sweep: The number of the only sweep to look at; all by default.

    Raises:
        LasthopError: It does not exist, is no store, or is damaged.
    """

    __slots__ = ("path", "sweep", "_native", "__weakref__")

    def __init__(self, path: str | os.PathLike[str], sweep: int | None = None) -> None:
        self.path = _values.path("path", path)
        self.sweep = None if sweep is None else _values.whole("sweep", sweep, 0, 2**63 - 1)
        self._native = _lasthop.Store(self.path, self.sweep)

    def summaries(self) -> list[dict[str, Any]]:
        """The sweeps, the oldest first, each as ``lasthop sweep --json`` prints it."""
        import json

        summaries: list[dict[str, Any]] = json.loads(self._native.summaries())
        return summaries

    def tables(self) -> dict[str, Table]:
        """All tables by name: those that ``lasthop export`` writes."""
        return {table.name: Table(table) for table in self._native.tables()}

    def table(self, name: str = "flows") -> Table:
        """A table: flows, links, summary, media, stations, nodes or arrivals."""
        name = _values.text("table", name, "the name of a table")
        tables = self.tables()
        if name not in tables:
            raise LasthopError(f'found "{name}", expected a table of the store: {", ".join(tables)}')
        return tables[name]

    def export(
        self, folder: str | os.PathLike[str], *formats: str, metrics: Sequence[str] = ()
    ) -> list[str]:
        """Write files, as ``lasthop export``: csv, parquet, json, latex or gnuplot. Return their paths."""
        names = _values.texts("metrics", metrics, "a list of names of metrics")
        kinds = _values.texts("formats", formats or ("csv",), "names of formats")
        return [os.fspath(path) for path in self._native.export(_values.path("folder", folder), kinds, names)]

    def report(self, path: str | os.PathLike[str] | None = None, *, metrics: Sequence[str] = ()) -> str:
        """The report of ``lasthop report --no-budget`` as HTML, written to ``path`` if given."""
        names = _values.texts("metrics", metrics, "a list of names of metrics")
        html = self._native.report(os.fsencode(os.path.basename(self.path)).decode(errors="replace"), names)
        if path is not None:
            _files.write(path, html)
        return html

    def __repr__(self) -> str:
        return "<temporary Store>" if _is_temporary(self.path) else f"<Store {self.path}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.path, self.sweep)


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
        from ._html import table

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
    scenario: Scenario,
    store: str | os.PathLike[str] | None,
    jobs: int | None,
    executor: Executor | Callable[[], Executor] | None,
    retries: int,
    progress: bool | None,
) -> SweepResult:
    """Run a sweep of a scenario."""
    import warnings

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
        from ._members import check_versions

        check_versions(scenario.classes)
        if executor is None:
            from concurrent.futures import ThreadPoolExecutor
            from functools import partial

            executor = partial(ThreadPoolExecutor, min(count, MAX_PYTHON_THREADS))
    with place_of_store(store) as place:
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


def threads(jobs: int | None) -> int:
    """The number of threads for ``jobs``."""
    return cores() if jobs is None else _values.whole("jobs", jobs, 1, 2**31)


class place_of_store:
    """The place of a store: a path, or a temporary folder, which exists as long as the store is open. An exception
    removes the folder."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.folder: str | None = None
        if path is not None:
            self.path = _values.path("store", path)
            return
        import tempfile

        try:
            self.folder = tempfile.mkdtemp(prefix=TEMPORARY)
        except OSError as error:
            _files.failed("store", error)
        self.path = os.path.join(self.folder, "sweep.sqlite")

    def open(self) -> Store:
        """The store."""
        store = Store(self.path)
        if self.folder is not None:
            import weakref

            weakref.finalize(store, _remove, self.folder, os.getpid())
        return store

    def remove(self) -> None:
        """Remove a temporary store."""
        if self.folder is not None:
            _remove(self.folder, os.getpid())

    def __enter__(self) -> place_of_store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.remove()


def _remove(folder: str, process: int) -> None:
    """Remove a folder, unless this is a fork of the process that made it."""
    import shutil

    if os.getpid() == process:
        shutil.rmtree(folder, True)


def _is_temporary(path: str) -> bool:
    """Whether a store was made in a temporary folder."""
    return os.path.basename(os.path.dirname(path)).startswith(TEMPORARY)


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
