"""Scenarios and single runs."""

from __future__ import annotations

import os

from . import _lasthop
from ._errors import LasthopError, Problem, ScenarioWarning
from ._progress import reporter
from ._summary import Summarized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Executor
    from typing import Any

    from ._compare import Comparison
    from ._agent import Agent
    from ._control import Control
    from ._members import Class
    from ._store import SweepResult, Table


def toml_value(value: object) -> str:
    """Write a value as the command's ``--set KEY=VALUE`` reads it.

    >>> toml_value("8 Mbps"), toml_value(0.1), toml_value(True), toml_value({"kind": "uniform", "loss": 0.1})
    ('8 Mbps', '0.1', 'true', '{ "kind" = "uniform", "loss" = 0.1 }')
    """
    return value if isinstance(value, str) else _toml(value)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise LasthopError(f"{value} is no value of a scenario: a finite number was expected")
        return repr(value)
    if isinstance(value, str):
        import json

        return json.dumps(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(str(key))} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(each) for each in value) + "]"
    raise LasthopError(f"{value!r} is no value of a scenario: text, a number, a bool, a list or a dict was expected")


class Scenario:
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

    __slots__ = ("path", "text", "files", "changes", "scheme", "seed", "classes")

    path: str
    text: bytes | None
    files: dict[str, bytes]
    changes: list[str]
    scheme: str | None
    seed: int | None
    classes: list[Class]

    def __init__(
        self, text: str | bytes, *, name: str = "scenario.toml", files: Mapping[str, bytes] | None = None
    ) -> None:
        self.path = os.fspath(name)
        self.text = text.encode() if isinstance(text, str) else bytes(text)
        self.files = dict(files or {})
        self.changes = []
        self.scheme = None
        self.seed = None
        self.classes = []

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Scenario:
        """Read a scenario, a ``datafile.dat``, or the scenario of a result directory.

        The files that it names, such as recordings, are read from beside it when it runs.

        Raises:
            LasthopError: The file cannot be read. Its contents are checked when it runs, or by :meth:`check`.
        """
        name = os.fspath(path)
        scenario = Scenario("", name=name)
        scenario.text = None
        if not os.path.isdir(name):
            try:
                with open(name, "rb") as file:
                    scenario.text = file.read()
            except OSError as error:
                raise LasthopError(f"{name}: {error.strerror or error}") from error
        return scenario

    def _copy(self) -> Scenario:
        other = Scenario(b"", name=self.path, files=self.files)
        other.text, other.changes, other.scheme, other.seed = self.text, list(self.changes), self.scheme, self.seed
        other.classes = list(self.classes)
        return other

    def set(self, key: str, value: object) -> Scenario:
        """Change a key, such as ``links.air.rate``, to a value: text with a unit, a number, a bool, a list or a dict."""
        other = self._copy()
        other.changes.append(f"{key}={toml_value(value)}")
        return other

    def with_scheme(self, scheme: str) -> Scenario:
        """Run this scheme at all base stations; see ``lasthop list schemes``."""
        other = self._copy()
        other.scheme = scheme
        return other

    def with_members(self, *members: type[Control] | type[Agent]) -> Scenario:
        """Let the scenario name these classes; see :class:`Control` and :class:`Agent`."""
        from ._members import classes

        other = self._copy()
        other.classes += classes(members)
        return other

    def with_seed(self, seed: int) -> Scenario:
        """Change the seed of all random numbers, 0 to 2^64 - 1."""
        if not (isinstance(seed, int) and 0 <= seed < 2**64):
            raise LasthopError(f"seed: found {seed!r}, expected a whole number from 0 to 2^64 - 1")
        other = self._copy()
        other.seed = seed
        return other

    def check(self) -> list[Problem]:
        """Check the scenario; return warnings.

        Raises:
            LasthopError: It is wrong. ``problems`` has all problems.
        """
        return [Problem(each) for each in _lasthop.check(self)]

    def toml(self) -> str:
        """The scenario with all changes, from which its runs can be repeated."""
        return _lasthop.toml(self)

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON Schema of scenarios: all keys with their types, units and defaults."""
        import json

        schema: dict[str, Any] = json.loads(_lasthop.schema())
        return schema

    def _warn(self) -> None:
        import warnings

        for warning in self.check():
            warnings.warn(str(warning), ScenarioWarning, stacklevel=4)

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
            delays: Measure delays, which takes most of the time of a run without traces.
            progress: Show a progress bar; by default if the run takes more than a second.

        Raises:
            LasthopError: The scenario is wrong.
        """
        scenario = self if seed is None else self.with_seed(seed)
        scenario._warn()
        with reporter(scenario.path, progress) as report:
            summary, files = _lasthop.run(scenario, list(traces), delays, report)
        return Run(scenario, summary, files)

    def explain(self, *, flow: str | None = None, top: int = 20, progress: bool | None = None) -> list[dict[str, Any]]:
        """Explain where the time of each flow over TCP went: what ``lasthop explain --json`` prints.

        Args:
            flow: The flow; by default all.
            top: The number of single findings.
        """
        import json

        with reporter(self.path, progress) as report:
            explained: list[dict[str, Any]] = json.loads(_lasthop.explained(self, flow, top, report))
        return explained

    def plot(
        self,
        *flows: str,
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
        """Draw flows, by default all and the media: a picture each, or one of the flows' goodput if ``together``.

        Args:
            start, end: The part to draw, in seconds or with a unit, such as ``"1.2 s"``.
            panels: Of sequence, window, rtt, queue, goodput.
            segments: Count segments instead of bytes.
            blocked: Show why the sender was blocked.
            dark: Light lines on dark ground.
            size: Width and height of the SVG.
        """
        look = Look(list(flows), _time(start), _time(end), list(panels), segments, blocked, dark, size)
        with reporter(self.path, progress) as report:
            return Pictures(Picture(*drawn) for drawn in _lasthop.pictures(self, look, together, report))

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
            axes: Keys with their values: every combination is a point.
            compare: Keys with the values to compare on the same random numbers: every combination is a case.
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
        from ._store import run_sweep

        if cases and compare:
            raise LasthopError("cases: found beside compare, expected one of them")
        other = self._copy()
        for name, changes in (cases or {}).items():
            other.changes.append(f"sweep.compare.{name}={_toml(_nested(changes))}")
        for key, values in (axes or {}).items():
            other.changes.append(f"sweep.axes.{key}={_toml(list(values))}")
        for key, values in (compare or {}).items():
            other.changes.append(f"sweep.compare.{key}={_toml(list(values))}")
        if replications is not None:
            other.changes.append(f"sweep.replications={replications}")
        if metrics is not None:
            other.changes.append(f"sweep.metrics={_toml(list(metrics))}")
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
        from ._compare import run_comparison

        return run_comparison(self, (), schemes, (), replications, store, jobs, progress)

    def __repr__(self) -> str:
        changes = "".join(f", {change}" for change in self.changes)
        return f"<Scenario {self.path}{changes}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash((self.path, self.text, tuple(self.changes), self.scheme, self.seed))

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in self.__slots__:
            setattr(self, name, state[name])


def _nested(changes: Mapping[str, object]) -> dict[str, object]:
    """Keys with dots as tables in tables.

    >>> _nested({"scheme": "snoop", "links.air.rate": "1 Mbps"})
    {'scheme': 'snoop', 'links': {'air': {'rate': '1 Mbps'}}}
    """
    root: dict[str, object] = {}
    for key, value in changes.items():
        *parents, last = key.split(".")
        table: Any = root
        for parent in parents:
            table = table.setdefault(parent, {})
            if not isinstance(table, dict):
                raise LasthopError(f"{key}: {parent} has a value, expected keys below it")
        table[last] = value
    return root


def _time(time: str | float | None) -> str | None:
    return time if time is None or isinstance(time, str) else f"{time} s"


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
        found = [name] if name in self.files else [file for file in self.files if name in file]
        if len(found) != 1:
            known = ", ".join(found or self.files) or "none: run(traces=[...]) writes them"
            raise LasthopError(f'found "{name}", expected the name of one trace; there are {known}')
        return self.files[found[0]]

    def table(self, name: str) -> Table:
        """A trace as a table, by the name of its file or a part of it, as :meth:`trace`.

        Raises:
            LasthopError: There is no such trace, or it is no table: ``events``, ``jsonl`` and ``pcapng`` are not.

        >>> import lasthop as lh
        >>> run = lh.Scenario.load("examples/goel-refined.toml").run(traces=["congestion", "series"])
        >>> run.table("congestion").rows()[1]
        {'time_ms': 211.0, 'congestion': 2048}
        >>> run.table("series").units["goodput_bps"]
        'bit/s'
        """
        from ._store import Table

        bytes = self.trace(name)
        file = next(file for file, contents in self.files.items() if contents is bytes)
        table = _lasthop.trace_table(os.path.basename(file), bytes)
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
        from ._html import table

        return table(self.flows)

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.scenario, self.json, self.files)


class Look:
    """How a picture looks; see :meth:`Scenario.plot`."""

    __slots__ = ("flows", "start", "end", "panels", "segments", "blocked", "dark", "size")

    def __init__(self, *values: object) -> None:
        for name, value in zip(self.__slots__, values, strict=True):
            setattr(self, name, value)


class Picture:
    """A picture of a run, which notebooks show.

    Attributes:
        name: The flow's name.
        svg: The picture as SVG.
        png: The picture as PNG, with twice as many pixels each way; None if there is none.
    """

    __slots__ = ("name", "svg", "png")

    def __init__(self, name: str, svg: str, png: bytes | None) -> None:
        self.name, self.svg, self.png = name, svg, png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file: SVG or PNG, by its ending."""
        ending = os.path.splitext(os.fspath(path))[1]
        contents = {".svg": self.svg.encode(), ".png": self.png}.get(ending)
        if contents is None:
            endings = ".svg" if self.png is None else ".svg or .png"
            raise LasthopError(f'found "{os.fspath(path)}", expected a file name that ends with {endings}')
        with open(path, "wb") as file:
            file.write(contents)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture {self.name}: {len(self.svg)} bytes of SVG>"


class Pictures(list[Picture]):
    """Pictures, which notebooks show one below the other."""

    def __init__(self, pictures: Iterable[Picture] = ()) -> None:
        super().__init__(pictures)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write all as SVG and PNG into a folder, as ``lasthop plot`` does."""
        os.makedirs(folder, exist_ok=True)
        for picture in self:
            for ending in (".svg", ".png"):
                picture.save(os.path.join(folder, picture.name + ending))

    def _repr_html_(self) -> str:
        return "".join(picture.svg for picture in self)
