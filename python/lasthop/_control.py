"""Congestion controls written in Python."""

from __future__ import annotations

from ._errors import LasthopError
from ._lasthop import Acked, Congestion, Feedback, Start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Control:
    """A congestion control: derive a class, and give it to :meth:`Scenario.with_controls`.

    The simulator makes an object for each sender, with the settings of the scenario as keyword arguments, and calls it at
    decisions. After each call it reads ``cwnd``, ``ssthresh`` and ``pacing_rate``. All sizes are bytes, all times seconds.
    An exception ends the run. Randomness must come from the seed in the settings, or the same run gives other results.

    Attributes:
        name: The name in scenarios, as value of ``flows.NAME.tcp.control``.
        version: The author's version, which must change with the results: stores refuse results of a class without one.
        wants_feedback: Whether :meth:`on_feedback` is called, for every acknowledgment.
        paces: Whether ``pacing_rate`` is used.
        segment: Bytes in a full segment.
        cwnd: The congestion window, at least one segment.
        ssthresh: The slow start threshold; infinite before the first loss.
        pacing_rate: Bytes per second; None for no pacing.

    >>> import lasthop as lh
    >>> class Fixed(lh.Control):
    ...     name = "fixed"
    ...     def __init__(self, start, segments=10):
    ...         super().__init__(start)
    ...         self.cwnd = segments * start.segment
    >>> scenario = lh.Scenario.load("examples/goel-refined.toml").with_controls(Fixed)
    >>> scenario.set("flows.download.tcp.control", {"kind": "fixed", "segments": 4}).run().flows[0]["completed"]
    True
    """

    name: str
    version: str | None = None
    wants_feedback: bool = False
    paces: bool = False

    segment: float
    cwnd: float
    ssthresh: float
    pacing_rate: float | None

    def __init__(self, start: Start) -> None:
        self.segment, self.cwnd, self.ssthresh = start.segment, start.cwnd, start.ssthresh
        self.pacing_rate = None

    def on_ack(self, acked: Acked) -> None:
        """New data was acknowledged, outside fast recovery, and cwnd limited the sender."""

    def on_congestion(self, event: Congestion) -> None:
        """Something was lost or marked; ``event.kind`` is fast-retransmit, restart, timeout, ecn or notified."""

    def on_feedback(self, feedback: Feedback) -> None:
        """An acknowledgment was received, in any state; only if ``wants_feedback``."""

    def on_undo(self) -> None:
        """The last reduction was spurious: restore cwnd and ssthresh."""

    def on_recovered(self, now: float) -> None:
        """Fast recovery has ended."""

    def on_idle(self, now: float, idle: float, restart: float | None) -> None:
        """Nothing was in flight for ``idle``; ``restart`` is the restart window, if the sender's settings ask for it."""


class Class:
    """A class, as the native module reads it. It can be pickled if the class can."""

    __slots__ = ("cls",)

    def __init__(self, cls: type[Control]) -> None:
        self.cls = cls

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


def classes(controls: Iterable[object]) -> list[Class]:
    """The classes, checked."""
    found = []
    for cls in controls:
        if not (isinstance(cls, type) and issubclass(cls, Control)):
            raise LasthopError(f"found {cls!r}, expected a class derived from lasthop.Control")
        if not isinstance(getattr(cls, "name", None), str):
            raise LasthopError(f'{cls.__name__}: expected a name in scenarios, such as name = "aimd"')
        if not isinstance(cls.version, (str, type(None))):
            raise LasthopError(f"{cls.__name__}: found version = {cls.version!r}, expected a text")
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
