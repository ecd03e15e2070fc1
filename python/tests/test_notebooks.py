"""Tests of the notebooks in `examples/notebooks`, and of the pictures of `docs/gallery.md`.

UPDATE_GOLDEN=1 stores new outputs in the notebooks and draws the pictures again.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import lasthop as lh
import nbformat as untyped
from nbclient import NotebookClient
from support import COMMAND, FULL, ROOT

nbformat: Any = untyped
NOTEBOOKS = ROOT / "examples" / "notebooks"
GALLERY = ROOT / "docs" / "gallery.md"
UPDATE = "UPDATE_GOLDEN" in os.environ
QUICK = not (FULL or UPDATE)

MAX_BYTES = 300_000
"""The largest size of a notebook with its outputs."""

RESULTS = {
    "first-look": "None",
    "paper-figure": "[ours, TABLE_2, GAPS]",
    "train-a-control": "[list(map(float, learned)), swept.summary, frozen]",
}
"""An expression for each notebook, whose value the tests read."""

RESULT = "RESULT "


class Execution:
    """A notebook, executed in a copy of the examples."""

    def __init__(self, name: str, folder: Path) -> None:
        self.place = folder / name / "examples" / "notebooks"
        shutil.copytree(ROOT / "examples", self.place.parent, ignore=shutil.ignore_patterns("target", "*.sqlite"))
        # Identifiers in SVG files of matplotlib are random otherwise.
        (self.place / "matplotlibrc").write_text("svg.hashsalt: lasthop\n")
        self.notebook = nbformat.read(self.place / f"{name}.ipynb", as_version=4)
        wanted = f"import json\nprint({RESULT!r} + json.dumps({RESULTS[name]}))"
        self.notebook.cells.append(nbformat.v4.new_code_cell(wanted))
        client = NotebookClient(
            self.notebook,
            timeout=600,
            kernel_name=self.notebook.metadata.kernelspec.name,
            resources={"metadata": {"path": os.fspath(self.place)}},
            extra_arguments=["--log-level=ERROR"],
            record_timing=False,
        )
        environment = os.environ | {
            # A bar is not an output to store.
            "TQDM_DISABLE": "1",
            "IPYTHONDIR": os.fspath(folder / "ipython"),
            "LASTHOP_QUICK": "1" if QUICK else "",
        }
        client.execute(env=environment)
        printed = self.notebook.cells.pop().outputs[0].text
        self.result: Any = json.loads(printed.removeprefix(RESULT))

    def store(self, name: str) -> None:
        """Replace the notebook by the executed one."""
        self.notebook.metadata.pop("widgets", None)
        self.notebook.metadata.language_info = {"name": "python"}
        nbformat.write(self.notebook, NOTEBOOKS / f"{name}.ipynb")


def texts(notebook: Any) -> list[str]:
    """The texts that cells print, each the joined parts of one stream that follow each other."""
    parts = (itertools.groupby(cell.outputs, key=lambda output: output.get("name")) for cell in code(notebook))
    return ["".join(output.text for output in part) for cell in parts for stream, part in cell if stream is not None]


def kinds(notebook: Any) -> list[list[str]]:
    """The kinds of output of each code cell, such as text on a stream or a PNG. When a kernel flushes a stream is chance:
    parts of one stream that follow each other are one output."""

    def kind(output: Any) -> str:
        return output.name if output.output_type == "stream" else " ".join(sorted(output.get("data", ["error"])))

    return [[kind for kind, _ in itertools.groupby(map(kind, cell.outputs))] for cell in code(notebook)]


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


class Executed(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]
    executions: dict[str, Execution]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.executions = {name: Execution(name, Path(cls.folder.name)) for name in RESULTS}
        if UPDATE:
            for name, execution in cls.executions.items():
                execution.store(name)
                for picture in execution.place.glob("*.svg"):
                    shutil.copy(picture, ROOT / "docs" / "pictures")

    def test_stored_outputs_equal_those_of_an_execution(self) -> None:
        self.assertEqual(sorted(RESULTS), sorted(file.stem for file in NOTEBOOKS.glob("*.ipynb")))
        for name, execution in self.executions.items():
            stored = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
            self.assertEqual(kinds(stored), kinds(execution.notebook), name)
            numbers = [cell.execution_count for cell in code(stored)]
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)), f"{name} was not executed from top to bottom")
            if not QUICK or name == "first-look":
                self.assertEqual(texts(stored), texts(execution.notebook), name)

    def test_stored_notebooks_are_small_and_have_no_paths_of_a_machine(self) -> None:
        for name in RESULTS:
            file = NOTEBOOKS / f"{name}.ipynb"
            stored = nbformat.read(file, as_version=4)
            nbformat.validate(stored)
            self.assertLess(file.stat().st_size, MAX_BYTES, name)
            self.assertEqual(stored.metadata.kernelspec.name, "python3", name)
            self.assertNotIn("stderr", sum(kinds(stored), []), name)
            self.assertIn("image/png text/plain", sum(kinds(stored), []), f"{name} shows no picture")
            for cell in stored.cells:
                shown = [cell.source, *(json.dumps({**output, "data": None}) for output in cell.get("outputs", []))]
                shown += [str(output.get("data", {}).get("text/plain", "")) for output in cell.get("outputs", [])]
                for text in shown:
                    found = re.search(r"(?<![\w.])/(home|root|tmp|Users|usr|var|opt|work)/|[A-Z]:\\|site-packages", text)
                    self.assertIsNone(found, f"{name}: {text[:200]}")

    def test_targets_of_links_in_notebooks_exist(self) -> None:
        for name in RESULTS:
            for cell in nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells:
                for target in re.findall(r"\]\(([^)#]+)", cell.source) if cell.cell_type == "markdown" else []:
                    self.assertTrue((NOTEBOOKS / target).exists(), f"{name}: {target}")

    def test_published_values_equal_those_of_the_paper(self) -> None:
        _, published, gaps = self.executions["paper-figure"].result
        source = (ROOT / "crates/lab/src/papers/snoop2002.rs").read_text()
        table = source.split("const TABLE_2")[1].split("];\n")[0]
        rows = re.findall(r'\("[^"]*", "([a-z-]+)", \[([\d., ]+)\]\)', table)
        self.assertEqual(published, {case: [float(value) for value in values.split(",")] for case, values in rows})
        listed = re.search(r"const GAPS: \[f64; 9\] = \[([\d., ]+)\]", source)
        assert listed
        self.assertEqual(gaps, [float(gap) for gap in listed[1].split(",")])

    def test_points_of_the_figure_equal_those_on_the_page_about_the_paper(self) -> None:
        ours, _, gaps = self.executions["paper-figure"].result
        page = (ROOT / "docs/papers/snoop2002.md").read_text().split("# On ns-2's LAN")[1]
        names = {"WAN, Snoop": "wan-snoop", "WAN": "wan", "LAN, Snoop": "lan-snoop", "LAN": "lan"}
        for name, case in names.items():
            row = re.search(rf"^\| {name} \|(.*± .*)\|$", page, re.MULTILINE)
            assert row, name
            cells = [re.findall(r"[\d.]+", cell) for cell in row[1].split("|")]
            self.assertEqual(len(cells), len(gaps))
            for gap, (mean, half) in zip(gaps, cells):
                low, high = ours[case][str(gap).removesuffix(".0")]
                # The half of the range of single runs is 2 deviations, and the mean of 4 runs varies by half of one.
                self.assertLess(abs((low + high) / 2 - float(mean)), float(half), f"{name}, gap {gap}")
                self.assertLess(low, float(mean))
                self.assertGreater(high, float(mean))

    def test_trained_policy_beats_the_untrained_one_and_the_standard_controls(self) -> None:
        learned, summary, frozen = self.executions["train-a-control"].result
        self.assertGreater(learned[-1], learned[0] + 2.0)
        rows = {
            row["case"]: row
            for row in summary
            if row["metric"] == "goodput_bps" and row["point"] == {"links.air.channel.loss": 0.01}
        }
        low, _ = rows["policy"]["against_first"]["change_percent_ci"]
        self.assertGreater(low, 50.0)
        self.assertGreater(rows["policy"]["ci"][0], rows["cubic"]["ci"][1])
        # The file runs without the notebook.
        file = self.executions["train-a-control"].place / frozen["file"]
        path = lh.Scenario((ROOT / "examples/rl/path.toml").read_text(), files={frozen["file"]: file.read_bytes()})
        flow = path.set("flows.flow.tcp.control", frozen).run(progress=False).flows[0]
        self.assertGreater(flow["goodput_bps"], 2e6)


ENTRY = re.compile(r"!\[[^]]*\]\(pictures/([\w-]+\.svg)\)\n\n(?:```(sh|python)\n(.*?)```|Source: \[(.*?)\])", re.DOTALL)
"""A picture of the gallery: its file, the language of its lines and the lines, or its notebook."""


class Gallery(unittest.TestCase):
    def test_pictures_equal_those_that_the_page_draws(self) -> None:
        page = GALLERY.read_text()
        entries = ENTRY.findall(page)
        self.assertEqual(len(entries), page.count("!["))
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "examples", Path(folder, "examples"))
            environment = os.environ | {"PATH": os.path.dirname(COMMAND) + os.pathsep + os.environ["PATH"]}
            done = set()
            for picture, language, lines, notebook in entries:
                kept = ROOT / "docs" / "pictures" / picture
                if notebook:
                    self.assertIn(notebook.removesuffix(".ipynb"), RESULTS)
                    self.assertIn(f'savefig("{picture}"', (NOTEBOOKS / notebook).read_text().replace('\\"', '"'))
                    continue
                # The lines are compared without the comment that names the file, because several pictures may have the
                # same lines.
                commands = re.sub(r"^# writes .*\n", "", lines, flags=re.MULTILINE)
                run = ["bash", "-ec", commands] if language == "sh" else [sys.executable, "-c", commands]
                if commands not in done:
                    ran = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True)
                    self.assertEqual(ran.returncode, 0, f"{picture}: {ran.stderr}")
                    done.add(commands)
                [written] = re.findall(r'^# writes (\S+)$|save\("(\S+)"\)', lines, re.MULTILINE)
                drawn = Path(folder, *filter(None, written)).read_bytes()
                if UPDATE:
                    kept.write_bytes(drawn)
                self.assertEqual(kept.read_bytes(), drawn, f"{picture} is not what is drawn today: UPDATE_GOLDEN=1")

    def test_pictures_are_well_formed(self) -> None:
        for picture, *_ in ENTRY.findall(GALLERY.read_text()):
            file = ROOT / "docs" / "pictures" / picture
            root = ElementTree.parse(file).getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg", picture)
            self.assertLess(file.stat().st_size, MAX_BYTES, picture)
            self.assertNotIn(os.fspath(ROOT), file.read_text(), picture)


if __name__ == "__main__":
    unittest.main()
