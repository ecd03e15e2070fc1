"""Trained policies."""

from __future__ import annotations

import os

from .. import _lasthop
from .._errors import LasthopError
from .._scenario import _toml
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
        self.layers = [
            ([[float(weight) for weight in row] for row in weights], [float(number) for number in bias])
            for weights, bias in layers
        ]
        self._text = ""
        self.act([0.0] * len(setup.observe))

    def toml(self) -> str:
        """The text of its file."""
        if not self._text:
            layers = [{"weights": weights, "bias": bias} for weights, bias in self.layers]
            lines = ",\n  ".join(_toml(layer) for layer in layers)
            self._text = f"rules = {_toml(self.setup.rules)}\nlayers = [\n  {lines},\n]\n" if layers else (
                f"rules = {_toml(self.setup.rules)}\n"
            )
        return self._text

    def act(self, features: Sequence[float]) -> float:
        """The action for these features, from -1 to 1: the same number as in a scenario.

        Raises:
            LasthopError: The layers do not fit together, or the features do not fit them.
        """
        return _lasthop.act(self.toml(), [float(feature) for feature in features])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write its file."""
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.toml())
        except OSError as error:
            raise LasthopError(f"{os.fspath(path)}: {error.strerror or error}") from error

    def __repr__(self) -> str:
        widths = " x ".join(str(len(bias)) for _, bias in self.layers)
        return f"<Policy of {len(self.setup.observe)} features, layers {widths}>"


def driver(of: Policy | str | dict[str, object]) -> tuple[str, str]:
    """A policy or a built-in control, as the native module reads it."""
    if isinstance(of, Policy):
        return "policy", of.toml()
    settings: dict[str, object] = {"kind": of} if isinstance(of, str) else dict(of)
    return "control", "".join(f"{key} = {_toml(value)}\n" for key, value in settings.items())
