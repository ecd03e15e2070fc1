"""Full disks, other versions, what cannot be pickled, interrupts: clear exceptions, and no finished run is lost."""

import contextlib
import gc
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from pickle import PicklingError
from typing import Any

import lasthop as lh
import lasthop.rl as rl
import numpy as np
from support import FULL, ROOT

SMALL = lh.Scenario("""
duration = "500 ms"
nodes = { a = { kind = "host" }, b = { kind = "host" } }
links.air = { kind = "wired", between = ["a", "b"], rate = "2 Mbps", delay = "5 ms", loss = 0.02 }
flows.f = { from = "a", to = "b", bytes = "20 kB" }
""")
RUNS = 200


def setUpModule() -> None:
    os.chdir(ROOT)
    warnings.simplefilter("ignore")


@contextlib.contextmanager
def full_disk(most: int) -> Iterator[None]:
    """Meanwhile no file can grow beyond `most` bytes, as on a disk without space. Nothing may be printed."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def exported(self, store: str) -> bytes:
        [*_, flows] = sorted(lh.Store(store).export(f"{store}.csv", "csv"), key=lambda path: path.endswith("flows.csv"))
        return Path(flows).read_bytes()

    def whole(self) -> bytes:
        """The flows of a sweep without faults."""
        store = self.path("whole.sqlite")
        SMALL.sweep(replications=RUNS, store=store)
        return self.exported(store)


class FullDisks(Faults):
    def test_full_disk_keeps_finished_runs_and_the_same_call_continues(self) -> None:
        expected = self.whole()
        executors: list[tuple[str, Callable[[], Executor] | None]] = [
            ("threads", None), ("pool", lambda: ThreadPoolExecutor(2)), ("processes", lambda: ProcessPoolExecutor(1)),
        ]  # fmt: skip
        for name, executor in executors:
            with self.subTest(name):
                store = self.path(f"{name}.sqlite")
                with self.assertRaises(lh.LasthopError) as caught, full_disk(150_000):
                    SMALL.sweep(replications=RUNS, store=store, executor=executor, progress=False)
                self.assertRegex(str(caught.exception), f"{store}: cannot be written: .*(full|quota).*\n.*finished runs are stored")
                kept = len(lh.Store(store).table("flows"))
                self.assertIn(kept, range(1, RUNS))
                swept = SMALL.sweep(replications=RUNS, store=store, executor=executor)
                self.assertEqual((swept.done, swept.failed), (RUNS - kept, []))
                self.assertEqual(self.exported(store), expected)

    def test_full_disk_ends_the_workers(self) -> None:
        pools: list[ProcessPoolExecutor] = []

        def pool() -> ProcessPoolExecutor:
            pools.append(ProcessPoolExecutor(1))
            return pools[-1]

        with self.assertRaises(lh.LasthopError), full_disk(150_000):
            SMALL.sweep(replications=RUNS, store=self.path("s.sqlite"), executor=pool, progress=False)
        with self.assertRaisesRegex(RuntimeError, "after shutdown"):
            pools[0].submit(os.getpid)

    def test_disk_full_from_the_beginning_is_reported(self) -> None:
        for most in (0, 5_000):
            store = self.path(f"{most}.sqlite")
            with self.assertRaisesRegex(lh.LasthopError, f"{store}: cannot be written: .*(full|quota)"), full_disk(most):
                SMALL.sweep(replications=2, store=store, progress=False)
            self.assertEqual(SMALL.sweep(replications=2, store=store).done, 2)

    def test_full_disk_keeps_the_runs_of_comparisons_and_papers(self) -> None:
        store = self.path("compared.sqlite")
        schemes = ["unmodified", "snoop"]
        scenario = lh.Scenario.load("examples/snoop.toml").set("duration", "1 s")
        with self.assertRaisesRegex(lh.LasthopError, f"{store}: cannot be written"), full_disk(150_000):
            scenario.compare(schemes=schemes, replications=50, store=store, progress=False)
        kept = len(lh.Store(store).table("flows"))
        self.assertGreater(scenario.compare(schemes=schemes, replications=50, store=store).done, 0)
        self.assertLess(kept, 100)
        paper = self.path("paper.sqlite")
        with self.assertRaisesRegex(lh.LasthopError, f"{paper}: cannot be written"), full_disk(150_000):
            lh.reproduce("disconnections2012", replications=2, store=paper, progress=False)

    def test_files_are_written_completely_or_not_at_all(self) -> None:
        store = SMALL.sweep(replications=20, store=self.path("s.sqlite")).store
        wide = rl.Policy(rl.Setup(), [([[0.1] * 8] * 100, [0.0] * 100), ([[0.1] * 100], [0.0])])
        reproduction = lh.Reproduction("p", 2, "[]", "all", "html" * 1000, "<svg/>")
        writes: list[tuple[str, Callable[[str], object]]] = [
            ("report.html", lambda file: store.report(file)),
            ("picture.svg", lambda file: lh.Picture("p", "x" * 5_000, None).save(file)),
            ("policy.toml", wide.save),
            ("flows.csv", lambda file: store.export(os.path.dirname(file), "csv")),
            ("flows.parquet", lambda file: store.export(os.path.dirname(file), "parquet")),
            ("report.html", lambda file: reproduction.save(os.path.dirname(file))),
        ]
        for number, (name, write) in enumerate(writes):
            with self.subTest(name):
                folder = self.path(f"out{number}")
                os.mkdir(folder)
                file = os.path.join(folder, name)
                Path(file).write_text("old")
                with self.assertRaisesRegex(lh.LasthopError, f"{file}: File too large"), full_disk(1_000):
                    write(file)
                self.assertEqual(Path(file).read_text(), "old")
                self.assertEqual([left for left in os.listdir(folder) if left.endswith(".partial")], [])
                write(file)
                self.assertGreater(os.path.getsize(file), 1_000)

    def test_device_without_space_is_named(self) -> None:
        with self.assertRaisesRegex(lh.LasthopError, "/dev/full: No space left on device"):
            rl.Policy(rl.Setup(observe=["delay"]), [([[1.0]], [0.0])]).save("/dev/full")

    def test_error_of_an_unwritable_place_has_its_path(self) -> None:
        file = self.path("file")
        Path(file).write_text("no directory")
        picture, store = lh.Picture("p", "<svg/>", None), SMALL.sweep(replications=1, store=self.path("s.sqlite")).store
        writes: list[tuple[str, Callable[[], object]]] = [
            (f"{file}/p.svg: Not a directory", lambda: picture.save(f"{file}/p.svg")),
            (f"{file}/out: Not a directory", lambda: lh.Pictures([picture]).save(f"{file}/out")),
            (f"{file}: File exists", lambda: lh.Pictures([picture]).save(file)),
            (f"{file}/r.html: Not a directory", lambda: store.report(f"{file}/r.html")),
            (f"{file}: not a directory", lambda: store.export(file, "csv")),
            (f"{file}/s.sqlite: cannot be written: .*", lambda: SMALL.sweep(replications=1, store=f"{file}/s.sqlite")),
            (f"{self.folder}: Is a directory", lambda: store.report(self.folder)),
        ]
        for expected, write in writes:
            with self.assertRaisesRegex(lh.LasthopError, expected):
                write()

    def test_target_of_a_symbolic_link_is_written(self) -> None:
        target, link = self.path("target.svg"), self.path("link.svg")
        os.symlink("target.svg", link)
        lh.Picture("p", "<svg/>", None).save(link)
        self.assertTrue(os.path.islink(link))
        self.assertEqual(Path(target).read_text(), "<svg/>")


class Versions(Faults):
    def test_store_of_a_newer_format_is_refused(self) -> None:
        store = self.path("newer.sqlite")
        SMALL.sweep(replications=2, store=store)
        with contextlib.closing(sqlite3.connect(store)) as db:
            db.execute("PRAGMA user_version = 99")
        before = Path(store).read_bytes()
        for use in (lambda: lh.Store(store), lambda: SMALL.sweep(replications=3, store=store)):
            with self.assertRaisesRegex(lh.LasthopError, f"{store}: was written by a newer lasthop: format 99, .*\n.*another store"):
                use()
        self.assertEqual(Path(store).read_bytes(), before)

    def test_store_of_another_model_is_refused(self) -> None:
        """An append-only store names the model in its first line."""
        store = self.path("other.jsonl")
        SMALL.sweep(replications=2, store=store)
        first, rest = Path(store).read_bytes().split(b"\n", 1)
        header = {**json.loads(first), "model": 99, "lasthop": "9.9.9"}
        del header["crc32"]
        text = json.dumps(header, separators=(",", ":"))[1:]
        Path(store).write_bytes(f'{{"crc32":"{zlib.crc32(text.encode()):08x}",{text}\n'.encode() + rest)
        before = Path(store).read_bytes()
        ours = f"lasthop {lh.__version__} .model {lh.MODEL_VERSION}"
        for use in (lambda: lh.Store(store), lambda: SMALL.sweep(replications=3, store=store)):
            with self.assertRaisesRegex(lh.LasthopError, f"{store}: was written by lasthop 9.9.9 .model 99, .* {ours}.*\n.*merge"):
                use()
        self.assertEqual(Path(store).read_bytes(), before)

    def test_runs_of_another_model_are_kept_and_repeated(self) -> None:
        """The keys of runs in SQLite depend on the model: those of another one are not found."""
        store = self.path("s.sqlite")
        SMALL.sweep(replications=3, store=store)
        with contextlib.closing(sqlite3.connect(store)) as db:
            db.create_function("row_checksum", -1, checksum)
            db.execute("UPDATE runs SET digest = zeroblob(16), checksum = row_checksum(zeroblob(16), replication, summary, metric_set)")
            db.commit()
        self.assertEqual(SMALL.sweep(replications=3, store=store).done, 3)
        with contextlib.closing(sqlite3.connect(store)) as db:
            self.assertEqual(db.execute("SELECT count(*) FROM runs").fetchone(), (6,))

    def test_altered_model_of_a_store_is_reported_as_damage(self) -> None:
        store = self.path("s.sqlite")
        SMALL.sweep(replications=2, store=store)
        with contextlib.closing(sqlite3.connect(store)) as db:
            db.execute("UPDATE sweeps SET model = 99")
            db.commit()
        for use in (lambda: lh.Store(store), lambda: SMALL.sweep(replications=3, store=store)):
            with self.assertRaisesRegex(lh.LasthopError, f"{store}: 1 of its rows is damaged.*\n.*lasthop verify"):
                use()

    def test_batch_of_another_version_is_refused_and_finished_runs_are_kept(self) -> None:
        store, batches = self.path("s.sqlite"), 0

        class Mixed(ThreadPoolExecutor):
            """From the third batch on its workers get those of another version."""

            def submit(self, run: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
                nonlocal batches
                batches += 1
                if batches > 2:
                    batch = {**json.loads(arguments[0]), "lasthop": "9.9.9"}
                    arguments = (json.dumps(batch), *arguments[1:])
                return super().submit(run, *arguments, **named)

        with self.assertRaisesRegex(lh.LasthopError, f"lasthop 9.9.9 .model .* this process has lasthop {lh.__version__}"):
            SMALL.sweep(replications=RUNS, store=store, executor=lambda: Mixed(1))
        kept = len(lh.Store(store).table("flows"))
        self.assertIn(kept, range(1, RUNS))
        self.assertEqual(SMALL.sweep(replications=RUNS, store=store).done, RUNS - kept)


def checksum(*columns: object) -> int:
    """That of a row, as the store calculates it; see `crates/lab/src/store/checksum.rs`."""
    encoded = b""
    for column in columns:
        if isinstance(column, int):
            encoded += b"i" + column.to_bytes(8, "big", signed=True)
        else:
            assert isinstance(column, (str, bytes))
            kind, contents = (b"t", column.encode()) if isinstance(column, str) else (b"b", column)
            encoded += kind + len(contents).to_bytes(8, "big") + contents
    return zlib.crc32(encoded)


class Unpicklable(Faults):
    def test_function_that_makes_no_executor_is_refused(self) -> None:
        wrong: list[Any] = [lambda: None, lambda: 3, dict]
        for function in wrong:
            with self.assertRaisesRegex(lh.LasthopError, "executor: found .*, expected a function that makes"):
                SMALL.sweep(replications=2, store=self.path("s.sqlite"), executor=function)

    def test_executor_that_was_shut_down_is_refused(self) -> None:
        pool = ThreadPoolExecutor(1)
        pool.shutdown()
        with self.assertRaisesRegex(lh.LasthopError, "the executor no longer works: .*shutdown.*\n.*same call continues"):
            SMALL.sweep(replications=2, store=self.path("s.sqlite"), executor=pool)

    def test_batch_that_cannot_be_sent_ends_the_sweep_and_finished_runs_are_kept(self) -> None:
        store, batches = self.path("s.sqlite"), 0

        class Refuses(ThreadPoolExecutor):
            def submit(self, run: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
                nonlocal batches
                batches += 1
                if batches == 1:
                    return super().submit(run, *arguments, **named)
                failed: Future[Any] = Future()
                failed.set_exception(PicklingError("a lock"))
                return failed

        with self.assertRaisesRegex(lh.LasthopError, "a batch cannot be sent to the executor: a lock"):
            SMALL.sweep(replications=RUNS, store=store, executor=lambda: Refuses(1))
        kept = len(lh.Store(store).table("flows"))
        self.assertLess(kept, RUNS)
        self.assertEqual(SMALL.sweep(replications=RUNS, store=store).done, RUNS - kept)

    def test_class_defined_in_a_function_runs_in_threads_but_not_in_processes(self) -> None:
        class Local(lh.Control):
            name, version = "local", "1"

        scenario = SMALL.with_members(Local).set("flows.f.tcp.control", "local")
        self.assertEqual(scenario.sweep(replications=2).failed, [])
        with self.assertRaisesRegex(lh.LasthopError, "Local cannot be sent to another process.*\n.*use threads"):
            scenario.sweep(replications=2, store=self.path("s.sqlite"), executor=lambda: ProcessPoolExecutor(1))


class NotNumbers(unittest.TestCase):
    def test_nan_is_refused_with_the_key(self) -> None:
        nan = float("nan")
        for refused, key in (
            (lambda: SMALL.set("links.air.loss", nan), "links.air.loss"),
            (lambda: SMALL.set("links.air.loss", np.float64(nan)), "links.air.loss"),
            (lambda: SMALL.set("flows.f.tcp.control", {"kind": "vegas", "alpha": nan}), "flows.f.tcp.control"),
            (lambda: SMALL.sweep(axes={"links.air.loss": [0.1, nan]}), "axes[links.air.loss]"),
            (lambda: SMALL.sweep(compare={"links.air.loss": [nan]}), "compare[links.air.loss]"),
        ):
            with self.assertRaisesRegex(lh.LasthopError, "found nan, expected a finite number") as caught:
                refused()
            [problem] = caught.exception.problems
            self.assertEqual((problem.key, problem.found, problem.expected), (key, "nan", "a finite number"))

    def test_case_may_have_any_name_without_quotes(self) -> None:
        cases = {"a.b c": {"links.air.rate": "3 Mbps"}, "plain": {}}
        swept = SMALL.sweep(cases=cases, replications=1)
        self.assertEqual({row["case"] for row in swept.rows()}, set(cases))
        for wrong in ("a=b", 'a"b', ""):
            with self.assertRaisesRegex(lh.LasthopError, "cases: found .*, expected a name without"):
                SMALL.sweep(cases={wrong: {}}, replications=1)

    def test_nan_of_an_argument_is_refused_with_its_name(self) -> None:
        nan: Any = float("nan")
        for refused, name in (
            (lambda: SMALL.run(seed=nan), "seed"),
            (lambda: SMALL.sweep(replications=nan), "replications"),
            (lambda: SMALL.sweep(jobs=nan), "jobs"),
            (lambda: SMALL.sweep(retries=nan), "retries"),
            (lambda: SMALL.compare(replications=nan), "replications"),
            (lambda: SMALL.explain(top=nan), "top"),
            (lambda: SMALL.plot(start=nan), "start"),
            (lambda: SMALL.plot(size=(nan, 100)), "size"),
            (lambda: rl.Setup(scale=nan), "scale"),
            (lambda: rl.VectorEnv(SMALL, nan), "num_envs"),
        ):
            with self.subTest(name), self.assertRaisesRegex(lh.LasthopError, f"^{name}: found nan, expected") as caught:
                refused()
            self.assertEqual(caught.exception.problems[0].file, name)

    def test_numbers_of_numpy_are_numbers(self) -> None:
        changed = SMALL.set("links.air.loss", np.float64(0.25)).set("seed", np.int64(7))
        self.assertEqual(changed.changes, ["links.air.loss=0.25", "seed=7"])
        swept = SMALL.sweep(axes={"links.air.loss": np.array([0.0, 0.5])}, replications=np.int64(2))  # type: ignore[dict-item, arg-type]
        self.assertEqual(swept.wanted, 4)

    def test_texts_keep_their_characters(self) -> None:
        for title in ("😀", "é\x7f", 'a"b\\c\n'):
            scenario = SMALL.set("nodes", {"a": {"kind": "host"}, "b": {"kind": "host"}, title: {"kind": "host"}})
            with self.assertRaises(lh.LasthopError) as caught:
                scenario.set("links.air.between", ["a", "c"]).check()
            self.assertNotIn("unicode", str(caught.exception))

    def test_key_of_many_parts_and_deep_values_are_refused(self) -> None:
        with self.assertRaisesRegex(lh.LasthopError, "expected a key of at most 64 parts"):
            SMALL.set("links" + ".a" * 100_000, 1).check()
        loop: list[Any] = []
        loop.append(loop)
        with self.assertRaisesRegex(lh.LasthopError, "levels of lists"):
            SMALL.set("seed", loop)

    def test_control_that_is_a_policy_without_its_network_is_refused(self) -> None:
        env = rl.CongestionEnv(SMALL)
        with self.assertRaisesRegex(lh.LasthopError, "give the Policy itself"):
            env.baseline({"kind": "policy", "file": "trained.toml"})


class Interrupts(Faults):
    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_interrupted_sweep_on_executors_loses_no_finished_run(self) -> None:
        for name, make in (("threads", ThreadPoolExecutor), ("processes", ProcessPoolExecutor)):
            with self.subTest(name):
                store, main = self.path(f"{name}.sqlite"), os.getpid()
                timer = threading.Timer(0.8, lambda: os.kill(main, signal.SIGINT))  # noqa: B023
                timer.start()
                with self.assertRaises(KeyboardInterrupt):
                    SMALL.sweep(replications=1_000_000, store=store, executor=lambda: make(1), progress=False)  # noqa: B023
                timer.join()
                kept = len(lh.Store(store).table("flows"))
                self.assertGreater(kept, 0)
                swept = SMALL.sweep(replications=kept + 5, store=store)
                self.assertLessEqual(swept.done, 5)

    def test_signal_in_a_constructor_is_not_reported_as_a_wrong_setting(self) -> None:
        for raised in (KeyboardInterrupt, SystemExit):

            class Interrupted(lh.Control):
                name, version = "interrupted", "1"

                def __init__(self, start: lh.Start) -> None:
                    raise raised  # noqa: B023

            scenario = SMALL.with_members(Interrupted).set("flows.f.tcp.control", "interrupted")
            for use in (scenario.check, scenario.toml, scenario.run, scenario.sweep, scenario.explain):
                with self.assertRaises(raised):
                    use()


class Wakes(unittest.TestCase):
    def test_deadline_of_the_constructor_wakes_an_agent_before_its_first_packet(self) -> None:
        woken: list[float] = []

        class Ticks(lh.Agent):
            name, version = "ticks", "1"

            def __init__(self) -> None:
                super().__init__()
                self.deadline = 0.1

            def on_wake(self, node: lh.Node) -> None:
                woken.append(node.now)
                self.deadline = node.now + 0.1 if node.now < 0.25 else None

        station = SMALL.set("nodes.m", {"kind": "base-station", "scheme": "ticks"}).set("flows.f.start", "250 ms")
        station = station.set("links.air", {"kind": "wired", "between": ["a", "m"], "rate": "2 Mbps", "delay": "5 ms"})
        radio = {"kind": "wireless", "between": ["m", "b"], "rate": "1 Mbps", "delay": "5 ms"}
        station.set("links.radio", radio).with_members(Ticks).run()
        self.assertEqual([round(time, 9) for time in woken], [0.1, 0.2, 0.3])


class TemporaryStores(Faults):
    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = self.folder

    def test_exception_leaves_no_folder(self) -> None:
        class Unversioned(lh.Control):
            name = "unversioned"

        def stop(*_: object) -> None:
            raise KeyboardInterrupt

        wrong: list[Callable[[], object]] = [
            lambda: SMALL.set("duration", "long").sweep(),
            lambda: SMALL.with_members(Unversioned).sweep(),
            lambda: SMALL.sweep(executor=stop),  # type: ignore[arg-type]
            lambda: SMALL.sweep(replications=2, jobs=0),
            lambda: SMALL.set("duration", "long").compare(),
            lambda: lh.compare(paths=["none"]),
            lambda: lh.reproduce("none"),
        ]
        for call in wrong:
            with self.assertRaises((lh.LasthopError, KeyboardInterrupt)):
                call()
            self.assertEqual(os.listdir(self.folder), [])

    def test_store_exists_as_long_as_it_is_used(self) -> None:
        store = SMALL.sweep(replications=2).store
        self.assertEqual(len(store.table("flows")), 2)
        self.assertEqual(len(os.listdir(self.folder)), 1)
        del store
        gc.collect()
        self.assertEqual(os.listdir(self.folder), [])

    def test_child_process_does_not_remove_the_store_of_its_parent(self) -> None:
        program = (
            "import os, sys, lasthop as lh\n"
            "swept = lh.Scenario(sys.stdin.read()).sweep(replications=2)\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    sys.exit(0)\n"
            "assert os.waitpid(child, 0)[1] == 0\n"
            "print(len(swept.table('flows')))\n"
        )
        text = (SMALL.text or b"").decode()
        done = subprocess.run([sys.executable, "-c", program], input=text, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "2\n")


if __name__ == "__main__":
    unittest.main()
