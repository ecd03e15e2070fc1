"""Tables for notebooks."""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else escape(str(value))


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows as an HTML table: a column for each plain value of the first row."""
    columns = [name for name, value in rows[0].items() if not isinstance(value, (dict, list))] if rows else []
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{_text(row.get(name))}</td>" for name in columns) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
