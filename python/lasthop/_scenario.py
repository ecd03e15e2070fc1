"""Scenarios, their runs and comparisons of their schemes: each refers to the others."""

from __future__ import annotations

import os

from . import _lasthop, _values
from ._changes import sweep_changes
from ._comparison import run_comparison
from ._errors import LasthopError
from ._html import table
from ._picture import Look, Picture, Pictures
from ._progress import reporter
from ._source import ScenarioSource
from ._summary import Summarized
from ._sweep import run_sweep
from ._table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor
    from typing import Any

    from ._store import Store
    from ._sweep import SweepResult


class Scenario(ScenarioSource):
    """A scenario: a text in TOML, or in the thesis's language, with changes. It does not change; methods return new ones.

    Args:
        text: The scenario.
        name: Its name in messages and results; a path, if it names files beside it.
        files: Contents of files that it names, such as recordings.

    >>> import lasthop as lh
    >>> one_link = lh.Scenario('''
    ... duration = "10 s"
    ... nodes = { a = { kind = "host" }, b = { kind = "host" } }
    ... links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms" }
    ... flows.flow = { from = "a", to = "b", bytes = "100 kB" }
    ... ''')
    >>> run = one_link.set("links.wire.rate", "4 Mbps").run()
    >>> run.flows[0]["completed"], round(run.flows[0]["completion_time_s"], 2)
    (True, 0.74)
    """

    __slots__ = ()

    def run(
        self,
        *,
        seed: int | None = None,
        traces: Sequence[str] = (),
        delays: bool = True,
        progress: bool | None = None,
    ) -> Run:
        """Run the scenario once.

        Args:
            seed: As :meth:`with_seed`.
            traces: Names from ``lasthop list traces``, or ``["all"]``.
            delays: Measure delays, which takes up to half of the time of a run without traces.
            progress: Show a progress bar; by default if the run takes more than a second.

        Raises:
            LasthopError: The scenario is wrong.
        """
        scenario = self if seed is None else self.with_seed(seed)
        traces = _values.texts("traces", traces, "a list of names of traces")
        scenario._warn()
        with reporter(scenario.path, progress) as report:
            summary, files = _lasthop.run(scenario, traces, bool(delays), report)
        return Run(scenario, summary, files)

    def explain(self, *, flow: str | None = None, top: int = 20, progress: bool | None = None) -> list[dict[str, Any]]:
        """Explain where the time of each flow over TCP went: what ``lasthop explain --json`` prints.

        Args:
            flow: The flow; by default all.
            top: The number of single findings.
        """
        import json

        top = _values.whole("top", top, 0, 2**63 - 1)
        flow = None if flow is None else _values.text("flow", flow, "the name of a flow")
        with reporter(self.path, progress) as report:
            explained: list[dict[str, Any]] = json.loads(_lasthop.explained(self, flow, top, report))
        return explained

    def plot(
        self,
        *flows: str,
        medium: str | None = None,
        schemes: Sequence[str] = (),
        start: str | float | None = None,
        end: str | float | None = None,
        panels: Sequence[str] = (),
        segments: bool = False,
        blocked: bool = False,
        dark: bool = False,
        size: tuple[int, int] | None = None,
        together: bool = False,
        progress: bool | None = None,
    ) -> Pictures:
        """Draw the flows and the media of a run, a picture each, as ``lasthop plot``.

        Args:
            flows: The flows to draw, or ``"all"``; then no medium is drawn, unless it is named, too.
            medium: The medium to draw, or ``"all"``; then no flow is drawn, unless it is named, too.
            schemes: Names from ``lasthop list schemes``. A picture of each flow shows the runs with these schemes one
                below the other, on the same axes.
            start, end: The part to draw, in seconds or with a unit, such as ``"1.2 s"``.
            panels: Names from ``lasthop plot --help``.
            segments: Count segments instead of bytes.
            blocked: Show why the sender was blocked.
            dark: Light lines on dark ground.
            size: Width and height of the SVG.
            together: Draw one picture of the goodput of all flows.

        >>> import lasthop as lh
        >>> snoop = lh.Scenario.load("examples/snoop.toml")
        >>> [picture.name for picture in snoop.plot(schemes=["unmodified", "snoop"], end="2 s")]
        ['download.compared.to-2s']
        """
        schemes = _values.texts("schemes", schemes, "a list of names")
        look = Look(
            flows, medium=medium, start=start, end=end, panels=panels, segments=segments, blocked=blocked, dark=dark,
            size=size, together=together,
        )
        with reporter(self.path, progress) as report:
            return Pictures(Picture(*drawn) for drawn in _lasthop.pictures(self, look, schemes, report))

    def topology(self, *, dark: bool = False, size: tuple[int, int] | None = None) -> Picture:
        """Draw the network, as ``lasthop plot --topology``: nodes, links, media and flows.

        Args:
            dark: Light lines on dark ground.
            size: Width and height of the SVG.
        """
        return Picture(*_lasthop.topology(self, Look(dark=dark, size=size)))

    def sweep(
        self,
        *,
        axes: Mapping[str, Sequence[object]] | None = None,
        compare: Mapping[str, Sequence[object]] | None = None,
        cases: Mapping[str, Mapping[str, object]] | None = None,
        replications: int | None = None,
        metrics: Sequence[str] | None = None,
        store: str | os.PathLike[str] | None = None,
        jobs: int | None = None,
        executor: Executor | Callable[[], Executor] | None = None,
        retries: int = 2,
        progress: bool | None = None,
    ) -> SweepResult:
        """Run every point, case and replication that the store does not have yet, on all cores.

        Args:
            axes: Keys with their values, instead of the scenario's own axes: every combination is a point.
            compare: Keys with the values to compare on the same random numbers, instead of the scenario's own cases: every
                combination is a case.
            cases: Names of cases with their keys and values, compared like those of ``compare`` and instead of them, such
                as ``{"snoop": {"scheme": "snoop"}, "late": {"scheme": "snoop", "links.wire.delay": "90 ms"}}``.
            replications: Runs of each point and case; by default those of the scenario.
            metrics: Names from ``lasthop list metrics``.
            store: The file for finished runs, which are not repeated; by default a temporary one.
            jobs: The number of threads; by default one for each core.
            executor: Where to make the runs instead of in threads: a ``concurrent.futures.Executor``, such as a
                ``ProcessPoolExecutor`` or Dask's ``client.get_executor()``, or a function that makes one, which is
                called again after a worker died and broke the pool. This process alone writes the store.
            retries: How often an executor repeats a run that failed, before it is skipped and reported in ``failed``.

        Ctrl-C keeps all finished runs.
        """
        other = self._copy()
        other.changes += sweep_changes(axes, compare, cases, replications, metrics)
        return run_sweep(other, store, jobs, executor, retries, progress)

    def compare(
        self,
        *,
        schemes: Sequence[str] = (),
        replications: int = 10,
        store: str | os.PathLike[str] | None = None,
        jobs: int | None = None,
        progress: bool | None = None,
    ) -> Comparison:
        """Compare schemes on this scenario's network and the same channel states, as ``lasthop compare``.

        Args:
            schemes: Names from ``lasthop list schemes``; by default those of the scenario and unmodified, or all.
            replications: Runs of each scheme.
            store: The file for finished runs, which are not repeated; by default a temporary one.
            jobs: The number of threads; by default one for each core.

        >>> import lasthop as lh
        >>> found = lh.Scenario.load("examples/snoop.toml").compare(replications=2)
        >>> [row["scheme"] for row in found.rows()]
        ['unmodified', 'snoop']
        """
        json, kept, done = run_comparison(self, (), schemes, (), replications, store, jobs, progress)
        return Comparison(json, kept, done, self)

    def __repr__(self) -> str:
        options = [f"{name}={value}" for name, value in (("scheme", self.scheme), ("seed", self.seed)) if value is not None]
        changes = "".join(f", {change}" for change in [*self.changes, *options])
        return f"<Scenario {self.path}{changes}>"


class Run(Summarized):
    """The result of a run.

    Attributes:
        scenario: The scenario that ran.
        json: The summary, as ``lasthop run --json`` prints it; ``lasthop schema summary`` describes its fields.
        files: The traces, by file name.
    """

    __slots__ = ("scenario", "files")

    def __init__(self, scenario: Scenario, json: str, files: dict[str, bytes]) -> None:
        super().__init__(json)
        self.scenario = scenario
        self.files = files

    @property
    def flows(self) -> list[dict[str, Any]]:
        """The flows, with times in seconds (``_s``), rates in bits per second (``_bps``), and counts."""
        flows: list[dict[str, Any]] = self.summary["flows"]
        return flows

    def trace(self, name: str) -> bytes:
        """A trace by the name of its file, or by a part of it that only one file has.

        Raises:
            LasthopError: No file or several have this name.
        """
        return self.files[self._file(name)]

    def _file(self, name: str) -> str:
        name = _values.text("trace", name, "the name of a trace")
        found = [name] if name in self.files else [file for file in self.files if name in file]
        if len(found) != 1:
            known = ", ".join(found or self.files) or "none: run(traces=[...]) writes them"
            raise LasthopError(f'found "{name}", expected the name of one trace; there are {known}')
        return found[0]

    def table(self, name: str) -> Table:
        """A trace as a table, by the name of its file or a part of it, as :meth:`trace`. The type of a column follows from
        the trace: tables of several runs can be joined.

        Raises:
            LasthopError: There is no such trace, or it is no table: ``events``, ``jsonl`` and
                ``pcapng`` are not, and the tables of ``parquet`` are read by pandas, polars or DuckDB from ``files``.

        >>> import lasthop as lh
        >>> run = lh.Scenario.load("examples/goel-refined.toml").run(traces=["congestion", "series"])
        >>> run.table("congestion").rows()[1]
        {'time_ms': 211.0, 'congestion': 2048.0}
        >>> run.table("series").units["goodput_bps"]
        'bit/s'
        """
        file = self._file(name)
        table = _lasthop.trace_table(os.path.basename(file), self.files[file])
        if table is None:
            raise LasthopError(f'found "{file}", expected a trace that is a table, such as congestion or series')
        return Table(table)

    def explain(self, *, flow: str | None = None, top: int = 20) -> list[dict[str, Any]]:
        """As :meth:`Scenario.explain`."""
        return self.scenario.explain(flow=flow, top=top)

    def plot(self, *flows: str, **options: Any) -> Pictures:
        """As :meth:`Scenario.plot`."""
        return self.scenario.plot(*flows, **options)

    def __repr__(self) -> str:
        return f"<Run of {self.scenario!r}: {len(self.flows)} flows>"

    def _repr_html_(self) -> str:
        return table(self.flows)

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.scenario, self.json, self.files)


class Comparison:
    """Schemes compared on the same channel states.

    Attributes:
        json: What ``lasthop compare --json`` prints.
        store: The store with the runs.
        done: The number of runs made now.
        scenario: The scenario, or None for built-in paths.
    """

    __slots__ = ("json", "store", "done", "scenario", "__weakref__")

    def __init__(self, json: str, store: Store, done: int, scenario: Scenario | None = None) -> None:
        self.json, self.store, self.done, self.scenario = json, store, done, scenario

    @property
    def paths(self) -> list[dict[str, Any]]:
        """For each path its ``path``, ``title`` and ``schemes``; goodput in bits per second, with 95 % intervals."""
        import json

        paths: list[dict[str, Any]] = json.loads(self.json)
        return paths

    def rows(self) -> list[dict[str, Any]]:
        """A row for each path and scheme."""
        return [{"path": path["path"], **scheme} for path in self.paths for scheme in path["schemes"]]

    def plot(self, *flows: str, **options: Any) -> Pictures:
        """Draw a run with each scheme, one below the other, as ``lasthop compare FILE``: a picture of each flow.

        Args:
            flows, options: As of :meth:`Scenario.plot`, whose ``schemes`` are those of the comparison, at most eight.

        Raises:
            LasthopError: The comparison is one of built-in paths.
        """
        if self.scenario is None:
            raise LasthopError("found a comparison on built-in paths, expected one of Scenario.compare")
        return self.scenario.plot(*flows, schemes=[row["scheme"] for row in self.rows()], **options)

    def __repr__(self) -> str:
        rows = self.rows()
        return f"<Comparison of {len({row['scheme'] for row in rows})} schemes on {len(self.paths)} paths>"

    def _repr_html_(self) -> str:
        return table(self.rows())
