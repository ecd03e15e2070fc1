"""Elements for notebooks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows as an HTML table: a column for each plain value of the first row."""
    from html import escape

    def cell(value: object) -> str:
        if isinstance(value, float):
            return f"{value:.6g}"
        return "" if value is None else escape(str(value))

    columns = [name for name, value in rows[0].items() if not isinstance(value, (dict, list))] if rows else []
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell(row.get(name))}</td>" for name in columns) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def image(kind: str, contents: bytes, size: tuple[int, int] | None, name: str) -> str:
    """An image as an element with its bytes; ``kind`` is the part of the media type after ``image/``."""
    from base64 import b64encode
    from html import escape

    sides = "".join(f' {side}="{pixels}"' for side, pixels in zip(("width", "height"), size or ()))
    return f'<img src="data:image/{kind};base64,{b64encode(contents).decode()}"{sides} alt="{escape(name)}">'
