"""Trained policies."""

from __future__ import annotations

import json
import os

from .. import _files, _lasthop, _values
from .._errors import LasthopError
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

    It is saved to a file that ``tcp.control = { kind = "policy", file = "..." }`` names, and that :meth:`load` reads.
    """

    __slots__ = ("setup", "layers", "_native", "_text")

    def __init__(self, setup: Setup, layers: Sequence[tuple[Any, Any]]) -> None:
        self.setup = setup
        try:
            # Tuples, for the native policy is kept.
            self.layers = tuple(
                (tuple(tuple(map(float, row)) for row in weights), tuple(map(float, bias))) for weights, bias in layers
            )
        except (TypeError, ValueError, OverflowError) as error:
            expected = "for each layer its weights, a row for each output, and its bias"
            raise _values.refused("layers", layers, expected) from error
        rules = "".join(f"{key} = {_values.toml(value, key)}\n" for key, value in setup.rules.items())
        self._native = _lasthop.Policy(rules, self.layers)
        self._text = ""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a file that :meth:`save` has written, or that a scenario names.

        Raises:
            LasthopError: The file cannot be read, or holds no policy.
        """
        name = _values.path("path", path)
        try:
            with open(name, encoding="utf-8") as file:
                network = json.loads(_lasthop.Policy.read(file.read()).json())
            return cls(Setup(**network["rules"]), [(layer["weights"], layer["bias"]) for layer in network["layers"]])
        except OSError as error:
            _files.failed(name, error)
        except UnicodeDecodeError as error:
            raise LasthopError(f"{name}: {error}") from error
        except LasthopError as error:
            raise LasthopError(f"{name}: {error}", error.problems) from error

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.setup, self.layers)

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
        return self._native.act([_values.finite("features", number) for number in numbers])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write its file."""
        _files.write(path, self.toml())

    def __repr__(self) -> str:
        widths = " x ".join(str(len(bias)) for _, bias in self.layers)
        return f"<Policy of {len(self.setup.observe)} features, layers {widths}>"


def driver(of: Policy | str | dict[str, object]) -> _lasthop.Policy | str:
    """A policy, or a control of the simulator or of the scenario, as the native module reads it."""
    if isinstance(of, Policy):
        return of._native
    expected = "a Policy, the name of a control, or a dict with its settings"
    settings: dict[str, object] = {"kind": of} if isinstance(of, str) else dict(_values.pairs("control", of, expected))
    if "kind" not in settings:
        raise _values.refused("control", of, expected)
    if settings["kind"] == "policy":
        raise _values.refused("control", of, expected, "give the Policy itself instead of its file")
    return "".join(f"{_values.toml(key, 'control')} = {_values.toml(value, key)}\n" for key, value in settings.items())
