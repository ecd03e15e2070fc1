"""Comparisons of schemes on built-in paths."""

from __future__ import annotations

import os

from . import _values
from ._changes import change
from ._comparison import run_comparison
from ._scenario import Comparison

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
    json, kept, done = run_comparison(None, paths, schemes, changes, replications, store, jobs, progress)
    return Comparison(json, kept, done)
