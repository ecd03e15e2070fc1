"""The text of a scenario with changes, files and classes: what runs, sweeps and comparisons read."""

from __future__ import annotations

import os

from . import _files, _lasthop, _values
from ._changes import change
from ._errors import Problem, ScenarioWarning
from ._members import classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from typing_extensions import Self

    from ._agent import Agent
    from ._control import Control
    from ._members import Class


# Maximum number of bytes read from a scenario file: one more than the simulator accepts.
MOST_BYTES = (64 << 20) + 1


class ScenarioSource:
    """A text in TOML, or in the thesis's language, with changes. It does not change; methods return new ones.

    Attributes:
        path: The path in messages; files that the scenario names are beside it.
        text: The text; None to read it from ``path``.
        files: Contents of files that the scenario names.
        changes: Changes of keys, as ``KEY=VALUE``.
        scheme: The scheme of all nodes, or None for those of the text.
        seed: The seed, or None for that of the text.
        classes: Classes in Python that the scenario may name.
    """

    __slots__ = ("path", "text", "files", "changes", "scheme", "seed", "classes")

    path: str
    text: bytes | None
    files: dict[str, bytes]
    changes: list[str]
    scheme: str | None
    seed: int | None
    classes: list[Class]

    def __init__(
        self, text: str | bytes, *, name: str = "scenario.toml", files: Mapping[str, bytes] | None = None
    ) -> None:
        if not isinstance(text, (str, bytes, bytearray, memoryview)):
            raise _values.refused("text", text, "a text or bytes")
        if isinstance(text, str) and text.endswith((".toml", ".dat")) and "\n" not in text:
            raise _values.refused("text", text, "the text of a scenario", "Scenario.load reads a file")
        self.path = _values.path("name", name)
        self.text = _values.text("text", text).encode() if isinstance(text, str) else bytes(text)
        self.files = {}
        for file, contents in _values.pairs("files", files, "a dict of names with bytes"):
            if not isinstance(contents, (bytes, bytearray, memoryview)):
                raise _values.refused(f"files[{file}]", contents, "bytes")
            self.files[file] = bytes(contents)
        self.changes = []
        self.scheme = None
        self.seed = None
        self.classes = []

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a scenario, a ``datafile.dat``, or the scenario of a result directory.

        The files that it names, such as recordings, are read from beside it when it runs.

        Raises:
            LasthopError: The file cannot be read. Its contents are checked when it runs, or by :meth:`check`.
        """
        name = _values.path("path", path)
        scenario = cls("", name=name)
        scenario.text = None
        if not os.path.isdir(name):
            try:
                with open(name, "rb") as file:
                    scenario.text = file.read(MOST_BYTES)
            except OSError as error:
                _files.failed(name, error)
        return scenario

    def _copy(self) -> Self:
        other = type(self)(b"", name=self.path, files=self.files)
        other.text, other.changes, other.scheme, other.seed = self.text, list(self.changes), self.scheme, self.seed
        other.classes = list(self.classes)
        return other

    def set(self, key: str, value: object) -> Self:
        """Change a key, such as ``links.air.rate``, to a value: text with a unit, a number, a bool, a list or a dict."""
        other = self._copy()
        other.changes.append(change(key, value))
        return other

    def with_scheme(self, scheme: str) -> Self:
        """Run this scheme, as ``--scheme``: see ``lasthop list schemes``.

        It is that of all hosts and base stations; a class in Python runs at those of its ``changes`` and ``uploads``. For one
        node: ``set("nodes.NAME.scheme", ...)``.
        """
        other = self._copy()
        other.scheme = _values.text("scheme", scheme, "the name of a scheme")
        return other

    def with_members(self, *members: type[Control] | type[Agent]) -> Self:
        """Let the scenario name these classes, instead of earlier ones of the same names; see :class:`Control` and
        :class:`Agent`.
        """
        added = classes(members)
        other = self._copy()
        # A class that is defined again, as in a notebook, replaces the earlier one.
        names = {(each.kind, each.name) for each in added}
        other.classes = [each for each in other.classes if (each.kind, each.name) not in names] + added
        return other

    def with_seed(self, seed: int) -> Self:
        """Change the seed of all random numbers, 0 to 2^63 - 1."""
        other = self._copy()
        other.seed = _values.whole("seed", seed, 0, 2**63 - 1)
        return other

    def check(self) -> list[Problem]:
        """Check the scenario; return warnings.

        Raises:
            LasthopError: It is wrong. ``problems`` has all problems.
        """
        return [Problem(each) for each in _lasthop.check(self)]

    def toml(self) -> str:
        """The scenario with all changes, from which its runs can be repeated."""
        return _lasthop.toml(self)

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON Schema of scenarios: all keys with their types, units and defaults."""
        import json

        schema: dict[str, Any] = json.loads(_lasthop.schema())
        return schema

    def _warn(self) -> None:
        import warnings

        for warning in self.check():
            warnings.warn(str(warning), ScenarioWarning, stacklevel=3)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScenarioSource) and self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash((self.path, self.text, tuple(self.changes), self.scheme, self.seed))

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ScenarioSource.__slots__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in ScenarioSource.__slots__:
            setattr(self, name, state[name])
