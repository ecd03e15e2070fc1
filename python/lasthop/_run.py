"""Results of single runs."""

from __future__ import annotations

import os

from . import _lasthop, _values
from ._errors import LasthopError
from ._summary import Summarized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._picture import Pictures
    from ._scenario import Scenario
    from ._store import Table


class Run(Summarized):
    """The result of a run.

    Attributes:
        scenario: The scenario that ran.
        json: The summary, as ``lasthop run --json`` prints it; ``lasthop schema summary`` describes its fields.
        files: The traces, by file name.
    """

    __slots__ = ("scenario", "files")

    def __init__(self, scenario: Scenario, json: str, files: dict[str, bytes]) -> None:
        super().__init__(json)
        self.scenario = scenario
        self.files = files

    @property
    def flows(self) -> list[dict[str, Any]]:
        """The flows, with times in seconds (``_s``), rates in bits per second (``_bps``), and counts."""
        flows: list[dict[str, Any]] = self.summary["flows"]
        return flows

    def trace(self, name: str) -> bytes:
        """A trace by the name of its file, or by a part of it that only one file has.

        Raises:
            LasthopError: No file or several have this name.
        """
        return self.files[self._file(name)]

    def _file(self, name: str) -> str:
        name = _values.text("trace", name, "the name of a trace")
        found = [name] if name in self.files else [file for file in self.files if name in file]
        if len(found) != 1:
            known = ", ".join(found or self.files) or "none: run(traces=[...]) writes them"
            raise LasthopError(f'found "{name}", expected the name of one trace; there are {known}')
        return found[0]

    def table(self, name: str) -> Table:
        """A trace as a table, by the name of its file or a part of it, as :meth:`trace`. The type of a column follows from
        the trace: tables of several runs can be joined.

        Raises:
            LasthopError: There is no such trace, or it is no table: ``events``, ``jsonl`` and
                ``pcapng`` are not, and the tables of ``parquet`` are read by pandas, polars or DuckDB from ``files``.

        >>> import lasthop as lh
        >>> run = lh.Scenario.load("examples/goel-refined.toml").run(traces=["congestion", "series"])
        >>> run.table("congestion").rows()[1]
        {'time_ms': 211.0, 'congestion': 2048.0}
        >>> run.table("series").units["goodput_bps"]
        'bit/s'
        """
        from ._store import Table

        file = self._file(name)
        table = _lasthop.trace_table(os.path.basename(file), self.files[file])
        if table is None:
            raise LasthopError(f'found "{file}", expected a trace that is a table, such as congestion or series')
        return Table(table)

    def explain(self, *, flow: str | None = None, top: int = 20) -> list[dict[str, Any]]:
        """As :meth:`Scenario.explain`."""
        return self.scenario.explain(flow=flow, top=top)

    def plot(self, *flows: str, **options: Any) -> Pictures:
        """As :meth:`Scenario.plot`."""
        return self.scenario.plot(*flows, **options)

    def __repr__(self) -> str:
        return f"<Run of {self.scenario!r}: {len(self.flows)} flows>"

    def _repr_html_(self) -> str:
        from ._html import table

        return table(self.flows)

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.scenario, self.json, self.files)
