"""Classes as members of registries, beside those of this project."""

from __future__ import annotations

from . import _lasthop, _values
from ._agent import Agent
from ._control import Control
from ._errors import LasthopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Class:
    """A class, as the native module reads it. It can be pickled if the class can."""

    __slots__ = ("cls",)

    def __init__(self, cls: type[Control] | type[Agent]) -> None:
        self.cls = cls

    @property
    def kind(self) -> str:
        """Its registry."""
        return "control" if issubclass(self.cls, Control) else "agent"

    @property
    def name(self) -> str:
        """The name in scenarios."""
        return self.cls.name

    @property
    def version(self) -> str | None:
        """The author's version."""
        return self.cls.version

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Class) and self.cls is other.cls

    def __hash__(self) -> int:
        return hash(self.cls)


def classes(members: Iterable[object]) -> list[Class]:
    """The classes, checked."""
    found = []
    for cls in members:
        if not (isinstance(cls, type) and issubclass(cls, (Control, Agent))):
            raise _values.refused("members", cls, "a class derived from lasthop.Control or lasthop.Agent")
        if not isinstance(getattr(cls, "name", None), str):
            raise LasthopError(f'{cls.__name__}: expected a name in scenarios, such as name = "aimd"')
        if not isinstance(cls.version, (str, type(None))):
            raise _values.refused(f"{cls.__name__}.version", cls.version, "a text, or None")
        found.append(Class(cls))
    return found


def check_versions(known: Iterable[Class]) -> None:
    """Refuse a class whose results a store could not tell from those of another."""
    for each in known:
        if each.version is None:
            raise LasthopError(
                f"{each.cls.__name__}: found no version, expected one: a store identifies results by it\n"
                '  hint: write version = "1" in the class, and change it whenever its results change'
            )


def check_member(
    cls: type[Control] | type[Agent], *, seeds: int = 3, settings: Mapping[str, object] | None = None
) -> None:
    """Check a class against the contracts that all members of the registries keep.

    The class is called with random inputs in the order that its methods promise. A control also sends whole transfers over
    networks that lose, delay, repeat and reorder. Among the contracts: cwnd is finite and at least a segment; a timeout
    leaves one segment; every byte arrives; an agent forwards only what it has received; no deadline is in the past; equal
    calls give equal results.

    Args:
        seeds: The number of random sequences.
        settings: Settings of the class, as a scenario has them.

    Raises:
        LasthopError: A contract is broken: which, in which call, what was found and what was expected.

    >>> import lasthop as lh
    >>> class Greedy(lh.Control):
    ...     name = "greedy"
    ...     def on_congestion(self, event):
    ...         self.cwnd = 2 * self.cwnd
    >>> lh.check_member(Greedy)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    lasthop._errors.LasthopError: congestion control "greedy" breaks ...
    """
    import json

    (checked,) = classes([cls])
    seeds = _values.whole("seeds", seeds, 1, 1_000_000)
    if settings is not None and not (hasattr(settings, "keys") and hasattr(settings, "__getitem__")):
        raise _values.refused("settings", settings, "a mapping of names to values")
    try:
        text = json.dumps({} if settings is None else dict(settings), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise LasthopError(f"settings: {error}") from error
    _lasthop.check_member(checked, text, seeds)
