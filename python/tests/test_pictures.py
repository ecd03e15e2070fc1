"""Pictures in notebooks: what IPython shows of them."""

import base64
import os
import re
import struct
import subprocess
import sys
import textwrap
import unittest

import lasthop as lh
from support import REFINED


def pixels(png: bytes) -> tuple[int, int]:
    """Width and height, from the header of a PNG."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


class Shown(unittest.TestCase):
    pictures: lh.Pictures

    @classmethod
    def setUpClass(cls) -> None:
        refined = lh.Scenario.load(REFINED)
        cls.pictures = refined.plot(end=5, size=(700, 460), panels=["window"])

    def test_png_is_shown_at_the_size_of_the_svg(self) -> None:
        [picture] = self.pictures
        shown = picture._repr_png_()
        assert shown is not None
        png, sides = shown
        self.assertEqual(png, picture.png)
        self.assertEqual(sides, {"width": 700, "height": 460})
        self.assertEqual(pixels(png), (1400, 920))
        self.assertIsNone(picture._repr_svg_())

    def test_picture_without_png_is_shown_as_svg(self) -> None:
        picture = lh.Picture("p", "<svg/>", None)
        self.assertIsNone(picture._repr_png_())
        self.assertEqual((picture._repr_svg_(), picture.size), ("<svg/>", None))

    def test_pictures_are_elements_with_their_bytes(self) -> None:
        svg = '<svg width="3" height="4.6"/>'
        html = lh.Pictures([*self.pictures, lh.Picture('"<', svg, None)])._repr_html_()
        self.assertNotIn("<svg", html)
        pattern = r'<img src="data:image/([a-z+]+);base64,([^"]*)" width="(\d+)" height="(\d+)" alt="([^"]*)">'
        found = [(kind, base64.b64decode(text), *rest) for kind, text, *rest in re.findall(pattern, html)]
        expected = [("png", self.pictures[0].png, "700", "460", "download.to-5s")]
        self.assertEqual(found, [*expected, ("svg+xml", svg.encode(), "3", "5", "&quot;&lt;")])

    def test_network_has_a_name_and_both_formats(self) -> None:
        picture = lh.Scenario.load(REFINED).topology(size=(600, 500))
        assert picture.png is not None and picture.size is not None
        self.assertEqual(picture.name, "network.topology")
        self.assertEqual(pixels(picture.png), (2 * picture.size[0], 2 * picture.size[1]))


class Progress(unittest.TestCase):
    def test_bar_in_a_notebook_without_widgets_gives_no_warning(self) -> None:
        # tqdm looks for the module of the notebook's kernel.
        code = textwrap.dedent("""
            import sys, types, warnings
            warnings.simplefilter("always")
            sys.modules["ipywidgets"] = None
            sys.modules["ipykernel.zmqshell"] = types.ModuleType("zmqshell")
            sys.modules["IPython"] = types.ModuleType("IPython")
            sys.modules["IPython"].get_ipython = object
            from lasthop._progress import reporter
            with reporter("run", True) as report:
                report(0.5)
        """)
        done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True)
        self.assertEqual((done.returncode, "Warning" in done.stderr), (0, False), done.stderr)


if __name__ == "__main__":
    unittest.main()
