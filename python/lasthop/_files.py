"""Files that are written completely or not at all."""

from __future__ import annotations

import os

from . import _values
from ._errors import LasthopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def write(path: str | os.PathLike[str], contents: str | bytes) -> None:
    """Write to a temporary file and rename it: an error leaves the old file unchanged, and is raised with its reason.

    A target that is not a regular file, such as a pipe, is written to directly.
    """
    name = _values.path("path", path)
    data = contents.encode() if isinstance(contents, str) else contents
    target = os.path.realpath(name)
    direct = os.path.exists(target) and not os.path.isfile(target)
    partial = target if direct else f"{target}.partial"
    try:
        try:
            with open(partial, "wb") as file:
                file.write(data)
            if not direct:
                os.replace(partial, target)
        except BaseException:
            if not direct and os.path.isfile(partial):
                os.remove(partial)
            raise
    except OSError as error:
        failed(name, error)


def make_folder(path: str | os.PathLike[str]) -> str:
    """Create a folder, unless it exists."""
    name = _values.path("folder", path)
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        failed(name, error)
    return name


def failed(name: str, error: OSError) -> NoReturn:
    """Raise the error of a file."""
    raise LasthopError(f"{name}: {error.strerror or error}") from error
