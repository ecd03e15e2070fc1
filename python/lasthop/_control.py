"""Congestion controls written in Python."""

from __future__ import annotations

from ._lasthop import Acked, Congestion, Feedback, Start


class Control:
    """A congestion control: derive a class, and give it to :meth:`Scenario.with_members`.

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
    >>> scenario = lh.Scenario.load("examples/goel-refined.toml").with_members(Fixed)
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
