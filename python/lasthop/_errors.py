"""The exception and the warning of the package."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


class Problem:
    """What is wrong with an input, or doubtful.

    Attributes:
        file: The file or argument, if known.
        line, column: The place in the file, from 1.
        key: The key of the scenario, such as ``links.air.rate``.
        found: The value found.
        expected: The value expected, or a description.
        hint: How to correct it.
        lint: The name of the warning; None for an error.
    """

    __slots__ = ("file", "line", "column", "key", "found", "expected", "hint", "lint", "text")

    file: str | None
    line: int | None
    column: int | None
    key: str | None
    found: str | None
    expected: str
    hint: str | None
    lint: str | None
    text: str

    def __init__(self, fields: Mapping[str, Any]) -> None:
        for name in self.__slots__:
            setattr(self, name, fields[name])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Problem {self.text!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Problem, ({name: getattr(self, name) for name in self.__slots__},)


class LasthopError(Exception):
    """An input is wrong, or a run failed.

    The message says where, what was found, what was expected and how to correct it.

    Attributes:
        problems: The problems of a wrong input; empty for other errors.

    >>> import lasthop as lh
    >>> try:
    ...     lh.Scenario("duration = 'long'").check()
    ... except lh.LasthopError as error:
    ...     print(error.problems[0].key, error.problems[0].line)
    duration 1
    """

    problems: tuple[Problem, ...]

    def __init__(self, text: str, problems: Iterable[Mapping[str, Any] | Problem] = ()) -> None:
        super().__init__(text)
        self.problems = tuple(each if isinstance(each, Problem) else Problem(each) for each in problems)

    def __reduce__(self) -> tuple[Any, ...]:
        return LasthopError, (str(self), self.problems)


class ScenarioWarning(UserWarning):
    """A scenario is valid, but probably not what was meant."""


class FailedRun:
    """A run that failed, and is not in the store.

    Attributes:
        run: Its point, case and replication.
        error: Why it failed.
    """

    __slots__ = ("run", "error")

    def __init__(self, run: str, error: str) -> None:
        self.run, self.error = run, error

    def __repr__(self) -> str:
        return f"<FailedRun {self.run}: {self.error}>"
