"""Progress bars, in terminals and notebooks."""

from __future__ import annotations

from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

# Seconds after which a bar is shown if the caller did not choose.
PATIENCE = 1.0


class reporter:
    """Shows a bar with `tqdm`, if that is installed, for work that takes more than a second.

    The context is a callback for the share of the work that is done, or for the numbers done and wanted; None without
    a bar.
    """

    def __init__(self, what: str, shown: bool | None) -> None:
        self.what, self.shown = what, shown
        self.began = monotonic()
        self.bar: Any = None

    def __enter__(self) -> Callable[..., object] | None:
        if self.shown is False:
            return None
        return self.report

    def report(self, done: float, wanted: float = 1.0) -> None:
        """The work has come this far."""
        if self.bar is None:
            if self.shown is None and monotonic() - self.began < PATIENCE:
                return
            import warnings

            try:
                with warnings.catch_warnings():
                    # In a notebook without ipywidgets tqdm warns with a path of the machine, and shows the bar as text.
                    warnings.simplefilter("ignore")
                    from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
            except ImportError:
                self.shown = False
                return
            if self.shown is False:
                return
            self.bar = tqdm(total=wanted, desc=self.what, leave=False)
        self.bar.total = wanted
        self.bar.update(done - self.bar.n)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.close()
