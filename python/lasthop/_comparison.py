"""Runs of comparisons."""

from __future__ import annotations

import os
import warnings

from . import _lasthop, _values
from ._cores import threads
from ._errors import ScenarioWarning
from ._members import check_versions
from ._progress import reporter
from ._store import StorePlace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._source import ScenarioSource
    from ._store import Store

# Maximum number of replications of a comparison.
MOST_REPLICATIONS = 100_000


def run_comparison(
    scenario: ScenarioSource | None,
    paths: Sequence[str],
    schemes: Sequence[str],
    changes: Sequence[str],
    replications: int,
    store: str | os.PathLike[str] | None,
    jobs: int | None,
    progress: bool | None,
) -> tuple[str, Store, int]:
    """Compare schemes on a scenario, or on built-in paths; return the JSON, the store, and the number of runs made now."""
    schemes = _values.texts("schemes", schemes, "a list of names")
    paths = _values.texts("paths", paths, "a list of names")
    replications = _values.whole("replications", replications, 1, MOST_REPLICATIONS)
    count = threads(jobs)
    if scenario is not None and scenario.classes:
        check_versions(scenario.classes)
    with StorePlace(store) as place:
        with reporter("compare" if scenario is None else scenario.path, progress) as report:
            json, texts, done, _ = _lasthop.compared(
                scenario, paths, schemes, list(changes), replications, place.path, count, report
            )
        for text in texts:
            warnings.warn(text, ScenarioWarning, stacklevel=3)
        return json, place.open(), done
