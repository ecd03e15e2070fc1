"""Congestion controls written in Python."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import lasthop as lh
import support  # noqa: F401  lets interrupts through

ROOT = Path(__file__).resolve().parents[2]
LOSSY = """
duration = "20 s"
nodes = { a = { kind = "host" }, b = { kind = "host" } }
flows.f = { from = "a", to = "b", bytes = "2 MB", tcp = { control = "reno" } }
[links.air]
kind = "wireless"
between = ["a", "b"]
rate = "4 Mbps"
delay = "20 ms"
channel = { kind = "uniform", loss = 0.01 }
"""


class Reno(lh.Control):
    """Reno with growth per acknowledgment [RFC5681 s3.1]."""

    name = "python-reno"
    version = "1"

    def __init__(self, start: lh.Start) -> None:
        super().__init__(start)
        self.before = (self.cwnd, self.ssthresh)

    def on_ack(self, acked: lh.Acked) -> None:
        if self.cwnd <= self.ssthresh:
            self.cwnd += min(float(acked.bytes), self.segment)
        else:
            self.cwnd += self.segment * self.segment / self.cwnd

    def on_congestion(self, event: lh.Congestion) -> None:
        if event.kind == "notified":
            return
        if not event.again:
            self.before = (self.cwnd, self.ssthresh)
        if event.kind == "timeout" and event.nth >= 2:
            self.cwnd = self.segment
            return
        self.ssthresh = max(event.flight / 2.0, 2.0 * self.segment)
        if event.kind in ("timeout", "restart"):
            self.cwnd = self.segment
        else:
            self.cwnd = self.ssthresh

    def on_undo(self) -> None:
        self.cwnd, self.ssthresh = max(self.cwnd, self.before[0]), max(self.ssthresh, self.before[1])

    def on_idle(self, now: float, idle: float, restart: float | None) -> None:
        if restart is not None:
            self.cwnd = min(self.cwnd, restart)


class Draft(Reno):
    name = "draft"
    version = None


class Breaks(Reno):
    """Raises an exception at the first loss."""

    name = "breaks"

    def on_congestion(self, event: lh.Congestion) -> None:
        raise ZeroDivisionError("at the first loss")


class Shrinks(Reno):
    name = "shrinks"

    def on_ack(self, acked: lh.Acked) -> None:
        self.cwnd = float("nan")


def scenario(control: type[lh.Control]) -> lh.Scenario:
    return lh.Scenario(LOSSY).with_members(control).set("flows.f.tcp.control", control.name)


def without_names(run: lh.Run) -> list[dict[str, Any]]:
    return [{key: value for key, value in flow.items() if key != "variant"} for flow in run.flows]


class Controls(unittest.TestCase):
    def test_reno_in_python_gives_the_run_of_reno(self) -> None:
        for seed in range(1, 6):
            ours, theirs = scenario(Reno).run(seed=seed), lh.Scenario(LOSSY).run(seed=seed)
            self.assertGreater(theirs.flows[0]["segments_retransmitted"], 0)
            self.assertEqual(without_names(ours), without_names(theirs))

    def test_exception_ends_the_run_and_is_raised(self) -> None:
        with self.assertRaisesRegex(ZeroDivisionError, "at the first loss"):
            scenario(Breaks).run()
        with self.assertRaisesRegex(ValueError, "cwnd: found NaN, expected .* at least a segment"):
            scenario(Shrinks).run()

    def test_contracts_accept_reno_and_name_broken_contracts(self) -> None:
        lh.check_member(Reno)

        class Keeps(Reno):
            name = "keeps"

            def on_congestion(self, event: lh.Congestion) -> None:
                """Changes nothing."""

        with self.assertRaisesRegex(lh.LasthopError, 'congestion control "keeps" breaks the contract "a timeout'):
            lh.check_member(Keeps)
        with self.assertRaisesRegex(ZeroDivisionError, "at the first loss"):
            lh.check_member(Breaks)

    def test_wrong_pacing_rate_is_shown(self) -> None:
        class Paced(lh.Control):
            name = "paced"
            paces = True

            def on_ack(self, acked: lh.Acked) -> None:
                self.pacing_rate = -2.0

        with self.assertRaisesRegex(ValueError, "pacing_rate: found -2, expected bytes per second above 0"):
            scenario(Paced).run()

    def test_wrong_classes_and_settings_are_refused(self) -> None:
        wrong: list[Any] = [3, int, type("Nameless", (lh.Control,), {}), type("N", (lh.Control,), {"name": 3})]
        for control in wrong:
            with self.assertRaises(lh.LasthopError):
                lh.Scenario(LOSSY).with_members(control)
        taken = type("Taken", (lh.Control,), {"name": "cubic"})
        with self.assertRaisesRegex(lh.LasthopError, "already a congestion control"):
            lh.Scenario(LOSSY).with_members(taken).check()
        with self.assertRaisesRegex(lh.LasthopError, "beta"):
            scenario(Reno).set("flows.f.tcp.control", {"kind": "python-reno", "beta": 0.5}).check()

    def test_sweeps_by_threads_and_processes_are_equal(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            swept = []
            for executor in (None, ProcessPoolExecutor):
                store = f"{folder}/{len(swept)}.sqlite"
                swept.append(
                    scenario(Reno).sweep(
                        compare={"flows.f.tcp.control": ["reno", "python-reno"]}, replications=6, store=store, executor=executor
                    )
                )
            self.assertEqual(swept[0].json, swept[1].json)
            times = swept[0].table("flows")["completion_time_s"]
            self.assertEqual((len(times), len(set(times))), (12, 6))

    def test_results_without_a_version_enter_no_store(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(lh.LasthopError, 'Draft: found no version.*\n.*version = "1"'):
                scenario(Draft).sweep(replications=2, store=f"{folder}/s.sqlite")

    def test_run_that_raises_is_reported_with_its_traceback_and_skipped(self) -> None:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lossless = {"kind": "uniform", "loss": 0.0}
            swept = scenario(Breaks).sweep(
                axes={"links.air.channel": [{"kind": "uniform", "loss": 0.01}, lossless]},
                replications=2, retries=0, store=f"{folder}/s.sqlite",
            )
            self.assertEqual(len(swept.failed), 2)
            self.assertIn("test_controls.py", swept.failed[0].error)
            self.assertIn("at the first loss", swept.failed[0].error)
            self.assertEqual(len(swept.table("flows")), 2)

    def test_class_that_cannot_be_imported_is_refused_at_once(self) -> None:
        class Local(Reno):
            name = "local"

        with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(1) as pool:
            with self.assertRaisesRegex(lh.LasthopError, "Local cannot be sent to another process.*\n.*top of a module"):
                scenario(Local).sweep(replications=2, store=f"{folder}/s.sqlite", executor=pool)

    def test_interrupts_end_threads_that_call_classes(self) -> None:
        program = (
            "import sys, time; sys.path.insert(0, sys.argv[1]); import lasthop as lh; from test_controls import *\n"
            "class Endless(Reno):\n"
            "    name = 'endless'\n"
            "    def on_ack(self, acked):\n"
            "        print('running', flush=True)\n"
            "        while True: pass\n"
            "scenario(Endless).sweep(replications=8, progress=False)\n"
        )
        for interrupts in (1, 2):
            call = [sys.executable, "-W", "ignore", "-c", program, os.fspath(Path(__file__).parent)]
            with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
                assert client.stdout is not None
                client.stdout.readline()
                for _ in range(interrupts):
                    client.send_signal(signal.SIGINT)
                _, errors = client.communicate(timeout=60)
            self.assertIn("KeyboardInterrupt", errors)
            self.assertNotIn("Fatal", errors)
            # Ended by the exception, or by Python's own handler for it.
            self.assertIn(client.returncode, (1, 130, -signal.SIGINT))

    def test_scenarios_with_classes_can_be_pickled(self) -> None:
        ours = scenario(Reno)
        again = pickle.loads(pickle.dumps(ours))
        self.assertEqual(again, ours)
        self.assertEqual(again.run().json, ours.run().json)


def load_tests(
    loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None
) -> unittest.TestSuite:
    """The examples are found from the project's root."""
    os.chdir(ROOT)
    return tests


if __name__ == "__main__":
    unittest.main()
