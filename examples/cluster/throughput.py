"""The throughput of sweeps on Dask with several workers on this machine, and what limits it with more.

    python examples/cluster/throughput.py [--workers 1 2 4] [--runs 4000] [--bytes "5 MB"]

The model: a worker with a core of its own takes `run` seconds for a run, with the engine's share in it. This process takes `keep`
seconds to store a run, and with Dask's scheduler `task` seconds for a batch of B runs, measured by empty tasks. N workers then
make min(N / run, 1 / (keep + task / B)) runs a second.
"""

import argparse
import os
import tempfile
import time

from dask.distributed import Client, LocalCluster

import lasthop as lh
from lasthop._executor import BATCH_SECONDS, Driver

TASKS = 2000
"""Empty tasks by which the engine is measured."""


def measured(scenario: lh.Scenario, runs: int, **options: object) -> tuple[float, float]:
    """Seconds of a sweep, and those in which this process stored results."""
    stored, keep = 0.0, Driver.keep

    def timed(driver: Driver, *arguments: object) -> object:
        nonlocal stored
        began = time.perf_counter()
        try:
            return keep(driver, *arguments)
        finally:
            stored += time.perf_counter() - began

    with tempfile.TemporaryDirectory() as folder:
        Driver.keep = timed
        began = time.perf_counter()
        try:
            swept = scenario.sweep(replications=runs, store=os.path.join(folder, "s.sqlite"), progress=False, **options)
        finally:
            Driver.keep = keep
        assert swept.done == runs
        return time.perf_counter() - began, stored


def nothing(number: int) -> int:
    """An empty task; the number makes each another one."""
    return number


def per_task(client: Client) -> float:
    """Seconds of an empty task."""
    began = time.perf_counter()
    client.gather(client.map(nothing, range(TASKS), pure=False))
    return (time.perf_counter() - began) / TASKS


def main() -> None:
    """Print the table and the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", nargs="?", default="examples/goel-refined.toml")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--bytes", default="5 MB", help="size of the scenario's flow download")
    arguments = parser.parse_args()
    scenario = lh.Scenario.load(arguments.scenario).set("flows.download.bytes", arguments.bytes)
    alone, _ = measured(scenario, arguments.runs, jobs=1)
    print(f"{'one thread':12}{1e3 * alone / arguments.runs:8.2f} ms a run{arguments.runs / alone:8.0f} runs/s")
    run = keep = task = 0.0
    for count in arguments.workers:
        with LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster:
            with Client(cluster) as client:
                wall, stored = measured(scenario, arguments.runs, executor=client.get_executor())
                task = per_task(client)
        name = "1 worker" if count == 1 else f"{count} workers"
        run = max(run, wall * count / arguments.runs) if count == 1 else run
        keep = stored / arguments.runs
        print(f"{name:12}{1e3 * wall / arguments.runs:8.2f} ms a run{arguments.runs / wall:8.0f} runs/s", end="")
        print(f", {1e3 * keep:.3f} ms to store a run, {1e3 * task:.2f} ms for an empty task")
        if count == 1:
            print(f"{'':12}overhead against one thread: {100 * (wall / alone - 1):.0f} %")
    if run:
        batch = max(1.0, BATCH_SECONDS / run)
        limit = 1 / (keep + task / batch)
        for count in (10, 100):
            print(f"model, {count} workers: {min(count / run, limit):.0f} runs/s")
        print(f"at most {limit:.0f} runs/s, from {limit * run:.0f} workers on")


if __name__ == "__main__":
    main()
