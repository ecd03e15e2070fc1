"""The stub of the native module is generated from it: UPDATE_GOLDEN=1 writes it."""

import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from lasthop import _lasthop
from support import ROOT

STUB = ROOT / "python" / "lasthop" / "_lasthop.pyi"
INPUTS = ROOT / "python" / "lasthop" / "_inputs.pyi"
# The imports for the names in types that Rust states as text.
IMPORTS = """\
from collections.abc import Callable, Sequence
from typing import Any

from ._inputs import Class, Look, Spec
"""


def generated() -> str:
    """The stub, by PyO3's own generator."""
    assert _lasthop.__file__ is not None
    program = Path(sys.executable).with_name("pyo3-introspection")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, _lasthop.__file__, "_lasthop", folder], check=True)
        stub = (Path(folder) / "__init__.pyi").read_text()
    first_import = re.search(r"^from ", stub, re.MULTILINE)
    assert first_import is not None
    return stub[: first_import.start()] + IMPORTS + stub[first_import.start() :]


def attributes_read(structure: str) -> set[str]:
    """The attributes that Rust reads into a structure of `FromPyObject`."""
    sources = "".join(file.read_text() for file in (ROOT / "crates" / "python" / "src").rglob("*.rs"))
    found = re.search(rf"FromPyObject[^\n]*\]\npub struct {structure} \{{(.*?)\n\}}", sources, re.DOTALL)
    assert found is not None, structure
    renamed = re.sub(r'#\[pyo3\(attribute\("(\w+)"\)\)\]\s*\w+:', r"\1:", found[1])
    return set(re.findall(r"^\s*(\w+):", renamed, re.MULTILINE))


class Stubs(unittest.TestCase):
    maxDiff = None

    def test_stub_matches_the_native_module(self) -> None:
        stub = generated()
        if os.environ.get("UPDATE_GOLDEN"):
            STUB.write_text(stub)
        self.assertEqual(STUB.read_text(), stub, "UPDATE_GOLDEN=1 writes it")
        self.assertNotIn("Incomplete", stub)

    def test_inputs_have_the_attributes_that_rust_reads(self) -> None:
        classes = [node for node in ast.parse(INPUTS.read_text()).body if isinstance(node, ast.ClassDef)]
        self.assertEqual({node.name for node in classes}, {"Class", "Spec", "Look"})
        for node in classes:
            with self.subTest(node.name):
                stated = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
                self.assertEqual(stated, attributes_read(node.name))


if __name__ == "__main__":
    unittest.main()
