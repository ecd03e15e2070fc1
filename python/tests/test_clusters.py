"""Sweeps on Dask and loky: workers and clients that are killed, and schedulers that are restarted."""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from typing import Any

import lasthop as lh
import loky
from dask.distributed import Client, LocalCluster
from lasthop import _executor
from support import FULL, ROOT
from test_agents import Icmp
from test_controls import Reno

# The evaluation of the thesis has 180 transfers in a replication, and 18,000 with all replications of the thesis.
# Transfers without losses are the same for each length of bursts, so that 150 are run.
SCENARIO = ROOT / "examples" / "goel1997-tables.toml"
REPLICATIONS = 100 if FULL else 6
TRANSFERS, RUNS = 180 * REPLICATIONS, 150 * REPLICATIONS
EXAMPLE = os.fspath(ROOT / "examples" / "cluster" / "dask_sweep.py")

warnings.simplefilter("ignore", lh.ScenarioWarning)


def exported(store: str | os.PathLike[str]) -> dict[str, bytes]:
    """The tables of a store as CSV files."""
    with tempfile.TemporaryDirectory() as folder:
        return {os.path.basename(path): Path(path).read_bytes() for path in lh.Store(store).export(folder, "csv")}


def free_port() -> int:
    """A free port."""
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


class Clusters(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]
    expected: dict[str, bytes]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.scenario = lh.Scenario.load(SCENARIO)
        cls.scenario.sweep(replications=REPLICATIONS, store=cls.path("threads.sqlite"), progress=False)
        cls.expected = exported(cls.path("threads.sqlite"))
        # Shorter batches in the quick test, of which there are enough to be hit.
        seconds = _executor.BATCH_SECONDS
        _executor.BATCH_SECONDS = 1.0 if FULL else 0.15
        cls.addClassCleanup(setattr, _executor, "BATCH_SECONDS", seconds)

    @classmethod
    def path(cls, name: str) -> str:
        return os.path.join(cls.folder.name, name)

    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_dask_loses_no_run_when_workers_are_killed(self) -> None:
        hits, ended, submitted, port = 0, threading.Event(), Counted(), free_port()
        with Supervised(port) as workers, Client(f"tcp://127.0.0.1:{port}") as client:
            client.wait_for_workers(2)

            def kill() -> None:
                """Kill workers while they run batches, until three of ten batches are hit."""
                nonlocal hits
                draws = random.Random(1)
                while not ended.wait(0.2):
                    workers.restart()
                    running = [name for name, tasks in client.processing().items() if tasks]
                    if running and hits <= 0.3 * submitted.count:
                        hits += workers.kill(draws.choice(sorted(running)))

            killer = threading.Thread(target=kill)
            killer.start()
            try:
                with submitted:
                    swept = self.scenario.sweep(
                        replications=REPLICATIONS, store=self.path("dask.sqlite"), executor=client, progress=False
                    )
            finally:
                ended.set()
                killer.join()
        self.assertEqual((swept.failed, swept.done), ([], RUNS))
        self.assertGreaterEqual(hits, 0.2 * submitted.count, f"{submitted.count} batches")
        self.assertEqual(exported(self.path("dask.sqlite")), self.expected)

    def test_classes_run_on_dask_as_in_threads(self) -> None:
        scenario = lh.Scenario.load(ROOT / "examples" / "goel-refined.toml").with_members(Reno, Icmp)
        scenario = scenario.set("flows.download.tcp.control", "python-reno")
        swept = []
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            for executor in (None, client.get_executor()):
                swept.append(
                    scenario.sweep(
                        compare={"scheme": ["unmodified", "python-icmp"]}, replications=5, executor=executor,
                        store=self.path(f"classes-{len(swept)}.sqlite"), progress=False,
                    )
                )
        self.assertEqual([(each.done, each.failed) for each in swept], [(10, []), (10, [])])
        self.assertEqual(swept[0].json, swept[1].json)

    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_loky_loses_no_run_when_workers_are_killed(self) -> None:
        killed, ended, pools = 0, threading.Event(), []

        def pool() -> Any:
            pools.append(loky.ProcessPoolExecutor(2))
            return pools[-1]

        def kill() -> None:
            nonlocal killed
            while killed < 3 and not ended.wait(0.3):
                processes = list(pools[-1]._processes) if pools else []
                if processes:
                    os.kill(processes[0], signal.SIGKILL)
                    killed += 1

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            swept = self.scenario.sweep(
                replications=REPLICATIONS, store=self.path("loky.sqlite"), progress=False,
                executor=pool,
            )
        finally:
            ended.set()
            killer.join()
        self.assertGreater(killed, 0)
        self.assertEqual((swept.failed, exported(self.path("loky.sqlite"))), ([], self.expected))

    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_sweep_goes_on_after_the_scheduler_and_the_client_were_killed(self) -> None:
        store, port = self.path("restarted.sqlite"), free_port()
        command = [sys.executable, EXAMPLE, os.fspath(SCENARIO), "--scheduler", f"tcp://127.0.0.1:{port}"]
        command += ["--replications", str(REPLICATIONS), "--store", store]
        with Dask(port):
            # Killed before its end.
            client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            self.wait_for_runs(store, TRANSFERS // 10, client)
            client.kill()
            client.communicate()
        before = len(lh.Store(store).table("flows"))
        with Dask(port) as dask:
            # The scheduler is killed first, and then the client, which waits for the scheduler.
            client = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self.wait_for_runs(store, before + TRANSFERS // 10, client)
            dask.scheduler.kill()
            time.sleep(1.0)
            client.kill()
            client.communicate()
        between = len(lh.Store(store).table("flows"))
        with Dask(port):
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(TRANSFERS // 10 <= before < between < TRANSFERS, f"{before} and {between} runs")
        made = re.match(rf"{RUNS} runs, (\d+) made now, 0 failed", done.stdout)
        self.assertTrue(made and 0 < int(made[1]) < RUNS - RUNS // 10, done.stdout)
        self.assertEqual(exported(store), self.expected)

    def wait_for_runs(self, store: str, count: int, client: subprocess.Popen[str]) -> None:
        """Wait until a store has this number of runs."""
        for _ in range(3000):
            try:
                if len(lh.Store(store).table("flows")) >= count:
                    return
            except lh.LasthopError:
                # Not yet begun.
                pass
            self.assertIsNone(client.poll(), "the client has ended too early")
            time.sleep(0.02)
        self.fail("the sweep does not proceed")


class Counted:
    """Counts the batches that are submitted meanwhile."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> None:
        self.submit = submit = _executor.Driver.submit

        def counted(driver: _executor.Driver, batch: Any) -> bool:
            self.count += 1
            return submit(driver, batch)

        _executor.Driver.submit = counted  # type: ignore[method-assign]

    def __exit__(self, *_: object) -> None:
        _executor.Driver.submit = self.submit  # type: ignore[method-assign]


HERE: dict[str, Any] = {"cwd": ROOT, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def scheduler(port: int) -> subprocess.Popen[bytes]:
    """A scheduler of Dask."""
    run = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)]
    return subprocess.Popen([*run, "--no-dashboard"], **HERE)


class Supervised:
    """A scheduler with two workers, each started again when it has died, as by a batch system.

    Dask's own nannies give up a worker that dies while it starts.
    """

    def __init__(self, port: int) -> None:
        self.port, self.scheduler = port, scheduler(port)
        self.workers: dict[int, subprocess.Popen[bytes]] = {}

    def restart(self) -> None:
        """Start the workers that do not run."""
        for number in (0, 1):
            worker = self.workers.get(number)
            if worker is None or worker.poll() is not None:
                address = f"tcp://127.0.0.1:{self.port}"
                run = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1"]
                self.workers[number] = subprocess.Popen([*run, "--no-dashboard"], **HERE)

    def kill(self, address: str) -> int:
        """Kill the worker with this address; return 1, or 0 if it is gone."""
        port = int(address.rsplit(":", 1)[1])
        for worker in self.workers.values():
            if worker.poll() is None and port in listening(worker.pid):
                worker.kill()
                return 1
        return 0

    def __enter__(self) -> "Supervised":
        self.restart()
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers.values(), self.scheduler):
            process.kill()
            process.wait()


def listening(process: int) -> set[int]:
    """The ports on which a process listens."""
    import psutil

    try:
        connections = psutil.Process(process).net_connections("tcp")
    except psutil.NoSuchProcess:
        return set()
    return {connection.laddr.port for connection in connections if connection.status == psutil.CONN_LISTEN}


class Dask:
    """A scheduler with two workers, as processes."""

    def __init__(self, port: int) -> None:
        self.scheduler = scheduler(port)
        run = [sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}"]
        self.workers = subprocess.Popen([*run, "--nworkers", "2", "--nthreads", "1", "--no-dashboard"], **HERE)

    def __enter__(self) -> "Dask":
        return self

    def __exit__(self, *_: object) -> None:
        self.workers.terminate()
        self.workers.wait()
        self.scheduler.kill()
        self.scheduler.wait()


if __name__ == "__main__":
    unittest.main()
