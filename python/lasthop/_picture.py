"""Pictures, and how they look."""

from __future__ import annotations

import os

from . import _files, _values
from ._html import image

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class Look:
    """What a picture shows and how it looks; see :meth:`Scenario.plot`."""

    __slots__ = ("flows", "medium", "start", "end", "panels", "segments", "blocked", "dark", "size", "together")

    def __init__(
        self,
        flows: Sequence[str] = (),
        *,
        medium: str | None = None,
        start: str | float | None = None,
        end: str | float | None = None,
        panels: Sequence[str] = (),
        segments: bool = False,
        blocked: bool = False,
        dark: bool = False,
        size: tuple[int, int] | None = None,
        together: bool = False,
    ) -> None:
        self.flows = _values.texts("flows", flows, "names of flows")
        self.medium = None if medium is None else _values.text("medium", medium, "the name of a medium")
        self.start, self.end = _time("start", start), _time("end", end)
        self.panels = _values.texts("panels", panels, "a list of names of panels")
        self.segments, self.blocked, self.dark = bool(segments), bool(blocked), bool(dark)
        self.size, self.together = _size(size), bool(together)


def _time(where: str, time: str | float | None) -> str | None:
    if time is None:
        return None
    expected = 'seconds, or a time such as "1.2 s"'
    if isinstance(time, str):
        return _values.text(where, time, expected)
    return f"{_values.finite(where, time)} s"


def _size(size: tuple[int, int] | None) -> tuple[int, int] | None:
    if size is None:
        return None
    sides = _values.items("size", size, "a width and a height")
    if len(sides) != 2:
        raise _values.refused("size", size, "a width and a height")
    return _values.whole("size", sides[0], 0, 2**31), _values.whole("size", sides[1], 0, 2**31)


class Picture:
    """A picture, which notebooks show: the PNG, because sites that show notebooks remove SVG.

    Attributes:
        name: The name of its file without ending, such as the flow's name.
        svg: The picture as SVG.
        png: The picture as PNG, with twice as many pixels each way, or None.
    """

    __slots__ = ("name", "svg", "png")

    def __init__(self, name: str, svg: str, png: bytes | None) -> None:
        self.name, self.svg, self.png = name, svg, png

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height of the SVG in pixels.

        >>> Picture("p", '<svg xmlns="http://www.w3.org/2000/svg" width="700" height="459.5">', None).size
        (700, 460)
        """
        import re

        head = self.svg[: self.svg.find(">")]
        found = [re.search(rf'\s{side}="([0-9.]+)"', head) for side in ("width", "height")]
        width, height = (round(float(each[1])) if each else 0 for each in found)
        return (width, height) if width and height else None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file: SVG or PNG, by its ending."""
        ending = os.path.splitext(_values.path("path", path))[1]
        contents = {".svg": self.svg.encode(), ".png": self.png}.get(ending)
        if contents is None:
            endings = ".svg" if self.png is None else ".svg or .png"
            raise _values.refused("path", path, f"a file name that ends with {endings}")
        _files.write(path, contents)

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]] | None:
        """The PNG, to be shown at the size of the SVG."""
        if self.png is None:
            return None
        return self.png, dict(zip(("width", "height"), self.size or ()))

    def _repr_svg_(self) -> str | None:
        return self.svg if self.png is None else None

    def __repr__(self) -> str:
        return f"<Picture {self.name}: {len(self.svg)} bytes of SVG>"


class Pictures(list[Picture]):
    """Pictures, which notebooks show one below the other."""

    def __init__(self, pictures: Iterable[Picture] = ()) -> None:
        super().__init__(pictures)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write all as SVG and PNG into a folder, as ``lasthop plot`` does."""
        folder = _files.make_folder(folder)
        for picture in self:
            for ending in (".svg", ".png"):
                picture.save(os.path.join(folder, picture.name + ending))

    def _repr_html_(self) -> str:
        return "".join(f"<div>{image_element(picture)}</div>" for picture in self)


def image_element(picture: Picture) -> str:
    """A picture as an element with its bytes: sites that show notebooks remove SVG elements."""
    kind, contents = ("svg+xml", picture.svg.encode()) if picture.png is None else ("png", picture.png)
    return image(kind, contents, picture.size, picture.name)
