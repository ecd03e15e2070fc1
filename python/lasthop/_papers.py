"""Reproductions of papers."""

from __future__ import annotations

import os

from . import _files, _lasthop, _values
from ._cores import threads
from ._picture import Picture, image_element
from ._progress import reporter
from ._store import StorePlace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Maximum number of replications of a paper.
MOST_REPLICATIONS = 100_000


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

        return f"{image_element(self.picture)}<p>{escape(self.score)}</p>"


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
    with StorePlace(store) as place:
        with reporter(paper, progress) as report:
            json, svg, page, score, count = _lasthop.reproduced(paper, replications, place.path, jobs, report)
        place.remove()
    return Reproduction(paper, count, json, score, page, svg)
