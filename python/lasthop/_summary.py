"""Results that are JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Summarized:
    """A result with the JSON that the command prints.

    Attributes:
        json: The JSON text.
    """

    __slots__ = ("json", "_summary")

    def __init__(self, json: str) -> None:
        self.json = json
        self._summary: Any = None

    @property
    def summary(self) -> Any:
        """The values of the JSON text."""
        if self._summary is None:
            import json

            self._summary = json.loads(self.json)
        return self._summary
