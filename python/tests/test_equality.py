"""Everything that the package returns is what the command prints and writes, byte for byte."""

import json
import os
import tempfile
import unittest
import warnings
from pathlib import Path

import lasthop as lh
from support import FULL, REFINED, ROOT, command, examples

warnings.simplefilter("ignore", lh.ScenarioWarning)


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

    def test_pictures_equal_those_of_the_command(self) -> None:
        for name in examples(every=16):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                command("plot", name, "--out", f"{folder}/theirs")
                lh.Scenario.load(name).plot().save(f"{folder}/ours")
                ours, theirs = Path(folder, "ours"), Path(folder, "theirs")
                self.assertEqual(sorted(p.name for p in ours.iterdir()), sorted(p.name for p in theirs.iterdir()))
                for file in ours.iterdir():
                    self.assertEqual(file.read_bytes(), (theirs / file.name).read_bytes(), file.name)

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


class Comparisons(unittest.TestCase):
    def test_built_in_paths_equal_those_of_the_command(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--schemes", "unmodified,snoop", "--paths", "wan", "--replications", "2", "--set", 'duration="5 s"']
            printed = command("compare", *arguments, "--out", f"{folder}/theirs.sqlite", "--json")
            found = lh.compare(schemes=["unmodified", "snoop"], paths=["wan"], replications=2, set={"duration": "5 s"})
            self.assertEqual(found.json, printed)
            self.assertEqual(len(found.rows()), 2 * len(found.paths))
            self.assertIn("<table>", found._repr_html_())
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
    def test_reproduction_equals_that_of_the_command(self) -> None:
        for paper in lh.papers() if FULL else ["disconnections2012"]:
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
