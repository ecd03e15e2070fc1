"""What an environment is: steps, actions, features and reward."""

from __future__ import annotations

from .. import _lasthop
from .._errors import LasthopError
from .._scenario import _toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FEATURES: dict[str, tuple[float, float]] = {name: (least, most) for name, least, most in _lasthop.features()}
"""The features that an agent may see, with their ranges."""


class Setup:
    """Steps, actions, features and reward of an environment.

    Args:
        step: The length of a step: ``"rtt"`` (the smoothed round-trip time), ``"ack"`` (each acknowledgment), or a time,
            such as ``"20 ms"``.
        action: What an action from -1 to 1 changes: ``"cwnd-factor"`` multiplies cwnd by 2^(scale x action), ``"cwnd"``
            sets it to 64^(1 + action) segments, and ``"pacing-factor"`` multiplies the pacing rate.
        scale: The largest change of a factor in a step, as a power of two; more than 0, at most 4.
        observe: Names of features, in this order; see :data:`FEATURES`.
        delay, loss: Weights of the reward. A step of t seconds has the reward
            t (log2(1 + n) - delay log2(RTT / min RTT) - loss L), with n the segments delivered per minimum RTT, RTT the
            mean round trip of the step, and L the share of lost bytes.

    >>> Setup(step="20 ms").observe[:2]
    ['delay', 'gradient']
    """

    __slots__ = ("step", "action", "scale", "observe", "delay", "loss")

    def __init__(
        self,
        *,
        step: str = "rtt",
        action: str = "cwnd-factor",
        scale: float = 1.0,
        observe: Sequence[str] = tuple(FEATURES),
        delay: float = 1.0,
        loss: float = 1.0,
    ) -> None:
        self.step, self.action, self.scale = step, action, float(scale)
        self.observe = list(observe)
        self.delay, self.loss = float(delay), float(loss)
        for name in self.observe:
            if name not in FEATURES:
                raise LasthopError(f'observe: found "{name}", expected some of {", ".join(FEATURES)}')

    @property
    def rules(self) -> dict[str, object]:
        """The part that a policy's file holds."""
        return {"step": self.step, "action": self.action, "scale": self.scale, "observe": self.observe}

    def toml(self, period: str | None = None) -> str:
        """As the native module reads it."""
        reward = {"delay": self.delay, "loss": self.loss}
        text = f"rules = {_toml(self.rules)}\nreward = {_toml(reward)}\n"
        return text if period is None else f"{text}period_s = {seconds(period)!r}\n"


def seconds(time: str) -> float:
    """A time with a unit, in seconds.

    >>> seconds("20 ms")
    0.02
    """
    units = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
    number, _, unit = time.strip().partition(" ")
    try:
        value = float(number) * units[unit]
    except (KeyError, ValueError):
        value = 0.0
    if not 1e-9 <= value < 1e9:
        raise LasthopError(f'found "{time}", expected a time above 0, such as "20 ms"')
    return value
