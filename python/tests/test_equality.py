"""Everything that the package returns is what the command prints and writes, byte for byte."""

import json
import os
import tempfile
import unittest
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import lasthop as lh
from support import FULL, REFINED, ROOT, command, examples

warnings.simplefilter("ignore", lh.ScenarioWarning)

SNOOP, TWO, HIDDEN = (f"examples/{name}.toml" for name in ("snoop", "two-mobiles", "hidden-terminals"))


def setUpModule() -> None:
    os.chdir(ROOT)


class Examples(unittest.TestCase):
    def test_runs_and_explanations_equal_those_of_the_command(self) -> None:
        chosen = examples(every=6)
        self.assertGreaterEqual(len(chosen), 8)
        for name in chosen:
            with self.subTest(name):
                scenario = lh.Scenario.load(name)
                self.assertEqual(scenario.run().json, command("run", name, "--json", "--no-out"))
                self.assertEqual(scenario.explain(), json.loads(command("explain", name, "--json")))

    def test_sweeps_equal_those_of_the_command(self) -> None:
        for name in examples(every=24):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                store = f"{folder}/theirs.sqlite"
                quick = ["--set", 'duration="4 s"'] if not FULL else []
                printed = command("sweep", name, "--replications", "2", *quick, "--out", store, "--json")
                scenario = lh.Scenario.load(name)
                scenario = scenario if FULL else scenario.set("duration", "4 s")
                swept = scenario.sweep(replications=2, store=f"{folder}/ours.sqlite")
                self.assertEqual(swept.json, printed)

    def test_comparisons_equal_those_of_the_command(self) -> None:
        for name in examples(every=24):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                schemes = ["unmodified", "snoop", "refined-icmp"]
                arguments = ["compare", name, "--schemes", ",".join(schemes), "--replications", "2", "--json"]
                arguments += [] if FULL else ["--set", 'duration="4 s"']
                printed = command(*arguments, "--out", f"{folder}/theirs.sqlite")
                scenario = lh.Scenario.load(name)
                scenario = scenario if FULL else scenario.set("duration", "4 s")
                compared = scenario.compare(schemes=schemes, replications=2, store=f"{folder}/ours.sqlite")
                self.assertEqual(compared.json, printed)


SHORT = [] if FULL else ["--set", "duration=6 s"]


def short(name: str) -> lh.Scenario:
    """A scenario, in quick tests with the duration of SHORT."""
    scenario = lh.Scenario.load(name)
    return scenario if FULL else scenario.set("duration", "6 s")


class Pictures(unittest.TestCase):
    def test_runs_are_drawn_as_by_the_command(self) -> None:
        for name in examples(every=16):
            self.equal(lh.Scenario.load(name).plot(), "plot", name)

    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_views_are_drawn_as_by_the_command(self) -> None:
        refined, two = lh.Scenario.load(REFINED), short(TWO)
        self.equal(
            refined.plot(start="8 s", end=10.8, panels=["sequence", "rtt"], size=(700, 460), segments=True),
            "plot", os.fspath(REFINED), "--from", "8 s", "--to", "10.8 s", "--panels", "sequence,rtt", "--size", "700x460",
            "--segments",
        )
        self.equal(refined.plot(blocked=True, dark=True), "plot", os.fspath(REFINED), "--blocked", "--dark")
        self.equal(two.plot(together=True), "plot", TWO, "--all-flows", *SHORT)
        self.equal(two.plot("all", end=5), "plot", TWO, "--flow", "all", "--to", "5 s", *SHORT)

    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_media_are_drawn_as_by_the_command(self) -> None:
        scenario = lh.Scenario.load(HIDDEN)
        [medium] = [picture.name.removesuffix(".air") for picture in scenario.plot(medium="all")]
        flow = scenario.run().flows[0]["name"]
        self.equal(scenario.plot(medium="all", end=3), "plot", HIDDEN, "--medium", "all", "--to", "3 s")
        self.equal(scenario.plot(flow, medium=medium, end=3), "plot", HIDDEN, "--medium", medium, "--flow", flow, "--to", "3 s")

    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_schemes_are_drawn_as_by_the_command(self) -> None:
        for name in examples(every=1):
            ours = short(name).plot(schemes=["unmodified", "snoop"])
            self.equal(ours, "plot", name, "--scheme", "unmodified,snoop", "--flow", "all", *SHORT)
        one = lh.Scenario.load(SNOOP).plot(schemes=["split"], end=4)
        self.equal(one, "plot", SNOOP, "--scheme", "split", "--to", "4 s")

    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_networks_are_drawn_as_by_the_command(self) -> None:
        for name in examples(every=16):
            self.equal([lh.Scenario.load(name).topology()], "plot", name, "--topology")
        dark = lh.Scenario.load(TWO).topology(dark=True, size=(800, 600))
        self.equal([dark], "plot", TWO, "--topology", "--dark", "--size", "800x600")

    def test_comparisons_are_drawn_as_by_the_command(self) -> None:
        for arguments in ([SNOOP], [TWO, "--schemes", "unmodified,refined-icmp,split"]):
            schemes = arguments[2].split(",") if arguments[2:] else []
            with self.subTest(arguments), tempfile.TemporaryDirectory() as folder:
                compared = short(arguments[0]).compare(schemes=schemes, replications=1, jobs=1)
                command("compare", *arguments, *SHORT, "--replications", "1", "--out", f"{folder}/theirs.sqlite")
                [theirs] = Path(folder).glob("*-compared")
                self.same(compared.plot(), theirs)

    def test_wrong_arguments_are_refused(self) -> None:
        scenario = lh.Scenario.load(HIDDEN)
        arguments: list[tuple[dict[str, Any], str]] = [
            ({"medium": "nope"}, 'medium: found "nope", expected a medium'),
            ({"medium": 1}, "medium: found 1"),
            ({"schemes": "snoop"}, 'schemes: found "snoop", expected a list'),
            ({"schemes": ["snoop"] * 9}, "schemes: found 9, expected at most 8"),
            ({"schemes": ["snoop", "split"], "medium": "all"}, "medium: found one, expected None for 2 runs"),
            ({"schemes": ["snoop", "split"], "together": True}, "together: found true, expected False for 2 runs"),
            ({"start": 2, "end": 1}, "end: found 1 s, expected a time after the start .2 s."),
            ({"start": 1e6}, "start: found 1000000 s, expected a time before the end of the run"),
            ({"size": (1, 1)}, "size: found 1x1"),
        ]
        for each, expected in arguments:
            with self.subTest(each), self.assertRaisesRegex(lh.LasthopError, expected):
                scenario.plot(**each)
        with self.assertRaisesRegex(lh.LasthopError, 'flows: found "nope"'):
            scenario.plot("nope")

    def equal(self, pictures: Iterable[lh.Picture], *arguments: str) -> None:
        """The pictures are those that the command draws, in name and bytes."""
        with self.subTest(arguments), tempfile.TemporaryDirectory() as folder:
            command(*arguments, "--out", folder)
            self.same(pictures, Path(folder))

    def same(self, pictures: Iterable[lh.Picture], theirs: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            lh.Pictures(pictures).save(folder)
            ours = Path(folder)
            self.assertEqual(sorted(p.name for p in ours.iterdir()), sorted(p.name for p in theirs.iterdir()))
            self.assertGreater(len(list(ours.iterdir())), 0)
            for file in ours.iterdir():
                self.assertEqual(file.read_bytes(), (theirs / file.name).read_bytes(), file.name)


class Comparisons(unittest.TestCase):
    def test_built_in_paths_equal_those_of_the_command(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--schemes", "unmodified,snoop", "--paths", "wan", "--replications", "2", "--set", 'duration="5 s"']
            printed = command("compare", *arguments, "--out", f"{folder}/theirs.sqlite", "--json")
            found = lh.compare(schemes=["unmodified", "snoop"], paths=["wan"], replications=2, set={"duration": "5 s"})
            self.assertEqual(found.json, printed)
            self.assertEqual(len(found.rows()), 2 * len(found.paths))
            self.assertIn("<table>", found._repr_html_())
            with self.assertRaisesRegex(lh.LasthopError, "built-in paths"):
                found.plot()
            again = lh.compare(
                schemes=["unmodified", "snoop"], paths=["wan"], replications=2, set={"duration": "5 s"},
                store=f"{folder}/theirs.sqlite",
            )
            self.assertEqual((again.done, again.json), (0, printed))

    def test_wrong_arguments_are_refused(self) -> None:
        scenario = lh.Scenario.load(REFINED)
        for arguments, expected in (
            ({"schemes": "snoop"}, "expected a list"),
            ({"schemes": ["snop"]}, "snoop"),
            ({"replications": 0}, "found 0, expected a whole number from 1 to 100000"),
            ({"jobs": 0}, "jobs: found 0"),
        ):
            with self.assertRaisesRegex(lh.LasthopError, expected):
                scenario.compare(**arguments)
        with self.assertRaisesRegex(lh.LasthopError, "wan"):
            lh.compare(paths=["wann"])


class Papers(unittest.TestCase):
    @unittest.skipUnless(FULL, "takes long: runs with --full")
    def test_reproduction_equals_that_of_the_command(self) -> None:
        for paper in lh.papers():
            with self.subTest(paper), tempfile.TemporaryDirectory() as folder:
                printed = command("reproduce", paper, "--replications", "2", "--json", "--out", f"{folder}/theirs")
                found = lh.reproduce(paper, replications=2)
                self.assertEqual(found.json, printed)
                found.save(f"{folder}/ours")
                for name in ("numbers.json", "numbers.svg", "report.html"):
                    ours, theirs = Path(folder, "ours", name), Path(folder, "theirs", name)
                    self.assertEqual(ours.read_bytes(), theirs.read_bytes(), name)
                self.assertEqual(len(found.numbers), len(json.loads(printed)))

    def test_wrong_arguments_are_refused(self) -> None:
        with self.assertRaisesRegex(lh.LasthopError, "goel1997"):
            lh.reproduce("goel1998")
        with self.assertRaisesRegex(lh.LasthopError, "expected a whole number from 2 to 100000"):
            lh.reproduce("goel1997", replications=1)


if __name__ == "__main__":
    unittest.main()
