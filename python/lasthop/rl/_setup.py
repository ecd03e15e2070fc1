"""What an environment is: steps, actions, features and reward."""

from __future__ import annotations

from .. import _lasthop, _values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FEATURES: dict[str, tuple[float, float]] = {name: (low, high) for name, low, high in _lasthop.features()}
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
        self.step = _values.text("step", step, '"rtt", "ack", or a time such as "20 ms"')
        self.action = _values.text("action", action, '"cwnd-factor", "cwnd" or "pacing-factor"')
        self.scale = _values.finite("scale", scale)
        self.delay, self.loss = _values.finite("delay", delay), _values.finite("loss", loss)
        known = f"some of {', '.join(FEATURES)}"
        self.observe = _values.texts("observe", observe, known)
        if not self.observe:
            raise _values.refused("observe", observe, known)
        for name in self.observe:
            if name not in FEATURES:
                raise _values.refused("observe", name, known)

    @property
    def rules(self) -> dict[str, object]:
        """The part that a policy's file holds."""
        return {"step": self.step, "action": self.action, "scale": self.scale, "observe": self.observe}

    def toml(self) -> str:
        """As the native module reads it."""
        reward = {"delay": self.delay, "loss": self.loss}
        return f"rules = {_values.toml(self.rules, 'rules')}\nreward = {_values.toml(reward, 'reward')}\n"

    @classmethod
    def of(cls, setup: Setup | None, settings: dict[str, Any]) -> Setup:
        """The setup of an environment, which is given one, or its settings."""
        if "flows" in settings:
            raise _values.refused("flows", settings["flows"], "flow, the name of the one that learns")
        if setup is None:
            return cls(**settings)
        if not isinstance(setup, Setup):
            raise _values.refused("setup", setup, "a lasthop.rl.Setup")
        if settings:
            raise _values.refused("setup", setup, f"either a setup or its settings, not also {', '.join(settings)}")
        return setup

    def __repr__(self) -> str:
        return f"Setup({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"
