"""Scenarios drawn from ranges."""

from __future__ import annotations

import numpy as np

from .._errors import LasthopError

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
        ranges: For each key the least and the largest value, both above 0, and the unit; ``"packets"`` are whole numbers.
        count: The number of scenarios.
        seed: The same seed draws the same scenarios.

    >>> import lasthop as lh
    >>> base = lh.Scenario.load("examples/slow-start.toml")
    >>> [drawn] = draw(base, {"links.wire.rate": (1, 100, "Mbps")}, 1, seed=7)
    >>> drawn.changes
    ['links.wire.rate=17.79 Mbps']
    """
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(count):
        each = scenario
        for key, (least, most, unit) in ranges.items():
            if not 0 < least <= most:
                raise LasthopError(f"{key}: found {least} to {most}, expected a range above 0")
            value = float(np.exp(random.uniform(np.log(least), np.log(most))))
            number = f"{value:.0f}" if unit == "packets" else f"{value:.4g}"
            each = each.set(key, f"{number} {unit}".strip() if unit else float(number))
        drawn.append(each)
    return drawn
