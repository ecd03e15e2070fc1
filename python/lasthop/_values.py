"""Checks of arguments."""

from __future__ import annotations

import os

from ._errors import LasthopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

# Characters of a value in a message.
MAX_SHOWN = 80
# Levels of lists and dicts in a value of a scenario.
MAX_LEVELS = 32


def shown(value: object) -> str:
    """A value for a message."""
    try:
        text = quoted(value) if isinstance(value, str) else repr(value)
    except Exception:
        # An integer with too many digits, for example.
        text = f"<{type(value).__name__}>"
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def quoted(value: str) -> str:
    """A text in quotes, as JSON and TOML write it; surrogates are escaped."""
    import json

    has_surrogates = any("\ud800" <= letter <= "\udfff" for letter in value)
    return json.dumps(value, ensure_ascii=has_surrogates).replace("\x7f", "\\u007f")


def refused(where: str, value: object, expected: str, hint: str | None = None, *, is_key: bool = False) -> LasthopError:
    """The exception for a wrong argument, or for the value of a key."""
    found = shown(value)
    text = f"{where}: found {found}, expected {expected}" + (f"\n  hint: {hint}" if hint else "")
    file, key = (None, where) if is_key else (where, None)
    problem = {
        "file": file, "line": None, "column": None, "key": key, "found": found, "expected": expected, "hint": hint,
        "lint": None, "text": text,
    }
    return LasthopError(text, [problem])


def whole(where: str, value: object, minimum: int, maximum: int) -> int:
    """A whole number in a range."""
    import operator

    try:
        number = operator.index(value)  # type: ignore[arg-type]  # which is tested here
    except TypeError:
        number = minimum - 1
    if not minimum <= number <= maximum:
        raise refused(where, value, f"a whole number from {minimum} to {maximum}")
    return number


def finite(where: str, value: object) -> float:
    """A finite number."""
    import math

    try:
        number = float(value)  # type: ignore[arg-type]  # which is tested here
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, (str, bytes)) or not math.isfinite(number):
        raise refused(where, value, "a finite number")
    return number


def text(where: str, value: object, expected: str = "a text") -> str:
    """A text that can be encoded."""
    if not isinstance(value, str):
        raise refused(where, value, expected)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refused(where, value, f"{expected} without surrogates") from None
    # The text of an enumeration's member, not its name.
    return str.__str__(value)


def texts(where: str, values: object, expected: str = "a list of texts") -> list[str]:
    """A list of texts; a text alone is none."""
    return [text(where, value, expected) for value in items(where, values, expected)]


def items(where: str, values: object, expected: str = "a list") -> list[Any]:
    """A list of anything; neither a text nor a dict is one."""
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__iter__"):
        raise refused(where, values, expected)
    return list(values)


def pairs(where: str, values: Mapping[str, Any] | None, expected: str = "a dict") -> Iterable[tuple[str, Any]]:
    """The entries of a dict, whose keys are texts."""
    if values is None:
        return []
    if not hasattr(values, "items"):
        raise refused(where, values, expected)
    return [(text(where, key), value) for key, value in values.items()]


def key(where: str, name: object) -> str:
    """A key of a scenario."""
    expected = "a key of the scenario, such as links.air.rate"
    found = text(where, name, expected)
    if "=" in found:
        raise refused(where, name, expected)
    return found


def path(where: str, name: object) -> str:
    """A path."""
    found = os.fsdecode(os.fspath(name))  # type: ignore[call-overload]  # a TypeError is right
    try:
        encoded = os.fsencode(found)
    except UnicodeEncodeError:
        raise refused(where, name, "a path without surrogates") from None
    if 0 in encoded:
        raise refused(where, name, "a path without the byte 0")
    return found


def toml(value: object, where: str, levels: int = 0) -> str:
    """A value of a scenario as TOML."""
    if hasattr(value, "tolist"):
        # NumPy's numbers and arrays.
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise refused(where, value, "a number of at most 64 bits", is_key=True)
        return int.__repr__(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise refused(where, value, "a finite number", is_key=True)
        return float.__repr__(value)
    if isinstance(value, str):
        return quoted(text(where, value))
    if isinstance(value, (dict, list, tuple)) and levels == MAX_LEVELS:
        raise refused(where, value, f"at most {MAX_LEVELS} levels of lists and dicts", is_key=True)
    if isinstance(value, dict):
        expected = "a dict whose keys are texts"
        entries = ((quoted(text(where, key, expected)), toml(each, where, levels + 1)) for key, each in value.items())
        return "{ " + ", ".join(f"{key} = {each}" for key, each in entries) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(each, where, levels + 1) for each in value) + "]"
    raise refused(where, value, "text, a number, a bool, a list or a dict", is_key=True)
