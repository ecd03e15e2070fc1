"""Measurements of an episode."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Episode:
    """The measurements of a flow in an episode.

    Attributes:
        flow: The flow's name.
        time_s: The time at the end.
        reward: The sum of all rewards, with that of the time before the first action, which no step returns.
        steps: The number of steps.
        completed: Whether all data was delivered.
        goodput_bps: Bits delivered in order per second.
        mean_rtt_s, p95_rtt_s, min_rtt_s: Of all measured round trips.
        loss: The share of lost bytes.
        timeouts: The number of retransmission timeouts.
        goodputs_bps: Of all flows of the scenario, by name.
    """

    __slots__ = (
        "flow", "time_s", "reward", "steps", "completed", "goodput_bps", "mean_rtt_s", "p95_rtt_s", "min_rtt_s",
        "loss", "timeouts", "goodputs_bps",
    )

    flow: str
    time_s: float
    reward: float
    steps: int
    completed: bool
    goodput_bps: float
    mean_rtt_s: float
    p95_rtt_s: float
    min_rtt_s: float
    loss: float
    timeouts: int
    goodputs_bps: dict[str, float]

    def __init__(self, values: dict[str, Any]) -> None:
        for name in self.__slots__:
            setattr(self, name, values[name])

    def __repr__(self) -> str:
        return (
            f"<Episode of {self.flow}: {self.goodput_bps / 1e6:.2f} Mbps, RTT {1e3 * self.mean_rtt_s:.0f} ms, "
            f"reward {self.reward:.2f}>"
        )
