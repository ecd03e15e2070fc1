"""Tests of the package, some by comparison with the command: `python3 -m unittest discover python/tests`."""

import contextlib
import doctest
import importlib
import json
import multiprocessing
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
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import lasthop as lh
from lasthop import _lasthop
from support import FULL, REFINED, ROOT, command

warnings.simplefilter("ignore", lh.ScenarioWarning)


def completion_time(seed: int) -> float:
    """For other processes."""
    time: float = lh.Scenario.load(REFINED).run(seed=seed).flows[0]["completion_time_s"]
    return time


def kill_group(group: int) -> None:
    """Kill what is left of a process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def load_tests(
    loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None
) -> unittest.TestSuite:
    """Add the examples in docstrings."""
    os.chdir(ROOT)
    files = sorted((ROOT / "python" / "lasthop").glob("_[a-z]*.py"))
    for module in ["lasthop", *(f"lasthop.{file.stem}" for file in files)]:
        tests.addTests(doctest.DocTestSuite(importlib.import_module(module)))
    return tests


class Command(unittest.TestCase):
    def test_named_cases_equal_those_of_the_scenario(self) -> None:
        tables = lh.Scenario.load(ROOT / "examples" / "goel1997-tables.toml")
        cases = {
            "no-loss": {"scheme": "unmodified", "links.air.channel": "perfect"},
            **{scheme: {"scheme": scheme} for scheme in ("unmodified", "simple-icmp", "refined-icmp")},
        }
        axes = {"links.wire.delay": ["100 ms"], "links.air.channel.mean_bad": ["100 ms"]}
        axes["flows.download.receive_window"] = ["4 KiB"]
        theirs = tables.sweep(axes=axes, replications=2)
        ours = tables.set("sweep.compare", {}).sweep(axes=axes, cases=cases, replications=2)
        self.assertEqual(ours.json, theirs.json)
        rows = theirs.rows()
        self.assertEqual([row["case"] for row in rows], list(cases))
        self.assertEqual([row["mean"] for row in rows], [entry["mean"] for entry in theirs.summary])
        self.assertEqual(repr(theirs), "<SweepResult: 8 runs, 8 made now, in <temporary Store>>")
        with self.assertRaisesRegex(lh.LasthopError, "found beside compare"):
            tables.sweep(cases=cases, compare={"scheme": ["snoop"]})
        with self.assertRaisesRegex(lh.LasthopError, "links has a value, expected keys below it"):
            tables.sweep(cases={"x": {"links": 3, "links.air": 4}})

    def test_sweeps_equal_those_of_the_command(self) -> None:
        set_axes = "sweep.axes.links.air.channel.mean_bad=[\"100 ms\", \"300 ms\"]"
        set_cases = "sweep.compare.scheme=[\"unmodified\", \"snoop\"]"
        with tempfile.TemporaryDirectory() as folder:
            store = f"{folder}/theirs.sqlite"
            printed = command(
                "sweep", "examples/goel-refined.toml", "--set", set_axes, "--set", set_cases, "--replications", "3",
                "--out", store, "--json",
            )
            swept = lh.Scenario.load("examples/goel-refined.toml").sweep(
                axes={"links.air.channel.mean_bad": ["100 ms", "300 ms"]},
                compare={"scheme": ["unmodified", "snoop"]},
                replications=3,
                store=f"{folder}/ours.sqlite",
            )
            self.assertEqual((swept.done, swept.wanted), (12, 12))
            self.assertEqual(swept.json, printed)
            command("export", store, "--format", "csv", "--out", f"{folder}/theirs")
            swept.store.export(f"{folder}/ours", "csv")
            for table in ("flows", "links", "summary"):
                ours, theirs = Path(folder, "ours", f"{table}.csv"), Path(folder, "theirs", f"{table}.csv")
                self.assertEqual(ours.read_bytes(), theirs.read_bytes(), table)
            command("report", f"{folder}/ours.sqlite", "--no-budget", "--out", f"{folder}/theirs.html")
            self.assertEqual(swept.report(), Path(folder, "theirs.html").read_text())
            # The store of the command is used, and finished runs are not repeated.
            again = lh.Scenario.load("examples/goel-refined.toml").sweep(
                axes={"links.air.channel.mean_bad": ["100 ms", "300 ms"]},
                compare={"scheme": ["unmodified", "snoop"]},
                replications=3,
                store=store,
            )
            self.assertEqual((again.done, again.json), (0, printed))
            self.assertEqual(len(lh.Store(store).table("flows")), 12)

    def test_python_module_runs_the_command(self) -> None:
        arguments = ["run", "examples/goel-refined.toml", "--json", "--no-out"]
        run = subprocess.run([sys.executable, "-m", "lasthop", "-q", *arguments], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(run.stdout, command(*arguments))
        wrong = subprocess.run([sys.executable, "-m", "lasthop", "run", "none.toml"], capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("none.toml", wrong.stderr)


class Values(unittest.TestCase):
    def test_errors_have_place_and_hint(self) -> None:
        text = REFINED.read_text().replace('"1 Mbps"', '"1 mbps"', 1)
        with self.assertRaises(lh.LasthopError) as caught:
            lh.Scenario(text, name="mine.toml").run()
        problem = caught.exception.problems[0]
        self.assertEqual((problem.file, problem.found), ("mine.toml", '"1 mbps"'))
        self.assertIn(str(problem.line), str(caught.exception))
        self.assertIn("1 Mbps", problem.hint or "")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.problems[0].key), (str(caught.exception), problem.key))

    def test_wrong_values_are_refused(self) -> None:
        scenario = lh.Scenario.load(REFINED)
        for value in (float("nan"), float("inf"), object(), {"a": {1, 2}}):
            with self.assertRaises(lh.LasthopError):
                scenario.set("seed", value)
        for wrong in (lambda: lh.Scenario.load("none.toml"), lambda: lh.Store("none.sqlite"), lambda: scenario.sweep(jobs=0)):
            with self.assertRaises(lh.LasthopError):
                wrong()
        with self.assertRaises(lh.LasthopError):
            scenario.with_seed(-1)
        with self.assertRaises(lh.LasthopError):
            scenario.plot(panels=["none"])
        with self.assertRaises(lh.LasthopError):
            scenario.plot(start="yesterday")

    def test_warnings_are_python_warnings(self) -> None:
        scenario = lh.Scenario.load(REFINED).set("links.air.queue", "100 B")
        expected = [str(warning) for warning in scenario.check()]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scenario.run()
        self.assertEqual([str(warning.message) for warning in caught], expected)
        self.assertGreater(len(expected), 0)

    def test_values_survive_pickling(self) -> None:
        scenario = lh.Scenario.load(REFINED).set("links.air.channel.mean_bad", "200 ms").with_seed(7)
        self.assertEqual(pickle.loads(pickle.dumps(scenario)), scenario)
        run = scenario.run(traces=["congestion"])
        again = pickle.loads(pickle.dumps(run))
        self.assertEqual((again.json, again.files), (run.json, run.files))
        self.assertGreater(len(run.trace("congestion")), 1000)
        with self.assertRaises(lh.LasthopError):
            run.trace("none")

    def test_other_processes_and_threads_give_the_same_results(self) -> None:
        expected = [completion_time(seed) for seed in (1, 2)]
        for method in ("spawn", "fork"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                self.assertEqual(pool.map(completion_time, [1, 2]), expected, method)
        found: dict[int, float] = {}
        threads = [threading.Thread(target=lambda seed=seed: found.update({seed: completion_time(seed)})) for seed in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([found[1], found[2]], expected)

    def test_recordings_can_be_given(self) -> None:
        text = (ROOT / "examples" / "cellular.toml").read_text()
        trace = (ROOT / "examples" / "cellular-down.trace").read_bytes()
        given = lh.Scenario(text, name="elsewhere.toml", files={"cellular-down.trace": trace}).run()
        self.assertEqual(given.flows, lh.Scenario.load(ROOT / "examples" / "cellular.toml").run().flows)


def killed_by_replication_7(run: Callable[..., Any], batch: str, *rest: Any) -> Any:
    """Dies with the run of replication 7."""
    if any(7 in part["replications"] for part in json.loads(batch)["parts"]):
        os.kill(os.getpid(), signal.SIGKILL)
    return run(batch, *rest)


class Poisoned(ProcessPoolExecutor):
    def submit(self, run: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        return super().submit(killed_by_replication_7, run, *arguments, **named)


class Forgets(Executor):
    """Loses every third task."""

    def __init__(self) -> None:
        self.pool, self.count = ThreadPoolExecutor(2), 0

    def submit(self, run: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.count += 1
        return Future() if self.count % 3 == 0 else self.pool.submit(run, *arguments, **named)


class ForgetsFirst(Executor):
    """Loses the first two tasks, which are all of a small sweep."""

    def __init__(self) -> None:
        self.pool, self.count = ThreadPoolExecutor(2), 0

    def submit(self, run: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.count += 1
        return Future() if self.count <= 2 else self.pool.submit(run, *arguments, **named)


class Executors(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def swept(self, name: str, **options: Any) -> lh.SweepResult:
        return lh.Scenario.load(REFINED).sweep(
            axes={"links.air.channel.mean_bad": ["100 ms", "300 ms"]},
            compare={"scheme": ["unmodified", "snoop"]},
            store=f"{self.folder.name}/{name}.sqlite",
            **options,
        )

    def exported(self, swept: lh.SweepResult) -> str:
        swept.store.export(f"{swept.store.path}.csv", "csv")
        return Path(f"{swept.store.path}.csv", "flows.csv").read_text()

    def test_executors_give_the_store_of_threads(self) -> None:
        expected = self.swept("threads", replications=12)
        with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:
            for name, executor in (("thread-pool", threads), ("process-pool", processes)):
                swept = self.swept(name, replications=12, executor=executor)
                self.assertEqual((swept.json, swept.done, swept.failed), (expected.json, 48, []), name)
                self.assertEqual(self.exported(swept), self.exported(expected), name)
                again = self.swept(name, replications=13, executor=executor)
                self.assertEqual((again.done, again.wanted), (4, 52))

    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_sweeps_until_precise_equal_those_of_threads(self) -> None:
        results = []
        for executor in (None, ThreadPoolExecutor(2)):
            scenario = lh.Scenario.load(REFINED).set(
                "sweep.replications", {"precision": 0.01, "min": 5, "max": 60}
            )
            results.append(scenario.sweep(store=f"{self.folder.name}/{len(results)}.sqlite", executor=executor))
        self.assertEqual(results[0].json, results[1].json)
        self.assertGreater(results[0].wanted, 5)

    def test_recordings_reach_workers_in_another_directory(self) -> None:
        os.chdir(ROOT)
        cellular = lh.Scenario.load("examples/cellular.toml").set("duration", "3 s")
        expected = cellular.sweep(replications=2, store=f"{self.folder.name}/here.sqlite")
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, context, initializer=os.chdir, initargs=(self.folder.name,)) as executor:
            swept = cellular.sweep(replications=2, store=f"{self.folder.name}/there.sqlite", executor=executor)
        self.assertEqual((swept.json, swept.failed), (expected.json, []))

    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_killed_workers_lose_no_run(self) -> None:
        wanted, stop = 1000, threading.Event()
        pools: list[ProcessPoolExecutor] = []
        killed: list[int] = []

        def pool() -> ProcessPoolExecutor:
            pools.append(ProcessPoolExecutor(2, multiprocessing.get_context("fork")))
            return pools[-1]

        def kill() -> None:
            while not stop.wait(1.5):
                for process in list(pools[-1]._processes or {}) if pools else []:
                    # If a worker is killed while it sends a result, a part of a message remains, for which CPython's
                    # pool waits forever. While this lock is held, no worker sends.
                    with pools[-1]._result_queue._wlock:
                        os.kill(process, signal.SIGKILL)
                    killed.append(process)
                    break

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            swept = self.swept("killed", replications=wanted // 4, executor=pool)
        finally:
            stop.set()
            killer.join()
        self.assertGreater(len(killed), 0)
        self.assertEqual((swept.done, swept.failed), (wanted, []))
        self.assertEqual(self.exported(swept), self.exported(self.swept("whole", replications=wanted // 4)))

    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_sweep_of_a_killed_client_continues_without_repeating_stored_runs(self) -> None:
        program = (
            "import sys, lasthop as lh; from concurrent.futures import ProcessPoolExecutor\n"
            "if __name__ == '__main__':\n"
            "    swept = lh.Scenario.load(sys.argv[1]).sweep(replications=400, store=sys.argv[2],\n"
            "        executor=lambda: ProcessPoolExecutor(2), progress=False)\n"
            "    print(swept.done)\n"
        )
        file, store = Path(self.folder.name, "client.py"), f"{self.folder.name}/client.sqlite"
        file.write_text(program)
        call = [sys.executable, os.fspath(file), os.fspath(REFINED), store]
        kept = 0
        # A group of its own, for the workers outlive a client that is killed.
        with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as client:
            self.addCleanup(kill_group, client.pid)
            while client.poll() is None and kept < 20:
                time.sleep(0.1)
                if os.path.exists(store):
                    try:
                        kept = len(lh.Store(store).table("flows"))
                    except (lh.LasthopError, KeyError):
                        continue
            client.kill()
        kept = len(lh.Store(store).table("flows"))
        self.assertIn(kept, range(20, 400))
        done = subprocess.run(call, capture_output=True, text=True, check=True).stdout
        self.assertEqual(int(done), 400 - kept)
        whole = lh.Scenario.load(REFINED).sweep(replications=400, store=f"{self.folder.name}/whole.sqlite")
        lh.Store(store).export(f"{store}.csv", "csv")
        self.assertEqual(Path(f"{store}.csv", "flows.csv").read_text(), self.exported(whole))

    def test_tasks_that_an_executor_loses_are_submitted_again(self) -> None:
        executor = Forgets()
        with mock.patch("lasthop._executor.STALL_SECONDS", 0.1):
            swept = self.swept("lost", replications=10, executor=executor)
        self.assertEqual((swept.done, swept.failed), (40, []))
        self.assertGreater(executor.count, 3)
        self.assertEqual(self.exported(swept), self.exported(self.swept("whole", replications=10)))

    def test_first_tasks_are_submitted_again_if_all_are_lost(self) -> None:
        executor = ForgetsFirst()
        with mock.patch("lasthop._executor.STALL_SECONDS", 0.1):
            swept = self.swept("lost-first", replications=2, executor=executor)
        self.assertEqual((swept.done, swept.failed), (8, []))

    def test_run_that_kills_its_worker_is_reported_and_skipped(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            swept = lh.Scenario.load(REFINED).sweep(
                replications=10,
                store=f"{self.folder.name}/poisoned.sqlite",
                executor=lambda: Poisoned(2, multiprocessing.get_context("fork")),
                retries=1,
            )
        self.assertEqual([failed.run for failed in swept.failed], ["replication 7"])
        self.assertEqual(sorted(swept.table("flows")["replication"]), [0, 1, 2, 3, 4, 5, 6, 8, 9])

    def test_broken_executor_keeps_finished_runs(self) -> None:
        scenario, store = lh.Scenario.load(REFINED), f"{self.folder.name}/broken.sqlite"
        with Poisoned(1, multiprocessing.get_context("fork")) as executor:
            with self.assertRaisesRegex(lh.LasthopError, "no longer works.*\n.*same call continues"):
                scenario.sweep(replications=10, store=store, executor=executor)
        kept = len(lh.Store(store).table("flows"))
        self.assertEqual(scenario.sweep(replications=10, store=store).done, 10 - kept)

    def test_batch_of_another_version_is_refused_with_its_version(self) -> None:
        with self.assertRaisesRegex(lh.LasthopError, "lasthop 9.9.9 .model 99."):
            _lasthop.run_batch(json.dumps({"lasthop": "9.9.9", "model": [99, 1], "delays": False, "parts": []}), "s", {}, [])

    def test_wrong_executors_are_refused(self) -> None:
        for executor in (3, "dask"):
            with self.assertRaises(lh.LasthopError):
                self.swept("none", executor=executor)


class Signals(unittest.TestCase):
    def test_interrupted_sweep_keeps_finished_runs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = f"{folder}/s.sqlite"
            scenario = lh.Scenario.load(REFINED)
            main = os.getpid()
            threading.Timer(1.0, lambda: os.kill(main, signal.SIGINT)).start()
            began = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                scenario.sweep(replications=100_000, metrics=["goodput_bps"], store=store)
            self.assertLess(time.monotonic() - began, 30)
            kept = len(lh.Store(store).table("flows"))
            self.assertGreater(kept, 0)
            swept = scenario.sweep(replications=kept + 5, metrics=["goodput_bps"], store=store)
            self.assertLess(swept.done, 5 + kept, "kept runs are not repeated")
            self.assertEqual(swept.wanted, kept + 5)


if __name__ == "__main__":
    unittest.main()
