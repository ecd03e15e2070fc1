"""A sweep on Dask: on this machine, or on the cluster of a scheduler.

    python examples/cluster/dask_sweep.py [SCENARIO] [--scheduler tcp://HOST:8786] [--workers 2] [--store NAME.sqlite]

Workers need the same version of lasthop. Workers may die, and so may this program: the same command goes on.
"""

import argparse

from dask.distributed import Client, LocalCluster

import lasthop as lh


def main() -> None:
    """Run the sweep, and print its size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", nargs="?", default="examples/goel-refined.toml")
    parser.add_argument("--scheduler", help="the address of a scheduler; by default a cluster on this machine")
    parser.add_argument("--workers", type=int, default=2, help="workers of the cluster on this machine")
    parser.add_argument("--replications", type=int, default=None)
    parser.add_argument("--store", default="dask.sqlite")
    arguments = parser.parse_args()
    scenario = lh.Scenario.load(arguments.scenario)
    cluster = arguments.scheduler or LocalCluster(
        n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None
    )
    with Client(cluster) as client:
        swept = scenario.sweep(
            replications=arguments.replications, store=arguments.store, executor=client.get_executor()
        )
    print(f"{swept.wanted} runs, {swept.done} made now, {len(swept.failed)} failed; kept in {arguments.store}")


if __name__ == "__main__":
    main()
