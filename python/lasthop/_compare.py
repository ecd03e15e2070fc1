"""Comparisons of schemes, and reproductions of papers."""

from __future__ import annotations

import os

from . import _files, _lasthop, _values
from ._errors import LasthopError, ScenarioWarning
from ._picture import Picture
from ._progress import reporter
from ._scenario import Scenario, change
from ._store import place_of_store, threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ._picture import Pictures
    from ._store import Store

# The most replications of a comparison and of a paper.
MOST_REPLICATIONS = 100_000


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
        from ._html import table

        return table(self.rows())


def compare(
    *,
    schemes: Sequence[str] = (),
    paths: Sequence[str] = (),
    set: Mapping[str, object] | None = None,
    replications: int = 10,
    store: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Compare schemes on built-in paths, as ``lasthop compare``.

    Args:
        schemes: Names from ``lasthop list schemes``; by default all.
        paths: A network (lan, wan, satellite), a kind of channel, or both, such as ``"wan-bursts"``; by default all.
        set: Keys of every path's scenario with their values.
        replications: Runs of each scheme on each path.
        store: The file for finished runs, which are not repeated; by default a temporary one.
        jobs: The number of threads; by default one for each core.

    >>> import lasthop as lh
    >>> found = lh.compare(schemes=["unmodified", "snoop"], paths=["wan-random-loss"], replications=2)
    >>> [row["scheme"] for row in found.rows()]
    ['unmodified', 'snoop']
    """
    changes = [change(key, value) for key, value in _values.pairs("set", set, "a dict of keys with values")]
    return run_comparison(None, paths, schemes, changes, replications, store, jobs, progress)


def run_comparison(
    scenario: Scenario | None,
    paths: Sequence[str],
    schemes: Sequence[str],
    changes: Sequence[str],
    replications: int,
    store: str | os.PathLike[str] | None,
    jobs: int | None,
    progress: bool | None,
) -> Comparison:
    """Compare schemes on a scenario, or on built-in paths."""
    import warnings

    schemes = _values.texts("schemes", schemes, "a list of names")
    paths = _values.texts("paths", paths, "a list of names")
    replications = _values.whole("replications", replications, 1, MOST_REPLICATIONS)
    count = threads(jobs)
    if scenario is not None and scenario.classes:
        from ._members import check_versions

        check_versions(scenario.classes)
    with place_of_store(store) as place:
        with reporter("compare" if scenario is None else scenario.path, progress) as report:
            json, texts, done, _ = _lasthop.compared(
                scenario, paths, schemes, list(changes), replications, place.path, count, report
            )
        for text in texts:
            warnings.warn(text, ScenarioWarning, stacklevel=3)
        return Comparison(json, place.open(), done, scenario)


class Reproduction:
    """The numbers of a paper beside those of this simulator.

    Attributes:
        paper: The paper's name.
        replications: The number of replications.
        json: What ``lasthop reproduce --json`` prints.
        score: How many numbers are reproduced, in words.
        report: The report as HTML.
        picture: The numbers as a picture, without a PNG.
    """

    __slots__ = ("paper", "replications", "json", "score", "report", "picture")

    def __init__(self, paper: str, replications: int, json: str, score: str, report: str, svg: str) -> None:
        self.paper, self.replications, self.json, self.score = paper, replications, json, score
        self.report, self.picture = report, Picture(paper, svg, None)

    @property
    def numbers(self) -> list[dict[str, Any]]:
        """Each number of the paper: where it stands, the paper's value, ours with its interval, and the mark."""
        import json

        numbers: list[dict[str, Any]] = json.loads(self.json)
        return numbers

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write ``numbers.json``, ``numbers.svg`` and ``report.html``, as the command does."""
        folder = _files.make_folder(folder)
        for name, text in (("numbers.json", self.json), ("numbers.svg", self.picture.svg), ("report.html", self.report)):
            _files.write(os.path.join(folder, name), text)

    def __repr__(self) -> str:
        return f"<Reproduction of {self.paper}: {len(self.numbers)} numbers>"

    def _repr_html_(self) -> str:
        from html import escape

        from ._html import image

        return f"{image(self.picture)}<p>{escape(self.score)}</p>"


def papers() -> dict[str, str]:
    """The papers that :func:`reproduce` knows, with their references.

    >>> "goel1997" in papers()
    True
    """
    return dict(_lasthop.paper_names())


def reproduce(
    paper: str,
    *,
    replications: int | None = None,
    store: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Reproduction:
    """Reproduce the numbers of a paper, as ``lasthop reproduce``.

    Args:
        paper: A name from :func:`papers`.
        replications: Replications of each point, at least 2; by default the paper's number, which takes minutes.
        store: The file for finished runs, which are not repeated; by default a temporary one. Ctrl-C keeps them.
        jobs: The number of threads; by default one for each core.
    """
    paper = _values.text("paper", paper, "the name of a paper")
    if replications is not None:
        replications = _values.whole("replications", replications, 2, MOST_REPLICATIONS)
    jobs = threads(jobs)
    with place_of_store(store) as place:
        with reporter(paper, progress) as report:
            json, svg, page, score, count = _lasthop.reproduced(paper, replications, place.path, jobs, report)
        place.remove()
    return Reproduction(paper, count, json, score, page, svg)
