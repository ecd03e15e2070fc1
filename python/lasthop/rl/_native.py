"""Native environments with NumPy arrays."""

from __future__ import annotations

import numpy as np

from .. import _lasthop, _values
from .._cores import cores
from .._scenario import Scenario
from ._episode import Episode
from ._policy import Policy, driver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from ._setup import Setup


# Each has a network of its own.
MAX_ENVIRONMENTS = 100_000


def action_of(action: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Actions as an array of this shape."""
    try:
        return np.asarray(action, dtype=np.float64).reshape(shape)
    except (TypeError, ValueError, OverflowError) as error:
        count = int(np.prod(shape))
        raise _values.refused("action", action, f"{count} number{'' if count == 1 else 's'}") from error


def known_options(options: dict[str, Any] | None, *known: str) -> dict[str, Any]:
    """The options of a reset, checked."""
    chosen = dict(_values.pairs("options", options, "a dict"))
    for key in chosen:
        if key not in known:
            raise _values.refused("options", key, f"only {' and '.join(known)}" if known else "none", is_key=False)
    return chosen


class Native:
    """Environments that run in the native module, on threads. All arrays are of 64-bit numbers."""

    def __init__(
        self,
        scenario: Scenario | Iterable[Scenario],
        flows: list[str],
        setup: Setup,
        count: int,
        threads: int | None,
        period: str | None = None,
    ) -> None:
        expected = "a lasthop.Scenario or several"
        self.scenarios = [scenario] if isinstance(scenario, Scenario) else _values.items("scenario", scenario, expected)
        if not self.scenarios or not all(isinstance(each, Scenario) for each in self.scenarios):
            raise _values.refused("scenario", scenario, expected)
        if len(set(flows)) < len(flows):
            raise _values.refused("flows", flows, "each flow once")
        count = _values.whole("num_envs", count, 1, MAX_ENVIRONMENTS)
        threads = cores() if threads is None else _values.whole("threads", threads, 1, 1024)
        self.setup, self.count, self.learners = setup, count, max(len(flows), 1)
        self.native = _lasthop.Environments(self.scenarios, flows, setup.toml(), period, count, threads)

    def reset(self, begun: Sequence[tuple[int, int, int]]) -> None:
        """Begin episodes: environment, scenario and seed."""
        self.native.reset([(self.number(slot), *self.air(*air)) for slot, *air in begun])

    def number(self, slot: object) -> int:
        """The number of an environment, checked."""
        return _values.whole("environment", slot, 0, self.count - 1)

    def air(self, scenario: object, seed: object) -> tuple[int, int]:
        """The number of a scenario and a seed, checked."""
        number = _values.whole("scenario", scenario, 0, len(self.scenarios) - 1)
        return number, _values.whole("seed", seed, 0, 2**64 - 1)

    def drawn(self, random: np.random.Generator, options: dict[str, object] | None) -> tuple[int, int]:
        """The number of a scenario and a seed, drawn, or chosen by options."""
        drawn = {"scenario": random.integers(len(self.scenarios)), "seed": random.integers(2**63)}
        chosen = known_options(options, *drawn)
        return self.air(**(drawn | chosen))

    def step(
        self, actions: NDArray[np.float64], live: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Rewards by environment and flow, and the states: 0 runs, 1 completed, 2 expired."""
        actions = np.ascontiguousarray(actions, dtype=np.float64)
        rewards, states = self.native.step(actions.tobytes(), live.astype(np.uint8).tobytes())
        return np.frombuffer(rewards).reshape(self.count, self.learners), np.frombuffer(states, dtype=np.uint8)

    def observations(self) -> NDArray[np.float64]:
        """Features by environment, flow and feature."""
        shape = (self.count, self.learners, len(self.setup.observe))
        # The bytes cannot be written to, and learners may.
        return np.frombuffer(self.native.observations()).reshape(shape).copy()

    def stats(self, slot: int) -> list[Episode]:
        """What an environment has measured."""
        slot = self.number(slot)
        return [Episode(each) for each in self.native.stats(slot, True)]

    def play(
        self, drivers: Sequence[Policy | str | dict[str, object]], episodes: Sequence[tuple[int, int, int]]
    ) -> list[list[Episode]]:
        """Whole episodes: driver, scenario and seed of each."""
        named = [driver(each) for each in _values.items("drivers", drivers, "a list of policies and controls")]
        chosen = []
        for episode in _values.items("episodes", episodes, "a list of episodes"):
            parts = _values.items("episodes", episode, "driver, scenario and seed")
            if len(parts) != 3:
                raise _values.refused("episodes", episode, "driver, scenario and seed")
            chosen.append((_values.whole("driver", parts[0], 0, len(named) - 1), *self.air(*parts[1:])))
        played = self.native.play(named, chosen)
        return [[Episode(each) for each in flows] for flows in played]
