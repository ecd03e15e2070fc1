"""Trained policies."""

from __future__ import annotations

import os

from .. import _files, _lasthop, _values
from ._setup import Setup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Policy:
    """A network from features to an action, which runs in scenarios without Python.

    Args:
        setup: The steps, actions and features for which it was trained.
        layers: For each layer its weights (a row for each output) and its bias, as arrays or lists. Each layer is
            tanh(weights x inputs + bias); the last one has one output, the action.

    >>> policy = Policy(Setup(observe=["delay"]), [([[-2.0]], [0.5])])
    >>> round(policy.act([0.25]), 3)
    0.0

    It is saved to a file that ``tcp.control = { kind = "policy", file = "..." }`` names.
    """

    __slots__ = ("setup", "layers", "_text")

    def __init__(self, setup: Setup, layers: Sequence[tuple[Any, Any]]) -> None:
        self.setup = setup
        try:
            # Tuples, for the text of its file is kept.
            self.layers = tuple(
                (tuple(tuple(map(float, row)) for row in weights), tuple(map(float, bias))) for weights, bias in layers
            )
        except (TypeError, ValueError, OverflowError) as error:
            expected = "for each layer its weights, a row for each output, and its bias"
            raise _values.refused("layers", layers, expected) from error
        self._text = ""
        self.act([0.0] * len(setup.observe))

    def toml(self) -> str:
        """The text of its file."""
        if not self._text:
            layers = [{"weights": weights, "bias": bias} for weights, bias in self.layers]
            lines = ",\n  ".join(_values.toml(layer, "layers") for layer in layers)
            rules = f"rules = {_values.toml(self.setup.rules, 'setup')}\n"
            self._text = f"{rules}layers = [\n  {lines},\n]\n" if layers else rules
        return self._text

    def act(self, features: Sequence[float]) -> float:
        """The action for these features, from -1 to 1: the same number as in a scenario.

        Raises:
            LasthopError: The layers do not fit together, or the features do not fit them.
        """
        numbers = _values.items("features", features, "a list of numbers")
        return _lasthop.act(self.toml(), [_values.finite("features", number) for number in numbers])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write its file."""
        _files.write(path, self.toml())

    def __repr__(self) -> str:
        widths = " x ".join(str(len(bias)) for _, bias in self.layers)
        return f"<Policy of {len(self.setup.observe)} features, layers {widths}>"


def driver(of: Policy | str | dict[str, object]) -> tuple[str, str]:
    """A policy or a built-in control, as the native module reads it."""
    if isinstance(of, Policy):
        return "policy", of.toml()
    expected = "a Policy, the name of a control, or a dict with its settings"
    settings: dict[str, object] = {"kind": of} if isinstance(of, str) else dict(_values.pairs("control", of, expected))
    if "kind" not in settings:
        raise _values.refused("control", of, expected)
    if settings["kind"] == "policy":
        raise _values.refused("control", of, expected, "give the Policy itself instead of its file")
    return "control", "".join(f"{_values.toml(key, 'control')} = {_values.toml(value, key)}\n" for key, value in settings.items())
