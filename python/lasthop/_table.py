"""Tables with units and definitions."""

from __future__ import annotations

from . import _lasthop, _values
from ._html import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


class Table:
    """A table with units and definitions. polars, pandas, pyarrow and DuckDB read it without a copy, for it has the Arrow
    PyCapsule interface: ``polars.DataFrame(table)``.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _lasthop.Table) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._native.name

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _, _ in self._native.fields]

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column; empty for values without a unit."""
        return {name: unit for name, unit, _ in self._native.fields}

    @property
    def definitions(self) -> dict[str, str]:
        """What each column means."""
        return {name: definition for name, _, definition in self._native.fields}

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, column: str) -> list[Any]:
        values = self._native.column(_values.text("column", column, "the name of a column"))
        if values is None:
            raise KeyError(column)
        return values

    def array(self, column: str) -> NDArray[Any]:
        """The numbers of a column as a NumPy array, with NaN for missing ones.

        Raises:
            KeyError: There is no such column of numbers.
        """
        import numpy

        found = self._native.numbers(_values.text("column", column, "the name of a column"))
        if found is None:
            raise KeyError(column)
        values, integers = found
        return numpy.frombuffer(values, dtype=numpy.int64 if integers else numpy.float64)

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        names = self.columns
        columns = (self[name] for name in names)
        return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self)} rows, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        return table(self.rows())
