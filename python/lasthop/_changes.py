"""Changes of a scenario, as the command's ``--set`` reads them."""

from __future__ import annotations

from . import _values
from ._errors import LasthopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any


def change(key: str, value: object) -> str:
    """The change of a key.

    >>> change("links.air.rate", "8 Mbps"), change("seed", 2), change("links.air.channel", {"kind": "uniform"})
    ('links.air.rate=8 Mbps', 'seed=2', 'links.air.channel={ "kind" = "uniform" }')
    """
    key = _values.key("key", key)
    return f"{key}={_values.text(key, value) if isinstance(value, str) else _values.toml(value, key)}"


def sweep_changes(
    axes: Mapping[str, Sequence[object]] | None,
    compare: Mapping[str, Sequence[object]] | None,
    cases: Mapping[str, Mapping[str, object]] | None,
    replications: int | None,
    metrics: Sequence[str] | None,
) -> list[str]:
    """The changes for the arguments of :meth:`Scenario.sweep`."""
    if cases and compare:
        raise LasthopError("cases: found beside compare, expected one of them")
    changes = []
    if axes is not None:
        changes += ["sweep.axes={}", "sweep.zip=[]"]
    if cases is not None or compare is not None:
        changes.append("sweep.compare={}")
    changes += _case_changes(cases)
    changes += _list_changes("axes", axes)
    changes += _list_changes("compare", compare)
    if replications is not None:
        changes.append(f"sweep.replications={_values.whole('replications', replications, 1, 1_000_000)}")
    if metrics is not None:
        names = _values.texts("metrics", metrics, "a list of names of metrics")
        changes.append(f"sweep.metrics={_values.toml(names, 'metrics')}")
    return changes


def _list_changes(option: str, keys: Mapping[str, Sequence[object]] | None) -> Iterable[str]:
    """The changes for keys with several values."""
    for key, values in _values.pairs(option, keys, "a dict of keys with lists of values"):
        key = _values.key(option, key)
        listed = _values.items(f"{option}[{key}]", values, "a list of values")
        yield f"sweep.{option}.{key}={_values.toml(listed, f'{option}[{key}]')}"


def _case_changes(cases: Mapping[str, Mapping[str, object]] | None) -> Iterable[str]:
    """The changes for cases with names."""
    expected = "a dict of names with dicts of keys and values"
    for name, changes in _values.pairs("cases", cases, expected):
        if not name or "=" in name or '"' in name:
            raise _values.refused("cases", name, 'a name without = and "')
        simple = all(letter.isalnum() or letter in "_-" for letter in name)
        quoted = name if simple else f'"{name}"'
        yield f"sweep.compare.{quoted}={_values.toml(_nested(f'cases[{name}]', changes), f'cases[{name}]')}"


def _nested(where: str, changes: Mapping[str, object]) -> dict[str, object]:
    """Keys with dots as tables in tables.

    >>> _nested("case", {"scheme": "snoop", "links.air.rate": "1 Mbps"})
    {'scheme': 'snoop', 'links': {'air': {'rate': '1 Mbps'}}}
    """
    root: dict[str, object] = {}
    for key, value in _values.pairs(where, changes, "a dict of keys and values"):
        *parents, last = key.split(".")
        table: Any = root
        for parent in parents:
            table = table.setdefault(parent, {})
            if not isinstance(table, dict):
                raise LasthopError(f"{where}: {key}: {parent} has a value, expected keys below it")
        table[last] = value
    return root
