"""Train a congestion control by evolution strategies, and compare it with others on paths that it has never seen.

    python examples/rl/train.py                     # under five minutes of CPU time
    python examples/rl/train.py --seeds 1 2 3       # three trainings
    python examples/rl/train.py --generations 3     # a try

Each path is drawn from ranges by its seed (`RANGES`). Training maximizes, over random batches of its own paths,

    alone:            log2(goodput / NewReno's) - 4 max(0, log2(p95 RTT / NewReno's) - 0.2)
    beside NewReno:   -8 max(0, 0.45 - NewReno's share of both goodputs), without random losses

each at least -4, by an evolution strategy with weighted recombination and cumulative step-size adaptation [Hansen 2016,
"The CMA Evolution Strategy: A Tutorial", without the covariances]. The policy is written to a file, which a scenario runs
without Python: `tcp.control = { kind = "policy", file = "trained.toml" }`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import lasthop as lh
import lasthop.rl as rl
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
RANGES = {
    "links.air.rate": (2, 50, "Mbps"),
    "links.air.delay": (5, 60, "ms"),
    "links.air.queue": (20, 200, "packets"),
    "links.air.channel.loss": (1e-4, 0.02, ""),
}
SETUP = rl.Setup(step="rtt", observe=["delay", "gradient", "delivery", "loss"])
HIDDEN = 8
TRAINING, TEST = 1_000_000, 2_000_000
"""Seeds of paths: training and test never draw the same ones."""


class Paths:
    """The same drawn paths, once with random losses and one flow, and once without and with NewReno beside it."""

    def __init__(self, count: int, seed: int, duration: str, threads: int | None = None) -> None:
        base = lh.Scenario.load(os.path.join(HERE, "path.toml")).set("duration", duration)
        alone = rl.draw(base, RANGES, count, seed=seed)
        other = {"from": "server", "to": "mobile", "receive_window": "4 MB", "tcp": {"variant": "newreno", "initial_window": 10}}
        shared = [each.set("links.air.channel", "perfect").set("flows.other", other) for each in alone]
        self.count = count
        self.alone = rl.VectorEnv(alone, 1, threads=threads)
        self.shared = rl.VectorEnv(shared, 1, threads=threads)
        newreno = [each.set("flows.flow.tcp.variant", "newreno") for each in alone]
        reference = rl.VectorEnv(newreno, 1, threads=threads)
        self.reference = reference.play(["reno"], [(0, path, path) for path in range(count)])

    def rate(self, number: int) -> float:
        """The rate of the path's bottleneck, in bits per second."""
        change = next(each for each in self.alone.scenarios[number].changes if each.startswith("links.air.rate"))
        return float(change.split("=")[1].split()[0]) * 1e6


def layers(weights: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The weights of a network with one hidden layer, from one array."""
    inputs = len(SETUP.observe)
    first, bias, last, end = np.split(weights, np.cumsum([HIDDEN * inputs, HIDDEN, HIDDEN]))
    return [(first.reshape(HIDDEN, inputs), bias), (last.reshape(1, HIDDEN), end)]


SIZE = HIDDEN * len(SETUP.observe) + 2 * HIDDEN + 1


def scores(paths: Paths, candidates: list[np.ndarray], batch: np.ndarray) -> np.ndarray:
    """The mean score of each candidate over the paths of a batch."""
    policies = [rl.Policy(SETUP, layers(each)) for each in candidates]
    episodes = [(policy, int(path), int(path)) for policy in range(len(policies)) for path in batch]
    total = np.zeros((len(policies), len(batch)))
    for place, (episode, (_, path, _)) in enumerate(zip(paths.alone.play(policies, episodes), episodes)):
        reference = paths.reference[path]
        gain = np.log2(max(episode.goodput_bps, 1e3) / reference.goodput_bps)
        delay = np.log2(max(episode.p95_rtt_s, 1e-3) / reference.p95_rtt_s)
        total.flat[place] = gain - 4 * max(0.0, delay - 0.2)
    for place, episode in enumerate(paths.shared.play(policies, episodes)):
        total.flat[place] -= 8 * max(0.0, 0.45 - share(episode))
    return total.clip(-4).mean(axis=1)


def share(episode: rl.Episode) -> float:
    """NewReno's share of the goodput of both flows."""
    return episode.goodputs_bps["other"] / max(sum(episode.goodputs_bps.values()), 1.0)


def train(seed: int, generations: int, children: int, batch: int, paths: Paths) -> rl.Policy:
    """An evolution strategy: the mean of the better half of the children becomes their parent."""
    random = np.random.default_rng(seed)
    share_of = np.log(children / 2 + 0.5) - np.log(np.arange(1, children // 2 + 1))
    share_of /= share_of.sum()
    effective = 1 / (share_of**2).sum()
    damping = (effective + 2) / (SIZE + effective + 5)
    expected = SIZE**0.5 * (1 - 1 / (4 * SIZE) + 1 / (21 * SIZE**2))
    weights, sigma, path = random.normal(0, 0.1, SIZE), 0.5, np.zeros(SIZE)
    for generation in range(1, generations + 1):
        noise = random.normal(0, 1, (children, SIZE))
        chosen = random.choice(paths.count, batch, replace=False)
        tried = scores(paths, [weights + sigma * each for each in noise], chosen)
        step = share_of @ noise[np.argsort(-tried)[: children // 2]]
        weights = weights + sigma * step
        path = (1 - damping) * path + (damping * (2 - damping) * effective) ** 0.5 * step
        sigma *= float(np.exp(damping / (1 + damping) * (np.linalg.norm(path) / expected - 1)))
        text = f"seed {seed}, generation {generation}: mean score {tried.mean():.2f}, best {tried.max():.2f}"
        print(f"{text}, step size {sigma:.2f}", file=sys.stderr, flush=True)
    return rl.Policy(SETUP, layers(weights))


def constant(segments: int) -> rl.Policy:
    """A policy that always wants the same cwnd."""
    action = np.log(segments) / np.log(64) - 1
    return rl.Policy(rl.Setup(action="cwnd", observe=["delay"]), [([[0.0]], [float(np.arctanh(action))])])


def at_random(paths: Paths, seed: int) -> list[rl.Episode]:
    """Episodes with random actions, stepped from Python."""
    random, played = np.random.default_rng(seed), []
    env = rl.CongestionEnv(paths.alone.scenarios, step=SETUP.step, observe=SETUP.observe)
    for path in range(paths.count):
        env.reset(options={"scenario": path, "seed": path})
        ended = False
        while not ended:
            _, _, terminated, truncated, _ = env.step(random.uniform(-1, 1, 1))
            ended = terminated or truncated
        played.append(env.episode())
    return played


def interval(values: list[float]) -> tuple[float, float]:
    """Mean and half of the 95 % interval of Student's t over the paths [Abramowitz and Stegun 26.7.5]."""
    z, freedom = 1.959964, len(values) - 1
    quantile = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    quantile += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    return float(np.mean(values)), quantile * float(np.std(values, ddof=1)) / len(values) ** 0.5


def compare(paths: Paths, rows: dict[str, object]) -> list[str]:
    """A table: goodput and p95 RTT against NewReno's on the same air, and what NewReno keeps beside each."""
    lines = [f"{'':22}{'goodput / NewReno':>22}{'p95 RTT / NewReno':>22}{'NewReno beside it':>24}"]
    runs = [(0, path, path) for path in range(paths.count)]
    for name, control in rows.items():
        alone = at_random(paths, 1) if control is None else paths.alone.play([control], runs)
        gains = [np.log(a.goodput_bps / b.goodput_bps) for a, b in zip(alone, paths.reference)]
        delays = [np.log(a.p95_rtt_s / b.p95_rtt_s) for a, b in zip(alone, paths.reference)]
        cells = []
        for values in (gains, delays):
            mean, half = interval(values)
            cells.append(f"{np.exp(mean):.2f} ({np.exp(mean - half):.2f}..{np.exp(mean + half):.2f})")
        if control is None:
            cells.append("-")
        else:
            beside = paths.shared.play([control], runs)
            kept = [e.goodputs_bps["other"] / paths.rate(path) for path, e in enumerate(beside)]
            mean, half = interval(kept)
            cells.append(f"{100 * mean:.0f} % +- {100 * half:.0f} of the link")
        lines.append(f"{name:22}{cells[0]:>22}{cells[1]:>22}{cells[2]:>24}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--generations", type=int, default=160)
    parser.add_argument("--children", type=int, default=24, help="policies of a generation")
    parser.add_argument("--batch", type=int, default=12, help="paths of a generation")
    parser.add_argument("--paths", type=int, default=64, help="paths of the training")
    parser.add_argument("--tests", type=int, default=20, help="paths of the comparison")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--out", default="trained.toml", help="file of the first seed's policy; others get a number")
    options = parser.parse_args()

    training = Paths(options.paths, TRAINING, "10 s", options.threads)
    rows: dict[str, object] = {}
    for seed in options.seeds:
        start = time.process_time()
        policy = train(seed, options.generations, options.children, min(options.batch, options.paths), training)
        root, ending = os.path.splitext(options.out)
        file = options.out if seed == options.seeds[0] else f"{root}-{seed}{ending}"
        policy.save(file)
        print(f"seed {seed}: {file} after {time.process_time() - start:.0f} s of CPU time")
        rows[f"policy, seed {seed}"] = policy
    rows |= {"Reno with SACK": "reno", "CUBIC": "cubic", "random": None}
    rows |= {f"constant {segments}": constant(segments) for segments in (16, 64, 256)}
    print("\n".join(compare(Paths(options.tests, TEST, "20 s", options.threads), rows)))


if __name__ == "__main__":
    main()
