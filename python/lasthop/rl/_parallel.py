"""The environment for PettingZoo: several flows that learn."""

from __future__ import annotations

import numpy as np
import pettingzoo

from .. import _values
from ._env import COMPLETED, EXPIRED, action_space, observation_space
from ._native import Native, action_of
from ._setup import Setup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from gymnasium.spaces import Space
    from numpy.typing import ArrayLike, NDArray

    from .._scenario import Scenario
    from ._episode import Episode


class ParallelEnv(pettingzoo.ParallelEnv):  # type: ignore[misc]  # without types
    """Several flows of a scenario, each an agent with the flow's name.

    All act at once, at fixed times: an action stays in force at the ends of the flow's own steps until the next one.

    Args:
        scenario: One, or several of which each reset draws one.
        flows: The names of the flows.
        period: The time between two actions, by default 100 ms.
        setup: What the environment is, instead of ``period`` and ``settings``; its ``step`` is the period.
        reward: A function of a flow's episode so far, whose result replaces its reward.
        settings: As for :class:`Setup`, whose ``step`` is ``period`` here.

    An episode ends when all these flows are complete. ``info`` has the number of the scenario and the seed of its random
    numbers; ``options`` of ``reset`` choose them, as in :class:`CongestionEnv`.
    """

    metadata: dict[str, Any] = {"name": "lasthop_congestion_v0", "render_modes": [], "is_parallelizable": True}

    def __init__(
        self,
        scenario: Scenario | Iterable[Scenario],
        flows: Sequence[str],
        *,
        period: str | None = None,
        setup: Setup | None = None,
        reward: Callable[[Episode], float] | None = None,
        render_mode: None = None,
        **settings: Any,
    ) -> None:
        flows = _values.texts("flows", flows, "the names of those that learn")
        if not flows:
            raise _values.refused("flows", flows, "the names of those that learn")
        if "flow" in settings:
            raise _values.refused("flow", settings["flow"], "flows, the names of those that learn")
        if "step" in settings:
            raise _values.refused("step", settings["step"], "the time between two actions as period")
        if setup is None:
            period = "100 ms" if period is None else _values.text("period", period, 'a time such as "20 ms"')
            self.setup = Setup(step=period, **settings)
        else:
            given = settings if period is None else {"period": period, **settings}
            self.setup = Setup.of(setup, given)
            period = self.setup.step
        self.possible_agents = list(flows)
        self.agents: list[str] = []
        self.render_mode = render_mode
        self._native = Native(scenario, flows, self.setup, 1, 1, period)
        self._random = np.random.default_rng()
        self._reward = reward
        self._air = (0, 0)
        self._spaces = (observation_space(self.setup), action_space())

    def observation_space(self, agent: str) -> Space[NDArray[np.float64]]:
        """The ranges of the features."""
        return self._spaces[0]

    def action_space(self, agent: str) -> Space[NDArray[np.float64]]:
        """A number from -1 to 1."""
        return self._spaces[1]

    def _observed(self) -> dict[str, NDArray[np.float64]]:
        # A flow has no observations before its first step, which are given as zeros.
        return dict(zip(self.possible_agents, self._native.observations()[0], strict=True))

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float64]], dict[str, dict[str, Any]]]:
        """Begin an episode. ``options={"scenario": 3, "seed": 7}`` choose the scenario and its seed instead of drawing."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        # PettingZoo's own test gives a key "options".
        chosen = {key: value for key, value in _values.pairs("options", options, "a dict") if key != "options"}
        self._air = self._native.drawn(self._random, chosen)
        self._native.reset([(0, *self._air)])
        self.agents = list(self.possible_agents)
        return self._observed(), self._infos()

    def _infos(self) -> dict[str, dict[str, Any]]:
        scenario, seed = self._air
        return {agent: {"scenario": scenario, "seed": seed} for agent in self.possible_agents}

    def step(
        self, actions: dict[str, ArrayLike]
    ) -> tuple[
        dict[str, NDArray[np.float64]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Run for a period."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        given = dict(_values.pairs("actions", actions, "a dict of agents with their actions"))
        missing = [agent for agent in self.possible_agents if agent not in given]
        if missing:
            raise _values.refused("actions", actions, f"an action of each agent, also of {', '.join(missing)}")
        values = np.array([action_of(given[agent], (1,))[0] for agent in self.possible_agents])
        rewards, states = self._native.step(values, np.ones(1, dtype=bool))
        state = int(states[0])
        agents = self.possible_agents
        earned = rewards[0] if self._reward is None else map(self._reward, self._native.stats(0))
        self.agents = [] if state else list(agents)
        return (
            self._observed(),
            {agent: float(reward) for agent, reward in zip(agents, earned, strict=True)},
            {agent: state == COMPLETED for agent in agents},
            {agent: state == EXPIRED for agent in agents},
            self._infos(),
        )

    def episodes(self) -> dict[str, Episode]:
        """The measurements of the episode so far, by flow."""
        return dict(zip(self.possible_agents, self._native.stats(0), strict=True))
