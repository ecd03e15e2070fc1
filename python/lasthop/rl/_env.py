"""The environment for Gymnasium."""

from __future__ import annotations

from typing import cast

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from .. import _values
from .._errors import LasthopError
from ._native import Native, action_of
from ._setup import FEATURES, Setup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gymnasium.spaces import Space
    from numpy.typing import ArrayLike, NDArray

    from .._scenario import Scenario
    from ._episode import Episode
    from ._policy import Policy

COMPLETED, EXPIRED = 1, 2


def observation_space(setup: Setup) -> Space[NDArray[np.float64]]:
    """The ranges of the features."""
    low, high = zip(*(FEATURES[name] for name in setup.observe), strict=True)
    return cast("Space[NDArray[np.float64]]", Box(np.array(low), np.array(high), dtype=np.float64))


def one_flow(flow: str | None) -> list[str]:
    """The flow that learns."""
    return [] if flow is None else [_values.text("flow", flow, "the name of a flow")]


def action_space() -> Space[NDArray[np.float64]]:
    """A number from -1 to 1."""
    return cast("Space[NDArray[np.float64]]", Box(-1.0, 1.0, (1,), dtype=np.float64))


class CongestionEnv(gymnasium.Env["NDArray[np.float64]", "NDArray[np.float64]"]):
    """A transfer whose congestion control takes its actions from outside.

    An episode is a run of the scenario. It terminates when the flow is complete, while others may still run, and is
    truncated at the end of the scenario's duration. After an exception, also of Ctrl-C, it must be reset.

    Args:
        scenario: One, or several of which each reset draws one.
        flow: The flow's name; by default the first.
        setup: What the environment is, instead of ``settings``.
        reward: A function of the episode so far, whose result replaces the reward.
        settings: As for :class:`Setup`.

    ``info`` has the measurements of the episode so far, as :class:`Episode` (the 95th percentile only at its end), with
    the number of the scenario and the seed of its random numbers.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scenario: Scenario | Iterable[Scenario],
        *,
        flow: str | None = None,
        setup: Setup | None = None,
        reward: Callable[[Episode], float] | None = None,
        render_mode: None = None,
        **settings: Any,
    ) -> None:
        self.setup = Setup.of(setup, settings)
        self._native = Native(scenario, one_flow(flow), self.setup, 1, 1)
        self._reward = reward
        self._ended = True
        self._air = (0, 0)
        self.render_mode = render_mode
        self.observation_space = observation_space(self.setup)
        self.action_space = action_space()

    @property
    def scenarios(self) -> list[Scenario]:
        """The scenarios of which a reset draws one."""
        return self._native.scenarios

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """Begin an episode. ``options={"scenario": 3, "seed": 7}`` choose the scenario and its seed instead of drawing."""
        super().reset(seed=seed)
        self._air = self._native.drawn(self.np_random, options)
        self._ended = True
        self._native.reset([(0, *self._air)])
        self._ended = False
        return self._native.observations()[0, 0], self._info()

    def step(
        self, action: ArrayLike
    ) -> tuple[NDArray[np.float64], float, bool, bool, dict[str, Any]]:
        """Run to the end of the next step of the sender."""
        if self._ended:
            raise LasthopError("the episode has ended, or has not begun: call reset()")
        rewards, states = self._native.step(action_of(action, (1,)), np.ones(1, dtype=bool))
        state = int(states[0])
        self._ended = state != 0
        info = self._info()
        reward = float(rewards[0, 0]) if self._reward is None else float(self._reward(self.episode()))
        return self._native.observations()[0, 0], reward, state == COMPLETED, state == EXPIRED, info

    def _info(self) -> dict[str, Any]:
        stats = self._native.native.stats(0, self._ended)[0]
        stats["scenario"], stats["seed"] = self._air
        return stats

    def episode(self) -> Episode:
        """The measurements of the episode so far."""
        return self._native.stats(0)[0]

    def baseline(self, control: Policy | str | dict[str, object] = "reno") -> Episode:
        """Run the whole episode again, on the same air, by a policy, a built-in control, or a class of the scenario.

        >>> import lasthop as lh, lasthop.rl
        >>> env = lasthop.rl.CongestionEnv(lh.Scenario.load("examples/slow-start.toml"))
        >>> _ = env.reset(seed=1)
        >>> env.baseline("cubic").completed
        True
        """
        return self._native.play([control], [(0, *self._air)])[0][0]


def register() -> None:
    """Register the environments with Gymnasium."""
    name = "lasthop/Congestion-v0"
    if name not in gymnasium.registry:
        gymnasium.register(
            name, entry_point="lasthop.rl:CongestionEnv", vector_entry_point="lasthop.rl:VectorEnv"
        )
