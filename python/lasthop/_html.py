"""Tables and pictures for notebooks."""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ._picture import Picture


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


def image(picture: Picture) -> str:
    """A picture as an element with its bytes: sites that show notebooks remove SVG elements."""
    from base64 import b64encode

    kind, contents = ("svg+xml", picture.svg.encode()) if picture.png is None else ("png", picture.png)
    sides = "".join(f' {side}="{pixels}"' for side, pixels in zip(("width", "height"), picture.size or ()))
    return f'<img src="data:image/{kind};base64,{b64encode(contents).decode()}"{sides} alt="{escape(picture.name)}">'
