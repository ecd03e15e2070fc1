"""Pictures, and how they look."""

from __future__ import annotations

import os

from . import _files, _values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Look:
    """How a picture looks; see :meth:`Scenario.plot`."""

    __slots__ = ("flows", "start", "end", "panels", "segments", "blocked", "dark", "size")

    def __init__(self, *values: object) -> None:
        for name, value in zip(self.__slots__, values, strict=True):
            setattr(self, name, value)


class Picture:
    """A picture of a run, which notebooks show.

    Attributes:
        name: The flow's name.
        svg: The picture as SVG.
        png: The picture as PNG, with twice as many pixels each way; None if there is none.
    """

    __slots__ = ("name", "svg", "png")

    def __init__(self, name: str, svg: str, png: bytes | None) -> None:
        self.name, self.svg, self.png = name, svg, png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file: SVG or PNG, by its ending."""
        ending = os.path.splitext(_values.path("path", path))[1]
        contents = {".svg": self.svg.encode(), ".png": self.png}.get(ending)
        if contents is None:
            endings = ".svg" if self.png is None else ".svg or .png"
            raise _values.refused("path", path, f"a file name that ends with {endings}")
        _files.write(path, contents)

    def _repr_svg_(self) -> str:
        return self.svg

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
        return "".join(picture.svg for picture in self)
