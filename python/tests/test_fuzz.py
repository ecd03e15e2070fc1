"""Any argument gives a result of its type, or a clear exception: never a panic, a hang or a crash."""

import faulthandler
import math
import os
import sqlite3
import tempfile
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import gymnasium
import lasthop as lh
import lasthop.rl as rl
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import FULL, ROOT

# Seconds after which an example counts as a hang. The process then prints its position, and ends.
HANG = 120

SMALL = lh.Scenario("""
duration = "500 ms"
nodes = { a = { kind = "host" }, m = { kind = "base-station" }, b = { kind = "host" } }
links.core = { kind = "wired", between = ["a", "m"], rate = "8 Mbps", delay = "2 ms" }
flows.f = { from = "a", to = "b", bytes = "20 kB" }
[links.air]
kind = "wireless"
between = ["m", "b"]
rate = "1 Mbps"
delay = "5 ms"
channel = { kind = "uniform", loss = 0.05 }
""")

Result = TypeVar("Result")
Test = Callable[..., None]

# Keys of the scenario, and others.
KEYS = [
    "duration", "seed", "title", "scheme", "nodes.m.scheme", "links.air", "links.air.rate", "links.air.delay",
    "links.air.queue", "links.air.channel", "links.air.channel.loss", "links.air.arq", "links.core.rate.up", "flows.f",
    "flows.f.bytes", "flows.f.tcp", "flows.f.tcp.control", "flows.f.tcp.variant", "flows.f.receive_window", "flows.g.bytes",
    "sweep", "sweep.replications", "sweep.axes.seed", "output.traces", "links.air.delay_spikes[0].at", "links[0]", '"a.b".c',
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=12),
    st.text(st.characters(categories=["Cs", "Cc"]), min_size=1, max_size=3),
    st.sampled_from([
        "2 Mbps", "1 mbps", "-1 s", "1e400 s", "nan", "inf", "{", "[", '"', "all", "snoop", "reno", "18446744073709551616",
        "999999999999 s", "0 B", "é😀\x7f", "a=b", ".", "..", "a..b", "[0]", "[" * 500, "a" + ".a" * 500, "\0",
    ]),
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([2**31, 2**32, 2**63, 2**64, -(2**63), 10**400]),
    # Too long for a text.
    st.just(5000).map(lambda digits: 10**digits),
    st.floats(),
    st.sampled_from([np.float64(0.5), np.int64(-1), np.float32("nan"), np.bool_(True), 1 + 2j]),
)
PLAIN = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS, st.binary(max_size=4), st.builds(object))
ANYTHING = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(TEXTS, PLAIN), inner, max_size=3), st.tuples(inner, inner)
    ),
    max_leaves=6,
)
# Values for numbers of runs, threads and the like: small numbers, too large ones, and other types.
COUNTS = ANYTHING.filter(lambda value: not isinstance(value, int) or not 3 < value <= 10**9)
UNWRITABLE = ["", "/", "/dev/null", "/dev/full/x", "a\0b", "\ud800"]
PATHS = st.one_of(ANYTHING, st.sampled_from([*UNWRITABLE, ".", b"\xff"]))


def fuzzed(quick: int, **arguments: st.SearchStrategy[Any]) -> Callable[[Test], Test]:
    """A test with `quick` examples, the same each time, and twenty times as many if LASTHOP_FULL=1."""
    chosen = settings(
        max_examples=20 * quick if FULL else quick, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip

    def wrap(test: Test) -> Test:
        return chosen(given(**arguments)(test))

    return wrap


# Exceptions that the methods of a class may raise for its attributes and answers.
OF_CLASSES = (TypeError, ValueError)


def tried(call: Callable[[], Result], *kinds: Any, raises: tuple[type[Exception], ...] = ()) -> Result | None:
    """Returns the result of the call, which has one of these types; None after a documented exception with a message:
    one of `raises`, or one that docs/python.md names."""
    faulthandler.dump_traceback_later(HANG, exit=True)
    try:
        result = call()
    except lh.LasthopError as error:
        assert str(error) and "panicked" not in str(error)
        for problem in error.problems:
            assert isinstance(problem.expected, str) and problem.text
        return None
    except (KeyError, gymnasium.error.Error, *raises) as error:
        assert str(error)
        return None
    except TypeError as error:
        if "os.PathLike" not in str(error):
            raise
        return None
    finally:
        faulthandler.cancel_dump_traceback_later()
    assert isinstance(result, kinds), f"found {type(result)}, expected one of {kinds}"
    return result


def setUpModule() -> None:
    os.chdir(ROOT)
    warnings.simplefilter("ignore")


class Fuzzed(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]
    swept: lh.SweepResult
    stored: bytes
    ran: lh.Run

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        store = cls.path("valid.sqlite")
        cls.swept = SMALL.sweep(axes={"links.air.channel.loss": [0.0, 0.1]}, replications=2, store=store)
        cls.stored = Path(store).read_bytes()
        cls.ran = SMALL.run(traces=["all"])

    @classmethod
    def path(cls, name: str) -> str:
        return os.path.join(cls.folder.name, name)


class Scenarios(Fuzzed):
    @fuzzed(75, text=ANYTHING, name=PATHS, files=ANYTHING)
    def test_only_documented_errors_for_any_text_name_and_files(self, text: Any, name: Any, files: Any) -> None:
        scenario = tried(lambda: lh.Scenario(text, name=name, files=files), lh.Scenario)
        if scenario is not None:
            tried(scenario.check, list)
            hash(scenario), repr(scenario)

    @fuzzed(75, at=st.integers(0, 400), length=st.integers(0, 20), text=TEXTS)
    def test_only_documented_errors_for_an_altered_scenario_text(self, at: int, length: int, text: str) -> None:
        before = (SMALL.text or b"").decode()
        changed = before[:at] + text + before[at + length :]
        tried(lambda: lh.Scenario(changed).check(), list)

    @fuzzed(200, key=st.one_of(st.sampled_from(KEYS), ANYTHING), value=ANYTHING)
    def test_only_documented_errors_for_any_key_and_value(self, key: Any, value: Any) -> None:
        scenario = tried(lambda: SMALL.set(key, value), lh.Scenario)
        if scenario is not None:
            tried(scenario.check, list)
            tried(scenario.toml, str)

    @fuzzed(50, scheme=ANYTHING, seed=ANYTHING, path=PATHS.filter(lambda path: not isinstance(path, int)))
    def test_only_documented_errors_for_any_scheme_seed_and_path(self, scheme: Any, seed: Any, path: Any) -> None:
        tried(lambda: SMALL.with_scheme(scheme).with_seed(seed).check(), list)
        tried(lambda: lh.Scenario.load(path).check(), list)

    @fuzzed(30, seed=ANYTHING, traces=ANYTHING, delays=ANYTHING)
    def test_only_documented_errors_for_any_arguments_of_a_run(self, seed: Any, traces: Any, delays: Any) -> None:
        tried(lambda: SMALL.run(seed=seed, traces=traces, delays=delays), lh.Run)

    @fuzzed(30, flow=ANYTHING, top=ANYTHING)
    def test_only_documented_errors_for_any_arguments_of_an_explanation(self, flow: Any, top: Any) -> None:
        tried(lambda: SMALL.explain(flow=flow, top=top), list)

    # A picture takes a second.
    @fuzzed(
        30, flows=st.lists(ANYTHING, min_size=1, max_size=2), start=ANYTHING, end=ANYTHING, panels=ANYTHING, size=ANYTHING
    )
    def test_only_documented_errors_for_any_arguments_of_a_picture(
        self, flows: Any, start: Any, end: Any, panels: Any, size: Any
    ) -> None:
        tried(lambda: SMALL.plot(*flows), lh.Pictures)
        for options in ({"start": start, "end": end}, {"panels": panels}, {"size": size}):
            tried(lambda: SMALL.plot("none", **options), lh.Pictures)  # noqa: B023
            tried(lambda: SMALL.plot(together=True, **{"start": "9 s", **options}), lh.Pictures)  # noqa: B023

    @fuzzed(
        50, axes=ANYTHING, compare=ANYTHING, cases=ANYTHING, replications=COUNTS, metrics=ANYTHING, jobs=COUNTS, retries=ANYTHING,
        executor=ANYTHING, store=PATHS,
    )  # fmt: skip
    def test_only_documented_errors_for_any_arguments_of_a_sweep(self, **arguments: Any) -> None:
        tried(lambda: SMALL.sweep(**{"replications": 1, **arguments}), lh.SweepResult)
        for name, value in arguments.items():
            if name != "store" or not isinstance(value, (str, bytes)):
                tried(lambda: SMALL.sweep(**{"replications": 1, name: value}), lh.SweepResult)  # noqa: B023

    @fuzzed(50, case=PLAIN, key=st.one_of(st.sampled_from(KEYS), PLAIN), value=ANYTHING)
    def test_only_documented_errors_for_any_case_of_a_sweep(self, case: Any, key: Any, value: Any) -> None:
        def swept() -> lh.SweepResult:
            return SMALL.sweep(cases={case: {key: value, "duration": "100 ms", "flows.f.bytes": "2 kB"}}, replications=1)

        result = tried(swept, lh.SweepResult)
        if result is not None:
            tried(result.rows, list)

    @fuzzed(30, schemes=ANYTHING, paths=ANYTHING, replications=COUNTS, jobs=COUNTS, changes=ANYTHING, paper=ANYTHING)
    def test_only_documented_errors_for_any_arguments_of_a_comparison(
        self, schemes: Any, paths: Any, replications: Any, jobs: Any, changes: Any, paper: Any
    ) -> None:
        tried(lambda: SMALL.compare(schemes=schemes, replications=1), lh.Comparison)
        tried(lambda: SMALL.compare(schemes=["snoop"], replications=replications), lh.Comparison)
        tried(lambda: SMALL.compare(schemes=["snoop"], replications=1, jobs=jobs), lh.Comparison)
        one: dict[str, Any] = {"schemes": ["snoop"], "replications": 1}
        tried(lambda: lh.compare(paths=[paths], set={"duration": "100 ms"}, **one), lh.Comparison)
        tried(lambda: lh.compare(paths=["lan-bursts"], set=changes or {"duration": "0 s"}, **one), lh.Comparison)
        tried(lambda: lh.reproduce(paper), lh.Reproduction)
        tried(lambda: lh.reproduce("none", replications=replications), lh.Reproduction)


class Results(Fuzzed):
    @fuzzed(50, name=st.one_of(ANYTHING, st.sampled_from(["series", "seqno", "trace.dat", "", "."])))
    def test_only_documented_errors_for_any_name_of_a_trace(self, name: Any) -> None:
        tried(lambda: self.ran.trace(name), bytes)
        tried(lambda: self.ran.table(name), lh.Table)

    @fuzzed(
        100,
        name=st.sampled_from(["series.csv", "congestion", "seqno", "wless_state", "trace.dat", "events.jsonl"]),
        contents=st.one_of(
            st.binary(max_size=30), st.text(st.sampled_from("1,a.\n \"\r"), max_size=20).map(str.encode), st.just(b"")
        ),
    )
    def test_only_documented_errors_for_any_contents_of_a_trace(self, name: str, contents: bytes) -> None:
        table = tried(lambda: lh.Run(SMALL, self.ran.json, {"empty": b"", name: contents}).table(name), lh.Table)
        if table is not None:
            self.assertEqual(table.name, name)
            self.assertEqual(len(table.rows()), len(table))

    @fuzzed(30, table=ANYTHING, column=st.one_of(ANYTHING, st.sampled_from(["goodput_bps", "flow", "replication"])))
    def test_only_documented_errors_for_any_name_of_a_table_and_of_a_column(self, table: Any, column: Any) -> None:
        tried(lambda: self.swept.table(table), lh.Table)
        flows = self.swept.table("flows")
        tried(lambda: flows[column], list)
        tried(lambda: flows.array(column), np.ndarray)

    @fuzzed(30, folder=PATHS, formats=st.lists(ANYTHING, max_size=2), metrics=ANYTHING)
    def test_only_documented_errors_for_any_arguments_of_an_export_and_of_a_report(
        self, folder: Any, formats: Any, metrics: Any
    ) -> None:
        tried(lambda: self.swept.store.export(self.path("tables"), *formats), list)
        tried(lambda: self.swept.store.export(self.path("tables"), "csv", metrics=metrics), list)
        tried(lambda: self.swept.report(metrics=metrics), str)
        # Others would be written to.
        if not isinstance(folder, (str, bytes)) or folder in UNWRITABLE:
            tried(lambda: self.swept.store.export(folder, "csv"), list)
            tried(lambda: self.swept.report(folder), str)
            tried(lambda: lh.Picture("p", "<svg/>", None).save(folder), type(None))

    @fuzzed(
        75,
        cut=st.one_of(st.none(), st.integers(0, 200_000)),
        changes=st.lists(st.tuples(st.integers(0, 200_000), st.binary(min_size=1, max_size=40)), max_size=4),
        ending=st.sampled_from(["sqlite", "jsonl"]),
    )
    def test_damaged_store_gives_only_documented_errors(self, cut: int | None, changes: list[tuple[int, bytes]], ending: str) -> None:
        contents = bytearray(self.stored[:cut])
        for at, some in changes:
            at %= max(len(contents), 1)
            contents[at : at + len(some)] = some
        self.opened("damaged", bytes(contents), ending)

    @fuzzed(30, contents=st.binary(max_size=200), ending=st.sampled_from(["sqlite", "jsonl", "db"]))
    def test_only_documented_errors_for_a_file_that_is_no_store(self, contents: bytes, ending: str) -> None:
        self.opened("garbage", contents, ending)

    @fuzzed(30, line=st.text(max_size=30))
    def test_only_documented_errors_for_any_line_of_a_journal(self, line: str) -> None:
        self.opened("lines", f'{{"crc32":"00000000",{line}\n'.encode(), "jsonl")

    def opened(self, name: str, contents: bytes, ending: str) -> None:
        """Use a store with these contents, and continue a sweep in it."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, f"{name}.{ending}")
            Path(file).write_bytes(contents)
            store = tried(lambda: lh.Store(file), lh.Store)
            if store is not None:
                tried(store.summaries, list)
                tried(store.tables, dict)
                tried(store.report, str)
                tried(lambda: store.export(os.path.join(folder, "out"), "csv", "json"), list)
            tried(lambda: SMALL.sweep(replications=1, store=file), lh.SweepResult)

    @fuzzed(20, path=PATHS)
    def test_only_documented_errors_for_any_path_of_a_store(self, path: Any) -> None:
        tried(lambda: lh.Store(path), lh.Store)

    def test_foreign_database_and_folder_are_refused(self) -> None:
        foreign = self.path("foreign.sqlite")
        with sqlite3.connect(foreign) as db:
            db.execute("CREATE TABLE runs (digest, replication)")
        db.close()
        before = Path(foreign).read_bytes()
        for path in (foreign, self.folder.name):
            for use in (lambda path: lh.Store(path), lambda path: SMALL.sweep(replications=1, store=path)):
                with self.assertRaisesRegex(lh.LasthopError, f"{path}: is not a store of lasthop"):
                    use(path)
        self.assertEqual(Path(foreign).read_bytes(), before)


class Ends(BaseException):
    """Neither an Exception nor one of Python's own."""


WINDOWS = st.one_of(
    ANYTHING, st.sampled_from([5e-324, 1e-300, 1000.0, 1460.0, 1e6, 2.0**53, 1e19, 1e30, 1e300, 1.7e308, math.inf])
)
RAISED = st.sampled_from([
    ValueError("v"), KeyboardInterrupt(), SystemExit(3), GeneratorExit(), Ends("e"), RecursionError(), MemoryError(),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "reason"), OSError(28, "full"), lh.LasthopError("l"), StopIteration(),
])  # fmt: skip
METHODS = ["on_ack", "on_congestion", "on_feedback", "on_undo", "on_recovered", "on_idle"]


class Controls(Fuzzed):
    @fuzzed(
        75, cwnd=WINDOWS, ssthresh=WINDOWS, pacing_rate=WINDOWS, late=st.booleans(), paces=st.booleans(),
        method=st.sampled_from(METHODS),
    )  # fmt: skip
    def test_only_documented_errors_for_any_attributes(
        self, late: bool, paces: bool, method: str, **attributes: Any
    ) -> None:
        def change(control: lh.Control, *_: object) -> None:
            for name, value in attributes.items():
                setattr(control, name, value)

        def begin(control: lh.Control, start: lh.Start) -> None:
            lh.Control.__init__(control, start)
            if not late:
                change(control)

        body = {"name": "odd", "paces": paces, "wants_feedback": True, "__init__": begin, method: change}
        tried(lambda: members(type("Odd", (lh.Control,), body)).run(), lh.Run, raises=OF_CLASSES)

    @fuzzed(30, name=ANYTHING, version=ANYTHING, wants=ANYTHING, control=ANYTHING)
    def test_only_documented_errors_for_any_class(self, name: Any, version: Any, wants: Any, control: Any) -> None:
        body = {"name": name, "version": version, "wants_feedback": wants, "paces": wants}
        tried(lambda: members(type("Odd", (lh.Control,), body)).run(), lh.Run, raises=OF_CLASSES)
        tried(lambda: members(control).run(), lh.Run)

    @fuzzed(30, raised=RAISED, method=st.sampled_from(["__init__", *METHODS]))
    def test_exception_of_a_control_is_raised_unchanged(self, raised: BaseException, method: str) -> None:
        calls = 0

        def fail(control: lh.Control, *_: object) -> None:
            nonlocal calls
            calls += 1
            raise raised

        body = {"name": "odd", "wants_feedback": True, method: fail}
        scenario = members(type("Odd", (lh.Control,), body))
        try:
            scenario.run()
        except BaseException as error:
            self.assertTrue(error is raised or (method == "__init__" and isinstance(raised, Exception)), repr(error))
            self.assertTrue(str(error) or error is raised)
        else:
            self.assertEqual(calls, 0)


class Agents(Fuzzed):
    @fuzzed(
        75, method=st.sampled_from(["before_air", "after_air", "on_link", "on_failed", "on_delivered", "on_queue_full"]),
        answer=ANYTHING, attribute=st.sampled_from(["deadline", "counters", "foresight", "nothing"]), value=ANYTHING,
        late=st.booleans(), called=st.sampled_from(["send", "report", "emit", "now", "set"]), argument=ANYTHING,
        raised=st.one_of(st.none(), RAISED),
    )  # fmt: skip
    def test_only_documented_errors_for_any_answers_of_an_agent(
        self, method: str, answer: Any, attribute: str, value: Any, late: bool, called: str, argument: Any, raised: Any
    ) -> None:
        def act(agent: lh.Agent, seen: Any, node: lh.Node) -> Any:
            if late:
                setattr(agent, attribute, value)
            if raised is not None:
                raise raised
            try:
                if called == "send":
                    node.send(argument)
                elif called == "report":
                    node.report(argument, seen)
                elif called == "emit":
                    node.emit(argument, argument)
                elif called == "set":
                    seen.ack = seen.window = seen.ecn = argument
            except (TypeError, ValueError, AttributeError, OverflowError):
                pass
            return answer

        def begin(agent: lh.Agent) -> None:
            lh.Agent.__init__(agent)
            if not late:
                setattr(agent, attribute, value)

        scenario = SMALL.with_members(type("Odd", (lh.Agent,), {"name": "odd", "__init__": begin, method: act}))
        try:
            tried(lambda: scenario.with_scheme("odd").run(), lh.Run, raises=OF_CLASSES)
        except BaseException as error:
            if error is not raised:
                raise

    @fuzzed(50, name=st.sampled_from([
        "name", "version", "semantics", "changes", "uploads", "needs_link_reports", "sender", "sends_expedited", "foresight",
    ]), value=ANYTHING)  # fmt: skip
    def test_only_documented_errors_for_any_attribute_of_an_agent(self, name: str, value: Any) -> None:
        body = {"name": "odd", name: value}
        scenario = tried(lambda: SMALL.with_members(type("Odd", (lh.Agent,), body)), lh.Scenario)
        if scenario is not None:
            tried(lambda: scenario.with_scheme("odd").run(), lh.Run, raises=OF_CLASSES)


def members(control: Any) -> lh.Scenario:
    """The small scenario with this congestion control."""
    return SMALL.with_members(control).set("flows.f.tcp.control", getattr(control, "name", "odd"))


ACTIONS = st.one_of(
    ANYTHING, st.lists(st.floats(), max_size=3), st.sampled_from([np.array([1.0]), np.zeros((2, 2)), np.array(["a"]), 1e308])
)


class Learning(Fuzzed):
    @fuzzed(30, options=st.dictionaries(
        st.sampled_from(["step", "action", "scale", "observe", "delay", "loss", "flow", "reward", "render_mode"]), ANYTHING,
        max_size=3,
    ), scenario=ANYTHING)  # fmt: skip
    def test_only_documented_errors_for_any_settings(self, options: dict[str, Any], scenario: Any) -> None:
        of_setup = {name: value for name, value in options.items() if name not in ("flow", "reward", "render_mode")}
        tried(lambda: rl.Setup(**of_setup), rl.Setup)
        env = tried(lambda: rl.CongestionEnv(SMALL, **options), rl.CongestionEnv)
        tried(lambda: rl.CongestionEnv(scenario), rl.CongestionEnv)
        if env is not None and "reward" not in options:
            self.walked(env, [0.5] * 5)

    @fuzzed(30, actions=st.lists(ACTIONS, min_size=1, max_size=4), action=st.sampled_from(["cwnd-factor", "cwnd", "pacing-factor"]))
    def test_only_documented_errors_for_any_actions(self, actions: list[Any], action: str) -> None:
        self.walked(rl.CongestionEnv(SMALL, step="ack", action=action, scale=4), actions * 3)

    def walked(self, env: rl.CongestionEnv, actions: list[Any]) -> None:
        env.reset(seed=1)
        for action in actions:
            step = tried(lambda: env.step(action), tuple)  # noqa: B023
            if step is not None:
                seen, reward, terminated, truncated, _ = step
                self.assertIn(seen, env.observation_space)
                self.assertTrue(math.isfinite(reward))
                self.assertIsInstance(terminated, bool)
                self.assertIsInstance(truncated, bool)
        tried(env.episode, rl.Episode)

    @fuzzed(30, seed=ANYTHING, options=st.one_of(ANYTHING, st.fixed_dictionaries({"scenario": ANYTHING, "seed": ANYTHING})))
    def test_only_documented_errors_for_any_reset(self, seed: Any, options: Any) -> None:
        env = rl.CongestionEnv(SMALL)
        tried(lambda: env.reset(seed=seed), tuple)
        tried(lambda: env.reset(options=options), tuple)

    @fuzzed(30, count=COUNTS, threads=ANYTHING, drivers=ANYTHING, episodes=ANYTHING, slot=ANYTHING, actions=ACTIONS)
    def test_only_documented_errors_for_any_vector(
        self, count: Any, threads: Any, drivers: Any, episodes: Any, slot: Any, actions: Any
    ) -> None:
        tried(lambda: rl.VectorEnv(SMALL, count), rl.VectorEnv)
        tried(lambda: rl.VectorEnv(SMALL, threads=threads), rl.VectorEnv)
        env = rl.VectorEnv(SMALL, 2)
        tried(lambda: env.play(drivers, [(0, 0, 1)]), list)
        tried(lambda: env.play(["reno"], episodes), list)
        tried(lambda: env.play(["reno"], [episodes]), list)
        tried(lambda: env.episode(slot), rl.Episode)
        tried(lambda: env.step(actions), tuple)
        env.reset(seed=1)
        tried(lambda: env.episode(slot), rl.Episode)
        tried(lambda: env.step(actions), tuple)

    @fuzzed(30, flows=ANYTHING, period=ANYTHING, actions=ANYTHING)
    def test_only_documented_errors_for_any_parallel_environment(self, flows: Any, period: Any, actions: Any) -> None:
        tried(lambda: rl.ParallelEnv(SMALL, flows), rl.ParallelEnv)
        tried(lambda: rl.ParallelEnv(SMALL, ["f"], period=period), rl.ParallelEnv)
        env = rl.ParallelEnv(SMALL, ["f"])
        tried(env.episodes, dict)
        env.reset(seed=1)
        tried(lambda: env.step(actions), tuple)
        tried(lambda: env.step({"f": actions}), tuple)

    @fuzzed(50, layers=ANYTHING, weight=ANYTHING, features=ANYTHING)
    def test_only_documented_errors_for_any_policy(self, layers: Any, weight: Any, features: Any) -> None:
        setup = rl.Setup(observe=["delay"])
        tried(lambda: rl.Policy(setup, layers), rl.Policy)
        tried(lambda: rl.Policy(setup, [([[weight]], [0.0])]), rl.Policy)
        acted = tried(lambda: rl.Policy(setup, [([[2.0]], [0.0])]).act(features), float)
        self.assertTrue(acted is None or -1.0 <= acted <= 1.0)

    @fuzzed(50, contents=st.one_of(st.binary(max_size=40), ANYTHING), at=st.integers(0, 150), some=TEXTS)
    def test_only_documented_errors_for_any_file_of_a_policy(self, contents: Any, at: int, some: str) -> None:
        policy = rl.Policy(rl.Setup(observe=["delay"]), [([[-2.0]], [0.5])]).toml()
        changed = (policy[:at] + some + policy[at + len(some) :]).encode("utf-8", "surrogatepass")
        for file in (contents, changed):
            tried(lambda: with_policy(file).run(), lh.Run)  # noqa: B023

    @fuzzed(20, ranges=st.one_of(ANYTHING, st.fixed_dictionaries({"links.air.rate": ANYTHING})), count=COUNTS, seed=ANYTHING)
    def test_only_documented_errors_for_any_range_to_draw_from(self, ranges: Any, count: Any, seed: Any) -> None:
        tried(lambda: rl.draw(SMALL, ranges, 2, seed=1), list)
        tried(lambda: rl.draw(SMALL, {"links.air.rate": (1, 2, "Mbps")}, count, seed=seed), list)


def with_policy(contents: Any) -> lh.Scenario:
    scenario = lh.Scenario(SMALL.text or b"", files={"p.toml": contents})
    return scenario.set("flows.f.tcp.control", {"kind": "policy", "file": "p.toml"})


if __name__ == "__main__":
    unittest.main()
