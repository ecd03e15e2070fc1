"""Tables in the libraries of others, and traces as tables."""

import json
import os
import re
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any

import duckdb
import lasthop as lh
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from support import ROOT

warnings.simplefilter("ignore", lh.ScenarioWarning)


def setUpModule() -> None:
    os.chdir(ROOT)


class Libraries(unittest.TestCase):
    """Each reads the same numbers from the table of a sweep."""

    table: lh.Table

    @classmethod
    def setUpClass(cls) -> None:
        cls.sweep = lh.Scenario.load("examples/goel-refined.toml").sweep(replications=5)
        cls.table = cls.sweep.table("flows")
        cls.goodput = cls.table["goodput_bps"]

    def test_polars_reads_the_table(self) -> None:
        frame = pl.DataFrame(self.table)
        self.assertEqual(frame["goodput_bps"].to_list(), self.goodput)
        self.assertEqual(frame.columns, self.table.columns)

    def test_pyarrow_shares_the_memory_of_the_table(self) -> None:
        first, second = (pa.table(self.table).column("goodput_bps").chunk(0) for _ in range(2))
        self.assertEqual(first.to_pylist(), self.goodput)
        self.assertEqual(first.buffers()[1].address, second.buffers()[1].address, "two readings, one memory")
        field = pa.table(self.table).schema.field("goodput_bps")
        self.assertEqual(field.metadata[b"unit"].decode(), self.table.units["goodput_bps"])

    def test_pandas_reads_the_table(self) -> None:
        self.assertEqual(pa.table(self.table).to_pandas()["goodput_bps"].tolist(), self.goodput)
        if hasattr(pd.DataFrame, "from_arrow"):
            self.assertEqual(pd.DataFrame.from_arrow(self.table)["goodput_bps"].tolist(), self.goodput)

    def test_duckdb_queries_the_table(self) -> None:
        flows = pa.table(self.table)
        [(mean,)] = duckdb.sql("select avg(goodput_bps) from flows").fetchall()
        self.assertAlmostEqual(mean, sum(self.goodput) / len(self.goodput), delta=1e-6)
        self.assertEqual(len(flows), 5)

    def test_column_converts_to_a_numpy_array(self) -> None:
        array = self.table.array("goodput_bps")
        self.assertEqual((array.dtype, array.tolist()), (np.float64, self.goodput))
        for column in ("nothing", "flow"):
            with self.assertRaises(KeyError):
                self.table.array(column)


class Traces(unittest.TestCase):
    def test_pairs_are_times_and_values_of_the_file(self) -> None:
        run = lh.Scenario.load("examples/goel-refined.toml").run(traces=["all"])
        for name, unit in (("congestion", "B"), ("seqno", "B"), ("wless_state", ""), ("trace.dat", "")):
            table, lines = run.table(name), run.trace(name).decode().splitlines()
            self.assertEqual(len(table), len(lines))
            time, value = lines[-1].split()
            [last] = table.rows()[-1:]
            cells = [f"{cell:.10g}" if isinstance(cell, float) else str(cell) for cell in last.values()]
            self.assertEqual(cells, [f"{float(time):.10g}", value])
            self.assertEqual(table.units, {"time_ms": "ms", table.columns[1]: unit})
        self.assertEqual(run.table("congestion").array("congestion").dtype, np.float64)
        self.assertEqual(run.table("seqno").array("seqno").dtype, np.int64)

    def test_series_is_read_by_polars(self) -> None:
        run = lh.Scenario.load("examples/goel-refined.toml").run(traces=["series"])
        frame = pl.DataFrame(run.table("series"))
        self.assertEqual(frame["bytes"].sum(), 10_240_000)
        self.assertEqual(frame["flow"].unique().to_list(), ["download"])

    def test_types_of_columns_do_not_depend_on_values(self) -> None:
        text = (ROOT / "examples/goel-refined.toml").read_text()
        frames = []
        for name, duration in (("download", "3 s"), ("1", "2.5 s")):
            run = lh.Scenario(text.replace("flows.download", f"flows.{name}")).set("duration", duration).run(traces=["series"])
            frames.append(pl.DataFrame(run.table("series")))
            self.assertEqual(run.table("series").definitions["timeouts"], "Retransmission timeouts in the interval")
        self.assertEqual(frames[0].schema, frames[1].schema)
        joined = pl.concat(frames)
        self.assertEqual(set(joined["flow"]), {"download", "1"})
        floats = {"from_s", "to_s", "goodput_bps", "cwnd_bytes", "rtt_mean_s", "queue_wait_mean_s"}
        self.assertEqual({name for name, kind in joined.schema.items() if kind == pl.Float64}, floats)

    def test_malformed_lines_are_errors(self) -> None:
        run = lh.Scenario.load("examples/goel-refined.toml").run(traces=["seqno", "series"])
        [pairs, series] = sorted(run.files, key=lambda name: name.endswith(".csv"))
        for file, line, why in (
            (pairs, b"17", "found 1 cells, expected 2"),
            (pairs, b"17 x", 'seqno: found "x", expected a whole number'),
            (pairs, b"soon 3", 'time_ms: found "soon", expected a number'),
            (series, b"0,1", "found 2 cells, expected 10"),
        ):
            files = {**run.files, file: run.files[file] + line + b"\n"}
            with self.assertRaisesRegex(lh.LasthopError, rf"{re.escape(file)}:\d+: {why}"):
                lh.Run(run.scenario, run.json, files).table(file)
        files = {series: b"time\n1\n"}
        with self.assertRaisesRegex(lh.LasthopError, 'series.csv:1: found "time", expected "from_s,'):
            lh.Run(run.scenario, run.json, files).table("series")

    def test_missing_values_are_null(self) -> None:
        run = lh.Scenario.load("examples/freeze-tcp.toml").run(traces=["series"])
        rtts = run.table("series")["rtt_mean_s"]
        self.assertIn(None, rtts, "no measurement while nothing arrives")
        self.assertTrue(np.isnan(run.table("series").array("rtt_mean_s")).any())

    def test_traces_that_are_no_tables_are_refused(self) -> None:
        run = lh.Scenario.load("examples/goel-refined.toml").run(traces=["events", "jsonl"])
        for name in ("event-trace", "events.jsonl"):
            with self.assertRaisesRegex(lh.LasthopError, "expected a trace that is a table"):
                run.table(name)
        with self.assertRaisesRegex(lh.LasthopError, 'found "cwnd", expected the name of one trace'):
            run.table("cwnd")


class EventTables(unittest.TestCase):
    """Each library reads from the trace `parquet` what the lines of `jsonl` have."""

    folder: str
    lines: dict[str, list[dict[str, Any]]]
    files: dict[str, bytes]

    @classmethod
    def setUpClass(cls) -> None:
        run = lh.Scenario.load("examples/aggregation.toml").set("duration", "1 s").run(traces=["jsonl", "parquet"])
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.lines = {}
        for line in run.trace("jsonl").splitlines():
            event = json.loads(line)
            cls.lines.setdefault(event.pop("event"), []).append(event)
        cls.files = {name: contents for name, contents in run.files.items() if name.endswith(".parquet")}
        for name, contents in cls.files.items():
            Path(cls.folder, name).write_bytes(contents)

    def rows(self, kind: str, columns: list[str]) -> list[dict[str, Any]]:
        """The lines of a kind as rows: what a line lacks is None, and lists are text."""
        return [{name: text_of_list(line.get(name)) for name in columns} for line in self.lines[kind]]

    def test_each_kind_of_event_has_a_file(self) -> None:
        self.assertEqual(set(self.files), {f"{kind}.parquet" for kind in self.lines})
        self.assertIn("air-sent.parquet", self.files)

    def test_pyarrow_and_polars_read_every_table(self) -> None:
        for kind, lines in self.lines.items():
            with self.subTest(kind):
                file = os.path.join(self.folder, f"{kind}.parquet")
                table, frame = pq.read_table(file), pl.read_parquet(self.files[f"{kind}.parquet"])
                expected = self.rows(kind, table.column_names)
                self.assertTrue(all(set(line) <= set(table.column_names) for line in lines))
                self.assertEqual(table.to_pylist(), expected)
                self.assertEqual(frame.to_dicts(), expected)

    def test_duckdb_and_pandas_compute_the_same(self) -> None:
        file = os.path.join(self.folder, "dequeued.parquet")
        counts = duckdb.sql(f"select \"from\", count(*), sum(bytes) from '{file}' group by all order by all").fetchall()
        waits = pd.read_parquet(file).groupby("from")["bytes"].agg(["count", "sum"])
        self.assertEqual(counts, [(name, *map(int, row)) for name, row in zip(waits.index, waits.to_numpy())])
        lines = self.lines["dequeued"]
        self.assertEqual(sum(total for _, _, total in counts), sum(line["bytes"] for line in lines))
        [(least, most)] = duckdb.sql(f"select min(t), max(t) from '{file}'").fetchall()
        self.assertEqual((least, most), (lines[0]["t"], lines[-1]["t"]))

    def test_columns_have_the_types_of_the_fields(self) -> None:
        schema = pl.read_parquet(self.files["air-sent.parquet"]).schema
        expected = {"t": pl.Float64, "medium": pl.String, "size": pl.Int64, "again": pl.Boolean, "packets": pl.String}
        self.assertEqual({name: schema[name] for name in expected}, expected)
        packets = [line["packets"] for line in self.lines["air-sent"] if "packets" in line]
        column = pl.read_parquet(self.files["air-sent.parquet"])["packets"].drop_nulls()
        self.assertEqual([json.loads(text) for text in column], packets)


def text_of_list(value: object) -> object:
    return json.dumps(value, separators=(",", ":")) if isinstance(value, list) else value


if __name__ == "__main__":
    unittest.main()
