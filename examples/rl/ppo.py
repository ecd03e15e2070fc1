"""Train a congestion control by PPO of stable-baselines3 on the paths of train.py, and compare it as there.

    pip install stable-baselines3
    python examples/rl/ppo.py                        # under half a minute of CPU time

PPO sees one flow at a time: its reward is that of the environment, which knows nothing of a flow beside it. Its actor has
the form of a policy of lasthop, so it is saved and runs in scenarios without Python, PyTorch and stable-baselines3:
`tcp.control = { kind = "policy", file = "ppo.toml" }`.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import lasthop.rl as rl
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv
from train import HIDDEN, SETUP, TEST, TRAINING, Paths, compare

LIMIT = 3.0
"""The largest action of the actor, before tanh."""


class Squashed(gymnasium.ActionWrapper):
    """Actions through tanh, as those of a policy: the actor's mean is then what a policy computes."""

    def __init__(self, env: rl.CongestionEnv) -> None:
        super().__init__(env)
        self.action_space = gymnasium.spaces.Box(-LIMIT, LIMIT, (1,), np.float32)

    def action(self, action: np.ndarray) -> np.ndarray:
        return np.tanh(action)


def actor(model: PPO) -> rl.Policy:
    """The actor as a policy: its hidden layer with tanh, and the mean of its action through tanh."""

    def numbers(linear: torch.nn.Module) -> tuple[list[list[float]], list[float]]:
        return linear.weight.detach().tolist(), linear.bias.detach().tolist()

    return rl.Policy(SETUP, [numbers(model.policy.mlp_extractor.policy_net[0]), numbers(model.policy.action_net)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--paths", type=int, default=64, help="paths of the training")
    parser.add_argument("--tests", type=int, default=20, help="paths of the comparison")
    parser.add_argument("--out", default="ppo.toml")
    options = parser.parse_args()

    training = Paths(options.paths, TRAINING, "10 s")
    make = lambda: Squashed(rl.CongestionEnv(training.alone.scenarios, step=SETUP.step, observe=SETUP.observe))  # noqa: E731
    start = time.process_time()
    model = PPO(
        "MlpPolicy", DummyVecEnv([make] * 8), seed=options.seed, device="cpu", n_steps=512, batch_size=512, gamma=0.99,
        policy_kwargs={"net_arch": {"pi": [HIDDEN], "vf": [32, 32]}, "activation_fn": torch.nn.Tanh},
    )
    model.learn(options.steps)
    policy = actor(model)
    policy.save(options.out)
    print(f"{options.out} after {time.process_time() - start:.0f} s of CPU time")
    print("\n".join(compare(Paths(options.tests, TEST, "20 s"), {"PPO": policy, "Reno with SACK": "reno", "CUBIC": "cubic"})))


if __name__ == "__main__":
    main()
