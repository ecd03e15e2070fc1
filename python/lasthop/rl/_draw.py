"""Scenarios drawn from ranges."""

from __future__ import annotations

import numpy as np

from .. import _values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._scenario import Scenario


def draw(
    scenario: Scenario, ranges: Mapping[str, tuple[float, float, str]], count: int, *, seed: int
) -> list[Scenario]:
    """Draw scenarios: each key takes a value whose logarithm is uniform.

    Args:
        scenario: What they have in common.
        ranges: For each key the smallest and the largest value, both above 0, and the unit; ``"packets"`` are whole numbers.
        count: The number of scenarios.
        seed: The same seed draws the same scenarios.

    >>> import lasthop as lh
    >>> base = lh.Scenario.load("examples/slow-start.toml")
    >>> [drawn] = draw(base, {"links.wire.rate": (1, 100, "Mbps")}, 1, seed=7)
    >>> drawn.changes
    ['links.wire.rate=17.79 Mbps']
    """
    random = np.random.default_rng(_values.whole("seed", seed, 0, 2**128))
    count = _values.whole("count", count, 0, 1_000_000)
    checked = [(key, *_range(key, given)) for key, given in _values.pairs("ranges", ranges, "a dict of keys with ranges")]
    drawn = []
    for _ in range(count):
        each = scenario
        for key, low, high, unit in checked:
            value = float(np.exp(random.uniform(np.log(low), np.log(high))))
            number = f"{value:.0f}" if unit == "packets" else f"{value:.4g}"
            each = each.set(key, f"{number} {unit}".strip() if unit else float(number))
        drawn.append(each)
    return drawn


def _range(key: str, given: object) -> tuple[float, float, str]:
    expected = "the smallest and the largest value, and the unit"
    parts = _values.items(key, given, expected)
    if len(parts) != 3:
        raise _values.refused(key, given, expected)
    low, high, unit = _values.finite(key, parts[0]), _values.finite(key, parts[1]), _values.text(key, parts[2], "a unit")
    if not 0 < low <= high:
        raise _values.refused(key, given, "a range above 0")
    return low, high, unit
