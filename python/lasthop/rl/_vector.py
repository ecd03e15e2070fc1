"""Environments side by side, on threads."""

from __future__ import annotations

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space

from .. import _values
from ._env import COMPLETED, EXPIRED, action_space, observation_space, one_flow
from ._native import Native, action_of, known_options
from ._setup import Setup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from .._scenario import Scenario
    from ._episode import Episode
    from ._policy import Policy


class VectorEnv(GymnasiumVectorEnv["NDArray[np.float64]", "NDArray[np.float64]", "NDArray[np.float64]"]):
    """``num_envs`` environments as in :class:`CongestionEnv`, which step on threads.

    An environment whose episode has ended begins the next one at the following step, which ignores its action and has no
    reward (``AutoresetMode.NEXT_STEP``).

    Args:
        scenario: One, or several of which each reset draws one.
        num_envs: The number of environments.
        threads: The number of threads; by default one for each core. The results do not depend on it.
        flow: The flow's name; by default the first.
        setup: What the environments are, instead of ``settings``.
        reward: A function of the episode so far, whose result replaces the reward.
        settings: As for :class:`Setup`.

    When episodes end, ``info["measurements"]`` has an :class:`Episode` for each of them, where ``info["_measurements"]`` is
    true. Gymnasium's wrappers keep the key ``episode`` for themselves.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        scenario: Scenario | Iterable[Scenario],
        num_envs: int = 1,
        *,
        threads: int | None = None,
        flow: str | None = None,
        setup: Setup | None = None,
        reward: Callable[[Episode], float] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        self.setup = Setup.of(setup, settings)
        self._native = Native(scenario, one_flow(flow), self.setup, num_envs, threads)
        self._reward = reward
        self.num_envs = num_envs = self._native.count
        self._ended = np.zeros(num_envs, dtype=bool)
        self.single_observation_space = observation_space(self.setup)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def scenarios(self) -> list[Scenario]:
        """The scenarios of which a reset draws one."""
        return self._native.scenarios

    def _begin(self, which: Iterable[int]) -> None:
        count = len(self._native.scenarios)
        airs = [(each, int(self.np_random.integers(count)), int(self.np_random.integers(2**63))) for each in which]
        self._native.reset(airs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """Begin an episode in each environment. All draw from one generator: of a list of seeds it gets the first."""
        if isinstance(seed, list) and len(seed) != self.num_envs:
            raise _values.refused("seed", seed, f"a number, or a list of {self.num_envs}")
        known_options(options)
        super().reset(seed=seed if not isinstance(seed, list) else seed[0], options=options)
        self._begin(range(self.num_envs))
        self._ended[:] = False
        return self._native.observations()[:, 0], {}

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Run each environment to the end of the next step of its sender."""
        actions = action_of(actions, (self.num_envs,))
        again = np.flatnonzero(self._ended)
        live = ~self._ended
        if len(again):
            self._begin(int(each) for each in again)
        rewards, states = self._native.step(actions, live)
        states = np.where(live, states, 0)
        if self._reward is not None:
            rewards = np.zeros_like(rewards)
            for each in np.flatnonzero(live):
                rewards[each, 0] = self._reward(self.episode(int(each)))
        self._ended = states != 0
        info: dict[str, Any] = {}
        if self._ended.any():
            episodes = np.full(self.num_envs, None, dtype=object)
            for each in np.flatnonzero(self._ended):
                episodes[each] = self.episode(int(each))
            info = {"measurements": episodes, "_measurements": self._ended.copy()}
        return self._native.observations()[:, 0], rewards[:, 0].copy(), states == COMPLETED, states == EXPIRED, info

    def episode(self, env: int) -> Episode:
        """The measurements of the episode of an environment so far."""
        return self._native.stats(env)[0]

    def play(
        self, drivers: Sequence[Policy | str | dict[str, object]], episodes: Sequence[tuple[int, int, int]]
    ) -> list[Episode]:
        """Run whole episodes by policies or built-in controls, natively and without stops, on all threads.

        Args:
            drivers: Policies, or controls by name or settings.
            episodes: For each episode the number of its driver, the number of its scenario, and its seed.
        """
        return [flows[0] for flows in self._native.play(drivers, episodes)]
