"""Scenarios and single runs."""

from __future__ import annotations

import os

from . import _files, _lasthop, _values
from ._errors import LasthopError, Problem, ScenarioWarning
from ._picture import Look, Picture, Pictures
from ._progress import reporter
from ._run import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Executor
    from typing import Any

    from ._compare import Comparison
    from ._agent import Agent
    from ._control import Control
    from ._members import Class
    from ._store import SweepResult


# The most bytes of a scenario that are read: more than the simulator accepts.
MOST_BYTES = (64 << 20) + 1


def change(key: str, value: object) -> str:
    """A change as the command's ``--set`` reads it.

    >>> change("links.air.rate", "8 Mbps"), change("seed", 2), change("links.air.channel", {"kind": "uniform"})
    ('links.air.rate=8 Mbps', 'seed=2', 'links.air.channel={ "kind" = "uniform" }')
    """
    key = _values.key("key", key)
    return f"{key}={_values.text(key, value) if isinstance(value, str) else _values.toml(value, key)}"


def _values_of(option: str, keys: Mapping[str, Sequence[object]] | None) -> Iterable[str]:
    """The changes for keys with several values."""
    for key, values in _values.pairs(option, keys, "a dict of keys with lists of values"):
        key = _values.key(option, key)
        listed = _values.items(f"{option}[{key}]", values, "a list of values")
        yield f"sweep.{option}.{key}={_values.toml(listed, f'{option}[{key}]')}"


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
        if not isinstance(text, (str, bytes, bytearray, memoryview)):
            raise _values.refused("text", text, "a text or bytes")
        if isinstance(text, str) and text.endswith((".toml", ".dat")) and "\n" not in text:
            raise _values.refused("text", text, "the text of a scenario", "Scenario.load reads a file")
        self.path = _values.path("name", name)
        self.text = _values.text("text", text).encode() if isinstance(text, str) else bytes(text)
        self.files = {}
        for file, contents in _values.pairs("files", files, "a dict of names with bytes"):
            if not isinstance(contents, (bytes, bytearray, memoryview)):
                raise _values.refused(f"files[{file}]", contents, "bytes")
            self.files[file] = bytes(contents)
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
        name = _values.path("path", path)
        scenario = Scenario("", name=name)
        scenario.text = None
        if not os.path.isdir(name):
            try:
                with open(name, "rb") as file:
                    scenario.text = file.read(MOST_BYTES)
            except OSError as error:
                _files.failed(name, error)
        return scenario

    def _copy(self) -> Scenario:
        other = Scenario(b"", name=self.path, files=self.files)
        other.text, other.changes, other.scheme, other.seed = self.text, list(self.changes), self.scheme, self.seed
        other.classes = list(self.classes)
        return other

    def set(self, key: str, value: object) -> Scenario:
        """Change a key, such as ``links.air.rate``, to a value: text with a unit, a number, a bool, a list or a dict."""
        other = self._copy()
        other.changes.append(change(key, value))
        return other

    def with_scheme(self, scheme: str) -> Scenario:
        """Run this scheme, as ``--scheme``: see ``lasthop list schemes``.

        It is that of all hosts and base stations; a class in Python runs at those of its ``changes`` and ``uploads``. For one
        node: ``set("nodes.NAME.scheme", ...)``.
        """
        other = self._copy()
        other.scheme = _values.text("scheme", scheme, "the name of a scheme")
        return other

    def with_members(self, *members: type[Control] | type[Agent]) -> Scenario:
        """Let the scenario name these classes, instead of earlier ones of the same names; see :class:`Control` and
        :class:`Agent`.
        """
        from ._members import classes

        added = classes(members)
        other = self._copy()
        # A class that is defined again, as in a notebook, replaces the earlier one.
        names = {(each.kind, each.name) for each in added}
        other.classes = [each for each in other.classes if (each.kind, each.name) not in names] + added
        return other

    def with_seed(self, seed: int) -> Scenario:
        """Change the seed of all random numbers, 0 to 2^63 - 1."""
        other = self._copy()
        other.seed = _values.whole("seed", seed, 0, 2**63 - 1)
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
            warnings.warn(str(warning), ScenarioWarning, stacklevel=3)

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
            panels: Of sequence, window, rtt, queue, goodput.
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
        from ._store import run_sweep

        if cases and compare:
            raise LasthopError("cases: found beside compare, expected one of them")
        other = self._copy()
        if axes is not None:
            other.changes += ["sweep.axes={}", "sweep.zip=[]"]
        if cases is not None or compare is not None:
            other.changes.append("sweep.compare={}")
        other.changes += _named_cases(cases)
        other.changes += _values_of("axes", axes)
        other.changes += _values_of("compare", compare)
        if replications is not None:
            other.changes.append(f"sweep.replications={_values.whole('replications', replications, 1, 1_000_000)}")
        if metrics is not None:
            names = _values.texts("metrics", metrics, "a list of names of metrics")
            other.changes.append(f"sweep.metrics={_values.toml(names, 'metrics')}")
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
        options = [f"{name}={value}" for name, value in (("scheme", self.scheme), ("seed", self.seed)) if value is not None]
        changes = "".join(f", {change}" for change in [*self.changes, *options])
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


def _named_cases(cases: Mapping[str, Mapping[str, object]] | None) -> Iterable[str]:
    """The changes for cases with names."""
    expected = "a dict of names with dicts of keys and values"
    for name, changes in _values.pairs("cases", cases, expected):
        if not name or "=" in name or '"' in name:
            raise _values.refused("cases", name, 'a name without = and "')
        simple = all(letter.isalnum() or letter in "_-" for letter in name)
        quoted = name if simple else f'"{name}"'
        yield f"sweep.compare.{quoted}={_values.toml(_nested(f'cases[{name}]', changes), f'cases[{name}]')}"


def _nested(where: str, changes: Mapping[str, object]) -> dict[str, object]:
    """Keys with dots as tables in tables.

    >>> _nested("case", {"scheme": "snoop", "links.air.rate": "1 Mbps"})
    {'scheme': 'snoop', 'links': {'air': {'rate': '1 Mbps'}}}
    """
    root: dict[str, object] = {}
    for key, value in _values.pairs(where, changes, "a dict of keys and values"):
        *parents, last = key.split(".")
        table: Any = root
        for parent in parents:
            table = table.setdefault(parent, {})
            if not isinstance(table, dict):
                raise LasthopError(f"{where}: {key}: {parent} has a value, expected keys below it")
        table[last] = value
    return root
