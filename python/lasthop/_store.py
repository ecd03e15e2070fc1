"""Stores of finished runs."""

from __future__ import annotations

import os

from . import _files, _lasthop, _values
from ._errors import LasthopError
from ._table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Any

# The folder of a temporary store begins so.
TEMPORARY = "lasthop-sweep-"


class Store:
    """A file with the finished runs of sweeps, which the command and sweeps write.

    Args:
        path: The file.
        sweep: The number of the only sweep to look at; all by default.

    Raises:
        LasthopError: It does not exist, is no store, or is damaged.
    """

    __slots__ = ("path", "sweep", "_native", "__weakref__")

    def __init__(self, path: str | os.PathLike[str], sweep: int | None = None) -> None:
        self.path = _values.path("path", path)
        self.sweep = None if sweep is None else _values.whole("sweep", sweep, 0, 2**63 - 1)
        self._native = _lasthop.Store(self.path, self.sweep)

    def summaries(self) -> list[dict[str, Any]]:
        """The sweeps, the oldest first, each as ``lasthop sweep --json`` prints it."""
        import json

        summaries: list[dict[str, Any]] = json.loads(self._native.summaries())
        return summaries

    def tables(self) -> dict[str, Table]:
        """All tables by name: those that ``lasthop export`` writes."""
        return {table.name: Table(table) for table in self._native.tables()}

    def table(self, name: str = "flows") -> Table:
        """A table: flows, links, summary, media, stations, nodes or arrivals."""
        name = _values.text("table", name, "the name of a table")
        tables = self.tables()
        if name not in tables:
            raise LasthopError(f'found "{name}", expected a table of the store: {", ".join(tables)}')
        return tables[name]

    def export(
        self, folder: str | os.PathLike[str], *formats: str, metrics: Sequence[str] = ()
    ) -> list[str]:
        """Write files, as ``lasthop export``: csv, parquet, json, latex or gnuplot. Return their paths."""
        names = _values.texts("metrics", metrics, "a list of names of metrics")
        kinds = _values.texts("formats", formats or ("csv",), "names of formats")
        return [os.fspath(path) for path in self._native.export(_values.path("folder", folder), kinds, names)]

    def report(self, path: str | os.PathLike[str] | None = None, *, metrics: Sequence[str] = ()) -> str:
        """The report of ``lasthop report --no-budget`` as HTML, written to ``path`` if given."""
        names = _values.texts("metrics", metrics, "a list of names of metrics")
        html = self._native.report(os.fsencode(os.path.basename(self.path)).decode(errors="replace"), names)
        if path is not None:
            _files.write(path, html)
        return html

    def __repr__(self) -> str:
        return "<temporary Store>" if _is_temporary(self.path) else f"<Store {self.path}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.path, self.sweep)


class StorePlace:
    """The place of a store: a path, or a temporary folder, which exists as long as the store is open. An exception
    removes the folder."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.folder: str | None = None
        if path is not None:
            self.path = _values.path("store", path)
            return
        import tempfile

        try:
            self.folder = tempfile.mkdtemp(prefix=TEMPORARY)
        except OSError as error:
            _files.failed("store", error)
        self.path = os.path.join(self.folder, "sweep.sqlite")

    def open(self) -> Store:
        """The store."""
        store = Store(self.path)
        if self.folder is not None:
            import weakref

            weakref.finalize(store, _remove, self.folder, os.getpid())
        return store

    def remove(self) -> None:
        """Remove a temporary store."""
        if self.folder is not None:
            _remove(self.folder, os.getpid())

    def __enter__(self) -> StorePlace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.remove()


def _remove(folder: str, process: int) -> None:
    """Remove a folder, unless this is a fork of the process that made it."""
    import shutil

    if os.getpid() == process:
        shutil.rmtree(folder, True)


def _is_temporary(path: str) -> bool:
    """Whether a store was made in a temporary folder."""
    return os.path.basename(os.path.dirname(path)).startswith(TEMPORARY)
