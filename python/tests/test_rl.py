"""Tests of the environments for reinforcement learning, and of trained policies."""

import doctest
import importlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import gymnasium
import lasthop as lh
import lasthop.rl as rl
import numpy as np
import support  # noqa: F401  lets interrupts through
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import RecordEpisodeStatistics
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
BESIDE = PATH.set("flows.flow.bytes", "200 kB")
"""A flow that completes beside one that does not."""
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

    def test_episode_ends_with_the_driven_flow_while_another_runs(self) -> None:
        for step in ("rtt", "ack", "50 ms"):
            env = rl.CongestionEnv(BESIDE, step=step)
            self.assertEqual(walk(env)[-1][2:], (True, False))
            # 200 kB at 8 Mbps last 0.2 s, and small windows for tens of round trips of 42 ms; the scenario lasts 10 s.
            self.assertLess(env.episode().time_s, 5.0)
            self.assertGreater(env.episode().time_s, 0.2)
            self.assertTrue(env.episode().completed)
            self.assertLess(env.baseline("reno").time_s, 3.0)
        env = rl.CongestionEnv(BESIDE.set("flows.flow.tcp.handshake", True).set("flows.flow.tcp.close", True))
        self.assertEqual(walk(env)[-1][2:], (True, False))
        self.assertLess(env.episode().time_s, 3.0)

    def test_arriving_flows_do_not_prolong_an_episode(self) -> None:
        arrivals = {"from": "a", "to": "b", "rate": "20 /s", "sizes": {"kind": "fixed", "bytes": "10 kB"}}
        env = rl.CongestionEnv(BESIDE.set("arrivals.short", arrivals))
        self.assertEqual(walk(env)[-1][2:], (True, False))
        self.assertLess(env.episode().time_s, 3.0)

    def test_setup_is_an_alternative_to_settings(self) -> None:
        setup = rl.Setup(step="20 ms", observe=["delay", "loss"])
        with_setup, with_settings = rl.CongestionEnv(PATH, setup=setup), rl.CongestionEnv(PATH, step="20 ms", observe=["delay", "loss"])
        self.assertEqual(walk(with_setup), walk(with_settings))
        self.assertEqual(rl.VectorEnv(PATH, 2, setup=setup).reset(seed=1)[0].shape, (2, 2))
        self.assertIs(rl.ParallelEnv(PATH, flows=["flow"], setup=setup).setup, setup)
        for make in (
            lambda: rl.CongestionEnv(PATH, setup=setup, step="rtt"),
            lambda: rl.VectorEnv(PATH, setup=setup, step="rtt"),
            lambda: rl.ParallelEnv(PATH, ["flow"], setup=setup, period="20 ms"),
        ):
            with self.assertRaisesRegex(lh.LasthopError, "expected either a setup or its settings"):
                make()
        for make, expected in (
            (lambda: rl.CongestionEnv(PATH, setup={"step": "rtt"}), "expected a lasthop.rl.Setup"),
            (lambda: rl.CongestionEnv(PATH, flows=["flow"]), "^flows: .*expected flow, the name"),
            (lambda: rl.VectorEnv(PATH, flows=["flow"]), "^flows: .*expected flow, the name"),
            (lambda: rl.CongestionEnv(PATH, flow=["flow"]), "^flow: "),
            (lambda: rl.ParallelEnv(PATH, flow="flow", flows=["flow"]), "^flow: .*expected flows"),
            (lambda: rl.ParallelEnv(PATH, ["flow"], step="20 ms"), "^step: .*as period"),
            (lambda: rl.ParallelEnv(PATH, ["flow"], setup=rl.Setup()), '^period: found "rtt"'),
        ):
            with self.assertRaisesRegex(lh.LasthopError, expected):
                make()

    def test_unknown_options_of_a_reset_are_refused(self) -> None:
        for env, expected in (
            (rl.CongestionEnv(PATH), "scenario and seed"),
            (rl.VectorEnv(PATH, 2), "none"),
            (rl.ParallelEnv(PATH, ["flow"]), "scenario and seed"),
        ):
            with self.assertRaisesRegex(lh.LasthopError, f'options: found "sead", expected .*{expected}'):
                env.reset(options={"sead": 7})

    def test_step_accepts_any_unit_of_time(self) -> None:
        def times(step: str, **more) -> list[float]:
            env = rl.CongestionEnv(PATH, step=step, **more)
            _, first = env.reset(seed=1)
            return [first["time_s"], env.step([0.0])[4]["time_s"]]

        self.assertEqual(times("100ms"), times("100 ms"))
        self.assertEqual(times("0.1 s"), times("100 ms"))

    def test_step_after_the_end_is_refused(self) -> None:
        env = rl.CongestionEnv(SMALL)
        with self.assertRaisesRegex(lh.LasthopError, "call reset"):
            env.step([0.0])
        walk(env)
        with self.assertRaisesRegex(lh.LasthopError, "call reset"):
            env.step([0.0])

    def test_wrong_settings_are_refused_with_the_expected_value(self) -> None:
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

    def test_nan_action_leaves_the_window_unchanged(self) -> None:
        def windows(action: float) -> bytes:
            env = rl.CongestionEnv(PATH, observe=["window"])
            env.reset(seed=1)
            return b"".join(env.step([action])[0].tobytes() for _ in range(20))

        self.assertEqual(windows(float("nan")), windows(0.0))
        self.assertNotEqual(windows(0.5), windows(0.0))

    def test_reward_function_replaces_the_default_reward(self) -> None:
        env = rl.CongestionEnv(SMALL, reward=lambda episode: -episode.time_s)
        env.reset(seed=1)
        _, reward, _, _, info = env.step([0.0])
        self.assertEqual(reward, -info["time_s"])

    def test_reward_follows_the_documented_formula(self) -> None:
        env = rl.CongestionEnv(PATH.set("flows.flow.tcp.initial_window", 10), delay=0.0, loss=0.0)
        _, before = env.reset(seed=1)
        _, reward, _, _, after = env.step([0.0])
        # With ten segments there is neither a queue nor a loss. Therefore the rate is that of the window.
        seconds = after["time_s"] - before["time_s"]
        self.assertAlmostEqual(reward / seconds, np.log2(1 + 10), delta=0.35)


class Meddling(lh.Agent):
    """An agent that does anything at a packet."""

    name, version = "meddling", "1"
    at_packet = staticmethod(lambda: None)

    def before_air(self, packet, node):
        type(self).at_packet()


RADIO = lh.Scenario("""
duration = "10 s"
nodes = { a = { kind = "host" }, r = { kind = "base-station" }, b = { kind = "host" } }
links.core = { kind = "wired", between = ["a", "r"], rate = "1 Gbps", delay = "1 ms", queue = "unlimited" }
links.air = { kind = "wireless", between = ["r", "b"], rate = "8 Mbps", delay = "20 ms", queue = "50 packets" }
flows.flow = { from = "a", to = "b", receive_window = "2 MB", tcp.variant = "sack" }
""")


def meddling(at_packet) -> lh.Scenario:
    """A scenario whose agent calls a function at each packet."""
    cls = type("Meddler", (Meddling,), {"at_packet": staticmethod(at_packet)})
    return RADIO.with_members(cls).with_scheme("meddling")


class Classes(unittest.TestCase):
    """Classes in Python within episodes."""

    def test_second_thread_can_read_state_during_a_step(self) -> None:
        program = """
import threading, time
import lasthop.rl as rl
from test_rl import meddling
env = rl.CongestionEnv(meddling(lambda: time.sleep(0.0005)))
env.reset(seed=1)
ended, looks = threading.Event(), []
def look():
    while not ended.is_set():
        looks.append((env.episode().time_s, env._native.observations()))
watcher = threading.Thread(target=look)
watcher.start()
for _ in range(30):
    env.step([0.0])
ended.set()
watcher.join()
print(len(looks) > 0)
"""
        self.assertEqual(self.program(program).strip(), "True")

    def program(self, text: str) -> str:
        """The output of a program, which may hang."""
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", text], capture_output=True, text=True, timeout=60, check=False,
            cwd=os.path.dirname(os.path.abspath(__file__)),
        )
        self.assertEqual(ran.stderr, "")
        return ran.stdout

    def test_class_that_calls_its_own_environment_gets_an_error(self) -> None:
        program = """
import lasthop as lh, lasthop.rl as rl
from test_rl import meddling
for make in (rl.CongestionEnv, lambda scenario: rl.VectorEnv(scenario, 2, threads=2)):
    for call in (lambda: env._native.stats(0), lambda: env._native.observations(), lambda: env.step([[0.0]] * env.count),
                 lambda: env.reset(seed=1)):
        calling = False
        def at_packet():
            if calling:
                call()
        env = make(meddling(at_packet))
        env.count = getattr(env, "num_envs", 1)
        env.reset(seed=1)
        calling = True
        try:
            env.step([[0.0]] * env.count)
        except lh.LasthopError as error:
            print("by a class of its own scenario" in str(error))
"""
        self.assertEqual(self.program(program).split(), ["True"] * 8)

    def test_exception_of_a_class_ends_the_episode(self) -> None:
        broken = False

        def at_packet() -> None:
            if broken:
                raise ValueError("broken")

        for env, action in (
            (rl.CongestionEnv(meddling(at_packet)), [0.0]),
            (rl.VectorEnv([meddling(at_packet)], 3, threads=2), np.zeros((3, 1))),
            (rl.ParallelEnv(meddling(at_packet), ["flow"], period="100 ms"), {"flow": [0.0]}),
        ):
            broken = False
            env.reset(seed=1)
            env.step(action)
            broken = True
            with self.assertRaisesRegex(ValueError, "broken"):
                env.step(action)
            broken = False
            for use in (lambda: env.step(action), lambda: env._native.stats(0)):  # noqa: B023
                with self.assertRaisesRegex(lh.LasthopError, r"call reset\(\)"):
                    use()
            env.reset(seed=1)
            env.step(action)
            broken = True
            with self.assertRaisesRegex(ValueError, "broken"):
                env.reset(seed=1)
            with self.assertRaisesRegex(lh.LasthopError, r"call reset\(\)"):
                env.step(action)

    def test_class_of_the_scenario_plays_an_episode(self) -> None:
        class Fixed(lh.Control):
            name, version = "fixed", "1"

            def __init__(self, start: lh.Start, segments: int = 10) -> None:
                super().__init__(start)
                self.cwnd = segments * start.segment

        scenario = PATH.with_members(Fixed)
        env = rl.CongestionEnv(scenario)
        env.reset(options={"seed": 9})
        for control in ("fixed", {"kind": "fixed", "segments": 4}):
            flows = scenario.set("flows.flow.tcp.control", control).run(seed=9, delays=False).flows
            episode = env.baseline(control)
            self.assertEqual([flow["goodput_bps"] for flow in flows], list(episode.goodputs_bps.values()))
            self.assertGreater(episode.steps, 10)
        with self.assertRaisesRegex(lh.LasthopError, 'control: found "absent", expected one of .*reno.*, fixed'):
            env.baseline("absent")
        with self.assertRaisesRegex(lh.LasthopError, "the class accepts; it raised TypeError"):
            env.baseline({"kind": "fixed", "packets": 4})
        with self.assertRaisesRegex(lh.LasthopError, 'found "fixed"'):
            rl.VectorEnv([scenario, PATH]).play(["fixed"], [(0, 0, 1), (0, 1, 1)])


class Interrupts(unittest.TestCase):
    """Ctrl-C during native work."""

    LONG = PATH.set("duration", "100000 s").set("links.air.rate", "1 Gbps").set("links.air.loss", 0)
    LONG = LONG.set("flows.flow.tcp.initial_window", 100)

    def interrupted(self, act) -> None:
        sent = []

        def send() -> None:
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.3, send)
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                act()
            self.assertLess(time.monotonic() - sent[0], 0.5)
        finally:
            timer.cancel()

    def test_ctrl_c_ends_work_at_once(self) -> None:
        for threads in (1, 2):
            with self.subTest(threads=threads):
                vector = rl.VectorEnv(self.LONG, 4, step="10000 s", threads=threads)
                self.interrupted(lambda: vector.play(["reno"], [(0, 0, seed) for seed in range(4)]))  # noqa: B023
                self.interrupted(lambda: vector.reset(seed=1))  # noqa: B023
                with self.assertRaisesRegex(lh.LasthopError, r"call reset\(\)"):
                    vector.step(np.zeros((4, 1)))
        parallel = rl.ParallelEnv(self.LONG, ["flow", "other"], period="10000 s")
        vector = rl.VectorEnv(self.LONG, 2, threads=2)
        vector.reset(seed=1)
        self.interrupted(lambda: [vector.step(np.zeros((2, 1))) for _ in range(10**9)])
        self.interrupted(lambda: parallel.reset(seed=1))


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

    def test_stepped_and_played_episodes_end_alike(self) -> None:
        for scenario in (BESIDE, SMALL, BESIDE.set("flows.flow.tcp.handshake", True).set("flows.flow.tcp.close", True)):
            for step in ("rtt", "ack", "50 ms"):
                env = rl.CongestionEnv(scenario, step=step, observe=["delay"])
                policy = rl.Policy(env.setup, [([[-2.0]], [0.5])])
                walk(env, policy, seed=5)
                stepped, played = env.episode(), env.baseline(policy)
                self.assertEqual([getattr(stepped, name) for name in stepped.__slots__],
                                 [getattr(played, name) for name in played.__slots__])

    def test_rtt_is_measured_at_the_sender_of_either_direction(self) -> None:
        # The control of the receiving end takes no steps: it sends no data.
        for scenario in (PATH, PATH.set("flows.flow.from", "b").set("flows.flow.to", "a")):
            for opens in (False, True):
                env = rl.CongestionEnv(scenario.set("flows.flow.tcp.handshake", opens))
                env.reset(seed=1)
                for control in ("reno", KEEPS_A_QUEUE):
                    episode = env.baseline(control)
                    self.assertGreater(episode.steps, 50)
                    self.assertGreater(episode.mean_rtt_s, 0.042)

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
                self.assertTrue(info["measurements"][each].completed)
                ends += 1
        self.assertGreater(ends, 4)

    def test_statistics_of_gymnasium_are_recorded(self) -> None:
        env = RecordEpisodeStatistics(rl.VectorEnv(SMALL, 2, threads=1))
        env.reset(seed=1)
        ends, earned = 0, np.zeros(2)
        for _ in range(200):
            _, rewards, terminated, _, info = env.step(np.full((2, 1), 0.2))
            earned += rewards
            for each in np.flatnonzero(terminated):
                self.assertAlmostEqual(info["episode"]["r"][each], earned[each])
                # The reward includes that of the time before the first action.
                self.assertGreater(info["measurements"][each].reward, earned[each])
                self.assertTrue(info["_measurements"][each])
                earned[each] = 0.0
                ends += 1
        self.assertGreater(ends, 4)

    def test_reward_function_replaces_the_default_reward(self) -> None:
        env = rl.VectorEnv(SMALL, 2, reward=lambda episode: -episode.time_s)
        env.reset(seed=1)
        for _ in range(3):
            _, rewards, *_ = env.step(np.zeros((2, 1)))
            self.assertEqual(list(rewards), [-env.episode(each).time_s for each in range(2)])

    def test_vector_of_one_environment_equals_the_single_environment(self) -> None:
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

    def test_periods_are_exact_and_have_any_unit(self) -> None:
        for period, seconds in (("4.1 ms", 0.0041), ("100ms", 0.1), ("0.05 min", 3.0)):
            env = rl.ParallelEnv(PATH, ["flow"], period=period)
            env.reset(seed=1)
            self.assertEqual(env.episodes()["flow"].time_s, seconds)
        for period in ("0 ms", "20", "rtt", "-1 s", "100 MS"):
            with self.assertRaisesRegex(lh.LasthopError, f'^period: found "{period}", expected a time above 0'):
                rl.ParallelEnv(PATH, ["flow"], period=period)

    def test_episode_ends_with_the_flows_that_learn(self) -> None:
        env = rl.ParallelEnv(BESIDE, ["flow"], period="50 ms")
        env.reset(seed=1)
        while env.agents:
            _, _, terminated, truncated, _ = env.step({"flow": [0.0]})
        self.assertEqual((terminated, truncated), ({"flow": True}, {"flow": False}))
        self.assertLess(env.episodes()["flow"].time_s, 6.0)

    def test_info_of_a_reset_used_as_options_repeats_the_episode(self) -> None:
        env = rl.ParallelEnv([PATH, SMALL], ["flow", "other"], reward=lambda episode: -episode.time_s)
        _, infos = env.reset(seed=1)
        air = infos["flow"]
        self.assertEqual(infos, {"flow": air, "other": air})
        first = [env.step({"flow": [0.3], "other": [0.1]})[0]["flow"].tobytes() for _ in range(5)]
        self.assertEqual(env.reset(options=air)[1], infos)
        again = [env.step({"flow": [0.3], "other": [0.1]}) for _ in range(5)]
        self.assertEqual([seen["flow"].tobytes() for seen, *_ in again], first)
        self.assertEqual(again[-1][4], infos)
        self.assertAlmostEqual(again[-1][1]["flow"], -0.6)

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

    def test_loaded_policy_equals_the_saved_one(self) -> None:
        setup = rl.Setup(step="4.1 ms", action="pacing-factor", scale=0.3, observe=["loss", "delay"])
        policy = rl.Policy(setup, [([[0.1, -2.5e-7], [1 / 3, 2.0]], [0.5, 0.0]), ([[1.0, -1.0]], [1e-3])])
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "trained.toml")
            policy.save(file)
            read = rl.Policy.load(file)
            self.assertEqual((read.setup.rules, read.layers), (setup.rules, policy.layers))
            self.assertEqual((read.toml(), read.act([0.1, 0.7])), (policy.toml(), policy.act([0.1, 0.7])))
            copied = pickle.loads(pickle.dumps(policy))
            self.assertEqual((copied.toml(), copied.act([0.1, 0.7])), (policy.toml(), policy.act([0.1, 0.7])))
            for contents, expected in ((b"layers = 3", "policy: "), (b"\xff", "utf-8"), (b"[rules]\nstep = 'x'", "step")):
                with open(file, "wb") as wrong:
                    wrong.write(contents)
                with self.assertRaisesRegex(lh.LasthopError, f"^{file}: (?s:.*){expected}"):
                    rl.Policy.load(file)
        with self.assertRaisesRegex(lh.LasthopError, "/nowhere/x.toml: No such file"):
            rl.Policy.load("/nowhere/x.toml")

    def test_acting_does_not_read_the_policy_again(self) -> None:
        random = np.random.default_rng(1)
        shapes = ((64, 2), (64, 64), (1, 64))
        policy = rl.Policy(rl.Setup(observe=["delay", "loss"]), [(random.normal(size=each), random.normal(size=each[0])) for each in shapes])
        start = time.process_time()
        for _ in range(1000):
            policy.act([0.1, 0.2])
        # The network has 4300 multiplications. Reading its text takes 9 s.
        self.assertLess(time.process_time() - start, 1.0)

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

    def test_training_example_writes_a_policy_and_prints_scores(self) -> None:
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
