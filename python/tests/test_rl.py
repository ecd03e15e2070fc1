"""Tests of the environments for reinforcement learning, and of trained policies."""

import doctest
import importlib
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import gymnasium
import lasthop as lh
import lasthop.rl as rl
import numpy as np
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, parallel_seed_test

MODULES = ("lasthop.rl", "lasthop.rl._draw", "lasthop.rl._env", "lasthop.rl._policy", "lasthop.rl._setup")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

PATH = lh.Scenario("""
duration = "10 s"
nodes = { a = { kind = "host" }, r = { kind = "router" }, b = { kind = "host" } }
links.core = { kind = "wired", between = ["a", "r"], rate = "1 Gbps", delay = "1 ms", queue = "unlimited" }
links.air = { kind = "wired", between = ["r", "b"], rate = "8 Mbps", delay = "20 ms", queue = "50 packets", loss = 0.002 }
flows.flow = { from = "a", to = "b", receive_window = "2 MB", tcp.variant = "sack" }
flows.other = { from = "a", to = "b", start = "2 s", receive_window = "2 MB", tcp.variant = "newreno" }
""")
SMALL = PATH.set("flows.flow.bytes", "200 kB").set("flows.other.bytes", "200 kB")
KEEPS_A_QUEUE = rl.Policy(rl.Setup(observe=["delay"]), [([[-2.0]], [0.5])])


def load_tests(
    loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None
) -> unittest.TestSuite:
    """Add the examples in docstrings."""
    os.chdir(ROOT)
    for module in MODULES:
        tests.addTests(doctest.DocTestSuite(importlib.import_module(module)))
    return tests


def walk(env: gymnasium.Env, policy=None, seed: int = 1) -> list:
    """An episode with the actions of a policy, or always the same ones."""
    seen, info = env.reset(seed=seed)
    steps, ended = [seen.tobytes()], False
    while not ended:
        action = 0.1 if policy is None else policy.act(seen)
        seen, reward, terminated, truncated, info = env.step(np.array([action]))
        steps.append((seen.tobytes(), reward, terminated, truncated))
        ended = terminated or truncated
    return steps


class Environment(unittest.TestCase):
    def test_gymnasium_accepts_the_environment(self) -> None:
        with warnings.catch_warnings():
            # Recommendations of the checker, such as a range of rewards, are not errors.
            warnings.simplefilter("ignore")
            check_env(rl.CongestionEnv(SMALL), skip_render_check=True)
            made = gymnasium.make("lasthop/Congestion-v0", scenario=SMALL, step="20 ms")
        self.assertEqual(len(made.reset(seed=1)[0]), len(rl.FEATURES))

    def test_same_seed_gives_the_same_episode(self) -> None:
        for step in ("rtt", "ack", "50 ms"):
            for action in ("cwnd-factor", "cwnd", "pacing-factor"):
                first, second = (walk(rl.CongestionEnv(SMALL, step=step, action=action)) for _ in range(2))
                self.assertEqual(first, second, f"{step} {action}")
                self.assertGreater(len(first), 3)
        self.assertNotEqual(walk(rl.CongestionEnv(PATH), seed=1), walk(rl.CongestionEnv(PATH), seed=2))

    def test_observations_are_within_their_ranges(self) -> None:
        env = rl.CongestionEnv([PATH, SMALL], step="ack")
        random = np.random.default_rng(1)
        for episode in range(4):
            seen, _ = env.reset(seed=episode)
            ended = False
            while not ended:
                self.assertIn(seen, env.observation_space)
                seen, _, terminated, truncated, _ = env.step(random.uniform(-1, 1, 1))
                ended = terminated or truncated

    def test_completed_flow_terminates_and_endless_flow_is_truncated(self) -> None:
        self.assertEqual(walk(rl.CongestionEnv(SMALL))[-1][2:], (True, False))
        self.assertEqual(walk(rl.CongestionEnv(PATH))[-1][2:], (False, True))

    def test_step_after_the_end_is_refused(self) -> None:
        env = rl.CongestionEnv(SMALL)
        with self.assertRaisesRegex(lh.LasthopError, "call reset"):
            env.step([0.0])
        walk(env)
        with self.assertRaisesRegex(lh.LasthopError, "call reset"):
            env.step([0.0])

    def test_wrong_settings_are_named(self) -> None:
        for settings, expected in (
            ({"step": "20"}, "20 ms"),
            ({"step": "0 ms"}, "step"),
            ({"action": "window"}, "cwnd-factor"),
            ({"scale": float("nan")}, "finite"),
            ({"scale": 5}, "at most 4"),
            ({"observe": ["dlay"]}, 'found "dlay"'),
            ({"flow": "absent"}, 'found flow "absent", expected a flow over TCP: flow, other'),
        ):
            with self.assertRaisesRegex(lh.LasthopError, expected, msg=str(settings)):
                rl.CongestionEnv(PATH, **settings)
        with self.assertRaisesRegex(lh.LasthopError, "expected a lasthop.Scenario"):
            rl.CongestionEnv([])
        with self.assertRaisesRegex(lh.LasthopError, "links.air.rate"):
            rl.CongestionEnv(PATH.set("links.air.rate", "fast"))

    def test_nan_action_changes_nothing(self) -> None:
        def windows(action: float) -> bytes:
            env = rl.CongestionEnv(PATH, observe=["window"])
            env.reset(seed=1)
            return b"".join(env.step([action])[0].tobytes() for _ in range(20))

        self.assertEqual(windows(float("nan")), windows(0.0))
        self.assertNotEqual(windows(0.5), windows(0.0))

    def test_own_reward_replaces_the_reward(self) -> None:
        env = rl.CongestionEnv(SMALL, reward=lambda episode: -episode.time_s)
        env.reset(seed=1)
        _, reward, _, _, info = env.step([0.0])
        self.assertEqual(reward, -info["time_s"])

    def test_reward_is_that_of_the_documented_formula(self) -> None:
        env = rl.CongestionEnv(PATH.set("flows.flow.tcp.initial_window", 10), delay=0.0, loss=0.0)
        _, before = env.reset(seed=1)
        _, reward, _, _, after = env.step([0.0])
        # At ten segments there is no queue and no loss: the rate is that of the window.
        seconds = after["time_s"] - before["time_s"]
        self.assertAlmostEqual(reward / seconds, np.log2(1 + 10), delta=0.35)


class SameAir(unittest.TestCase):
    """The environment, a policy played without stops, and a scenario with its file are one simulation."""

    def test_policy_acts_alike_in_steps_in_episodes_and_in_scenarios(self) -> None:
        for rules in ({"step": "rtt"}, {"step": "ack", "scale": 0.1}, {"step": "30 ms", "action": "pacing-factor"}):
            setup = rl.Setup(observe=["delay", "loss"], **rules)
            policy = rl.Policy(setup, [([[-2.0, 0.1]], [0.4])])
            env = rl.CongestionEnv(PATH, observe=setup.observe, **rules)
            walk(env, policy, seed=5)
            stepped, played = env.episode(), env.baseline(policy)
            self.assertEqual([getattr(stepped, name) for name in stepped.__slots__],
                             [getattr(played, name) for name in played.__slots__])
            with tempfile.TemporaryDirectory() as folder:
                policy.save(os.path.join(folder, "trained.toml"))
                scenario = lh.Scenario(PATH.text, name=os.path.join(folder, "path.toml"))
                scenario = scenario.set("flows.flow.tcp.control", {"kind": "policy", "file": "trained.toml"})
                _, info = env.reset(seed=5)
                flows = scenario.run(seed=info["seed"] % 2**63, delays=False).flows
                env.reset(options={"seed": info["seed"] % 2**63})
                goodputs = env.baseline(policy).goodputs_bps
                self.assertEqual([flow["goodput_bps"] for flow in flows], list(goodputs.values()))

    def test_baseline_is_the_run_of_the_scenario_with_that_control(self) -> None:
        env = rl.CongestionEnv(PATH)
        env.reset(options={"seed": 9})
        for control in ("reno", "cubic", {"kind": "vegas", "alpha": 2, "beta": 4}):
            flows = PATH.set("flows.flow.tcp.control", control).run(seed=9, delays=False).flows
            baseline = env.baseline(control)
            self.assertEqual([flow["goodput_bps"] for flow in flows], list(baseline.goodputs_bps.values()))
            self.assertGreater(baseline.p95_rtt_s, baseline.min_rtt_s)
        with self.assertRaisesRegex(lh.LasthopError, "control"):
            env.baseline("warp")

    def test_learning_flow_meets_the_same_competitor(self) -> None:
        env = rl.CongestionEnv(PATH)
        walk(env)
        self.assertEqual(list(env.episode().goodputs_bps), ["flow", "other"])


class Vector(unittest.TestCase):
    def test_threads_do_not_change_the_episodes(self) -> None:
        def rewards(threads: int) -> bytes:
            env = rl.VectorEnv([PATH, SMALL], 5, threads=threads)
            env.reset(seed=3)
            random, all_rewards = np.random.default_rng(1), []
            for _ in range(300):
                seen, reward, *_ = env.step(random.uniform(-0.2, 0.3, (5, 1)))
                all_rewards += [seen.tobytes(), reward.tobytes()]
            return b"".join(all_rewards)

        self.assertEqual(rewards(1), rewards(3))

    def test_ended_environment_begins_again_at_the_next_step(self) -> None:
        env = rl.VectorEnv(SMALL, 2, threads=1)
        env.reset(seed=1)
        ends = 0
        for _ in range(200):
            _, rewards, terminated, _, info = env.step(np.full((2, 1), 0.2))
            for each in np.flatnonzero(terminated):
                self.assertTrue(info["episode"][each].completed)
                ends += 1
        self.assertGreater(ends, 4)

    def test_one_environment_is_the_single_environment(self) -> None:
        vector, single = rl.VectorEnv(PATH, 1), rl.CongestionEnv(PATH)
        vector._native.reset([(0, 0, 4)])
        single.reset(options={"seed": 4})
        for _ in range(50):
            seen, reward, *_ = vector.step(np.array([[0.1]]))
            one, its_reward, *_ = single.step([0.1])
            self.assertEqual((seen[0].tobytes(), reward[0]), (one.tobytes(), its_reward))

    def test_wrong_numbers_are_refused(self) -> None:
        env = rl.VectorEnv(PATH, 1)
        for episodes in ([(1, 0, 0)], [(0, 1, 0)]):
            with self.assertRaisesRegex(lh.LasthopError, "found 1, expected a whole number from 0 to 0"):
                env.play(["reno"], episodes)


class Parallel(unittest.TestCase):
    def test_pettingzoo_accepts_the_environment(self) -> None:
        env = rl.ParallelEnv(SMALL, ["flow", "other"], period="50 ms")
        parallel_api_test(env, num_cycles=300)
        parallel_seed_test(lambda: rl.ParallelEnv(SMALL, ["flow", "other"], period="50 ms"), num_cycles=50)

    def test_each_flow_follows_its_own_actions(self) -> None:
        env = rl.ParallelEnv(PATH.set("flows.other.start", "0 s"), ["flow", "other"])
        env.reset(seed=1)
        while env.agents:
            env.step({"flow": [0.3], "other": [-0.3]})
        episodes = env.episodes()
        self.assertGreater(episodes["flow"].goodput_bps, 3 * episodes["other"].goodput_bps)


class Policies(unittest.TestCase):
    def test_wrong_shapes_are_refused(self) -> None:
        setup = rl.Setup(observe=["delay", "loss"])
        for layers, expected in (
            ([([[1.0]], [0.0])], "a row of 1 weights"),
            ([([[1.0, 2.0], [1.0, 2.0]], [0.0, 0.0])], "2 outputs of the last layer"),
            ([([[1.0, float("inf")]], [0.0])], "finite"),
        ):
            with self.assertRaisesRegex(lh.LasthopError, expected):
                rl.Policy(setup, layers)
        with self.assertRaisesRegex(lh.LasthopError, "found 2 features, expected 1"):
            KEEPS_A_QUEUE.act([0.0, 1.0])

    def test_unwritable_file_is_named(self) -> None:
        with self.assertRaisesRegex(lh.LasthopError, "/nowhere/x.toml: No such file"):
            KEEPS_A_QUEUE.save("/nowhere/x.toml")

    def test_drawn_scenarios_depend_on_the_seed_alone(self) -> None:
        ranges = {"links.air.rate": (1, 50, "Mbps"), "links.air.queue": (10, 100, "packets"), "links.air.loss": (1e-4, 0.1, "")}
        self.assertEqual(rl.draw(PATH, ranges, 3, seed=1), rl.draw(PATH, ranges, 3, seed=1))
        self.assertNotEqual(rl.draw(PATH, ranges, 3, seed=1), rl.draw(PATH, ranges, 3, seed=2))
        for drawn in rl.draw(PATH, ranges, 20, seed=3):
            drawn.check()
        with self.assertRaisesRegex(lh.LasthopError, "expected a range above 0"):
            rl.draw(PATH, {"links.air.loss": (0, 0.1, "")}, 1, seed=1)

    def test_example_trains_and_compares(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "trained.toml")
            command = [sys.executable, os.path.join(ROOT, "examples/rl/train.py"), "--generations", "2", "--children", "4"]
            command += ["--batch", "2", "--paths", "4", "--tests", "4", "--out", file]
            ran = subprocess.run(command, capture_output=True, text=True, check=True)
            self.assertIn("policy, seed 1", ran.stdout)
            self.assertEqual(ran.stderr.count("mean score"), 2)
            scenario = lh.Scenario.load(os.path.join(ROOT, "examples/rl/path.toml"))
            scenario = scenario.set("flows.flow.tcp.control", {"kind": "policy", "file": file})
            self.assertGreater(scenario.run(seed=1).flows[0]["goodput_bps"], 0)


if __name__ == "__main__":
    unittest.main()
