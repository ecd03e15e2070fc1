"""Schemes of base stations and hosts written in Python."""

from __future__ import annotations

from ._lasthop import Delivered, Failed, Link, Node, Packet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Agent:
    """A scheme in a node with a radio link: derive a class, and give it to :meth:`Scenario.with_members`.

    The simulator makes an object for each node that runs the scheme, with the settings of the scenario as keyword arguments,
    and calls its methods for packets that cross the node to and from the radio link (at a host also for packets that
    originate or end there) and for reports of the link layer. All sizes are bytes, all times seconds. An exception ends the
    run. A method that a class does not define costs nothing.

    Attributes:
        name: The name in scenarios, as value of ``nodes.NAME.scheme`` or of :meth:`Scenario.with_scheme`.
        version: The author's version, which must change with the results: stores refuse results of a class without one.
        semantics: ``"lost"`` if the node acknowledges data that the receiver does not have; otherwise ``"kept"``.
        changes: The nodes that must implement the scheme for data to the mobile: of sender, base station, receiver.
        uploads: Those for data from the mobile.
        needs_link_reports: Whether it needs a link layer that reports failed attempts.
        sender: The sender's part: that of a scheme of this project, such as ``"refined-icmp"``; None for plain TCP.
        sends_expedited: Whether it sends packets ahead of those that wait.
        foresight: How long before a change of the channel :meth:`on_forecast` is called; 0 for when it happens; None for
            never.
        deadline: When :meth:`on_wake` is called next; None for never. Read after ``__init__`` and after each call.
        counters: Counts by name, lower case and words joined by ``_``. They are in the results, and each growth is an event in
            traces. A class must set all names in ``__init__``.

    >>> import lasthop as lh
    >>> class DropsDuplicates(lh.Agent):
    ...     name = "drops-duplicates"
    ...     def __init__(self, most=1):
    ...         super().__init__()
    ...         self.most, self.last, self.seen = most, None, 0
    ...         self.counters = {"duplicates_dropped": 0}
    ...     def after_air(self, packet, node):
    ...         if packet.protocol != "tcp" or packet.length or packet.syn or packet.fin:
    ...             return True
    ...         self.seen = self.seen + 1 if packet.ack == self.last else 0
    ...         self.last = packet.ack
    ...         if self.seen <= self.most:
    ...             return True
    ...         self.counters["duplicates_dropped"] += 1
    ...         return False
    >>> scenario = lh.Scenario.load("examples/goel-refined.toml").with_members(DropsDuplicates)
    >>> run = scenario.with_scheme("drops-duplicates").run()
    >>> run.summary["nodes"][1]["scheme_counts"]["duplicates_dropped"] > 0
    True
    """

    name: str
    version: str | None = None
    semantics: str = "kept"
    changes: Sequence[str] = ("base station",)
    uploads: Sequence[str] = ("base station",)
    needs_link_reports: bool = False
    sender: str | None = None
    sends_expedited: bool = False
    foresight: float | None = None

    deadline: float | None
    counters: dict[str, int]

    def __init__(self) -> None:
        self.deadline = None
        self.counters = {}

    def before_air(self, packet: Packet, node: Node) -> bool | None:
        """A packet is about to be queued for the radio link, and may be changed. False: it is not forwarded."""
        return True

    def after_air(self, packet: Packet, node: Node) -> bool | None:
        """A packet has arrived over the radio link, and may be changed. False: it is not forwarded."""
        return True

    def on_link(self, link: Link, node: Node) -> None:
        """The link that the packet of the next :meth:`before_air` is to cross."""

    def on_queue_full(self, packet: Packet, node: Node) -> None:
        """A packet that :meth:`before_air` has passed is dropped, for the queue is full."""

    def on_failed(self, failed: Failed, node: Node) -> None:
        """A local attempt to send a packet has failed."""

    def on_delivered(self, delivered: Delivered, node: Node) -> None:
        """The acknowledgment of a packet has reached the node's link layer."""

    def on_wake(self, node: Node) -> None:
        """The deadline has come. It must be set to a later one, or to None."""

    def on_forecast(self, good: bool, node: Node) -> None:
        """The channel of one of the node's links becomes good or bad, ``foresight`` from now."""
