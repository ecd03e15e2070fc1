"""Native environments with NumPy arrays."""

from __future__ import annotations

import os

import numpy as np

from .. import _lasthop
from .._errors import LasthopError
from .._scenario import Scenario
from ._episode import Episode
from ._policy import Policy, driver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ._setup import Setup


class Native:
    """Environments that run in the native module, on threads. All arrays are of 64-bit numbers."""

    def __init__(
        self,
        scenario: Scenario | Iterable[Scenario],
        flows: Sequence[str],
        setup: Setup,
        count: int,
        threads: int | None,
        period: str | None = None,
    ) -> None:
        self.scenarios = [scenario] if isinstance(scenario, Scenario) else list(scenario)
        if not self.scenarios or not all(isinstance(each, Scenario) for each in self.scenarios):
            raise LasthopError("found no scenario, expected a lasthop.Scenario or several")
        cores = os.cpu_count() or 1
        self.setup, self.count, self.learners = setup, count, max(len(flows), 1)
        self.native = _lasthop.Environments(
            self.scenarios, list(flows), setup.toml(period), count, cores if threads is None else threads
        )

    def reset(self, begun: Sequence[tuple[int, int, int]]) -> None:
        """Begin episodes: environment, scenario and seed."""
        self.native.reset([(int(slot), int(scenario), int(seed)) for slot, scenario, seed in begun])

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
        return [Episode(each) for each in self.native.stats(slot, True)]

    def play(
        self, drivers: Sequence[Policy | str | dict[str, object]], episodes: Sequence[tuple[int, int, int]]
    ) -> list[list[Episode]]:
        """Whole episodes: driver, scenario and seed of each."""
        played = self.native.play([driver(each) for each in drivers], list(episodes))
        return [[Episode(each) for each in flows] for flows in played]
