"""Reinforcement learning of congestion controls: environments for Gymnasium and PettingZoo, and trained policies.

The simulator stops at each decision of a sender and goes on with the action; no other process is involved.

>>> import lasthop as lh, lasthop.rl
>>> env = lasthop.rl.CongestionEnv(lh.Scenario.load("examples/slow-start.toml"))
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step([0.5])
>>> sorted(info)[:3]
['completed', 'flow', 'goodput_bps']
"""

from ._draw import draw
from ._env import CongestionEnv, register
from ._episode import Episode
from ._policy import Policy
from ._setup import FEATURES, Setup
from ._vector import VectorEnv

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._parallel import ParallelEnv

__all__ = ["FEATURES", "CongestionEnv", "Episode", "ParallelEnv", "Policy", "Setup", "VectorEnv", "draw"]

register()


def __getattr__(name: str) -> object:
    # PettingZoo is imported only when it is used.
    if name == "ParallelEnv":
        from ._parallel import ParallelEnv

        return ParallelEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
